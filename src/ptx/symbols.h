/* SPDX-License-Identifier: MIT */
/* Names and what they mean, in nested scopes. A name of an inner scope hides one of an outer
 * scope. A range of registers (%r<100>) is one entry; its registers are created when they are
 * first named, so that memory follows the length of the text. */
#ifndef CUP_PTX_SYMBOLS_H
#define CUP_PTX_SYMBOLS_H

#include "ptx/arena.h"

#include <stdbool.h>
#include <stdint.h>

enum ptx_symbol_kind {
    PTX_SYMBOL_REGISTER,
    PTX_SYMBOL_RANGE,          /* of registers: not found by name, but by prefix */
    PTX_SYMBOL_VARIABLE,       /* of the program */
    PTX_SYMBOL_LOCAL_VARIABLE, /* of the function */
    PTX_SYMBOL_FUNCTION,
    PTX_SYMBOL_LABEL,
    PTX_SYMBOL_BRANCH_TARGETS,
    PTX_SYMBOL_CALL_TARGETS,
    PTX_SYMBOL_CALL_PROTOTYPE,
};

struct ptx_symbol {
    const char *name; /* in the text, or in the arena; not terminated */
    uint32_t length;
    uint8_t kind;
    uint8_t depth;
    uint8_t type, width; /* of a range */
    uint64_t hash;
    uint32_t index, line; /* of a range: how many there are */
    struct ptx_symbol *next_in_bucket, *next_in_scope;
};

enum { PTX_MAX_DEPTH = 200 }; /* of scopes; 0 is the module, 1 a function */

struct ptx_symbols {
    struct ptx_arena *arena; /* of the entries; theirs alone */
    struct ptx_symbol **buckets, *spare;
    size_t bucket_count, count;
    struct ptx_symbol *scopes[PTX_MAX_DEPTH];
    unsigned ranges[PTX_MAX_DEPTH]; /* how many ranges a scope has */
    unsigned depth, deepest_range;
};

bool ptx_symbols_init(struct ptx_symbols *symbols);
void ptx_symbols_finish(struct ptx_symbols *symbols);
bool ptx_symbols_enter_scope(struct ptx_symbols *symbols); /* false: too deep */
void ptx_symbols_leave_scope(struct ptx_symbols *symbols);

/* The innermost entry of a name that is (or is not) a range. */
struct ptx_symbol *ptx_symbols_find(struct ptx_symbols *symbols, const char *name, size_t length,
                                    uint64_t hash, bool range);

/* The entry of a name in the module scope, even if it is hidden. */
struct ptx_symbol *ptx_symbols_find_outermost(struct ptx_symbols *symbols, const char *name,
                                              size_t length, uint64_t hash);

/* The range that declares a register of this name at a greater depth than `above`, and the
 * register's number in it. */
struct ptx_symbol *ptx_symbols_find_range(struct ptx_symbols *symbols, const char *name,
                                          size_t length, int above);

/* Adds an entry at a depth, usually symbols->depth; NULL: out of memory. The caller has checked
 * that the name is free. */
struct ptx_symbol *ptx_symbols_add(struct ptx_symbols *symbols, const char *name, size_t length,
                                   uint64_t hash, enum ptx_symbol_kind kind, unsigned depth);

#endif

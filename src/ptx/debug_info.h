/* SPDX-License-Identifier: MIT */
/* The variables of functions as the CUDA compiler describes them (nvcc -G, clang -g): DWARF in
 * .debug_info, whose locations are PTX registers and variables. */
#ifndef CUP_PTX_DEBUG_INFO_H
#define CUP_PTX_DEBUG_INFO_H

#include "ptx/debug_sections.h"

enum { PTX_DEBUG_REGISTER_BYTES = 9 };

/* Where a variable is, between two lines of the text: in a register, or at an offset of a .param or
 * .local variable. */
struct ptx_debug_place {
    uint32_t from_line, to_line;
    char reg[PTX_DEBUG_REGISTER_BYTES]; /* "" if it is not in a register */
    struct ptx_token variable;
    uint64_t offset;
};

enum { PTX_DEBUG_PLACES = 32 };

struct ptx_debug_variable {
    const char *name;
    uint32_t type; /* see ptx_debug_type_read; 0: none */
    bool is_parameter;
    uint32_t from_line, to_line; /* where its name is known */
    unsigned place_count;        /* places beyond the last are dropped */
    struct ptx_debug_place places[PTX_DEBUG_PLACES];
};

/* A type, or a member of a struct. */
struct ptx_debug_type {
    uint16_t tag; /* DWARF's DW_TAG_ number */
    const char *name;
    uint64_t bytes;
    uint32_t encoding;    /* of base types: DW_ATE_ */
    uint32_t type;        /* what it points to, consists of or is a name for; 0: nothing */
    uint64_t offset;      /* of members */
    uint64_t count;       /* of arrays: of elements, all dimensions together */
    uint32_t first_child; /* of structs: their first member; 0: none */
    uint32_t next;        /* of members: the one after it; 0: none */
};

struct ptx_debug_info;

/* NULL if the text has no such description, or if memory is out. */
struct ptx_debug_info *ptx_debug_info_read(const struct ptx_text *text);
void ptx_debug_info_free(struct ptx_debug_info *info);

/* Calls `visit` with each variable of the function, outer ones first; the variable is gone after
 * the call. */
void ptx_debug_variables(const struct ptx_debug_info *info, const char *function,
                         void (*visit)(const struct ptx_debug_variable *variable, void *argument),
                         void *argument);

/* Reads the type or member at this offset; false: there is none. */
bool ptx_debug_type_read(const struct ptx_debug_info *info, uint32_t at,
                         struct ptx_debug_type *type);

#endif

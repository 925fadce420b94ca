/* SPDX-License-Identifier: MIT */
/* Symbolic names for code addresses: function and offset, file and offset. The names come from the
 * symbol tables of the files, which include functions that are not exported. */
#ifndef CUP_OS_SYMBOL_H
#define CUP_OS_SYMBOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The address range of a program or library. */
struct cup_symbol_module {
    uint64_t base, size_bytes; /* from the first segment to the end of the last */
};

/* Finds the module that contains the address. Returns false if there is none. */
bool cup_symbol_find_module(const void *address, struct cup_symbol_module *module);

/* Finds a note (an ELF note in memory) with this owner and type in the module that contains the
 * address. Returns its contents, or NULL. Not async-signal-safe. */
const void *cup_symbol_find_note(const void *address, const char *owner, uint32_t type,
                                 size_t *size_bytes);

struct cup_symbol {
    char function[512]; /* C++ names in their plain form, cut; empty: unknown */
    uint64_t function_offset;
    char file[512]; /* the program or library; empty: unknown */
    uint64_t file_offset;
};

/* Finds what contains the call before a return address. Not async-signal-safe: it uses the dynamic
 * loader. Returns false if nothing does. */
bool cup_symbol_find(const void *return_address, struct cup_symbol *symbol);

/* Writes "function+0x12 (file+0x3456)", or as much as is known. A return address is described by
 * the call before it. Not async-signal-safe: it uses the dynamic loader. */
void cup_symbol_describe(const void *return_address, char *text, size_t size);

#endif

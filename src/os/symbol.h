/* SPDX-License-Identifier: MIT */
/* Names for addresses of code: function and offset, file and offset. Names come from the symbol
 * tables of the files, so that functions that are not exported have one, too. */
#ifndef CUP_OS_SYMBOL_H
#define CUP_OS_SYMBOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where a program or library lies. */
struct cup_symbol_module {
    uint64_t base, size_bytes; /* from the first to behind the last of its segments */
};

/* The one the address is in; false when it is in none. */
bool cup_symbol_find_module(const void *address, struct cup_symbol_module *module);

/* "function+0x12 (file+0x3456)", or without what is not known. A return address is named by the
 * call before it. Not for signal handlers that may interrupt the loader. */
void cup_symbol_describe(const void *return_address, char *text, size_t size);

#endif

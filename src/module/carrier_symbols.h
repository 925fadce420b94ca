/* SPDX-License-Identifier: MIT */
/* The symbol table of a carrier: the names that a cubin of the same PTX would have, and the initial
 * values of its variables. libcuda does not read it. Linkers choose members of libraries by it, and
 * LLVM's OpenMP runtime reads from it how a kernel is to be launched. */
#ifndef CUP_MODULE_CARRIER_SYMBOLS_H
#define CUP_MODULE_CARRIER_SYMBOLS_H

#include "ptx/program.h"

#include <elf.h>

/* The sections that symbols lie in. */
enum cup_carrier_section {
    CUP_CARRIER_CODE,      /* functions */
    CUP_CARRIER_DATA,      /* .global with an initial value */
    CUP_CARRIER_CONSTANTS, /* .const */
    CUP_CARRIER_ZEROS,     /* .global without one */
    CUP_CARRIER_SHARED,    /* .shared */
    CUP_CARRIER_SECTIONS
};

struct cup_carrier_symbols {
    Elf64_Sym *symbols; /* the first is empty, as ELF wants it; local ones precede the others */
    size_t count, local_count;
    char *names;
    size_t name_bytes;
    /* The contents by section: NULL for code, zeros and shared memory, which have a size alone. The
     * size of code is 0. */
    uint8_t *contents[CUP_CARRIER_SECTIONS];
    uint64_t content_bytes[CUP_CARRIER_SECTIONS];
};

/* Makes the table of several texts: one symbol for each name that is not local, defined if one of
 * the texts defines it. `sections` are the ELF indices. An address in an initial value is 0. On
 * success the caller ends the table with cup_carrier_symbols_finish(). */
bool cup_carrier_symbols_init(struct cup_carrier_symbols *table,
                              struct ptx_program *const *programs, size_t count,
                              const uint16_t sections[CUP_CARRIER_SECTIONS]);

void cup_carrier_symbols_finish(struct cup_carrier_symbols *table);

#endif

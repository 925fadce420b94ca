/* SPDX-License-Identifier: MIT */
/* Loads the relocatable ELF objects that our compiler makes: machine code of one kernel, which
 * needs nothing but a few functions of libc and libm. The bytes may come from a damaged file, so
 * nothing in them is believed; what the code itself does is the compiler's affair. */
#ifndef CUP_EXEC_ELF_H
#define CUP_EXEC_ELF_H

#include <stddef.h>
#include <stdint.h>

struct cup_elf_code {
    uint8_t *base; /* one mapping: code first, then constants */
    size_t size_bytes;
    size_t code_bytes;
};

struct cup_elf_symbol {
    const char *name;
    void *address;     /* NULL when the object has no such symbol */
    size_t size_bytes; /* how far it is from there to the end of its section */
};

/* Maps the object and finds `count` symbols of it. NULL, or what is wrong with it: one of those is
 * that there is no memory for it. */
extern const char cup_elf_no_memory[];
const char *cup_elf_load(const uint8_t *bytes, size_t size_bytes, struct cup_elf_code *code,
                         struct cup_elf_symbol *symbols, size_t count);
void cup_elf_unload(struct cup_elf_code *code);

#endif

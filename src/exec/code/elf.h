/* SPDX-License-Identifier: MIT */
/* Loads the relocatable ELF objects that the compiler produces: the machine code of one kernel,
 * which calls only a few functions of libc and libm. The bytes may come from a damaged file, so the
 * loader validates all offsets and sizes; it does not validate the code itself. */
#ifndef CUP_EXEC_CODE_ELF_H
#define CUP_EXEC_CODE_ELF_H

#include <stddef.h>
#include <stdint.h>

struct cup_elf_code {
    uint8_t *base; /* one mapping: code, then constants */
    size_t size_bytes;
    size_t code_bytes;
};

struct cup_elf_symbol {
    const char *name;
    void *address;     /* NULL if the object has no such symbol */
    size_t size_bytes; /* bytes from there to the end of its section */
};

/* Maps the object and resolves `count` symbols. Returns NULL on success, otherwise a message;
 * cup_elf_no_memory if memory is out. */
extern const char cup_elf_no_memory[];
const char *cup_elf_load(const uint8_t *bytes, size_t size_bytes, struct cup_elf_code *code,
                         struct cup_elf_symbol *symbols, size_t count);
/* Returns a copy of the object, to be freed, whose sections have the addresses at which it was
 * loaded; NULL if memory is out. */
uint8_t *cup_elf_copy_with_addresses(const uint8_t *bytes, size_t size_bytes,
                                     const struct cup_elf_code *code);
void cup_elf_unload(struct cup_elf_code *code);

#endif

/* SPDX-License-Identifier: MIT */
/* What differs between processors when an object is loaded: relocations, and the stub through which
 * a function far away is called. And which functions from outside an object may name. */
#ifndef CUP_EXEC_ELF_RELOCATE_H
#define CUP_EXEC_ELF_RELOCATE_H

#include <elf.h>
#include <stdint.h>

#if defined(__aarch64__)
enum { CUP_ELF_MACHINE = EM_AARCH64 };
#elif defined(__x86_64__)
enum { CUP_ELF_MACHINE = EM_X86_64 };
#else
#error "kernels run on aarch64 and x86_64"
#endif

enum { CUP_ELF_STUB_BYTES = 16 };

struct cup_elf_relocation {
    uint32_t type;
    uint8_t *section; /* where the section lies that is patched */
    uint64_t section_size;
    uint64_t offset; /* of the patch in it; not yet checked */
    int64_t addend;
    uint64_t symbol; /* its address */
    uint64_t stub;   /* for a function from outside: what to call in its place; else 0 */
    uint64_t *got;   /* the symbol's word in the table of addresses */
};

/* NULL, or what is wrong. */
const char *cup_elf_relocate(const struct cup_elf_relocation *relocation);

void cup_elf_write_stub(uint8_t *stub, uint64_t target);

/* The address of a function that objects may use, or 0. */
uint64_t cup_elf_external(const char *name);

#endif

/* SPDX-License-Identifier: MIT */
/* The architecture-dependent part of loading objects: relocations, call stubs for distant
 * functions, and the list of external functions. */
#ifndef CUP_EXEC_CODE_ELF_RELOCATE_H
#define CUP_EXEC_CODE_ELF_RELOCATE_H

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
    uint8_t *section; /* address of the section that is patched */
    uint64_t section_size;
    uint64_t offset; /* of the patch in the section; not validated yet */
    int64_t addend;
    uint64_t symbol; /* the symbol's address */
    uint64_t stub;   /* call stub of an external function, otherwise 0 */
    uint64_t *got;   /* the symbol's GOT entry */
};

/* Returns NULL on success, otherwise a message. */
const char *cup_elf_relocate(const struct cup_elf_relocation *relocation);

void cup_elf_write_stub(uint8_t *stub, uint64_t target);

/* Returns the address of a function that objects may call, or 0. */
uint64_t cup_elf_external(const char *name);

#endif

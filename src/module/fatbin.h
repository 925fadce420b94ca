/* SPDX-License-Identifier: MIT */
/* A fatbin: a container of the same code for several devices, as PTX or as machine code. */
#ifndef CUP_MODULE_FATBIN_H
#define CUP_MODULE_FATBIN_H

#include "module/source.h"

#define CUP_FATBIN_WRAPPER_MAGIC 0x466243b1u
#define CUP_FATBIN_MAGIC 0xba55ed50u

enum { CUP_FATBIN_HEADER_BYTES = 16, CUP_FATBIN_ENTRY_BYTES = 64 };

/* Where an ELF file says for which machine it is. */
enum { CUP_ELF_MACHINE_OFFSET = 18, CUP_ELF_MACHINE_CUDA = 190, CUP_ELF_HEADER_BYTES = 64 };

/* The architecture that a cubin is for: 90 for sm_90. */
unsigned cup_fatbin_elf_capability(const uint8_t header[CUP_ELF_HEADER_BYTES]);

/* How large the container is, from its first 16 bytes; 0 when they are not a fatbin's. */
uint64_t cup_fatbin_bytes(const uint8_t header[CUP_FATBIN_HEADER_BYTES]);

/* How much room an entry takes, from its first 64 bytes; 0 when they are no entry's. */
uint64_t cup_fatbin_entry_bytes(const uint8_t header[CUP_FATBIN_ENTRY_BYTES]);

/* Takes the PTX that suits a device of this compute capability (90 for 9.0) best: made for the
 * highest one that is not above it, or else for the lowest one. `bytes`: how many there are, at
 * least a header; entries that begin inside the container's own size may reach further. Machine
 * code for the device is not run, but NVIDIA's driver would take it before any PTX: where that is
 * damaged the whole is INVALID_IMAGE, and `bad_machine_code` says so. */
CUresult cup_fatbin_ptx(const uint8_t *container, size_t bytes, unsigned capability,
                        struct cup_source_text *text, bool *bad_machine_code, struct ptx_log *log);

#endif

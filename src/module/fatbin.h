/* SPDX-License-Identifier: MIT */
/* Fatbins: containers of the same code for several devices, as PTX or machine code. */
#ifndef CUP_MODULE_FATBIN_H
#define CUP_MODULE_FATBIN_H

#include "module/source.h"

#define CUP_FATBIN_WRAPPER_MAGIC 0x466243b1u
#define CUP_FATBIN_MAGIC 0xba55ed50u

enum { CUP_FATBIN_HEADER_BYTES = 16, CUP_FATBIN_ENTRY_BYTES = 64 };

/* Fields of an ELF header that identify CUDA machine code. */
enum { CUP_ELF_MACHINE_OFFSET = 18, CUP_ELF_MACHINE_CUDA = 190, CUP_ELF_HEADER_BYTES = 64 };

/* Returns the architecture of a cubin: 90 for sm_90. */
unsigned cup_fatbin_elf_capability(const uint8_t header[CUP_ELF_HEADER_BYTES]);

/* Returns the size of the container from its first 16 bytes, or 0 if they are not a fatbin
 * header. */
uint64_t cup_fatbin_bytes(const uint8_t header[CUP_FATBIN_HEADER_BYTES]);

/* Returns INVALID_IMAGE, which the log describes, for containers of another version. */
CUresult cup_fatbin_check_version(const uint8_t header[CUP_FATBIN_HEADER_BYTES],
                                  struct ptx_log *log);

/* Returns the size of an entry from its first 64 bytes, or 0 if they are not an entry header. */
uint64_t cup_fatbin_entry_bytes(const uint8_t header[CUP_FATBIN_ENTRY_BYTES]);

enum { CUP_FATBIN_KIND_PTX = 1, CUP_FATBIN_KIND_ELF = 2 };

struct cup_fatbin_entry {
    uint16_t kind;
    uint32_t header_bytes;
    uint64_t payload_bytes;
    uint32_t packed_bytes;
    uint32_t capability;
    uint64_t flags;
    uint64_t unpacked_bytes;
    const uint8_t *payload;
};

/* Reads the entry at *at, which starts as 0, and moves on. Returns false at the end, and at an
 * entry that does not fit: *result is then an error, which the log describes. */
bool cup_fatbin_next(const uint8_t *container, size_t bytes, size_t *at,
                     struct cup_fatbin_entry *entry, struct ptx_log *log, CUresult *result);

/* Copies the contents of an entry to the heap, unpacked, and appends a NUL. */
CUresult cup_fatbin_contents(const struct cup_fatbin_entry *entry, struct cup_source_text *text);

/* False if a container has no PTX for a device of this compute capability; true for a damaged one,
 * whose error is to be found by reading it. */
bool cup_fatbin_has_ptx(const uint8_t *container, size_t bytes, unsigned capability);

/* The compute capability for which a device of `capability` takes its PTX from the container: its
 * own, but the lowest above it that has PTX where the container has intact machine code for the
 * device and PTX for newer ones alone. NVIDIA's driver runs that machine code; the PTX was compiled
 * from the same source. */
unsigned cup_fatbin_stand_in(const uint8_t *container, size_t bytes, unsigned capability);

/* Adds the PTX that best suits a device of this compute capability (90 for 9.0) to the empty
 * `source`: the highest architecture that is not above it; PTX for one architecture only (90a)
 * counts for that one. It stands in the container as PTX or in a carrier. `bytes` is the number of
 * readable bytes, at least a header; entries that start inside the container's declared size may
 * extend beyond it. Machine code for the device cannot be run, but NVIDIA's driver would prefer it
 * to PTX: if it is damaged, the result is INVALID_IMAGE and source->bad_machine_code is set. */
CUresult cup_fatbin_ptx(const uint8_t *container, size_t bytes, unsigned capability,
                        struct cup_source *source, struct ptx_log *log);

#endif

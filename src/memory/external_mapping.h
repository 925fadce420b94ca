/* SPDX-License-Identifier: MIT */
/* Buffers in memory of other drivers, by descriptor. Each is a mapping of its own, so two of the
 * same bytes are at two addresses; it lives until it is freed or its context ends, whatever becomes
 * of the descriptor. Nobody can keep the file's other users from shrinking it: whoever touches the
 * memory does so under the fault guard. */
#ifndef CUP_MEMORY_EXTERNAL_MAPPING_H
#define CUP_MEMORY_EXTERNAL_MAPPING_H

#include <cuda.h>
#include <stdint.h>

struct CUctx_st;

/* Part of a file: the memory in it begins at `start`, a multiple of a page; the buffer begins at
 * `offset` in the memory. The address keeps the offset's place in its 2 MiB. OUT_OF_MEMORY when
 * there is no address space, or the file cannot be mapped. */
CUresult cup_extmem_map(struct CUctx_st *context, int fd, uint64_t start, uint64_t offset,
                        uint64_t size_bytes, uint64_t *address);

/* Waits for work of its context first. INVALID_VALUE when no buffer begins there. */
CUresult cup_extmem_unmap(uint64_t address);

/* Everything that was mapped for a context. */
void cup_extmem_unmap_owned(uint32_t owner);

#endif

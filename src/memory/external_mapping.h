/* SPDX-License-Identifier: MIT */
/* Buffers in memory of other drivers, given by file descriptor. Each buffer is a mapping of its
 * own, so two buffers of the same bytes have two addresses. It lives until it is freed or its
 * context ends, independent of the descriptor. Other users of the file can shrink it, so all
 * accesses to the memory are under the fault guard. */
#ifndef CUP_MEMORY_EXTERNAL_MAPPING_H
#define CUP_MEMORY_EXTERNAL_MAPPING_H

#include <cuda.h>
#include <stdint.h>

struct CUctx_st;

/* Maps part of a file. The memory begins at `start`, a multiple of a page; the buffer begins at
 * `offset` in the memory. The address is congruent to the offset modulo 2 MiB. Returns
 * CUDA_ERROR_OUT_OF_MEMORY if there is no address space or the file cannot be mapped. */
CUresult cup_extmem_map(struct CUctx_st *context, int fd, uint64_t start, uint64_t offset,
                        uint64_t size_bytes, uint64_t *address);

/* Waits for the work of its context, then unmaps. Returns CUDA_ERROR_INVALID_VALUE if no buffer
 * begins there. */
CUresult cup_extmem_unmap(uint64_t address);

/* Unmaps all buffers of a context. */
void cup_extmem_unmap_owned(uint32_t owner);

#endif

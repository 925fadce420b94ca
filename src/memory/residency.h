/* SPDX-License-Identifier: MIT */
/* Where managed and pageable memory is. All of it lies in memory of the host, and accesses of
 * devices move nothing. A page counts as being where it was last prefetched to; any other page that
 * has memory is at the host, and a page without memory is nowhere. */
#ifndef CUP_MEMORY_RESIDENCY_H
#define CUP_MEMORY_RESIDENCY_H

#include <cuda.h>
#include <stdint.h>

/* Returns CUDA_ERROR_INVALID_VALUE unless the range is within one managed allocation, or is mapped
 * memory of which CUDA knows nothing. */
CUresult cup_residency_check(uint64_t address, uint64_t size_bytes);

/* The most frequent location of the bytes `address`, `address + step_bytes` and so on in a range
 * that was checked; the one met first if several are equally frequent. */
CUmemLocation cup_residency_most(uint64_t address, uint64_t size_bytes, uint64_t step_bytes);

#endif

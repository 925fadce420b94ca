/* SPDX-License-Identifier: MIT */
/* Managed memory: one pointer for the host and every device. It has its own heap, as large as the
 * host's memory or twice a device's, and lies in host memory, so it can exceed the memory of a
 * device. Advice on its location is stored for every page and returned by queries, but has no
 * effect, because every location is equally near here. */
#ifndef CUP_MEMORY_MANAGED_H
#define CUP_MEMORY_MANAGED_H

#include "memory/advice.h"

#include <cuda.h>
#include <stdbool.h>
#include <stdint.h>

struct cup_heap;
struct CUctx_st;

/* The heap of managed memory, also used by managed pools; NULL if there is no address space for
 * it. */
struct cup_heap *cup_managed_heap(void);

/* Drops the advice on memory of a pool that is about to end. */
void cup_managed_forget(uint64_t address);

/* Allocates. size_bytes must not be 0. The first call creates the heap. */
CUresult cup_managed_allocate(struct CUctx_st *context, uint64_t size_bytes, uint64_t *address);

/* The same for a variable of a module, which cuMemFree does not free. Without a context, for a
 * library, the variable stays until it is freed. */
CUresult cup_managed_allocate_variable(struct CUctx_st *context, uint64_t size_bytes,
                                       uint64_t *address);

/* Returns false if no managed allocation begins there (any more). */
bool cup_managed_free(uint64_t address);

/* Frees all allocations of a context, given by its cup_object_index. */
void cup_managed_free_owned(uint32_t owner);

/* These functions return CUDA_ERROR_INVALID_VALUE if the range is not within one managed
 * allocation, or within another than the one with this buffer id; 0 matches any. */
CUresult cup_managed_identify(uint64_t address, uint64_t size_bytes, uint64_t *buffer_id);

/* Advice applies to whole pages. CUDA_ERROR_OUT_OF_MEMORY changes nothing. */
CUresult cup_managed_advise(uint64_t address, uint64_t size_bytes, uint64_t buffer_id,
                            const struct cup_advice_change *change);
CUresult cup_managed_ask(uint64_t address, uint64_t size_bytes, struct cup_advice *advice);

/* Discards the pages that lie completely in the range; they read as zeros afterwards. */
CUresult cup_managed_discard(uint64_t address, uint64_t size_bytes, uint64_t buffer_id);

#endif

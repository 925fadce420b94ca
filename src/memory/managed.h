/* SPDX-License-Identifier: MIT */
/* Managed memory: one pointer for the host and every device. It is a heap of its own, as large as
 * the host's memory or twice a device's, and lies in the host's memory: a device needs no room for
 * it, so more of it can be had than a device has. Where it is to be is advice: kept for every page,
 * answered, and obeyed by nobody, because here every place is as near as any other. */
#ifndef CUP_MEMORY_MANAGED_H
#define CUP_MEMORY_MANAGED_H

#include "memory/advice.h"

#include <cuda.h>
#include <stdbool.h>
#include <stdint.h>

struct cup_heap;
struct CUctx_st;

/* The heap it comes from; NULL when there is no address space for it. Pools have their share of it.
 */
struct cup_heap *cup_managed_heap(void);

/* Forgets what was advised on memory of a pool that is about to end. */
void cup_managed_forget(uint64_t address);

/* size_bytes is not 0. The first call makes the heap. */
CUresult cup_managed_allocate(struct CUctx_st *context, uint64_t size_bytes, uint64_t *address);

/* The same for a variable of a module, which cuMemFree leaves alone. Without a context, for one of
 * a library, it stays until it is freed. */
CUresult cup_managed_allocate_variable(struct CUctx_st *context, uint64_t size_bytes,
                                       uint64_t *address);

/* False when no managed allocation begins there (any more). */
bool cup_managed_free(uint64_t address);

/* Frees whatever belongs to a context: cup_object_index. */
void cup_managed_free_owned(uint32_t owner);

/* All of these answer INVALID_VALUE when the range is not all of one managed allocation, or of
 * another than the one with this buffer id; 0 is any. */
CUresult cup_managed_identify(uint64_t address, uint64_t size_bytes, uint64_t *buffer_id);

/* Advice counts for whole pages. OUT_OF_MEMORY changes nothing. */
CUresult cup_managed_advise(uint64_t address, uint64_t size_bytes, uint64_t buffer_id,
                            const struct cup_advice_change *change);
CUresult cup_managed_ask(uint64_t address, uint64_t size_bytes, struct cup_advice *advice);

/* Gives back the pages that lie in the range as a whole; they read as zeros then. */
CUresult cup_managed_discard(uint64_t address, uint64_t size_bytes, uint64_t buffer_id);

#endif

/* SPDX-License-Identifier: MIT */
/* The memory of the process: a heap for each device, one for pinned host memory, one for managed
 * memory, and the application's own memory that it registers. */
#ifndef CUP_MEMORY_MEMORY_H
#define CUP_MEMORY_MEMORY_H

#include "memory/heap.h"

#include <cuda.h>

/* Makes the heaps. Called by cuInit, after the devices are known; may be called again when it
 * failed. */
CUresult cup_memory_init(void);

/* The context ends: frees the memory it owns. */
void cup_memory_release_context(struct CUctx_st *context);

/* Where pinned host memory comes from. */
struct cup_heap *cup_memory_pinned(void);

/* Before memory goes: work of the context it was made in may still use it, and runs to its end. The
 * owner is a cup_object_index. */
void cup_memory_wait_owner(uint32_t owner);

#endif

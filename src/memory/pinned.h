/* SPDX-License-Identifier: MIT */
/* The heap of pinned host memory. */
#ifndef CUP_MEMORY_PINNED_H
#define CUP_MEMORY_PINNED_H

#include "memory/heap.h"

#include <cuda.h>
#include <stdint.h>

/* Creates the heap, as large as the host's memory or as the address space allows. Does nothing if
 * it exists. *tried_bytes is the size tried last. */
CUresult cup_pinned_create(uint64_t *tried_bytes);

struct cup_heap *cup_pinned_heap(void);

#endif

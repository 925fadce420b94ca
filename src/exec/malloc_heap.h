/* SPDX-License-Identifier: MIT */
/* malloc and free in kernels: memory of a context's own, as much as CU_LIMIT_MALLOC_HEAP_SIZE said
 * when the first kernel asked for some. It stays until it is freed by a kernel, or with the
 * context. */
#ifndef CUP_EXEC_MALLOC_HEAP_H
#define CUP_EXEC_MALLOC_HEAP_H

#include "abi/kernel.h"

#include <stddef.h>
#include <stdint.h>

struct cup_malloc_heap;

struct cup_malloc_heap *cup_malloc_heap_create(size_t size_bytes);
void cup_malloc_heap_destroy(struct cup_malloc_heap *heap);

/* A multiple of 16, or 0 when there is none. As with NVIDIA's, a size is rounded up first, which
 * makes a small one of the very largest, and nothing has an address, too. */
uint64_t cup_malloc_heap_take(struct cup_malloc_heap *heap, uint64_t size_bytes);

enum cup_malloc_heap_answer {
    CUP_MALLOC_HEAP_FREED,
    CUP_MALLOC_HEAP_NOT_ALLOCATED, /* in the heap, but not the start of anything allocated */
    CUP_MALLOC_HEAP_ELSEWHERE,     /* not in the heap */
};
enum cup_malloc_heap_answer cup_malloc_heap_give(struct cup_malloc_heap *heap, uint64_t address);

/* How many pieces are taken, and how much memory they take. */
void cup_malloc_heap_count(struct cup_malloc_heap *heap, size_t *pieces, size_t *bytes);

/* The services of kernel.h. */
void cup_malloc_heap_allocate(struct cup_abi_block *block, uint32_t mask, const uint64_t *sizes,
                              uint64_t *results);
void cup_malloc_heap_release(struct cup_abi_block *block, uint32_t mask, const uint64_t *pointers);

#endif

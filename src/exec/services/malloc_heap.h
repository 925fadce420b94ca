/* SPDX-License-Identifier: MIT */
/* malloc() and free() in kernels. The heap belongs to the context and has the size that
 * CU_LIMIT_MALLOC_HEAP_SIZE had at the first allocation. Memory lives until a kernel frees it or
 * the context ends. */
#ifndef CUP_EXEC_SERVICES_MALLOC_HEAP_H
#define CUP_EXEC_SERVICES_MALLOC_HEAP_H

#include <stddef.h>
#include <stdint.h>

struct cup_malloc_heap;

struct cup_malloc_heap *cup_malloc_heap_create(size_t size_bytes);
void cup_malloc_heap_destroy(struct cup_malloc_heap *heap);

/* Returns a multiple of 16, or 0 if there is no memory. As in NVIDIA's implementation, the size is
 * rounded up first, which wraps the very largest sizes to small ones, and an allocation of size 0
 * has an address. */
uint64_t cup_malloc_heap_alloc(struct cup_malloc_heap *heap, uint64_t size_bytes);

enum cup_malloc_heap_result {
    CUP_MALLOC_HEAP_FREED,
    CUP_MALLOC_HEAP_NOT_ALLOCATED, /* in the heap, but not the start of an allocation */
    CUP_MALLOC_HEAP_ELSEWHERE,     /* not in the heap */
};
enum cup_malloc_heap_result cup_malloc_heap_free(struct cup_malloc_heap *heap, uint64_t address);

/* Counts the allocations and the memory they take. */
void cup_malloc_heap_count(struct cup_malloc_heap *heap, size_t *pieces, size_t *bytes);

#endif

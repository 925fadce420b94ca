/* SPDX-License-Identifier: MIT */
/* State that kernels leave in a context: pending printf output and memory allocated with malloc().
 * It is created with the first launch of a kernel that may need it, and freed with the context and
 * the last such launch. */
#ifndef CUP_EXEC_SERVICES_DEVICE_RUNTIME_H
#define CUP_EXEC_SERVICES_DEVICE_RUNTIME_H

#include "abi/launch.h"

#include <stdbool.h>
#include <stddef.h>

struct CUctx_st;
struct cup_devrt;
struct cup_output;
struct cup_malloc_heap;

/* Returns the context's state, with a reference for a launch. NULL: memory is out, or the context
 * has ended. */
struct cup_devrt *cup_devrt_ref(struct CUctx_st *context);
void cup_devrt_unref(struct cup_devrt *devrt);

/* Drops the context's reference when the context ends. */
void cup_devrt_release(struct CUctx_st *context);

/* Both return NULL if memory is out. */
struct cup_output *cup_devrt_output(struct cup_devrt *devrt);
struct cup_malloc_heap *cup_devrt_heap(struct cup_devrt *devrt);

/* Counts the memory that kernels of the context allocated and did not free. Returns false if there
 * is none. */
bool cup_devrt_count(struct CUctx_st *context, size_t *pieces, size_t *bytes);

/* The malloc, free, print and assert services of abi/services.h (device_runtime_services.c). */
void cup_devrt_allocate(struct cup_abi_block *block, uint32_t mask, const uint64_t *sizes,
                        uint64_t *results);
void cup_devrt_free(struct cup_abi_block *block, uint32_t mask, const uint64_t *pointers);
void cup_devrt_print(struct cup_abi_block *block, uint32_t warp, uint32_t mask,
                     const uint64_t *formats, const uint64_t *arguments, int32_t *results);
void cup_devrt_assert(struct cup_abi_block *block, uint32_t warp, uint32_t mask,
                      const uint64_t *messages, const uint64_t *files, const uint32_t *lines,
                      const uint64_t *functions);

#endif

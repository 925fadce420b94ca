/* SPDX-License-Identifier: MIT */
/* What kernels leave behind in a context: text that is not yet written, memory they allocated. Made
 * when the first kernel that may ask for either is launched, gone with the context and the last
 * such launch. */
#ifndef CUP_EXEC_DEVICE_RUNTIME_H
#define CUP_EXEC_DEVICE_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>

struct CUctx_st;
struct cup_devrt;
struct cup_output;
struct cup_malloc_heap;

/* For a launch, with a reference. NULL: memory is out, or the context has ended. */
struct cup_devrt *cup_devrt_ref(struct CUctx_st *context);
void cup_devrt_unref(struct cup_devrt *kernels);

/* The context ends: gives up what it has. */
void cup_devrt_release(struct CUctx_st *context);

/* Both answer NULL when memory is out. */
struct cup_output *cup_devrt_output(struct cup_devrt *kernels);
struct cup_malloc_heap *cup_devrt_heap(struct cup_devrt *kernels);

/* What kernels of the context allocated and did not free; false when that is nothing. */
bool cup_devrt_count(struct CUctx_st *context, size_t *pieces, size_t *bytes);

#endif

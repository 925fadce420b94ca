/* SPDX-License-Identifier: MIT */
/* What kernels leave behind in a context: text that is not yet written, memory they allocated. Made
 * when the first kernel that may ask for either is launched, gone with the context and the last
 * such launch. */
#ifndef CUP_EXEC_CONTEXT_KERNELS_H
#define CUP_EXEC_CONTEXT_KERNELS_H

#include <stdbool.h>
#include <stddef.h>

struct CUctx_st;
struct cup_context_kernels;
struct cup_output;
struct cup_device_heap;

/* For a launch, with a reference. NULL: memory is out, or the context has ended. */
struct cup_context_kernels *cup_context_kernels_ref(struct CUctx_st *context);
void cup_context_kernels_unref(struct cup_context_kernels *kernels);

/* Both answer NULL when memory is out. */
struct cup_output *cup_context_kernels_output(struct cup_context_kernels *kernels);
struct cup_device_heap *cup_context_kernels_heap(struct cup_context_kernels *kernels);

/* What kernels of the context allocated and did not free; false when that is nothing. */
bool cup_context_kernels_count(struct CUctx_st *context, size_t *pieces, size_t *bytes);

#endif

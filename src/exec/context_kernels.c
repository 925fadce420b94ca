/* SPDX-License-Identifier: MIT */
#include "exec/context_kernels.h"

#include "device/context.h"
#include "device/limits.h"
#include "exec/device_heap.h"
#include "exec/exec.h"
#include "exec/output.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct cup_context_kernels {
    struct CUctx_st *context;
    _Atomic(struct cup_output *) output;
    _Atomic(struct cup_device_heap *) heap;
};

static void release(struct CUctx_st *context)
{
    struct cup_context_kernels *kernels = atomic_exchange(&context->kernels, NULL);

    if (!kernels)
        return;
    cup_output_destroy(atomic_load(&kernels->output));
    cup_device_heap_destroy(atomic_load(&kernels->heap));
    free(kernels);
}

static void set_hooks(void)
{
    cup_context_release_kernels = release;
    cup_context_write_output = cup_printf_flush;
}

/* Two threads may make one at the same time; the later one gives way. */
struct cup_context_kernels *cup_context_kernels_get(struct CUctx_st *context)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    struct cup_context_kernels *kernels = atomic_load(&context->kernels);

    if (kernels)
        return kernels;
    pthread_once(&once, set_hooks);
    struct cup_context_kernels *made = calloc(1, sizeof(*made));
    if (!made)
        return NULL;
    made->context = context;
    if (atomic_compare_exchange_strong(&context->kernels, &kernels, made))
        return made;
    free(made);
    return kernels;
}

static size_t limit_of(struct cup_context_kernels *kernels, CUlimit limit)
{
    size_t bytes = 0;

    cup_limit_get(kernels->context, limit, &bytes);
    return bytes;
}

struct cup_output *cup_context_kernels_output(struct cup_context_kernels *kernels)
{
    struct cup_output *output = atomic_load(&kernels->output);

    if (output)
        return output;
    struct cup_output *made = cup_output_create(limit_of(kernels, CU_LIMIT_PRINTF_FIFO_SIZE));
    if (!made || atomic_compare_exchange_strong(&kernels->output, &output, made))
        return made;
    cup_output_destroy(made);
    return output;
}

struct cup_device_heap *cup_context_kernels_heap(struct cup_context_kernels *kernels)
{
    struct cup_device_heap *heap = atomic_load(&kernels->heap);

    if (heap)
        return heap;
    struct cup_device_heap *made =
        cup_device_heap_create(limit_of(kernels, CU_LIMIT_MALLOC_HEAP_SIZE));
    if (!made || atomic_compare_exchange_strong(&kernels->heap, &heap, made))
        return made;
    cup_device_heap_destroy(made);
    return heap;
}

void cup_printf_flush(struct CUctx_st *context)
{
    struct cup_context_kernels *kernels = atomic_load(&context->kernels);
    struct cup_output *output = kernels ? atomic_load(&kernels->output) : NULL;

    if (output)
        cup_output_write(output);
}

bool cup_context_kernels_count(struct CUctx_st *context, size_t *pieces, size_t *bytes)
{
    struct cup_context_kernels *kernels = atomic_load(&context->kernels);
    struct cup_device_heap *heap = kernels ? atomic_load(&kernels->heap) : NULL;

    *pieces = *bytes = 0;
    if (heap)
        cup_device_heap_count(heap, pieces, bytes);
    return *pieces != 0;
}

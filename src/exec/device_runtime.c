/* SPDX-License-Identifier: MIT */
#include "exec/device_runtime.h"

#include "device/context.h"
#include "device/limits.h"
#include "exec/malloc_heap.h"
#include "exec/exec.h"
#include "exec/output.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

/* The context has a reference, and so has every launch that may need it and everybody who writes
 * out what was printed: another thread may end the context meanwhile. */
struct cup_devrt {
    _Atomic(uint32_t) refs; /* grows only under the context's lock, while the context has it */
    struct CUctx_st *context;
    _Atomic(struct cup_output *) output;
    _Atomic(struct cup_malloc_heap *) heap;
};

void cup_devrt_unref(struct cup_devrt *kernels)
{
    if (atomic_fetch_sub(&kernels->refs, 1) != 1)
        return;
    cup_output_destroy(atomic_load(&kernels->output));
    cup_malloc_heap_destroy(atomic_load(&kernels->heap));
    free(kernels);
}

void cup_devrt_release(struct CUctx_st *context)
{
    cup_lock_acquire(&context->lock);
    struct cup_devrt *kernels = atomic_exchange(&context->devrt, NULL);
    cup_lock_release(&context->lock);
    if (kernels)
        cup_devrt_unref(kernels);
}

/* What there is, with a reference, or NULL. */
static struct cup_devrt *take_locked(struct CUctx_st *context)
{
    struct cup_devrt *kernels = atomic_load(&context->devrt);

    if (kernels)
        atomic_fetch_add(&kernels->refs, 1);
    return kernels;
}

static void make_locked(struct CUctx_st *context)
{
    struct cup_devrt *made = calloc(1, sizeof(*made));

    if (!made)
        return;
    atomic_init(&made->refs, 1);
    made->context = context;
    atomic_store(&context->devrt, made);
}

struct cup_devrt *cup_devrt_ref(struct CUctx_st *context)
{
    cup_lock_acquire(&context->lock);
    if (!atomic_load(&context->devrt) && cup_context_is_live(context))
        make_locked(context);
    struct cup_devrt *kernels = take_locked(context);
    cup_lock_release(&context->lock);
    return kernels;
}

static size_t limit_of(struct cup_devrt *kernels, CUlimit limit)
{
    size_t bytes = 0;

    cup_limit_get(kernels->context, limit, &bytes);
    return bytes;
}

struct cup_output *cup_devrt_output(struct cup_devrt *kernels)
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

struct cup_malloc_heap *cup_devrt_heap(struct cup_devrt *kernels)
{
    struct cup_malloc_heap *heap = atomic_load(&kernels->heap);

    if (heap)
        return heap;
    struct cup_malloc_heap *made =
        cup_malloc_heap_create(limit_of(kernels, CU_LIMIT_MALLOC_HEAP_SIZE));
    if (!made || atomic_compare_exchange_strong(&kernels->heap, &heap, made))
        return made;
    cup_malloc_heap_destroy(made);
    return heap;
}

/* A thread may synchronise with a context that another one is ending, as cuMemUnmap does with all
 * primary ones, and may have to wait for its turn to write. */
void cup_printf_flush(struct CUctx_st *context)
{
    cup_lock_acquire(&context->lock);
    struct cup_devrt *kernels = atomic_load(&context->devrt);
    struct cup_output *output = kernels ? atomic_load(&kernels->output) : NULL;
    bool pending = output && cup_output_is_pending(output);
    if (pending)
        take_locked(context);
    cup_lock_release(&context->lock);
    if (!pending)
        return;
    cup_output_write(output);
    cup_devrt_unref(kernels);
}

bool cup_devrt_count(struct CUctx_st *context, size_t *pieces, size_t *bytes)
{
    *pieces = *bytes = 0;
    cup_lock_acquire(&context->lock);
    struct cup_devrt *kernels = take_locked(context);
    cup_lock_release(&context->lock);
    if (!kernels)
        return false;
    struct cup_malloc_heap *heap = atomic_load(&kernels->heap);
    if (heap)
        cup_malloc_heap_count(heap, pieces, bytes);
    cup_devrt_unref(kernels);
    return *pieces != 0;
}

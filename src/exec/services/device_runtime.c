/* SPDX-License-Identifier: MIT */
/* Creation and reference counting of the device runtime state of a context. */
#include "exec/services/device_runtime.h"

#include "core/lock.h"
#include "device/context.h"
#include "device/limits.h"
#include "exec/exec.h"
#include "exec/services/malloc_heap.h"
#include "exec/services/output.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

/* The context holds a reference, and so does every launch that may need the state and every thread
 * that writes output: another thread may end the context meanwhile. */
struct cup_devrt {
    /* incremented only under the context's lock, while the context holds it */
    _Atomic(uint32_t) refs;
    struct CUctx_st *context;
    _Atomic(struct cup_output *) output;
    _Atomic(struct cup_malloc_heap *) heap;
};

void cup_devrt_unref(struct cup_devrt *devrt)
{
    if (atomic_fetch_sub(&devrt->refs, 1) != 1)
        return;
    cup_output_destroy(atomic_load(&devrt->output));
    cup_malloc_heap_destroy(atomic_load(&devrt->heap));
    free(devrt);
}

void cup_devrt_release(struct CUctx_st *context)
{
    cup_lock_acquire(&context->lock);
    struct cup_devrt *devrt = atomic_exchange(&context->devrt, NULL);
    cup_lock_release(&context->lock);
    if (devrt)
        cup_devrt_unref(devrt);
}

/* Returns the state with a reference, or NULL. */
static struct cup_devrt *ref_locked(struct CUctx_st *context)
{
    cup_lock_assert_held(&context->lock);
    struct cup_devrt *devrt = atomic_load(&context->devrt);

    if (devrt)
        atomic_fetch_add(&devrt->refs, 1);
    return devrt;
}

struct cup_devrt *cup_devrt_ref(struct CUctx_st *context)
{
    cup_lock_acquire(&context->lock);
    if (!atomic_load(&context->devrt) && cup_context_is_live(context)) {
        struct cup_devrt *made = calloc(1, sizeof(*made));

        if (made) {
            atomic_init(&made->refs, 1);
            made->context = context;
            atomic_store(&context->devrt, made);
        }
    }
    struct cup_devrt *devrt = ref_locked(context);
    cup_lock_release(&context->lock);
    return devrt;
}

static size_t limit_of(struct cup_devrt *devrt, CUlimit limit)
{
    size_t bytes = 0;

    cup_limit_get(devrt->context, limit, &bytes);
    return bytes;
}

struct cup_output *cup_devrt_output(struct cup_devrt *devrt)
{
    struct cup_output *output = atomic_load(&devrt->output);

    if (output)
        return output;
    struct cup_output *made = cup_output_create(limit_of(devrt, CU_LIMIT_PRINTF_FIFO_SIZE));
    if (!made || atomic_compare_exchange_strong(&devrt->output, &output, made))
        return made;
    cup_output_destroy(made);
    return output;
}

struct cup_malloc_heap *cup_devrt_heap(struct cup_devrt *devrt)
{
    struct cup_malloc_heap *heap = atomic_load(&devrt->heap);

    if (heap)
        return heap;
    struct cup_malloc_heap *made =
        cup_malloc_heap_create(limit_of(devrt, CU_LIMIT_MALLOC_HEAP_SIZE));
    if (!made || atomic_compare_exchange_strong(&devrt->heap, &heap, made))
        return made;
    cup_malloc_heap_destroy(made);
    return heap;
}

/* A thread may synchronise with a context that another thread is ending, as cuMemUnmap() does with
 * all primary contexts, and may have to wait for another writer. */
void cup_printf_flush(struct CUctx_st *context)
{
    cup_lock_acquire(&context->lock);
    struct cup_devrt *devrt = atomic_load(&context->devrt);
    struct cup_output *output = devrt ? atomic_load(&devrt->output) : NULL;
    bool pending = output && cup_output_is_pending(output);
    if (pending)
        ref_locked(context);
    cup_lock_release(&context->lock);
    if (!pending)
        return;
    cup_output_write(output);
    cup_devrt_unref(devrt);
}

bool cup_devrt_count(struct CUctx_st *context, size_t *pieces, size_t *bytes)
{
    *pieces = *bytes = 0;
    cup_lock_acquire(&context->lock);
    struct cup_devrt *devrt = ref_locked(context);
    cup_lock_release(&context->lock);
    if (!devrt)
        return false;
    struct cup_malloc_heap *heap = atomic_load(&devrt->heap);
    if (heap)
        cup_malloc_heap_count(heap, pieces, bytes);
    cup_devrt_unref(devrt);
    return *pieces != 0;
}

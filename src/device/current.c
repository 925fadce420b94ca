/* SPDX-License-Identifier: MIT */
/* The calling thread's context stack, and the context precondition. The top is stored separately,
 * so the usual case, one context set once, needs no allocation. */
#include "core/error.h"
#include "core/precondition.h"
#include "core/thread.h"
#include "device/context.h"

#include <stdlib.h>

_Atomic(enum cup_driver_state) cup_driver_state;

static struct CUctx_st *pop(struct cup_thread *self)
{
    struct CUctx_st *context = self->current;

    self->current = self->stack.count ? self->stack.contexts[--self->stack.count] : NULL;
    return context;
}

static void thread_ends(struct cup_thread *self)
{
    struct CUctx_st *context;

    while ((context = pop(self)) != NULL)
        cup_context_unref(context);
    free(self->stack.contexts);
    self->stack.array = (struct cup_dynarray){0};
}

struct CUctx_st *cup_context_current_exact(void)
{
    return cup_thread_self()->current;
}

struct CUctx_st *cup_context_current(void)
{
    struct CUctx_st *context = cup_thread_self()->current;

    return context ? context->owner : NULL;
}

CUresult cup_context_look_current(void)
{
    struct CUctx_st *context = cup_thread_self()->current;

    return context ? cup_device_look(context->device) : CUDA_SUCCESS;
}

CUresult cup_context_push(struct CUctx_st *context)
{
    struct cup_thread *self = cup_thread_self();

    cup_thread_at_end(CUP_END_CONTEXTS, thread_ends);
    if (self->current) {
        struct CUctx_st **below = cup_dynarray_add(&self->stack.array, sizeof(*below));
        if (!below)
            return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for the context stack");
        *below = self->current;
    }
    cup_context_ref(context);
    self->current = context;
    return CUDA_SUCCESS;
}

CUresult cup_context_pop(struct CUctx_st **context)
{
    *context = pop(cup_thread_self());
    return CUDA_SUCCESS;
}

CUresult cup_context_set_current(struct CUctx_st *context)
{
    struct cup_thread *self = cup_thread_self();
    struct CUctx_st *before;

    if (!context) {
        before = pop(self);
    } else {
        cup_thread_at_end(CUP_END_CONTEXTS, thread_ends);
        before = self->current;
        cup_context_ref(context);
        self->current = context;
    }
    if (before)
        cup_context_unref(before);
    return CUDA_SUCCESS;
}

CUresult cup_precondition_closed(void)
{
    switch (atomic_load(&cup_driver_state)) {
    case CUP_DRIVER_EXITED:
        return CUDA_ERROR_DEINITIALIZED;
    case CUP_DRIVER_READY:
        return cup_error(CUDA_ERROR_NOT_PERMITTED,
                         "CUDA functions cannot be called from a host function");
    default:
        return cup_error(CUDA_ERROR_NOT_INITIALIZED, "cuInit has not been called");
    }
}

CUresult cup_precondition_context_slow(void)
{
    struct CUctx_st *context = cup_thread_self()->current;

    if (!context)
        return cup_error(CUDA_ERROR_INVALID_CONTEXT, "no context is current");
    return cup_context_usable(context);
}

/* SPDX-License-Identifier: MIT */
/* The calling thread's context stack, and the context precondition. The top is stored separately,
 * so the usual case, one context set once, needs no allocation. */
#include "core/dynarray.h"
#include "core/error.h"
#include "core/precondition.h"
#include "core/thread.h"
#include "device/context.h"

#include <stddef.h>
#include <stdlib.h>

_Atomic(enum cup_driver_state) cup_driver_state;

struct context_stack {
    struct CUctx_st *current; /* top of the stack, or NULL; holds a reference */
    struct {
        CUP_DYNARRAY(struct CUctx_st *, contexts);
    } below; /* the top, oldest first; each holds a reference */
};

CUP_THREAD_STATE(contexts, struct context_stack);
_Static_assert(offsetof(struct cup_thread, slots.contexts) + sizeof(struct context_stack) <=
                   CUP_CACHE_LINE,
               "the current context is in the cache line of the number of calls");

static inline struct context_stack *stack_of_thread(void)
{
    return cup_thread_contexts(cup_thread_self());
}

static struct CUctx_st *pop(struct context_stack *stack)
{
    struct CUctx_st *context = stack->current;

    stack->current = stack->below.count ? stack->below.contexts[--stack->below.count] : NULL;
    return context;
}

static void thread_ends(struct cup_thread *self)
{
    struct context_stack *stack = cup_thread_contexts(self);
    struct CUctx_st *context;

    while ((context = pop(stack)) != NULL)
        cup_context_unref(context);
    free(stack->below.contexts);
    stack->below.array = (struct cup_dynarray){0};
}

struct CUctx_st *cup_context_current_exact(void)
{
    return stack_of_thread()->current;
}

struct CUctx_st *cup_context_current(void)
{
    struct CUctx_st *context = stack_of_thread()->current;

    return context ? context->owner : NULL;
}

CUresult cup_context_look_current(void)
{
    struct CUctx_st *context = stack_of_thread()->current;

    return context ? cup_device_look(context->device) : CUDA_SUCCESS;
}

CUresult cup_context_push(struct CUctx_st *context)
{
    struct context_stack *stack = stack_of_thread();

    cup_thread_at_end(CUP_SLOT_contexts, thread_ends);
    if (stack->current) {
        struct CUctx_st **below = cup_dynarray_add(&stack->below.array, sizeof(*below));
        if (!below)
            return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for the context stack");
        *below = stack->current;
    }
    cup_context_ref(context);
    stack->current = context;
    return CUDA_SUCCESS;
}

CUresult cup_context_pop(struct CUctx_st **context)
{
    *context = pop(stack_of_thread());
    return CUDA_SUCCESS;
}

CUresult cup_context_set_current(struct CUctx_st *context)
{
    struct context_stack *stack = stack_of_thread();
    struct CUctx_st *before;

    if (!context) {
        before = pop(stack);
    } else {
        cup_thread_at_end(CUP_SLOT_contexts, thread_ends);
        before = stack->current;
        cup_context_ref(context);
        stack->current = context;
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

CUresult cup_precondition_context(void)
{
    CUresult result = cup_precondition_init();

    if (cup_unlikely(result != CUDA_SUCCESS))
        return result;
    struct CUctx_st *context = stack_of_thread()->current;
    if (!context)
        return cup_error(CUDA_ERROR_INVALID_CONTEXT, "no context is current");
    return cup_context_usable(context);
}

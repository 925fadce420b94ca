/* SPDX-License-Identifier: MIT */
/* The calling thread's stack of contexts, and the gate that stands on it. The top is kept apart, so
 * that the usual case, one context set once, needs no memory. */
#include "core/error.h"
#include "core/gate.h"
#include "core/thread.h"
#include "device/context.h"

#include <pthread.h>
#include <stdlib.h>

CUP_THREAD_LOCAL struct cup_thread cup_thread;
_Atomic(enum cup_library_state) cup_library_state;

static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static pthread_key_t key;

static void thread_ends(void *unused)
{
    struct CUctx_st *context;

    (void)unused;
    while (cup_context_pop(&context) == CUDA_SUCCESS && context)
        cup_context_unref(context);
    free(cup_thread.stack);
    cup_thread.stack = NULL;
    cup_thread.capacity = 0;
}

static void make_key(void)
{
    pthread_key_create(&key, thread_ends);
}

/* Makes sure that the thread's references are given back when it ends. */
static void note_thread(void)
{
    pthread_once(&key_once, make_key);
    if (!pthread_getspecific(key))
        pthread_setspecific(key, &cup_thread);
}

uint32_t cup_thread_id(void)
{
    static _Atomic(uint32_t) next_id;

    if (!cup_thread.id)
        cup_thread.id = atomic_fetch_add(&next_id, 1) + 1;
    return cup_thread.id;
}

struct CUctx_st *cup_context_current(void)
{
    return cup_thread.current;
}

static bool stack_grow(void)
{
    unsigned capacity = cup_thread.capacity ? cup_thread.capacity * 2 : 8;
    struct CUctx_st **stack = realloc(cup_thread.stack, capacity * sizeof(*stack));

    if (!stack)
        return false;
    cup_thread.stack = stack;
    cup_thread.capacity = capacity;
    return true;
}

CUresult cup_context_push(struct CUctx_st *context)
{
    note_thread();
    if (cup_thread.current) {
        if (cup_thread.depth == cup_thread.capacity && !stack_grow())
            return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for the context stack");
        cup_thread.stack[cup_thread.depth++] = cup_thread.current;
    }
    cup_context_ref(context);
    cup_thread.current = context;
    return CUDA_SUCCESS;
}

CUresult cup_context_pop(struct CUctx_st **context)
{
    *context = cup_thread.current;
    cup_thread.current = cup_thread.depth ? cup_thread.stack[--cup_thread.depth] : NULL;
    return CUDA_SUCCESS;
}

CUresult cup_context_set_current(struct CUctx_st *context)
{
    struct CUctx_st *before;

    if (!context) {
        cup_context_pop(&before);
    } else {
        note_thread();
        before = cup_thread.current;
        cup_context_ref(context);
        cup_thread.current = context;
    }
    if (before)
        cup_context_unref(before);
    return CUDA_SUCCESS;
}

CUresult cup_gate_closed(void)
{
    switch (atomic_load(&cup_library_state)) {
    case CUP_LIBRARY_EXITED:
        return CUDA_ERROR_DEINITIALIZED;
    case CUP_LIBRARY_READY:
        return cup_error(CUDA_ERROR_NOT_PERMITTED, "called from a host function");
    default:
        return cup_error(CUDA_ERROR_NOT_INITIALIZED, "cuInit has not been called");
    }
}

CUresult cup_gate_context_slow(void)
{
    struct CUctx_st *context = cup_thread.current;

    if (!context)
        return cup_error(CUDA_ERROR_INVALID_CONTEXT, "no context is current");
    return cup_context_usable(context);
}

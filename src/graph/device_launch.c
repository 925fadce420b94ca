/* SPDX-License-Identifier: MIT */
/* Graphs that kernels of graphs launch (cudaGraphLaunch in device code). A launch is noted where
 * the kernel's own graph was launched. The noted graphs run when all nodes of the graph whose
 * kernels launched them have run, one after the other, before the stream goes on: first those that
 * are fired and forgotten, for which CUDA promises no time, then the tail launches. A tail launch
 * precedes those that were noted before its graph began. */
#include "core/error.h"
#include "device/context.h"
#include "device/device.h"
#include "graph/exec.h"
#include "graph/plan.h"
#include "stream/stream.h"

#include <stdlib.h>

/* The handles that kernels give for a stream. */
#define TAIL_LAUNCH UINT64_C(0x0100000000000000)
#define FIRE_AND_FORGET UINT64_C(0x0200000000000000)
#define AS_SIBLING UINT64_C(0x0300000000000000)

struct cup_graph_noted {
    struct cup_graph_noted *next;
    struct CUgraphExec_st *exec; /* a reference is held */
    bool is_tail;
};

CUresult cup_graph_launch_from_kernel(void *launched, uint64_t handle, uint64_t stream)
{
    struct cup_graph_launch *launch = launched;
    struct CUgraphExec_st *exec;

    if (!launch)
        return cup_error(CUDA_ERROR_NOT_PERMITTED, "a kernel that is in no graph launches a graph");
    if (stream != TAIL_LAUNCH && stream != FIRE_AND_FORGET && stream != AS_SIBLING)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "a kernel launches a graph in a stream");
    CUresult result = cup_graph_exec_find((CUgraphExec)(uintptr_t)handle, &exec);
    if (result != CUDA_SUCCESS)
        return result;
    struct cup_graph_noted *noted = calloc(1, sizeof(*noted));
    if (!noted || !(exec->flags & CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH)) {
        cup_graph_exec_unref(exec);
        result = noted ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_OUT_OF_MEMORY;
        free(noted);
        return cup_error(result, "the graph was not instantiated for launches by kernels");
    }
    *noted = (struct cup_graph_noted){atomic_load(&launch->noted), exec, stream == TAIL_LAUNCH};
    while (!atomic_compare_exchange_weak(&launch->noted, &noted->next, noted)) {
    }
    return CUDA_SUCCESS;
}

/* Puts what was noted, the latest first, before what is left to run. */
static void arrange(struct cup_graph_launch *launch)
{
    struct cup_graph_noted *noted = atomic_exchange(&launch->noted, NULL), *others = NULL, *next;

    for (; noted; noted = next) {
        struct cup_graph_noted **list = noted->is_tail ? &launch->next : &others;
        next = noted->next;
        noted->next = *list;
        *list = noted;
    }
    if (!others)
        return;
    struct cup_graph_noted *last = others;
    while (last->next)
        last = last->next;
    last->next = launch->next;
    launch->next = others;
}

/* A plan of its own, since the executable graph may be launched elsewhere, too. */
static struct cup_plan *plan_of(struct CUgraphExec_st *exec, struct cup_graph_launch *launch)
{
    struct cup_plan *plan = NULL;

    cup_lock_acquire(&exec->lock);
    CUresult result = cup_plan_copy(exec->plan, &plan);
    cup_lock_release(&exec->lock);
    if (result != CUDA_SUCCESS)
        cup_context_fail(launch->stream->context, result, false);
    return result == CUDA_SUCCESS ? plan : NULL;
}

/* The executable graph whose nodes run now; that of the launch itself is held by the launch. */
static void set_running(struct cup_graph_launch *launch, struct CUgraphExec_st *exec)
{
    if (launch->running != launch->exec)
        cup_graph_exec_unref(launch->running);
    launch->running = exec;
}

struct cup_plan *cup_graph_launch_next(struct cup_graph_launch *launch)
{
    struct cup_plan *plan = NULL;

    arrange(launch);
    while (launch->next && !plan) {
        struct cup_graph_noted *first = launch->next;
        bool failed = atomic_load(&launch->stream->context->device->sticky) != CUDA_SUCCESS;
        launch->next = first->next;
        plan = failed ? NULL : plan_of(first->exec, launch);
        if (plan)
            set_running(launch, first->exec);
        else
            cup_graph_exec_unref(first->exec);
        free(first);
    }
    if (!plan)
        set_running(launch, launch->exec);
    return plan;
}

/* SPDX-License-Identifier: MIT */
/* Nodes that signal external semaphores or wait for them. The lists are stored as given and
 * validated when the graph is instantiated. */
#include "core/error.h"
#include "graph/node.h"
#include "graph/plan.h"
#include "interop/external_semaphore.h"
#include "os/guard.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT_MAX = 1 << 20 };

/* The application's lists, of either type of node, and the context that it prefers. */
struct lists {
    const CUexternalSemaphore *semaphores;
    const void *each;
    size_t each_bytes;
    unsigned count;
    CUcontext context;
    unsigned char *to;
};

static void lists_read(void *argument)
{
    struct lists *lists = argument;
    size_t handles_bytes = lists->count * sizeof(CUexternalSemaphore);

    memcpy(lists->to, lists->semaphores, handles_bytes);
    memcpy(lists->to + handles_bytes, lists->each, lists->count * lists->each_bytes);
}

static CUresult lists_make(const CUgraphNodeParams *given, struct lists *lists,
                           const struct cup_node_type *type, struct cup_node_params **params)
{
    struct cup_node_params *made;
    CUresult result = CUDA_SUCCESS;

    if (lists->count && (!lists->semaphores || !lists->each || lists->count > COUNT_MAX))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the list of %u semaphores is NULL",
                         lists->count);
    made = cup_node_params_create(type, given,
                                  lists->count * (sizeof(CUexternalSemaphore) + lists->each_bytes));
    if (!made)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a node");
    lists->to = made->data;
    if (lists->count && !cup_guard_run(lists_read, lists))
        result = cup_error(CUDA_ERROR_INVALID_VALUE, "a list of semaphores is not readable");
    if (result == CUDA_SUCCESS)
        result = cup_node_params_prefer(made, lists->context);
    if (result == CUDA_SUCCESS)
        *params = made;
    else
        cup_node_params_unref(made);
    return result;
}

static CUresult signal_make(const CUgraphNodeParams *given, struct cup_node_params **params)
{
    const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2 *from = &given->extSemSignal;
    struct lists lists = {from->extSemArray, from->paramsArray, sizeof(*from->paramsArray),
                          from->numExtSems,  from->ctx,         NULL};
    CUresult result = lists_make(given, &lists, &cup_node_semaphore_signal, params);

    if (result == CUDA_SUCCESS && lists.count) {
        (*params)->given.extSemSignal.extSemArray = (CUexternalSemaphore *)(*params)->data;
        (*params)->given.extSemSignal.paramsArray =
            (const void *)((*params)->data + lists.count * sizeof(CUexternalSemaphore));
    }
    return result;
}

static CUresult wait_make(const CUgraphNodeParams *given, struct cup_node_params **params)
{
    const CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2 *from = &given->extSemWait;
    struct lists lists = {from->extSemArray, from->paramsArray, sizeof(*from->paramsArray),
                          from->numExtSems,  from->ctx,         NULL};
    CUresult result = lists_make(given, &lists, &cup_node_semaphore_wait, params);

    if (result == CUDA_SUCCESS && lists.count) {
        (*params)->given.extSemWait.extSemArray = (CUexternalSemaphore *)(*params)->data;
        (*params)->given.extSemWait.paramsArray =
            (const void *)((*params)->data + lists.count * sizeof(CUexternalSemaphore));
    }
    return result;
}

/* The node's semaphores, resolved. */
struct semaphore_job {
    struct cup_job base;
    unsigned count;
    struct {
        struct CUextSemaphore_st *semaphore; /* a reference is held */
        uint64_t value;
        bool done; /* the wait is over; a binary semaphore must be taken only once */
    } items[];
};

static CUresult signal_run(struct cup_job *base, CUresult failed)
{
    struct semaphore_job *job = (struct semaphore_job *)base;

    for (unsigned i = 0; i < job->count && failed == CUDA_SUCCESS; i++)
        job->items[i].semaphore->type->signal(job->items[i].semaphore->payload,
                                              job->items[i].value);
    return failed;
}

/* Waits for all semaphores; destroyed ones count as signalled. */
static CUresult wait_run(struct cup_job *base, CUresult failed)
{
    struct semaphore_job *job = (struct semaphore_job *)base;
    bool all = true;

    for (unsigned i = 0; i < job->count && failed == CUDA_SUCCESS; i++) {
        struct CUextSemaphore_st *semaphore = job->items[i].semaphore;
        if (!job->items[i].done)
            job->items[i].done =
                semaphore->type->acquire(semaphore->payload, job->items[i].value) ||
                atomic_load(&semaphore->ended);
        all = all && job->items[i].done;
    }
    return failed != CUDA_SUCCESS ? failed : all ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

static void drop(struct semaphore_job *job)
{
    for (unsigned i = 0; i < job->count; i++)
        cup_external_semaphore_unref(job->items[i].semaphore);
    free(job);
}

static CUresult semaphore_plan(struct cup_plan_node *node, const CUexternalSemaphore *handles,
                               unsigned count,
                               uint64_t (*value)(const struct cup_node_params *, unsigned))
{
    struct semaphore_job *job = calloc(1, sizeof(*job) + count * sizeof(job->items[0]));
    CUresult result = CUDA_SUCCESS;

    if (!job)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a list of semaphores");
    for (unsigned i = 0; i < count && result == CUDA_SUCCESS; i++) {
        result = cup_external_semaphore_find(handles[i], &job->items[i].semaphore);
        job->items[i].value = value(node->params, i);
        job->count += result == CUDA_SUCCESS;
        node->may_wait =
            node->may_wait || (result == CUDA_SUCCESS && job->items[i].semaphore->type->slow);
    }
    if (result != CUDA_SUCCESS) {
        drop(job);
        return result;
    }
    job->base.kind = node->may_wait ? CUP_JOB_HOST_FUNCTION : CUP_JOB_WORK;
    job->base.name = "signal semaphores";
    job->base.run = signal_run;
    node->job = &job->base;
    return CUDA_SUCCESS;
}

static uint64_t signal_value(const struct cup_node_params *params, unsigned index)
{
    return params->given.extSemSignal.paramsArray[index].params.fence.value;
}

static uint64_t wait_value(const struct cup_node_params *params, unsigned index)
{
    return params->given.extSemWait.paramsArray[index].params.fence.value;
}

static CUresult signal_plan(struct cup_plan_node *node)
{
    const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2 *given = &node->params->given.extSemSignal;

    return semaphore_plan(node, given->extSemArray, given->numExtSems, signal_value);
}

static CUresult wait_plan(struct cup_plan_node *node)
{
    const CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2 *given = &node->params->given.extSemWait;
    CUresult result = semaphore_plan(node, given->extSemArray, given->numExtSems, wait_value);

    if (result != CUDA_SUCCESS)
        return result;
    node->job->kind = CUP_JOB_WAIT_VALUE;
    node->job->name = "wait for semaphores";
    node->job->run = wait_run;
    node->may_wait = true;
    return CUDA_SUCCESS;
}

static bool wait_before(struct cup_plan_node *node)
{
    struct semaphore_job *job = (struct semaphore_job *)node->job;

    for (unsigned i = 0; i < job->count; i++)
        job->items[i].done = false;
    return job->count > 0;
}

static void semaphore_unplan(struct cup_plan_node *node)
{
    drop((struct semaphore_job *)node->job);
}

const struct cup_node_type cup_node_semaphore_signal = {
    .id = CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL,
    .name = "EXT_SEMAS_SIGNAL",
    .params_bytes = sizeof(CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2),
    .later = {{13040, offsetof(CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2, ctx)}},
    .make = signal_make,
    .plan = signal_plan,
    .unplan = semaphore_unplan,
    .update = cup_node_update_context,
};

const struct cup_node_type cup_node_semaphore_wait = {
    .id = CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT,
    .name = "EXT_SEMAS_WAIT",
    .params_bytes = sizeof(CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2),
    .later = {{13040, offsetof(CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2, ctx)}},
    .make = wait_make,
    .plan = wait_plan,
    .unplan = semaphore_unplan,
    .before = wait_before,
    .update = cup_node_update_context,
};

/* SPDX-License-Identifier: MIT */
/* Nodes that signal external semaphores, or wait for them. The lists are kept as they are given;
 * what is in them is judged when the graph is instantiated. */
#include "core/error.h"
#include "graph/node.h"
#include "os/guard.h"

#include <string.h>

enum { COUNT_MAX = 1 << 20 };

/* Both kinds of list, as the application passes them. */
struct lists {
    const CUexternalSemaphore *semaphores;
    const void *each;
    size_t each_bytes;
    unsigned count;
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

    if (lists->count && (!lists->semaphores || !lists->each || lists->count > COUNT_MAX))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "no list of %u semaphores", lists->count);
    made = cup_node_params_create(type, given,
                                  lists->count * (sizeof(CUexternalSemaphore) + lists->each_bytes));
    if (!made)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a node");
    lists->to = made->data;
    if (lists->count && !cup_guard_run(lists_read, lists)) {
        cup_node_params_unref(made);
        return cup_error(CUDA_ERROR_INVALID_VALUE, "a list of semaphores is not all there");
    }
    *params = made;
    return CUDA_SUCCESS;
}

static CUresult signal_make(const CUgraphNodeParams *given, struct cup_node_params **params)
{
    const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2 *from = &given->extSemSignal;
    struct lists lists = {from->extSemArray, from->paramsArray, sizeof(*from->paramsArray),
                          from->numExtSems, NULL};
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
                          from->numExtSems, NULL};
    CUresult result = lists_make(given, &lists, &cup_node_semaphore_wait, params);

    if (result == CUDA_SUCCESS && lists.count) {
        (*params)->given.extSemWait.extSemArray = (CUexternalSemaphore *)(*params)->data;
        (*params)->given.extSemWait.paramsArray =
            (const void *)((*params)->data + lists.count * sizeof(CUexternalSemaphore));
    }
    return result;
}

const struct cup_node_type cup_node_semaphore_signal = {
    .id = CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL,
    .name = "EXT_SEMAS_SIGNAL",
    .params_bytes = sizeof(CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2),
    .make = signal_make,
};

const struct cup_node_type cup_node_semaphore_wait = {
    .id = CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT,
    .name = "EXT_SEMAS_WAIT",
    .params_bytes = sizeof(CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2),
    .make = wait_make,
};

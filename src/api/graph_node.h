/* SPDX-License-Identifier: MIT */
/* Helpers of the calls on graph nodes. They convert every form of parameters to the generic one. */
#ifndef CUP_API_GRAPH_NODE_H
#define CUP_API_GRAPH_NODE_H

#include "core/error.h"
#include "core/precondition.h"
#include "graph/node.h"

#include <cuda.h>

/* Adds a node. The parameters are validated before the graph. Writes back the values that adding
 * determines: the address of an allocation and the graphs of a conditional node. */
CUresult cup_api_graph_add(CUgraphNode *out, CUgraph graph, const CUgraphNode *dependencies,
                           const CUgraphEdgeData *edges, size_t count, CUgraphNodeParams *params);

/* Returns the parameters of a node of that type, with a reference. Returns CUDA_ERROR_INVALID_VALUE
 * also if `out` is NULL. */
CUresult cup_api_graph_get(CUgraphNode handle, CUgraphNodeType type, const void *out,
                           struct cup_node_params **params);

/* Sets the parameters of a node that are made from those for its type. */
CUresult cup_api_graph_set(CUgraphNode handle, const CUgraphNodeParams *params);

static inline CUresult cup_api_graph_no_params(void)
{
    return cup_error(CUDA_ERROR_INVALID_VALUE, "no parameters");
}

/* For calls that may come in a child of fork, which does not have all memory of its parent: the
 * parameters are not read there. */
static inline CUresult cup_api_graph_check_params(const void *params)
{
    if (!params)
        return cup_api_graph_no_params();
    return atomic_load_explicit(&cup_driver_state, memory_order_relaxed) == CUP_DRIVER_FORKED
               ? cup_precondition_closed()
               : CUDA_SUCCESS;
}

static inline CUgraphNodeParams cup_api_kernel_params_v1(const CUDA_KERNEL_NODE_PARAMS_v1 *given)
{
    return (CUgraphNodeParams){.type = CU_GRAPH_NODE_TYPE_KERNEL,
                               .kernel = {.func = given->func,
                                          .gridDimX = given->gridDimX,
                                          .gridDimY = given->gridDimY,
                                          .gridDimZ = given->gridDimZ,
                                          .blockDimX = given->blockDimX,
                                          .blockDimY = given->blockDimY,
                                          .blockDimZ = given->blockDimZ,
                                          .sharedMemBytes = given->sharedMemBytes,
                                          .kernelParams = given->kernelParams,
                                          .extra = given->extra}};
}

static inline CUgraphNodeParams cup_api_kernel_params_v2(const CUDA_KERNEL_NODE_PARAMS *given)
{
    CUgraphNodeParams params = {.type = CU_GRAPH_NODE_TYPE_KERNEL};

    _Static_assert(sizeof(*given) == sizeof(params.kernel), "they differ by name only");
    __builtin_memcpy(&params.kernel, given, sizeof(*given));
    return params;
}

static inline CUgraphNodeParams cup_memcpy_params(const CUDA_MEMCPY3D *given, CUcontext context)
{
    return (CUgraphNodeParams){.type = CU_GRAPH_NODE_TYPE_MEMCPY,
                               .memcpy = {.copyCtx = context, .copyParams = *given}};
}

static inline CUgraphNodeParams cup_memset_params(const CUDA_MEMSET_NODE_PARAMS *given,
                                                  CUcontext context)
{
    return (CUgraphNodeParams){.type = CU_GRAPH_NODE_TYPE_MEMSET,
                               .memset = {.dst = given->dst,
                                          .pitch = given->pitch,
                                          .value = given->value,
                                          .elementSize = given->elementSize,
                                          .width = given->width,
                                          .height = given->height,
                                          .ctx = context}};
}

static inline CUgraphNodeParams cup_api_host_params(const CUDA_HOST_NODE_PARAMS *given)
{
    return (CUgraphNodeParams){.type = CU_GRAPH_NODE_TYPE_HOST,
                               .host = {.fn = given->fn, .userData = given->userData}};
}

static inline CUgraphNodeParams cup_child_params(CUgraph graph)
{
    return (CUgraphNodeParams){.type = CU_GRAPH_NODE_TYPE_GRAPH, .graph = {.graph = graph}};
}

static inline CUgraphNodeParams cup_api_event_params(CUgraphNodeType type, CUevent event)
{
    return (CUgraphNodeParams){.type = type, .eventRecord = {.event = event}};
}

static inline CUgraphNodeParams cup_signal_params(const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *given)
{
    return (CUgraphNodeParams){.type = CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL,
                               .extSemSignal = {.extSemArray = given->extSemArray,
                                                .paramsArray = given->paramsArray,
                                                .numExtSems = given->numExtSems}};
}

static inline CUgraphNodeParams cup_wait_params(const CUDA_EXT_SEM_WAIT_NODE_PARAMS *given)
{
    return (CUgraphNodeParams){.type = CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT,
                               .extSemWait = {.extSemArray = given->extSemArray,
                                              .paramsArray = given->paramsArray,
                                              .numExtSems = given->numExtSems}};
}

static inline CUgraphNodeParams cup_batch_params(const CUDA_BATCH_MEM_OP_NODE_PARAMS *given)
{
    return (CUgraphNodeParams){.type = CU_GRAPH_NODE_TYPE_BATCH_MEM_OP,
                               .memOp = {.ctx = given->ctx,
                                         .count = given->count,
                                         .paramArray = given->paramArray,
                                         .flags = given->flags}};
}

#endif

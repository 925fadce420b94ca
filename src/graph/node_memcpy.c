/* SPDX-License-Identifier: MIT */
/* Copy nodes. They are judged as a copy is that runs now; what is in the way when the graph runs is
 * found out then. */
#include "core/error.h"
#include "device/context.h"
#include "graph/node.h"
#include "image/copy_box.h"
#include "memory/graph_memory.h"

static CUresult check(const CUDA_MEMCPY_NODE_PARAMS *given)
{
    const CUDA_MEMCPY3D *copy = &given->copyParams;
    struct cup_copy_endpoint to, from;

    if (given->flags || given->reserved)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "flags or reserved fields are not zero");
    if (copy->WidthInBytes == 0 || copy->Height == 0 || copy->Depth == 0)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "a copy node that copies nothing");
    cup_graphmem_reveal();
    CUresult result = cup_array_copy_box(copy, &to, &from);
    cup_graphmem_conceal();
    return result;
}

static CUresult memcpy_make(const CUgraphNodeParams *given, struct cup_node_params **params)
{
    struct CUctx_st *context;
    CUresult result = cup_node_context(given->memcpy.copyCtx, &context);

    if (result != CUDA_SUCCESS)
        return result;
    result = check(&given->memcpy);
    if (result == CUDA_SUCCESS) {
        *params = cup_node_params_create(&cup_node_memcpy, given, 0);
        if (!*params)
            result = cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a node");
    }
    if (result == CUDA_SUCCESS)
        (*params)->context = context;
    else if (context)
        cup_context_unref(context);
    return result;
}

const struct cup_node_type cup_node_memcpy = {
    .id = CU_GRAPH_NODE_TYPE_MEMCPY,
    .name = "MEMCPY",
    .params_bytes = sizeof(CUDA_MEMCPY_NODE_PARAMS),
    .make = memcpy_make,
};

/* SPDX-License-Identifier: MIT */
/* Nodes that write values to memory and wait for values there. Whether the addresses are memory is
 * judged at each launch. */
#include "core/error.h"
#include "device/context.h"
#include "graph/node.h"
#include "memory/value_op.h"
#include "os/guard.h"

#include <string.h>

struct batch_op_reading {
    const CUstreamBatchMemOpParams *from;
    CUstreamBatchMemOpParams *to;
    unsigned count;
};

static void read_all(void *argument)
{
    struct batch_op_reading *reading = argument;

    memcpy(reading->to, reading->from, reading->count * sizeof(*reading->to));
}

static CUresult check_all(const CUstreamBatchMemOpParams *operations, unsigned count)
{
    struct cup_memop op;
    CUresult result = CUDA_SUCCESS;

    for (unsigned i = 0; i < count && result == CUDA_SUCCESS; i++)
        result = cup_value_op_parse(&operations[i], &op);
    return result;
}

static CUresult batch_make(const CUgraphNodeParams *given, struct cup_node_params **params)
{
    const CUDA_BATCH_MEM_OP_NODE_PARAMS_v2 *from = &given->memOp;
    struct cup_node_params *made;
    struct CUctx_st *context;

    if (!from->ctx || from->flags || from->count > CUP_VALUE_OPS_MAX ||
        (from->count && !from->paramArray))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "a batch of %u with flags 0x%x, or no context",
                         from->count, from->flags);
    CUresult result = cup_context_find(from->ctx, &context);
    if (result != CUDA_SUCCESS)
        return result;
    made = cup_node_params_create(&cup_node_batch, given, from->count * sizeof(*from->paramArray));
    if (!made) {
        cup_context_unref(context);
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a node");
    }
    made->context = context;
    made->given.memOp.paramArray = (CUstreamBatchMemOpParams *)made->data;
    struct batch_op_reading reading = {from->paramArray, made->given.memOp.paramArray, from->count};
    if (from->count && !cup_guard_run(read_all, &reading))
        result = cup_error(CUDA_ERROR_INVALID_VALUE, "a list of operations is not all there");
    if (result == CUDA_SUCCESS)
        result = check_all(made->given.memOp.paramArray, from->count);
    if (result == CUDA_SUCCESS)
        *params = made;
    else
        cup_node_params_unref(made);
    return result;
}

const struct cup_node_type cup_node_batch = {
    .id = CU_GRAPH_NODE_TYPE_BATCH_MEM_OP,
    .name = "BATCH_MEM_OP",
    .params_bytes = sizeof(CUDA_BATCH_MEM_OP_NODE_PARAMS_v2),
    .make = batch_make,
};

/* SPDX-License-Identifier: MIT */
/* Nodes that write values to memory, combine values with it and wait for values there. Each launch
 * validates the addresses. */
#include "core/error.h"
#include "device/context.h"
#include "graph/node.h"
#include "graph/plan.h"
#include "memory/value_op.h"
#include "os/guard.h"

#include <stdlib.h>
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
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "invalid batch of %u operations with flags 0x%x, or no context",
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
        result = cup_error(CUDA_ERROR_INVALID_VALUE, "a list of operations is not readable");
    if (result == CUDA_SUCCESS)
        result = check_all(made->given.memOp.paramArray, from->count);
    if (result == CUDA_SUCCESS)
        *params = made;
    else
        cup_node_params_unref(made);
    return result;
}

/* All operations as one job, which resumes at the operation that it waits for. */
struct value_batch_job {
    struct cup_job base;
    unsigned count, at;
    struct cup_memop_job operations[];
};

static CUresult batch_run(struct cup_job *base, CUresult failed)
{
    struct value_batch_job *job = (struct value_batch_job *)base;
    CUresult result = failed;

    for (; job->at < job->count && failed == CUDA_SUCCESS; job->at++) {
        struct cup_job *operation = &job->operations[job->at].base;
        if (!operation->run)
            continue; /* a barrier */
        result = operation->run(operation, failed);
        if (result != CUDA_SUCCESS)
            return result;
    }
    return result;
}

static CUresult batch_plan(struct cup_plan_node *node)
{
    const CUDA_BATCH_MEM_OP_NODE_PARAMS_v2 *given = &node->params->given.memOp;
    struct value_batch_job *job =
        calloc(1, sizeof(*job) + given->count * sizeof(job->operations[0]));
    bool waits = false;

    if (!job)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a batch of operations");
    job->count = given->count;
    for (unsigned i = 0; i < given->count; i++) {
        struct cup_memop op;
        cup_value_op_parse(&given->paramArray[i], &op); /* already validated */
        if (op.kind == CUP_MEMOP_NONE)
            continue;
        cup_memop_job_init(&job->operations[i], &op);
        waits = waits || cup_memop_is_wait(op.kind);
    }
    job->base = (struct cup_job){.kind = waits ? CUP_JOB_WAIT_VALUE : CUP_JOB_WORK,
                                 .name = "values in memory",
                                 .run = batch_run};
    node->job = &job->base;
    node->may_wait = waits;
    node->plan->checks_launches = true;
    return CUDA_SUCCESS;
}

static bool batch_before(struct cup_plan_node *node)
{
    struct value_batch_job *job = (struct value_batch_job *)node->job;

    job->at = 0;
    for (unsigned i = 0; i < job->count; i++)
        job->operations[i].is_over = false;
    return true;
}

static void batch_unplan(struct cup_plan_node *node)
{
    free(node->job);
}

/* The addresses must be valid memory at each launch. */
static CUresult batch_check_launch(const struct cup_node_params *params)
{
    const CUDA_BATCH_MEM_OP_NODE_PARAMS_v2 *given = &params->given.memOp;
    struct cup_memop op;
    CUresult result = CUDA_SUCCESS;

    for (unsigned i = 0; i < given->count && result == CUDA_SUCCESS; i++) {
        result = cup_value_op_parse(&given->paramArray[i], &op);
        if (result == CUDA_SUCCESS)
            result = cup_value_op_check(&op, params->context);
    }
    return result;
}

static bool same_kind(const CUstreamBatchMemOpParams *old, const CUstreamBatchMemOpParams *made)
{
    return old->operation == made->operation &&
           (old->operation != CU_STREAM_MEM_OP_ATOMIC_REDUCTION ||
            (old->atomicReduction.reductionOp == made->atomicReduction.reductionOp &&
             old->atomicReduction.dataType == made->atomicReduction.dataType));
}

/* Kinds of operations cannot change; addresses and values can. */
static CUgraphExecUpdateResult batch_update(const struct cup_node_params *old,
                                            const struct cup_node_params *made)
{
    const CUDA_BATCH_MEM_OP_NODE_PARAMS_v2 *from = &old->given.memOp, *to = &made->given.memOp;
    bool same = from->ctx == to->ctx && from->count == to->count;

    for (unsigned i = 0; i < from->count && same; i++)
        same = same_kind(&from->paramArray[i], &to->paramArray[i]);
    return same ? CU_GRAPH_EXEC_UPDATE_SUCCESS : CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED;
}

const struct cup_node_type cup_node_batch = {
    .id = CU_GRAPH_NODE_TYPE_BATCH_MEM_OP,
    .name = "BATCH_MEM_OP",
    .params_bytes = sizeof(CUDA_BATCH_MEM_OP_NODE_PARAMS_v2),
    .make = batch_make,
    .plan = batch_plan,
    .unplan = batch_unplan,
    .before = batch_before,
    .check_launch = batch_check_launch,
    .update = batch_update,
};

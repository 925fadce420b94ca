/* SPDX-License-Identifier: MIT */
/* Executable graphs: instantiate, launch, destroy. graph_update.c changes them. */
#include "graph/exec.h"

#include "core/error.h"
#include "core/lock.h"
#include "core/precondition.h"
#include "graph/graph.h"
#include "graph/user_object.h"
#include "impl.h"
#include "stream/stream.h"

enum {
    FLAGS_KNOWN = CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH |
                  CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD | CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH |
                  CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY,
    FLAGS_ANSWERED =
        CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH | CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH,
};

/* Auto-free on launch cannot be combined with launches from the device. */
static CUresult check_flags(uint64_t flags, uint64_t known)
{
    if ((flags & ~known) || (flags & FLAGS_ANSWERED) == FLAGS_ANSWERED)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "invalid flags 0x%llx",
                         (unsigned long long)flags);
    return CUDA_SUCCESS;
}

static bool is_body_locked(const struct CUgraph_st *graph)
{
    cup_lock_assert_held(&cup_graph_lock);
    return graph->owner && graph->owner->params->type->id == CU_GRAPH_NODE_TYPE_CONDITIONAL;
}

static CUresult instantiate(CUgraphExec *out, CUgraph handle, uint64_t flags, uint64_t known,
                            struct cup_plan_refusal *refusal)
{
    struct CUgraph_st *graph;

    *refusal = (struct cup_plan_refusal){CUDA_GRAPH_INSTANTIATE_ERROR, NULL};
    if (!out)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the pointer for the executable graph is NULL");
    CUresult result = cup_graph_find(handle, &graph);
    if (result != CUDA_SUCCESS)
        return result;
    cup_lock_acquire(&cup_graph_lock);
    if (is_body_locked(graph))
        result = cup_error(CUDA_ERROR_NOT_SUPPORTED, "the graph belongs to a conditional node");
    cup_lock_release(&cup_graph_lock);
    if (result == CUDA_SUCCESS)
        result = check_flags(flags, known);
    if (result == CUDA_SUCCESS)
        result = cup_graph_exec_create(graph, flags, out, refusal);
    cup_graph_unref(graph);
    return result;
}

CUresult impl_cuGraphInstantiateWithFlags(CUgraphExec *phGraphExec, CUgraph hGraph,
                                          unsigned long long flags)
{
    struct cup_plan_refusal refusal;

    return instantiate(phGraphExec, hGraph, flags,
                       FLAGS_KNOWN & ~CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD, &refusal);
}

CUresult impl_cuGraphInstantiateWithParams(CUgraphExec *phGraphExec, CUgraph hGraph,
                                           CUDA_GRAPH_INSTANTIATE_PARAMS *instantiateParams,
                                           CUstream default_stream)
{
    struct cup_plan_refusal refusal;

    (void)default_stream;
    if (!phGraphExec || !instantiateParams)
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "the parameters or the pointer for the result is NULL");
    CUresult result = cup_precondition_context();
    if (result != CUDA_SUCCESS)
        return result;
    result = instantiate(phGraphExec, hGraph, instantiateParams->flags, FLAGS_KNOWN, &refusal);
    instantiateParams->result_out = refusal.reason;
    instantiateParams->hErrNode_out = refusal.node;
    if (result == CUDA_SUCCESS && (instantiateParams->flags & CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD))
        result = cup_graph_exec_upload(*phGraphExec);
    return result;
}

CUresult impl_cuGraphInstantiate_v2(CUgraphExec *phGraphExec, CUgraph hGraph,
                                    CUgraphNode *phErrorNode, char *logBuffer, size_t bufferSize)
{
    struct cup_plan_refusal refusal;
    CUresult result = instantiate(phGraphExec, hGraph, 0, 0, &refusal);

    if (phErrorNode)
        *phErrorNode = refusal.node;
    if (logBuffer && bufferSize)
        *logBuffer = '\0';
    return result;
}

CUresult impl_cuGraphExecGetFlags(CUgraphExec hGraphExec, cuuint64_t *flags)
{
    struct CUgraphExec_st *exec;

    if (!flags)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the pointer for the result is NULL");
    CUresult result = cup_graph_exec_find(hGraphExec, &exec);
    if (result != CUDA_SUCCESS)
        return result;
    *flags = exec->flags & FLAGS_ANSWERED;
    cup_graph_exec_unref(exec);
    return CUDA_SUCCESS;
}

CUresult impl_cuGraphExecDestroy(CUgraphExec hGraphExec)
{
    struct CUgraphExec_st *exec;
    CUresult result = cup_graph_exec_find(hGraphExec, &exec);

    if (result != CUDA_SUCCESS)
        return result;
    if (!cup_graph_exec_was_launched(exec))
        cup_user_objects_begin();
    cup_graph_exec_destroy(exec);
    cup_graph_exec_unref(exec);
    cup_user_objects_end();
    return CUDA_SUCCESS;
}

/* Without a current context, the default stream is that of the context in which the graph
 * executes. */
static CUresult find_stream(struct CUgraphExec_st *exec, CUstream handle,
                            struct CUstream_st **stream)
{
    struct CUctx_st *popped, *context = NULL;
    bool is_default = !handle || handle == CU_STREAM_LEGACY || handle == CU_STREAM_PER_THREAD;

    if (is_default && !cup_context_current())
        context = cup_graph_exec_context(exec);
    if (!context)
        return cup_stream_find(handle, stream);
    CUresult result = cup_context_push(context);
    cup_context_unref(context);
    if (result != CUDA_SUCCESS)
        return result;
    result = cup_stream_find(handle, stream);
    if (cup_context_pop(&popped) == CUDA_SUCCESS)
        cup_context_unref(popped);
    return result;
}

static CUresult with_stream(CUgraphExec handle, CUstream stream_handle, bool launches)
{
    struct CUgraphExec_st *exec = NULL;
    struct CUstream_st *stream;
    CUresult found = cup_graph_exec_find(handle, &exec);
    CUresult result = found == CUDA_SUCCESS ? find_stream(exec, stream_handle, &stream)
                                            : cup_stream_find(stream_handle, &stream);

    if (result == CUDA_SUCCESS && found == CUDA_SUCCESS)
        result = launches ? cup_graph_exec_launch(exec, stream) : cup_graph_exec_upload(exec);
    else if (result == CUDA_SUCCESS)
        result = found;
    else
        stream = NULL;
    if (stream)
        cup_stream_unref(stream);
    if (exec)
        cup_graph_exec_unref(exec);
    return result;
}

CUresult impl_cuGraphLaunch(CUgraphExec hGraphExec, CUstream hStream)
{
    return with_stream(hGraphExec, hStream, true);
}

CUresult impl_cuGraphUpload(CUgraphExec hGraphExec, CUstream hStream)
{
    return with_stream(hGraphExec, hStream, false);
}

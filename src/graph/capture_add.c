/* SPDX-License-Identifier: MIT */
/* Adds the node of captured work after the tail of the stream's branch. */
#include "core/error.h"
#include "graph/capture.h"
#include "graph/capture_state.h"
#include "graph/node.h"
#include "graph/work_submit.h"
#include "stream/stream.h"

#include <stdlib.h>

/* The edge to a launch that may begin before the preceding kernel has ended. */
static const CUgraphEdgeData programmatic = {.from_port = CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC,
                                             .type = CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC};

static CUresult copy_tail(const struct cup_capture_tail *tail, bool overlaps,
                          struct cup_edge **edges)
{
    *edges = calloc(tail->count + 1, sizeof(**edges));
    if (!*edges)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a node");
    for (size_t i = 0; i < tail->count; i++) {
        bool is_kernel = tail->nodes[i]->params->type->id == CU_GRAPH_NODE_TYPE_KERNEL;
        (*edges)[i] = (struct cup_edge){
            tail->nodes[i], overlaps && is_kernel && cup_edge_data_is_default(&tail->edges.list[i])
                                ? programmatic
                                : tail->edges.list[i]};
    }
    return CUDA_SUCCESS;
}

/* Makes the node the tail of the branch. */
static CUresult advance_locked(struct cup_capture_branch *branch, struct CUgraphNode_st *node)
{
    cup_lock_assert_held(&cup_graph_lock);
    const CUgraphEdgeData plain = {0};
    struct cup_capture_tail tail = {0};
    CUresult result = cup_capture_tail_add(&tail, node, &plain);

    if (result == CUDA_SUCCESS) {
        cup_capture_tail_finish(&branch->tail);
        branch->tail = tail;
    }
    return result;
}

/* Adds a node, or finds the node that the work has in a graph that is captured again. */
static CUresult add_or_find_locked(struct CUstream_st *stream, const struct cup_edge *edges,
                                   struct cup_node_params *params, struct CUgraphNode_st **node,
                                   struct cup_node_params **replaced)
{
    cup_lock_assert_held(&cup_graph_lock);
    struct cup_capture_branch *branch = stream->branch;
    struct cup_capture *capture = branch->capture;

    if (capture->recapture.is_active)
        return cup_recapture_locked(stream, edges, branch->tail.count, params, node, replaced);
    cup_node_params_ref(params); /* the node's reference */
    CUresult result =
        cup_graph_add_captured_locked(capture->graph, edges, branch->tail.count, params, node);
    if (result != CUDA_SUCCESS)
        cup_node_params_unref(params);
    return result;
}

/* *replaced: a reference for the caller to drop without the lock, or NULL. */
static CUresult add_locked(struct CUstream_st *stream, const struct cup_captured_work *work,
                           struct cup_node_params **replaced)
{
    cup_lock_assert_held(&cup_graph_lock);
    struct cup_capture_branch *branch = stream->branch;
    struct CUgraphNode_st *node;
    struct cup_edge *edges;

    if (branch->capture->graph->is_gone)
        cup_capture_invalidate_locked(branch->capture, stream, "its graph was destroyed");
    if (branch->capture->is_invalid)
        return cup_error(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, "the capture is invalid");
    CUresult result = copy_tail(&branch->tail, work->overlaps, &edges);
    if (result != CUDA_SUCCESS)
        return result;
    result = add_or_find_locked(stream, edges, work->params, &node, replaced);
    free(edges);
    if (result != CUDA_SUCCESS)
        return result;
    node->unjoined_in = branch == branch->capture->origin ? 0 : branch->number;
    if (work->address)
        *work->address = node->params->given.alloc.dptr;
    result = advance_locked(branch, node);
    if (result != CUDA_SUCCESS)
        cup_capture_invalidate_locked(branch->capture, stream, "out of memory");
    return result;
}

bool cup_capture_add(struct CUstream_st *stream, const struct cup_captured_work *work,
                     CUresult *result)
{
    struct cup_node_params *replaced = NULL;

    cup_lock_acquire(&cup_graph_lock);
    bool captures = stream->branch != NULL;
    if (captures)
        *result = add_locked(stream, work, &replaced);
    cup_lock_release(&cup_graph_lock);
    cup_node_params_unref(work->params);
    if (replaced)
        cup_node_params_unref(replaced);
    return captures;
}

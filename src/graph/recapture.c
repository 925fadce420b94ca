/* SPDX-License-Identifier: MIT */
/* Capturing work again for which a graph has nodes. The nodes are met in the order in which they
 * were created. Each must have the type and the dependencies of the work; its parameters may
 * differ, except those of allocations and frees. The application hears of each difference before
 * the node takes the new parameters. */
#include "core/error.h"
#include "core/lock.h"
#include "core/thread.h"
#include "graph/capture_state.h"
#include "graph/node.h"
#include "stream/stream.h"

static CUresult fail_locked(struct CUstream_st *stream, const char *why)
{
    cup_lock_assert_held(&cup_graph_lock);
    cup_capture_invalidate_locked(stream->branch->capture, stream, why);
    return cup_error(CUDA_ERROR_GRAPH_RECAPTURE_FAILURE, "%s", why);
}

static bool has_dependency(const struct CUgraphNode_st *node, const struct cup_edge *wanted)
{
    for (size_t i = 0; i < node->in.count; i++) {
        const struct cup_edge *each = &node->in.edges[i];
        if (each->node == wanted->node)
            return each->data.from_port == wanted->data.from_port &&
                   each->data.to_port == wanted->data.to_port &&
                   each->data.type == wanted->data.type;
    }
    return false;
}

/* Neither list has a node twice. */
static bool has_dependencies(const struct CUgraphNode_st *node, const struct cup_edge *wanted,
                             size_t count)
{
    bool same = node->in.count == count;

    for (size_t i = 0; i < count && same; i++)
        same = has_dependency(node, &wanted[i]);
    return same;
}

/* Calls the application's function without the lock; the calls that it makes leave the state of
 * this call alone. Afterwards the stream may not capture any more, or another capture. */
static CUresult ask_locked(struct CUstream_st *stream, struct CUgraphNode_st *node,
                           const struct cup_node_params *params, CUgraphRecaptureStatus status)
{
    cup_lock_assert_held(&cup_graph_lock);
    struct cup_recapture *recapture = &stream->branch->capture->recapture;
    CUgraphRecaptureCallback callback = recapture->callback;
    void *data = recapture->data;
    struct cup_capture_thread *self = cup_thread_capture(cup_thread_self());
    const char *call = self->call;
    uint64_t epoch = self->epoch;
    struct cup_node_params *original = node->params;
    CUgraphNodeParams before = original->given, after = params->given;
    uint64_t branch = stream->branch->number;

    recapture->is_asking = true;
    cup_node_params_ref(original);
    cup_lock_release(&cup_graph_lock);
    CUresult answer = callback(data, node, &before, &after, status);
    self->call = call;
    self->epoch = epoch;
    cup_node_params_unref(original);
    cup_lock_acquire(&cup_graph_lock);
    if (!stream->branch || stream->branch->number != branch)
        return cup_error(CUDA_ERROR_GRAPH_RECAPTURE_FAILURE, "the callback ended the capture");
    recapture->is_asking = false;
    if (stream->branch->capture->is_invalid || stream->branch->capture->graph->is_gone)
        return fail_locked(stream, "the capture became invalid in the callback");
    return answer == CUDA_SUCCESS ? CUDA_SUCCESS
                                  : fail_locked(stream, "the callback refused a difference");
}

static CUgraphRecaptureStatus status_of(const struct cup_node_params *old,
                                        const struct cup_node_params *made)
{
    const struct cup_node_type *type = old->type;

    return !type->update || type->update(old, made) == CU_GRAPH_EXEC_UPDATE_SUCCESS
               ? CU_GRAPH_RECAPTURE_ELIGIBLE_FOR_UPDATE
               : CU_GRAPH_RECAPTURE_INELIGIBLE_FOR_UPDATE;
}

/* Gives the node other parameters. */
static CUresult change_locked(struct CUstream_st *stream, struct CUgraphNode_st *node,
                              struct cup_node_params *params, struct cup_node_params **replaced)
{
    cup_lock_assert_held(&cup_graph_lock);
    bool has_callback = stream->branch->capture->recapture.callback != NULL;
    CUresult result = CUDA_SUCCESS;

    if (params->type->is_fixed)
        return fail_locked(stream, "an allocation or free differs from that of the graph");
    if (has_callback)
        result = ask_locked(stream, node, params, status_of(node->params, params));
    if (result != CUDA_SUCCESS)
        return result;
    cup_node_params_ref(params); /* the node's reference */
    if (cup_node_set_params_locked(node, params, replaced) == CUDA_SUCCESS)
        return CUDA_SUCCESS;
    cup_node_params_unref(params);
    *replaced = NULL;
    if (has_callback)
        result = ask_locked(stream, node, params, CU_GRAPH_RECAPTURE_ERROR);
    return result == CUDA_SUCCESS ? fail_locked(stream, "no memory for the parameters of a node")
                                  : result;
}

CUresult cup_recapture_locked(struct CUstream_st *stream, const struct cup_edge *dependencies,
                              size_t count, struct cup_node_params *params,
                              struct CUgraphNode_st **node, struct cup_node_params **replaced)
{
    cup_lock_assert_held(&cup_graph_lock);
    struct cup_recapture *recapture = &stream->branch->capture->recapture;
    struct CUgraphNode_st *next = recapture->next;

    if (recapture->is_asking)
        return fail_locked(stream, "work was captured while the callback ran");
    if (!next)
        return fail_locked(stream, "more work was captured than the graph has nodes");
    if (next->params->type != params->type)
        return fail_locked(stream, "the work is of another type than the next node of the graph");
    if (!has_dependencies(next, dependencies, count))
        return fail_locked(stream, "the work depends on other nodes than the next node of the "
                                   "graph");
    if (!cup_node_params_are_same(next->params, params)) {
        CUresult result = change_locked(stream, next, params, replaced);
        if (result != CUDA_SUCCESS)
            return result;
    }
    for (size_t i = 0; i < count; i++)
        dependencies[i].node->unjoined_in = 0;
    recapture->next = next->next;
    *node = next;
    return CUDA_SUCCESS;
}

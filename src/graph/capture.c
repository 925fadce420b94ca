/* SPDX-License-Identifier: MIT */
/* The life cycle of a capture: it begins in a stream, other streams join it, and it ends or is
 * abandoned. */
#include "graph/capture.h"

#include "core/error.h"
#include "core/lock.h"
#include "core/thread.h"
#include "graph/capture_state.h"
#include "graph/node.h"
#include "graph/user_object.h"
#include "os/guard.h"
#include "stream/stream.h"

#include <stdlib.h>
#include <string.h>

static uint64_t last_id; /* guarded by cup_graph_lock */

/* The application's lists and their copies. Reading them may fault: they may be shorter than the
 * application says. */
struct given_lists {
    const CUgraphNode *nodes;
    const CUgraphEdgeData *edges;
    CUgraphNode *nodes_to;
    CUgraphEdgeData *edges_to;
    size_t count;
};

static void lists_read(void *argument)
{
    struct given_lists *lists = argument;

    memcpy(lists->nodes_to, lists->nodes, lists->count * sizeof(*lists->nodes));
    if (lists->edges)
        memcpy(lists->edges_to, lists->edges, lists->count * sizeof(*lists->edges));
}

static CUresult lists_init(struct given_lists *lists, const CUgraphNode *nodes,
                           const CUgraphEdgeData *edges, size_t count)
{
    *lists = (struct given_lists){.nodes = nodes, .edges = edges, .count = count};
    if (count == 0)
        return CUDA_SUCCESS;
    if (!nodes)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the list of %zu dependencies is NULL", count);
    lists->nodes_to = calloc(count, sizeof(*nodes));
    lists->edges_to = calloc(count, sizeof(*edges));
    if (!lists->nodes_to || !lists->edges_to)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for %zu dependencies", count);
    if (!cup_guard_run(lists_read, lists))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "a list of dependencies is not readable");
    return CUDA_SUCCESS;
}

static void lists_finish(struct given_lists *lists)
{
    free(lists->nodes_to);
    free(lists->edges_to);
}

/* Resolves handles to nodes of the graph. The nodes that will follow are unknown, so only the
 * outgoing side of each edge is checked. */
static CUresult resolve_locked(struct CUgraph_st *graph, const struct given_lists *lists,
                               struct cup_capture_tail *tail)
{
    cup_lock_assert_held(&cup_graph_lock);
    CUresult result = CUDA_SUCCESS;

    for (size_t i = 0; i < lists->count && result == CUDA_SUCCESS; i++) {
        struct CUgraphNode_st *node;
        result = cup_node_find(lists->nodes_to[i], &node);
        if (result != CUDA_SUCCESS)
            return result;
        if (node->graph != graph)
            result = cup_error(CUDA_ERROR_INVALID_VALUE, "a dependency belongs to another graph");
        else if (!cup_edge_data_is_default(&lists->edges_to[i]))
            result = cup_edge_check_from(node, &lists->edges_to[i]);
        if (result == CUDA_SUCCESS)
            result = cup_capture_tail_add(tail, node, &lists->edges_to[i]);
        cup_node_unref(node);
    }
    return result;
}

/* Removes the capture from the list; its streams execute work again. */
static void unlink_locked(struct cup_capture *capture)
{
    cup_lock_assert_held(&cup_graph_lock);
    cup_list_remove(&capture->link);
    if (cup_list_is_empty(&cup_captures))
        cup_call_hook_clear(CUP_HOOK_CAPTURE);
    for (struct cup_capture_branch *each = capture->branches; each; each = each->next) {
        if (!each->stream)
            continue;
        cup_stream_set_capturing(each->stream, false);
        each->stream->branch = NULL;
    }
    capture->graph->is_captured_into = false;
}

/* Frees an unlinked capture. Called without the lock, because dropping a stream's last reference
 * may end the stream. */
static void capture_free(struct cup_capture *capture)
{
    struct cup_capture_branch *next;

    for (struct cup_capture_branch *each = capture->branches; each; each = next) {
        next = each->next;
        cup_capture_tail_finish(&each->tail);
        if (each->stream)
            cup_stream_unref(each->stream);
        free(each);
    }
    for (size_t i = 0; i < capture->recordings.count; i++)
        cup_capture_tail_finish(&capture->recordings.list[i].tail);
    free(capture->recordings.list);
    cup_capture_release_externals(capture);
    cup_graph_unref(capture->graph);
    free(capture);
}

/* Abandons an unlinked capture. Its graph is destroyed, even if the application created it, unless
 * it belongs to a child or conditional node. A graph that was captured again stays: the manual
 * leaves it to the application to destroy it. */
static void capture_abandon(struct cup_capture *capture)
{
    if (!capture->graph->owner && !capture->recapture.is_active)
        (void)cup_graph_destroy(capture->graph);
    capture_free(capture);
}

static CUresult begin_locked(struct cup_capture *capture, struct CUstream_st *stream,
                             const struct given_lists *lists)
{
    cup_lock_assert_held(&cup_graph_lock);
    struct cup_capture_tail tail = {0};
    CUresult result = CUDA_SUCCESS;

    if (stream->branch)
        result = cup_error(CUDA_ERROR_ILLEGAL_STATE, "the stream is already capturing");
    else if (capture->graph->is_gone)
        result = cup_error(CUDA_ERROR_INVALID_VALUE, "the graph has just been destroyed");
    else if (capture->graph->is_captured_into)
        result =
            cup_error(CUDA_ERROR_ILLEGAL_STATE, "a stream is already capturing into the graph");
    if (result == CUDA_SUCCESS)
        result = resolve_locked(capture->graph, lists, &tail);
    if (result == CUDA_SUCCESS)
        result = cup_capture_join_locked(capture, stream, &capture->origin);
    if (result != CUDA_SUCCESS) {
        cup_capture_tail_finish(&tail);
        return result;
    }
    capture->origin->tail = tail;
    capture->recapture.next = capture->graph->first;
    capture->graph->is_captured_into = true;
    capture->id = ++last_id;
    cup_list_insert(&cup_captures, &capture->link);
    cup_call_hook_set(CUP_HOOK_CAPTURE);
    return CUDA_SUCCESS;
}

/* again: a callback and its data, if the graph has the nodes already; or NULL. */
static CUresult begin_into(struct CUstream_st *stream, CUstreamCaptureMode mode,
                           struct CUgraph_st *graph, const struct given_lists *lists,
                           const struct cup_recapture *again)
{
    struct cup_capture *capture = calloc(1, sizeof(*capture));
    struct cup_user_references users = {0};

    if (!capture)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a capture");
    capture->mode = mode;
    capture->thread = cup_thread_id();
    capture->graph = graph;
    if (again)
        capture->recapture = *again;
    cup_graph_ref(graph);
    cup_lock_acquire(&cup_graph_lock);
    CUresult result = begin_locked(capture, stream, lists);
    if (result == CUDA_SUCCESS && again) {
        users = graph->users;
        graph->users = (struct cup_user_references){0};
    }
    cup_lock_release(&cup_graph_lock);
    cup_user_references_drop(&users);
    if (result != CUDA_SUCCESS)
        capture_free(capture);
    return result;
}

static CUresult check_kind(const struct CUstream_st *stream)
{
    return stream->kind == CUP_STREAM_LEGACY ? cup_error(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
                                                         "the legacy default stream cannot capture")
                                             : CUDA_SUCCESS;
}

CUresult cup_capture_begin(struct CUstream_st *stream, CUstreamCaptureMode mode,
                           struct CUgraph_st *graph, const CUgraphNode *dependencies,
                           const CUgraphEdgeData *edges, size_t count)
{
    struct CUgraph_st *made = NULL;
    struct given_lists lists;

    CUresult result = check_kind(stream);
    if (result != CUDA_SUCCESS)
        return result;
    result = lists_init(&lists, dependencies, edges, count);
    if (result == CUDA_SUCCESS && !graph)
        result = cup_graph_create(&made);
    if (result == CUDA_SUCCESS)
        result = begin_into(stream, mode, graph ? graph : made, &lists, NULL);
    if (result != CUDA_SUCCESS && made)
        (void)cup_graph_destroy(made);
    lists_finish(&lists);
    return result;
}

CUresult cup_recapture_begin(struct CUstream_st *stream, CUstreamCaptureMode mode,
                             struct CUgraph_st *graph, CUgraphRecaptureCallback callback,
                             void *data)
{
    const struct cup_recapture again = {.is_active = true, .callback = callback, .data = data};
    const struct given_lists no_lists = {0};
    CUresult result = check_kind(stream);

    if (result != CUDA_SUCCESS)
        return result;
    cup_user_objects_begin();
    result = begin_into(stream, mode, graph, &no_lists, &again);
    cup_user_objects_end();
    return result;
}

static void give_up_locked(const struct cup_capture_branch *branch)
{
    cup_lock_assert_held(&cup_graph_lock);
    for (size_t i = 0; i < branch->tail.count; i++) {
        if (branch->tail.nodes[i]->unjoined_in == branch->number)
            branch->tail.nodes[i]->unjoined_in = 0;
    }
}

/* Checks that no stream ends with work that it had to join. */
static CUresult check_joined_locked(const struct cup_capture *capture)
{
    cup_lock_assert_held(&cup_graph_lock);
    for (const struct cup_capture_branch *each = capture->branches; each; each = each->next) {
        for (size_t i = 0; i < each->tail.count; i++) {
            if (each->tail.nodes[i]->unjoined_in == each->number)
                return cup_error(
                    CUDA_ERROR_STREAM_CAPTURE_UNJOINED,
                    "work of stream %llu was not joined into the stream where the capture began",
                    each->stream ? (unsigned long long)each->stream->id : 0);
        }
    }
    return CUDA_SUCCESS;
}

/* Checks that this thread may end the capture, and that the capture is valid and joined. */
static CUresult check_end_locked(const struct cup_capture *capture)
{
    cup_lock_assert_held(&cup_graph_lock);
    if (capture->mode != CU_STREAM_CAPTURE_MODE_RELAXED && capture->thread != cup_thread_id())
        return cup_error(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD,
                         "the capture was begun by another thread");
    if (capture->is_invalid || capture->graph->is_gone)
        return cup_error(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, "the capture is invalid");
    CUresult result = check_joined_locked(capture);
    if (result == CUDA_SUCCESS && capture->recapture.is_active && capture->recapture.next)
        result = cup_error(CUDA_ERROR_GRAPH_RECAPTURE_FAILURE,
                           "the graph has %zu nodes, and those from node %u on were not captured",
                           capture->graph->node_count, capture->recapture.next->ordinal);
    return result;
}

static CUresult end_locked(struct CUstream_st *stream, struct cup_capture **ended)
{
    cup_lock_assert_held(&cup_graph_lock);
    struct cup_capture_branch *branch = stream->branch;

    *ended = NULL;
    if (!branch)
        return cup_error(CUDA_ERROR_ILLEGAL_STATE, "the stream is not capturing");
    if (branch != branch->capture->origin) {
        cup_capture_invalidate_locked(branch->capture, stream,
                                      "a capture must be ended in the stream where it began");
        return CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
    }
    *ended = branch->capture;
    CUresult result = check_end_locked(*ended);
    unlink_locked(*ended);
    return result;
}

CUresult cup_capture_end(struct CUstream_st *stream, struct CUgraph_st **graph)
{
    struct cup_capture *ended;

    *graph = NULL;
    cup_lock_acquire(&cup_graph_lock);
    CUresult result = end_locked(stream, &ended);
    cup_lock_release(&cup_graph_lock);
    if (!ended)
        return result;
    if (result == CUDA_SUCCESS) {
        *graph = ended->graph;
        capture_free(ended);
    } else {
        capture_abandon(ended);
    }
    return result;
}

void cup_capture_stream_ended(struct CUstream_st *stream)
{
    struct cup_capture *ended = NULL;

    cup_lock_acquire(&cup_graph_lock);
    struct cup_capture_branch *branch = stream->branch;
    if (branch && branch == branch->capture->origin) {
        ended = branch->capture;
        unlink_locked(ended);
    } else if (branch) {
        cup_stream_set_capturing(stream, false);
        stream->branch = NULL;
        branch->stream = NULL;
    }
    cup_lock_release(&cup_graph_lock);
    if (ended)
        capture_abandon(ended);
    else if (branch)
        cup_stream_unref(stream); /* drops the branch's reference */
}

void cup_capture_get_info(struct CUstream_st *stream, struct cup_capture_info *info)
{
    *info = (struct cup_capture_info){.status = CU_STREAM_CAPTURE_STATUS_NONE};
    cup_lock_acquire(&cup_graph_lock);
    struct cup_capture_branch *branch = stream->branch;
    if (branch && branch->capture->is_invalid) {
        info->status = CU_STREAM_CAPTURE_STATUS_INVALIDATED;
    } else if (branch) {
        info->status = CU_STREAM_CAPTURE_STATUS_ACTIVE;
        info->id = branch->capture->id;
        info->graph = branch->capture->graph;
        info->count = branch->tail.count;
        info->nodes = info->count ? branch->tail.nodes : NULL;
        info->edges = info->count ? branch->tail.edges.list : NULL;
        for (size_t i = 0; i < info->count; i++)
            info->has_edge_data |= !cup_edge_data_is_default(&info->edges[i]);
    }
    cup_lock_release(&cup_graph_lock);
}

static CUresult update_locked(struct CUstream_st *stream, const struct given_lists *lists,
                              bool replace)
{
    cup_lock_assert_held(&cup_graph_lock);
    struct cup_capture_branch *branch = stream->branch;
    struct cup_capture_tail tail = {0};
    CUresult result = CUDA_SUCCESS;

    if (!branch)
        return cup_error(CUDA_ERROR_ILLEGAL_STATE, "the stream is not capturing");
    if (branch->capture->is_invalid)
        return cup_error(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, "the capture is invalid");
    if (!replace)
        result = cup_capture_tail_copy(&tail, &branch->tail);
    if (result == CUDA_SUCCESS)
        result = resolve_locked(branch->capture->graph, lists, &tail);
    if (result == CUDA_SUCCESS) {
        if (replace)
            give_up_locked(branch);
        cup_capture_take_locked(branch, &tail);
        cup_capture_tail_finish(&branch->tail);
        branch->tail = tail;
    } else {
        cup_capture_tail_finish(&tail);
    }
    return result;
}

CUresult cup_capture_update(struct CUstream_st *stream, const CUgraphNode *dependencies,
                            const CUgraphEdgeData *edges, size_t count, bool replace)
{
    struct given_lists lists;
    CUresult result = lists_init(&lists, dependencies, edges, count);

    if (result == CUDA_SUCCESS) {
        cup_lock_acquire(&cup_graph_lock);
        result = update_locked(stream, &lists, replace);
        cup_lock_release(&cup_graph_lock);
    }
    lists_finish(&lists);
    return result;
}

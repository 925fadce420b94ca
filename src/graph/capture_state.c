/* SPDX-License-Identifier: MIT */
/* The state that the files of stream capture share: the list of captures, branches, their tails and
 * recordings of events, and what makes a capture invalid. */
#include "graph/capture_state.h"

#include "core/error.h"
#include "core/log.h"
#include "core/thread.h"
#include "stream/stream.h"

#include <stdlib.h>

struct cup_list cup_captures = CUP_LIST_INITIALIZER(cup_captures); /* guarded by cup_graph_lock */

_Atomic(uint64_t) cup_capture_last_branch;

static const char *current_call(void)
{
    const char *call = cup_thread_capture(cup_thread_self())->call;

    return call ? call : "a call";
}

void cup_capture_invalidate_locked(struct cup_capture *capture, struct CUstream_st *stream,
                                   const char *why)
{
    const struct CUstream_st *origin = capture->origin ? capture->origin->stream : NULL;

    cup_lock_assert_held(&cup_graph_lock);
    if (capture->is_invalid)
        return;
    capture->is_invalid = true;
    if (stream)
        cup_log(CUP_LOG_ERROR, "%s on stream %llu invalidates the capture of stream %llu: %s",
                current_call(), (unsigned long long)stream->id,
                origin ? (unsigned long long)origin->id : 0, why);
    else
        cup_log(CUP_LOG_ERROR, "%s invalidates the capture of stream %llu: %s", current_call(),
                origin ? (unsigned long long)origin->id : 0, why);
}

void cup_capture_tail_finish(struct cup_capture_tail *tail)
{
    for (size_t i = 0; i < tail->count; i++)
        cup_node_unref(tail->nodes[i]);
    free(tail->nodes);
    free(tail->edges.list);
    *tail = (struct cup_capture_tail){0};
}

CUresult cup_capture_tail_add(struct cup_capture_tail *tail, struct CUgraphNode_st *node,
                              const CUgraphEdgeData *edge)
{
    for (size_t i = 0; i < tail->count; i++) {
        if (tail->nodes[i] == node)
            return CUDA_SUCCESS;
    }
    if (!cup_dynarray_reserve(&tail->array, 1, sizeof(*tail->nodes)) ||
        !cup_dynarray_reserve(&tail->edges.array, 1, sizeof(*edge)))
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for dependencies of a capture");
    cup_object_ref(&node->base);
    tail->nodes[tail->count++] = node;
    tail->edges.list[tail->edges.count++] = *edge;
    return CUDA_SUCCESS;
}

CUresult cup_capture_tail_copy(struct cup_capture_tail *to, const struct cup_capture_tail *from)
{
    CUresult result = CUDA_SUCCESS;

    for (size_t i = 0; i < from->count && result == CUDA_SUCCESS; i++)
        result = cup_capture_tail_add(to, from->nodes[i], &from->edges.list[i]);
    return result;
}

CUresult cup_capture_join_locked(struct cup_capture *capture, struct CUstream_st *stream,
                                 struct cup_capture_branch **branch)
{
    struct cup_capture_branch *made = calloc(1, sizeof(*made));

    cup_lock_assert_held(&cup_graph_lock);
    if (!made)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a capture");
    made->capture = capture;
    made->number = ++cup_capture_last_branch;
    made->next = capture->branches;
    made->stream = stream;
    cup_stream_ref(stream);
    capture->branches = made;
    stream->branch = made;
    cup_stream_set_capturing(stream, true);
    *branch = made;
    return CUDA_SUCCESS;
}

/* A node of a stream that forked off is unjoined until something depends on it. A stream that waits
 * for it, or whose dependencies are set to it, must be joined in its place, and the first stream is
 * always joined. Dependencies that a stream gives up need not be joined at all. */
void cup_capture_take_locked(struct cup_capture_branch *branch, const struct cup_capture_tail *tail)
{
    cup_lock_assert_held(&cup_graph_lock);
    for (size_t i = 0; i < tail->count; i++) {
        if (tail->nodes[i]->unjoined_in)
            tail->nodes[i]->unjoined_in = branch == branch->capture->origin ? 0 : branch->number;
    }
}

/* SPDX-License-Identifier: MIT */
/* Stream capture: work that is submitted to a stream becomes nodes of a graph instead of running.
 *
 * A capture has a branch for each stream that takes part: the stream where it began, and those that
 * waited for an event recorded in it. The tail of a branch is the list of nodes that the branch's
 * next node depends on. cup_graph_lock guards all of this. Programs that do not capture never touch
 * it: a bit in the stream's word diverts its work here, and the entry points' hook CUP_HOOK_CAPTURE
 * is set only while there are captures. */
#ifndef CUP_GRAPH_CAPTURE_H
#define CUP_GRAPH_CAPTURE_H

#include "core/call.h"
#include "graph/graph.h"

#include <cuda.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct CUctx_st;
struct CUevent_st;
struct CUstream_st;
struct cup_captured_work;

/* Begins a capture into a new graph, or after the given nodes of an existing one. */
CUresult cup_capture_begin(struct CUstream_st *stream, CUstreamCaptureMode mode,
                           struct CUgraph_st *graph, const CUgraphNode *dependencies,
                           const CUgraphEdgeData *edges, size_t count);

/* Begins to capture again what the nodes of a graph do. User objects of the graph are released. */
CUresult cup_recapture_begin(struct CUstream_st *stream, CUstreamCaptureMode mode,
                             struct CUgraph_st *graph, CUgraphRecaptureCallback callback,
                             void *data);

/* Ends the capture. On failure *graph is NULL and the result says why. */
CUresult cup_capture_end(struct CUstream_st *stream, struct CUgraph_st **graph);

/* The stream's handle was destroyed. If the capture began in this stream, it is abandoned.
 * Otherwise the branch's nodes stay; they are unjoined unless they were joined before. */
void cup_capture_stream_ended(struct CUstream_st *stream);

/* For a stream that does not capture, or whose capture is invalid, only the status is set. The
 * lists are valid until the next call on the stream. */
struct cup_capture_info {
    CUstreamCaptureStatus status;
    uint64_t id;
    struct CUgraph_st *graph;
    const CUgraphNode *nodes;
    const CUgraphEdgeData *edges;
    size_t count;
    bool has_edge_data; /* an edge has data that is not default */
};

void cup_capture_get_info(struct CUstream_st *stream, struct cup_capture_info *info);

/* Adds to the tail of the stream's branch, or replaces it. */
CUresult cup_capture_update(struct CUstream_st *stream, const CUgraphNode *dependencies,
                            const CUgraphEdgeData *edges, size_t count, bool replace);

/* These add described work (work_submit.h) to the stream's capture. All return false, and leave
 * *result alone, if there is none: another thread has just ended it. The work then runs.
 *
 * capture_add.c: a node. Drops the reference on the parameters. */
bool cup_capture_add(struct CUstream_st *stream, const struct cup_captured_work *work,
                     CUresult *result);

/* capture_event.c: the event is recorded in the capture. */
bool cup_capture_record(struct CUstream_st *stream, const struct cup_captured_work *work,
                        CUresult *result);

/* The stream waits for the event, and joins the event's capture if it does not capture itself. */
bool cup_capture_wait(struct CUstream_st *stream, const struct cup_captured_work *work,
                      CUresult *result);

/* Refuses work that cannot be captured, such as a call that waits for its own work, and invalidates
 * the capture. Returns CUDA_SUCCESS if the work may run, because the capture has ended, or began
 * after the call. */
CUresult cup_capture_refuse(struct CUstream_st *stream, const char *work);

/* Returns CAPTURED_EVENT while the event's capture is active; invalidates that capture if
 * wanted. */
CUresult cup_capture_check_event(struct CUevent_st *event, bool invalidate);

/* capture_rules.c: checks whether active captures allow the call, by the rule of its entry point
 * and the stream, context or event it concerns. A forbidden call invalidates the captures that
 * forbid it. */
CUresult cup_capture_check_call(const struct cup_call_site *site, const uint64_t *values);
CUresult cup_capture_check_stream(unsigned rule, struct CUstream_st *stream);

/* Returns STREAM_CAPTURE_IMPLICIT while a stream that synchronises with the context's legacy stream
 * captures. cup_capture_check_legacy() also invalidates that capture. */
CUresult cup_capture_check_legacy(struct CUctx_st *context);
CUresult cup_capture_ask_legacy(struct CUctx_st *context);

#endif

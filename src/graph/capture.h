/* SPDX-License-Identifier: MIT */
/* Stream capture: work that is given to a stream becomes nodes of a graph instead.
 *
 * A capture has a branch for each stream that takes part: the stream where it began, and those that
 * waited for an event recorded in it. The tail of a branch is what the next node depends on. All of
 * it is guarded by cup_graph_lock, and none of it is touched by programs that do not capture: a bit
 * in a stream's word sends its work here, and a hook of the entry points (CUP_HOOK_CAPTURE) is set
 * only while there are captures. */
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
struct CUfunc_st;
struct CUstream_st;
struct cup_launch_arguments;
struct cup_launch_shape;

/* What a node depends on: two lists, as cuStreamGetCaptureInfo hands them out. A reference on each
 * node is held. */
struct cup_capture_tail {
    CUgraphNode *nodes;
    CUgraphEdgeData *edges;
    size_t count, room;
};

/* A stream's part of a capture. */
struct cup_capture_branch {
    struct cup_capture *capture;
    struct cup_capture_branch *next;
    struct CUstream_st *stream; /* a reference is held; NULL: its handle has ended */
    struct cup_capture_tail tail;
};

/* A recording of an event: the tail of the branch at that moment. */
struct cup_capture_recording {
    uint64_t number; /* of the recording, as the event keeps it */
    struct cup_capture_tail tail;
};

struct cup_capture {
    struct cup_capture *next, *previous; /* all captures of the process */
    uint64_t id;
    CUstreamCaptureMode mode;
    uint32_t thread; /* where it began */
    bool is_invalid;
    struct CUgraph_st *graph; /* a reference is held */
    struct cup_capture_branch *branches, *origin;
    struct cup_capture_recording *recordings; /* in the order of their numbers */
    size_t recording_count, recording_room;
};

/* Begins a capture, into a new graph or behind nodes of one that is given. */
CUresult cup_capture_begin(struct CUstream_st *stream, CUstreamCaptureMode mode,
                           struct CUgraph_st *graph, const CUgraphNode *dependencies,
                           const CUgraphEdgeData *edges, size_t count);

/* Ends it: the graph, or NULL and why there is none. */
CUresult cup_capture_end(struct CUstream_st *stream, struct CUgraph_st **graph);

/* A stream's handle has ended. With the one where it began the capture goes; work of another one
 * stays, and is not joined unless it was before. */
void cup_capture_stream_ended(struct CUstream_st *stream);

/* Of a stream that captures nothing, or into nothing any more, only the status is set. The lists
 * are valid until the next call on the stream. */
struct cup_capture_info {
    CUstreamCaptureStatus status;
    uint64_t id;
    struct CUgraph_st *graph;
    const CUgraphNode *nodes;
    const CUgraphEdgeData *edges;
    size_t count;
    bool has_edge_data; /* an edge carries more than order */
};

void cup_capture_get_info(struct CUstream_st *stream, struct cup_capture_info *info);

/* Adds to the tail of the stream's branch, or replaces it. */
CUresult cup_capture_update(struct CUstream_st *stream, const CUgraphNode *dependencies,
                            const CUgraphEdgeData *edges, size_t count, bool replace);

/* capture_work.c: a node in the place of work. The parameters are validated as for a node that the
 * application adds; what is wrong with them leaves the capture as it was. */
CUresult cup_capture_add(struct CUstream_st *stream, const CUgraphNodeParams *given);

/* The same, and where the node's allocation is. */
CUresult cup_capture_allocate(struct CUstream_st *stream, const CUgraphNodeParams *given,
                              CUdeviceptr *address);

/* Unlike a node that the application adds, one that fills nothing at address 0 is accepted. */
CUresult cup_capture_fill(struct CUstream_st *stream, const CUDA_MEMSET_NODE_PARAMS *given);

/* A launch of a function, or of a library's kernel that was launched by its own handle. */
CUresult cup_capture_launch(struct CUstream_st *stream, struct CUfunc_st *function, CUkernel kernel,
                            const struct cup_launch_shape *shape,
                            const struct cup_launch_arguments *arguments);

/* A call that waits for its own work cannot be captured: the capture becomes invalid. */
CUresult cup_capture_refuse(struct CUstream_st *stream, const char *work);

/* capture_event.c. Record: the stream captures. Wait: the stream captures or the event is captured,
 * and the stream joins the event's capture. External recordings and waits become nodes. */
CUresult cup_capture_record(struct CUstream_st *stream, struct CUevent_st *event, bool external);
CUresult cup_capture_wait(struct CUstream_st *stream, struct CUevent_st *event, bool external);

/* CAPTURED_EVENT, and an invalid capture if wanted, while the event's capture is under way. */
CUresult cup_capture_check_event(struct CUevent_st *event, bool invalidate);

/* capture_rules.c: may the call be made? Its subject is the stream, context or event that the rule
 * is about. What forbids it makes captures invalid. */
CUresult cup_capture_check_call(const struct cup_call_site *site, const uint64_t *values);
CUresult cup_capture_check_stream(unsigned rule, struct CUstream_st *stream);

/* May the legacy stream of the context be used? STREAM_CAPTURE_IMPLICIT, and an invalid capture,
 * while a stream captures that is ordered with it. Asking makes nothing invalid. */
CUresult cup_capture_check_legacy(struct CUctx_st *context);
CUresult cup_capture_ask_legacy(struct CUctx_st *context);

/* For the files of capture, under cup_graph_lock. */
extern struct cup_capture *cup_captures;
void cup_capture_invalidate_locked(struct cup_capture *capture, struct CUstream_st *stream,
                                   const char *why);
CUresult cup_capture_join_locked(struct cup_capture *capture, struct CUstream_st *stream,
                                 struct cup_capture_branch **branch);
CUresult cup_capture_tail_copy(struct cup_capture_tail *to, const struct cup_capture_tail *from);
CUresult cup_capture_tail_add(struct cup_capture_tail *tail, struct CUgraphNode_st *node,
                              const CUgraphEdgeData *edge);
void cup_capture_tail_finish(struct cup_capture_tail *tail);
struct cup_capture_recording *cup_capture_find_recording_locked(uint64_t number,
                                                                struct cup_capture **capture);

#endif

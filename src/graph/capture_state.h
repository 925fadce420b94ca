/* SPDX-License-Identifier: MIT */
/* Captures, their branches and the tails of branches. For the files of stream capture alone;
 * cup_graph_lock guards all of this. */
#ifndef CUP_GRAPH_CAPTURE_STATE_H
#define CUP_GRAPH_CAPTURE_STATE_H

#include "core/dynarray.h"
#include "core/list.h"
#include "core/thread.h"
#include "graph/graph.h"

#include <cuda.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct CUevent_st;
struct CUstream_st;
struct cup_node_params;

/* What captures know of a thread. */
struct cup_capture_thread {
    int mode;         /* CUstreamCaptureMode */
    const char *call; /* the current call, while any stream captures */
    uint64_t epoch;   /* the number of the newest branch of a capture when the call began */
};

CUP_THREAD_STATE(capture, struct cup_capture_thread);

/* The dependencies of the next node, in the two lists that cuStreamGetCaptureInfo returns. Holds a
 * reference on each node. */
struct cup_capture_tail {
    CUP_DYNARRAY(CUgraphNode, nodes);
    struct {
        CUP_DYNARRAY(CUgraphEdgeData, list);
    } edges;
};

/* A stream's part of a capture. */
struct cup_capture_branch {
    struct cup_capture *capture;
    struct cup_capture_branch *next;
    uint64_t number;            /* in the order in which streams began to capture */
    struct CUstream_st *stream; /* a reference is held; NULL: the handle was destroyed */
    struct cup_capture_tail tail;
};

/* An event recorded in a capture: the tail of the branch at that moment. */
struct cup_capture_recording {
    uint64_t number; /* of the recording; the event stores it too */
    struct cup_capture_tail tail;
};

/* An event that a node of the capture's graph records. */
struct cup_capture_external {
    uint64_t number;          /* as the event stores it while the capture lasts */
    struct CUevent_st *event; /* a reference is held */
};

/* A capture of work for which the graph has nodes already. */
struct cup_recapture {
    bool is_active;
    bool is_asking;                    /* the callback runs */
    struct CUgraphNode_st *next;       /* the node that the next work belongs to; NULL: none left */
    CUgraphRecaptureCallback callback; /* of the application; may be NULL */
    void *data;
};

struct cup_capture {
    struct cup_list link; /* in the list of all captures */
    uint64_t id;
    CUstreamCaptureMode mode;
    uint32_t thread; /* that began it */
    bool is_invalid;
    struct CUgraph_st *graph; /* a reference is held */
    struct cup_recapture recapture;
    struct cup_capture_branch *branches, *origin;
    struct {
        CUP_DYNARRAY(struct cup_capture_recording, list);
    } recordings; /* in the order of their numbers */
    struct {
        CUP_DYNARRAY(struct cup_capture_external, list);
    } externals;
};

extern struct cup_list cup_captures;
extern _Atomic(uint64_t) cup_capture_last_branch; /* written under the lock */

/* Does nothing if the capture is invalid already. The log says which call is the cause, and why. */
void cup_capture_invalidate_locked(struct cup_capture *capture, struct CUstream_st *stream,
                                   const char *why);

/* Adds a branch for the stream, which captures from now on. */
CUresult cup_capture_join_locked(struct cup_capture *capture, struct CUstream_st *stream,
                                 struct cup_capture_branch **branch);

/* Copy adds to what the list has. A node is in a list once; its first edge stays. */
CUresult cup_capture_tail_copy(struct cup_capture_tail *to, const struct cup_capture_tail *from);
CUresult cup_capture_tail_add(struct cup_capture_tail *tail, struct CUgraphNode_st *node,
                              const CUgraphEdgeData *edge);
void cup_capture_tail_finish(struct cup_capture_tail *tail);

/* Makes the branch responsible for joining those nodes of the tail that are unjoined. */
void cup_capture_take_locked(struct cup_capture_branch *branch,
                             const struct cup_capture_tail *tail);

/* capture_event.c: the capture has ended, and the events that nodes of its graph record are again
 * what they were before it, until the graph runs. */
void cup_capture_release_externals(struct cup_capture *capture);

/* recapture.c: finds the node of work that a stream captures again, and gives it the parameters if
 * they differ; *replaced is then the former block, with a reference. GRAPH_RECAPTURE_FAILURE
 * invalidates the capture. Releases the lock while the application's callback runs. */
CUresult cup_recapture_locked(struct CUstream_st *stream, const struct cup_edge *dependencies,
                              size_t count, struct cup_node_params *params,
                              struct CUgraphNode_st **node, struct cup_node_params **replaced);

#endif

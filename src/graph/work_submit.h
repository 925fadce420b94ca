/* SPDX-License-Identifier: MIT */
/* The work of calls, where it enters a stream.
 *
 * A call that submits work validates its arguments, fills a structure of its own with them, and
 * gives it to cup_work_submit() with the two operations of its kind of work. That function alone
 * decides whether the stream captures. If so, the work describes what it is to a graph, and is
 * added there; otherwise it runs. So no call tests for a capture, and work that is not captured
 * costs one load and a branch, and describes nothing. */
#ifndef CUP_GRAPH_WORK_SUBMIT_H
#define CUP_GRAPH_WORK_SUBMIT_H

#include "core/compiler.h"
#include "stream/event.h"
#include "stream/stream.h"

#include <cuda.h>
#include <stdbool.h>

struct CUfunc_st;
struct CUuserObject_st;
struct cup_launch_arguments;
struct cup_launch_shape;
struct cup_node_params;

/* What work is to a graph. */
enum cup_captured_kind {
    CUP_CAPTURED_NODE,   /* a node */
    CUP_CAPTURED_RECORD, /* no node: the event stands for the work that the stream has captured */
    CUP_CAPTURED_WAIT,   /* no node: the stream's next work depends on what the event stands for */
    CUP_CAPTURED_NONE,   /* nothing that a graph can have; it makes the capture invalid */
};

struct cup_captured_work {
    enum cup_captured_kind kind;
    /* NODE: */
    struct cup_node_params *params; /* a reference, which the capture takes over */
    bool overlaps;        /* the launch may begin before the kernel ahead of it has ended */
    CUdeviceptr *address; /* where the address of an allocation is written; or NULL */
    /* RECORD and WAIT: */
    struct CUevent_st *event;
    bool external;               /* it is a node after all */
    const CUgraphEdgeData *edge; /* RECORD: the edge to what waits for the event; NULL: as usual */
    /* NONE: */
    const char *name; /* for the error */
};

/* The operations of a kind of work. `work` is the structure that the call gave to submit. */
struct cup_work_type {
    /* For a stream that captures. An error is the answer of the call; the capture stays valid. */
    CUresult (*describe)(struct CUstream_st *stream, void *work,
                         struct cup_captured_work *captured);
    /* For a stream that does not, also where the work was described, but another thread has ended
     * the capture meanwhile. */
    CUresult (*run)(struct CUstream_st *stream, void *work);
};

/* Describes the work and adds it to the stream's capture. Returns false, and leaves *result alone,
 * if there is none any more. */
bool cup_work_capture(struct CUstream_st *stream, const struct cup_work_type *type, void *work,
                      CUresult *result);

/* Captures the work or runs it. Inline, so that a constant type costs no indirect call. */
static inline CUresult cup_work_submit(struct CUstream_st *stream, const struct cup_work_type *type,
                                       void *work)
{
    CUresult result;

    if (cup_stream_is_capturing(stream) && cup_work_capture(stream, type, work, &result))
        return result;
    return type->run(stream, work);
}

/* The same for a wait for an event. A stream that does not capture joins the capture in which the
 * event was recorded. */
static inline CUresult cup_work_submit_wait(struct CUstream_st *stream, struct CUevent_st *event,
                                            const struct cup_work_type *type, void *work)
{
    CUresult result;

    if ((cup_stream_is_capturing(stream) || cup_event_is_captured(event)) &&
        cup_work_capture(stream, type, work, &result))
        return result;
    return type->run(stream, work);
}

/* work_node.c: describe work as a node. The parameters are validated as for a node that the
 * application adds. */
CUresult cup_work_node(const CUgraphNodeParams *given, struct cup_captured_work *captured);

/* A host node that owns work of the host (host_work.h). */
CUresult cup_work_node_host_work(struct CUuserObject_st *object,
                                 struct cup_captured_work *captured);

/* The same for a fill. Unlike for an added node, address 0 is accepted. */
CUresult cup_work_node_fill(const CUgraphNodeParams *given, struct cup_captured_work *captured);

/* The launch of a function, or of a library's kernel by its own handle. A shape that is refused
 * makes the capture invalid. */
CUresult cup_work_node_launch(struct CUstream_st *stream, struct CUfunc_st *function,
                              CUkernel kernel, const struct cup_launch_shape *shape,
                              const struct cup_launch_arguments *arguments,
                              struct cup_captured_work *captured);

#endif

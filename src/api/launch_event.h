/* SPDX-License-Identifier: MIT */
/* Events that a launch records: the attributes PROGRAMMATIC_EVENT and LAUNCH_COMPLETION_EVENT. */
#ifndef CUP_API_LAUNCH_EVENT_H
#define CUP_API_LAUNCH_EVENT_H

#include <cuda.h>
#include <stdbool.h>

struct CUstream_st;
struct cup_launch_shape;

/* Records the event in the stream, or in its capture. `flags` are those of cuEventRecordWithFlags.
 * `edge` leads, in a graph, to what waits for the event; NULL: one without data. */
CUresult cup_record_event(struct CUstream_st *stream, CUevent handle, unsigned flags,
                          const CUgraphEdgeData *edge);

/* Validates the events among the launch's attributes, before the launch. External records need a
 * launch that is captured. */
CUresult cup_record_events_check(const struct cup_launch_shape *shape,
                                 const struct CUstream_st *stream, bool captured);

/* Records them, after the launch. */
CUresult cup_record_events(const struct cup_launch_shape *shape, struct CUstream_st *stream);

#endif

/* SPDX-License-Identifier: MIT */
/* Events of a whole context: recorded behind all its work, waited for by all that comes. */
#ifndef CUP_STREAM_CONTEXT_EVENT_H
#define CUP_STREAM_CONTEXT_EVENT_H

#include <cuda.h>

struct CUctx_st;
struct CUevent_st;
struct CUstream_st;

/* The event is reached when everything submitted to any stream of the context so far has run. */
CUresult cup_event_context_record(struct CUctx_st *context, struct CUevent_st *event);

/* Whatever is submitted later to any stream of the context, also to one not made yet, waits. */
CUresult cup_event_context_wait(struct CUctx_st *context, struct CUevent_st *event);

/* For a stream being made: lets it wait for what its context waits for. */
CUresult cup_event_context_hold(struct CUstream_st *stream);

#endif

/* SPDX-License-Identifier: MIT */
/* Events recorded in, and waited for by, a whole context (cuCtxRecordEvent, cuCtxWaitEvent). */
#ifndef CUP_STREAM_CONTEXT_EVENT_H
#define CUP_STREAM_CONTEXT_EVENT_H

#include <cuda.h>

struct CUctx_st;
struct CUevent_st;

/* Records the event. It completes when everything submitted so far to any stream of the context has
 * run. */
CUresult cup_event_context_record(struct CUctx_st *context, struct CUevent_st *event);

/* Makes all work submitted later to any stream of the context wait for the event. This includes
 * streams that are created later. */
CUresult cup_event_context_wait(struct CUctx_st *context, struct CUevent_st *event);

#endif

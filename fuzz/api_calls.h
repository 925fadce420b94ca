/* SPDX-License-Identifier: MIT */
/* The calls the API fuzzer makes: one for each entry point whose arguments can be drawn from their
 * types, and those made by hand. */
#ifndef API_CALLS_H
#define API_CALLS_H

#include "calls.h"

/* The calls whose arguments are drawn by their types, one by one; NULL behind the last. */
const struct call *api_call_generated(size_t index);

/* A function of a module or a library that may be launched. */
CUfunction api_draw_kernel(struct draw *draw);
/* An operation on memory for a stream or a graph; a wait among them ends. */
void api_draw_memory_op(struct draw *draw, CUstreamBatchMemOpParams *op);

extern const struct call code_calls[], stream_calls[], image_calls[], process_calls[],
    graph_calls[];
extern const unsigned code_call_count, stream_call_count, image_call_count, process_call_count,
    graph_call_count;

#endif

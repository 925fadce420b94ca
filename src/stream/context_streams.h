/* SPDX-License-Identifier: MIT */
/* The streams of a context as a list, and the hidden streams that a new one waits for. */
#ifndef CUP_STREAM_CONTEXT_STREAMS_H
#define CUP_STREAM_CONTEXT_STREAMS_H

#include <cuda.h>
#include <stddef.h>

struct CUctx_st;

struct cup_stream_list {
    size_t count;
    struct CUstream_st *streams[]; /* a reference on each */
};

/* All streams that applications submit work to, also by the nodes of graphs, of a context, which
 * may be a green one; NULL if out of memory. */
struct cup_stream_list *cup_stream_list_visible(const struct CUctx_st *context);
void cup_stream_list_free(struct cup_stream_list *list);

/* Makes work submitted later to `stream` wait for what `first` has now. */
CUresult cup_stream_wait_stream(struct CUstream_st *stream, struct CUstream_st *first);

/* To be called before a stream of kind HOLD is created. */
void cup_stream_note_hold(void);

/* Makes a newly created stream wait for the hold streams of its context. */
CUresult cup_stream_hold(struct CUstream_st *stream);

#endif

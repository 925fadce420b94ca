/* SPDX-License-Identifier: MIT */
/* CU_STREAM_PER_THREAD: each thread has one default stream of its own in each context it uses. */
#ifndef CUP_STREAM_THREAD_STREAMS_H
#define CUP_STREAM_THREAD_STREAMS_H

#include <cuda.h>

struct CUctx_st;
struct CUstream_st;

/* Returns the calling thread's stream in the context with a reference, and creates it on first
 * use. */
CUresult cup_stream_of_thread(struct CUctx_st *context, struct CUstream_st **stream);

#endif

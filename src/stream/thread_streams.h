/* SPDX-License-Identifier: MIT */
/* CU_STREAM_PER_THREAD: each thread has one default stream of its own in each context it uses. */
#ifndef CUP_STREAM_THREAD_STREAMS_H
#define CUP_STREAM_THREAD_STREAMS_H

#include <cuda.h>

struct CUctx_st;
struct CUstream_st;

/* The calling thread's stream in the context, made when first asked for. A reference is taken. */
CUresult cup_stream_of_thread(struct CUctx_st *context, struct CUstream_st **stream);

#endif

/* SPDX-License-Identifier: MIT */
/* The functions of src/graph, which captures streams, that src/stream calls. api/upcalls.c defines
 * the table. */
#ifndef CUP_STREAM_UPCALLS_H
#define CUP_STREAM_UPCALLS_H

#include <cuda.h>

struct CUctx_st;
struct CUstream_st;

struct cup_stream_upcalls {
    /* Called when work that was not captured is submitted to a capturing stream. CUDA_SUCCESS: the
     * stream does not capture any more, or did not when the call began, so the work is
     * submitted. */
    CUresult (*refuse_captured_work)(struct CUstream_st *stream, const char *work);
    /* Called when a call uses the context's legacy stream while captures are active. Fails if the
     * capture modes forbid that. */
    CUresult (*check_legacy)(struct CUctx_st *context);
    /* Called when the handle of a capturing stream is destroyed. */
    void (*end_capture)(struct CUstream_st *stream);
};

extern const struct cup_stream_upcalls cup_stream_upcalls;

#endif

/* SPDX-License-Identifier: MIT */
/* What src/stream asks of the parts above it: of src/graph, which captures streams. api/upcalls.c
 * has the table. */
#ifndef CUP_STREAM_UPCALLS_H
#define CUP_STREAM_UPCALLS_H

#include <cuda.h>

struct CUctx_st;
struct CUstream_st;

struct cup_stream_upcalls {
    /* A capturing stream was given work that no node does. CUDA_SUCCESS: it has ceased to capture.
     */
    CUresult (*refuse_captured_work)(struct CUstream_st *stream, const char *work);
    /* The legacy stream of the context is named while captures are under way: may it be used? */
    CUresult (*check_legacy)(struct CUctx_st *context);
    /* The handle of a capturing stream has ended. */
    void (*end_capture)(struct CUstream_st *stream);
};

extern const struct cup_stream_upcalls cup_stream_upcalls;

#endif

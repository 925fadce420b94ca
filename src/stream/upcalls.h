/* SPDX-License-Identifier: MIT */
/* The functions of src/graph, which captures streams, and of src/memory that src/stream calls.
 * api/upcalls.c defines the table. */
#ifndef CUP_STREAM_UPCALLS_H
#define CUP_STREAM_UPCALLS_H

#include <cuda.h>
#include <stdbool.h>
#include <stdint.h>

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
    /* True if all these bytes are memory that CUDA knows and that may be read, or written. */
    bool (*is_known_memory)(uint64_t address, uint64_t size_bytes, bool written);
};

extern const struct cup_stream_upcalls cup_stream_upcalls;

#endif

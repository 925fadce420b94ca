/* SPDX-License-Identifier: MIT */
/* The decompression job: a batch of streams of compressed bytes, each to a place of its own. The
 * batch is one piece of work in its CUDA stream; workers share its entries.
 *
 * What is wrong with the arguments is said by the call that brings them. That data is corrupt, or
 * more than its destination holds, is seen only when the job runs. The API has one way to tell of
 * such an error: the asynchronous one. So it is the device's error from there on, as a copy's bad
 * pointer is:
 *
 *   CUDA_ERROR_LAUNCH_FAILED    data that is corrupt, truncated or too large for its destination
 *   CUDA_ERROR_ILLEGAL_ADDRESS  memory that has gone since the call
 *
 * and the log tells which entry it was, and what was wrong. The process lives; the other entries of
 * the batch are decompressed, and 0 is recorded as the length of those that failed. Nothing is ever
 * written outside a destination. */
#ifndef CUP_MEMORY_DECOMPRESS_H
#define CUP_MEMORY_DECOMPRESS_H

#include "memory/decompress_libraries.h"

#include <cuda.h>
#include <stddef.h>

struct CUstream_st;

/* The limit reported by the device attribute, on the decompressed size. Cards with a decompression
 * engine have the same limit. */
enum { CUP_DECOMPRESS_BYTES_MAX = 4 << 20 };

struct cup_decompress_entry {
    struct cup_packed packed; /* its library is loaded */
    void *written;            /* where to store the 32-bit decompressed size; or NULL */
};

/* Submits a batch. Takes ownership of the malloc'ed entries, also on failure. */
CUresult cup_decompress_submit(struct CUstream_st *stream, struct cup_decompress_entry *entries,
                               size_t count);

#endif

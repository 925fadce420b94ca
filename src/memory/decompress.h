/* SPDX-License-Identifier: MIT */
/* The decompression job: a batch of compressed buffers, each with its own destination. The batch is
 * one job of its CUDA stream; workers share its entries.
 *
 * The call reports invalid arguments. Corrupt data, and data that exceeds its destination, are
 * found only when the job runs. They become the device's sticky error, like a copy's bad pointer,
 * because the API has no other way to report an asynchronous error:
 *
 *   CUDA_ERROR_LAUNCH_FAILED    data that is corrupt, truncated or too large for its destination
 *   CUDA_ERROR_ILLEGAL_ADDRESS  memory that was freed after the call
 *
 * The log names the entry and the reason. The other entries of the batch are decompressed, and the
 * size of failed ones is stored as 0. Nothing is ever written outside a destination. */
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

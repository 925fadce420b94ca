/* SPDX-License-Identifier: MIT */
/* The one fill job: rows of a repeated 1, 2 or 4 byte value. Every memset becomes this. */
#ifndef CUP_MEMORY_FILL_H
#define CUP_MEMORY_FILL_H

#include <cuda.h>
#include <stddef.h>
#include <stdint.h>

struct CUstream_st;

struct cup_fill {
    uint64_t destination;
    size_t width_bytes, height;
    size_t row; /* bytes from one row to the next */
    uint32_t value;
    unsigned element_bytes;
};

CUresult cup_fill_submit(struct CUstream_st *stream, const struct cup_fill *fill);

#endif

/* SPDX-License-Identifier: MIT */
/* The fill job: writes rows of a repeated 1, 2 or 4 byte value. Every memset becomes this job. */
#ifndef CUP_MEMORY_FILL_H
#define CUP_MEMORY_FILL_H

#include "stream/job.h"

#include <cuda.h>
#include <stddef.h>
#include <stdint.h>

struct CUstream_st;
struct cup_device;
struct cup_span;

struct cup_fill {
    uint64_t destination;
    size_t width_bytes, height;
    size_t row;     /* bytes from one row to the next */
    uint32_t value; /* of one element; wider than that, it becomes a pattern of 4 bytes */
    unsigned element_bytes;
};

/* The fill as a job. A stream queues it; a graph node keeps it and runs it repeatedly. */
struct cup_fill_job {
    struct cup_job base;
    struct cup_fill fill;
};

/* Returns CUDA_ERROR_INVALID_VALUE unless the rows lie in one allocation that the device may write
 * and the elements are aligned. */
CUresult cup_fill_check(const struct cup_fill *fill, const struct cup_device *device,
                        struct cup_span *found);

void cup_fill_job_init(struct cup_fill_job *job, const struct cup_fill *fill);
CUresult cup_fill_submit(struct CUstream_st *stream, const struct cup_fill *fill);

#endif

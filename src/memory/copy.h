/* SPDX-License-Identifier: MIT */
/* The copy job: copies a box of bytes between two places. Every copy of the API, whatever its shape
 * and endpoints, becomes this job. */
#ifndef CUP_MEMORY_COPY_H
#define CUP_MEMORY_COPY_H

#include "core/dynarray.h"
#include "stream/job.h"

#include <cuda.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct CUstream_st;

struct cup_copy {
    uint64_t destination;
    uint64_t source;
    size_t width_bytes, height, depth;
    size_t destination_row, destination_slice; /* bytes from one row, or slice, to the next */
    size_t source_row, source_slice;
    bool from_array, to_array;
};

static inline struct cup_copy cup_copy_linear(uint64_t destination, uint64_t source,
                                              size_t size_bytes)
{
    return (struct cup_copy){.destination = destination,
                             .source = source,
                             .width_bytes = size_bytes,
                             .height = 1,
                             .depth = 1};
}

static inline size_t cup_copy_bytes(const struct cup_copy *copy)
{
    return copy->width_bytes * copy->height * copy->depth;
}

/* The copy as a job. A stream queues it; a graph node keeps it and runs it repeatedly. */
struct cup_copy_job {
    struct cup_job base;
    struct cup_copy copy;
    void *staging;     /* the job's own copy of the source, or NULL */
    bool caller_waits; /* `result` is the caller's, not the stream's */
    bool reads_here;   /* the source is read during the call, by the host */
    CUresult result;
};

/* Tells CUPIPE_CHECK=streams of the bytes of one side. */
void cup_copy_touch(struct cup_job *job, const struct cup_copy *copy, bool is_destination);

void cup_copy_job_init(struct cup_copy_job *job, const struct cup_copy *copy);

/* When the copy happens relative to the call. */
enum cup_copy_mode {
    CUP_COPY_IN_STREAM, /* when the stream reaches the job */
    CUP_COPY_WAIT,      /* the same, and the caller waits for it */
    CUP_COPY_FROM_HERE, /* the source is read before the call returns */
};

/* Submits a copy. A bad pointer returns CUDA_ERROR_INVALID_VALUE if the caller waits; otherwise it
 * becomes the device's sticky error. */
CUresult cup_copy_submit(struct CUstream_st *stream, const struct cup_copy *copy,
                         enum cup_copy_mode mode);

/* Many copies that are submitted to a stream as one job, in no order among themselves. A zeroed
 * batch is empty. */
struct cup_copy_batch {
    struct CUstream_st *stream;
    struct cup_copy_list {
        CUP_DYNARRAY(struct cup_copy, copies);
        size_t bytes;
    } in_stream, waited;
};

/* Adds a copy. A copy that reads its source during the call is submitted at once. */
CUresult cup_copy_batch_add(struct cup_copy_batch *batch, const struct cup_copy *copy,
                            enum cup_copy_mode mode);

/* Submits the collected copies and waits if one of them requires it. The batch is empty
 * afterwards. */
CUresult cup_copy_batch_submit(struct cup_copy_batch *batch);

#endif

/* SPDX-License-Identifier: MIT */
/* One piece of asynchronous work in a stream. Whoever submits it embeds this head in a struct of
 * its own; the engine knows nothing of copies or kernels. */
#ifndef CUP_STREAM_JOB_H
#define CUP_STREAM_JOB_H

#include <cuda.h>
#include <stdbool.h>
#include <stdint.h>

struct CUstream_st;

enum cup_job_kind {
    CUP_JOB_WORK,          /* runs to its end on a worker */
    CUP_JOB_HOST_FUNCTION, /* the application's code, or a kernel that may wait for what others do:
                              may block, runs on a thread of its own */
    CUP_JOB_WAIT_POINT,    /* holds the stream until another stream gets somewhere */
    CUP_JOB_WAIT_VALUE,    /* holds the stream until memory has a value */
    CUP_JOB_GRAPH,         /* begun by `run`; whoever ends it calls cup_stream_finish_head */
};

/* A place in a stream: reached when everything submitted up to there has run. */
struct cup_point {
    struct CUstream_st *stream;
    uint64_t sequence;
};

struct cup_job {
    struct cup_job *next;
    uint64_t sequence;
    enum cup_job_kind kind;
    const char *name; /* for the trace */
    uint64_t bytes;   /* for the trace */
    /* Does the work. An error becomes the device's sticky error. For CUP_JOB_WAIT_VALUE: tests the
     * value, CUDA_ERROR_NOT_READY to keep waiting. `failed` is the sticky error the device already
     * has, CUDA_SUCCESS if none; work that must not run then returns it. */
    CUresult (*run)(struct cup_job *job, CUresult failed);
    void (*release)(struct cup_job *job); /* frees the job and what it owns */
    /* CUP_JOB_WAIT_VALUE: who unparks the stream when `run` no longer says NOT_READY; false when
     * there is no thread to be had now. NULL: the value watch. */
    bool (*park)(struct CUstream_st *stream);
    void *keeper;           /* of a graph that keeps the job and runs it more than once */
    struct cup_point point; /* CUP_JOB_WAIT_POINT; a reference on its stream is held */
    /* CUP_JOB_WORK: the program's code. It may wait for what others do although nothing in it says
     * so; a worker can bear that, a thread that calls the library cannot (schedule.h). */
    bool is_kernel;
};

#endif

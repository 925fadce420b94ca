/* SPDX-License-Identifier: MIT */
/* One piece of asynchronous work in a stream. Each kind of work embeds this struct in its own; the
 * engine knows nothing of copies or kernels. */
#ifndef CUP_STREAM_JOB_H
#define CUP_STREAM_JOB_H

#include "core/observer.h"

#include <cuda.h>
#include <stdbool.h>
#include <stdint.h>

struct CUstream_st;

enum cup_job_kind {
    CUP_JOB_WORK,          /* runs to completion on a worker */
    CUP_JOB_HOST_FUNCTION, /* application code, or a kernel that may wait for other work: may block,
                              runs on a thread of its own */
    CUP_JOB_HOST_WORK,     /* application code that waits for no other work: runs on such a thread,
                              too */
    CUP_JOB_WAIT_POINT,    /* blocks the stream until another stream reaches a point */
    CUP_JOB_WAIT_VALUE,    /* blocks the stream until memory has a value */
    CUP_JOB_PENDING,       /* application code that ends later (pending_work.h); as CUP_JOB_GRAPH */
    CUP_JOB_GRAPH, /* started by `run`; the code that ends it calls cup_stream_finish_head */
};

/* A point in a stream. It is reached when everything submitted up to `sequence` has run. */
struct cup_point {
    struct CUstream_st *stream;
    uint64_t sequence;
};

struct cup_job {
    struct cup_job *next;
    bool is_queued;     /* a stream has accepted the job */
    bool has_host_work; /* CUP_JOB_GRAPH: some node is CUP_JOB_HOST_WORK */
    bool is_brief;      /* the thread that submits it to an idle stream may run it */
    enum cup_job_kind kind;
    const char *name; /* for the trace */
    uint64_t bytes;   /* for the trace */
    /* Completes a job that was submitted before all was known of it: called once, when the job is
     * at the head, before `kind` is looked at. NULL: nothing is left to be done. */
    void (*prepare)(struct cup_job *job);
    /* Does the work. An error becomes the device's sticky error. For CUP_JOB_WAIT_VALUE it tests
     * the value and returns CUDA_ERROR_NOT_READY to keep waiting. `failed` is the sticky error that
     * the device already has, or CUDA_SUCCESS; work that must not run after an error returns it. */
    CUresult (*run)(struct cup_job *job, CUresult failed);
    void (*release)(struct cup_job *job); /* frees the job and what it owns */
    /* CUP_JOB_WAIT_VALUE: arranges for the stream to be unparked when `run` no longer returns
     * NOT_READY. Returns false if no thread is available now. NULL: the value watch does it. */
    bool (*park)(struct CUstream_st *stream);
    /* Tells of the bytes that the job has touched (cup_check_job_touched), for
     * CUPIPE_CHECK=streams; NULL: none, or a kernel, which tells itself. */
    void (*touches)(struct cup_job *job);
    /* Sets the kind of the job, and what that kind has, for an observer (cupipe.h); NULL: the
     * observer is not told of the job. */
    void (*describe)(const struct cup_job *job, struct cupipe_activity *activity);
    struct cup_observed_origin origin; /* set if there is an observer */
    struct cup_order_task *task;       /* of CUPIPE_CHECK=streams; NULL: none */
    void *keeper; /* set by a graph that keeps the job and runs it more than once */
    /* CUP_JOB_WAIT_POINT: what it waits for; a reference on its stream is held. CUP_JOB_PENDING:
     * the stream that is parked on it, while it is. */
    struct cup_point point;
    /* CUP_JOB_WORK: the job runs code of the program, which may wait for other work without any
     * sign of it. A worker may block in it; a thread that calls the library must not
     * (schedule.h). */
    bool is_kernel;
};

/* True for a job that runs on a thread of host_function.c. A graph with work of the host begins
 * there, so that its chains run on the same thread each time. */
static inline bool cup_job_needs_thread(const struct cup_job *job)
{
    return (job->kind == CUP_JOB_HOST_FUNCTION || job->kind == CUP_JOB_HOST_WORK ||
            (job->kind == CUP_JOB_GRAPH && job->has_host_work)) &&
           !job->prepare;
}

#endif

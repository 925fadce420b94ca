/* SPDX-License-Identifier: MIT */
/* Work of the host that has a name, tells what memory it touches, and can fail (cupipe.h). Unlike a
 * host function it waits for nothing that CUDA does, so it orders nothing for the host, and a
 * worker may run it where it is a node of a graph. */
#ifndef CUP_STREAM_HOST_WORK_H
#define CUP_STREAM_HOST_WORK_H

#include "core/checks.h"
#include "stream/job.h"

#include <cuda.h>
#include <cupipe.h>
#include <stdbool.h>

struct CUstream_st;

struct cup_host_work_job {
    struct cup_job base;
    struct cupipe_work work;
    CUresult result;              /* of the last run */
    struct cupipe_range ranges[]; /* of a submitted job: what work.ranges points to */
};

/* True if a check uses the ranges of work. They are not copied otherwise. */
static inline bool cup_host_work_wants_ranges(void)
{
    return cup_checks.streams || cup_checks.written || cup_checks.host_work_started;
}

/* Makes a job that runs the work and does not own it. */
void cup_host_work_job_init(struct cup_host_work_job *job, const struct cupipe_work *work);

/* Copies work, with its ranges, into one block of memory for free(); NULL if out of memory. Work
 * without `run` is the beginning of a struct cupipe_pending_work. */
struct cupipe_work *cup_host_work_copy(const struct cupipe_work *work);

/* Submits the work, which the stream releases when it has run, or will not run. On an error it is
 * not released. */
CUresult cup_host_work_submit(struct CUstream_st *stream, const struct cupipe_work *work);

/* Runs the work in the calling thread, and returns its result. CUDA_ERROR_NOT_READY: the stream
 * cannot be entered, and the work has not run. */
CUresult cup_host_work_run_now(struct CUstream_st *stream, const struct cupipe_work *work);

/* For pending_work.c. Enters a stream that is idle, or about to be. */
bool cup_host_work_enter(struct CUstream_st *stream);

/* The bytes of the ranges that must be kept; `keep` makes the work use that
 * copy of them. */
size_t cup_host_work_ranges_bytes(const struct cupipe_work *work);
void cup_host_work_keep_ranges(struct cupipe_work *work, void *copy, size_t bytes);

/* Tell the checks what the work has written, and what its job has touched. */
void cup_host_work_note_written(const struct cupipe_work *work);
void cup_host_work_touch(struct cup_job *job, const struct cupipe_work *work);

/* Tells an observer what the work is. */
void cup_host_work_describe(const struct cup_job *job, struct cupipe_activity *activity);

#endif

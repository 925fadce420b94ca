/* SPDX-License-Identifier: MIT */
/* Work of the host that ends later (struct cupipe_pending_work of cupipe.h): its function begins
 * it, and any thread ends it. The stream is parked meanwhile, so thousands of streams can wait for
 * each other with one worker. */
#ifndef CUP_STREAM_PENDING_WORK_H
#define CUP_STREAM_PENDING_WORK_H

#include "stream/job.h"

#include <cuda.h>
#include <cupipe.h>

struct CUstream_st;

/* A job that runs the work and does not own it, for a graph, which runs it once a launch. free()
 * ends it. NULL: out of memory. */
struct cupipe_pending *cup_pending_work_create(const struct cupipe_pending_work *work);
struct cup_job *cup_pending_work_job(struct cupipe_pending *pending);

/* Submits the work, which the stream releases when it has ended, or will not run. On an error it is
 * not released. */
CUresult cup_pending_work_submit(struct CUstream_st *stream,
                                 const struct cupipe_pending_work *work);

void cup_pending_work_finish(struct cupipe_pending *pending, CUresult result);

#endif

/* SPDX-License-Identifier: MIT */
/* Jobs that call a function of the application. */
#ifndef CUP_STREAM_CALLBACK_H
#define CUP_STREAM_CALLBACK_H

#include "stream/job.h"

#include <cuda.h>

struct CUstream_st;

/* The call as a job. A stream queues it; a graph node keeps it and runs it repeatedly. */
struct cup_callback_job {
    struct cup_job base;
    CUhostFn function;
    CUstreamCallback callback;
    CUstream handle;
    void *data;
};

/* Returns INVALID_VALUE for what is no CUhostTaskSyncMode. */
CUresult cup_callback_check_mode(unsigned mode);

void cup_callback_job_init(struct cup_callback_job *job, CUhostFn function, void *data);

/* Submits a host function. It is not called if the device has a sticky error when its turn
 * comes. */
CUresult cup_callback_submit_function(struct CUstream_st *stream, CUhostFn function, void *data);

/* Submits a stream callback. It is always called, with the sticky error if there is one, and with
 * the stream handle that the application passed. */
CUresult cup_callback_submit(struct CUstream_st *stream, CUstream handle, CUstreamCallback callback,
                             void *data);

#endif

/* SPDX-License-Identifier: MIT */
/* Calls of the application's own functions as work of a stream. */
#ifndef CUP_STREAM_CALLBACK_H
#define CUP_STREAM_CALLBACK_H

#include "stream/job.h"

#include <cuda.h>

struct CUstream_st;

/* The call as work: a stream queues it, a graph keeps it. */
struct cup_callback_job {
    struct cup_job base;
    CUhostFn function;
    CUstreamCallback callback;
    CUstream handle;
    void *data;
};

void cup_callback_job_init(struct cup_callback_job *job, CUhostFn function, void *data);

/* Not called when the device has failed before its turn comes. */
CUresult cup_callback_submit_function(struct CUstream_st *stream, CUhostFn function, void *data);

/* Called in any case, with the error if there is one and with the handle the application used. */
CUresult cup_callback_submit(struct CUstream_st *stream, CUstream handle, CUstreamCallback callback,
                             void *data);

#endif

/* SPDX-License-Identifier: MIT */
/* The jobs behind cuLaunchHostFunc and cuStreamAddCallback. The threads they run on are
 * host_function.c's. */
#include "stream/callback.h"

#include "core/error.h"
#include "stream/stream.h"

#include <stdlib.h>

struct callback_job {
    struct cup_job base;
    CUhostFn function;
    CUstreamCallback callback;
    CUstream handle;
    void *data;
};

static CUresult function_run(struct cup_job *base, CUresult failed)
{
    struct callback_job *job = (struct callback_job *)base;

    if (failed == CUDA_SUCCESS)
        job->function(job->data);
    return failed;
}

static CUresult callback_run(struct cup_job *base, CUresult failed)
{
    struct callback_job *job = (struct callback_job *)base;

    job->callback(job->handle, failed, job->data);
    return failed;
}

static void release(struct cup_job *base)
{
    free(base);
}

static CUresult submit(struct CUstream_st *stream, struct callback_job job)
{
    struct callback_job *submitted = malloc(sizeof(*submitted));

    if (!submitted)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a host function");
    job.base.kind = CUP_JOB_HOST_FUNCTION;
    job.base.name = "host function";
    job.base.release = release;
    *submitted = job;
    return cup_stream_submit(stream, &submitted->base, NULL);
}

CUresult cup_callback_submit_function(struct CUstream_st *stream, CUhostFn function, void *data)
{
    return submit(stream, (struct callback_job){
                              .base.run = function_run, .function = function, .data = data});
}

CUresult cup_callback_submit(struct CUstream_st *stream, CUstream handle, CUstreamCallback callback,
                             void *data)
{
    return submit(stream, (struct callback_job){.base.run = callback_run,
                                                .callback = callback,
                                                .handle = handle,
                                                .data = data});
}

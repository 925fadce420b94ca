/* SPDX-License-Identifier: MIT */
/* The jobs of cuLaunchHostFunc and cuStreamAddCallback. host_function.c has the threads that run
 * them. */
#include "stream/callback.h"

#include "core/error.h"
#include "stream/stream.h"

#include <stdlib.h>

static CUresult function_run(struct cup_job *base, CUresult failed)
{
    struct cup_callback_job *job = (struct cup_callback_job *)base;

    if (failed == CUDA_SUCCESS)
        job->function(job->data);
    return failed;
}

static CUresult callback_run(struct cup_job *base, CUresult failed)
{
    struct cup_callback_job *job = (struct cup_callback_job *)base;

    job->callback(job->handle, failed, job->data);
    return failed;
}

static void release(struct cup_job *base)
{
    free(base);
}

CUresult cup_callback_check_mode(unsigned mode)
{
    if (mode == CU_HOST_TASK_BLOCKING || mode == CU_HOST_TASK_SPINWAIT)
        return CUDA_SUCCESS;
    return cup_error(CUDA_ERROR_INVALID_VALUE, "a host function has no synchronisation mode %u",
                     mode);
}

void cup_callback_job_init(struct cup_callback_job *job, CUhostFn function, void *data)
{
    *job = (struct cup_callback_job){
        .base = {.kind = CUP_JOB_HOST_FUNCTION,
                 .name = "host function",
                 .run = function_run,
                 .release = release},
        .function = function,
        .data = data,
    };
}

static CUresult submit(struct CUstream_st *stream, const struct cup_callback_job *job)
{
    struct cup_callback_job *submitted = malloc(sizeof(*submitted));

    if (!submitted)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a host function");
    *submitted = *job;
    return cup_stream_submit(stream, &submitted->base, NULL);
}

CUresult cup_callback_submit_function(struct CUstream_st *stream, CUhostFn function, void *data)
{
    struct cup_callback_job job;

    cup_callback_job_init(&job, function, data);
    return submit(stream, &job);
}

CUresult cup_callback_submit(struct CUstream_st *stream, CUstream handle, CUstreamCallback callback,
                             void *data)
{
    struct cup_callback_job job;

    cup_callback_job_init(&job, NULL, data);
    job.base.run = callback_run;
    job.callback = callback;
    job.handle = handle;
    return submit(stream, &job);
}

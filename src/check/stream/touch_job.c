/* SPDX-License-Identifier: MIT */
/* A job that does nothing but touch memory, for CUPIPE_CHECK=streams: allocating and freeing in
 * stream order need no job otherwise. */
#include "check/stream/order.h"
#include "stream/stream.h"

#include <stdlib.h>

struct touch_job {
    struct cup_job base;
    uint64_t address, bytes;
};

static CUresult touch_run(struct cup_job *job, CUresult failed)
{
    (void)job;
    (void)failed;
    return CUDA_SUCCESS;
}

static void touch_release(struct cup_job *job)
{
    free(job);
}

static void touches(struct cup_job *base)
{
    const struct touch_job *job = (struct touch_job *)base;

    cup_order_touch(base, job->address, job->bytes, CUP_TOUCH_WRITE);
}

void cup_order_touch_in_stream(struct CUstream_st *stream, const char *name, uint64_t address,
                               uint64_t bytes)
{
    struct touch_job *job = calloc(1, sizeof(*job));

    if (!job)
        return;
    job->base.kind = CUP_JOB_WORK;
    job->base.name = name;
    job->base.run = touch_run;
    job->base.release = touch_release;
    job->base.touches = touches;
    job->address = address;
    job->bytes = bytes;
    if (!cup_stream_enter(stream)) {
        cup_stream_submit(stream, &job->base, NULL);
        return;
    }
    cup_stream_run_now(stream, &job->base);
    free(job);
}

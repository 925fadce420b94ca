/* SPDX-License-Identifier: MIT */
/* A batch is one job with a list of copies, so that it is submitted to a busy stream once, not once
 * per copy. */
#include "core/checks.h"
#include "core/error.h"
#include "memory/copy.h"
#include "memory/transfer.h"
#include "stream/stream.h"

#include <stdbool.h>
#include <stdlib.h>

enum { INLINE_BYTES_MAX = 64 << 10 };

struct batch_job {
    struct cup_job base;
    struct cup_copy_list list;
    bool caller_waits; /* `result` is the caller's, not the stream's */
    CUresult result;
};

CUresult cup_copy_batch_add(struct cup_copy_batch *batch, const struct cup_copy *copy,
                            enum cup_copy_mode mode)
{
    struct cup_copy_list *list = mode == CUP_COPY_WAIT ? &batch->waited : &batch->in_stream;

    if (mode == CUP_COPY_FROM_HERE)
        return cup_copy_submit(batch->stream, copy, mode);
    struct cup_copy *added = cup_dynarray_add(&list->array, sizeof(*added));
    if (!added)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a batch of copies");
    *added = *copy;
    list->bytes += cup_copy_bytes(copy);
    return CUDA_SUCCESS;
}

static CUresult batch_run(struct cup_job *base, CUresult failed)
{
    struct batch_job *job = (struct batch_job *)base;

    job->result = failed;
    if (failed == CUDA_SUCCESS && !cup_transfer_many(job->list.copies, job->list.count))
        job->result = job->caller_waits ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_ILLEGAL_ADDRESS;
    return job->caller_waits ? CUDA_SUCCESS : job->result;
}

static void batch_touches(struct cup_job *base)
{
    const struct cup_copy_list *list = &((struct batch_job *)base)->list;

    for (size_t i = 0; i < list->count; i++) {
        cup_copy_touch(base, &list->copies[i], false);
        cup_copy_touch(base, &list->copies[i], true);
    }
}

static void keep_on_stack(struct cup_job *base)
{
    (void)base;
}

static void batch_release(struct cup_job *base)
{
    free(((struct batch_job *)base)->list.copies);
    free(base);
}

static struct batch_job job_of(const struct cup_copy_list *list)
{
    return (struct batch_job){
        .base = {.kind = CUP_JOB_WORK,
                 .name = "copies",
                 .bytes = list->bytes,
                 .run = batch_run,
                 .release = keep_on_stack,
                 .touches = batch_touches},
        .list = *list,
    };
}

/* The list is empty afterwards. */
static CUresult submit_in_stream(struct CUstream_st *stream, struct cup_copy_list *list)
{
    struct batch_job now = job_of(list), *job;

    if (list->bytes <= INLINE_BYTES_MAX && cup_stream_enter(stream)) {
        cup_stream_run_now(stream, &now.base);
        free(list->copies);
        *list = (struct cup_copy_list){.count = 0};
        return CUDA_SUCCESS;
    }
    job = malloc(sizeof(*job));
    if (!job)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a batch of copies");
    *job = now;
    job->base.release = batch_release;
    *list = (struct cup_copy_list){.count = 0};
    return cup_stream_submit(stream, &job->base, NULL);
}

static CUresult submit_and_wait(struct CUstream_st *stream, struct cup_copy_list *list)
{
    struct batch_job job = job_of(list);
    struct cup_point point;

    job.caller_waits = true;
    if (cup_stream_enter(stream)) {
        cup_stream_run_now(stream, &job.base);
        cup_check_host_waited_stream(stream);
        return job.result;
    }
    CUresult result = cup_stream_submit(stream, &job.base, &point);
    if (result != CUDA_SUCCESS)
        return result;
    cup_point_wait(point);
    cup_check_host_waited_stream(stream);
    return cup_device_report_of(stream->context->device, job.result);
}

CUresult cup_copy_batch_submit(struct cup_copy_batch *batch)
{
    CUresult result = CUDA_SUCCESS;

    if (batch->in_stream.count > 0)
        result = submit_in_stream(batch->stream, &batch->in_stream);
    if (result == CUDA_SUCCESS && batch->waited.count > 0)
        result = submit_and_wait(batch->stream, &batch->waited);
    free(batch->in_stream.copies);
    free(batch->waited.copies);
    batch->in_stream = batch->waited = (struct cup_copy_list){.count = 0};
    return result;
}

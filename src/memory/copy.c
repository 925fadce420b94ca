/* SPDX-License-Identifier: MIT */
/* The caller executes a small copy on an idle stream at once. Any other copy is queued: as it is,
 * with the caller waiting for it, or with its source saved in a buffer. */
#include "memory/copy.h"

#include "core/checks.h"
#include "core/error.h"
#include "device/device.h"
#include "memory/map.h"
#include "memory/transfer.h"
#include "stream/stream.h"

#include <stdbool.h>
#include <stdlib.h>

enum {
    INLINE_BYTES_MAX = 64 << 10, /* waking a worker costs about as much as copying this */
    STAGED_BYTES_MAX = 4 << 20,  /* the caller waits for larger pageable sources instead */
};

static CUresult copy_run(struct cup_job *base, CUresult failed)
{
    struct cup_copy_job *job = (struct cup_copy_job *)base;

    job->result = failed;
    if (failed == CUDA_SUCCESS && cup_unlikely(!cup_transfer(&job->copy)))
        job->result = job->caller_waits ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_ILLEGAL_ADDRESS;
    return job->caller_waits ? CUDA_SUCCESS : job->result;
}

static void keep_on_stack(struct cup_job *base)
{
    (void)base;
}

static void copy_release(struct cup_job *base)
{
    free(((struct cup_copy_job *)base)->staging);
    free(base);
}

static CUresult submit_and_wait(struct CUstream_st *stream, struct cup_copy_job *job)
{
    struct cup_point point;

    job->base.release = keep_on_stack;
    job->caller_waits = true;
    CUresult result = cup_stream_submit(stream, &job->base, &point);
    if (result != CUDA_SUCCESS)
        return result;
    cup_point_wait(point);
    cup_context_show_output(stream->context);
    return cup_device_report_of(stream->context->device, job->result);
}

static CUresult submit_later(struct CUstream_st *stream, const struct cup_copy_job *now,
                             void *staging)
{
    struct cup_copy_job *job = malloc(sizeof(*job));

    if (!job) {
        free(staging);
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a copy job");
    }
    *job = *now;
    job->base.release = copy_release;
    job->staging = staging;
    return cup_stream_submit(stream, &job->base, NULL);
}

/* Copies the source, packed, into a buffer of the job. */
static CUresult submit_staged(struct CUstream_st *stream, struct cup_copy_job *now)
{
    size_t bytes = cup_copy_bytes(&now->copy);
    void *staging = bytes <= STAGED_BYTES_MAX ? malloc(bytes) : NULL;

    if (!staging)
        return submit_and_wait(stream, now);
    struct cup_copy gather = now->copy;
    gather.destination = (uint64_t)(uintptr_t)staging;
    gather.destination_row = gather.width_bytes;
    gather.destination_slice = gather.width_bytes * gather.height;
    if (!cup_transfer(&gather)) {
        free(staging);
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the source is not readable");
    }
    now->copy.source = gather.destination;
    now->copy.source_row = gather.destination_row;
    now->copy.source_slice = gather.destination_slice;
    return submit_later(stream, now, staging);
}

void cup_copy_touch(struct cup_job *job, const struct cup_copy *copy, bool is_destination)
{
    uint64_t start = is_destination ? copy->destination : copy->source;
    size_t row = is_destination ? copy->destination_row : copy->source_row;
    size_t slice = is_destination ? copy->destination_slice : copy->source_slice;

    for (size_t z = 0; z < copy->depth; z++) {
        for (size_t y = 0; y < copy->height; y++)
            cup_check_job_touched(job, start + z * slice + y * row, copy->width_bytes,
                                  is_destination ? CUP_TOUCH_WRITE : CUP_TOUCH_READ);
    }
}

static void copy_touches(struct cup_job *base)
{
    struct cup_copy_job *job = (struct cup_copy_job *)base;

    if (!job->reads_here)
        cup_copy_touch(base, &job->copy, false);
    cup_copy_touch(base, &job->copy, true);
}

/* Where a side of a copy lies. The bytes of a source that was saved first were the program's own.
 */
static enum cupipe_memory_kind side_of(uint64_t address, bool is_array, uint32_t *device)
{
    struct cup_range range;

    if (is_array)
        return CUPIPE_MEMORY_ARRAY;
    if (!cup_map_describe(address, &range))
        return CUPIPE_MEMORY_PAGEABLE;
    if (range.device)
        *device = (uint32_t)range.device->ordinal;
    return cup_range_memory_kind(range.kind, range.flags);
}

static void copy_describe(const struct cup_job *base, struct cupipe_activity *activity)
{
    const struct cup_copy_job *job = (const struct cup_copy_job *)base;

    activity->kind = CUPIPE_ACTIVITY_COPY;
    activity->copy.bytes = base->bytes;
    activity->copy.from_device = activity->copy.to_device = activity->device;
    activity->copy.from =
        side_of(job->copy.source, job->copy.from_array, &activity->copy.from_device);
    activity->copy.to =
        side_of(job->copy.destination, job->copy.to_array, &activity->copy.to_device);
}

void cup_copy_job_init(struct cup_copy_job *job, const struct cup_copy *copy)
{
    *job = (struct cup_copy_job){
        .base = {.kind = CUP_JOB_WORK,
                 .name = "copy",
                 .bytes = cup_copy_bytes(copy),
                 .run = copy_run,
                 .touches = copy_touches,
                 .describe = copy_describe},
        .copy = *copy,
    };
}

static CUresult submit(struct CUstream_st *stream, const struct cup_copy *copy,
                       enum cup_copy_mode mode)
{
    struct cup_copy_job now;

    cup_copy_job_init(&now, copy);
    now.reads_here = mode == CUP_COPY_FROM_HERE;
    if ((mode != CUP_COPY_IN_STREAM || now.base.bytes <= INLINE_BYTES_MAX) &&
        cup_stream_enter(stream)) {
        now.caller_waits = mode != CUP_COPY_IN_STREAM;
        cup_stream_run_now(stream, &now.base);
        if (!now.caller_waits)
            return CUDA_SUCCESS;
        cup_context_show_output(stream->context);
        return now.result;
    }
    switch (mode) {
    case CUP_COPY_WAIT:
        return submit_and_wait(stream, &now);
    case CUP_COPY_FROM_HERE:
        return submit_staged(stream, &now);
    default:
        return submit_later(stream, &now, NULL);
    }
}

CUresult cup_copy_submit(struct CUstream_st *stream, const struct cup_copy *copy,
                         enum cup_copy_mode mode)
{
    CUresult result = submit(stream, copy, mode);

    if (mode == CUP_COPY_WAIT)
        cup_check_host_waited_stream(stream);
    return result;
}

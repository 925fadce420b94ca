/* SPDX-License-Identifier: MIT */
#include "stream/host_work.h"

#include "core/config.h"
#include "core/error.h"
#include "core/thread.h"
#include "os/clock.h"
#include "stream/host_work_guard.h"
#include "stream/host_work_profile.h"
#include "stream/operand.h"
#include "stream/operand_access.h"
#include "stream/stream.h"

#include <stdlib.h>
#include <string.h>

void cup_host_work_note_written(const struct cupipe_work *work)
{
    for (size_t i = 0; i < work->range_count; i++) {
        for (uint64_t k = 0; k < cup_operand_blocks(&work->ranges[i]); k++) {
            struct cupipe_range block = cup_operand_block(&work->ranges[i], k);

            for (uint64_t row = 0; block.written && row < cup_operand_rows(&block); row++)
                cup_check_written(block.address + row * block.pitch, block.bytes);
        }
    }
}

/* The program's code must not call CUDA, wherever it runs. */
static CUresult work_run(struct cup_job *base, CUresult failed)
{
    struct cup_host_work_job *job = (struct cup_host_work_job *)base;
    struct cup_thread *self = cup_thread_self();
    bool was_inside = self->in_host_function;

    job->result = failed;
    if (cup_unlikely(failed != CUDA_SUCCESS))
        return failed;
    if (cup_unlikely(cup_checks.host_work_started != NULL))
        cup_check_host_work_started(&job->work);
    job->result = cup_operand_check_access(&job->work);
    if (cup_unlikely(job->result != CUDA_SUCCESS))
        return job->result;
    uint64_t start_ns = cup_host_work_is_profiled() ? cup_clock_ns() : 0;
    self->in_host_function = true;
    job->result = cup_host_work_call(&job->work);
    self->in_host_function = was_inside;
    if (cup_unlikely(start_ns != 0))
        cup_host_work_profile_add(&job->work, cup_clock_ns() - start_ns);
    if (cup_unlikely(job->result == CUDA_ERROR_NOT_READY))
        job->result = CUDA_ERROR_UNKNOWN; /* to the code that runs jobs it means: run it again */
    if (cup_unlikely(cup_checks.written != NULL) && job->result == CUDA_SUCCESS)
        cup_host_work_note_written(&job->work);
    return job->result;
}

void cup_host_work_touch(struct cup_job *base, const struct cupipe_work *work)
{
    for (size_t i = 0; i < work->range_count; i++) {
        for (uint64_t k = 0; k < cup_operand_blocks(&work->ranges[i]); k++) {
            struct cupipe_range block = cup_operand_block(&work->ranges[i], k);

            for (uint64_t row = 0; row < cup_operand_rows(&block); row++)
                cup_check_job_touched(base, block.address + row * block.pitch, block.bytes,
                                      block.written ? CUP_TOUCH_WRITE : CUP_TOUCH_READ);
        }
    }
}

/* Such work does what a kernel does elsewhere. */
void cup_host_work_describe(const struct cup_job *base, struct cupipe_activity *activity)
{
    (void)base;
    activity->kind = CUPIPE_ACTIVITY_KERNEL;
    for (int axis = 0; axis < 3; axis++)
        activity->kernel.grid[axis] = activity->kernel.block[axis] = 1;
}

static void work_touches(struct cup_job *base)
{
    cup_host_work_touch(base, &((struct cup_host_work_job *)base)->work);
}

/* Work that the stream has refused stays with the caller. */
static void work_release(struct cup_job *base)
{
    struct cup_host_work_job *job = (struct cup_host_work_job *)base;

    if (job->work.release && base->is_queued)
        job->work.release(job->work.data);
    free(job);
}

void cup_host_work_job_init(struct cup_host_work_job *job, const struct cupipe_work *work)
{
    *job = (struct cup_host_work_job){
        .base = {.kind = CUP_JOB_HOST_WORK,
                 .name = work->name ? work->name : "host work",
                 .run = work_run,
                 .release = work_release,
                 .touches = work_touches,
                 .describe = cup_host_work_describe},
        .work = *work,
    };
}

size_t cup_host_work_ranges_bytes(const struct cupipe_work *work)
{
    return cup_host_work_wants_ranges() || work->checks_access
               ? work->range_count * sizeof(*work->ranges)
               : 0;
}

void cup_host_work_keep_ranges(struct cupipe_work *work, void *copy, size_t bytes)
{
    if (bytes)
        memcpy(copy, work->ranges, bytes);
    work->ranges = copy;
    work->range_count = bytes / sizeof(*work->ranges);
}

struct cupipe_work *cup_host_work_copy(const struct cupipe_work *work)
{
    size_t bytes = cup_host_work_ranges_bytes(work);
    size_t own_bytes = work->run ? sizeof(*work) : sizeof(struct cupipe_pending_work);
    struct cupipe_work *copy = malloc(own_bytes + bytes);

    if (!copy)
        return NULL;
    memcpy(copy, work, own_bytes);
    cup_host_work_keep_ranges(copy, (char *)copy + own_bytes, bytes);
    return copy;
}

CUresult cup_host_work_submit(struct CUstream_st *stream, const struct cupipe_work *work)
{
    size_t bytes = cup_host_work_ranges_bytes(work);
    struct cup_host_work_job *job = malloc(sizeof(*job) + bytes);

    if (!job)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for the work %s", work->name);
    cup_host_work_job_init(job, work);
    cup_host_work_keep_ranges(&job->work, job->ranges, bytes);
    return cup_stream_submit(stream, &job->base, NULL);
}

/* True if the last job of the stream is over, and the thread that has run it is about to release
 * the stream: a thread that has waited for the job may come here before. */
static bool is_ending(struct CUstream_st *stream)
{
    return cup_stream_get_state(stream) == CUP_STREAM_RUNNING && !cup_stream_is_busy(stream) &&
           !cup_stream_is_capturing(stream);
}

bool cup_host_work_enter(struct CUstream_st *stream)
{
    enum { SPINS = 1000 };
    bool entered = cup_stream_enter(stream);

    for (int i = 0; cup_unlikely(!entered) && i < SPINS && is_ending(stream); i++) {
        cup_relax();
        entered = cup_stream_enter(stream);
    }
    return entered;
}

CUresult cup_host_work_run_now(struct CUstream_st *stream, const struct cupipe_work *work)
{
    struct cup_host_work_job now;

    if (!cup_host_work_enter(stream))
        return CUDA_ERROR_NOT_READY;
    cup_host_work_job_init(&now, work);
    cup_stream_run_now(stream, &now.base);
    return now.result;
}

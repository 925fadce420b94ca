/* SPDX-License-Identifier: MIT */
/* Signals and waits as stream jobs. A pending wait parks the stream with the semaphore watch;
 * nothing here blocks a worker. */
#include "interop/semaphore_job.h"

#include "core/checks.h"
#include "core/error.h"
#include "interop/semaphore_watch.h"
#include "stream/stream.h"

#include <stdlib.h>

static CUresult signal_run(struct cup_job *base, CUresult failed)
{
    struct cup_semaphore_job *job = (struct cup_semaphore_job *)base;

    if (failed != CUDA_SUCCESS)
        return failed;
    for (unsigned i = 0; i < job->count; i++) {
        struct CUextSemaphore_st *semaphore = job->items[i].use.semaphore;
        cup_check_job_released(base, (uint64_t)(uintptr_t)semaphore);
        semaphore->type->signal(semaphore->payload, job->items[i].use.value);
    }
    return CUDA_SUCCESS;
}

/* True if no signal for this wait can come any more. */
static bool cannot_be_signalled(struct cup_semaphore_job *job, struct CUextSemaphore_st *semaphore,
                                bool check_peers)
{
    if (atomic_load(&semaphore->ended) ||
        atomic_load(&job->context->state) == CUP_CONTEXT_DESTROYED) {
        cup_log(CUP_LOG_WARNING, "a semaphore was destroyed while a stream waited for it");
        return true;
    }
    if (check_peers && semaphore->type->is_abandoned(semaphore->payload)) {
        cup_log(CUP_LOG_WARNING, "a process died with a semaphore that a stream waits for");
        return true;
    }
    return false;
}

static CUresult wait_run(struct cup_job *base, CUresult failed)
{
    struct cup_semaphore_job *job = (struct cup_semaphore_job *)base;
    bool check_peers = cup_semaphore_watch_check_due(job), all = true;

    if (failed != CUDA_SUCCESS)
        return failed;
    for (unsigned i = 0; i < job->count; i++) {
        struct cup_semaphore_item *item = &job->items[i];
        struct CUextSemaphore_st *semaphore = item->use.semaphore;
        if (!item->done) {
            item->done = semaphore->type->acquire(semaphore->payload, item->use.value) ||
                         cannot_be_signalled(job, semaphore, check_peers);
            if (item->done)
                cup_check_job_acquired(base, (uint64_t)(uintptr_t)semaphore);
        }
        all = all && item->done;
    }
    return all ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

static void job_release(struct cup_job *base)
{
    struct cup_semaphore_job *job = (struct cup_semaphore_job *)base;

    for (unsigned i = 0; i < job->count; i++) {
        struct CUextSemaphore_st *semaphore = job->items[i].use.semaphore;
        if (job->items[i].entered)
            semaphore->type->leave(semaphore->payload);
        cup_external_semaphore_unref(semaphore);
    }
    free(job);
}

static struct cup_semaphore_job *job_create(struct CUstream_st *stream,
                                            const struct cup_semaphore_use *uses, unsigned count)
{
    struct cup_semaphore_job *job = calloc(1, sizeof(*job) + count * sizeof(job->items[0]));

    if (!job)
        return NULL;
    job->base.release = job_release;
    job->context = stream->context;
    job->count = count;
    for (unsigned i = 0; i < count; i++) {
        cup_object_ref(&uses[i].semaphore->base);
        job->items[i].use = uses[i];
    }
    return job;
}

static bool is_slow(const struct cup_semaphore_job *job)
{
    for (unsigned i = 0; i < job->count; i++) {
        if (job->items[i].use.semaphore->type->slow)
            return true;
    }
    return false;
}

static bool is_over(const struct cup_semaphore_job *job)
{
    for (unsigned i = 0; i < job->count; i++) {
        if (!job->items[i].done)
            return false;
    }
    return true;
}

CUresult cup_external_semaphore_signal(struct CUstream_st *stream,
                                       const struct cup_semaphore_use *uses, unsigned count)
{
    struct cup_semaphore_job *job = job_create(stream, uses, count);

    if (!job)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory to signal semaphores");
    job->base.kind = is_slow(job) ? CUP_JOB_HOST_FUNCTION : CUP_JOB_WORK;
    job->base.name = "signal semaphores";
    job->base.run = signal_run;
    if (job->base.kind == CUP_JOB_HOST_FUNCTION || !cup_stream_enter(stream))
        return cup_stream_submit(stream, &job->base, NULL);
    cup_stream_run_now(stream, &job->base);
    job_release(&job->base);
    return CUDA_SUCCESS;
}

CUresult cup_external_semaphore_wait(struct CUstream_st *stream,
                                     const struct cup_semaphore_use *uses, unsigned count)
{
    struct cup_semaphore_job *job = job_create(stream, uses, count);

    if (!job)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory to wait for semaphores");
    job->base.kind = CUP_JOB_WAIT_VALUE;
    job->base.name = "wait for semaphores";
    job->base.run = wait_run;
    job->base.park = cup_semaphore_watch_add;
    if (cup_stream_enter(stream)) {
        cup_stream_run_now(stream, &job->base);
        if (is_over(job)) {
            job_release(&job->base);
            return CUDA_SUCCESS;
        }
    }
    return cup_stream_submit(stream, &job->base, NULL);
}

/* SPDX-License-Identifier: MIT */
/* Values are read with acquire and written with release order, as single accesses: a thread that
 * sees the value also sees what the stream did before the write. A reduction is one access, too. */
#include "stream/memop.h"

#include "core/checks.h"
#include "core/compiler.h"
#include "core/error.h"
#include "os/guard.h"
#include "stream/stream.h"

#include <stdbool.h>
#include <stdlib.h>

CUP_MAY_FAULT static void load_value(void *argument)
{
    struct cup_memop_job *job = argument;

    if (job->op.size_bytes == 8)
        job->stored = __atomic_load_n((const uint64_t *)job->op.address, __ATOMIC_ACQUIRE);
    else
        job->stored = __atomic_load_n((const uint32_t *)job->op.address, __ATOMIC_ACQUIRE);
    cup_tell_acquire(job->op.address);
}

/* Writes a value, or combines it with what is there; `to` points to 4 or 8 bytes. */
#define STORE(to, value, kind)                                                                     \
    do {                                                                                           \
        switch (kind) {                                                                            \
        case CUP_MEMOP_ADD:                                                                        \
            (void)__atomic_fetch_add(to, value, __ATOMIC_ACQ_REL);                                 \
            break;                                                                                 \
        case CUP_MEMOP_AND:                                                                        \
            (void)__atomic_fetch_and(to, value, __ATOMIC_ACQ_REL);                                 \
            break;                                                                                 \
        case CUP_MEMOP_OR:                                                                         \
            (void)__atomic_fetch_or(to, value, __ATOMIC_ACQ_REL);                                  \
            break;                                                                                 \
        default:                                                                                   \
            __atomic_store_n(to, value, __ATOMIC_RELEASE);                                         \
        }                                                                                          \
    } while (0)

CUP_MAY_FAULT static void store_value(void *argument)
{
    struct cup_memop_job *job = argument;

    cup_tell_release(job->op.address);
    if (job->op.size_bytes == 8)
        STORE((uint64_t *)job->op.address, job->op.value, job->op.kind);
    else
        STORE((uint32_t *)job->op.address, (uint32_t)job->op.value, job->op.kind);
}

static CUresult write_run(struct cup_job *base, CUresult failed)
{
    if (failed != CUDA_SUCCESS)
        return failed;
    cup_check_job_released(base, (uint64_t)(uintptr_t)((struct cup_memop_job *)base)->op.address);
    if (cup_guard_run(store_value, base))
        return CUDA_SUCCESS;
    cup_check_guarded_call_faulted("a value write");
    return CUDA_ERROR_LAUNCH_FAILED;
}

/* Shifts 32-bit values to the upper half of a word, so that signs and complements are right. */
static bool is_geq(uint64_t stored, uint64_t value, unsigned shift)
{
    return (int64_t)((stored - value) << shift) >= 0;
}

static bool is_eq(uint64_t stored, uint64_t value, unsigned shift)
{
    return (stored ^ value) << shift == 0;
}

static bool is_and(uint64_t stored, uint64_t value, unsigned shift)
{
    return (stored & value) << shift != 0;
}

static bool is_nor(uint64_t stored, uint64_t value, unsigned shift)
{
    return ~(stored | value) << shift != 0;
}

static bool (*const tests[])(uint64_t stored, uint64_t value, unsigned shift) = {
    [CUP_MEMOP_WAIT_GEQ] = is_geq,
    [CUP_MEMOP_WAIT_EQ] = is_eq,
    [CUP_MEMOP_WAIT_AND] = is_and,
    [CUP_MEMOP_WAIT_NOR] = is_nor,
};

static CUresult wait_run(struct cup_job *base, CUresult failed)
{
    struct cup_memop_job *job = (struct cup_memop_job *)base;

    if (failed != CUDA_SUCCESS)
        return failed;
    if (job->is_over)
        return CUDA_SUCCESS;
    if (!cup_guard_run(load_value, job)) {
        cup_check_guarded_call_faulted("a wait for a value");
        return CUDA_ERROR_LAUNCH_FAILED;
    }
    job->is_over = tests[job->op.kind](job->stored, job->op.value, 64 - 8 * job->op.size_bytes);
    if (job->is_over)
        cup_check_job_acquired(base, (uint64_t)(uintptr_t)job->op.address);
    return job->is_over ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

static void touches(struct cup_job *base)
{
    const struct cup_memop *op = &((struct cup_memop_job *)base)->op;

    cup_check_job_touched(base, (uint64_t)(uintptr_t)op->address, op->size_bytes,
                          cup_memop_is_wait(op->kind) ? CUP_TOUCH_STRONG_READ
                                                      : CUP_TOUCH_STRONG_WRITE);
}

static void release(struct cup_job *base)
{
    free(base);
}

/* Returns false if the operation must be submitted. */
static bool run_at_once(struct CUstream_st *stream, struct cup_memop_job *job)
{
    if (!cup_stream_enter(stream))
        return false;
    cup_stream_run_now(stream, &job->base);
    return job->base.kind == CUP_JOB_WORK || job->is_over;
}

void cup_memop_job_init(struct cup_memop_job *job, const struct cup_memop *op)
{
    bool waits = cup_memop_is_wait(op->kind);

    *job = (struct cup_memop_job){
        .base = {.kind = waits ? CUP_JOB_WAIT_VALUE : CUP_JOB_WORK,
                 .name = waits                         ? "wait value"
                         : op->kind == CUP_MEMOP_WRITE ? "write value"
                                                       : "reduce value",
                 .run = waits ? wait_run : write_run,
                 .release = release,
                 .touches = touches},
        .op = *op,
    };
}

CUresult cup_memop_submit(struct CUstream_st *stream, const struct cup_memop *op)
{
    struct cup_memop_job job;

    if (op->kind == CUP_MEMOP_NONE)
        return CUDA_SUCCESS;
    cup_memop_job_init(&job, op);
    if (run_at_once(stream, &job))
        return CUDA_SUCCESS;
    struct cup_memop_job *submitted = malloc(sizeof(*submitted));
    if (!submitted)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for an operation on memory");
    *submitted = job;
    return cup_stream_submit(stream, &submitted->base, NULL);
}

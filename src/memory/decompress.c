/* SPDX-License-Identifier: MIT */
#include "memory/decompress.h"

#include "core/checks.h"
#include "core/error.h"
#include "core/log.h"
#include "os/guard.h"
#include "stream/engine.h"
#include "stream/stream.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    INLINE_BYTES_MAX = 32 << 10, /* waking a worker costs about as much as decompressing this */
    PARALLEL_BYTES_MIN = 64 << 10,
    USUAL_RATIO = 4, /* assumed if the data does not state its decompressed size */
};

struct decompress_job {
    struct cup_job base;
    struct cup_decompress_entry *entries;
    size_t count;
    _Atomic(CUresult) result; /* the first failure */
};

static const struct {
    CUresult result;
    const char *reason;
} failures[CUP_UNPACK_RESULTS] = {
    [CUP_UNPACK_CORRUPT] = {CUDA_ERROR_LAUNCH_FAILED,
                            "the data is corrupt, or too large for its destination"},
    [CUP_UNPACK_TOO_LARGE] = {CUDA_ERROR_LAUNCH_FAILED,
                              "the data is too large for its destination"},
    [CUP_UNPACK_FAULT] = {CUDA_ERROR_ILLEGAL_ADDRESS, "its memory has been freed"},
    [CUP_UNPACK_NO_MEMORY] = {CUDA_ERROR_LAUNCH_FAILED, "out of host memory"},
};

struct decompress_record {
    void *to;
    uint32_t bytes;
};

static void record_body(void *argument)
{
    const struct decompress_record *record = argument;

    memcpy(record->to, &record->bytes, sizeof(record->bytes));
}

static void decompress_touches(struct cup_job *base)
{
    const struct decompress_job *job = (struct decompress_job *)base;

    for (size_t i = 0; i < job->count; i++) {
        const struct cup_decompress_entry *entry = &job->entries[i];

        cup_check_job_touched(base, (uint64_t)(uintptr_t)entry->packed.source,
                              entry->packed.source_bytes, CUP_TOUCH_READ);
        cup_check_job_touched(base, (uint64_t)(uintptr_t)entry->packed.destination,
                              entry->packed.room_bytes, CUP_TOUCH_WRITE);
        if (entry->written)
            cup_check_job_touched(base, (uint64_t)(uintptr_t)entry->written, sizeof(uint32_t),
                                  CUP_TOUCH_WRITE);
    }
}

static void entry_run(void *argument, size_t index)
{
    struct decompress_job *job = argument;
    const struct cup_decompress_entry *entry = &job->entries[index];
    size_t written_bytes;
    enum cup_unpack_result result = cup_unpack(&entry->packed, &written_bytes);
    struct decompress_record record = {entry->written, (uint32_t)written_bytes};

    if (record.to && !cup_guard_run(record_body, &record))
        result = CUP_UNPACK_FAULT;
    cup_check_written((uint64_t)(uintptr_t)entry->packed.destination, written_bytes);
    if (record.to)
        cup_check_written((uint64_t)(uintptr_t)record.to, sizeof(record.bytes));
    if (result == CUP_UNPACK_DONE)
        return;
    if (result == CUP_UNPACK_FAULT)
        cup_check_guarded_call_faulted("a decompression");
    CUresult none = CUDA_SUCCESS;
    if (atomic_compare_exchange_strong(&job->result, &none, failures[result].result))
        cup_log(CUP_LOG_ERROR,
                "decompression, entry %zu of %zu (algorithm %d, %zu bytes, room for %zu): %s",
                index, job->count, (int)entry->packed.algorithm, entry->packed.source_bytes,
                entry->packed.room_bytes, failures[result].reason);
}

static CUresult decompress_run(struct cup_job *base, CUresult failed)
{
    struct decompress_job *job = (struct decompress_job *)base;

    if (failed != CUDA_SUCCESS)
        return failed;
    if (job->count > 1 && base->bytes >= PARALLEL_BYTES_MIN && cup_engine_width() > 1) {
        cup_engine_parallel(entry_run, job, job->count);
    } else {
        for (size_t i = 0; i < job->count; i++)
            entry_run(job, i);
    }
    return atomic_load(&job->result);
}

static void decompress_release(struct cup_job *base)
{
    free(((struct decompress_job *)base)->entries);
    free(base);
}

/* Estimates the decompressed size. */
static uint64_t estimate(const struct cup_decompress_entry *entries, size_t count)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < count; i++) {
        const struct cup_packed *packed = &entries[i].packed;
        bytes += packed->exact_end ? USUAL_RATIO * packed->source_bytes : packed->room_bytes;
    }
    return bytes;
}

CUresult cup_decompress_submit(struct CUstream_st *stream, struct cup_decompress_entry *entries,
                               size_t count)
{
    struct decompress_job *job = malloc(sizeof(*job));

    if (!job) {
        free(entries);
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a decompression job");
    }
    *job = (struct decompress_job){
        .base = {.kind = CUP_JOB_WORK,
                 .name = "decompress",
                 .bytes = estimate(entries, count),
                 .run = decompress_run,
                 .touches = decompress_touches,
                 .release = decompress_release},
        .entries = entries,
        .count = count,
    };
    if (job->base.bytes <= INLINE_BYTES_MAX && cup_stream_enter(stream)) {
        cup_stream_run_now(stream, &job->base);
        decompress_release(&job->base);
        return CUDA_SUCCESS;
    }
    return cup_stream_submit(stream, &job->base, NULL);
}

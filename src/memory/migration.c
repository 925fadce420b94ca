/* SPDX-License-Identifier: MIT */
/* One job with a list of migrations. */
#include "memory/migration.h"

#include "core/error.h"
#include "memory/managed.h"
#include "stream/stream.h"

#include <stdlib.h>
#include <string.h>

enum { INLINE_COUNT_MAX = 64 };

struct migration_job {
    struct cup_job base;
    size_t count;
    struct cup_migration migrations[];
};

CUresult cup_migration_check(struct cup_migration *migration)
{
    return cup_managed_identify(migration->address, migration->size_bytes, &migration->buffer_id);
}

/* Memory that was freed meanwhile, and a lack of memory to record a prefetch, are not errors. */
static CUresult migration_run(struct cup_job *base, CUresult failed)
{
    struct migration_job *job = (struct migration_job *)base;

    if (failed != CUDA_SUCCESS)
        return failed;
    for (size_t i = 0; i < job->count; i++) {
        const struct cup_migration *each = &job->migrations[i];
        struct cup_advice_change prefetch = {CUP_ADVICE_PREFETCHED, true, each->to};

        if (each->discards)
            cup_managed_discard(each->address, each->size_bytes, each->buffer_id);
        if (each->prefetches)
            cup_managed_advise(each->address, each->size_bytes, each->buffer_id, &prefetch);
    }
    return CUDA_SUCCESS;
}

static void migration_release(struct cup_job *base)
{
    free(base);
}

CUresult cup_migration_submit(struct CUstream_st *stream, const struct cup_migration *migrations,
                              size_t count)
{
    struct migration_job *job = malloc(sizeof(*job) + count * sizeof(*migrations));

    if (!job)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a list of %zu ranges", count);
    job->base = (struct cup_job){.kind = CUP_JOB_WORK,
                                 .name = migrations->discards ? "discard" : "prefetch",
                                 .run = migration_run,
                                 .release = migration_release};
    job->count = count;
    for (size_t i = 0; i < count; i++) {
        job->migrations[i] = migrations[i];
        job->base.bytes += migrations[i].size_bytes;
    }
    if (count > INLINE_COUNT_MAX || !cup_stream_enter(stream))
        return cup_stream_submit(stream, &job->base, NULL);
    cup_stream_run_now(stream, &job->base);
    free(job);
    return CUDA_SUCCESS;
}

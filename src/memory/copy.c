/* SPDX-License-Identifier: MIT */
/* A small copy on an idle stream is done on the spot; a large one is split over the workers. Overlapping
 * rows are copied as if through a buffer, one after the other. */
#include "memory/copy.h"

#include "core/error.h"
#include "os/guard.h"
#include "stream/engine.h"
#include "stream/stream.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
    INLINE_BYTES_MAX = 64 << 10,  /* waking a worker costs about as much as copying this */
    PARALLEL_BYTES_MIN = 1 << 20,
    PART_BYTES = 512 << 10,
    STAGED_BYTES_MAX = 4 << 20,   /* larger pageable sources are waited for instead */
};

struct copy_job {
    struct cup_job base;
    struct cup_copy copy;
    void *staging;         /* the job's own copy of the source, or NULL */
    bool caller_waits;     /* `result` is the caller's, not the stream's */
    CUresult result;
};

static size_t copy_bytes(const struct cup_copy *copy)
{
    return copy->width_bytes * copy->height * copy->depth;
}

/* A box whose rows lie one behind the other on both sides is one long row. */
static struct cup_copy simplify(struct cup_copy copy)
{
    if (copy.height > 1 && copy.destination_row == copy.width_bytes &&
        copy.source_row == copy.width_bytes &&
        (copy.depth == 1 || (copy.destination_slice == copy.width_bytes * copy.height &&
                             copy.source_slice == copy.destination_slice))) {
        copy.width_bytes *= copy.height * copy.depth;
        copy.height = copy.depth = 1;
    }
    return copy;
}

static void copy_row(const struct cup_copy *copy, size_t row)
{
    size_t y = row % copy->height, z = row / copy->height;
    uint64_t to = copy->destination + y * copy->destination_row + z * copy->destination_slice;
    uint64_t from = copy->source + y * copy->source_row + z * copy->source_slice;

    memmove((void *)(uintptr_t)to, (const void *)(uintptr_t)from, copy->width_bytes);
}

static void copy_all(void *argument)
{
    const struct cup_copy *copy = argument;

    if (copy->height == 1 && copy->depth == 1) {
        copy_row(copy, 0);
        return;
    }
    for (size_t row = 0; row < copy->height * copy->depth; row++)
        copy_row(copy, row);
}

/* A copy in parts: of a long row, pieces; of a box, groups of rows. */
struct split_copy {
    const struct cup_copy *copy;
    size_t rows_a_part; /* 0: pieces of PART_BYTES */
    _Atomic(bool) faulted;
};

struct split_part {
    struct split_copy *split;
    size_t index;
};

static void copy_piece(const struct cup_copy *copy, size_t index)
{
    size_t start = index * PART_BYTES;
    size_t bytes = copy->width_bytes - start < PART_BYTES ? copy->width_bytes - start : PART_BYTES;

    memcpy((void *)(uintptr_t)(copy->destination + start),
           (const void *)(uintptr_t)(copy->source + start), bytes);
}

static void part_body(void *argument)
{
    struct split_part *part = argument;
    const struct cup_copy *copy = part->split->copy;
    size_t rows = part->split->rows_a_part;

    if (rows == 0) {
        copy_piece(copy, part->index);
        return;
    }
    size_t end = (part->index + 1) * rows, total = copy->height * copy->depth;
    for (size_t row = part->index * rows; row < end && row < total; row++)
        copy_row(copy, row);
}

static void part_run(void *argument, size_t index)
{
    struct split_copy *split = argument;
    struct split_part part = {split, index};

    if (!atomic_load(&split->faulted) && !cup_guard_run(part_body, &part))
        atomic_store(&split->faulted, true);
}

static bool run_split(const struct cup_copy *copy)
{
    struct split_copy split = {.copy = copy};
    size_t rows = copy->height * copy->depth, parts;

    if (rows == 1) {
        parts = (copy->width_bytes + PART_BYTES - 1) / PART_BYTES;
    } else {
        split.rows_a_part = copy->width_bytes < PART_BYTES ? PART_BYTES / copy->width_bytes : 1;
        parts = (rows + split.rows_a_part - 1) / split.rows_a_part;
    }
    cup_engine_parallel(part_run, &split, parts);
    return !atomic_load(&split.faulted);
}

/* From the first to the last byte touched. */
static uint64_t extent(const struct cup_copy *copy, size_t row, size_t slice)
{
    return (copy->height - 1) * row + (copy->depth - 1) * slice + copy->width_bytes;
}

static bool overlaps(const struct cup_copy *copy)
{
    uint64_t to_bytes = extent(copy, copy->destination_row, copy->destination_slice);
    uint64_t from_bytes = extent(copy, copy->source_row, copy->source_slice);

    return copy->destination < copy->source + from_bytes && copy->source < copy->destination + to_bytes;
}

/* False when a pointer was bad. */
static bool copy_execute(const struct cup_copy *asked)
{
    struct cup_copy copy = simplify(*asked);

    if (copy_bytes(&copy) >= PARALLEL_BYTES_MIN && cup_engine_width() > 1 && !overlaps(&copy))
        return run_split(&copy);
    return cup_guard_run(copy_all, &copy);
}

static CUresult copy_run(struct cup_job *base, CUresult failed)
{
    struct copy_job *job = (struct copy_job *)base;

    job->result = failed;
    if (failed == CUDA_SUCCESS && cup_unlikely(!copy_execute(&job->copy)))
        job->result = job->caller_waits ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_ILLEGAL_ADDRESS;
    return job->caller_waits ? CUDA_SUCCESS : job->result;
}

static void keep_on_stack(struct cup_job *base)
{
    (void)base;
}

static void copy_release(struct cup_job *base)
{
    free(((struct copy_job *)base)->staging);
    free(base);
}

static CUresult submit_and_wait(struct CUstream_st *stream, struct copy_job *job)
{
    struct cup_point point;

    job->base.release = keep_on_stack;
    job->caller_waits = true;
    CUresult result = cup_stream_submit(stream, &job->base, &point);
    if (result != CUDA_SUCCESS)
        return result;
    cup_point_wait(point);
    return job->result;
}

static CUresult submit_later(struct CUstream_st *stream, const struct copy_job *now, void *staging)
{
    struct copy_job *job = malloc(sizeof(*job));

    if (!job) {
        free(staging);
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a copy job");
    }
    *job = *now;
    job->base.release = copy_release;
    job->staging = staging;
    return cup_stream_submit(stream, &job->base, NULL);
}

/* Takes the source away into a buffer of the job's own, packed. */
static CUresult submit_staged(struct CUstream_st *stream, struct copy_job *now)
{
    size_t bytes = copy_bytes(&now->copy);
    void *staging = bytes <= STAGED_BYTES_MAX ? malloc(bytes) : NULL;

    if (!staging)
        return submit_and_wait(stream, now);
    struct cup_copy gather = now->copy;
    gather.destination = (uint64_t)(uintptr_t)staging;
    gather.destination_row = gather.width_bytes;
    gather.destination_slice = gather.width_bytes * gather.height;
    if (!copy_execute(&gather)) {
        free(staging);
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the source is not readable");
    }
    now->copy.source = gather.destination;
    now->copy.source_row = gather.destination_row;
    now->copy.source_slice = gather.destination_slice;
    return submit_later(stream, now, staging);
}

CUresult cup_copy_submit(struct CUstream_st *stream, const struct cup_copy *copy,
                         enum cup_copy_mode mode)
{
    struct copy_job now = {
        .base = {.kind = CUP_JOB_WORK, .name = "copy", .bytes = copy_bytes(copy), .run = copy_run},
        .copy = *copy,
    };

    if ((mode != CUP_COPY_IN_STREAM || now.base.bytes <= INLINE_BYTES_MAX) &&
        cup_stream_enter(stream)) {
        now.caller_waits = mode != CUP_COPY_IN_STREAM;
        cup_stream_run_now(stream, &now.base);
        return now.caller_waits ? now.result : CUDA_SUCCESS;
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

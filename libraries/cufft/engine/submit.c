/* SPDX-License-Identifier: MIT */
/* The operands of a transform are its two arrays. An array with gaps is named piece by piece if a
 * check wants to know, else by its extent, whose ends the driver looks at. */
#include "submit.h"

#include "driver.h"
#include "work.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_PIECES = 4096 };

/* An axis of an array with more than one element, in bytes. */
struct level {
    size_t count;
    size_t stride;
};

/* Arrays as runs of bytes with levels of repetition, the shortest stride first. */
struct pieces {
    uintptr_t address;
    size_t bytes;
    int level_count;
    struct level levels[FFT_MAX_DIMENSIONS];
    bool written;
};

static int compare_levels(const void *first, const void *second)
{
    const struct level *a = first, *b = second;

    return (a->stride > b->stride) - (a->stride < b->stride);
}

static void merge_levels(struct pieces *pieces)
{
    int merged = 0;

    qsort(pieces->levels, (size_t)pieces->level_count, sizeof(struct level), compare_levels);
    while (merged < pieces->level_count && pieces->levels[merged].stride <= pieces->bytes) {
        const struct level *level = &pieces->levels[merged++];

        pieces->bytes += (level->count - 1) * level->stride;
    }
    pieces->level_count -= merged;
    for (int i = 0; i < pieces->level_count; i++)
        pieces->levels[i] = pieces->levels[i + merged];
}

static struct pieces pieces_of(const struct fft_transform *transform, bool written)
{
    const ptrdiff_t *stride = written ? transform->out_stride : transform->in_stride;
    size_t bytes = written ? fft_out_bytes(transform) : fft_in_bytes(transform);
    struct fft_span span = written ? fft_out_span(transform) : fft_in_span(transform);
    struct pieces pieces = {.bytes = bytes, .written = written};

    pieces.address = (uintptr_t)(written ? transform->out : transform->in) - span.before;
    for (int i = 0; i < transform->dimensions; i++) {
        size_t count = written ? fft_out_length(transform, i) : fft_in_length(transform, i);
        size_t step = stride[i] < 0 ? -(size_t)stride[i] : (size_t)stride[i];

        if (count > 1 && step)
            pieces.levels[pieces.level_count++] = (struct level){count, step * bytes};
    }
    merge_levels(&pieces);
    return pieces;
}

static size_t range_count(const struct pieces *pieces)
{
    size_t count = 1;

    for (int i = 1; i < pieces->level_count; i++) {
        if (__builtin_mul_overflow(count, pieces->levels[i].count, &count))
            return SIZE_MAX;
    }
    return count;
}

/* Range number `index`: rows of the first level, at the place that the index has in the others. */
static struct cupipe_range range_at(const struct pieces *pieces, size_t index)
{
    struct cupipe_range range = {
        .address = pieces->address, .bytes = pieces->bytes, .written = pieces->written};

    if (pieces->level_count > 0) {
        range.rows = pieces->levels[0].count;
        range.pitch = pieces->levels[0].stride;
    }
    for (int i = 1; i < pieces->level_count; i++) {
        range.address += index % pieces->levels[i].count * pieces->levels[i].stride;
        index /= pieces->levels[i].count;
    }
    return range;
}

static struct cupipe_range extent(const struct pieces *pieces)
{
    size_t bytes = pieces->bytes;

    for (int i = 0; i < pieces->level_count; i++)
        bytes += (pieces->levels[i].count - 1) * pieces->levels[i].stride;
    return (struct cupipe_range){.address = pieces->address,
                                 .bytes = bytes,
                                 .written = pieces->written,
                                 .partly = pieces->level_count > 0};
}

static size_t add_ranges(struct cupipe_range *ranges, const struct pieces *pieces, bool exact)
{
    size_t count = exact ? range_count(pieces) : 1;

    if (!exact) {
        ranges[0] = extent(pieces);
        return 1;
    }
    for (size_t i = 0; i < count; i++)
        ranges[i] = range_at(pieces, i);
    return count;
}

static unsigned long long nanoseconds(const struct fft_transform *transform)
{
    double count = 1, logarithm = 2;

    for (int i = 0; i < transform->dimensions; i++) {
        count *= (double)transform->shape[i];
        if (i >= transform->dimensions - transform->transformed)
            logarithm += log2((double)transform->shape[i]);
    }
    return (unsigned long long)fmin(500 + 0.3 * count * logarithm, 1e18);
}

bool fft_device_reaches(const void *address)
{
    CUmemorytype type;

    return lib_driver()->pointer_get_attribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                               (CUdeviceptr)(uintptr_t)address) == CUDA_SUCCESS;
}

static CUresult run(void *arguments)
{
    return fft_engine_run(arguments) ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

/* The operands of a call: ranges that the caller frees unless they are `few`. */
static struct cupipe_range *make_ranges(const struct fft_transform *transform, bool names_in,
                                        bool names_out, struct cupipe_range few[2], size_t *count)
{
    const struct pieces in = pieces_of(transform, false), out = pieces_of(transform, true);
    bool exact = lib_driver()->cupipe->wants_ranges() && range_count(&in) <= MOST_PIECES &&
                 range_count(&out) <= MOST_PIECES;
    struct cupipe_range *ranges = few;

    if (exact)
        ranges = malloc((range_count(&in) + range_count(&out)) * sizeof(*ranges));
    if (!ranges)
        return NULL;
    *count = names_in ? add_ranges(ranges, &in, exact) : 0;
    if (names_out)
        *count += add_ranges(ranges + *count, &out, exact);
    return ranges;
}

CUresult fft_submit(const char *name, CUstream stream, const struct fft_transform *transform)
{
    struct lib_call call = {.name = name, .stream = stream};
    struct cupipe_range few[2];
    struct cupipe_range *ranges = make_ranges(transform, true, true, few, &call.operand_count);
    CUresult result;

    if (!ranges)
        return CUDA_ERROR_OUT_OF_MEMORY;
    call.operands = ranges;
    /* Work that will fail does so in its turn, not in this call. */
    call.nanoseconds = fft_device_reaches(transform->in) ? nanoseconds(transform) : UINT64_MAX;
    result = lib_submit(&call, run, transform, sizeof(*transform));
    if (ranges != few)
        free(ranges);
    return result;
}

CUresult fft_submit_and_wait(const char *name, const struct fft_transform *transform)
{
    struct fft_transform copy = *transform;
    struct lib_call call = {.name = name};
    struct cupipe_range few[2], *ranges;
    bool in, out;
    CUresult result;

    if (lib_ensure_context() != CUDA_SUCCESS)
        return run(&copy);
    in = fft_device_reaches(transform->in);
    out = fft_device_reaches(transform->out);
    if (!in && !out)
        return run(&copy);
    ranges = make_ranges(transform, in, out, few, &call.operand_count);
    if (!ranges)
        return CUDA_ERROR_OUT_OF_MEMORY;
    call.operands = ranges;
    result = lib_submit_and_wait(&call, run, &copy);
    if (ranges != few)
        free(ranges);
    return result;
}

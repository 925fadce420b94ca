/* SPDX-License-Identifier: MIT */
#include "memory/fill.h"

#include "core/checks.h"
#include "core/error.h"
#include "device/device.h"
#include "memory/map.h"
#include "memory/multicast.h"
#include "memory/peer_access.h"
#include "memory/physical.h"
#include "os/guard.h"
#include "stream/engine.h"
#include "stream/stream.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
    INLINE_BYTES_MAX = 64 << 10,
    PARALLEL_BYTES_MIN = 1 << 20,
    PART_BYTES = 2 << 20, /* long parts: the hardware prefetches better */
};

CUresult cup_fill_check(const struct cup_fill *fill, const struct cup_device *device,
                        struct cup_span *found)
{
    uint64_t span, last_row;

    if (fill->destination % fill->element_bytes ||
        (fill->height > 1 && (fill->row % fill->element_bytes || fill->row < fill->width_bytes)))
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "address or pitch is not a multiple of %u-byte elements",
                         fill->element_bytes);
    if (__builtin_mul_overflow(fill->row, fill->height - 1, &last_row) ||
        __builtin_add_overflow(last_row, fill->width_bytes, &span))
        span = UINT64_MAX;
    if (cup_unlikely(!cup_map_find(fill->destination, found))) {
        cup_check_argument_rejected(fill->destination, span);
        return cup_error(CUDA_ERROR_INVALID_VALUE, "0x%llx is not CUDA memory",
                         (unsigned long long)fill->destination);
    }
    if (cup_unlikely(!cup_map_holds(found, fill->destination, span, CUP_RANGE_NO_WRITE))) {
        cup_check_argument_rejected(fill->destination, span);
        return cup_error(
            CUDA_ERROR_INVALID_VALUE,
            "the fill exceeds an allocation of %llu bytes, or the memory is not writable",
            (unsigned long long)found->size_bytes);
    }
    if (!cup_peer_access_allows(device, fill->destination, span, CUP_GRANT_WRITE))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "device %d has no access to 0x%llx",
                         device->ordinal, (unsigned long long)fill->destination);
    return CUDA_SUCCESS;
}

/* The word that a row repeats from its start on. Bits of a value that exceed its element continue
 * in the following elements, as NVIDIA's driver was recorded to do. */
static uint32_t pattern_of(const struct cup_fill *fill)
{
    uint32_t pattern = fill->value;

    if (fill->element_bytes == 1)
        pattern |= pattern << 8;
    if (fill->element_bytes <= 2)
        pattern |= pattern << 16;
    return pattern;
}

/* The pattern that continues after that many bytes, 0 to 3. */
static uint32_t rotate(uint32_t pattern, size_t bytes)
{
    return bytes ? pattern >> 8 * bytes | pattern << (32 - 8 * bytes) : pattern;
}

/* The address is a multiple of 4. Stores four vectors per iteration, for throughput. */
static void fill_words(uint64_t address, size_t bytes, uint32_t value)
{
    typedef uint32_t vector __attribute__((vector_size(16), aligned(4)));
    uint32_t *at = (uint32_t *)(uintptr_t)address;
    size_t count = bytes / 4, i = 0;
    vector four = {value, value, value, value};

    for (; i + 16 <= count; i += 16) {
        *(vector *)(at + i) = four;
        *(vector *)(at + i + 4) = four;
        *(vector *)(at + i + 8) = four;
        *(vector *)(at + i + 12) = four;
    }
    for (; i < count; i++)
        at[i] = value;
}

static void fill_run_of(uint64_t address, size_t bytes, uint32_t pattern)
{
    size_t head = -address & 3;

    if (pattern == (pattern & 0xff) * 0x01010101u) { /* as it mostly is */
        memset((void *)(uintptr_t)address, (int)(pattern & 0xff), bytes);
        return;
    }
    if (head > bytes)
        head = bytes;
    memcpy((void *)(uintptr_t)address, &pattern, head);
    pattern = rotate(pattern, head);
    fill_words(address + head, bytes - head, pattern);
    size_t tail = (bytes - head) % 4;
    memcpy((void *)(uintptr_t)(address + bytes - tail), &pattern, tail);
}

static void fill_all(void *argument)
{
    const struct cup_fill *fill = argument;
    uint32_t pattern = pattern_of(fill);

    for (size_t y = 0; y < fill->height; y++)
        fill_run_of(fill->destination + y * fill->row, fill->width_bytes, pattern);
}

struct split_fill {
    const struct cup_fill *fill;
    size_t rows_a_part; /* 0: pieces of PART_BYTES */
    _Atomic(bool) faulted;
};

static void part_run(void *argument, size_t index)
{
    struct split_fill *split = argument;
    struct cup_fill part = *split->fill;

    if (split->rows_a_part == 0) {
        size_t start = index * PART_BYTES;
        part.destination += start;
        part.width_bytes =
            part.width_bytes - start < PART_BYTES ? part.width_bytes - start : PART_BYTES;
    } else {
        size_t start = index * split->rows_a_part, left = part.height - start;
        part.destination += start * part.row;
        part.height = left < split->rows_a_part ? left : split->rows_a_part;
    }
    if (!cup_guard_run(fill_all, &part) && !atomic_exchange(&split->faulted, true))
        cup_check_guarded_call_faulted("a fill");
}

static bool run_split(const struct cup_fill *fill)
{
    struct split_fill split = {.fill = fill};
    size_t parts = (fill->width_bytes + PART_BYTES - 1) / PART_BYTES;

    if (fill->height > 1) {
        split.rows_a_part = fill->width_bytes < PART_BYTES ? PART_BYTES / fill->width_bytes : 1;
        parts = (fill->height + split.rows_a_part - 1) / split.rows_a_part;
    }
    cup_engine_parallel(part_run, &split, parts);
    return !atomic_load(&split.faulted);
}

/* Whether a row that begins directly after the previous one continues its pattern. */
static bool rows_continue(const struct cup_fill *fill)
{
    uint32_t pattern = pattern_of(fill);

    return rotate(pattern, fill->row % 4) == pattern;
}

static bool fill_plain(struct cup_fill *fill)
{
    if (fill->width_bytes * fill->height >= PARALLEL_BYTES_MIN && cup_engine_width() > 1)
        return run_split(fill);
    return cup_guard_run(fill_all, fill);
}

/* At a multicast address, where the first byte faults: fills the memory of all devices. */
static bool fill_multicast(struct cup_fill fill)
{
    struct cup_multicast_places places;
    bool done = true;

    if (!cup_multicast_find(fill.destination, &places))
        return false;
    for (unsigned i = 0; done && i < places.count; i++) {
        fill.destination = places.addresses[i];
        done = fill_plain(&fill);
    }
    cup_physical_unref(places.object);
    return done;
}

static CUresult fill_run(struct cup_job *base, CUresult failed)
{
    struct cup_fill fill = ((struct cup_fill_job *)base)->fill;

    if (failed != CUDA_SUCCESS)
        return failed;
    if (fill.height > 1 && fill.row == fill.width_bytes && rows_continue(&fill)) {
        fill.width_bytes *= fill.height;
        fill.height = 1;
    }
    if (cup_likely(fill_plain(&fill)) || fill_multicast(fill)) {
        for (size_t y = 0; cup_checks.written && y < fill.height; y++)
            cup_check_written(fill.destination + y * fill.row, fill.width_bytes);
        return CUDA_SUCCESS;
    }
    cup_check_guarded_call_faulted("a fill");
    return CUDA_ERROR_ILLEGAL_ADDRESS;
}

static void fill_touches(struct cup_job *base)
{
    const struct cup_fill *fill = &((struct cup_fill_job *)base)->fill;

    for (size_t y = 0; y < fill->height; y++)
        cup_check_job_touched(base, fill->destination + y * fill->row, fill->width_bytes,
                              CUP_TOUCH_WRITE);
}

static void fill_describe(const struct cup_job *base, struct cupipe_activity *activity)
{
    const struct cup_fill *fill = &((const struct cup_fill_job *)base)->fill;
    struct cup_span span;

    activity->kind = CUPIPE_ACTIVITY_FILL;
    activity->fill.bytes = base->bytes;
    activity->fill.value = fill->value;
    activity->fill.memory = cup_map_find(fill->destination, &span)
                                ? cup_range_memory_kind(span.kind, span.flags)
                                : CUPIPE_MEMORY_PAGEABLE;
}

static void fill_release(struct cup_job *base)
{
    free(base);
}

void cup_fill_job_init(struct cup_fill_job *job, const struct cup_fill *fill)
{
    *job = (struct cup_fill_job){
        .base = {.kind = CUP_JOB_WORK,
                 .name = "fill",
                 .bytes = fill->width_bytes * fill->height,
                 .run = fill_run,
                 .release = fill_release,
                 .touches = fill_touches,
                 .describe = fill_describe},
        .fill = *fill,
    };
}

CUresult cup_fill_submit(struct CUstream_st *stream, const struct cup_fill *fill)
{
    struct cup_fill_job now;

    cup_fill_job_init(&now, fill);

    if (now.base.bytes <= INLINE_BYTES_MAX && cup_stream_enter(stream)) {
        cup_stream_run_now(stream, &now.base);
        return CUDA_SUCCESS;
    }
    struct cup_fill_job *job = malloc(sizeof(*job));
    if (!job)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a fill job");
    *job = now;
    return cup_stream_submit(stream, &job->base, NULL);
}

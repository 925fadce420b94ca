/* SPDX-License-Identifier: MIT */
/* A box is first simplified: rows that are adjacent on both sides become one long row. The rest is
 * divided into parts of about equal size, pieces of rows or groups of rows, that any worker may
 * take. Rows of a few bytes have loops of their own, in which a row takes two or three
 * instructions. */
#include "memory/transfer.h"

#include "core/checks.h"
#include "memory/copy.h"
#include "memory/map.h"
#include "memory/multicast.h"
#include "memory/physical.h"
#include "os/guard.h"
#include "stream/engine.h"

#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

enum {
    PARALLEL_BYTES_MIN = 1 << 20,
    PART_BYTES_LEAST = 256 << 10,
    PART_BYTES_MOST = 2 << 20, /* long parts: the hardware prefetches better */
    PARTS_A_WORKER = 8,        /* or more, so that all end at about the same time */
    PART_UNIT_BYTES = 4096,
    PARTS_MOST = 1 << 16,
    LINE_BYTES = 64, /* a shorter row costs as much as one of this many bytes */
};

static struct cup_copy simplify(struct cup_copy copy)
{
    if (copy.height == 1) {
        copy.destination_row = copy.destination_slice;
        copy.source_row = copy.source_slice;
        copy.height = copy.depth;
        copy.depth = 1;
    } else if (copy.destination_slice == copy.destination_row * copy.height &&
               copy.source_slice == copy.source_row * copy.height) {
        copy.height *= copy.depth;
        copy.depth = 1;
    }
    if (copy.destination_row == copy.width_bytes && copy.source_row == copy.width_bytes) {
        copy.width_bytes *= copy.height;
        copy.height = copy.depth;
        copy.depth = 1;
        copy.destination_row = copy.destination_slice;
        copy.source_row = copy.source_slice;
    }
    return copy;
}

/* The bytes of a row, or its cost in bytes if it is short. */
static size_t row_cost(const struct cup_copy *copy)
{
    return copy->width_bytes < LINE_BYTES ? LINE_BYTES : copy->width_bytes;
}

/* True if the copy is large enough to wake workers. Divides, so that nothing overflows. */
static bool is_large(const struct cup_copy *copy)
{
    return copy->height * copy->depth >= (PARALLEL_BYTES_MIN + row_cost(copy) - 1) / row_cost(copy);
}

/* Addresses come from the program and the fault guard checks them; sanitizers must not check them
 * first. */
#define AS_GIVEN __attribute__((no_sanitize("address", "undefined")))

/* Inlined with a constant width, the two calls of memcpy are a load and a store. */
AS_GIVEN static inline __attribute__((always_inline)) void
transfer_short_rows(unsigned char *to, const unsigned char *from, const struct cup_copy *copy,
                    size_t rows, size_t width)
{
    unsigned char row[32];

    for (; rows > 0; rows--, to += copy->destination_row, from += copy->source_row) {
        memcpy(row, from, width);
        memcpy(to, row, width);
    }
}

/* Rows of one slice. */
AS_GIVEN static void move_rows(unsigned char *to, const unsigned char *from,
                               const struct cup_copy *copy, size_t rows)
{
    switch (copy->width_bytes) {
    case 1:
        transfer_short_rows(to, from, copy, rows, 1);
        return;
    case 2:
        transfer_short_rows(to, from, copy, rows, 2);
        return;
    case 4:
        transfer_short_rows(to, from, copy, rows, 4);
        return;
    case 8:
        transfer_short_rows(to, from, copy, rows, 8);
        return;
    case 16:
        transfer_short_rows(to, from, copy, rows, 16);
        return;
    case 32:
        transfer_short_rows(to, from, copy, rows, 32);
        return;
    }
    /* As numbers: behind the last row they may wrap. */
    uintptr_t to_row = (uintptr_t)to, from_row = (uintptr_t)from;
    for (; rows > 0; rows--, to_row += copy->destination_row, from_row += copy->source_row)
        memmove((void *)to_row, (const void *)from_row, copy->width_bytes);
}

/* The rows from `first` to before `end`, counted through all slices. */
static void transfer_range(const struct cup_copy *copy, size_t first, size_t end)
{
    while (first < end) {
        size_t y = first % copy->height, z = first / copy->height;
        size_t rows = copy->height - y < end - first ? copy->height - y : end - first;
        uint64_t to = copy->destination + y * copy->destination_row + z * copy->destination_slice;
        uint64_t from = copy->source + y * copy->source_row + z * copy->source_slice;

        move_rows((unsigned char *)(uintptr_t)to, (const unsigned char *)(uintptr_t)from, copy,
                  rows);
        first += rows;
    }
}

AS_GIVEN static void transfer_all(void *argument)
{
    const struct cup_copy *copy = argument;

    if (copy->height == 1 && copy->depth == 1)
        memmove((void *)(uintptr_t)copy->destination, (const void *)(uintptr_t)copy->source,
                copy->width_bytes);
    else
        transfer_range(copy, 0, copy->height * copy->depth);
}

/* Whether other processes may write the memory. */
static bool is_exported(uint64_t address)
{
    struct cup_span span;

    return cup_map_find(address, &span) && (span.flags & CUP_RANGE_EXPORTED);
}

/* For CUPIPE_CHECK=init: what was written at the source is written at the destination. Memory that
 * others may write later stays written. */
static void note_written(const struct cup_copy *copy)
{
    if (is_exported(copy->destination))
        return;
    for (size_t z = 0; z < copy->depth; z++)
        for (size_t y = 0; y < copy->height; y++)
            cup_check_copied(
                copy->destination + y * copy->destination_row + z * copy->destination_slice,
                copy->source + y * copy->source_row + z * copy->source_slice, copy->width_bytes);
}

static size_t part_bytes_of(size_t bytes)
{
    size_t part = bytes / (PARTS_A_WORKER * (size_t)cup_engine_width());

    /* An impossible size must not give more parts than can be counted. */
    if (part > PART_BYTES_MOST)
        return bytes / PARTS_MOST > PART_BYTES_MOST ? bytes / PARTS_MOST : PART_BYTES_MOST;
    return part < PART_BYTES_LEAST ? PART_BYTES_LEAST : part / PART_UNIT_BYTES * PART_UNIT_BYTES;
}

/* A copy in parts. Long rows are cut into pieces, short ones are put together. */
struct split {
    const struct cup_copy *copy;
    size_t part_bytes;
    size_t pieces_a_row;
    size_t rows_a_part; /* 1 where rows are cut */
    _Atomic(bool) faulted;
};

struct part {
    struct split *split;
    size_t index;
};

static void move_piece(const struct split *split, size_t row, size_t piece)
{
    struct cup_copy one = *split->copy;
    size_t start = piece * split->part_bytes, left = one.width_bytes - start;

    one.destination += start;
    one.source += start;
    one.width_bytes = left < split->part_bytes ? left : split->part_bytes;
    transfer_range(&one, row, row + 1);
}

static void part_body(void *argument)
{
    const struct part *part = argument;
    const struct split *split = part->split;

    if (split->pieces_a_row > 1) {
        move_piece(split, part->index / split->pieces_a_row, part->index % split->pieces_a_row);
        return;
    }
    size_t rows = split->copy->height * split->copy->depth;
    size_t first = part->index * split->rows_a_part, left = rows - first;
    transfer_range(split->copy, first,
                   first + (left < split->rows_a_part ? left : split->rows_a_part));
}

static void part_run(void *argument, size_t index)
{
    struct split *split = argument;
    struct part part = {split, index};

    if (!atomic_load(&split->faulted) && !cup_guard_run(part_body, &part) &&
        !atomic_exchange(&split->faulted, true))
        cup_check_guarded_call_faulted("a copy");
}

static bool move_split(const struct cup_copy *copy)
{
    struct split split = {.copy = copy, .rows_a_part = 1};
    size_t rows = copy->height * copy->depth, bytes;

    if (__builtin_mul_overflow(rows, row_cost(copy), &bytes))
        bytes = SIZE_MAX; /* rows that lie on each other on the source's side */
    split.part_bytes = part_bytes_of(bytes);
    split.pieces_a_row = (copy->width_bytes + split.part_bytes - 1) / split.part_bytes;
    if (split.pieces_a_row == 1)
        split.rows_a_part = split.part_bytes / row_cost(copy);
    cup_engine_parallel(part_run, &split,
                        (rows + split.rows_a_part - 1) / split.rows_a_part * split.pieces_a_row);
    return !atomic_load(&split.faulted);
}

/* The range from the lowest byte of a box to one past the highest. */
static void reach(const struct cup_copy *copy, uint64_t at, size_t row, size_t slice, uint64_t *low,
                  uint64_t *high)
{
    int64_t rows = (int64_t)((copy->height - 1) * row),
            slices = (int64_t)((copy->depth - 1) * slice);

    *low = at + (uint64_t)(rows < 0 ? rows : 0) + (uint64_t)(slices < 0 ? slices : 0);
    *high = at + (uint64_t)(rows > 0 ? rows : 0) + (uint64_t)(slices > 0 ? slices : 0) +
            copy->width_bytes;
}

/* True if its rows may be copied concurrently and in any order: no row is read where another is
 * written, and no two are written to the same bytes. */
static bool rows_independent(const struct cup_copy *copy)
{
    uint64_t to_low, to_high, from_low, from_high;
    int64_t row = (int64_t)copy->destination_row;

    reach(copy, copy->destination, copy->destination_row, copy->destination_slice, &to_low,
          &to_high);
    reach(copy, copy->source, copy->source_row, copy->source_slice, &from_low, &from_high);
    return (to_high <= from_low || from_high <= to_low) &&
           (copy->height == 1 ||
            (row < 0 ? 0 - (uint64_t)row : (uint64_t)row) >= copy->width_bytes);
}

static bool transfer_plain(const struct cup_copy *copy)
{
    struct cup_copy each = *copy;

    if (is_large(copy) && cup_engine_width() > 1 && rows_independent(copy))
        return move_split(copy);
    return cup_guard_run(transfer_all, &each);
}

static bool transfer_to_all(struct cup_copy copy)
{
    struct cup_multicast_places places;
    bool done = true;

    if (!cup_multicast_find(copy.destination, &places))
        return transfer_plain(&copy);
    for (unsigned i = 0; done && i < places.count; i++) {
        copy.destination = places.addresses[i];
        done = transfer_plain(&copy);
    }
    cup_physical_unref(places.object);
    return done;
}

/* A copy from or to multicast addresses, which fault at the first byte: from the memory of the
 * team's first device, to that of all devices. */
static bool transfer_multicast(struct cup_copy copy)
{
    struct cup_multicast_places places;
    struct cup_span span;
    bool done;

    if (!cup_multicast_find(copy.source, &places))
        return cup_map_find(copy.destination, &span) && (span.flags & CUP_RANGE_MULTICAST) &&
               transfer_to_all(copy);
    copy.source = places.addresses[0];
    done = transfer_to_all(copy);
    cup_physical_unref(places.object);
    return done;
}

bool cup_transfer(const struct cup_copy *asked)
{
    struct cup_copy copy = simplify(*asked);

    if (cup_likely(transfer_plain(&copy))) {
        if (cup_checks.copied)
            note_written(&copy);
        return true;
    }
    if (transfer_multicast(copy))
        return true;
    cup_check_guarded_call_faulted("a copy");
    return false;
}

/* Several copies in groups, one after the other within a group. */
struct many {
    const struct cup_copy *copies;
    size_t count;
    size_t a_group;
    _Atomic(bool) faulted;
};

struct group {
    const struct cup_copy *copies;
    size_t count;
};

/* Large copies were already executed by all workers together. */
static void group_body(void *argument)
{
    const struct group *group = argument;

    for (size_t i = 0; i < group->count; i++) {
        struct cup_copy copy = simplify(group->copies[i]);

        if (!is_large(&copy)) {
            transfer_all(&copy);
            if (cup_checks.copied)
                note_written(&copy);
        }
    }
}

static void group_run(void *argument, size_t index)
{
    struct many *many = argument;
    size_t first = index * many->a_group, left = many->count - first;
    struct group group = {many->copies + first, left < many->a_group ? left : many->a_group};

    if (atomic_load(&many->faulted) || cup_guard_run(group_body, &group))
        return;
    /* One at a time, for those from or to multicast addresses. */
    for (size_t i = 0; i < group.count; i++) {
        if (!is_large(&group.copies[i]) && !cup_transfer(&group.copies[i])) {
            atomic_store(&many->faulted, true);
            return;
        }
    }
}

bool cup_transfer_many(const struct cup_copy *copies, size_t count)
{
    struct many many = {.copies = copies, .count = count, .a_group = count};
    size_t small_bytes = 0;

    for (size_t i = 0; i < count; i++) {
        struct cup_copy copy = simplify(copies[i]);

        if (!is_large(&copy))
            small_bytes += row_cost(&copy) * copy.height * copy.depth;
        else if (!cup_transfer(&copy))
            return false;
    }
    if (small_bytes < PARALLEL_BYTES_MIN || cup_engine_width() == 1) {
        group_run(&many, 0);
    } else {
        size_t parts = small_bytes / part_bytes_of(small_bytes);
        many.a_group = (count + parts - 1) / parts;
        cup_engine_parallel(group_run, &many, (count + many.a_group - 1) / many.a_group);
    }
    return !atomic_load(&many.faulted);
}

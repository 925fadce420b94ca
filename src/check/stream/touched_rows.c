/* SPDX-License-Identifier: MIT */
#include "check/stream/touched_rows.h"

static uint64_t min(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t max(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Rows without a gap between them are one. */
static struct cup_touched_rows close_gaps(struct cup_touched_rows rows)
{
    if (rows.count > 1 && rows.step > rows.bytes)
        return rows;
    return (struct cup_touched_rows){rows.first, (rows.count - 1) * rows.step + rows.bytes, 0, 1};
}

struct cup_touched_rows cup_touched_rows_make(uint64_t first, uint64_t bytes, int64_t step,
                                              uint64_t count)
{
    struct cup_touched_rows rows = {first, bytes, (uint64_t)step, count};

    if (step < 0) {
        rows.step = -(uint64_t)step;
        rows.first -= (count - 1) * rows.step;
    }
    return close_gaps(rows);
}

/* Rows side by side, as many at the same distance: each becomes longer. */
static bool join_columns(struct cup_touched_rows *a, const struct cup_touched_rows *b)
{
    uint64_t first = min(a->first, b->first);

    if (a->count != b->count || a->step != b->step || b->first > a->first + a->bytes ||
        a->first > b->first + b->bytes)
        return false;
    a->bytes = max(a->first + a->bytes, b->first + b->bytes) - first;
    a->first = first;
    *a = close_gaps(*a);
    return true;
}

/* Any rows within one, or one within one of several. */
static bool contains(const struct cup_touched_rows *a, const struct cup_touched_rows *b)
{
    uint64_t offset = b->first - a->first;

    if (b->first < a->first)
        return false;
    if (a->count == 1)
        return cup_touched_rows_end(b) <= a->first + a->bytes;
    return b->count == 1 && offset / a->step < a->count && offset % a->step + b->bytes <= a->bytes;
}

bool cup_touched_rows_widen(struct cup_touched_rows *rows, const struct cup_touched_rows *more)
{
    return join_columns(rows, more) || contains(rows, more);
}

bool cup_touched_rows_extend(struct cup_touched_rows *a, const struct cup_touched_rows *b)
{
    uint64_t step = a->count > 1 ? a->step : b->step, first = min(a->first, b->first);
    uint64_t apart = max(a->first, b->first) - first, end;

    if (a->bytes != b->bytes)
        return false;
    if (a->count == 1 && b->count == 1)
        step = apart;
    if (step <= a->bytes || (a->count > 1 && b->count > 1 && a->step != b->step) ||
        apart % step != 0)
        return false;
    apart /= step;
    if (apart > (a->first == first ? a->count : b->count))
        return false;
    end = a->first == first ? max(a->count, apart + b->count) : max(b->count, apart + a->count);
    *a = (struct cup_touched_rows){first, a->bytes, step, end};
    return true;
}

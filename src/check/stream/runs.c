/* SPDX-License-Identifier: MIT */
/* An instruction that touches memory at even distances has a run, which compiled code lengthens by
 * itself (struct cup_abi_run). A run that breaks becomes rows. Rows are joined with those that the
 * instruction has touched before: warps and blocks mostly continue where others end, so that all
 * that a worker touches is a few rows. The oldest of those that cannot be joined go to the set of
 * the launch. */
#include "check/stream/runs.h"

#include "abi/check.h"
#include "core/compiler.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MAX = 6 };

struct slot {
    uint64_t first;                /* address of the run's first access */
    struct cup_touched_rows lanes; /* what that touches; count 0: there is no run */
    uint32_t touches;
    bool is_used;
    uint32_t row_count;
    struct cup_touched_rows rows[ROWS_MAX]; /* the newest first */
};

struct runs {
    struct cup_abi_run runs[CUP_ABI_RUNS]; /* first: compiled code has their address */
    struct runs *next;                     /* that is not in use */
    struct cup_touched *touched;           /* NULL: nothing is noted */
    uint32_t used_count;
    uint8_t used[CUP_ABI_RUNS]; /* slots */
    struct slot slots[CUP_ABI_RUNS];
};

_Static_assert(CUP_ABI_RUNS <= 256, "a slot is a byte");

/* Leaf mutex: guards runs that are not in use, which are empty. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct runs *unused;

/* For blocks that get none because memory is out. Compiled code finds no access there. */
static struct runs none;
static pthread_once_t none_once = PTHREAD_ONCE_INIT;

static void make_none(void)
{
    for (unsigned i = 0; i < CUP_ABI_RUNS; i++)
        none.runs[i].next = UINT64_MAX;
}

struct cup_abi_run *cup_runs_get(struct cup_touched *touched)
{
    struct runs *runs;

    pthread_mutex_lock(&lock);
    runs = unused;
    if (runs)
        unused = runs->next;
    pthread_mutex_unlock(&lock);
    if (!runs)
        runs = calloc(1, sizeof(*runs));
    if (!runs) {
        pthread_once(&none_once, make_none);
        return none.runs;
    }
    runs->touched = touched;
    return runs->runs;
}

/* Joins rows with one of those of the slot. What lies beside others comes first: any two single
 * rows can be taken for the first two of many. */
static bool join(struct slot *slot, uint32_t from, const struct cup_touched_rows *rows)
{
    for (uint32_t i = from; i < slot->row_count; i++) {
        if (cup_touched_rows_widen(&slot->rows[i], rows))
            return true;
    }
    for (uint32_t i = from; i < slot->row_count; i++) {
        if (cup_touched_rows_extend(&slot->rows[i], rows))
            return true;
    }
    return false;
}

/* Makes room: joins rows that have grown, and hands over older ones if all are in use. */
static void make_room(struct runs *runs, struct slot *slot)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < slot->row_count; i++) {
        if (!join(slot, i + 1, &slot->rows[i]))
            slot->rows[kept++] = slot->rows[i];
    }
    slot->row_count = kept;
    while (kept == ROWS_MAX && slot->row_count > ROWS_MAX / 2)
        cup_touched_add_rows(runs->touched, &slot->rows[--slot->row_count], slot->touches);
}

static void add(struct runs *runs, struct slot *slot, struct cup_touched_rows rows)
{
    if (join(slot, 0, &rows))
        return;
    if (slot->row_count == ROWS_MAX)
        make_room(runs, slot);
    memmove(&slot->rows[1], &slot->rows[0], slot->row_count * sizeof(*slot->rows));
    slot->rows[0] = rows;
    slot->row_count++;
}

/* All accesses of a run. If each is one row, or continues the rows of the one before, they are
 * rows; otherwise they are as many as a warp has lanes, or fewer. */
static void add_run(struct runs *runs, struct slot *slot, int64_t step, uint64_t count)
{
    struct cup_touched_rows lanes = slot->lanes;
    uint64_t times = count < lanes.count ? count : lanes.count;

    if (lanes.count > 1 && (uint64_t)step == lanes.step * lanes.count) {
        lanes.count *= count;
        add(runs, slot, lanes);
        return;
    }
    for (uint64_t i = 0; i < times; i++)
        add(runs, slot,
            times < lanes.count
                ? (struct cup_touched_rows){lanes.first + i * (uint64_t)step, lanes.bytes,
                                            lanes.step, lanes.count}
                : cup_touched_rows_make(lanes.first + i * lanes.step, lanes.bytes, step, count));
}

/* Ends a run: what it touched becomes rows. */
static void end_run(struct runs *runs, struct slot *slot, const struct cup_abi_run *run)
{
    int64_t step = (int64_t)run->step;

    if (slot->lanes.count)
        add_run(runs, slot, step, step ? (uint64_t)((int64_t)(run->next - slot->first) / step) : 1);
    slot->lanes.count = 0;
}

static struct slot *slot_of(struct runs *runs, uint32_t number, uint32_t touches)
{
    struct slot *slot = &runs->slots[number];

    if (cup_unlikely(!slot->is_used)) {
        slot->is_used = true;
        slot->touches = touches;
        runs->used[runs->used_count++] = (uint8_t)number;
    }
    return slot;
}

void cup_runs_put(struct cup_abi_run *first)
{
    struct runs *runs = (struct runs *)first;

    if (!runs || runs == &none)
        return;
    for (uint32_t i = 0; i < runs->used_count; i++) {
        struct slot *slot = &runs->slots[runs->used[i]];

        end_run(runs, slot, &runs->runs[runs->used[i]]);
        make_room(runs, slot);
        for (uint32_t row = 0; row < slot->row_count; row++)
            cup_touched_add_rows(runs->touched, &slot->rows[row], slot->touches);
        runs->runs[runs->used[i]] = (struct cup_abi_run){.next = 0};
        *slot = (struct slot){.first = 0};
    }
    runs->used_count = 0;
    pthread_mutex_lock(&lock);
    runs->next = unused;
    unused = runs;
    pthread_mutex_unlock(&lock);
}

/* Whether a distance can be that of a run: an access that is about to fault may be anywhere. */
static bool is_step(uint64_t distance)
{
    const uint64_t limit = UINT64_C(1) << 46;

    return distance + limit < 2 * limit;
}

/* The second access tells the distance. After that, a run that breaks is over, and the next one is
 * expected to have the same distance. */
static void break_run(struct runs *runs, struct slot *slot, struct cup_abi_run *run,
                      uint64_t address, const struct cup_touched_rows *lanes)
{
    if (slot->lanes.count && run->next - slot->first == run->step &&
        is_step(address - slot->first)) {
        run->step = address - slot->first;
        run->next = address + run->step;
        return;
    }
    if (!slot->lanes.count)
        run->step = lanes->count > 1 ? lanes->step * lanes->count : lanes->bytes;
    end_run(runs, slot, run);
    slot->first = address;
    slot->lanes = *lanes;
    run->next = address + run->step;
}

void cup_runs_break(struct cup_abi_run *first, struct cup_touched *touched, uint32_t number,
                    uint64_t address, const struct cup_touched_rows *lanes, uint32_t touches)
{
    struct runs *runs = (struct runs *)first;

    if (cup_likely(runs != &none))
        break_run(runs, slot_of(runs, number, touches), &runs->runs[number], address, lanes);
    else
        cup_touched_add_rows(touched, lanes, touches);
}

void cup_runs_add(struct cup_abi_run *first, struct cup_touched *touched, uint32_t number,
                  const struct cup_touched_rows *rows, uint32_t touches)
{
    struct runs *runs = (struct runs *)first;

    if (number == CUP_ABI_NO_RUN || runs == &none)
        cup_touched_add_rows(touched, rows, touches);
    else
        add(runs, slot_of(runs, number, touches), *rows);
}

/* SPDX-License-Identifier: MIT */
/* check/stream/touched_rows.h and check/stream/runs.h: rows that are joined, runs that are
 * lengthened and broken, and sets that are compared have exactly the bytes that were touched. Each
 * is held against an array of bytes, for random rows. */
#include "abi/check.h"
#include "check/stream/runs.h"
#include "check/stream/touched.h"
#include "test.h"

#include <string.h>

enum { BYTES = 1 << 13, BASE = 1 << 20 };

static uint64_t seed;

static uint64_t random_below(uint64_t limit)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (seed >> 33) % limit;
}

static void mark(bool *model, const struct cup_touched_rows *rows)
{
    for (uint64_t i = 0; i < rows->count; i++) {
        uint64_t at = rows->first + i * rows->step - BASE;

        check(at + rows->bytes <= BYTES);
        memset(model + at, true, rows->bytes);
    }
}

/* Few different numbers, so that rows often fit to each other. */
static struct cup_touched_rows random_rows(void)
{
    static const uint64_t lengths[] = {1, 4, 4, 16};
    uint64_t bytes = lengths[random_below(4)], count = 1 + random_below(4);
    int64_t step = (int64_t)(random_below(3) ? 4 * bytes : random_below(100));

    step = random_below(3) ? step : -step;
    return cup_touched_rows_make(BASE + BYTES / 2 + 4 * bytes * random_below(8) +
                                     bytes * random_below(4),
                                 bytes, step, count);
}

static void check_rows(const struct cup_touched_rows *rows)
{
    check(rows->count >= 1 && rows->bytes > 0);
    check(rows->count == 1 ? rows->step == 0 : rows->step > rows->bytes);
}

TEST(joined_rows_are_both)
{
    static bool before[BYTES], after[BYTES];
    unsigned joined = 0;

    for (unsigned turn = 0; turn < 20000; turn++) {
        struct cup_touched_rows a = random_rows(), b = random_rows();

        check_rows(&a);
        memset(before, 0, sizeof before);
        memset(after, 0, sizeof after);
        mark(before, &a);
        mark(before, &b);
        if (!cup_touched_rows_widen(&a, &b) && !cup_touched_rows_extend(&a, &b))
            continue;
        check_rows(&a);
        mark(after, &a);
        check(memcmp(before, after, sizeof before) == 0);
        joined++;
    }
    check(joined > 1000);
}

TEST(rows_that_continue_become_one)
{
    struct cup_touched_rows rows = cup_touched_rows_make(4096, 128, 1024, 8), more;

    for (unsigned i = 1; i < 8; i++) {
        more = cup_touched_rows_make(4096 + 128 * i, 128, 1024, 8);
        check(cup_touched_rows_widen(&rows, &more));
    }
    check(rows.first == 4096 && rows.bytes == 8192 && rows.count == 1);
    rows = cup_touched_rows_make(4096, 4, 16, 256);
    more = cup_touched_rows_make(8192, 4, 16, 256);
    check(!cup_touched_rows_widen(&rows, &more) && cup_touched_rows_extend(&rows, &more));
    check(rows.first == 4096 && rows.bytes == 4 && rows.step == 16 && rows.count == 512);
}

/* What compiled code does with an access. */
static void access_at(struct cup_abi_run *runs, struct cup_touched *touched, uint32_t slot,
                      uint64_t address, const struct cup_touched_rows *lanes)
{
    if (runs[slot].next == address)
        runs[slot].next += runs[slot].step;
    else
        cup_runs_break(runs, touched, slot, address, lanes, 1u << CUP_TOUCH_READ);
}

/* A walk of an instruction through memory. The slot decides how its lanes lie. */
static void walk(struct cup_abi_run *runs, struct cup_touched *touched, uint32_t slot, bool *model)
{
    uint64_t bytes = slot % 4 + 1, lanes = slot < 4 ? 1 : 4;
    int64_t lane_step = slot < 6 ? 12 : -7, step = (int64_t)(random_below(3) ? 4 * 12 : bytes);
    uint64_t count = 1 + random_below(20), at = BASE + BYTES / 4 + random_below(BYTES / 2);

    step = random_below(3) ? step : (int64_t)random_below(60) - 30;
    for (uint64_t i = 0; i < count; i++, at += (uint64_t)step) {
        struct cup_touched_rows row = cup_touched_rows_make(at, bytes, lane_step, lanes);

        mark(model, &row);
        if (random_below(50) == 0)
            cup_runs_add(runs, touched, slot, &row, 1u << CUP_TOUCH_READ);
        else
            access_at(runs, touched, slot, at, &row);
    }
}

/* Whether writes of single bytes conflict with the set. */
static void compare(struct cup_touched *touched, const bool *model)
{
    for (uint64_t i = 0; i < BYTES; i++) {
        struct cup_touched one = {.page_count = 0};
        struct cup_touched_conflict conflict;

        cup_touched_add_range(&one, BASE + i, 1, CUP_TOUCH_WRITE);
        cup_touched_seal(&one);
        check(cup_touched_conflicts(touched, &one, &conflict) == model[i]);
        check(!model[i] || (conflict.address == BASE + i && conflict.bytes == 1));
        cup_touched_finish(&one);
    }
}

TEST(runs_have_what_was_accessed)
{
#ifdef TEST_UNDER_TSAN
    enum { TURNS = 12, STEP = 4 }; /* 5 seconds become a minute */
#else
    enum { TURNS = 12, STEP = 1 };
#endif
    static bool model[BYTES];

    for (unsigned turn = 0; turn < TURNS; turn += STEP) {
        struct cup_touched touched = {.page_count = 0};
        struct cup_abi_run *runs;

        memset(model, 0, sizeof model);
        check(cup_touched_begin(&touched));
        runs = cup_runs_get(&touched);
        for (unsigned i = 0; i < 10 * turn; i++)
            walk(runs, &touched, (uint32_t)random_below(8), model);
        cup_runs_put(runs);
        cup_touched_mark_range(&touched, BASE + 3, 5, CUP_TOUCH_READ);
        memset(model + 3, true, 5);
        cup_touched_seal(&touched);
        compare(&touched, model);
        cup_touched_finish(&touched);
    }
}

TEST(more_rows_than_a_set_keeps_are_marked)
{
    static bool model[BYTES];
    struct cup_touched touched = {.page_count = 0};

    check(cup_touched_begin(&touched));
    for (unsigned i = 0; i < 40000; i++) {
        struct cup_touched_rows rows = {BASE + random_below(BYTES / 2), 1 + random_below(5),
                                        6 + random_below(90), 2 + random_below(40)};

        mark(model, &rows);
        cup_touched_add_rows(&touched, &rows, 1u << CUP_TOUCH_READ);
    }
    check(atomic_load(&touched.has_all_rows));
    cup_touched_seal(&touched);
    compare(&touched, model);
    cup_touched_finish(&touched);
}

/* Columns of a matrix that parts of a grid touch, in any order. */
TEST(rows_of_parts_become_few)
{
    enum { COLUMNS = 32, COLUMN_BYTES = 8, ROW_BYTES = COLUMNS * COLUMN_BYTES, ROWS = 20 };
    struct cup_touched touched = {.page_count = 0};
    static bool model[BYTES];

    check(cup_touched_begin(&touched));
    for (unsigned i = 0, column = 0; i < COLUMNS; i++, column = (column + 11) % COLUMNS) {
        struct cup_touched_rows rows = {BASE + column * COLUMN_BYTES, COLUMN_BYTES, ROW_BYTES,
                                        ROWS};

        mark(model, &rows);
        cup_touched_add_rows(&touched, &rows, 1u << CUP_TOUCH_READ);
        cup_touched_add_rows(&touched, &rows, 1u << CUP_TOUCH_READ);
    }
    check(touched.rows.count == 1);
    check(touched.rows.list[0].rows.bytes == ROWS * ROW_BYTES);
    cup_touched_seal(&touched);
    compare(&touched, model);
    cup_touched_finish(&touched);
}

TEST(sets_forget_rows)
{
    struct cup_touched touched = {.page_count = 0};
    static bool model[BYTES];
    struct cup_touched_rows long_rows = {BASE, 600, 1000, 5}, short_rows = {BASE + 6000, 8, 64, 20};

    check(cup_touched_begin(&touched));
    cup_touched_add_rows(&touched, &long_rows, 1u << CUP_TOUCH_READ);
    cup_touched_add_rows(&touched, &short_rows, 1u << CUP_TOUCH_STRONG_WRITE);
    mark(model, &long_rows);
    mark(model, &short_rows);
    cup_touched_seal(&touched);
    cup_touched_forget(&touched, BASE + BYTES, 100);
    cup_touched_forget(&touched, BASE + 1100, 5000);
    memset(model + 1100, false, 5000);
    compare(&touched, model);
    cup_touched_finish(&touched);
}

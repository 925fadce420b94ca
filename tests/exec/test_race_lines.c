/* SPDX-License-Identifier: MIT */
/* check/race/line.c: accesses of whole warps find the same races as those of their lanes, in lines
 * that have one stamp and in lines whose words have their own. */
#include "check/race/unit.h"
#include "test.h"

enum { WARPS = 3, LINE = 32 };

static _Alignas(128) uint32_t memory[8 * LINE];
static struct cup_race_launch launch;
static struct cup_race last;
static unsigned found, quick;

static void count_race(void *context, const struct cup_race *race)
{
    (void)context;
    last = *race;
    found++;
}

static struct cup_race_unit *unit_at(uint32_t index)
{
    struct cup_race_unit *unit = cup_race_unit_create(1, WARPS, sizeof(memory));

    check(unit != NULL);
    unit->found = count_race;
    cup_race_unit_begin(unit, &launch, index, WARPS * 32);
    return unit;
}

static struct cup_race_unit *start(void)
{
    cup_race_launch_init(&launch, 4);
    found = quick = 0;
    return unit_at(0);
}

static void end(struct cup_race_unit *unit)
{
    cup_race_write_end(unit);
    cup_race_unit_destroy(unit);
}

static void settle(struct cup_race_unit *unit, uint32_t warp)
{
    cup_race_settle(unit, warp, UINT32_MAX);
    cup_race_settled(unit, warp);
}

/* All lanes access `bytes` bytes each, from a word on, one behind the other or all the same. */
static void run(struct cup_race_unit *unit, uint32_t warp, uint32_t index, uint32_t bytes,
                bool is_row, bool writes, bool is_shared)
{
    struct cup_race_run told = {.warp = warp,
                                .site = 100 + warp,
                                .writes = writes,
                                .is_shared = is_shared,
                                .is_row = is_row,
                                .bytes = bytes,
                                .address = (uint64_t)(uintptr_t)&memory[index],
                                .window = (uint64_t)(uintptr_t)memory};
    uint64_t addresses[32];
    struct cup_race_access access = {.warp = warp,
                                     .site = told.site,
                                     .writes = writes,
                                     .is_shared = is_shared,
                                     .mask = UINT32_MAX,
                                     .bytes = bytes,
                                     .addresses = addresses,
                                     .window = told.window};

    settle(unit, warp);
    for (uint64_t lane = 0; lane < 32; lane++)
        addresses[lane] = told.address + (is_row ? lane * bytes : 0);
    if (cup_race_check_run(unit, &told))
        quick++;
    else
        cup_race_check(unit, &access);
    for (uint32_t i = 0; writes && i < 32 * bytes / 4; i++)
        memory[index + i]++;
}

static void row(struct cup_race_unit *unit, uint32_t warp, uint32_t index, bool writes)
{
    run(unit, warp, index, 4, true, writes, true);
}

static void read_word(struct cup_race_unit *unit, uint32_t warp, uint32_t index)
{
    run(unit, warp, index, 4, false, false, true);
}

/* One thread accesses a word. */
static void touch(struct cup_race_unit *unit, uint32_t thread, uint32_t index, bool writes)
{
    uint64_t addresses[32];
    struct cup_race_access access = {.warp = thread / 32,
                                     .site = 200,
                                     .writes = writes,
                                     .is_shared = true,
                                     .mask = 1u << thread % 32,
                                     .bytes = 4,
                                     .addresses = addresses,
                                     .window = (uint64_t)(uintptr_t)memory};

    addresses[thread % 32] = (uint64_t)(uintptr_t)&memory[index];
    settle(unit, thread / 32);
    cup_race_check(unit, &access);
    memory[index] += writes;
}

static void all_wait(struct cup_race_unit *unit)
{
    for (uint32_t warp = 0; warp < WARPS; warp++) {
        cup_race_settle(unit, warp, UINT32_MAX);
        cup_race_barrier(unit, warp, UINT32_MAX, cup_race_barrier_number(0, 0),
                         CUP_RACE_PHASE_UNKNOWN, true);
    }
}

TEST(a_row_that_is_written_and_read_races)
{
    for (unsigned is_shared = 0; is_shared < 2; is_shared++) {
        struct cup_race_unit *unit = start();

        run(unit, 0, 0, 4, true, true, is_shared);
        all_wait(unit);
        run(unit, 1, 0, 4, true, false, is_shared);
        run(unit, 2, 0, 4, true, false, is_shared);
        all_wait(unit);
        run(unit, 2, 0, 4, true, true, is_shared);
        check(found == 0 && quick == 4);
        run(unit, 0, 0, 4, true, false, is_shared);
        check(found == 32 && quick == 4);
        check(last.first.warp == 2 && last.first.lane == 31 && last.second.lane == 31);
        end(unit);
    }
}

TEST(a_word_of_a_row_races_with_its_lane)
{
    static const struct {
        uint32_t bytes, index, lane;
    } cases[] = {{4, 5, 5}, {8, 33, 16}, {16, 127, 31}, {16, 36, 9}};

    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct cup_race_unit *unit = start();

        run(unit, 0, 0, cases[i].bytes, true, true, true);
        check(quick == 1);
        touch(unit, 40, cases[i].index, false);
        check(found == 1 && last.first.lane == cases[i].lane && last.first.site == 100);
        check(last.bytes == 4 && last.offset == 4 * cases[i].index);
        end(unit);
    }
}

TEST(a_row_that_does_not_begin_with_a_line)
{
    struct cup_race_unit *unit = start();

    row(unit, 0, 16, true);
    check(quick == 0);
    row(unit, 1, 32, false);
    check(found == 16 && last.first.lane == 31 && last.second.lane == 15);
    end(unit);
}

TEST(words_that_all_lanes_read_are_those_alone)
{
    struct cup_race_unit *unit = start();

    read_word(unit, 0, 3);
    read_word(unit, 0, 7);
    run(unit, 0, 12, 16, false, false, true);
    check(quick == 3);
    touch(unit, 40, 4, true);
    touch(unit, 41, 11, true);
    touch(unit, 42, 16, true);
    check(found == 0);
    touch(unit, 43, 7, true);
    check(found == 1 && last.first.warp == 0 && !last.first.writes);
    touch(unit, 44, 15, true);
    check(found == 2);
    end(unit);
}

TEST(lanes_race_with_a_word_that_all_of_them_read)
{
    struct cup_race_unit *unit = start();

    read_word(unit, 0, 3);
    touch(unit, 0, 3, true);
    check(found == 1 && last.first.warp == 0 && last.second.warp == 0);
    end(unit);
}

TEST(reads_of_two_words_keep_their_places)
{
    struct cup_race_unit *unit = start();
    struct cup_race_run told = {.site = 7,
                                .is_shared = true,
                                .bytes = 4,
                                .address = (uint64_t)(uintptr_t)&memory[1],
                                .window = (uint64_t)(uintptr_t)memory};

    settle(unit, 0);
    check(cup_race_check_run(unit, &told));
    told.site = 8;
    told.address += 4;
    check(cup_race_check_run(unit, &told));
    touch(unit, 40, 1, true);
    check(found == 1 && last.first.site == 7);
    touch(unit, 40, 2, true);
    check(found == 2 && last.first.site == 8);
    end(unit);
}

TEST(a_line_that_several_warps_read_has_a_tag)
{
    struct cup_race_unit *unit = start();

    row(unit, 0, 0, true);
    all_wait(unit);
    row(unit, 0, 0, false);
    check(unit->shared.line->tag != unit->quick[0].shared_tag);
    row(unit, 1, 0, false);
    row(unit, 2, 0, false);
    check(unit->shared.line->tag == unit->quick[2].shared_tag);
    for (uint32_t i = 0; i < 2 * LINE; i++)
        read_word(unit, i / LINE, LINE + i % LINE);
    read_word(unit, 2, LINE);
    check(unit->shared.line[1].tag == unit->quick[2].shared_tag);
    check(found == 0);
    row(unit, 2, 0, true);
    check(found == 64);
    touch(unit, 64, LINE, true);
    check(found == 66);
    settle(unit, 2);
    check(unit->shared.line[0].tag != unit->quick[2].shared_tag);
    check(unit->shared.line[1].tag != unit->quick[2].shared_tag);
    end(unit);
}

TEST(a_line_of_which_words_were_not_read_has_no_tag)
{
    struct cup_race_unit *unit = start();

    for (uint32_t i = 0; i < 2 * LINE - 2; i++)
        read_word(unit, i / (LINE - 1), i % (LINE - 1));
    read_word(unit, 2, 0);
    check(unit->shared.line->tag != unit->quick[2].shared_tag);
    end(unit);
}

TEST(a_tag_ends_with_the_interval)
{
    struct cup_race_unit *unit = start();

    row(unit, 0, 0, false);
    row(unit, 1, 0, false);
    settle(unit, 2);
    check(unit->shared.line->tag == unit->quick[2].shared_tag);
    all_wait(unit);
    settle(unit, 2);
    check(unit->quick[2].shared_tag != CUP_ABI_RACE_NO_TAG);
    check(unit->shared.line->tag != unit->quick[2].shared_tag);
    end(unit);
}

TEST(a_warp_that_synchronises_otherwise_tells_of_all_reads)
{
    struct cup_race_unit *unit = start();
    uint64_t members[32];

    for (unsigned i = 0; i < 32; i++)
        members[i] = UINT32_MAX;
    settle(unit, 0);
    check(unit->quick[0].shared_tag != CUP_ABI_RACE_NO_TAG);
    cup_race_sync(unit, 0, UINT32_MAX, members);
    check(unit->quick[0].shared_tag == CUP_ABI_RACE_NO_TAG);
    settle(unit, 0);
    check(unit->quick[0].shared_tag == CUP_ABI_RACE_NO_TAG);
    cup_race_fence(unit, 1, UINT32_MAX, true);
    settle(unit, 2);
    check(unit->quick[2].global_tag == CUP_ABI_RACE_NO_TAG);
    end(unit);
}

TEST(global_memory_that_two_units_read_has_a_tag)
{
    struct cup_race_unit *first = start(), *second = unit_at(1), *third = unit_at(2);
    size_t words;
    struct cup_race_line *line = cup_race_shadow_at((uint64_t)(uintptr_t)memory, &words).line;

    run(first, 0, 0, 4, true, false, false);
    run(first, 1, 0, 4, true, false, false);
    settle(third, 0);
    check(line->tag != third->quick[0].global_tag);
    run(second, 0, 0, 4, true, false, false);
    check(line->tag == third->quick[0].global_tag && quick == 3);
    run(first, 2, 0, 4, true, true, false);
    check(found >= 32 && line->tag != third->quick[0].global_tag);
    end(first);
    end(second);
    end(third);
}

/* Units that run at the same time leave the reads of different ones in the words of a line. */
TEST(words_that_units_read_at_the_same_time_have_a_tag)
{
    struct cup_race_unit *units[] = {start(), unit_at(1), unit_at(2)};
    struct cup_race_line *line;
    size_t words;

    for (uint32_t i = 0; i < LINE; i++)
        for (uint32_t k = 0; k < 3; k++)
            run(units[(i + k) % 3], 0, i, 4, false, false, false);
    line = cup_race_shadow_at((uint64_t)(uintptr_t)memory, &words).line;
    check(line->tag == units[2]->quick[0].global_tag && found == 0);
    run(units[1], 0, 0, 4, true, true, false);
    check(found >= LINE && line->tag != units[2]->quick[0].global_tag);
    for (unsigned k = 1; k < 3; k++)
        end(units[k]);
    end(units[0]);
}

TEST(memory_of_earlier_launches_is_past)
{
    struct cup_race_unit *unit = start();

    run(unit, 0, 0, 4, true, true, false);
    end(unit);
    unit = start();
    run(unit, 1, 0, 4, true, false, false);
    run(unit, 1, 0, 4, true, true, false);
    check(found == 0 && quick == 2);
    run(unit, 2, 0, 4, true, false, false);
    check(found == 32);
    end(unit);
}

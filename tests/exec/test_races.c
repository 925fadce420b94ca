/* SPDX-License-Identifier: MIT */
/* check/race/unit.h: which accesses of a block, of a warp and of several blocks race, and what
 * orders them. */
#include "check/race/unit.h"
#include "test.h"

#include <pthread.h>
#include <unistd.h>

enum { THREADS = 96 };

static uint32_t memory[64];
static struct cup_race_launch launch;
static struct cup_race last;
static unsigned found;

static void count_race(void *context, const struct cup_race *race)
{
    (void)context;
    last = *race;
    found++;
}

static struct cup_race_unit *unit_at(uint32_t index)
{
    struct cup_race_unit *unit = cup_race_unit_create(1, 3, sizeof(memory));

    check(unit != NULL);
    unit->found = count_race;
    cup_race_unit_begin(unit, &launch, index, THREADS);
    return unit;
}

static struct cup_race_unit *start(void)
{
    cup_race_launch_init(&launch, 4);
    found = 0;
    return unit_at(0);
}

static void end(struct cup_race_unit *unit)
{
    cup_race_write_end(unit);
    cup_race_unit_destroy(unit);
}

/* One lane accesses bytes from an offset in `memory` on. */
static void access_at(struct cup_race_unit *unit, struct cup_race_access *access, uint32_t lane,
                      size_t offset, uint64_t bytes)
{
    uint64_t addresses[32];

    addresses[lane] = (uint64_t)(uintptr_t)memory + offset;
    access->mask = 1u << lane;
    access->bytes = bytes;
    access->addresses = addresses;
    access->window = (uint64_t)(uintptr_t)memory;
    cup_race_check(unit, access);
}

/* A thread accesses a word. A write changes it. */
static void touch(struct cup_race_unit *unit, uint32_t thread, uint32_t index, bool writes,
                  enum cup_race_strength strength, bool is_shared)
{
    struct cup_race_access access = {.warp = thread / 32,
                                     .site = 100 + thread,
                                     .strength = strength,
                                     .writes = writes,
                                     .is_shared = is_shared};

    cup_race_settle(unit, thread / 32, 1u << thread % 32);
    access_at(unit, &access, thread % 32, index * 4, 4);
    if (writes)
        memory[index]++;
}

static void reads(struct cup_race_unit *unit, uint32_t thread, uint32_t index)
{
    touch(unit, thread, index, false, CUP_RACE_WEAK, true);
}

static void writes(struct cup_race_unit *unit, uint32_t thread, uint32_t index)
{
    touch(unit, thread, index, true, CUP_RACE_WEAK, true);
}

static void all_wait(struct cup_race_unit *unit)
{
    for (uint32_t warp = 0; warp < 3; warp++) {
        cup_race_settle(unit, warp, UINT32_MAX);
        cup_race_barrier(unit, warp, UINT32_MAX, cup_race_barrier_number(0, 0),
                         CUP_RACE_PHASE_UNKNOWN, true);
    }
}

static void warp_sync(struct cup_race_unit *unit, uint32_t warp, uint32_t mask, uint32_t members)
{
    uint64_t values[32];

    for (unsigned i = 0; i < 32; i++)
        values[i] = members;
    cup_race_settle(unit, warp, mask);
    cup_race_sync(unit, warp, mask, values);
}

TEST(a_write_and_a_read_of_two_warps_race)
{
    struct cup_race_unit *unit = start();

    writes(unit, 3, 5);
    reads(unit, 40, 5);
    check(found == 1 && last.is_shared && last.bytes == 4);
    check(last.address == (uint64_t)(uintptr_t)&memory[5]);
    check(last.first.warp == 0 && last.first.lane == 3 && last.first.site == 103);
    check(last.first.writes && !last.second.writes);
    check(last.second.warp == 1 && last.second.lane == 8 && last.second.site == 140);
    end(unit);
}

TEST(a_read_and_a_later_write_race)
{
    struct cup_race_unit *unit = start();

    reads(unit, 3, 5);
    reads(unit, 70, 5);
    writes(unit, 70, 5);
    check(found == 1 && last.first.lane == 3 && !last.first.writes && last.second.writes);
    end(unit);
}

TEST(accesses_of_one_thread_and_other_words_do_not_race)
{
    struct cup_race_unit *unit = start();

    writes(unit, 3, 5);
    reads(unit, 3, 5);
    writes(unit, 3, 5);
    writes(unit, 40, 6);
    end(unit);
    check(found == 0);
}

TEST(a_barrier_orders_a_block)
{
    struct cup_race_unit *unit = start();

    for (unsigned round = 0; round < 9; round++) {
        writes(unit, 3 + round, 5);
        all_wait(unit);
        reads(unit, 90, 5);
        reads(unit, 40, 5);
        all_wait(unit);
    }
    check(found == 0);
    reads(unit, 41, 5);
    writes(unit, 3, 5);
    check(found == 1);
    end(unit);
}

TEST(a_warp_that_is_ahead_in_the_next_phase_is_not_ordered)
{
    struct cup_race_unit *unit = start();

    all_wait(unit);
    writes(unit, 3, 5);
    cup_race_barrier(unit, 0, UINT32_MAX, cup_race_barrier_number(0, 0), CUP_RACE_PHASE_UNKNOWN,
                     true);
    reads(unit, 40, 5);
    check(found == 1);
    end(unit);
}

TEST(an_arrival_orders_the_warp_that_waits)
{
    struct cup_race_unit *unit = start();
    uint32_t number = cup_race_barrier_number(0, 2);

    writes(unit, 3, 5);
    cup_race_barrier(unit, 1, UINT32_MAX, number, 0, true);
    cup_race_barrier(unit, 0, UINT32_MAX, number, 0, false);
    writes(unit, 3, 6);
    reads(unit, 40, 5);
    check(found == 0);
    reads(unit, 40, 6);
    check(found == 1);
    end(unit);
}

TEST(lanes_need_a_warp_sync)
{
    struct cup_race_unit *unit = start();

    writes(unit, 1, 5);
    reads(unit, 2, 5);
    check(found == 1 && last.first.warp == last.second.warp);
    warp_sync(unit, 0, UINT32_MAX, UINT32_MAX);
    reads(unit, 3, 5);
    check(found == 1);
    warp_sync(unit, 0, UINT32_MAX, UINT32_MAX);
    writes(unit, 4, 5);
    check(found == 1);
    end(unit);
}

TEST(only_the_members_of_a_mask_are_ordered)
{
    struct cup_race_unit *unit = start();

    writes(unit, 1, 5);
    warp_sync(unit, 0, 0xff, 0xff);
    reads(unit, 7, 5);
    check(found == 0);
    reads(unit, 8, 5);
    check(found == 1);
    end(unit);
}

TEST(members_pass_on_what_they_know)
{
    struct cup_race_unit *unit = start();

    writes(unit, 1, 5);
    warp_sync(unit, 0, 0x0f, 0x0f);
    warp_sync(unit, 0, 0x18, 0x18);
    reads(unit, 4, 5);
    check(found == 0);
    reads(unit, 5, 5);
    check(found == 1);
    end(unit);
}

TEST(members_may_come_one_after_the_other)
{
    struct cup_race_unit *unit = start();

    writes(unit, 1, 5);
    warp_sync(unit, 0, 0x0f, 0xff);
    writes(unit, 6, 6);
    warp_sync(unit, 0, 0xf0, 0xff);
    reads(unit, 4, 5);
    reads(unit, 2, 6);
    check(found == 0);
    writes(unit, 4, 7);
    reads(unit, 3, 7);
    check(found == 1);
    end(unit);
}

TEST(atomic_and_volatile_accesses_do_not_race_with_each_other)
{
    struct cup_race_unit *unit = start();

    touch(unit, 1, 5, true, CUP_RACE_ATOMIC, true);
    touch(unit, 40, 5, true, CUP_RACE_ATOMIC, true);
    touch(unit, 70, 5, false, CUP_RACE_STRONG, true);
    check(found == 0);
    reads(unit, 41, 5);
    check(found == 1 && last.first.strength == CUP_RACE_ATOMIC);
    end(unit);
}

TEST(a_flag_orders_a_block)
{
    struct cup_race_unit *unit = start();
    uint64_t flags[32] = {(uint64_t)(uintptr_t)&memory[9], (uint64_t)(uintptr_t)&memory[10]};

    writes(unit, 0, 5);
    cup_race_release(unit, 0, 1, flags, false);
    writes(unit, 0, 6);
    cup_race_acquire(unit, 1, 1, flags, false);
    reads(unit, 32, 5);
    check(found == 0);
    reads(unit, 32, 6);
    check(found == 1);
    end(unit);
}

TEST(equal_values_do_no_harm)
{
    struct cup_race_unit *unit = start();
    struct cup_race_access access = {.warp = 2, .site = 1, .writes = true, .is_shared = true};

    writes(unit, 0, 5);
    cup_race_settle(unit, 2, 1);
    access_at(unit, &access, 0, 20, 4);
    cup_race_settle(unit, 2, 1);
    check(found == 0);
    writes(unit, 40, 5);
    cup_race_settle(unit, 1, 1);
    check(found == 1 && last.first.writes && last.second.writes);
    end(unit);
}

TEST(lanes_of_one_instruction_may_write_one_value)
{
    struct cup_race_unit *unit = start();
    uint64_t addresses[32] = {(uint64_t)(uintptr_t)&memory[5], (uint64_t)(uintptr_t)&memory[5]};
    uint32_t values[32] = {7, 7};
    struct cup_race_access access = {.site = 1,
                                     .writes = true,
                                     .is_shared = true,
                                     .mask = 3,
                                     .bytes = 4,
                                     .element_bytes = 4,
                                     .window = (uint64_t)(uintptr_t)memory,
                                     .addresses = addresses,
                                     .values = (const uint8_t *)values};

    cup_race_check(unit, &access);
    check(found == 0);
    values[1] = 8;
    warp_sync(unit, 0, UINT32_MAX, UINT32_MAX);
    cup_race_check(unit, &access);
    check(found == 1 && last.in_one_instruction);
    end(unit);
}

TEST(bytes_of_a_word_are_different_memory)
{
    struct cup_race_unit *unit = start();
    struct cup_race_access access = {.warp = 0, .writes = true, .is_shared = true};
    uint64_t address = (uint64_t)(uintptr_t)&memory[5];

    access_at(unit, &access, 0, 21, 1);
    access.warp = 1;
    access_at(unit, &access, 0, 22, 2);
    check(found == 0);
    access.writes = false;
    access.warp = 0;
    access_at(unit, &access, 0, 23, 1);
    check(found == 1 && last.address == address + 3 && last.bytes == 1);
    end(unit);
}

TEST(lanes_that_read_bytes_of_a_word_and_write_their_own)
{
    struct cup_race_unit *unit = start();
    struct cup_race_access access = {.is_shared = true};

    access_at(unit, &access, 0, 20, 1);
    access_at(unit, &access, 1, 21, 1);
    access_at(unit, &access, 2, 20, 4);
    warp_sync(unit, 0, 4, 4);
    access.writes = true;
    access_at(unit, &access, 1, 21, 1);
    check(found == 0);
    access_at(unit, &access, 1, 20, 1);
    check(found == 1 && last.first.lane == 0);
    end(unit);
}

TEST(units_of_a_launch_race_in_global_memory)
{
    struct cup_race_unit *first = start(), *second = unit_at(1);

    touch(first, 0, 5, true, CUP_RACE_WEAK, false);
    touch(second, 0, 5, false, CUP_RACE_WEAK, false);
    check(found == 1 && last.first.unit == 0 && last.second.unit == 1 && !last.is_shared);
    end(second);
    cup_race_launch_finish(&launch);
    cup_race_launch_init(&launch, 4);
    second = unit_at(1);
    touch(second, 0, 5, false, CUP_RACE_WEAK, false);
    check(found == 1);
    end(first);
    end(second);
}

/* Compiled code writes, which TSan does not see. */
__attribute__((no_sanitize("thread"))) static void store(uint32_t index, uint32_t value)
{
    *(volatile uint32_t *)&memory[index] = value;
}

/* The stamp of a write, without the write. */
static void announce(struct cup_race_unit *unit, uint32_t index)
{
    struct cup_race_access access = {.site = 1, .writes = true};

    cup_race_settle(unit, 0, 1);
    access_at(unit, &access, 0, index * 4, 4);
}

static void *write_second(void *unit)
{
    announce(unit, 5);
    store(5, 7);
    cup_race_write_end(unit);
    return NULL;
}

TEST(a_unit_waits_for_what_another_is_about_to_write)
{
    struct cup_race_unit *first = start(), *second = unit_at(1);
    pthread_t thread;

    store(5, 1);
    announce(first, 5);
    check(pthread_create(&thread, NULL, write_second, second) == 0);
    /* Meanwhile the second one finds the stamp; if it does not yet, the answer is the same. */
    usleep(2000);
    store(5, 7);
    cup_race_write_end(first);
    check(pthread_join(thread, NULL) == 0);
    check(found == 0);
    end(first);
    end(second);
    cup_race_launch_finish(&launch);
}

TEST(units_that_write_different_values_race)
{
    struct cup_race_unit *first = start(), *second = unit_at(1);

    announce(first, 5);
    store(5, 1);
    cup_race_write_end(first);
    write_second(second);
    check(found == 1 && last.first.unit == 0 && last.second.unit == 1);
    end(first);
    end(second);
    cup_race_launch_finish(&launch);
}

TEST(a_unit_that_never_goes_on_does_not_stop_others)
{
    struct cup_race_unit *first = start(), *second = unit_at(1);

    store(5, 1);
    announce(first, 5);
    write_second(second);
    check(found == 0);
    end(first);
    end(second);
    cup_race_launch_finish(&launch);
}

TEST(a_release_and_a_later_acquire_order_units)
{
    struct cup_race_unit *first = start(), *second = unit_at(1);

    touch(first, 0, 5, true, CUP_RACE_WEAK, false);
    cup_race_fence(first, 0, 1, true);
    cup_race_fence(second, 1, 1, true);
    touch(second, 40, 5, false, CUP_RACE_WEAK, false);
    check(found == 0);
    touch(first, 0, 6, true, CUP_RACE_WEAK, false);
    cup_race_fence(second, 1, 1, true);
    touch(second, 40, 6, false, CUP_RACE_WEAK, false);
    check(found == 1);
    end(first);
    end(second);
    cup_race_launch_finish(&launch);
}

TEST(a_unit_begins_anew)
{
    struct cup_race_unit *unit = start();

    writes(unit, 0, 5);
    cup_race_unit_begin(unit, &launch, 1, THREADS);
    reads(unit, 40, 5);
    check(found == 0);
    end(unit);
}

/* All lanes of a warp access words from one on: `step` words lie between two lanes. */
static void access_all(struct cup_race_unit *unit, uint32_t warp, uint32_t index, uint32_t step,
                       bool writes, bool is_shared)
{
    uint64_t addresses[32];
    struct cup_race_access access = {.warp = warp,
                                     .site = 200 + warp,
                                     .writes = writes,
                                     .is_shared = is_shared,
                                     .mask = UINT32_MAX,
                                     .bytes = 4,
                                     .addresses = addresses,
                                     .window = (uint64_t)(uintptr_t)memory};

    for (uint32_t lane = 0; lane < 32; lane++)
        addresses[lane] = (uint64_t)(uintptr_t)&memory[index + lane * step];
    cup_race_settle(unit, warp, UINT32_MAX);
    cup_race_check(unit, &access);
    for (uint32_t lane = 0; writes && lane < 32; lane++)
        memory[index + lane * step]++;
}

TEST(rows_of_words_race_like_words)
{
    for (unsigned is_shared = 0; is_shared < 2; is_shared++) {
        struct cup_race_unit *unit = start();

        access_all(unit, 0, 0, 1, true, is_shared);
        access_all(unit, 0, 0, 1, false, is_shared);
        access_all(unit, 0, 0, 1, true, is_shared);
        access_all(unit, 1, 32, 1, true, is_shared);
        all_wait(unit);
        access_all(unit, 1, 0, 1, false, is_shared);
        access_all(unit, 2, 0, 1, false, is_shared);
        all_wait(unit);
        access_all(unit, 2, 0, 1, true, is_shared);
        check(found == 0);
        access_all(unit, 0, 16, 1, false, is_shared);
        check(found == 16 && last.first.lane == 31 && last.second.lane == 15);
        access_all(unit, 1, 16, 1, true, is_shared);
        cup_race_write_end(unit);
        check(found == 64 && last.first.writes && last.second.writes);
        end(unit);
    }
}

TEST(a_word_that_all_lanes_read)
{
    struct cup_race_unit *unit = start();

    writes(unit, 40, 7);
    all_wait(unit);
    access_all(unit, 0, 7, 0, false, true);
    access_all(unit, 2, 7, 0, false, true);
    check(found == 0);
    writes(unit, 0, 7);
    check(found == 2 && !last.first.writes);
    end(unit);
}

TEST(lanes_that_read_one_word_and_write_it)
{
    struct cup_race_unit *unit = start();

    access_all(unit, 0, 7, 0, false, true);
    writes(unit, 0, 7);
    check(found == 1 && last.first.lane != last.second.lane);
    end(unit);
}

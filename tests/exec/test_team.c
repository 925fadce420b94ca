/* SPDX-License-Identifier: MIT */
/* stream/engine.h: the threads that share the parts of one piece of work are as many as it has use
 * for, on a machine of two processors, too. */
#include "os/clock.h"
#include "stream/engine.h"
#include "test.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

enum { ROUNDS = 5, DEADLINE_S = 15, MANY = 1000 };

static _Atomic(unsigned) inside;
static unsigned width;

static void meet(void *missed, size_t part)
{
    uint64_t end_ns = cup_clock_ns() + DEADLINE_S * UINT64_C(1000000000);

    (void)part;
    atomic_fetch_add(&inside, 1);
    while (atomic_load(&inside) < width && cup_clock_ns() < end_ns)
        cup_clock_sleep_ns(100000);
    if (atomic_load(&inside) < width)
        *(bool *)missed = true;
}

static void meet_all(const char *threads)
{
    bool missed = false;

    setenv("CUPIPE_THREADS", threads, 1);
    check_result(cuInit(0), CUDA_SUCCESS);
    check(cup_engine_width() == (unsigned)atoi(threads));
    for (width = 1; width <= cup_engine_width(); width++) {
        for (unsigned round = 0; round < ROUNDS && !missed; round++) {
            atomic_store(&inside, 0);
            usleep(10000); /* workers sleep again */
            cup_engine_parallel_within(width, meet, &missed, width);
        }
        if (missed)
            printf("%u of %u parts have begun\n", atomic_load(&inside), width);
        check(!missed);
    }
}

TEST(two_workers_meet)
{
    meet_all("2");
}

TEST(eight_workers_meet)
{
    meet_all("8");
}

static _Atomic(unsigned) counts[MANY];

static void count(void *argument, size_t part)
{
    (void)argument;
    atomic_fetch_add(&counts[part], 1);
}

TEST(each_part_runs_once)
{
    static const size_t parts[] = {0, 1, 2, 3, MANY};

    for (unsigned i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
        for (size_t part = 0; part < MANY; part++)
            atomic_store(&counts[part], 0);
        cup_engine_parallel(count, NULL, parts[i]);
        for (size_t part = 0; part < MANY; part++)
            check(atomic_load(&counts[part]) == (part < parts[i]));
    }
}

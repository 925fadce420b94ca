/* SPDX-License-Identifier: MIT */
/* Two ways to do the same thing, measured in turns in one process: the best times of both. Threads
 * of OpenMP and OpenBLAS spin for up to 150 milliseconds after their last work and would take
 * processors from whoever has the next turn. So a turn begins with a pause, and with a run that is
 * not counted, because threads of either side sleep after the pause. */
#ifndef CUP_BENCH_LIBRARIES_TURNS_H
#define CUP_BENCH_LIBRARIES_TURNS_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static inline double bench_now_us(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static inline void bench_must(int failed, const char *what)
{
    if (!failed)
        return;
    fprintf(stderr, "%s: %d\n", what, failed);
    exit(1);
}

/* One way; `prepare` runs before each run and is not measured, or is NULL. */
struct bench_side {
    void (*run)(void *argument);
    void (*prepare)(void *argument);
    void *argument;
    double best_us;
};

static inline double bench_run_us(const struct bench_side *side)
{
    if (side->prepare)
        side->prepare(side->argument);
    double start = bench_now_us();
    side->run(side->argument);
    return bench_now_us() - start;
}

static inline void bench_turn(struct bench_side *side)
{
    enum { PAUSE_US = 200000, TURN_US = 20000, RUNS_MIN = 3 };

    usleep(PAUSE_US);
    bench_run_us(side);
    double end = bench_now_us() + TURN_US;
    for (int i = 0; i < RUNS_MIN || bench_now_us() < end; i++) {
        double us = bench_run_us(side);

        side->best_us = us < side->best_us ? us : side->best_us;
    }
}

/* Measures both for about `seconds`, at least two turns each. */
static inline void bench_turns(struct bench_side *first, struct bench_side *second, double seconds)
{
    enum { TURNS_MIN = 2 };
    double end = bench_now_us() + seconds * 1e6;

    first->best_us = second->best_us = 1e30;
    for (int turn = 0; turn < TURNS_MIN || bench_now_us() < end; turn++) {
        bench_turn(first);
        bench_turn(second);
    }
}

#endif

/* SPDX-License-Identifier: MIT */
/* Two ways to do the same thing, measured in turns in one process: the best times of both. Threads
 * of OpenMP and OpenBLAS spin for up to 150 milliseconds after their last work and would take
 * processors from whoever has the next turn. So a turn begins with a pause, and with a run that is
 * not counted, because threads of either side sleep after the pause. */
#ifndef CUP_BENCH_LIBRARIES_TURNS_H
#define CUP_BENCH_LIBRARIES_TURNS_H

#include "bench.h"

#include <unistd.h>

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
    double start = bench_now();
    side->run(side->argument);
    return (bench_now() - start) * 1e6;
}

static inline void bench_turn(struct bench_side *side)
{
    enum { PAUSE_US = 200000, RUNS_MIN = 3 };
    const double turn_seconds = 0.02;

    usleep(PAUSE_US);
    bench_run_us(side);
    double end = bench_now() + turn_seconds;
    for (int i = 0; i < RUNS_MIN || bench_now() < end; i++) {
        double us = bench_run_us(side);

        side->best_us = us < side->best_us ? us : side->best_us;
    }
}

/* Measures both for about `seconds`, at least two turns each. */
static inline void bench_turns(struct bench_side *first, struct bench_side *second, double seconds)
{
    enum { TURNS_MIN = 2 };
    double end = bench_now() + seconds;

    first->best_us = second->best_us = 1e30;
    for (int turn = 0; turn < TURNS_MIN || bench_now() < end; turn++) {
        bench_turn(first);
        bench_turn(second);
    }
}

#endif

/* SPDX-License-Identifier: MIT */
/* Taking times. A round of a short call lasts about a fifth of a millisecond: long enough for the
 * clock, short enough that many rounds pass undisturbed on a machine with other work. */
#include "bench.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const double patience_ns = 2e9;

enum {
    SHORT_ROUND_NS = 200000,
    SHORT_ROUNDS = 250,
    LONG_ROUNDS_LEAST = 20,
    QUIET_ROUNDS_LEAST = 8,
    MALLOC_BYTES = 4096,
};

void bench_fail(CUresult result, const char *call)
{
    const char *name = "an unknown error";

    cuGetErrorName(result, &name);
    fprintf(stderr, "bench: %s: %s\n", call, name);
    exit(1);
}

void bench_open(void)
{
    CUcontext context;

    must(cuInit(0));
    must(cuDevicePrimaryCtxRetain(&context, 0));
    must(cuCtxSetCurrent(context));
}

static double clock_ns(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

double bench_now_ns(void)
{
    return clock_ns(CLOCK_MONOTONIC);
}

double bench_processor_ns(void)
{
    return clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

unsigned bench_cpu_count(void)
{
    cpu_set_t cpus;

    return sched_getaffinity(0, sizeof(cpus), &cpus) == 0 ? (unsigned)CPU_COUNT(&cpus) : 1;
}

bool bench_go_on(struct bench_patience *patience)
{
    if (patience->rounds == 0)
        patience->start_ns = bench_now_ns();
    if (patience->rounds >= LONG_ROUNDS_LEAST && patience->quiet_rounds >= QUIET_ROUNDS_LEAST)
        return false;
    return bench_now_ns() - patience->start_ns < patience_ns;
}

void bench_round_starts(struct bench_patience *patience)
{
    patience->round_start_ns = bench_now_ns();
    patience->round_processor_ns = bench_processor_ns();
}

double bench_round_ends(struct bench_patience *patience)
{
    double used = (bench_processor_ns() - patience->round_processor_ns) /
                  (bench_now_ns() - patience->round_start_ns);

    patience->rounds++;
    if (used >= 0.93 * bench_cpu_count())
        patience->quiet_rounds++;
    return used;
}

bool bench_was_disturbed(const struct bench_patience *patience)
{
    return patience->quiet_rounds < QUIET_ROUNDS_LEAST;
}

static void malloc_run(void *argument, size_t count)
{
    (void)argument;
    for (size_t i = 0; i < count; i++) {
        void *memory = malloc(MALLOC_BYTES);
        bench_keep(memory);
        free(memory);
    }
}

const struct bench_side bench_malloc = {malloc_run, NULL};

static double time_of(struct bench_side side, size_t count)
{
    double start_ns = bench_now_ns();

    side.run(side.argument, count);
    return (bench_now_ns() - start_ns) / (double)count;
}

static void keep_least(double *least, double value)
{
    if (*least == 0 || value < *least)
        *least = value;
}

/* How many turns make a round. The least of a few times decides: the first turns touch fresh
 * pages, and any may be interrupted. */
static size_t round_count(struct bench_side side)
{
    for (size_t count = 1; count < 1 << 20; count *= 2) {
        double turn_ns = 0;
        for (int i = 0; i < 3; i++)
            keep_least(&turn_ns, time_of(side, count));
        if (turn_ns * (double)count >= SHORT_ROUND_NS / 2.0)
            return count;
    }
    return 1 << 20;
}

struct bench_result bench_short(struct bench_side subject, struct bench_side reference)
{
    size_t subject_count = round_count(subject), reference_count = round_count(reference);
    struct bench_result best = {0};

    for (int round = 0; round < SHORT_ROUNDS; round++) {
        keep_least(&best.reference, time_of(reference, reference_count));
        keep_least(&best.subject, time_of(subject, subject_count));
    }
    return best;
}

/* Also the least processor time of a turn, of all threads, in *processor_ns. */
static double time_of_long(struct bench_side side, double *processor_ns)
{
    double start_ns = bench_processor_ns(), turn_ns = time_of(side, 1);

    keep_least(processor_ns, bench_processor_ns() - start_ns);
    return turn_ns;
}

struct bench_result bench_long(struct bench_side subject, struct bench_side reference)
{
    struct bench_patience patience = {0};
    struct bench_result best = {0};
    double subject_processor_ns = 0, reference_processor_ns = 0;

    while (bench_go_on(&patience)) {
        bench_round_starts(&patience);
        keep_least(&best.reference, time_of_long(reference, &reference_processor_ns));
        bench_round_ends(&patience);
        keep_least(&best.subject, time_of_long(subject, &subject_processor_ns));
    }
    best.disturbed = bench_was_disturbed(&patience);
    if (best.disturbed)
        snprintf(best.note, sizeof(best.note), "by processor time %.2f x",
                 reference_processor_ns / subject_processor_ns);
    return best;
}

double bench_least_ns(struct bench_side side)
{
    size_t count = round_count(side);
    double least = 0;

    for (int round = 0; round < SHORT_ROUNDS; round++)
        keep_least(&least, time_of(side, count));
    return least;
}

static void row_run(void *argument, size_t count)
{
    const struct bench_row *row = argument;

    row->run(row, count);
}

struct bench_result bench_against_malloc(const struct bench_row *row)
{
    struct bench_side subject = {row_run, (void *)row};

    if (row->setup)
        row->setup(row);
    struct bench_result result = bench_short(subject, bench_malloc);
    if (row->finish)
        row->finish(row);
    if (row->calls)
        result.subject /= (double)row->calls;
    return result;
}

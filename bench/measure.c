/* SPDX-License-Identifier: MIT */
/* Taking times. A round of a short call lasts about a fifth of a millisecond: long enough for the clock,
 * short enough that many rounds pass undisturbed on a machine with other work. */
#include "bench.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum {
    SHORT_ROUND_NS = 200000,
    SHORT_ROUNDS = 250,
    LONG_ROUNDS = 25,
    MALLOC_BYTES = 4096,
};

void bench_must(CUresult result, const char *call)
{
    const char *name = "an unknown error";

    if (result == CUDA_SUCCESS)
        return;
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

double bench_now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

unsigned bench_cpu_count(void)
{
    cpu_set_t cpus;

    return sched_getaffinity(0, sizeof(cpus), &cpus) == 0 ? (unsigned)CPU_COUNT(&cpus) : 1;
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

/* How many turns make a round. */
static size_t round_count(struct bench_side side)
{
    size_t count = 1;

    while (count < 1 << 20 && time_of(side, count) * (double)count < SHORT_ROUND_NS / 2.0)
        count *= 2;
    return count;
}

static void keep_least(double *least, double value)
{
    if (*least == 0 || value < *least)
        *least = value;
}

static struct bench_result compare(struct bench_side subject, size_t subject_count,
                                   struct bench_side reference, size_t reference_count, int rounds)
{
    struct bench_result best = {0, 0};

    for (int round = 0; round < rounds; round++) {
        keep_least(&best.reference, time_of(reference, reference_count));
        keep_least(&best.subject, time_of(subject, subject_count));
    }
    return best;
}

struct bench_result bench_short(struct bench_side subject, struct bench_side reference)
{
    return compare(subject, round_count(subject), reference, round_count(reference), SHORT_ROUNDS);
}

struct bench_result bench_long(struct bench_side subject, struct bench_side reference)
{
    return compare(subject, 1, reference, 1, LONG_ROUNDS);
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

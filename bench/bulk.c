/* SPDX-License-Identifier: MIT */
/* Large copies and fills against libc's memcpy and memset, split over threads of our own: as many
 * as there are processors, started beforehand. All memory has been touched before anything is
 * timed. */
#include "bench.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static const size_t bulk_bytes = (size_t)256 << 20;
enum { THREADS_MAX = 64 };

struct helper {
    pthread_t thread;
    size_t start, bytes;
};

/* Everybody meets at the barrier twice a turn: to begin, and when all are done. */
static struct {
    struct helper helpers[THREADS_MAX];
    unsigned count;
    pthread_barrier_t barrier;
    bool copies; /* else fills */
    bool ends;
} team;

static char *host_from, *host_to;
static CUdeviceptr device_from, device_to;

static void do_share(const struct helper *helper)
{
    if (team.copies)
        memcpy(host_to + helper->start, host_from + helper->start, helper->bytes);
    else
        memset(host_to + helper->start, 7, helper->bytes);
}

static void *helper_main(void *argument)
{
    for (;;) {
        pthread_barrier_wait(&team.barrier);
        if (team.ends)
            return NULL;
        do_share(argument);
        pthread_barrier_wait(&team.barrier);
    }
}

static void team_start(bool copies)
{
    unsigned cpus = bench_cpu_count();

    team.count = cpus < THREADS_MAX ? cpus : THREADS_MAX;
    team.copies = copies;
    team.ends = false;
    pthread_barrier_init(&team.barrier, NULL, team.count + 1);
    for (unsigned i = 0; i < team.count; i++) {
        struct helper *helper = &team.helpers[i];
        helper->start = bulk_bytes / team.count * i;
        helper->bytes =
            (i + 1 < team.count ? bulk_bytes / team.count * (i + 1) : bulk_bytes) - helper->start;
        if (pthread_create(&helper->thread, NULL, helper_main, helper) != 0)
            bench_fail(CUDA_ERROR_OPERATING_SYSTEM, "pthread_create");
    }
}

static void team_end(void)
{
    team.ends = true;
    pthread_barrier_wait(&team.barrier);
    for (unsigned i = 0; i < team.count; i++)
        pthread_join(team.helpers[i].thread, NULL);
    pthread_barrier_destroy(&team.barrier);
}

static void team_turn(void *argument, size_t count)
{
    (void)argument;
    for (size_t i = 0; i < count; i++) {
        pthread_barrier_wait(&team.barrier);
        pthread_barrier_wait(&team.barrier);
    }
}

static void *host_create(void)
{
    void *memory = malloc(bulk_bytes);

    if (!memory)
        bench_fail(CUDA_ERROR_OUT_OF_MEMORY, "malloc");
    memset(memory, 1, bulk_bytes);
    return memory;
}

static CUdeviceptr device_create(void)
{
    CUdeviceptr memory;

    must(cuMemAlloc(&memory, bulk_bytes));
    must(cuMemsetD8(memory, 1, bulk_bytes));
    must(cuCtxSynchronize());
    return memory;
}

static void copy_to_device(void *argument, size_t count)
{
    (void)argument;
    for (size_t i = 0; i < count; i++)
        must(cuMemcpyHtoD(device_to, host_from, bulk_bytes));
    must(cuCtxSynchronize());
}

static void copy_to_host(void *argument, size_t count)
{
    (void)argument;
    for (size_t i = 0; i < count; i++)
        must(cuMemcpyDtoH(host_to, device_from, bulk_bytes));
}

static void copy_on_device(void *argument, size_t count)
{
    (void)argument;
    for (size_t i = 0; i < count; i++)
        must(cuMemcpyDtoD(device_to, device_from, bulk_bytes));
    must(cuCtxSynchronize());
}

static void fill_bytes(void *argument, size_t count)
{
    (void)argument;
    for (size_t i = 0; i < count; i++)
        must(cuMemsetD8(device_to, 7, bulk_bytes));
    must(cuCtxSynchronize());
}

/* A word of four different bytes, which memset cannot write. */
static void fill_words(void *argument, size_t count)
{
    (void)argument;
    for (size_t i = 0; i < count; i++)
        must(cuMemsetD32(device_to, 0x01020304, bulk_bytes / 4));
    must(cuCtxSynchronize());
}

static double rate(double turn_ns)
{
    return (double)bulk_bytes / turn_ns;
}

static struct bench_result against_team(void (*run)(void *argument, size_t count), bool copies)
{
    host_from = host_create();
    host_to = host_create();
    device_from = device_create();
    device_to = device_create();
    team_start(copies);
    struct bench_result result =
        bench_long((struct bench_side){run, NULL}, (struct bench_side){team_turn, NULL});
    team_end();
    must(cuMemFree(device_to));
    must(cuMemFree(device_from));
    free(host_to);
    free(host_from);
    result.subject = rate(result.subject);
    result.reference = rate(result.reference);
    return result;
}

static struct bench_result measure_to_device(const struct bench_row *row)
{
    (void)row;
    return against_team(copy_to_device, true);
}

static struct bench_result measure_to_host(const struct bench_row *row)
{
    (void)row;
    return against_team(copy_to_host, true);
}

static struct bench_result measure_on_device(const struct bench_row *row)
{
    (void)row;
    return against_team(copy_on_device, true);
}

static struct bench_result measure_fill_bytes(const struct bench_row *row)
{
    (void)row;
    return against_team(fill_bytes, false);
}

static struct bench_result measure_fill_words(const struct bench_row *row)
{
    (void)row;
    return against_team(fill_words, false);
}

#define AGAINST(what) .reference = (what), .unit = BENCH_GB_A_SECOND
#define AT_LEAST(times) .goal = BENCH_RATIO_AT_LEAST, .limit = (times)

const struct bench_row bench_bulk_rows[] = {
    {"HtoD 256 MiB", AGAINST("memcpy"), AT_LEAST(0.95), .measure = measure_to_device},
    {"DtoH 256 MiB", AGAINST("memcpy"), AT_LEAST(0.95), .measure = measure_to_host},
    {"DtoD 256 MiB", AGAINST("memcpy"), AT_LEAST(0.95), .measure = measure_on_device},
    {"memset D8 256 MiB", AGAINST("memset"), AT_LEAST(0.95), .measure = measure_fill_bytes},
    {"memset D32 256 MiB, four bytes differ", AGAINST("memset"), .measure = measure_fill_words},
    {.name = NULL},
};

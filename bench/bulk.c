/* SPDX-License-Identifier: MIT */
/* Large copies and fills against libc's memcpy and memset, split over threads of our own: as many
 * as there are processors, started beforehand. All memory has been touched before anything is
 * timed. */
#include "bench.h"

#include <stdlib.h>
#include <string.h>

static const size_t bulk_bytes = (size_t)256 << 20;

static char *host_from, *host_to;
static CUdeviceptr device_from, device_to;

static void copy_share(unsigned index, unsigned count)
{
    size_t start = bench_share_start(bulk_bytes, index, count),
           end = bench_share_start(bulk_bytes, index + 1, count);

    memcpy(host_to + start, host_from + start, end - start);
}

static void fill_share(unsigned index, unsigned count)
{
    size_t start = bench_share_start(bulk_bytes, index, count),
           end = bench_share_start(bulk_bytes, index + 1, count);

    memset(host_to + start, 7, end - start);
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

static struct bench_result against_team(void (*run)(void *argument, size_t count),
                                        void (*share)(unsigned index, unsigned count))
{
    host_from = host_create();
    host_to = host_create();
    device_from = device_create();
    device_to = device_create();
    bench_team_start(share);
    struct bench_result result =
        bench_long((struct bench_side){run, NULL}, (struct bench_side){bench_team_turn, NULL});
    bench_team_end();
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
    return against_team(copy_to_device, copy_share);
}

static struct bench_result measure_to_host(const struct bench_row *row)
{
    (void)row;
    return against_team(copy_to_host, copy_share);
}

static struct bench_result measure_on_device(const struct bench_row *row)
{
    (void)row;
    return against_team(copy_on_device, copy_share);
}

static struct bench_result measure_fill_bytes(const struct bench_row *row)
{
    (void)row;
    return against_team(fill_bytes, fill_share);
}

static struct bench_result measure_fill_words(const struct bench_row *row)
{
    (void)row;
    return against_team(fill_words, fill_share);
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

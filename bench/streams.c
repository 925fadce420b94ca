/* SPDX-License-Identifier: MIT */
/* Two streams that copy at once. Whether both processors work is told by the clocks: the processor
 * time of the process divided by the time that passed. */
#include "bench.h"

static const size_t stream_bytes = (size_t)64 << 20;
enum {
    STREAMS = 2,
    PIECE_BYTES = 256 << 10,
};

static CUstream streams[STREAMS];
static CUdeviceptr from[STREAMS], to[STREAMS];

static void streams_create(void)
{
    for (int i = 0; i < STREAMS; i++) {
        must(cuStreamCreate(&streams[i], CU_STREAM_NON_BLOCKING));
        must(cuMemAlloc(&from[i], stream_bytes));
        must(cuMemAlloc(&to[i], stream_bytes));
        must(cuMemsetD8(from[i], 1, stream_bytes));
        must(cuMemsetD8(to[i], 2, stream_bytes));
    }
    must(cuCtxSynchronize());
}

static void streams_destroy(void)
{
    for (int i = 0; i < STREAMS; i++) {
        must(cuMemFree(to[i]));
        must(cuMemFree(from[i]));
        must(cuStreamDestroy(streams[i]));
    }
}

static void submit(int stream, size_t piece_bytes)
{
    for (size_t at = 0; at < stream_bytes; at += piece_bytes)
        must(cuMemcpyDtoDAsync(to[stream] + at, from[stream] + at, piece_bytes, streams[stream]));
}

static void copy_at_once(void *argument, size_t count)
{
    const struct bench_row *row = argument;

    for (size_t i = 0; i < count; i++) {
        for (int stream = 0; stream < STREAMS; stream++)
            submit(stream, row->bytes);
        for (int stream = 0; stream < STREAMS; stream++)
            must(cuStreamSynchronize(streams[stream]));
    }
}

static void copy_in_turn(void *argument, size_t count)
{
    const struct bench_row *row = argument;

    for (size_t i = 0; i < count; i++) {
        for (int stream = 0; stream < STREAMS; stream++) {
            submit(stream, row->bytes);
            must(cuStreamSynchronize(streams[stream]));
        }
    }
}

static struct bench_result measure_cores(const struct bench_row *row)
{
    struct bench_patience patience = {0};
    unsigned cpus = bench_cpu_count();
    struct bench_result best = {.reference = cpus < STREAMS ? cpus : STREAMS};

    streams_create();
    while (bench_go_on(&patience)) {
        bench_round_starts(&patience);
        copy_at_once((void *)row, 1);
        double used = bench_round_ends(&patience);
        if (used > best.subject)
            best.subject = used;
    }
    streams_destroy();
    best.disturbed = bench_was_disturbed(&patience);
    return best;
}

static struct bench_result measure_rate(const struct bench_row *row)
{
    streams_create();
    struct bench_result result = bench_long((struct bench_side){copy_at_once, (void *)row},
                                            (struct bench_side){copy_in_turn, (void *)row});
    streams_destroy();
    double bytes = (double)(STREAMS * stream_bytes);
    result.subject = bytes / result.subject;
    result.reference = bytes / result.reference;
    return result;
}

#define RATE .reference = "in turn", .unit = BENCH_GB_A_SECOND, .measure = measure_rate

const struct bench_row bench_stream_rows[] = {
    {"2 streams copy 64 MiB: processors used", .reference = "there are", .unit = BENCH_CORES,
     .goal = BENCH_RATIO_AT_LEAST, .limit = 0.8, .measure = measure_cores,
     .bytes = (size_t)64 << 20},
    {"2 streams copy 64 MiB at once", RATE, .bytes = (size_t)64 << 20},
    {"2 streams copy 256 x 256 KiB at once", RATE, .bytes = PIECE_BYTES},
    {.name = NULL},
};

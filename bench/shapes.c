/* SPDX-License-Identifier: MIT */
/* Copies of boxes against loops of our own over their rows, on as many threads as there are
 * processors, and a batch of copies against as many calls. */
#include "bench.h"

#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A box, and how it lies on both sides. */
struct box {
    size_t width_bytes, height, depth;
    size_t from_pitch, to_pitch;
};

static const struct box flat_box = {4000, 65536, 1, 4352, 4608},
                        deep_box = {2000, 512, 256, 2048, 2304},
                        narrow_box = {16, 65536, 1, 64, 64};

static const struct box *box;
static CUdeviceptr device_from, device_to;
static char *host_from, *host_to;

static size_t side_bytes(size_t pitch)
{
    return pitch * box->height * box->depth;
}

static char *host_create(size_t bytes)
{
    char *memory = malloc(bytes);

    if (!memory)
        bench_fail(CUDA_ERROR_OUT_OF_MEMORY, "malloc");
    memset(memory, 1, bytes);
    return memory;
}

static CUdeviceptr device_create(size_t bytes)
{
    CUdeviceptr memory;

    must(cuMemAlloc(&memory, bytes));
    must(cuMemsetD8(memory, 1, bytes));
    must(cuCtxSynchronize());
    return memory;
}

static void copy_rows_share(unsigned index, unsigned count)
{
    size_t rows = box->height * box->depth, end = bench_share_start(rows, index + 1, count);

    for (size_t row = bench_share_start(rows, index, count); row < end; row++)
        memcpy(host_to + row * box->to_pitch, host_from + row * box->from_pitch, box->width_bytes);
}

/* Rows of 16 bytes: a load and a store each, four rows a turn. */
static void copy_narrow_share(unsigned index, unsigned count)
{
    typedef long long row_vector __attribute__((vector_size(16), aligned(16), may_alias));
    size_t start = bench_share_start(narrow_box.height, index, count),
           end = bench_share_start(narrow_box.height, index + 1, count);
    const row_vector *from = (const row_vector *)host_from;
    row_vector *to = (row_vector *)host_to;
    enum { PITCH = 4 };

    for (size_t row = start; row + 4 <= end; row += 4) {
        row_vector first = from[row * PITCH], second = from[(row + 1) * PITCH],
                   third = from[(row + 2) * PITCH], fourth = from[(row + 3) * PITCH];

        to[row * PITCH] = first;
        to[(row + 1) * PITCH] = second;
        to[(row + 2) * PITCH] = third;
        to[(row + 3) * PITCH] = fourth;
    }
}

static void copy_2d(void *argument, size_t count)
{
    CUDA_MEMCPY2D copy = {
        .srcMemoryType = CU_MEMORYTYPE_DEVICE,
        .srcDevice = device_from,
        .srcPitch = box->from_pitch,
        .dstMemoryType = CU_MEMORYTYPE_DEVICE,
        .dstDevice = device_to,
        .dstPitch = box->to_pitch,
        .WidthInBytes = box->width_bytes,
        .Height = box->height,
    };

    (void)argument;
    for (size_t i = 0; i < count; i++)
        must(cuMemcpy2D(&copy));
    must(cuCtxSynchronize());
}

static void copy_3d(void *argument, size_t count)
{
    CUDA_MEMCPY3D copy = {
        .srcMemoryType = CU_MEMORYTYPE_DEVICE,
        .srcDevice = device_from,
        .srcPitch = box->from_pitch,
        .srcHeight = box->height,
        .dstMemoryType = CU_MEMORYTYPE_DEVICE,
        .dstDevice = device_to,
        .dstPitch = box->to_pitch,
        .dstHeight = box->height,
        .WidthInBytes = box->width_bytes,
        .Height = box->height,
        .Depth = box->depth,
    };

    (void)argument;
    for (size_t i = 0; i < count; i++)
        must(cuMemcpy3D(&copy));
    must(cuCtxSynchronize());
}

static struct bench_result against_rows(const struct box *measured,
                                        void (*run)(void *argument, size_t count),
                                        void (*share)(unsigned index, unsigned count))
{
    box = measured;
    host_from = host_create(side_bytes(box->from_pitch));
    host_to = host_create(side_bytes(box->to_pitch));
    device_from = device_create(side_bytes(box->from_pitch));
    device_to = device_create(side_bytes(box->to_pitch));
    bench_team_start(share);
    struct bench_result result =
        bench_long((struct bench_side){run, NULL}, (struct bench_side){bench_team_turn, NULL});
    bench_team_end();
    must(cuMemFree(device_to));
    must(cuMemFree(device_from));
    free(host_to);
    free(host_from);
    double bytes = (double)(box->width_bytes * box->height * box->depth);
    result.subject = bytes / result.subject;
    result.reference = bytes / result.reference;
    return result;
}

static struct bench_result measure_2d(const struct bench_row *row)
{
    (void)row;
    return against_rows(&flat_box, copy_2d, copy_rows_share);
}

static struct bench_result measure_3d(const struct bench_row *row)
{
    (void)row;
    return against_rows(&deep_box, copy_3d, copy_rows_share);
}

static struct bench_result measure_narrow(const struct bench_row *row)
{
    (void)row;
    return against_rows(&narrow_box, copy_2d, copy_narrow_share);
}

/* The batch. Submitting is what is timed: a host function holds the stream meanwhile. */

enum {
    BATCH = 10000,
    COPY_BYTES = 4096,
    BATCH_ROUNDS = 15,
};

static CUdeviceptr batch_from[BATCH], batch_to[BATCH];
static size_t batch_sizes[BATCH];
static CUstream stream;
static sem_t gate;

static void CUDA_CB hold(void *argument)
{
    (void)argument;
    while (sem_wait(&gate) != 0)
        ;
}

static void submit_batch(void)
{
    CUmemcpyAttributes attributes = {.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM};
    size_t first = 0;

    must(cuMemcpyBatchAsync(batch_to, batch_from, batch_sizes, BATCH, &attributes, &first, 1,
                            stream));
}

static void submit_singly(void)
{
    for (size_t i = 0; i < BATCH; i++)
        must(cuMemcpyAsync(batch_to[i], batch_from[i], COPY_BYTES, stream));
}

/* Millions of copies a second, and the greatest of all rounds in *most. */
static void time_submission(void (*submit)(void), double *most)
{
    must(cuLaunchHostFunc(stream, hold, NULL));
    double start_ns = bench_now_ns();
    submit();
    double rate = BATCH * 1e3 / (bench_now_ns() - start_ns);
    sem_post(&gate);
    must(cuStreamSynchronize(stream));
    if (rate > *most)
        *most = rate;
}

static struct bench_result measure_batch(const struct bench_row *row)
{
    struct bench_result best = {0};

    (void)row;
    sem_init(&gate, 0, 0);
    must(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    device_from = device_create((size_t)BATCH * COPY_BYTES);
    device_to = device_create((size_t)BATCH * COPY_BYTES);
    for (size_t i = 0; i < BATCH; i++) {
        batch_from[i] = device_from + i * COPY_BYTES;
        batch_to[i] = device_to + i * COPY_BYTES;
        batch_sizes[i] = COPY_BYTES;
    }
    for (int i = 0; i < BATCH_ROUNDS; i++) {
        time_submission(submit_singly, &best.reference);
        time_submission(submit_batch, &best.subject);
    }
    must(cuMemFree(device_to));
    must(cuMemFree(device_from));
    must(cuStreamDestroy(stream));
    sem_destroy(&gate);
    return best;
}

#define AGAINST(what) .reference = (what), .unit = BENCH_GB_A_SECOND
#define AT_LEAST(times) .goal = BENCH_RATIO_AT_LEAST, .limit = (times)

const struct bench_row bench_shape_rows[] = {
    {"2D copy 4000 B x 65536", AGAINST("rows"), AT_LEAST(0.95), .measure = measure_2d},
    {"3D copy 2000 B x 512 x 256", AGAINST("rows"), AT_LEAST(0.95), .measure = measure_3d},
    {"2D copy 16 B x 65536, pitch 64", AGAINST("tuned rows"), AT_LEAST(0.8),
     .measure = measure_narrow},
    {"batch of 10,000 x 4 KiB to a busy stream", .reference = "calls",
     .unit = BENCH_MILLION_A_SECOND, AT_LEAST(3), .measure = measure_batch},
    {.name = NULL},
};

/* SPDX-License-Identifier: MIT */
/* Short calls, one by one, as a program with one thread makes them. */
#include "bench.h"

#include <stdlib.h>

enum {
    BATCH = 1000,
    COPIES = 100,
    BUFFER_BYTES = 4096,
};

static CUdeviceptr batch[BATCH], buffer, other_buffer;
static void *pinned;
static uint32_t host_word;
static CUstream stream;
static CUevent event;

static void buffers_create(const struct bench_row *row)
{
    (void)row;
    must(cuMemAlloc(&buffer, BUFFER_BYTES));
    must(cuMemAlloc(&other_buffer, BUFFER_BYTES));
    must(cuMemAllocHost(&pinned, BUFFER_BYTES));
    must(cuMemsetD8(other_buffer, 1, BUFFER_BYTES));
    must(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    must(cuEventCreate(&event, CU_EVENT_DEFAULT));
}

static void buffers_destroy(const struct bench_row *row)
{
    (void)row;
    must(cuEventDestroy(event));
    must(cuStreamDestroy(stream));
    must(cuMemFreeHost(pinned));
    must(cuMemFree(other_buffer));
    must(cuMemFree(buffer));
}

static struct bench_result measure_malloc(const struct bench_row *row)
{
    (void)row;
    return (struct bench_result){.subject = bench_least_ns(bench_malloc)};
}

static void alloc_free(const struct bench_row *row, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        CUdeviceptr memory;
        must(cuMemAlloc(&memory, row->bytes));
        must(cuMemFree(memory));
    }
}

static void alloc_free_batch(const struct bench_row *row, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < BATCH; j++)
            must(cuMemAlloc(&batch[j], row->bytes));
        for (size_t j = 0; j < BATCH; j++)
            must(cuMemFree(batch[j]));
    }
}

static void alloc_free_async(const struct bench_row *row, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        CUdeviceptr memory;
        must(cuMemAllocAsync(&memory, row->bytes, stream));
        must(cuMemFreeAsync(memory, stream));
    }
}

static void get_info(const struct bench_row *row, size_t count)
{
    size_t free_bytes, total_bytes;

    (void)row;
    for (size_t i = 0; i < count; i++)
        must(cuMemGetInfo(&free_bytes, &total_bytes));
}

static void copy_to_device(const struct bench_row *row, size_t count)
{
    for (size_t i = 0; i < count; i++)
        must(cuMemcpyHtoD(buffer, &host_word, row->bytes));
}

static void copy_to_host(const struct bench_row *row, size_t count)
{
    for (size_t i = 0; i < count; i++)
        must(cuMemcpyDtoH(&host_word, buffer, row->bytes));
}

static void copy_on_device(const struct bench_row *row, size_t count)
{
    for (size_t i = 0; i < count; i++)
        must(cuMemcpyDtoD(buffer, other_buffer, row->bytes));
}

static void copy_async_and_wait(const struct bench_row *row, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        must(cuMemcpyDtoDAsync(buffer, other_buffer, row->bytes, stream));
        must(cuStreamSynchronize(stream));
    }
}

static void copies_async_then_wait(const struct bench_row *row, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        for (int j = 0; j < COPIES; j++)
            must(cuMemcpyHtoDAsync(buffer, pinned, row->bytes, stream));
        must(cuStreamSynchronize(stream));
    }
}

static void fills_async_then_wait(const struct bench_row *row, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        for (int j = 0; j < COPIES; j++)
            must(cuMemsetD8Async(buffer, (unsigned char)j, row->bytes, stream));
        must(cuStreamSynchronize(stream));
    }
}

static void event_record_and_wait(const struct bench_row *row, size_t count)
{
    (void)row;
    for (size_t i = 0; i < count; i++) {
        must(cuEventRecord(event, stream));
        must(cuEventSynchronize(event));
    }
}

static void event_create_destroy(const struct bench_row *row, size_t count)
{
    (void)row;
    for (size_t i = 0; i < count; i++) {
        CUevent made;
        must(cuEventCreate(&made, CU_EVENT_DEFAULT));
        must(cuEventDestroy(made));
    }
}

static void stream_wait(const struct bench_row *row, size_t count)
{
    (void)row;
    for (size_t i = 0; i < count; i++)
        must(cuStreamSynchronize(stream));
}

static void stream_create_destroy(const struct bench_row *row, size_t count)
{
    (void)row;
    for (size_t i = 0; i < count; i++) {
        CUstream made;
        must(cuStreamCreate(&made, CU_STREAM_NON_BLOCKING));
        must(cuStreamDestroy(made));
    }
}

#define AGAINST_MALLOC .reference = "M", .unit = BENCH_NS, .measure = bench_against_malloc
#define AT_MOST(times) .goal = BENCH_RATIO_AT_MOST, .limit = (times)
#define BUFFERS .setup = buffers_create, .finish = buffers_destroy

const struct bench_row bench_call_rows[] = {
    {"malloc+free 4 KiB (M)", .unit = BENCH_NS, .measure = measure_malloc},
    {"alloc+free 256 B", AGAINST_MALLOC, AT_MOST(5), .run = alloc_free, .bytes = 256},
    {"alloc+free 4 KiB", AGAINST_MALLOC, AT_MOST(5), .run = alloc_free, .bytes = 4 << 10},
    {"alloc+free 64 KiB", AGAINST_MALLOC, AT_MOST(5), .run = alloc_free, .bytes = 64 << 10},
    {"alloc+free 1 MiB", AGAINST_MALLOC, AT_MOST(5), .run = alloc_free, .bytes = 1 << 20},
    {"1000 alloc, 1000 free, 4 KiB: a pair", AGAINST_MALLOC, .run = alloc_free_batch,
     .bytes = 4 << 10, .calls = BATCH},
    {"alloc+free async 64 KiB, idle stream", AGAINST_MALLOC, AT_MOST(8), BUFFERS,
     .run = alloc_free_async, .bytes = 64 << 10},
    {"meminfo", AGAINST_MALLOC, .run = get_info},
    {"copy HtoD 4 B", AGAINST_MALLOC, AT_MOST(5), BUFFERS, .run = copy_to_device, .bytes = 4},
    {"copy DtoH 4 B", AGAINST_MALLOC, AT_MOST(5), BUFFERS, .run = copy_to_host, .bytes = 4},
    {"copy DtoD 4 B", AGAINST_MALLOC, AT_MOST(5), BUFFERS, .run = copy_on_device, .bytes = 4},
    {"async copy DtoD 4 KiB + wait", AGAINST_MALLOC, AT_MOST(15), BUFFERS,
     .run = copy_async_and_wait, .bytes = BUFFER_BYTES},
    {"100 async copies HtoD 4 KiB, wait: each", AGAINST_MALLOC, BUFFERS,
     .run = copies_async_then_wait, .bytes = BUFFER_BYTES, .calls = COPIES},
    {"100 async memsets 4 KiB, wait: each", AGAINST_MALLOC, BUFFERS, .run = fills_async_then_wait,
     .bytes = BUFFER_BYTES, .calls = COPIES},
    {"event record + wait", AGAINST_MALLOC, AT_MOST(8), BUFFERS, .run = event_record_and_wait},
    {"event create+destroy", AGAINST_MALLOC, .run = event_create_destroy},
    {"stream wait, idle", AGAINST_MALLOC, BUFFERS, .run = stream_wait},
    {"stream create+destroy", AGAINST_MALLOC, .run = stream_create_destroy},
    {.name = NULL},
};

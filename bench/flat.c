/* SPDX-License-Identifier: MIT */
/* What a call costs when much is alive already: one more is made and ended, among few and among
 * many. Then one drawn at random is ended and made anew, which also shows what it costs to reach
 * what no cache holds. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    FEW = 1000,
    MANY = 1000000,
    MANY_MAPPINGS = 20000, /* a process may have 65,530 mappings, by the kernel's default */
    BLOCK_BYTES = 512,
};

static const size_t mapping_bytes = (size_t)2 << 20;

static CUstream stream;
static CUmemGenericAllocationHandle handle;

/* What is made and ended. A mapping is made at an address of its own, a block anywhere. */
struct kind {
    void (*make)(CUdeviceptr *at);
    void (*end)(CUdeviceptr at);
    size_t address_bytes; /* 0: anywhere */
};

static void block_make(CUdeviceptr *at)
{
    must(cuMemAlloc(at, BLOCK_BYTES));
}

static void block_end(CUdeviceptr at)
{
    must(cuMemFree(at));
}

static void async_make(CUdeviceptr *at)
{
    must(cuMemAllocAsync(at, BLOCK_BYTES, stream));
}

static void async_end(CUdeviceptr at)
{
    must(cuMemFreeAsync(at, stream));
}

static void mapping_make(CUdeviceptr *at)
{
    CUmemAccessDesc access = {.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE},
                              .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};

    must(cuMemMap(*at, mapping_bytes, 0, handle, 0));
    must(cuMemSetAccess(*at, mapping_bytes, &access, 1));
}

static void mapping_end(CUdeviceptr at)
{
    must(cuMemUnmap(at, mapping_bytes));
}

static const struct kind kinds[] = {
    {block_make, block_end, 0},
    {async_make, async_end, 0},
    {mapping_make, mapping_end, (size_t)2 << 20},
};

enum { BLOCK, ASYNC, MAPPING };

/* Those alive, and room for one more. */
struct live {
    const struct kind *kind;
    size_t count;
    uint64_t random;
    CUdeviceptr *at, range;
};

static struct live live_create(const struct kind *kind, size_t count)
{
    struct live live = {kind, count, 0x9e3779b97f4a7c15u, calloc(count + 1, sizeof(*live.at)), 0};

    if (!live.at)
        bench_fail(CUDA_ERROR_OUT_OF_MEMORY, "calloc");
    if (kind->address_bytes)
        must(cuMemAddressReserve(&live.range, (count + 1) * kind->address_bytes, 0, 0, 0));
    for (size_t i = 0; i <= count; i++)
        live.at[i] = live.range + i * kind->address_bytes;
    for (size_t i = 0; i < count; i++)
        kind->make(&live.at[i]);
    return live;
}

static void live_destroy(struct live *live)
{
    for (size_t i = 0; i < live->count; i++)
        live->kind->end(live->at[i]);
    if (live->range)
        must(cuMemAddressFree(live->range, (live->count + 1) * live->kind->address_bytes));
    free(live->at);
}

static void one_more(void *argument, size_t count)
{
    struct live *live = argument;

    for (size_t i = 0; i < count; i++) {
        live->kind->make(&live->at[live->count]);
        live->kind->end(live->at[live->count]);
    }
}

static void one_anew(void *argument, size_t count)
{
    struct live *live = argument;

    for (size_t i = 0; i < count; i++) {
        CUdeviceptr *at = &live->at[bench_random(&live->random) % live->count];

        live->kind->end(*at);
        live->kind->make(at);
    }
}

static struct bench_result among(size_t kind, size_t many_count,
                                 void (*run)(void *argument, size_t count))
{
    CUmemAllocationProp properties = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                      .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}};
    struct bench_result result = {0};

    must(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    must(cuMemCreate(&handle, mapping_bytes, &properties, 0));
    struct live live = live_create(&kinds[kind], FEW);
    result.reference = bench_least_ns((struct bench_side){run, &live});
    live_destroy(&live);
    live = live_create(&kinds[kind], many_count);
    result.subject = bench_least_ns((struct bench_side){run, &live});
    live_destroy(&live);
    must(cuMemRelease(handle));
    must(cuStreamSynchronize(stream));
    must(cuStreamDestroy(stream));
    return result;
}

/* `bytes` is the kind. */
static struct bench_result measure_one_more(const struct bench_row *row)
{
    return among(row->bytes, row->bytes == MAPPING ? MANY_MAPPINGS : MANY, one_more);
}

static struct bench_result measure_one_anew(const struct bench_row *row)
{
    return among(row->bytes, row->bytes == MAPPING ? MANY_MAPPINGS : MANY, one_anew);
}

#define AGAINST_FEW .reference = "among 1,000", .unit = BENCH_NS
#define FLAT .goal = BENCH_RATIO_AT_MOST, .limit = 1.5, .measure = measure_one_more
#define ANEW .measure = measure_one_anew

const struct bench_row bench_flat_rows[] = {
    {"alloc+free among 1,000,000", AGAINST_FEW, FLAT, .bytes = BLOCK},
    {"alloc+free async among 1,000,000", AGAINST_FEW, FLAT, .bytes = ASYNC},
    {"map+set access+unmap among 20,000", AGAINST_FEW, FLAT, .bytes = MAPPING},
    {"random free+alloc among 1,000,000", AGAINST_FEW, ANEW, .bytes = BLOCK},
    {"random free+alloc async among 1,000,000", AGAINST_FEW, ANEW, .bytes = ASYNC},
    {"random unmap+map among 20,000", AGAINST_FEW, ANEW, .bytes = MAPPING},
    {.name = NULL},
};

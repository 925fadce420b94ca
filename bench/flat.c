/* SPDX-License-Identifier: MIT */
/* What a call costs when much is alive already: one more is made and ended, among few and among
 * many. That is to be flat.
 *
 * Then one drawn at random is ended and made anew. Among many that also costs what it takes to
 * reach memory that no cache holds, whoever does it; so the note says how much the same costs more
 * where nothing of ours takes part: with malloc and free, or with plain system calls.
 *
 * A million mappings of 2 MiB need a device with that much memory, so they have a process of their
 * own. They lie in memory as they do in the address space, so that the system, which allows 65,530
 * mappings, sees one or two; those of the plain calls do, too. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    FEW = 1000,
    MANY = 1000000,
    BLOCK_BYTES = 512,
    HANDLES_MOST = 500000, /* each is mapped twice where there are more mappings: a device has no
                              more than 1 TiB */
};

static const size_t mapping_bytes = (size_t)2 << 20;

const char bench_mode_mappings[] = "--mappings";

static CUstream stream;
static CUmemGenericAllocationHandle *handles;
static char *bare_range;
static int bare_file;

/* What is made and ended; `index` says which of those alive it is. */
struct kind {
    void (*make)(CUdeviceptr *at, size_t index);
    void (*end)(CUdeviceptr at);
    void (*open)(CUdeviceptr *at, size_t count); /* before the first, if there is something to do */
    void (*close)(CUdeviceptr *at, size_t count);
};

static void block_make(CUdeviceptr *at, size_t index)
{
    (void)index;
    must(cuMemAlloc(at, BLOCK_BYTES));
}

static void block_end(CUdeviceptr at)
{
    must(cuMemFree(at));
}

static void async_make(CUdeviceptr *at, size_t index)
{
    (void)index;
    must(cuMemAllocAsync(at, BLOCK_BYTES, stream));
}

static void async_end(CUdeviceptr at)
{
    must(cuMemFreeAsync(at, stream));
}

static void async_open(CUdeviceptr *at, size_t count)
{
    (void)at;
    (void)count;
    must(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
}

static void async_close(CUdeviceptr *at, size_t count)
{
    (void)at;
    (void)count;
    must(cuStreamSynchronize(stream));
    must(cuStreamDestroy(stream));
}

static void libc_make(CUdeviceptr *at, size_t index)
{
    (void)index;
    *at = (CUdeviceptr)(uintptr_t)malloc(BLOCK_BYTES);
    bench_keep(at);
}

static void libc_end(CUdeviceptr at)
{
    free((void *)(uintptr_t)at);
}

static void mapping_make(CUdeviceptr *at, size_t index)
{
    CUmemAccessDesc access = {.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE},
                              .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};

    must(cuMemMap(*at, mapping_bytes, 0, handles[index % HANDLES_MOST], 0));
    must(cuMemSetAccess(*at, mapping_bytes, &access, 1));
}

static void mapping_end(CUdeviceptr at)
{
    must(cuMemUnmap(at, mapping_bytes));
}

static void mapping_open(CUdeviceptr *at, size_t count)
{
    CUmemAllocationProp properties = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                      .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}};
    CUdeviceptr range;

    handles = calloc(HANDLES_MOST, sizeof(*handles));
    if (!handles)
        bench_fail(CUDA_ERROR_OUT_OF_MEMORY, "calloc");
    must(cuMemAddressReserve(&range, count * mapping_bytes, 0, 0, 0));
    for (size_t i = 0; i < count; i++) {
        at[i] = range + i * mapping_bytes;
        if (i < HANDLES_MOST)
            must(cuMemCreate(&handles[i], mapping_bytes, &properties, 0));
    }
}

static void mapping_close(CUdeviceptr *at, size_t count)
{
    for (size_t i = 0; i < count && i < HANDLES_MOST; i++)
        must(cuMemRelease(handles[i]));
    must(cuMemAddressFree(at[0], count * mapping_bytes));
    free(handles);
}

static void bare_must(int failed, const char *call)
{
    if (failed)
        bench_fail(CUDA_ERROR_OPERATING_SYSTEM, call);
}

static void bare_make(CUdeviceptr *at, size_t index)
{
    void *place = (void *)(uintptr_t)*at;

    bare_must(mmap(place, mapping_bytes, PROT_NONE, MAP_SHARED | MAP_FIXED | MAP_NORESERVE,
                   bare_file, (off_t)(index % HANDLES_MOST * mapping_bytes)) == MAP_FAILED,
              "mmap");
    bare_must(mprotect(place, mapping_bytes, PROT_READ | PROT_WRITE), "mprotect");
}

static void bare_end(CUdeviceptr at)
{
    bare_must(munmap((void *)(uintptr_t)at, mapping_bytes), "munmap");
}

static void bare_open(CUdeviceptr *at, size_t count)
{
    bare_range = mmap(NULL, count * mapping_bytes, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    bare_must(bare_range == MAP_FAILED, "mmap");
    bare_file = memfd_create("bench", 0);
    bare_must(bare_file < 0 || ftruncate(bare_file, (off_t)(count * mapping_bytes)), "memfd");
    for (size_t i = 0; i < count; i++)
        at[i] = (CUdeviceptr)(uintptr_t)bare_range + i * mapping_bytes;
}

static void bare_close(CUdeviceptr *at, size_t count)
{
    (void)at;
    munmap(bare_range, count * mapping_bytes);
    close(bare_file);
}

enum { BLOCK, ASYNC, LIBC, MAPPING, BARE };

static const struct kind kinds[] = {
    [BLOCK] = {block_make, block_end, NULL, NULL},
    [ASYNC] = {async_make, async_end, async_open, async_close},
    [LIBC] = {libc_make, libc_end, NULL, NULL},
    [MAPPING] = {mapping_make, mapping_end, mapping_open, mapping_close},
    [BARE] = {bare_make, bare_end, bare_open, bare_close},
};

/* Those alive, and room for one more. */
struct live {
    const struct kind *kind;
    size_t count;
    uint64_t random;
    CUdeviceptr *at;
};

static struct live live_create(const struct kind *kind, size_t count)
{
    struct live live = {kind, count, 0x9e3779b97f4a7c15u, calloc(count + 1, sizeof(*live.at))};

    if (!live.at)
        bench_fail(CUDA_ERROR_OUT_OF_MEMORY, "calloc");
    if (kind->open)
        kind->open(live.at, count + 1);
    for (size_t i = 0; i < count; i++)
        kind->make(&live.at[i], i);
    return live;
}

static void live_destroy(struct live *live)
{
    for (size_t i = 0; i < live->count; i++)
        live->kind->end(live->at[i]);
    if (live->kind->close)
        live->kind->close(live->at, live->count + 1);
    free(live->at);
}

static void one_more(void *argument, size_t count)
{
    struct live *live = argument;

    for (size_t i = 0; i < count; i++) {
        live->kind->make(&live->at[live->count], live->count);
        live->kind->end(live->at[live->count]);
    }
}

static void one_anew(void *argument, size_t count)
{
    struct live *live = argument;

    for (size_t i = 0; i < count; i++) {
        size_t index = bench_random(&live->random) % live->count;

        live->kind->end(live->at[index]);
        live->kind->make(&live->at[index], index);
    }
}

/* Among few and among many, of both. */
struct growth {
    double more[2], anew[2];
};

static struct growth measure_growth(size_t kind)
{
    static const size_t counts[2] = {FEW, MANY};
    struct growth growth;

    for (int i = 0; i < 2; i++) {
        struct live live = live_create(&kinds[kind], counts[i]);
        growth.more[i] = bench_least_ns((struct bench_side){one_more, &live});
        growth.anew[i] = bench_least_ns((struct bench_side){one_anew, &live});
        live_destroy(&live);
    }
    return growth;
}

int bench_mappings_main(void)
{
    setenv("CUPIPE_MEMORY", "1000G", 1);
    bench_open();
    struct growth ours = measure_growth(MAPPING), bare = measure_growth(BARE);
    printf("%.9g %.9g %.9g %.9g %.9g %.9g\n", ours.more[0], ours.more[1], ours.anew[0],
           ours.anew[1], bare.anew[0], bare.anew[1]);
    return 0;
}

/* Measured once; what the system needs has the same order. */
static struct growth growth_of_mappings(double bare_anew[2])
{
    static struct growth growth;
    static double bare[2];

    if (growth.more[0] == 0) {
        struct bench_child child = bench_child_start(bench_mode_mappings);
        FILE *answer = fdopen(dup(child.reader), "r");
        if (!answer || fscanf(answer, "%lf %lf %lf %lf %lf %lf", &growth.more[0], &growth.more[1],
                              &growth.anew[0], &growth.anew[1], &bare[0], &bare[1]) != 6)
            bench_fail(CUDA_ERROR_UNKNOWN, "a process for mappings");
        fclose(answer);
        bench_child_end(&child);
    }
    bare_anew[0] = bare[0];
    bare_anew[1] = bare[1];
    return growth;
}

static struct growth growth_of(size_t kind, double others_anew[2])
{
    static struct growth known[BARE + 1];

    if (kind == MAPPING)
        return growth_of_mappings(others_anew);
    if (known[kind].more[0] == 0)
        known[kind] = measure_growth(kind);
    if (known[LIBC].more[0] == 0)
        known[LIBC] = measure_growth(LIBC);
    others_anew[0] = known[LIBC].anew[0];
    others_anew[1] = known[LIBC].anew[1];
    return known[kind];
}

/* `bytes` is the kind. */
static struct bench_result measure_one_more(const struct bench_row *row)
{
    double others[2];
    struct growth growth = growth_of(row->bytes, others);

    return (struct bench_result){.subject = growth.more[1], .reference = growth.more[0]};
}

static struct bench_result measure_one_anew(const struct bench_row *row)
{
    double others[2];
    struct growth growth = growth_of(row->bytes, others);
    struct bench_result result = {.subject = growth.anew[1], .reference = growth.anew[0]};

    snprintf(result.note, sizeof(result.note), "%s grows %.2f times (%.0f to %.0f ns)",
             row->bytes == MAPPING ? "mmap" : "malloc", others[1] / others[0], others[0],
             others[1]);
    return result;
}

#define AGAINST_FEW .reference = "among 1,000", .unit = BENCH_NS
#define FLAT .goal = BENCH_RATIO_AT_MOST, .limit = 1.5, .measure = measure_one_more
#define ANEW .measure = measure_one_anew

const struct bench_row bench_flat_rows[] = {
    {"alloc+free among 1,000,000", AGAINST_FEW, FLAT, .bytes = BLOCK},
    {"alloc+free async among 1,000,000", AGAINST_FEW, FLAT, .bytes = ASYNC},
    {"map+set access+unmap among 1,000,000", AGAINST_FEW, FLAT, .bytes = MAPPING},
    {"random free+alloc among 1,000,000", AGAINST_FEW, ANEW, .bytes = BLOCK},
    {"random free+alloc async among 1,000,000", AGAINST_FEW, ANEW, .bytes = ASYNC},
    {"random unmap+map among 1,000,000", AGAINST_FEW, ANEW, .bytes = MAPPING},
    {.name = NULL},
};

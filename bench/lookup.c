/* SPDX-License-Identifier: MIT */
/* Looks pointers up among many. The pointers are queried in a random order that is made beforehand,
 * and each points into the middle of its allocation. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    FEW = 1000,
    MANY = 1000000,
    ALLOCATION_BYTES = 512,
    ASK_AT = 200, /* bytes into an allocation */
    TURNS = 3,    /* of building the many up and freeing them */
};

struct live_set {
    CUdeviceptr *pointers;
    size_t count, next;
};

static struct live_set live_create(size_t count)
{
    struct live_set set = {calloc(count, sizeof(*set.pointers)), count, 0};
    uint64_t random = 0x9e3779b97f4a7c15u;

    if (!set.pointers)
        bench_fail(CUDA_ERROR_OUT_OF_MEMORY, "calloc");
    for (size_t i = 0; i < count; i++)
        must(cuMemAlloc(&set.pointers[i], ALLOCATION_BYTES));
    for (size_t i = count - 1; i > 0; i--) {
        size_t other = bench_random(&random) % (i + 1);
        CUdeviceptr swapped = set.pointers[i];
        set.pointers[i] = set.pointers[other];
        set.pointers[other] = swapped;
    }
    return set;
}

static void live_destroy(struct live_set *set)
{
    for (size_t i = 0; i < set->count; i++)
        must(cuMemFree(set->pointers[i]));
    free(set->pointers);
}

static CUdeviceptr live_next(struct live_set *set)
{
    CUdeviceptr pointer = set->pointers[set->next++] + ASK_AT;

    if (set->next == set->count)
        set->next = 0;
    return pointer;
}

static void ask_range(void *argument, size_t count)
{
    CUdeviceptr base;
    size_t bytes;

    for (size_t i = 0; i < count; i++)
        must(cuMemGetAddressRange(&base, &bytes, live_next(argument)));
}

static void ask_memory_type(void *argument, size_t count)
{
    unsigned type;

    for (size_t i = 0; i < count; i++)
        must(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, live_next(argument)));
}

typedef void ask_function(void *argument, size_t count);

static struct bench_result among_few(ask_function *ask)
{
    struct live_set few = live_create(FEW);
    struct bench_result result = bench_short((struct bench_side){ask, &few}, bench_malloc);

    live_destroy(&few);
    return result;
}

/* A look-up among many is held to 1.5 times what one among few may take. The time among few stands
 * behind the row. */
static struct bench_result among_many(ask_function *ask)
{
    struct bench_result best = among_few(ask);
    double few_ns = best.subject;

    for (int turn = 0; turn < TURNS; turn++) {
        struct live_set many = live_create(MANY);
        double many_ns = bench_least_ns((struct bench_side){ask, &many});

        live_destroy(&many);
        if (turn == 0 || many_ns < best.subject)
            best.subject = many_ns;
    }
    snprintf(best.note, sizeof(best.note), "among 1,000: %.2f ns", few_ns);
    return best;
}

static struct bench_result range_among_few(const struct bench_row *row)
{
    (void)row;
    return among_few(ask_range);
}

static struct bench_result memory_type_among_few(const struct bench_row *row)
{
    (void)row;
    return among_few(ask_memory_type);
}

static struct bench_result range_among_many(const struct bench_row *row)
{
    (void)row;
    return among_many(ask_range);
}

static struct bench_result memory_type_among_many(const struct bench_row *row)
{
    (void)row;
    return among_many(ask_memory_type);
}

static double resident_bytes(void)
{
    long total_pages = 0, resident_pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");

    if (!file || fscanf(file, "%ld %ld", &total_pages, &resident_pages) != 2) {
        perror("bench: /proc/self/statm");
        exit(1);
    }
    fclose(file);
    return (double)resident_pages * (double)sysconf(_SC_PAGESIZE);
}

/* Device memory nobody has touched is not resident, so what grows is the bookkeeping. Shared
 * mappings count as resident too. */
double bench_bookkeeping_bytes(void)
{
    CUdeviceptr memory;

    must(cuMemAlloc(&memory, ALLOCATION_BYTES)); /* what the first allocation costs once */
    double before = resident_bytes();
    for (size_t i = 0; i < MANY; i++)
        must(cuMemAlloc(&memory, ALLOCATION_BYTES));
    return (resident_bytes() - before) / MANY;
}

#define FEW_ROW(asked)                                                                             \
    .reference = "M", .unit = BENCH_NS, .goal = BENCH_RATIO_AT_MOST, .limit = 2, .measure = (asked)
#define MANY_ROW(asked)                                                                            \
    .reference = "M", .unit = BENCH_NS, .goal = BENCH_RATIO_AT_MOST, .limit = 3, .measure = (asked)

const struct bench_row bench_lookup_rows[] = {
    {"address range among 1,000", FEW_ROW(range_among_few)},
    {"pointer attribute among 1,000", FEW_ROW(memory_type_among_few)},
    {"address range among 1,000,000", MANY_ROW(range_among_many)},
    {"pointer attribute among 1,000,000", MANY_ROW(memory_type_among_many)},
    {.name = NULL},
};

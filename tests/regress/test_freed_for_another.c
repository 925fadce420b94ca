/* SPDX-License-Identifier: MIT */
/* Found by reading: memory of cuMemAlloc that was freed in stream order is returned when a thread
 * synchronises, or when its context ends. If two threads did both at once, one checked that the
 * memory was still the same and freed it after the other had freed it and a third thread had
 * allocated the same address: the third lost its memory. */
#include "test.h"

enum {
    ROUNDS = 5000,
    SECONDS = 6,
    ENDING = 2,
    ASKING = 4,
    KEEPING = 2,
    PIECES = 32,
    BYTES = (1 << 20) + 512 /* the least that is a unit of its own */
};

static CUcontext shared;
static struct flag over;
static time_t started; /* sanitizers make a round last ten times as long */

/* What is freed here belongs to a context that ends at once. */
static void *end_contexts(void *unused)
{
    CUdeviceptr pieces[PIECES];
    CUcontext context;

    (void)unused;
    for (int round = 0; round < ROUNDS && time(NULL) - started < SECONDS; round++) {
        check_success(cuCtxCreate(&context, NULL, 0, 0));
        for (int i = 0; i < PIECES; i++)
            check_success(cuMemAlloc(&pieces[i], BYTES));
        for (int i = 0; i < PIECES; i++)
            check_success(cuMemFreeAsync(pieces[i], NULL));
        check_success(cuCtxDestroy(context));
    }
    return NULL;
}

/* Whoever synchronises frees what others have freed in streams. */
static void *synchronise(void *unused)
{
    (void)unused;
    check_success(cuCtxSetCurrent(shared));
    while (!flag_is_raised(&over))
        check_success(cuCtxSynchronize());
    return NULL;
}

static void *keep(void *unused)
{
    CUdeviceptr pieces[PIECES], base;
    size_t bytes;

    (void)unused;
    check_success(cuCtxSetCurrent(shared));
    while (!flag_is_raised(&over)) {
        for (int i = 0; i < PIECES; i++)
            check_success(cuMemAlloc(&pieces[i], BYTES));
        sched_yield();
        for (int i = 0; i < PIECES; i++) {
            check_success(cuMemGetAddressRange(&base, &bytes, pieces[i]));
            check(base == pieces[i] && bytes == BYTES);
            check_success(cuMemFree(pieces[i]));
        }
    }
    return NULL;
}

static void start(pthread_t *threads, int count, void *(*entry)(void *unused))
{
    for (int i = 0; i < count; i++)
        check(pthread_create(&threads[i], NULL, entry, NULL) == 0);
}

TEST(memory_freed_twice_over_is_nobody_elses)
{
    pthread_t threads[ENDING + ASKING + KEEPING];

    shared = with_context();
    started = time(NULL);
    start(threads, ENDING, end_contexts);
    start(threads + ENDING, ASKING, synchronise);
    start(threads + ENDING + ASKING, KEEPING, keep);
    for (int i = 0; i < ENDING + ASKING + KEEPING; i++) {
        if (i == ENDING)
            flag_raise(&over);
        pthread_join(threads[i], NULL);
    }
}

/* SPDX-License-Identifier: MIT */
/* Threads that allocate, free and look up at once, as total throughput: all of them go on until the
 * window closes, and what they did together counts. */
#include "bench.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

enum {
    THREADS = 8,
    ROUNDS = 15,
    WINDOW_NS = 40000000,
    LIVE = 64, /* allocations a thread has */
};

struct worker {
    pthread_t thread;
    uint64_t seed;
    uint64_t operations;
    pthread_barrier_t *start;
    atomic_bool *stop;
};

static const size_t sizes[] = {256, 512, 4096, 65536};

/* One operation: a slot of the thread's is freed and allocated anew, and another one looked up. */
static uint64_t work(struct worker *worker)
{
    CUdeviceptr live[LIVE] = {0}, base;
    uint64_t random = worker->seed, operations = 0;
    size_t bytes;

    for (size_t i = 0; i < LIVE; i++)
        must(cuMemAlloc(&live[i], sizes[i % 4]));
    pthread_barrier_wait(worker->start);
    while (!atomic_load_explicit(worker->stop, memory_order_relaxed)) {
        uint64_t drawn = bench_random(&random);
        size_t slot = drawn % LIVE;
        must(cuMemFree(live[slot]));
        must(cuMemAlloc(&live[slot], sizes[drawn >> 20 & 3]));
        must(cuMemGetAddressRange(&base, &bytes, live[drawn >> 40 & (LIVE - 1)]));
        operations++;
    }
    for (size_t i = 0; i < LIVE; i++)
        must(cuMemFree(live[i]));
    return operations;
}

static void *worker_main(void *argument)
{
    struct worker *worker = argument;

    bench_open();
    worker->operations = work(worker);
    must(cuDevicePrimaryCtxRelease(0));
    return NULL;
}

/* Millions of operations a second of so many threads together. */
static double throughput(unsigned count)
{
    struct worker workers[THREADS];
    struct timespec window = {0, WINDOW_NS};
    pthread_barrier_t start;
    atomic_bool stop = false;
    double operations = 0;

    pthread_barrier_init(&start, NULL, count + 1);
    for (unsigned i = 0; i < count; i++) {
        workers[i] = (struct worker){.seed = i + 1, .start = &start, .stop = &stop};
        if (pthread_create(&workers[i].thread, NULL, worker_main, &workers[i]) != 0)
            bench_must(CUDA_ERROR_OPERATING_SYSTEM, "pthread_create");
    }
    pthread_barrier_wait(&start);
    double start_ns = bench_now_ns();
    nanosleep(&window, NULL);
    atomic_store(&stop, true);
    double taken_ns = bench_now_ns() - start_ns;
    for (unsigned i = 0; i < count; i++) {
        pthread_join(workers[i].thread, NULL);
        operations += (double)workers[i].operations;
    }
    pthread_barrier_destroy(&start);
    return operations / taken_ns * 1e3;
}

static struct bench_result measure_threads(const struct bench_row *row)
{
    struct bench_result best = {0, 0};

    (void)row;
    for (int round = 0; round < ROUNDS; round++) {
        double one = throughput(1), all = throughput(THREADS);
        if (one > best.reference)
            best.reference = one;
        if (all > best.subject)
            best.subject = all;
    }
    return best;
}

const struct bench_row bench_thread_rows[] = {
    {"8 threads free+alloc+look up", .reference = "1 thread", .unit = BENCH_MILLION_A_SECOND,
     .goal = BENCH_RATIO_AT_LEAST, .limit = 1.5, .measure = measure_threads},
    {NULL},
};

/* SPDX-License-Identifier: MIT */
/* Threads that allocate, free and look up at once, as total throughput: all of them go on until the
 * window closes, and what they did together in it counts. */
#include "bench.h"

#include <pthread.h>

enum {
    THREADS = 8,
    WINDOW_NS = 20000000,
    OPERATIONS_A_LOOK = 32, /* at the clock */
    LIVE = 64,              /* allocations a thread has */
    ASYNC_BYTES = 64 << 10,
};

/* The first thread past the barrier opens the window: no other thread's wake-up is part of it. */
struct window {
    pthread_barrier_t barrier;
    pthread_mutex_t lock;
    double end_ns; /* 0: not open; guarded by lock */
};

struct worker;

/* What the threads do. */
struct work {
    void (*begin)(struct worker *worker);
    void (*operate)(struct worker *worker);
    void (*end)(struct worker *worker);
};

struct worker {
    pthread_t thread;
    const struct work *work;
    struct window *window;
    uint64_t random;
    uint64_t operations;
    CUdeviceptr live[LIVE];
    CUstream stream;
};

static const size_t sizes[] = {256, 512, 4096, 65536};

static double window_end_ns(struct window *window)
{
    pthread_barrier_wait(&window->barrier);
    pthread_mutex_lock(&window->lock);
    if (window->end_ns == 0)
        window->end_ns = bench_now_ns() + WINDOW_NS;
    double end_ns = window->end_ns;
    pthread_mutex_unlock(&window->lock);
    return end_ns;
}

static void live_create(struct worker *worker)
{
    for (size_t i = 0; i < LIVE; i++)
        must(cuMemAlloc(&worker->live[i], sizes[i % 4]));
}

static void live_destroy(struct worker *worker)
{
    for (size_t i = 0; i < LIVE; i++)
        must(cuMemFree(worker->live[i]));
}

/* An allocation of the thread's is freed and made anew, and another one looked up. */
static void live_change(struct worker *worker)
{
    uint64_t drawn = bench_random(&worker->random);
    CUdeviceptr *slot = &worker->live[drawn % LIVE], base;
    size_t bytes;

    must(cuMemFree(*slot));
    must(cuMemAlloc(slot, sizes[drawn >> 20 & 3]));
    must(cuMemGetAddressRange(&base, &bytes, worker->live[(drawn >> 40) % LIVE]));
}

static void stream_create(struct worker *worker)
{
    must(cuStreamCreate(&worker->stream, CU_STREAM_NON_BLOCKING));
}

static void stream_destroy(struct worker *worker)
{
    must(cuStreamDestroy(worker->stream));
}

static void alloc_free_async(struct worker *worker)
{
    CUdeviceptr memory;

    must(cuMemAllocAsync(&memory, ASYNC_BYTES, worker->stream));
    must(cuMemFreeAsync(memory, worker->stream));
}

static const struct work live_work = {live_create, live_change, live_destroy},
                         async_work = {stream_create, alloc_free_async, stream_destroy};

static void *worker_main(void *argument)
{
    struct worker *worker = argument;

    bench_open();
    worker->work->begin(worker);
    double end_ns = window_end_ns(worker->window);
    while (bench_now_ns() < end_ns) {
        for (int i = 0; i < OPERATIONS_A_LOOK; i++)
            worker->work->operate(worker);
        worker->operations += OPERATIONS_A_LOOK;
    }
    worker->work->end(worker);
    must(cuDevicePrimaryCtxRelease(0));
    return NULL;
}

/* Millions of operations a second of so many threads together. */
static double throughput(const struct work *work, unsigned count)
{
    struct window window = {.lock = PTHREAD_MUTEX_INITIALIZER};
    static struct worker workers[THREADS];
    double operations = 0;

    pthread_barrier_init(&window.barrier, NULL, count);
    for (unsigned i = 0; i < count; i++) {
        workers[i] = (struct worker){.work = work, .window = &window, .random = i + 1};
        if (pthread_create(&workers[i].thread, NULL, worker_main, &workers[i]) != 0)
            bench_fail(CUDA_ERROR_OPERATING_SYSTEM, "pthread_create");
    }
    for (unsigned i = 0; i < count; i++) {
        pthread_join(workers[i].thread, NULL);
        operations += (double)workers[i].operations;
    }
    pthread_barrier_destroy(&window.barrier);
    return operations / WINDOW_NS * 1e3;
}

static struct bench_result measure_threads(const struct work *work)
{
    struct bench_patience patience = {0};
    struct bench_result best = {0};

    while (bench_go_on(&patience)) {
        double one = throughput(work, 1);
        bench_round_starts(&patience);
        double all = throughput(work, THREADS);
        bench_round_ends(&patience);
        if (one > best.reference)
            best.reference = one;
        if (all > best.subject)
            best.subject = all;
    }
    best.disturbed = bench_was_disturbed(&patience);
    return best;
}

static struct bench_result measure_live(const struct bench_row *row)
{
    (void)row;
    return measure_threads(&live_work);
}

static struct bench_result measure_async(const struct bench_row *row)
{
    (void)row;
    return measure_threads(&async_work);
}

/* libc's malloc is quicker while a process has never had a second thread. */
static struct bench_result measure_malloc(const struct bench_row *row)
{
    throughput(&live_work, 1);
    (void)row;
    return (struct bench_result){.subject = bench_least_ns(bench_malloc)};
}

#define AGAINST_ONE(measured)                                                                      \
    .reference = "1 thread", .unit = BENCH_MILLION_A_SECOND, .goal = BENCH_RATIO_AT_LEAST,         \
    .limit = 1.5, .measure = (measured)

const struct bench_row bench_thread_rows[] = {
    {"8 threads free+alloc+look up", AGAINST_ONE(measure_live)},
    {"8 threads alloc+free async, own streams", AGAINST_ONE(measure_async)},
    {"malloc+free 4 KiB, process with threads", .unit = BENCH_NS, .measure = measure_malloc},
    {.name = NULL},
};

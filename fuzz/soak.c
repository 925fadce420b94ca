/* SPDX-License-Identifier: MIT */
/* A mixed random load over all capabilities, in several threads, for as long as asked; every byte
 * that comes back is compared. At the end the process is not larger than it was after the first
 * tenth.
 *
 *     soak [SECONDS [THREADS [SEED]]]        600 seconds, 4 threads */
#include "../tests/faults/capabilities.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { THREADS_MAX = 64 };

static double seconds = 600;
static _Atomic(bool) ends, failed;
static _Atomic(uint64_t) rounds, bytes;

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static long resident_kib(void)
{
    long total = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");

    if (file && fscanf(file, "%ld %ld", &total, &resident) != 2)
        resident = 0;
    if (file)
        fclose(file);
    return resident * (sysconf(_SC_PAGESIZE) >> 10);
}

static void *load(void *seed)
{
    struct work work = {.random = (uint64_t)(uintptr_t)seed, .largest = 4 << 20};
    CUcontext context;

    if (cuDevicePrimaryCtxRetain(&context, 0) != CUDA_SUCCESS ||
        cuCtxSetCurrent(context) != CUDA_SUCCESS)
        abort();
    while (!atomic_load(&ends)) {
        const struct capability *one = &capabilities[work_draw(&work, capability_count)];
        uint64_t before = work.random;

        if (!one->run(&work)) {
            printf("%s with %#llx: %s %s answers %d\n", one->name, (unsigned long long)before,
                   work.wrong ? work.wrong : "", work.call ? work.call : "", work.result);
            atomic_store(&failed, true);
            atomic_store(&ends, true);
        }
        atomic_fetch_add(&rounds, 1);
        atomic_fetch_add(&bytes, work.bytes);
        work.bytes = 0;
    }
    cuDevicePrimaryCtxRelease(0);
    return NULL;
}

int main(int argc, char **argv)
{
    unsigned threads = argc > 2 ? (unsigned)atoi(argv[2]) % THREADS_MAX : 4;
    uint64_t seed = argc > 3 ? strtoull(argv[3], NULL, 0) : 1;
    pthread_t ids[THREADS_MAX];
    long early = 0, most = 0;

    seconds = argc > 1 ? atof(argv[1]) : seconds;
    if (cuInit(0) != CUDA_SUCCESS)
        return 2;
    double start = now();
    for (unsigned i = 0; i < threads; i++)
        pthread_create(&ids[i], NULL, load, (void *)(uintptr_t)(seed * THREADS_MAX + i + 1));
    while (!atomic_load(&ends)) {
        struct timespec pause = {0, 100000000};

        nanosleep(&pause, NULL);
        long resident = resident_kib();
        if (now() - start < seconds / 10)
            early = resident > early ? resident : early;
        else
            most = resident > most ? resident : most;
        if (now() - start >= seconds)
            atomic_store(&ends, true);
    }
    for (unsigned i = 0; i < threads; i++)
        pthread_join(ids[i], NULL);
    printf("%.0f s, %u threads: %llu rounds, %.1f GiB compared, at most %ld KiB in the first tenth "
           "and "
           "%ld KiB later\n",
           now() - start, threads, (unsigned long long)atomic_load(&rounds),
           (double)atomic_load(&bytes) / (1 << 30), early, most);
    if (most > early + early / 4 + (32 << 10)) {
        printf("the process grew\n");
        return 1;
    }
    return atomic_load(&failed);
}

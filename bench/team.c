/* SPDX-License-Identifier: MIT */
/* Everybody meets at the barrier twice a turn: to begin, and when all are done. */
#include "bench.h"

#include <pthread.h>

enum { THREADS_MAX = 64 };

static struct {
    pthread_t threads[THREADS_MAX];
    unsigned count;
    pthread_barrier_t barrier;
    void (*share)(unsigned index, unsigned count);
    bool ends;
} team;

static void *member_main(void *argument)
{
    unsigned index = (unsigned)(uintptr_t)argument;

    for (;;) {
        pthread_barrier_wait(&team.barrier);
        if (team.ends)
            return NULL;
        team.share(index, team.count);
        pthread_barrier_wait(&team.barrier);
    }
}

void bench_team_start(void (*share)(unsigned index, unsigned count))
{
    unsigned cpus = bench_cpu_count();

    team.count = cpus < THREADS_MAX ? cpus : THREADS_MAX;
    team.share = share;
    team.ends = false;
    pthread_barrier_init(&team.barrier, NULL, team.count + 1);
    for (unsigned i = 0; i < team.count; i++) {
        if (pthread_create(&team.threads[i], NULL, member_main, (void *)(uintptr_t)i) != 0)
            bench_fail(CUDA_ERROR_OPERATING_SYSTEM, "pthread_create");
    }
}

void bench_team_turn(void *argument, size_t count)
{
    (void)argument;
    for (size_t i = 0; i < count; i++) {
        pthread_barrier_wait(&team.barrier);
        pthread_barrier_wait(&team.barrier);
    }
}

void bench_team_end(void)
{
    team.ends = true;
    pthread_barrier_wait(&team.barrier);
    for (unsigned i = 0; i < team.count; i++)
        pthread_join(team.threads[i], NULL);
    pthread_barrier_destroy(&team.barrier);
}

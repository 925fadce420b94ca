/* SPDX-License-Identifier: MIT */
/* The time of NVIDIA's ptxas, and what it was recorded to be where there is none. What is recorded
 * is a multiple of the time of a loop that searches and hashes in memory, as compilers do, and that
 * runs in turn with what is measured. So a recorded time is one of this machine, now. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 1 << 18, STEPS = 2000000 };

/* ptxas -O3 -arch=sm_90 of CUDA 13.0, by processor time, on x86_64 with AVX-512. */
static const struct {
    const char *kernel;
    double loops;
} recorded[] = {
    {"julia", 9.2},    {"vecadd", 3.0}, {"matmul_tiled", 4.0}, {"reduce", 4.0},
    {"straight", 282}, {"rotate", 3.5}, {"md5", 4.2},
};

double bench_ptxas_ns(const char *path)
{
    char command[1024];

    snprintf(command, sizeof command, "exec ptxas -O3 -arch=sm_90 %s -o /dev/null 2>/dev/null",
             path);
    double start = bench_now_ns();
    return system(command) == 0 ? bench_now_ns() - start : 0;
}

static double loop_ns(void)
{
    static uint32_t next[WORDS];
    uint64_t state = 1, hash = 0;
    uint32_t at = 0;

    for (uint32_t i = 0; next[0] == 0 && i < WORDS; i++)
        next[i] = (uint32_t)(bench_random(&state) % WORDS);
    double start = bench_now_ns();
    for (uint32_t i = 0; i < STEPS; i++) {
        at = (next[at] + i) % WORDS;
        hash = (hash ^ at) * UINT64_C(0x100000001b3);
    }
    bench_keep(&hash);
    return bench_now_ns() - start;
}

double bench_ptxas_recorded_ns(const char *kernel)
{
    for (size_t i = 0; i < sizeof(recorded) / sizeof(recorded[0]); i++)
        if (strcmp(recorded[i].kernel, kernel) == 0)
            return recorded[i].loops * loop_ns();
    return 0;
}

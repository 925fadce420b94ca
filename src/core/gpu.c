/* SPDX-License-Identifier: MIT */
/* The tables. Threads, blocks and shared memory of compute capabilities are compared with the
 * architecture traits that NVIDIA publishes in CCCL (6.0 to 12.1, but 7.2). 9.0 is recorded from
 * the device. Carveouts of 9.0 and 10.0 are those of the tuning guides; the other carveouts,
 * granules, ratios of double precision and shares of the L2 cache are compared with nothing. */
#include "core/gpu.h"

#include "core/compiler.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static const struct cup_gpu gpus[] = {
#define CUP_GPU(...) {__VA_ARGS__},
#include "core/gpus.def"
#undef CUP_GPU
};

/* number, threads and blocks of a multiprocessor, its shared memory, that of a block, reserved,
 * granule, ratio, L2, carveouts */
static const struct cup_capability capabilities[] = {
    {60, 2048, 32, 64, 48, 0, 256, 2, 0, {64}},
    {61, 2048, 32, 96, 48, 0, 256, 32, 0, {96}},
    {70, 2048, 32, 96, 96, 0, 256, 2, 0, {0, 8, 16, 32, 64, 96}},
    {72, 2048, 32, 96, 96, 0, 256, 32, 0, {0, 8, 16, 32, 64, 96}},
    {75, 1024, 16, 64, 64, 0, 256, 32, 0, {32, 64}},
    {80, 2048, 32, 164, 163, 1024, 128, 2, 10, {0, 8, 16, 32, 64, 100, 132, 164}},
    {86, 1536, 16, 100, 99, 1024, 128, 64, 11, {0, 8, 16, 32, 64, 100}},
    {87, 1536, 16, 164, 163, 1024, 128, 64, 11, {0, 8, 16, 32, 64, 100, 132, 164}},
    {88, 1536, 16, 100, 99, 1024, 128, 64, 11, {0, 8, 16, 32, 64, 100}},
    {89, 1536, 24, 100, 99, 1024, 128, 64, 11, {0, 8, 16, 32, 64, 100}},
    {90, 2048, 32, 228, 227, 1024, 128, 2, 10, {0, 8, 16, 32, 64, 100, 132, 164, 196, 228}},
    {100, 2048, 32, 228, 227, 1024, 128, 2, 10, {0, 8, 16, 32, 64, 100, 132, 164, 196, 228}},
    {103, 2048, 32, 228, 227, 1024, 128, 64, 10, {0, 8, 16, 32, 64, 100, 132, 164, 196, 228}},
    {110, 1536, 24, 228, 227, 1024, 128, 64, 10, {0, 8, 16, 32, 64, 100, 132, 164, 196, 228}},
    {120, 1536, 24, 100, 99, 1024, 128, 64, 11, {0, 8, 16, 32, 64, 100}},
    {121, 1536, 24, 100, 99, 1024, 128, 64, 11, {0, 8, 16, 32, 64, 100}},
};

const struct cup_gpu *cup_gpu_find(const char *name, size_t length)
{
    for (size_t i = 0; i < CUP_ARRAY_COUNT(gpus); i++)
        if (strlen(gpus[i].key) == length && strncasecmp(gpus[i].key, name, length) == 0)
            return &gpus[i];
    return NULL;
}

const struct cup_gpu *cup_gpu_default(void)
{
    return cup_gpu_find("h200", strlen("h200"));
}

uint64_t cup_gpu_speed(const struct cup_gpu *gpu)
{
    bool is_narrow = gpu->capability == 60 || (gpu->capability >= 70 && gpu->capability <= 80);

    return (uint64_t)gpu->sms * gpu->clock_khz * (is_narrow ? 64 : 128);
}

void cup_gpu_list(char *text, size_t bytes)
{
    size_t used = 0;

    text[0] = 0;
    for (size_t i = 0; i < CUP_ARRAY_COUNT(gpus) && used < bytes; i++)
        used += (size_t)snprintf(text + used, bytes - used, "%s%s", i ? " " : "", gpus[i].key);
}

const struct cup_capability *cup_capability_find(unsigned number)
{
    for (size_t i = 0; i < CUP_ARRAY_COUNT(capabilities); i++)
        if (capabilities[i].number == number)
            return &capabilities[i];
    return NULL;
}

/* SPDX-License-Identifier: MIT */
/* Data of both sides, modules and launches. */
#include "kinds.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DATA = 16, MOST_MODULES = 8 };

static struct data all_data[MOST_DATA];
static unsigned data_count;

static struct {
    const char *file;
    CUmodule module;
} modules[MOST_MODULES];

struct data data_create(size_t bytes)
{
    struct data data = {.bytes = bytes, .host = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096)};

    if (!data.host || data_count == MOST_DATA)
        bench_fail(CUDA_ERROR_OUT_OF_MEMORY, "aligned_alloc");
    memset(data.host, 0, bytes);
    must(cuMemAlloc(&data.device, bytes));
    must(cuMemsetD8(data.device, 0, bytes));
    all_data[data_count++] = data;
    return data;
}

void data_free_all(void)
{
    while (data_count > 0) {
        struct data data = all_data[--data_count];

        free(data.host);
        must(cuMemFree(data.device));
    }
}

void data_upload(struct data data)
{
    must(cuMemcpyHtoD(data.device, data.host, data.bytes));
}

struct data data_of_floats(size_t count, float low, float high)
{
    struct data data = data_create(count * sizeof(float));
    uint64_t random = 88172645463325252u + data_count;

    for (size_t i = 0; i < count; i++)
        ((float *)data.host)[i] =
            low + (high - low) * ((float)(bench_random(&random) >> 40) / (1 << 24));
    data_upload(data);
    return data;
}

struct data data_of_words(size_t count)
{
    struct data data = data_create(count * sizeof(uint32_t));
    uint64_t random = 88172645463325252u + data_count;

    for (size_t i = 0; i < count; i++)
        ((uint32_t *)data.host)[i] = (uint32_t)(bench_random(&random) >> 32);
    data_upload(data);
    return data;
}

static CUmodule module_of(const char *file)
{
    char path[512];
    unsigned i = 0;

    for (; i < MOST_MODULES && modules[i].file; i++)
        if (strcmp(modules[i].file, file) == 0)
            return modules[i].module;
    if (i == MOST_MODULES)
        bench_fail(CUDA_ERROR_OUT_OF_MEMORY, "module_of");
    snprintf(path, sizeof path, "%s/%s.ptx", KINDS_KERNELS_FOLDER, file);
    must(cuModuleLoad(&modules[i].module, path));
    modules[i].file = file;
    return modules[i].module;
}

CUfunction kernel_named(const char *file, const char *name)
{
    CUfunction function;

    must(cuModuleGetFunction(&function, module_of(file), name));
    return function;
}

void set_constant(const char *file, const char *name, const void *value, size_t bytes)
{
    CUdeviceptr address;

    must(cuModuleGetGlobal(&address, NULL, module_of(file), name));
    must(cuMemcpyHtoD(address, value, bytes));
}

void run_kernel(struct launch launch, void **arguments)
{
    must(cuLaunchKernel(launch.function, launch.grid[0], launch.grid[1], launch.grid[2],
                        launch.block[0], launch.block[1], launch.block[2], 0, NULL, arguments,
                        NULL));
}

static void *download(struct data data)
{
    void *ours = malloc(data.bytes);

    if (!ours)
        bench_fail(CUDA_ERROR_OUT_OF_MEMORY, "malloc");
    must(cuMemcpyDtoH(ours, data.device, data.bytes));
    return ours;
}

bool same_words(struct data data)
{
    void *ours = download(data);
    bool same = memcmp(ours, data.host, data.bytes) == 0;

    free(ours);
    return same;
}

bool same_floats(struct data data, float tolerance)
{
    float *ours = download(data), *theirs = data.host;
    size_t wrong = 0;

    for (size_t i = 0; i < data.bytes / sizeof(float); i++) {
        float scale = fmaxf(1, fabsf(theirs[i]));

        wrong += !(fabsf(ours[i] - theirs[i]) <= tolerance * scale);
    }
    free(ours);
    return wrong == 0;
}

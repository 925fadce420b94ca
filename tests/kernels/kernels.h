/* SPDX-License-Identifier: MIT */
/* Shared by the kernel tests: loading the PTX files next to them, moving memory, launching kernels.
 * The folder of the files is KERNELS_FOLDER, or CUPIPE_TEST_KERNELS from the environment. */
#ifndef KERNELS_H
#define KERNELS_H

#include "test.h"

static inline CUmodule module_from(const char *file)
{
    const char *folder = getenv("CUPIPE_TEST_KERNELS");
    char path[1024];
    CUmodule module;

    snprintf(path, sizeof path, "%s/%s", folder ? folder : KERNELS_FOLDER, file);
    check_success(cuModuleLoad(&module, path));
    return module;
}

static inline CUfunction kernel_of(CUmodule module, const char *name)
{
    CUfunction function;

    check_success(cuModuleGetFunction(&function, module, name));
    return function;
}

/* With a context made: the kernel of that file. */
static inline CUfunction kernel_from(const char *file, const char *name)
{
    with_context();
    return kernel_of(module_from(file), name);
}

/* The zeros are there before anything in any stream: a memset is work of the default stream that
 * the host does not wait for. */
static inline CUdeviceptr device_zeros(size_t size)
{
    CUdeviceptr ptr;

    check_success(cuMemAlloc(&ptr, size));
    check_success(cuMemsetD8(ptr, 0, size));
    check_success(cuStreamSynchronize(NULL));
    return ptr;
}

static inline CUdeviceptr device_copy_of(const void *data, size_t size)
{
    CUdeviceptr ptr = device_zeros(size);

    check_success(cuMemcpyHtoD(ptr, data, size));
    return ptr;
}

static inline void launch_line(CUfunction function, unsigned grid, unsigned block, unsigned shared,
                               void **parameters)
{
    check_success(
        cuLaunchKernel(function, grid, 1, 1, block, 1, 1, shared, NULL, parameters, NULL));
}

/* Launches kernel(out, count) and compares each word with what the model says. */
static inline void check_words(CUfunction function, unsigned grid, unsigned block,
                               uint32_t (*model)(uint32_t index))
{
    unsigned count = grid * block;
    uint32_t *words = calloc(count, sizeof *words);
    CUdeviceptr out = device_zeros(count * sizeof *words);
    void *parameters[] = {&out, &count};

    launch_line(function, grid, block, 0, parameters);
    check_success(cuCtxSynchronize());
    check_success(cuMemcpyDtoH(words, out, count * sizeof *words));
    for (unsigned i = 0; i < count; i++)
        if (words[i] != model(i))
            test_fail(__FILE__, __LINE__, "thread %u of %u x %u: %#x, and not %#x", i, grid, block,
                      words[i], model(i));
    check_success(cuMemFree(out));
    free(words);
}

/* Several shapes: one thread, blocks of one, a bit less and more than a warp, odd sizes, many
 * blocks. */
static inline void check_words_in_shapes(CUfunction function, uint32_t (*model)(uint32_t index))
{
    static const unsigned shapes[][2] = {{1, 1},  {7, 1},   {1, 31},   {1, 32},   {3, 33},
                                         {2, 64}, {5, 100}, {1, 1000}, {200, 256}};

    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        check_words(function, shapes[i][0], shapes[i][1], model);
}

#endif

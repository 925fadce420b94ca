/* SPDX-License-Identifier: MIT */
/* Modules, libraries and links loaded and unloaded, with texts that are in the cache and texts that
 * have to be compiled, and what their kernels compute compared with C. */
#include "kernels.h"

#include "soak.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* One in thirty is new; the others are in the cache after a while. */
static uint32_t draw_salt(void)
{
    return 1000 + (uint32_t)(one_in(30) ? draw(1 << 30) : draw(5));
}

struct loaded {
    CUmodule module;
    CUlibrary library;
};

static struct loaded load_text(char *text)
{
    struct loaded loaded = {0};
    char path[] = "/tmp/soak-module-XXXXXX", log[256] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)(uintptr_t)sizeof(log)};

    switch (draw(4)) {
    case 0:
        must(cuModuleLoadData(&loaded.module, text));
        break;
    case 1:
        must(cuModuleLoadDataEx(&loaded.module, text, 2, options, values));
        break;
    case 2: {
        int fd = mkstemp(path);
        must_be(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
        close(fd);
        must(cuModuleLoad(&loaded.module, path));
        unlink(path);
        break;
    }
    default:
        must(cuLibraryLoadData(&loaded.library, text, NULL, NULL, 0, NULL, NULL, 0));
    }
    free(text);
    return loaded;
}

static CUfunction function_of(const struct loaded *loaded, const char *name)
{
    CUfunction function;
    CUkernel kernel;

    if (loaded->module) {
        must(cuModuleGetFunction(&function, loaded->module, name));
        return function;
    }
    must(cuLibraryGetKernel(&kernel, loaded->library, name));
    if (one_in(2))
        return (CUfunction)kernel;
    must(cuKernelGetFunction(&function, kernel));
    return function;
}

static void unload(const struct loaded *loaded)
{
    if (loaded->module)
        must(cuModuleUnload(loaded->module));
    else
        must(cuLibraryUnload(loaded->library));
}

static void launch(CUfunction function, unsigned blocks, unsigned threads, CUstream stream,
                   void **arguments)
{
    CUlaunchConfig config = {.gridDimX = blocks,
                             .gridDimY = 1,
                             .gridDimZ = 1,
                             .blockDimX = threads,
                             .blockDimY = 1,
                             .blockDimZ = 1,
                             .hStream = stream};

    if (one_in(3))
        must(cuLaunchKernelEx(&config, function, arguments, NULL));
    else
        must(cuLaunchKernel(function, blocks, 1, 1, threads, 1, 1, 0, stream, arguments, NULL));
}

/* The input of a round, on both sides. */
struct numbers {
    uint32_t *values, *wanted, *came;
    uint32_t count;
    CUdeviceptr in, out;
    CUstream stream;
};

static struct numbers numbers_new(void)
{
    struct numbers numbers = {.count = (uint32_t)draw_size(60000)};
    size_t bytes = numbers.count * sizeof(uint32_t);

    numbers.values = room(bytes);
    numbers.wanted = room(bytes);
    numbers.came = room(bytes);
    fill(numbers.values, bytes, draw(1 << 30));
    must(cuStreamCreate(&numbers.stream, CU_STREAM_NON_BLOCKING));
    must(cuMemAlloc(&numbers.in, bytes));
    must(cuMemAlloc(&numbers.out, bytes));
    must(cuMemcpyHtoDAsync(numbers.in, numbers.values, bytes, numbers.stream));
    return numbers;
}

static void numbers_free(struct numbers *numbers)
{
    must(cuStreamDestroy(numbers->stream));
    must(cuMemFree(numbers->in));
    must(cuMemFree(numbers->out));
    free(numbers->values);
    free(numbers->wanted);
    free(numbers->came);
}

static void numbers_check(struct numbers *numbers, uint32_t count, const char *what)
{
    size_t bytes = count * sizeof(uint32_t);

    must(cuMemcpyDtoHAsync(numbers->came, numbers->out, bytes, numbers->stream));
    must(cuStreamSynchronize(numbers->stream));
    same(numbers->came, numbers->wanted, bytes, what);
}

static void run_mix(struct numbers *numbers, const struct loaded *loaded, uint32_t salt)
{
    uint32_t times = (uint32_t)draw(20), threads = 32 * (1 + (uint32_t)draw(16));
    void *arguments[] = {&numbers->out, &numbers->in, &numbers->count, &times};

    launch(function_of(loaded, "mix"), (numbers->count + threads - 1) / threads, threads,
           numbers->stream, arguments);
    for (uint32_t i = 0; i < numbers->count; i++)
        numbers->wanted[i] = mix(numbers->values[i], salt, times);
    numbers_check(numbers, numbers->count, "kernel mix");
}

static void run_sum(struct numbers *numbers, const struct loaded *loaded)
{
    void *arguments[] = {&numbers->out, &numbers->in, &numbers->count};

    must(cuMemsetD32Async(numbers->out, 0, 1, numbers->stream));
    launch(function_of(loaded, "sum"), (numbers->count + 255) / 256, 256, numbers->stream,
           arguments);
    numbers->wanted[0] = 0;
    for (uint32_t i = 0; i < numbers->count; i++)
        numbers->wanted[0] += numbers->values[i];
    numbers_check(numbers, 1, "kernel sum");
}

static void run_tally(struct numbers *numbers, const struct loaded *loaded)
{
    void *arguments[] = {&numbers->out, &numbers->in, &numbers->count};

    if (numbers->count < 64)
        return;
    must(cuMemsetD32Async(numbers->out, 0, 64, numbers->stream));
    launch(function_of(loaded, "tally"), (numbers->count + 127) / 128, 128, numbers->stream,
           arguments);
    memset(numbers->wanted, 0, 64 * sizeof(uint32_t));
    for (uint32_t i = 0; i < numbers->count; i++)
        numbers->wanted[numbers->values[i] & 63]++;
    numbers_check(numbers, 64, "kernel tally");
}

static void run_chain(struct numbers *numbers, const struct loaded *loaded)
{
    void *arguments[] = {&numbers->out, &numbers->in, &numbers->count};

    launch(function_of(loaded, "chain"), (numbers->count + 63) / 64, 64, numbers->stream,
           arguments);
    for (uint32_t i = 0; i < numbers->count; i++) {
        uint32_t bits = numbers->values[i] >> 9 | 0x3f800000;
        float start, value;

        memcpy(&start, &bits, 4);
        value = start;
        for (int k = 0; k < 8; k++)
            value = fmaf(value, start, start);
        value = sqrtf(value);
        memcpy(&numbers->wanted[i], &value, 4);
    }
    numbers_check(numbers, numbers->count, "kernel chain");
}

static void run_warps(struct numbers *numbers, const struct loaded *loaded)
{
    uint32_t whole = numbers->count / 32 * 32;
    void *arguments[] = {&numbers->out, &numbers->in};

    if (!whole)
        return;
    launch(function_of(loaded, "warps"), whole / 32, 32, numbers->stream, arguments);
    for (uint32_t i = 0; i < whole; i += 32) {
        uint32_t sum = 0;
        for (uint32_t lane = 0; lane < 32; lane++)
            sum += numbers->values[i + lane];
        for (uint32_t lane = 0; lane < 32; lane++)
            numbers->wanted[i + lane] = sum;
    }
    numbers_check(numbers, whole, "kernel warps");
}

static void run_allocate(struct numbers *numbers, const struct loaded *loaded, uint32_t salt)
{
    uint64_t size = 4 + draw(300);
    uint32_t threads = numbers->count < 512 ? numbers->count : 512;
    void *arguments[] = {&numbers->out, &size};

    launch(function_of(loaded, "allocate"), 1, threads, numbers->stream, arguments);
    for (uint32_t i = 0; i < threads; i++)
        numbers->wanted[i] = i ^ salt;
    numbers_check(numbers, threads, "kernel allocate");
}

static void check_salt(const struct loaded *loaded, uint32_t salt)
{
    CUdeviceptr at;
    size_t bytes;
    uint32_t value = 0;

    if (loaded->module)
        must(cuModuleGetGlobal(&at, &bytes, loaded->module, "salt"));
    else
        must(cuLibraryGetGlobal(&at, &bytes, loaded->library, "salt"));
    must(cuMemcpyDtoH(&value, at, sizeof(value)));
    same(&value, &salt, sizeof(value), "a variable of a module");
}

void soak_kernels(void)
{
    uint32_t salt = draw_salt();
    struct loaded loaded = load_text(kernels_text(salt));
    struct numbers numbers = numbers_new();

    run_mix(&numbers, &loaded, salt);
    for (unsigned i = 0; i < 3; i++) {
        switch (draw(6)) {
        case 0:
            run_sum(&numbers, &loaded);
            break;
        case 1:
            run_tally(&numbers, &loaded);
            break;
        case 2:
            run_chain(&numbers, &loaded);
            break;
        case 3:
            run_warps(&numbers, &loaded);
            break;
        case 4:
            run_allocate(&numbers, &loaded, salt);
            break;
        default:
            check_salt(&loaded, salt);
        }
    }
    unload(&loaded);
    numbers_free(&numbers);
}

void soak_links(void)
{
    uint32_t salt = draw_salt();
    char *first = caller_text(salt), *second = callee_text(salt);
    struct numbers numbers = numbers_new();
    uint32_t threads = numbers.count < 256 ? numbers.count : 256;
    struct loaded loaded = {0};
    CUlinkState link;
    void *image;
    size_t bytes;

    must(cuLinkCreate(0, NULL, NULL, &link));
    must(cuLinkAddData(link, CU_JIT_INPUT_PTX, first, strlen(first) + 1, "first", 0, NULL, NULL));
    must(
        cuLinkAddData(link, CU_JIT_INPUT_PTX, second, strlen(second) + 1, "second", 0, NULL, NULL));
    must(cuLinkComplete(link, &image, &bytes));
    must(cuModuleLoadData(&loaded.module, image));
    must(cuLinkDestroy(link));
    void *arguments[] = {&numbers.out};
    launch(function_of(&loaded, "ask"), 1, threads, numbers.stream, arguments);
    for (uint32_t i = 0; i < threads; i++)
        numbers.wanted[i] = (i ^ salt) * 2;
    numbers_check(&numbers, threads, "kernel of a link");
    unload(&loaded);
    numbers_free(&numbers);
    free(first);
    free(second);
}

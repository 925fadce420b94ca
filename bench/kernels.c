/* SPDX-License-Identifier: MIT */
/* Kernels: the same eight programs on cupipe, on PoCL, and as plain C with OpenMP, each on all
 * processors, in turns. Also what a launch costs when there is nothing to do. Results are compared
 * before anything is timed. */
#include "bench.h"
#include "kernels/native.h"
#include "kernels/opencl.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ELEMENTS = 64 << 20,
    MATRIX = 1024,
    PICTURE = 2048,
    LIMIT = 256,
    BODIES = 16384,
    REDUCE_BLOCKS = 128,
    PLAIN_BLOCKS = 1024,
    TINY_BLOCKS = 1 << 20,
    TINY_ROUNDS = 200,
};

enum kernel {
    VECADD,
    SAXPY,
    MATMUL,
    MATMUL_TILED,
    REDUCE,
    REDUCE_PLAIN,
    MANDELBROT,
    NBODY,
    KERNELS
};

static const struct shape {
    const char *name;
    size_t bytes[3]; /* of the buffers */
    size_t global[2], local[2];
    int numbers[3];
    unsigned number_count;
} shapes[KERNELS] = {
    [VECADD] = {"vecadd",
                {4ull * ELEMENTS, 4ull * ELEMENTS, 4ull * ELEMENTS},
                {ELEMENTS, 1},
                {256, 1},
                {ELEMENTS},
                1},
    [SAXPY] = {"saxpy", {4ull * ELEMENTS, 4ull * ELEMENTS}, {ELEMENTS, 1}, {256, 1}, {ELEMENTS}, 1},
    [MATMUL] = {"matmul",
                {4 * MATRIX * MATRIX, 4 * MATRIX *MATRIX, 4 * MATRIX *MATRIX},
                {MATRIX, MATRIX},
                {32, 8},
                {MATRIX},
                1},
    [MATMUL_TILED] = {"matmul_tiled",
                      {4 * MATRIX * MATRIX, 4 * MATRIX *MATRIX, 4 * MATRIX *MATRIX},
                      {MATRIX, MATRIX},
                      {32, 32},
                      {MATRIX},
                      1},
    [REDUCE] = {"reduce",
                {4ull * ELEMENTS, 4 * REDUCE_BLOCKS},
                {256 * REDUCE_BLOCKS, 1},
                {256, 1},
                {ELEMENTS},
                1},
    [REDUCE_PLAIN] = {"reduce_plain",
                      {4ull * ELEMENTS, 4 * PLAIN_BLOCKS},
                      {256 * PLAIN_BLOCKS, 1},
                      {256, 1},
                      {ELEMENTS},
                      1},
    [MANDELBROT] = {"mandelbrot",
                    {4ull * PICTURE * PICTURE},
                    {PICTURE, PICTURE},
                    {32, 8},
                    {PICTURE, PICTURE, LIMIT},
                    3},
    [NBODY] = {"nbody", {16 * BODIES, 16 * BODIES}, {BODIES, 1}, {256, 1}, {BODIES}, 1},
};

static const float factor = 1.5f;

static struct state {
    enum kernel kernel;
    CUfunction function;
    CUdeviceptr device[3];
    float *host[3];
    struct opencl_buffer wrapped[3];
} state;

static CUmodule module;

static char *read_text(const char *name)
{
    char path[512];
    FILE *file;
    long size;

    snprintf(path, sizeof path, "%s/%s", BENCH_KERNELS_FOLDER, name);
    file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0 || (size = ftell(file)) < 0) {
        fprintf(stderr, "bench: %s cannot be read\n", path);
        exit(1);
    }
    rewind(file);
    char *text = calloc(1, (size_t)size + 1);
    if (!text || fread(text, 1, (size_t)size, file) != (size_t)size)
        exit(1);
    fclose(file);
    return text;
}

static CUfunction function_named(const char *name)
{
    CUfunction function;

    if (!module) {
        char *text = read_text("kernels.ptx");
        bench_open();
        must(cuModuleLoadData(&module, text));
        free(text);
    }
    must(cuModuleGetFunction(&function, module, name));
    return function;
}

static void open_kernel(enum kernel kernel)
{
    state = (struct state){.kernel = kernel, .function = function_named(shapes[kernel].name)};
    for (unsigned i = 0; i < 3 && shapes[kernel].bytes[i]; i++) {
        size_t bytes = shapes[kernel].bytes[i];
        uint64_t random = 88172645463325252u + i;
        state.host[i] = aligned_alloc(4096, bytes < 4096 ? 4096 : bytes);
        if (!state.host[i])
            bench_fail(CUDA_ERROR_OUT_OF_MEMORY, "aligned_alloc");
        for (size_t j = 0; j < bytes / 4; j++)
            state.host[i][j] = (float)(bench_random(&random) >> 40) / (1 << 24);
        must(cuMemAlloc(&state.device[i], bytes));
        must(cuMemcpyHtoD(state.device[i], state.host[i], bytes));
    }
}

static void close_kernel(void)
{
    for (unsigned i = 0; i < 3 && state.host[i]; i++) {
        if (state.wrapped[i].memory)
            opencl_release(state.wrapped[i]);
        free(state.host[i]);
        must(cuMemFree(state.device[i]));
    }
}

static void run_cuda(void *argument, size_t count)
{
    const struct shape *shape = &shapes[state.kernel];
    void *arguments[8];
    unsigned used = 0;

    (void)argument;
    if (state.kernel == SAXPY)
        arguments[used++] = (void *)&factor;
    for (unsigned i = 0; i < 3 && state.host[i]; i++)
        arguments[used++] = &state.device[i];
    for (unsigned i = 0; i < shape->number_count; i++)
        arguments[used++] = (void *)&shape->numbers[i];
    for (size_t i = 0; i < count; i++)
        must(cuLaunchKernel(state.function, (unsigned)(shape->global[0] / shape->local[0]),
                            (unsigned)(shape->global[1] / shape->local[1]), 1,
                            (unsigned)shape->local[0], (unsigned)shape->local[1], 1, 0, NULL,
                            arguments, NULL));
    must(cuCtxSynchronize());
}

static void run_opencl(void *argument, size_t count)
{
    const struct shape *shape = &shapes[state.kernel];
    struct opencl_argument arguments[8];
    unsigned used = 0;

    (void)argument;
    if (state.kernel == SAXPY)
        arguments[used++] = (struct opencl_argument){sizeof factor, &factor};
    for (unsigned i = 0; i < 3 && state.host[i]; i++)
        arguments[used++] = (struct opencl_argument){sizeof(void *), &state.wrapped[i].memory};
    for (unsigned i = 0; i < shape->number_count; i++)
        arguments[used++] = (struct opencl_argument){sizeof(int), &shape->numbers[i]};
    for (size_t i = 0; i < count; i++)
        opencl_run(shape->name, shape->global, shape->local, arguments, used);
}

static void run_native(void *argument, size_t count)
{
    float **host = state.host;
    static volatile float kept;

    (void)argument;
    for (size_t i = 0; i < count; i++)
        switch (state.kernel) {
        case VECADD:
            native_vecadd(host[0], host[1], host[2], ELEMENTS);
            break;
        case SAXPY:
            native_saxpy(factor, host[0], host[1], ELEMENTS);
            break;
        case MATMUL:
            native_matmul(host[0], host[1], host[2], MATRIX);
            break;
        case MATMUL_TILED:
            native_matmul_tiled(host[0], host[1], host[2], MATRIX);
            break;
        case REDUCE:
        case REDUCE_PLAIN:
            kept = native_reduce(host[0], ELEMENTS);
            break;
        case MANDELBROT:
            native_mandelbrot((int *)host[0], PICTURE, PICTURE, LIMIT);
            break;
        default:
            native_nbody(host[0], host[1], BODIES);
        }
    (void)kept;
}

/* Did ours compute what plain C computes? */
static void compare(void)
{
    unsigned last = 0;

    run_cuda(NULL, 1);
    run_native(NULL, 1);
    while (last < 2 && state.host[last + 1])
        last++;
    size_t count = shapes[state.kernel].bytes[last] / 4, wrong = 0;
    float *ours = malloc(4 * count);
    if (!ours)
        bench_fail(CUDA_ERROR_OUT_OF_MEMORY, "malloc");
    must(cuMemcpyDtoH(ours, state.device[last], 4 * count));
    if (state.kernel == REDUCE || state.kernel == REDUCE_PLAIN) {
        double sum = 0, expected = 0;
        for (size_t i = 0; i < count; i++)
            sum += ours[i];
        for (size_t i = 0; i < ELEMENTS; i++)
            expected += state.host[0][i];
        wrong = fabs(sum - expected) > 1e-4 * expected;
    } else if (state.kernel == MANDELBROT) {
        for (size_t i = 0; i < count; i++)
            wrong += ((int *)ours)[i] != ((int *)state.host[0])[i];
        wrong = wrong > count / 100; /* plain C may round otherwise at the edge of the set */
    } else {
        for (size_t i = 0; i < count; i++)
            wrong +=
                fabsf(ours[i] - state.host[last][i]) > 1e-3f * fabsf(state.host[last][i]) + 1e-3f;
    }
    free(ours);
    if (wrong) {
        fprintf(stderr, "bench: %s computed %zu wrong values\n", shapes[state.kernel].name, wrong);
        exit(1);
    }
}

double bench_kernel_ms(const char *name)
{
    enum { ROUNDS = 5 };
    enum kernel kernel = 0;
    double best = 0;

    while (kernel < KERNELS - 1 && strcmp(shapes[kernel].name, name) != 0)
        kernel++;
    open_kernel(kernel);
    run_cuda(NULL, 1);
    for (int i = 0; i < ROUNDS; i++) {
        double start_ns = bench_now_ns();

        run_cuda(NULL, 1);
        double ms = (bench_now_ns() - start_ns) / 1e6;
        best = i == 0 || ms < best ? ms : best;
    }
    close_kernel();
    return best;
}

static struct bench_result in_ms(struct bench_result result)
{
    result.subject /= 1e6;
    result.reference /= 1e6;
    return result;
}

static struct bench_result against_native(const struct bench_row *row)
{
    open_kernel((enum kernel)row->bytes);
    compare();
    struct bench_result result =
        bench_long((struct bench_side){run_cuda, NULL}, (struct bench_side){run_native, NULL});
    close_kernel();
    return in_ms(result);
}

static struct bench_result against_opencl(const struct bench_row *row)
{
    struct bench_result result = {0};
    const char *why = "";
    char *text = read_text("kernels.cl");
    bool there = opencl_open(text, &why);

    free(text);
    open_kernel((enum kernel)row->bytes);
    if (there) {
        for (unsigned i = 0; i < 3 && state.host[i]; i++)
            state.wrapped[i] = opencl_wrap(state.host[i], shapes[state.kernel].bytes[i]);
        run_opencl(NULL, 1);
        run_cuda(NULL, 1);
        result =
            bench_long((struct bench_side){run_cuda, NULL}, (struct bench_side){run_opencl, NULL});
    } else {
        snprintf(result.note, sizeof result.note, "%s", why);
    }
    close_kernel();
    return in_ms(result);
}

static CUfunction empty_function;

static void empty_setup(const struct bench_row *row)
{
    (void)row;
    empty_function = function_named("empty");
    must(cuLaunchKernel(empty_function, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL));
    must(cuCtxSynchronize());
}

static void empty_run(const struct bench_row *row, size_t count)
{
    (void)row;
    for (size_t i = 0; i < count; i++) {
        must(cuLaunchKernel(empty_function, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL));
        must(cuStreamSynchronize(NULL));
    }
}

/* What a block costs that does nothing, times the processors at work. */
static struct bench_result tiny_blocks(const struct bench_row *row)
{
    struct bench_result result = {0};

    empty_setup(row);
    for (int round = 0; round < TINY_ROUNDS; round++) {
        double start = bench_now_ns();
        must(cuLaunchKernel(empty_function, TINY_BLOCKS, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL));
        must(cuStreamSynchronize(NULL));
        double each = (bench_now_ns() - start) / TINY_BLOCKS * bench_cpu_count();
        if (round == 0 || each < result.subject)
            result.subject = each;
    }
    return result;
}

/* The corner of a product of matrices, of 32 x 32 elements, by blocks of so many rows. */
static void run_corner(void *argument, size_t count)
{
    enum { EDGE = 32 };
    const unsigned *rows = argument;
    void *arguments[] = {&state.device[0], &state.device[1], &state.device[2],
                         (void *)&shapes[MATMUL].numbers[0]};

    for (size_t i = 0; i < count; i++) {
        must(cuLaunchKernel(state.function, 1, EDGE / *rows, 1, EDGE, *rows, 1, 0, NULL, arguments,
                            NULL));
        must(cuCtxSynchronize());
    }
}

/* Do all processors work on one block as they do on many? */
static struct bench_result one_block(const struct bench_row *row)
{
    static unsigned one = 1, all = 32;
    struct bench_result result;

    (void)row;
    open_kernel(MATMUL);
    result =
        bench_short((struct bench_side){run_corner, &all}, (struct bench_side){run_corner, &one});
    close_kernel();
    return in_ms(result);
}

#define AGAINST_NATIVE(label, which, what, at_most)                                                \
    {                                                                                              \
        .name = label, .reference = "C", .unit = BENCH_MS, .goal = what, .limit = at_most,         \
        .measure = against_native, .bytes = which                                                  \
    }
#define AGAINST_OPENCL(label, which)                                                               \
    {                                                                                              \
        .name = label, .reference = "PoCL", .unit = BENCH_MS, .goal = BENCH_RATIO_AT_MOST,         \
        .limit = 1, .measure = against_opencl, .bytes = which                                      \
    }

const struct bench_row bench_kernel_rows[] = {
    {.name = "launch + synchronise, empty kernel",
     .reference = "malloc",
     .unit = BENCH_NS,
     .goal = BENCH_RATIO_AT_MOST,
     .limit = 60,
     .measure = bench_against_malloc,
     .setup = empty_setup,
     .run = empty_run},
    {.name = "a block that does nothing, of 2^20",
     .unit = BENCH_NS,
     .goal = BENCH_VALUE_AT_MOST,
     .limit = 30,
     .measure = tiny_blocks},
    {.name = "a block of 32 warps",
     .reference = "32 of one",
     .unit = BENCH_MS,
     .goal = BENCH_RATIO_AT_MOST,
     .limit = 1.2,
     .measure = one_block},
    AGAINST_NATIVE("kernel vecadd 64M", VECADD, BENCH_RATIO_AT_MOST, 1.3),
    AGAINST_OPENCL("kernel vecadd 64M, PoCL", VECADD),
    AGAINST_NATIVE("kernel saxpy 64M", SAXPY, BENCH_RATIO_AT_MOST, 1.3),
    AGAINST_OPENCL("kernel saxpy 64M, PoCL", SAXPY),
    AGAINST_NATIVE("kernel reduce 64M", REDUCE, BENCH_RATIO_AT_MOST, 1.3),
    AGAINST_OPENCL("kernel reduce 64M, PoCL", REDUCE),
    AGAINST_NATIVE("kernel plain reduce 64M", REDUCE_PLAIN, BENCH_RATIO_AT_MOST, 1.3),
    AGAINST_OPENCL("kernel plain reduce 64M, PoCL", REDUCE_PLAIN),
    AGAINST_NATIVE("kernel matmul 1024", MATMUL, BENCH_INFORM, 0),
    AGAINST_OPENCL("kernel matmul 1024, PoCL", MATMUL),
    AGAINST_NATIVE("kernel tiled matmul 1024", MATMUL_TILED, BENCH_INFORM, 0),
    AGAINST_OPENCL("kernel tiled matmul 1024, PoCL", MATMUL_TILED),
    AGAINST_NATIVE("kernel mandelbrot 2048 x 2048", MANDELBROT, BENCH_RATIO_AT_MOST, 1),
    AGAINST_OPENCL("kernel mandelbrot 2048 x 2048, PoCL", MANDELBROT),
    AGAINST_NATIVE("kernel n-body 16384", NBODY, BENCH_INFORM, 0),
    AGAINST_OPENCL("kernel n-body 16384, PoCL", NBODY),
    {.name = NULL},
};

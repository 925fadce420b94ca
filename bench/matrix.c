/* SPDX-License-Identifier: MIT */
/* Products of two matrices of 1024 x 1024: of .f16 by tensor cores, with an H200's bits or, in a
 * process of its own, with CUPIPE_MATH=fast, and of .f32 by OpenBLAS, where it is installed, each
 * on all processors, in turns. */
#include "bench.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { EDGE = 1024, ELEMENTS = EDGE * EDGE, STEP = 64 /* columns of a box */ };

typedef void sgemm_function(int order, int turn_a, int turn_b, int m, int n, int k, float alpha,
                            const float *a, int lda, const float *b, int ldb, float beta, float *c,
                            int ldc);

static const struct {
    const char *name;
    unsigned columns, rows, threads; /* of a block */
    unsigned stages;                 /* that tensor maps fill; 0: the kernel takes pointers */
} kernels[] = {{"matrix_mma", 128, 128, 128, 0},
               {"matrix_wgmma", 128, 128, 256, 0},
               {"matrix_wgmma_maps", 256, 128, 256, 2},
               {"matrix_wmma", 128, 128, 128, 0}};

/* Numbers between 1 and 2, either sign: all bits of the fraction count. */
static uint16_t half_at(size_t i)
{
    uint64_t random = (i + 1) * 0x9e3779b97f4a7c15u;

    return (uint16_t)(0x3c00 | (random >> 40 & 0x83ff));
}

static float value_of(uint16_t half)
{
    uint32_t bits = (half & 0x8000u) << 16 | (((half & 0x7fffu) << 13) + (112u << 23));
    float value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

static struct {
    unsigned kernel;
    CUmodule module;
    CUfunction function;
    CUdeviceptr buffers[3];
    CUtensorMap maps[2];
    float *floats[3];
    sgemm_function *sgemm;
} state;

static unsigned stage_bytes(void)
{
    return kernels[state.kernel].stages *
           (kernels[state.kernel].columns + kernels[state.kernel].rows) * STEP * 2;
}

/* A map of a matrix, of which boxes of so many rows are copied. */
static void make_map(unsigned matrix, unsigned rows)
{
    cuuint64_t edges[] = {EDGE, EDGE}, row_bytes = 2 * EDGE;
    cuuint32_t box[] = {STEP, rows}, steps[] = {1, 1};

    must(cuTensorMapEncodeTiled(&state.maps[matrix], CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2,
                                (void *)(uintptr_t)state.buffers[matrix], edges, &row_bytes, box,
                                steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                                CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
}

static void run_kernel(void *argument, size_t count)
{
    bool by_maps = kernels[state.kernel].stages > 0;
    void *parameters[] = {by_maps ? (void *)&state.maps[0] : &state.buffers[0],
                          by_maps ? (void *)&state.maps[1] : &state.buffers[1], &state.buffers[2]};
    unsigned columns = EDGE / kernels[state.kernel].columns,
             rows = EDGE / kernels[state.kernel].rows, threads = kernels[state.kernel].threads;

    (void)argument;
    for (size_t i = 0; i < count; i++) {
        must(cuLaunchKernel(state.function, columns, rows, 1, threads, 1, 1, stage_bytes(), NULL,
                            parameters, NULL));
        must(cuCtxSynchronize());
    }
}

static void run_openblas(void *argument, size_t count)
{
    enum { ROW_MAJOR = 101, PLAIN = 111, TURNED = 112 };

    (void)argument;
    for (size_t i = 0; i < count; i++)
        state.sgemm(ROW_MAJOR, PLAIN, TURNED, EDGE, EDGE, EDGE, 1, state.floats[0], EDGE,
                    state.floats[1], EDGE, 0, state.floats[2], EDGE);
}

static void fill(unsigned matrix)
{
    uint16_t *halves = malloc(2 * ELEMENTS);

    for (size_t i = 0; i < ELEMENTS; i++) {
        halves[i] = half_at(i + matrix * ELEMENTS);
        state.floats[matrix][i] = value_of(halves[i]);
    }
    must(cuMemcpyHtoD(state.buffers[matrix], halves, 2 * ELEMENTS));
    free(halves);
}

static void compare(void)
{
    float *ours = malloc(4 * ELEMENTS);
    size_t wrong = 0;

    must(cuMemcpyDtoH(ours, state.buffers[2], 4 * ELEMENTS));
    for (size_t i = 0; i < ELEMENTS; i++)
        wrong += fabsf(ours[i] - state.floats[2][i]) > 1e-4f * fabsf(state.floats[2][i]) + 1e-2f;
    free(ours);
    if (wrong) {
        fprintf(stderr, "bench: %s computed %zu wrong values\n", kernels[state.kernel].name, wrong);
        exit(1);
    }
}

/* OpenBLAS's threads spin for tens of milliseconds after a call, and would take the processors from
 * the kernel. A processor that it does not know it takes for one without AVX, and is five times as
 * slow. */
void bench_set_up_openblas(void)
{
    void *library = dlopen("libopenblas.so.0", RTLD_NOW);
    const char *(*name_of)(void) = NULL, *name, *better = NULL;

    setenv("OPENBLAS_THREAD_TIMEOUT", "4", 0); /* 2^4 ticks of the processor's clock */
    if (library)
        *(void **)&name_of = dlsym(library, "openblas_get_corename");
    if (!name_of)
        return;
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx512vl"))
        better = "SKYLAKEX";
    else if (__builtin_cpu_supports("avx2"))
        better = "HASWELL";
#endif
    name = name_of();
    if (better && (!strcasecmp(name, "Prescott") || !strcasecmp(name, "Nehalem")))
        setenv("OPENBLAS_CORETYPE", better, 0);
}

static struct bench_result against_openblas(const struct bench_row *row)
{
    struct bench_result result = {0};
    void *library = dlopen("libopenblas.so.0", RTLD_NOW);

    if (library)
        *(void **)&state.sgemm = dlsym(library, "cblas_sgemm");
    if (!state.sgemm) {
        snprintf(result.note, sizeof result.note, "no libopenblas.so.0");
        return result;
    }
    state.kernel = (unsigned)row->bytes;
    must(cuModuleLoad(&state.module, BENCH_KERNELS_FOLDER "/matrix.ptx"));
    must(cuModuleGetFunction(&state.function, state.module, kernels[state.kernel].name));
    for (unsigned m = 0; m < 3; m++) {
        state.floats[m] = malloc(4 * ELEMENTS);
        must(cuMemAlloc(&state.buffers[m], 4 * ELEMENTS));
        fill(m);
    }
    if (kernels[state.kernel].stages) {
        make_map(0, kernels[state.kernel].rows);
        make_map(1, kernels[state.kernel].columns);
        must(cuFuncSetAttribute(state.function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                (int)stage_bytes()));
    }
    run_kernel(NULL, 1);
    run_openblas(NULL, 1);
    compare();
    result =
        bench_long((struct bench_side){run_kernel, NULL}, (struct bench_side){run_openblas, NULL});
    result.subject /= 1e6;
    result.reference /= 1e6;
    for (unsigned m = 0; m < 3; m++) {
        must(cuMemFree(state.buffers[m]));
        free(state.floats[m]);
    }
    must(cuModuleUnload(state.module));
    return result;
}

const char bench_mode_matrix[] = "--matrix=";

int bench_matrix_main(const char *kernel)
{
    struct bench_row row = {.bytes = 0};
    struct bench_result result;

    while (strcmp(kernels[row.bytes].name, kernel) != 0)
        if (++row.bytes == sizeof kernels / sizeof *kernels) {
            fprintf(stderr, "bench: there is no kernel %s\n", kernel);
            return 1;
        }
    bench_open();
    result = against_openblas(&row);
    printf("%f %f %d %s\n", result.subject, result.reference, result.disturbed, result.note);
    return 0;
}

/* The same with CUPIPE_MATH=fast, which a process reads once. */
static struct bench_result fast_against_openblas(const struct bench_row *row)
{
    struct bench_result result = {0};
    struct bench_child child;
    char line[256] = "", mode[64];
    int disturbed = 0, note = 0;
    FILE *answer;

    snprintf(mode, sizeof mode, "%s%s", bench_mode_matrix, kernels[row->bytes].name);
    setenv("CUPIPE_MATH", "fast", 1);
    child = bench_child_start(mode);
    unsetenv("CUPIPE_MATH");
    answer = fdopen(dup(child.reader), "r");
    if (!answer || !fgets(line, sizeof line, answer) ||
        sscanf(line, "%lf %lf %d %n", &result.subject, &result.reference, &disturbed, &note) < 3) {
        fprintf(stderr, "bench: a process of its own gave no answer\n");
        exit(1);
    }
    fclose(answer);
    bench_child_end(&child);
    result.disturbed = disturbed;
    line[strcspn(line, "\n")] = 0;
    snprintf(result.note, sizeof result.note, "%s", line + note);
    return result;
}

#define ROW(title, kernel, function, most)                                                         \
    {                                                                                              \
        .name = (title), .reference = "OpenBLAS", .unit = BENCH_MS, .goal = BENCH_RATIO_AT_MOST,   \
        .limit = (most), .measure = (function), .bytes = (kernel)                                  \
    }

/* Sums with the card's bits round every product's additions as the card does, which no unit of the
 * processor does: at most 4 times as long. With CUPIPE_MATH=fast they are the processor's own. */
const struct bench_row bench_matrix_rows[] = {
    ROW("matmul 1024, mma of f16", 0, against_openblas, 4),
    ROW("matmul 1024, wmma of f16", 3, against_openblas, 4),
    ROW("matmul 1024, wgmma of f16", 1, against_openblas, 4),
    ROW("the same, by tensor maps", 2, against_openblas, 4),
    ROW("matmul 1024, mma of f16, fast", 0, fast_against_openblas, 1.05),
    ROW("matmul 1024, wmma of f16, fast", 3, fast_against_openblas, 1.05),
    ROW("matmul 1024, wgmma of f16, fast", 1, fast_against_openblas, 1.05),
    ROW("the same, by tensor maps, fast", 2, fast_against_openblas, 1.05),
    {.name = NULL},
};

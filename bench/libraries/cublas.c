/* SPDX-License-Identifier: MIT */
/* Products of cuBLAS beside OpenBLAS called directly, in turns, in one process: the time of a call
 * and the wait for it. The target is 1.05 times OpenBLAS and a microsecond.
 *
 *     cublas [largest order]                CUPIPE_OPENBLAS names another OpenBLAS */
#include "turns.h"

#include <cublas_v2.h>
#include <cuda.h>
#include <dlfcn.h>
#include <stdint.h>
#include <string.h>

typedef void gemm_function(const char *, const char *, const int *, const int *, const int *,
                           const void *, const void *, const int *, const void *, const int *,
                           const void *, void *, const int *);
typedef cublasStatus_t cublas_function(cublasHandle_t, cublasOperation_t, cublasOperation_t, int,
                                       int, int, const void *, const void *, int, const void *, int,
                                       const void *, void *, int);

static const struct type {
    const char *name;
    size_t bytes;
    cublas_function *function;
} types[] = {
    {"sgemm", 4, (cublas_function *)cublasSgemm_v2},
    {"dgemm", 8, (cublas_function *)cublasDgemm_v2},
    {"cgemm", 8, (cublas_function *)cublasCgemm_v2},
};

static void *library;

static gemm_function *direct_function(const char *name)
{
    char symbol[32];
    void *found;

    snprintf(symbol, sizeof(symbol), "%s_", name);
    found = dlsym(library, symbol);
    if (!found) {
        snprintf(symbol, sizeof(symbol), "scipy_%s_", name);
        found = dlsym(library, symbol);
    }
    return (gemm_function *)found;
}

static void *device_memory(size_t bytes)
{
    CUdeviceptr memory = 0;

    if (cuMemAlloc(&memory, bytes) != CUDA_SUCCESS ||
        cuMemsetD32(memory, 0x3c000000, bytes / 4) != CUDA_SUCCESS ||
        cuCtxSynchronize() != CUDA_SUCCESS) {
        fprintf(stderr, "no memory\n");
        exit(1);
    }
    return (void *)(uintptr_t)memory;
}

struct product {
    const struct type *type;
    gemm_function *direct;
    cublasHandle_t handle;
    void *a, *b, *c;
    int n;
};

static const void *one_of(const struct type *type)
{
    static const float single_one[2] = {1, 0};
    static const double double_one[2] = {1, 0};

    return strcmp(type->name, "dgemm") ? (const void *)single_one : double_one;
}

static const float zero[4];

static void direct_run(void *argument)
{
    const struct product *p = argument;

    p->direct("N", "N", &p->n, &p->n, &p->n, one_of(p->type), p->a, &p->n, p->b, &p->n, zero, p->c,
              &p->n);
}

static void cublas_run(void *argument)
{
    const struct product *p = argument;
    int n = p->n;

    p->type->function(p->handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, one_of(p->type), p->a, n, p->b,
                      n, zero, p->c, n);
    cuStreamSynchronize(NULL);
}

static void compare(const struct type *type, gemm_function *direct, cublasHandle_t handle, int n)
{
    size_t bytes = (size_t)n * (size_t)n * type->bytes;
    struct product p = {
        type, direct, handle, device_memory(bytes), device_memory(bytes), device_memory(bytes), n};
    struct bench_side theirs = {.run = direct_run, .argument = &p};
    struct bench_side ours = {.run = cublas_run, .argument = &p};

    bench_turns(&theirs, &ours, 0.8);
    printf("%s %5d: OpenBLAS %10.1f us, cuBLAS %10.1f us, %5.3f times and %5.1f us more, %s\n",
           type->name, n, theirs.best_us, ours.best_us, ours.best_us / theirs.best_us,
           ours.best_us - theirs.best_us,
           ours.best_us <= theirs.best_us * 1.05 + 1 ? "within" : "beyond");
    cuMemFree((CUdeviceptr)(uintptr_t)p.a);
    cuMemFree((CUdeviceptr)(uintptr_t)p.b);
    cuMemFree((CUdeviceptr)(uintptr_t)p.c);
}

int main(int argc, char **argv)
{
    const char *path = getenv("CUPIPE_OPENBLAS");
    int largest = argc > 1 ? atoi(argv[1]) : 4096;
    cublasHandle_t handle = NULL;
    CUcontext context;

    library = dlopen(path && *path ? path : "libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!library || cuInit(0) != CUDA_SUCCESS ||
        cuDevicePrimaryCtxRetain(&context, 0) != CUDA_SUCCESS ||
        cuCtxSetCurrent(context) != CUDA_SUCCESS ||
        cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS) {
        fprintf(stderr, "OpenBLAS or cuBLAS cannot be used\n");
        return 1;
    }
    for (size_t t = 0; t < sizeof(types) / sizeof(*types); t++) {
        gemm_function *direct = direct_function(types[t].name);

        for (int n = 64; direct && n <= largest; n *= 2)
            compare(&types[t], direct, handle, n);
    }
    cublasDestroy(handle);
    return 0;
}

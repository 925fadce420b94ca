/* SPDX-License-Identifier: MIT */
/* Products of cuBLAS beside OpenBLAS called directly, in turns, in one process: the time of a call
 * and the wait for it. The target is 1.05 times OpenBLAS and a microsecond.
 *
 *     cublas [largest order]                CUPIPE_OPENBLAS names another OpenBLAS */
#include <cublas_v2.h>
#include <cuda.h>
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS_MOST = 400 };

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
    double flops; /* of a multiplication and an addition */
} types[] = {
    {"sgemm", 4, (cublas_function *)cublasSgemm_v2, 2},
    {"dgemm", 8, (cublas_function *)cublasDgemm_v2, 2},
    {"cgemm", 8, (cublas_function *)cublasCgemm_v2, 8},
};

static void *library;

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

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

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(double *times, int count)
{
    qsort(times, (size_t)count, sizeof(*times), by_value);
    return times[count / 2];
}

static void compare(const struct type *type, gemm_function *direct, cublasHandle_t handle, int n)
{
    static double ours[ROUNDS_MOST], theirs[ROUNDS_MOST];
    const float single_one[2] = {1, 0}, zero[4] = {0};
    const double double_one[2] = {1, 0};
    const void *one = strcmp(type->name, "dgemm") ? (const void *)single_one : double_one;
    size_t bytes = (size_t)n * (size_t)n * type->bytes;
    void *a = device_memory(bytes), *b = device_memory(bytes), *c = device_memory(bytes);
    int rounds = (int)(4e10 / (type->flops * n * n * n));
    double us_ours, us_theirs;

    rounds = rounds < 5 ? 5 : rounds > ROUNDS_MOST ? ROUNDS_MOST : rounds;
    for (int i = -2; i < rounds; i++) {
        double begin = now(), middle, end;

        direct("N", "N", &n, &n, &n, one, a, &n, b, &n, zero, c, &n);
        middle = now();
        type->function(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, one, a, n, b, n, zero, c, n);
        cuStreamSynchronize(NULL);
        end = now();
        if (i < 0)
            continue;
        theirs[i] = (middle - begin) * 1e6;
        ours[i] = (end - middle) * 1e6;
    }
    us_ours = median(ours, rounds);
    us_theirs = median(theirs, rounds);
    printf("%s %5d: OpenBLAS %10.1f us, cuBLAS %10.1f us, %5.3f times and %5.1f us more, %s\n",
           type->name, n, us_theirs, us_ours, us_ours / us_theirs, us_ours - us_theirs,
           us_ours <= us_theirs * 1.05 + 1 ? "within" : "beyond");
    cuMemFree((CUdeviceptr)(uintptr_t)a);
    cuMemFree((CUdeviceptr)(uintptr_t)b);
    cuMemFree((CUdeviceptr)(uintptr_t)c);
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

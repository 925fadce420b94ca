/* SPDX-License-Identifier: MIT */
/* Factorisations of cuSOLVER beside OpenBLAS' LAPACK called directly, in turns, in one process: the
 * time of a call and the wait for it, in double precision.
 *
 *     cusolver [largest order]              CUPIPE_OPENBLAS names another OpenBLAS */
#include <cuda.h>
#include <cusolverDn.h>
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS_MOST = 200 };

/* A matrix of order n on the device, what is computed from it, and working memory of both. */
struct problem {
    int n, lwork, *pivots, *info, *iwork;
    double *matrix, *a, *tau, *u, *v, *work;
    cusolverDnHandle_t handle;
};

static void *library;

static void *routine(const char *name)
{
    char symbol[32];
    void *found;

    snprintf(symbol, sizeof(symbol), "%s_", name);
    found = dlsym(library, symbol);
    if (!found) {
        snprintf(symbol, sizeof(symbol), "scipy_%s_", name);
        found = dlsym(library, symbol);
    }
    if (!found) {
        fprintf(stderr, "OpenBLAS has no %s\n", symbol);
        exit(1);
    }
    return found;
}

static void potrf_direct(struct problem *p)
{
    void (*f)(const char *, int *, double *, int *, int *, size_t) =
        (void (*)(const char *, int *, double *, int *, int *, size_t))routine("dpotrf");

    f("L", &p->n, p->a, &p->n, p->info, 1);
}

static void potrf_solver(struct problem *p)
{
    cusolverDnDpotrf(p->handle, CUBLAS_FILL_MODE_LOWER, p->n, p->a, p->n, p->work, p->lwork,
                     p->info);
}

static void getrf_direct(struct problem *p)
{
    void (*f)(int *, int *, double *, int *, int *, int *) =
        (void (*)(int *, int *, double *, int *, int *, int *))routine("dgetrf");

    f(&p->n, &p->n, p->a, &p->n, p->pivots, p->info);
}

static void getrf_solver(struct problem *p)
{
    cusolverDnDgetrf(p->handle, p->n, p->n, p->a, p->n, p->work, p->pivots, p->info);
}

static void geqrf_direct(struct problem *p)
{
    void (*f)(int *, int *, double *, int *, double *, double *, int *, int *) = (void (*)(
        int *, int *, double *, int *, double *, double *, int *, int *))routine("dgeqrf");

    f(&p->n, &p->n, p->a, &p->n, p->tau, p->work, &p->lwork, p->info);
}

static void geqrf_solver(struct problem *p)
{
    cusolverDnDgeqrf(p->handle, p->n, p->n, p->a, p->n, p->tau, p->work, p->lwork, p->info);
}

static void syevd_direct(struct problem *p)
{
    void (*f)(const char *, const char *, int *, double *, int *, double *, double *, int *, int *,
              int *, int *, size_t, size_t) =
        (void (*)(const char *, const char *, int *, double *, int *, double *, double *, int *,
                  int *, int *, int *, size_t, size_t))routine("dsyevd");
    int liwork = 3 + 5 * p->n;

    f("V", "L", &p->n, p->a, &p->n, p->tau, p->work, &p->lwork, p->iwork, &liwork, p->info, 1, 1);
}

static void syevd_solver(struct problem *p)
{
    cusolverDnDsyevd(p->handle, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, p->n, p->a, p->n,
                     p->tau, p->work, p->lwork, p->info);
}

static void gesvd_direct(struct problem *p)
{
    void (*f)(const char *, const char *, int *, int *, double *, int *, double *, double *, int *,
              double *, int *, double *, int *, int *, size_t, size_t) =
        (void (*)(const char *, const char *, int *, int *, double *, int *, double *, double *,
                  int *, double *, int *, double *, int *, int *, size_t, size_t))routine("dgesvd");

    f("A", "A", &p->n, &p->n, p->a, &p->n, p->tau, p->u, &p->n, p->v, &p->n, p->work, &p->lwork,
      p->info, 1, 1);
}

static void gesvd_solver(struct problem *p)
{
    cusolverDnDgesvd(p->handle, 'A', 'A', p->n, p->n, p->a, p->n, p->tau, p->u, p->n, p->v, p->n,
                     p->work, p->lwork, NULL, p->info);
}

static const struct {
    const char *name;
    void (*direct)(struct problem *), (*solver)(struct problem *);
    double operations; /* in cubes of the order */
} functions[] = {
    {"potrf", potrf_direct, potrf_solver, 0.4}, {"getrf", getrf_direct, getrf_solver, 0.7},
    {"geqrf", geqrf_direct, geqrf_solver, 1.4}, {"syevd", syevd_direct, syevd_solver, 9},
    {"gesvd", gesvd_direct, gesvd_solver, 30},
};

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void *device_memory(size_t bytes)
{
    CUdeviceptr memory = 0;

    if (cuMemAlloc(&memory, bytes) != CUDA_SUCCESS) {
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

static struct problem problem_new(cusolverDnHandle_t handle, int n)
{
    const size_t squares = (size_t)n * (size_t)n;
    struct problem p = {.n = n, .lwork = 2 * n * n + 64 * n + 64, .handle = handle};
    double *host = malloc(squares * sizeof(double));
    unsigned state = 1;

    for (size_t i = 0; i < squares; i++) {
        state = state * 1664525u + 1013904223u;
        host[i] = (state >> 8) / 16777216.0 - 0.5;
    }
    for (size_t j = 0; j < (size_t)n; j++) {
        host[j * ((size_t)n + 1)] += n;
        for (size_t i = 0; i < j; i++)
            host[j + i * (size_t)n] = host[i + j * (size_t)n];
    }
    p.matrix = device_memory(squares * sizeof(double));
    p.a = device_memory(squares * sizeof(double));
    p.u = device_memory(squares * sizeof(double));
    p.v = device_memory(squares * sizeof(double));
    p.tau = device_memory((size_t)n * sizeof(double));
    p.work = device_memory((size_t)p.lwork * sizeof(double));
    p.pivots = device_memory((size_t)n * sizeof(int));
    p.iwork = device_memory(((size_t)n * 5 + 3) * sizeof(int));
    p.info = device_memory(sizeof(int));
    cuMemcpyHtoD((CUdeviceptr)(uintptr_t)p.matrix, host, squares * sizeof(double));
    free(host);
    return p;
}

static void reset(const struct problem *p)
{
    cuMemcpyDtoD((CUdeviceptr)(uintptr_t)p->a, (CUdeviceptr)(uintptr_t)p->matrix,
                 (size_t)p->n * (size_t)p->n * sizeof(double));
    cuCtxSynchronize();
}

static void compare(size_t function, struct problem *p)
{
    static double ours[ROUNDS_MOST], theirs[ROUNDS_MOST];
    const double cube = (double)p->n * p->n * p->n;
    int rounds = (int)(4e9 / (functions[function].operations * cube));
    double us_ours, us_theirs;

    rounds = rounds < 3 ? 3 : rounds > ROUNDS_MOST ? ROUNDS_MOST : rounds;
    for (int i = -1; i < rounds; i++) {
        double begin, end;

        reset(p);
        begin = now();
        functions[function].direct(p);
        end = now();
        if (i >= 0)
            theirs[i] = (end - begin) * 1e6;
        reset(p);
        begin = now();
        functions[function].solver(p);
        cuStreamSynchronize(NULL);
        end = now();
        if (i >= 0)
            ours[i] = (end - begin) * 1e6;
    }
    us_ours = median(ours, rounds);
    us_theirs = median(theirs, rounds);
    printf("d%s %5d: LAPACK %10.1f us, cuSOLVER %10.1f us, %5.3f times and %5.1f us more\n",
           functions[function].name, p->n, us_theirs, us_ours, us_ours / us_theirs,
           us_ours - us_theirs);
}

int main(int argc, char **argv)
{
    const char *path = getenv("CUPIPE_OPENBLAS");
    int largest = argc > 1 ? atoi(argv[1]) : 1024;
    cusolverDnHandle_t handle = NULL;
    CUcontext context;

    library = dlopen(path && *path ? path : "libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!library || cuInit(0) != CUDA_SUCCESS ||
        cuDevicePrimaryCtxRetain(&context, 0) != CUDA_SUCCESS ||
        cuCtxSetCurrent(context) != CUDA_SUCCESS ||
        cusolverDnCreate(&handle) != CUSOLVER_STATUS_SUCCESS) {
        fprintf(stderr, "OpenBLAS or cuSOLVER cannot be used\n");
        return 1;
    }
    for (int n = 64; n <= largest; n *= 2) {
        struct problem p = problem_new(handle, n);

        for (size_t f = 0; f < sizeof(functions) / sizeof(*functions); f++)
            compare(f, &p);
    }
    cusolverDnDestroy(handle);
    return 0;
}

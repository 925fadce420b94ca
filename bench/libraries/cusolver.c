/* SPDX-License-Identifier: MIT */
/* Factorisations of cuSOLVER beside OpenBLAS' LAPACK called directly, in turns, in one process: the
 * least time of a call and the wait for it, in double precision. Batches of small matrices stand
 * beside a loop that calls LAPACK for one after the other, with one working memory for all.
 *
 *     cusolver [largest order; 0: batches alone]
 *
 * CUPIPE_OPENBLAS names another OpenBLAS. */
#include "bench.h"

#include <cuda.h>
#include <cusolverDn.h>
#include <dlfcn.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

enum { ROUNDS_MOST = 200 };

/* Batches: the largest order that gesvdjBatched takes, and the numbers of all matrices. */
enum { BATCHED_ORDER_MOST = 32, BATCHED_NUMBERS = 1 << 16 };

/* Matrices of order n on the device, one after the other, what is computed from them, and working
 * memory of both. */
struct problem {
    int n, count, lwork, *pivots, *info, *iwork;
    double *matrix, *a, *tau, *u, *v, *work, **addresses;
    cusolverDnHandle_t handle;
    syevjInfo_t eigen;
    gesvdjInfo_t singular;
};

/* LAPACK's routines for double precision. */
static struct {
    void (*potrf)(const char *, int *, double *, int *, int *, size_t);
    void (*getrf)(int *, int *, double *, int *, int *, int *);
    void (*geqrf)(int *, int *, double *, int *, double *, double *, int *, int *);
    void (*syevd)(const char *, const char *, int *, double *, int *, double *, double *, int *,
                  int *, int *, int *, size_t, size_t);
    void (*gesvd)(const char *, const char *, int *, int *, double *, int *, double *, double *,
                  int *, double *, int *, double *, int *, int *, size_t, size_t);
    void (*gesdd)(const char *, int *, int *, double *, int *, double *, double *, int *, double *,
                  int *, double *, int *, int *, int *, size_t);
} lapack;

/* Finds a routine; those of scipy's OpenBLAS have a prefix. */
static void find(void *library, const char *name, void *pointer)
{
    char symbol[32];
    void *found;

    snprintf(symbol, sizeof(symbol), "d%s_", name);
    found = dlsym(library, symbol);
    if (!found) {
        snprintf(symbol, sizeof(symbol), "scipy_d%s_", name);
        found = dlsym(library, symbol);
    }
    if (!found) {
        fprintf(stderr, "OpenBLAS has no %s\n", symbol);
        exit(1);
    }
    memcpy(pointer, &found, sizeof(found));
}

static void find_all(void *library)
{
    find(library, "potrf", &lapack.potrf);
    find(library, "getrf", &lapack.getrf);
    find(library, "geqrf", &lapack.geqrf);
    find(library, "syevd", &lapack.syevd);
    find(library, "gesvd", &lapack.gesvd);
    find(library, "gesdd", &lapack.gesdd);
}

static void potrf_direct(struct problem *p)
{
    lapack.potrf("L", &p->n, p->a, &p->n, p->info, 1);
}

static void potrf_solver(struct problem *p)
{
    cusolverDnDpotrf(p->handle, CUBLAS_FILL_MODE_LOWER, p->n, p->a, p->n, p->work, p->lwork,
                     p->info);
}

static void getrf_direct(struct problem *p)
{
    lapack.getrf(&p->n, &p->n, p->a, &p->n, p->pivots, p->info);
}

static void getrf_solver(struct problem *p)
{
    cusolverDnDgetrf(p->handle, p->n, p->n, p->a, p->n, p->work, p->pivots, p->info);
}

static void geqrf_direct(struct problem *p)
{
    lapack.geqrf(&p->n, &p->n, p->a, &p->n, p->tau, p->work, &p->lwork, p->info);
}

static void geqrf_solver(struct problem *p)
{
    cusolverDnDgeqrf(p->handle, p->n, p->n, p->a, p->n, p->tau, p->work, p->lwork, p->info);
}

static void syevd_direct(struct problem *p)
{
    int liwork = 3 + 5 * p->n;

    lapack.syevd("V", "L", &p->n, p->a, &p->n, p->tau, p->work, &p->lwork, p->iwork, &liwork,
                 p->info, 1, 1);
}

static void syevd_solver(struct problem *p)
{
    cusolverDnDsyevd(p->handle, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, p->n, p->a, p->n,
                     p->tau, p->work, p->lwork, p->info);
}

static void gesvd_direct(struct problem *p)
{
    lapack.gesvd("A", "A", &p->n, &p->n, p->a, &p->n, p->tau, p->u, &p->n, p->v, &p->n, p->work,
                 &p->lwork, p->info, 1, 1);
}

static void gesvd_solver(struct problem *p)
{
    cusolverDnDgesvd(p->handle, 'A', 'A', p->n, p->n, p->a, p->n, p->tau, p->u, p->n, p->v, p->n,
                     p->work, p->lwork, NULL, p->info);
}

/* Calls one of the functions above, or gesdd, for each matrix. */
static void for_each(const struct problem *p, void (*direct)(struct problem *))
{
    const size_t n = (size_t)p->n, square = n * n;

    for (size_t i = 0; i < (size_t)p->count; i++) {
        struct problem one = *p;

        one.a += i * square;
        one.u += i * square;
        one.v += i * square;
        one.tau += i * n;
        one.info += i;
        direct(&one);
    }
}

static void gesdd_direct(struct problem *p)
{
    lapack.gesdd("A", &p->n, &p->n, p->a, &p->n, p->tau, p->u, &p->n, p->v, &p->n, p->work,
                 &p->lwork, p->iwork, p->info, 1);
}

static void potrf_loop(struct problem *p)
{
    for_each(p, potrf_direct);
}

static void potrf_batched(struct problem *p)
{
    cusolverDnDpotrfBatched(p->handle, CUBLAS_FILL_MODE_LOWER, p->n, p->addresses, p->n, p->info,
                            p->count);
}

static void syevd_loop(struct problem *p)
{
    for_each(p, syevd_direct);
}

static void syevj_batched(struct problem *p)
{
    cusolverDnDsyevjBatched(p->handle, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, p->n, p->a,
                            p->n, p->tau, p->work, p->lwork, p->info, p->eigen, p->count);
}

static void gesdd_loop(struct problem *p)
{
    for_each(p, gesdd_direct);
}

static void gesvdj_batched(struct problem *p)
{
    cusolverDnDgesvdjBatched(p->handle, CUSOLVER_EIG_MODE_VECTOR, p->n, p->n, p->a, p->n, p->tau,
                             p->u, p->n, p->v, p->n, p->work, p->lwork, p->info, p->singular,
                             p->count);
}

struct function {
    const char *name;
    void (*direct)(struct problem *), (*solver)(struct problem *);
    double operations; /* in cubes of the order */
};

static const struct function functions[] = {
    {"potrf", potrf_direct, potrf_solver, 0.4}, {"getrf", getrf_direct, getrf_solver, 0.7},
    {"geqrf", geqrf_direct, geqrf_solver, 1.4}, {"syevd", syevd_direct, syevd_solver, 9},
    {"gesvd", gesvd_direct, gesvd_solver, 30},
};

static const struct function batched[] = {
    {"potrfBatched", potrf_loop, potrf_batched, 0.4},
    {"syevjBatched", syevd_loop, syevj_batched, 9},
    {"gesvdjBatched", gesdd_loop, gesvdj_batched, 30},
};

static void *device_memory(size_t bytes)
{
    CUdeviceptr memory = 0;

    if (cuMemAlloc(&memory, bytes) != CUDA_SUCCESS) {
        fprintf(stderr, "no memory\n");
        exit(1);
    }
    return (void *)(uintptr_t)memory;
}

static double *device_numbers(size_t count)
{
    return device_memory(count * sizeof(double));
}

/* Symmetric matrices with a large diagonal. */
static void fill(double *matrices, size_t n, size_t count)
{
    unsigned state = 1;

    for (size_t i = 0; i < n * n * count; i++) {
        state = state * 1664525u + 1013904223u;
        matrices[i] = (state >> 8) / 16777216.0 - 0.5;
    }
    for (double *host = matrices; host < matrices + n * n * count; host += n * n)
        for (size_t j = 0; j < n; j++) {
            host[j * (n + 1)] += (double)n;
            for (size_t i = 0; i < j; i++)
                host[j + i * n] = host[i + j * n];
        }
}

static struct problem problem_new(cusolverDnHandle_t handle, int n, int count)
{
    const size_t order = (size_t)n, many = (size_t)count, squares = order * order * many;
    struct problem p = {.n = n, .count = count, .lwork = 2 * n * n + 64 * n + 64, .handle = handle};
    double *host = malloc(squares * sizeof(double));
    double **addresses = malloc(many * sizeof(*addresses));
    int lwork = 0;

    cusolverDnCreateSyevjInfo(&p.eigen);
    cusolverDnCreateGesvdjInfo(&p.singular);
    p.matrix = device_numbers(squares);
    p.a = device_numbers(squares);
    p.u = device_numbers(squares);
    p.v = device_numbers(squares);
    p.tau = device_numbers(order * many);
    cusolverDnDsyevjBatched_bufferSize(handle, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, n,
                                       p.a, n, p.tau, &lwork, p.eigen, count);
    p.lwork = lwork > 8 * n * n + p.lwork ? lwork : 8 * n * n + p.lwork;
    p.work = device_numbers((size_t)p.lwork);
    p.pivots = device_memory(order * sizeof(int));
    p.iwork = device_memory((order * 8 + 3) * sizeof(int));
    p.info = device_memory(many * sizeof(int));
    p.addresses = device_memory(many * sizeof(*addresses));
    fill(host, order, many);
    for (size_t i = 0; i < many; i++)
        addresses[i] = p.a + i * order * order;
    cuMemcpyHtoD((CUdeviceptr)(uintptr_t)p.matrix, host, squares * sizeof(double));
    cuMemcpyHtoD((CUdeviceptr)(uintptr_t)p.addresses, addresses, many * sizeof(*addresses));
    free(host);
    free(addresses);
    return p;
}

static void problem_free(struct problem *p)
{
    void *const all[] = {p->matrix, p->a,      p->u,     p->v,    p->tau,
                         p->work,   p->pivots, p->iwork, p->info, p->addresses};

    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
        cuMemFree((CUdeviceptr)(uintptr_t)all[i]);
    cusolverDnDestroySyevjInfo(p->eigen);
    cusolverDnDestroyGesvdjInfo(p->singular);
}

static void reset(const struct problem *p)
{
    cuMemcpyDtoD((CUdeviceptr)(uintptr_t)p->a, (CUdeviceptr)(uintptr_t)p->matrix,
                 (size_t)p->n * (size_t)p->n * (size_t)p->count * sizeof(double));
    cuCtxSynchronize();
}

static void compare(const struct function *function, struct problem *p)
{
    const double cube = (1e3 + (double)p->n * p->n * p->n) * p->count; /* and the calls */
    int rounds = (int)(2e9 / (function->operations * cube));
    double us_ours = INFINITY, us_theirs = INFINITY;

    rounds = rounds < 3 ? 3 : rounds > ROUNDS_MOST ? ROUNDS_MOST : rounds;
    for (int i = -1; i < rounds; i++) {
        double begin, end;

        reset(p);
        begin = bench_now();
        function->direct(p);
        end = bench_now();
        if (i >= 0)
            us_theirs = fmin(us_theirs, (end - begin) * 1e6);
        reset(p);
        begin = bench_now();
        function->solver(p);
        cuStreamSynchronize(NULL);
        end = bench_now();
        if (i >= 0)
            us_ours = fmin(us_ours, (end - begin) * 1e6);
    }
    printf("d%s %5d", function->name, p->n);
    if (p->count > 1)
        printf(" x %d", p->count);
    printf(": LAPACK %10.1f us, cuSOLVER %10.1f us, %5.3f times and %5.1f us more\n", us_theirs,
           us_ours, us_ours / us_theirs, us_ours - us_theirs);
}

int main(int argc, char **argv)
{
    const char *path = getenv("CUPIPE_OPENBLAS");
    int largest = argc > 1 ? atoi(argv[1]) : 1024;
    cusolverDnHandle_t handle = NULL;
    CUcontext context;
    void *library = dlopen(path && *path ? path : "libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);

    if (!library || cuInit(0) != CUDA_SUCCESS ||
        cuDevicePrimaryCtxRetain(&context, 0) != CUDA_SUCCESS ||
        cuCtxSetCurrent(context) != CUDA_SUCCESS ||
        cusolverDnCreate(&handle) != CUSOLVER_STATUS_SUCCESS) {
        fprintf(stderr, "OpenBLAS or cuSOLVER cannot be used\n");
        return 1;
    }
    find_all(library);
    for (int n = 64; n <= largest; n *= 2) {
        struct problem p = problem_new(handle, n, 1);

        for (size_t f = 0; f < sizeof(functions) / sizeof(*functions); f++)
            compare(&functions[f], &p);
        problem_free(&p);
    }
    for (int n = 2; n <= BATCHED_ORDER_MOST; n *= 2) {
        struct problem p = problem_new(handle, n, BATCHED_NUMBERS / (n * n));

        for (size_t f = 0; f < sizeof(batched) / sizeof(*batched); f++)
            compare(&batched[f], &p);
        problem_free(&p);
    }
    cusolverDnDestroy(handle);
    return 0;
}

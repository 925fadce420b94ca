/* SPDX-License-Identifier: MIT */
/* Factors, solutions and eigenvalues of matrices that are divided among devices. */
#include "solver_test.h"

#include <cusolverMg.h>

enum { N = 20, BLOCK = 3, COLUMNS = 4, MOST = 8, WORK = 1 << 22 };

/* A matrix of `rows` rows on the devices: a copy on the host, and the memory of each device. */
struct spread {
    cudaLibMgMatrixDesc_t descr;
    size_t rows, columns, bytes;
    char *host;
    void *arrays[MOST];
};

static CUcontext contexts[MOST];
static int devices[MOST], count;
static cudaLibMgGrid_t grid;
static void *work[MOST];

static cusolverMgHandle_t new_mg(void)
{
    cusolverMgHandle_t handle = NULL;

    check_success(cuInit(0));
    check_success(cuDeviceGetCount(&count));
    count = count < MOST ? count : MOST;
    for (int i = 0; i < count; i++) {
        devices[i] = i;
        check_success(cuDevicePrimaryCtxRetain(&contexts[i], i));
        check_success(cuCtxSetCurrent(contexts[i]));
        check_success(cuMemAlloc((CUdeviceptr *)&work[i], WORK * 8));
    }
    for (int i = 0; i < count * count; i++) {
        check_success(cuCtxSetCurrent(contexts[i / count]));
        if (i / count != i % count)
            check_success(cuCtxEnablePeerAccess(contexts[i % count], 0));
    }
    check_success(cuCtxSetCurrent(contexts[0]));
    check_solver(cusolverMgCreate(&handle));
    check_solver(cusolverMgDeviceSelect(handle, count, devices));
    check_solver(
        cusolverMgCreateDeviceGrid(&grid, 1, count, devices, CUDALIBMG_GRID_MAPPING_COL_MAJOR));
    return handle;
}

static struct spread spread_new(size_t rows, size_t columns, size_t bytes)
{
    struct spread spread = {.rows = rows, .columns = columns, .bytes = bytes};

    spread.host = calloc(rows * columns, bytes);
    for (int i = 0; i < count; i++) {
        check_success(cuCtxSetCurrent(contexts[i]));
        check_success(cuMemAlloc((CUdeviceptr *)&spread.arrays[i], rows * columns * bytes));
    }
    return spread;
}

/* Copies columns to the devices, or from them. */
static void spread_copy(const struct spread *spread, bool to_devices)
{
    size_t bytes = spread->rows * spread->bytes;

    for (size_t j = 0; j < spread->columns; j++) {
        size_t block = j / BLOCK, device = block % (size_t)count;
        size_t local = block / (size_t)count * BLOCK + j % BLOCK;
        CUdeviceptr there = (CUdeviceptr)(uintptr_t)spread->arrays[device] + local * bytes;

        check_success(cuCtxSetCurrent(contexts[device]));
        if (to_devices)
            check_success(cuMemcpyHtoD(there, spread->host + j * bytes, bytes));
        else
            check_success(cuMemcpyDtoH(spread->host + j * bytes, there, bytes));
    }
    check_success(cuCtxSetCurrent(contexts[0]));
}

static struct spread spread_of(enum type type, const double complex *values, size_t columns)
{
    struct spread spread = spread_new(N, columns, bytes_of(type));

    for (size_t i = 0; i < N * columns; i++)
        pack(type, spread.host, i, values[i]);
    spread_copy(&spread, true);
    check_solver(cusolverMgCreateMatrixDesc(&spread.descr, N, (int64_t)columns, N, BLOCK,
                                            data_types[type], grid));
    return spread;
}

static double complex *values_of(enum type type, const struct spread *spread)
{
    double complex *values = calloc(spread->rows * spread->columns, sizeof(*values));

    spread_copy(spread, false);
    for (size_t i = 0; i < spread->rows * spread->columns; i++)
        values[i] = unpack(type, spread->host, i);
    return values;
}

static double complex *positive_definite(enum type type)
{
    double complex *a = calloc(N * N, sizeof(*a));

    for (size_t j = 0; j < N; j++)
        for (size_t i = 0; i <= j; i++) {
            double complex value = random_value(type);

            a[i + j * N] = i == j ? 60 + creal(value) : value;
            a[j + i * N] = conj(a[i + j * N]);
        }
    return a;
}

static double complex *right_hand_sides(enum type type)
{
    double complex *b = calloc(N * COLUMNS, sizeof(*b));

    for (size_t i = 0; i < N * COLUMNS; i++)
        b[i] = random_value(type);
    return b;
}

TEST(cholesky_solves_and_inverts)
{
    cusolverMgHandle_t handle = new_mg();

    for (enum type t = 0; t < TYPES; t++) {
        double complex *matrix = positive_definite(t), *rhs = right_hand_sides(t), *x, *inverse;
        double complex *one = calloc(N * N, sizeof(*one));
        struct spread a = spread_of(t, matrix, N), b = spread_of(t, rhs, COLUMNS);
        int info = -7;

        check_solver(cusolverMgPotrf(handle, CUBLAS_FILL_MODE_LOWER, N, a.arrays, 1, 1, a.descr,
                                     data_types[t], work, WORK, &info));
        check(info == 0);
        check_solver(cusolverMgPotrs(handle, CUBLAS_FILL_MODE_LOWER, N, COLUMNS, a.arrays, 1, 1,
                                     a.descr, b.arrays, 1, 1, b.descr, data_types[t], work, WORK,
                                     &info));
        x = values_of(t, &b);
        check(product_error(rhs, N, matrix, N, x, N, N, N, COLUMNS) < epsilon_of(t) * 100);
        check_solver(cusolverMgPotri(handle, CUBLAS_FILL_MODE_LOWER, N, a.arrays, 1, 1, a.descr,
                                     data_types[t], work, WORK, &info));
        inverse = values_of(t, &a);
        for (size_t j = 0; j < N; j++) {
            one[j + j * N] = 1;
            for (size_t i = 0; i < j; i++)
                inverse[i + j * N] = conj(inverse[j + i * N]);
        }
        check(product_error(one, N, matrix, N, inverse, N, N, N, N) < epsilon_of(t) * 100);
    }
}

TEST(factors_with_pivots_solve)
{
    cusolverMgHandle_t handle = new_mg();

    for (enum type t = 0; t < TYPES; t++) {
        double complex *matrix = positive_definite(t), *rhs = right_hand_sides(t), *x;
        struct spread a, b = spread_of(t, rhs, COLUMNS), pivots = spread_new(1, N, sizeof(int));
        int info = -7;

        for (size_t j = 0; j < N; j++) /* the largest number of a column is in the next row */
            matrix[(j + 1) % N + j * N] += 100;
        a = spread_of(t, matrix, N);
        check_solver(cusolverMgGetrf(handle, N, N, a.arrays, 1, 1, a.descr, (int **)pivots.arrays,
                                     data_types[t], work, WORK, &info));
        check(info == 0);
        spread_copy(&pivots, false);
        check(((int *)pivots.host)[0] == 2);
        check_solver(cusolverMgGetrs(handle, CUBLAS_OP_N, N, COLUMNS, a.arrays, 1, 1, a.descr,
                                     (int **)pivots.arrays, b.arrays, 1, 1, b.descr, data_types[t],
                                     work, WORK, &info));
        x = values_of(t, &b);
        check(product_error(rhs, N, matrix, N, x, N, N, N, COLUMNS) < epsilon_of(t) * 300);
    }
}

TEST(eigenvectors_are_orthogonal)
{
    cusolverMgHandle_t handle = new_mg();
    double complex *matrix = positive_definite(Z), *vectors, scaled[N * N];
    struct spread a = spread_of(Z, matrix, N);
    double values[N];
    int64_t wanted = 0;
    int info = -7;

    check_solver(cusolverMgSyevd_bufferSize(handle, CUSOLVER_EIG_MODE_VECTOR,
                                            CUBLAS_FILL_MODE_LOWER, N, a.arrays, 1, 1, a.descr,
                                            values, CUDA_R_64F, CUDA_C_64F, &wanted));
    check(wanted > 0 && wanted <= WORK / 2);
    check_solver(cusolverMgSyevd(handle, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, N,
                                 a.arrays, 1, 1, a.descr, values, CUDA_R_64F, CUDA_C_64F, work,
                                 wanted, &info));
    check(info == 0);
    vectors = values_of(Z, &a);
    for (size_t i = 0; i < N * N; i++)
        scaled[i] = values[i / N] * vectors[i];
    check(product_error(scaled, N, matrix, N, vectors, N, N, N, N) < 1e-10);
    check(values[0] < values[N - 1]);
}

TEST(factors_that_do_not_exist_are_reported)
{
    cusolverMgHandle_t handle = new_mg();
    double complex *matrix = positive_definite(D);
    struct spread a, pivots = spread_new(1, N, sizeof(int));
    int info = -7;

    matrix[4 + 4 * N] = -60;
    a = spread_of(D, matrix, N);
    check(cusolverMgPotrf(handle, CUBLAS_FILL_MODE_LOWER, N, a.arrays, 1, 1, a.descr, CUDA_R_64F,
                          work, WORK, &info) == CUSOLVER_STATUS_INTERNAL_ERROR);
    check(info == 5);
    memset(matrix + 3 * N, 0, N * sizeof(*matrix));
    a = spread_of(D, matrix, N);
    check_solver(cusolverMgGetrf(handle, N, N, a.arrays, 1, 1, a.descr, (int **)pivots.arrays,
                                 CUDA_R_64F, work, WORK, &info));
    check(info == 4);
}

TEST(wrong_arguments_change_nothing)
{
    cusolverMgHandle_t handle = new_mg();
    double complex *matrix = positive_definite(D), *after;
    struct spread a = spread_of(D, matrix, N);
    cudaLibMgMatrixDesc_t descr;
    cudaLibMgGrid_t other;
    int64_t size;
    int info = 0, none = 99;

    check(cusolverMgDeviceSelect(handle, 1, devices) == CUSOLVER_STATUS_INVALID_VALUE);
    check(cusolverMgCreateDeviceGrid(&other, 2, 1, devices, 0) == CUSOLVER_STATUS_INVALID_VALUE);
    check(cusolverMgCreateMatrixDesc(&descr, N, N, N / 2, BLOCK, CUDA_R_64F, grid) ==
          CUSOLVER_STATUS_INVALID_VALUE);
    check(cusolverMgPotrf(handle, CUBLAS_FILL_MODE_UPPER, N, a.arrays, 1, 1, a.descr, CUDA_R_64F,
                          work, WORK, &info) == CUSOLVER_STATUS_INVALID_VALUE);
    check(info == -1);
    check(cusolverMgPotrf_bufferSize(handle, CUBLAS_FILL_MODE_LOWER, N, a.arrays, 1, 1, a.descr,
                                     CUDA_R_32F, &size) == CUSOLVER_STATUS_INVALID_VALUE);
    check(cusolverMgPotrf_bufferSize(NULL, CUBLAS_FILL_MODE_LOWER, N, a.arrays, 1, 1, a.descr,
                                     CUDA_R_64F, &size) == CUSOLVER_STATUS_NOT_INITIALIZED);
    after = values_of(D, &a);
    for (size_t i = 0; i < N * N; i++)
        check(after[i] == matrix[i]);
    check_solver(cusolverMgDestroy(handle));
    check_solver(cusolverMgCreate(&handle));
    check(cusolverMgDeviceSelect(handle, 1, &none) == CUSOLVER_STATUS_INTERNAL_ERROR);
    check_solver(cusolverMgDeviceSelect(handle, 1, devices));
    check_solver(cusolverMgDestroyMatrixDesc(a.descr));
    only_cupipe(); /* NVIDIA's reads what a descriptor points to */
    check(cusolverMgPotrf(handle, CUBLAS_FILL_MODE_LOWER, N, a.arrays, 1, 1, a.descr, CUDA_R_64F,
                          work, WORK, &info) == CUSOLVER_STATUS_INVALID_VALUE);
}

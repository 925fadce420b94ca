/* SPDX-License-Identifier: MIT */
/* Band matrices with more columns than are computed at once, and orders that no memory can hold. */
#include "matrices.h"

enum { N = 70001, MOST_K = 3, LDA = 8 };

/* A band matrix: element (row, column) lies at row + ku - column + column * LDA. */
struct bands {
    struct array array;
    int64_t m, kl, ku;
};

static double complex at(const struct bands *bands, int64_t row, int64_t column)
{
    if (row < 0 || row >= bands->m || column < 0 || column >= N || row - column > bands->kl ||
        column - row > bands->ku)
        return 0;
    return bands->array.values[row + bands->ku - column + column * LDA];
}

static struct bands bands_new(enum type type, int64_t m, int64_t kl, int64_t ku)
{
    struct bands bands = {array_new(type, (size_t)N * LDA), m, kl, ku};

    for (int64_t j = 0; j < N; j++)
        bands.array.values[ku + j * LDA] = 4 + j % 3; /* so that systems are well conditioned */
    array_upload(&bands.array);
    return bands;
}

static size_t place(int64_t n, int64_t step, int64_t i)
{
    return (size_t)(step < 0 ? (i - n + 1) * step : i * step);
}

static struct array vector_new(enum type type, int64_t n, int64_t step)
{
    return array_new(type, (size_t)(n * llabs(step)));
}

/* Element `row` of op(bands) x. */
static double complex product(const struct bands *bands, cublasOperation_t op, int64_t row,
                              const struct array *x, int64_t n, int64_t step)
{
    double complex sum = 0;

    for (int64_t j = row - LDA; j <= row + LDA; j++) {
        double complex value = op == CUBLAS_OP_N ? at(bands, row, j) : at(bands, j, row);

        if (j >= 0 && j < n)
            sum += (op == CUBLAS_OP_C ? conj(value) : value) * x->values[place(n, step, j)];
    }
    return sum;
}

static const float alpha_s = 1.5f, beta_s = 0.5f;
static const double alpha_d = 1.5, beta_d = 0.5;
static const cuComplex alpha_c = {1.5f, -0.5f}, beta_c = {0.5f, 0.25f};
static const cuDoubleComplex alpha_z = {1.5, -0.5}, beta_z = {0.5, 0.25};

static double complex alpha_of(enum type type)
{
    return is_complex(type) ? 1.5 - 0.5 * I : 1.5;
}

static double complex beta_of(enum type type)
{
    return is_complex(type) ? 0.5 + 0.25 * I : 0.5;
}

/* Calls the function of the type: `name` with its letter, and the type's alpha and beta. */
#define BY_TYPE(type, name, ...)                                                                   \
    ((type) == S   ? cublasS##name(__VA_ARGS__)                                                    \
     : (type) == D ? cublasD##name(__VA_ARGS__)                                                    \
     : (type) == C ? cublasC##name(__VA_ARGS__)                                                    \
                   : cublasZ##name(__VA_ARGS__))

static cublasStatus_t gbmv(enum type type, cublasHandle_t h, cublasOperation_t op, int64_t m,
                           int64_t kl, int64_t ku, const void *a, const void *x, int64_t incx,
                           void *y, int64_t incy)
{
    switch (type) {
    case S:
        return cublasSgbmv_64(h, op, m, N, kl, ku, &alpha_s, a, LDA, x, incx, &beta_s, y, incy);
    case D:
        return cublasDgbmv_64(h, op, m, N, kl, ku, &alpha_d, a, LDA, x, incx, &beta_d, y, incy);
    case C:
        return cublasCgbmv_64(h, op, m, N, kl, ku, &alpha_c, a, LDA, x, incx, &beta_c, y, incy);
    default:
        return cublasZgbmv_64(h, op, m, N, kl, ku, &alpha_z, a, LDA, x, incx, &beta_z, y, incy);
    }
}

static void check_gbmv(cublasHandle_t handle, enum type type, cublasOperation_t op, int64_t m,
                       int64_t kl, int64_t ku, int64_t incx, int64_t incy)
{
    const int64_t length_x = op == CUBLAS_OP_N ? N : m, length_y = op == CUBLAS_OP_N ? m : N;
    struct bands bands = bands_new(type, m, kl, ku);
    struct array x = vector_new(type, length_x, incx), y = vector_new(type, length_y, incy);

    check_blas(gbmv(type, handle, op, m, kl, ku, array_address(&bands.array), array_address(&x),
                    incx, array_address(&y), incy));
    for (int64_t i = 0; i < length_y; i++) {
        double complex *value = &y.values[place(length_y, incy, i)];

        *value =
            beta_of(type) * *value + alpha_of(type) * product(&bands, op, i, &x, length_x, incx);
    }
    check_success(cuCtxSynchronize());
    array_check(&y, 100);
    array_free(&bands.array);
    array_free(&x);
    array_free(&y);
}

TEST(general_bands_of_many_columns)
{
    cublasHandle_t handle = new_handle();

    for (enum type type = S; type < TYPES; type++)
        for (cublasOperation_t op = CUBLAS_OP_N; op <= CUBLAS_OP_C; op++) {
            check_gbmv(handle, type, op, N, 2, 1, 1, 1);
            check_gbmv(handle, type, op, N - 40000, 0, 3, 1, -2);
            check_gbmv(handle, type, op, N + 5, 3, 0, -2, 1);
        }
}

/* The whole matrix of one of which the upper or the lower bands are stored. */
static double complex mirrored(const struct bands *stored, bool hermitian, int64_t row,
                               int64_t column)
{
    bool is_stored = stored->ku > 0 ? row <= column : row >= column;
    double complex value = is_stored ? at(stored, row, column) : at(stored, column, row);

    if (hermitian)
        return row == column ? creal(value) : is_stored ? value : conj(value);
    return value;
}

static void check_sbmv(cublasHandle_t handle, enum type type, cublasFillMode_t uplo, int64_t incx,
                       int64_t incy)
{
    const bool upper = uplo == CUBLAS_FILL_MODE_UPPER;
    struct bands bands = bands_new(type, N, upper ? 0 : MOST_K, upper ? MOST_K : 0);
    struct array x = vector_new(type, N, incx), y = vector_new(type, N, incy);
    void *a = array_address(&bands.array), *px = array_address(&x), *py = array_address(&y);

    check_blas(
        type == S
            ? cublasSsbmv_64(handle, uplo, N, MOST_K, &alpha_s, a, LDA, px, incx, &beta_s, py, incy)
        : type == D
            ? cublasDsbmv_64(handle, uplo, N, MOST_K, &alpha_d, a, LDA, px, incx, &beta_d, py, incy)
        : type == C
            ? cublasChbmv_64(handle, uplo, N, MOST_K, &alpha_c, a, LDA, px, incx, &beta_c, py, incy)
            : cublasZhbmv_64(handle, uplo, N, MOST_K, &alpha_z, a, LDA, px, incx, &beta_z, py,
                             incy));
    for (int64_t i = 0; i < N; i++) {
        double complex *value = &y.values[place(N, incy, i)], sum = 0;

        for (int64_t j = i < MOST_K ? 0 : i - MOST_K; j <= i + MOST_K && j < N; j++)
            sum += mirrored(&bands, is_complex(type), i, j) * x.values[place(N, incx, j)];
        *value = beta_of(type) * *value + alpha_of(type) * sum;
    }
    check_success(cuCtxSynchronize());
    array_check(&y, 100);
    array_free(&bands.array);
    array_free(&x);
    array_free(&y);
}

TEST(symmetric_and_hermitian_bands_of_many_columns)
{
    cublasHandle_t handle = new_handle();

    for (enum type type = S; type < TYPES; type++) {
        check_sbmv(handle, type, CUBLAS_FILL_MODE_UPPER, 1, 1);
        check_sbmv(handle, type, CUBLAS_FILL_MODE_LOWER, -1, 2);
    }
}

static void check_tbmv(cublasHandle_t handle, enum type type, cublasFillMode_t uplo,
                       cublasOperation_t op, int64_t step)
{
    const bool upper = uplo == CUBLAS_FILL_MODE_UPPER;
    struct bands bands = bands_new(type, N, upper ? 0 : MOST_K, upper ? MOST_K : 0);
    struct array x = vector_new(type, N, step);
    double complex *expected = calloc(x.count, sizeof(*expected));
    void *a = array_address(&bands.array), *px = array_address(&x);

    for (size_t i = 0; i < x.count; i++)
        expected[i] = x.values[i];
    for (int64_t i = 0; i < N; i++)
        expected[place(N, step, i)] = product(&bands, op, i, &x, N, step);
    check_blas(BY_TYPE(type, tbmv_64, handle, uplo, op, CUBLAS_DIAG_NON_UNIT, N, MOST_K, a, LDA, px,
                       step));
    for (size_t i = 0; i < x.count; i++) {
        double complex old = x.values[i];

        x.values[i] = expected[i];
        expected[i] = old;
    }
    check_success(cuCtxSynchronize());
    array_check(&x, 100);
    check_blas(BY_TYPE(type, tbsv_64, handle, uplo, op, CUBLAS_DIAG_NON_UNIT, N, MOST_K, a, LDA, px,
                       step));
    for (size_t i = 0; i < x.count; i++)
        x.values[i] = expected[i];
    check_success(cuCtxSynchronize());
    array_check(&x, 1000);
    free(expected);
    array_free(&bands.array);
    array_free(&x);
}

TEST(triangular_bands_of_many_columns)
{
    cublasHandle_t handle = new_handle();

    for (enum type type = S; type < TYPES; type++)
        for (cublasOperation_t op = CUBLAS_OP_N; op <= CUBLAS_OP_C; op++) {
            check_tbmv(handle, type, CUBLAS_FILL_MODE_UPPER, op, 1);
            check_tbmv(handle, type, CUBLAS_FILL_MODE_LOWER, op, -2);
        }
}

TEST(more_bands_than_the_matrix_has)
{
    const double a[] = {9, 9, 9, 2, 9, 9, 1, 3}; /* 2 1; 0 3, of four bands, the upper ones */
    double x[] = {1, 2}, y[] = {0, 0};
    const double one = 1, zero = 0;
    cublasHandle_t handle = new_handle();
    CUdeviceptr memory;

    check_success(cuMemAlloc(&memory, sizeof(a) + sizeof(x) + sizeof(y)));
    check_success(cuMemcpyHtoD(memory, a, sizeof(a)));
    check_success(cuMemcpyHtoD(memory + sizeof(a), x, sizeof(x)));
    check_blas(cublasDsbmv_64(handle, CUBLAS_FILL_MODE_UPPER, 2, 3, &one, (double *)memory, 4,
                              (double *)(memory + sizeof(a)), 1, &zero,
                              (double *)(memory + sizeof(a) + sizeof(x)), 1));
    check_success(cuMemcpyDtoH(y, memory + sizeof(a) + sizeof(x), sizeof(y)));
    check(y[0] == 4 && y[1] == 7);
    check_blas(cublasDtbmv_64(handle, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, 2,
                              3, (double *)memory, 4, (double *)(memory + sizeof(a)), 1));
    check_success(cuMemcpyDtoH(x, memory + sizeof(a), sizeof(x)));
    check(x[0] == 4 && x[1] == 6);
}

/* Nothing runs: the matrix cannot be where the pointer points. */
TEST(orders_that_no_memory_holds_are_illegal_accesses)
{
    const int64_t order = (1ll << 31) + 8;
    cublasHandle_t handle = new_handle();
    CUdeviceptr memory;

    only_cupipe();
    check_success(cuMemAlloc(&memory, 1 << 20));
    check_blas(cublasStpmv_64(handle, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N, CUBLAS_DIAG_UNIT, order,
                              (float *)memory, (float *)memory, 1));
    check_result(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST(full_orders_that_no_memory_holds_are_illegal_accesses)
{
    const int64_t order = 1ll << 31;
    cublasHandle_t handle = new_handle();
    CUdeviceptr memory;

    only_cupipe();
    check_success(cuMemAlloc(&memory, 1 << 20));
    check_blas(cublasSsyr_64(handle, CUBLAS_FILL_MODE_UPPER, order, &alpha_s, (float *)memory, 1,
                             (float *)memory, order));
    check_result(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
}

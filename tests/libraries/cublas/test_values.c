/* SPDX-License-Identifier: MIT */
/* Values of the three levels on random shapes against plain loops, for all types. */
#include "matrices.h"

typedef cublasStatus_t gemm_function(cublasHandle_t, cublasOperation_t, cublasOperation_t, int64_t,
                                     int64_t, int64_t, const void *, const void *, int64_t,
                                     const void *, int64_t, const void *, void *, int64_t);
typedef cublasStatus_t gemv_function(cublasHandle_t, cublasOperation_t, int64_t, int64_t,
                                     const void *, const void *, int64_t, const void *, int64_t,
                                     const void *, void *, int64_t);
typedef cublasStatus_t syrk_function(cublasHandle_t, cublasFillMode_t, cublasOperation_t, int64_t,
                                     int64_t, const void *, const void *, int64_t, const void *,
                                     void *, int64_t);
typedef cublasStatus_t trmm_function(cublasHandle_t, cublasSideMode_t, cublasFillMode_t,
                                     cublasOperation_t, cublasDiagType_t, int64_t, int64_t,
                                     const void *, const void *, int64_t, const void *, int64_t,
                                     void *, int64_t);
typedef cublasStatus_t trsm_function(cublasHandle_t, cublasSideMode_t, cublasFillMode_t,
                                     cublasOperation_t, cublasDiagType_t, int64_t, int64_t,
                                     const void *, const void *, int64_t, void *, int64_t);

#define OF_TYPES(name, function)                                                                   \
    static name##_function *const function[] = {                                                   \
        (name##_function *)cublasS##name##_v2_64, (name##_function *)cublasD##name##_v2_64,        \
        (name##_function *)cublasC##name##_v2_64, (name##_function *)cublasZ##name##_v2_64}

OF_TYPES(gemm, gemms);
OF_TYPES(gemv, gemvs);
OF_TYPES(syrk, syrks);
OF_TYPES(trmm, trmms);
OF_TYPES(trsm, trsms);

static void expect_gemm(cublasOperation_t ta, cublasOperation_t tb, size_t m, size_t n, size_t k,
                        double complex alpha, const struct array *a, size_t lda,
                        const struct array *b, size_t ldb, double complex beta, struct array *c,
                        size_t ldc)
{
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < m; i++) {
            double complex sum = 0;

            for (size_t l = 0; l < k; l++)
                sum += element(a, ta, lda, i, l) * element(b, tb, ldb, l, j);
            c->values[i + j * ldc] = alpha * sum + (beta == 0 ? 0 : beta * c->values[i + j * ldc]);
        }
}

TEST(gemm_of_all_types_and_operations)
{
    cublasHandle_t handle = new_handle();

    for (int round = 0; round < 120; round++) {
        enum type type = round % TYPES;
        cublasOperation_t ta = (cublasOperation_t)number_from(0, 2),
                          tb = (cublasOperation_t)number_from(0, 2);
        size_t grow = round % 10 < TYPES ? 4 : 1; /* products that threads share */
        size_t m = grow * number_from(1, 70), n = grow * number_from(1, 40),
               k = grow * number_from(0, 50);
        size_t lda = (ta ? k : m) + number_from(1, 3), ldb = (tb ? n : k) + number_from(1, 3),
               ldc = m + number_from(0, 3);
        struct array a = array_new(type, lda * (ta ? m : k)),
                     b = array_new(type, ldb * (tb ? k : n)), c = array_new(type, ldc * n);
        double complex alpha = random_value(type), beta = round % 3 ? random_value(type) : 0;
        double alpha_bytes[2], beta_bytes[2];

        pack(type, alpha_bytes, 0, alpha);
        pack(type, beta_bytes, 0, beta);
        check_blas(gemms[type](handle, ta, tb, m, n, k, alpha_bytes, array_address(&a), lda,
                               array_address(&b), ldb, beta_bytes, array_address(&c), ldc));
        expect_gemm(ta, tb, m, n, k, alpha, &a, lda, &b, ldb, beta, &c, ldc);
        array_check(&c, 10 * (k + 2));
        array_free(&a), array_free(&b), array_free(&c);
    }
    check_blas(cublasDestroy(handle));
}

TEST(gemv_of_all_types_and_increments)
{
    cublasHandle_t handle = new_handle();
    static const int increments[] = {1, 2, -1, -3};

    for (int round = 0; round < 120; round++) {
        enum type type = round % TYPES;
        cublasOperation_t trans = (cublasOperation_t)number_from(0, 2);
        size_t m = number_from(1, 60), n = number_from(1, 60), lda = m + number_from(0, 2);
        int incx = increments[number_from(0, 3)], incy = increments[number_from(0, 3)];
        size_t nx = trans ? m : n, ny = trans ? n : m;
        struct array a = array_new(type, lda * n), x = array_new(type, nx * abs(incx)),
                     y = array_new(type, ny * abs(incy));
        double complex alpha = random_value(type), beta = round % 3 ? random_value(type) : 0;
        double alpha_bytes[2], beta_bytes[2];

        pack(type, alpha_bytes, 0, alpha);
        pack(type, beta_bytes, 0, beta);
        check_blas(gemvs[type](handle, trans, m, n, alpha_bytes, array_address(&a), lda,
                               array_address(&x), incx, beta_bytes, array_address(&y), incy));
        for (size_t i = 0; i < ny; i++) {
            double complex sum = 0, *value = &y.values[(incy < 0 ? ny - 1 - i : i) * abs(incy)];

            for (size_t j = 0; j < nx; j++)
                sum += element(&a, trans, lda, i, j) *
                       x.values[(incx < 0 ? nx - 1 - j : j) * abs(incx)];
            *value = alpha * sum + (beta == 0 ? 0 : beta * *value);
        }
        array_check(&y, 10 * (nx + 2));
        array_free(&a), array_free(&x), array_free(&y);
    }
    check_blas(cublasDestroy(handle));
}

TEST(syrk_leaves_the_other_triangle)
{
    cublasHandle_t handle = new_handle();

    for (int round = 0; round < 60; round++) {
        enum type type = round % TYPES;
        cublasFillMode_t uplo = (cublasFillMode_t)number_from(0, 1);
        cublasOperation_t trans = (cublasOperation_t)number_from(0, 1);
        size_t n = number_from(1, 40), k = number_from(1, 20), lda = (trans ? k : n) + 1,
               ldc = n + 2;
        struct array a = array_new(type, lda * (trans ? n : k)), c = array_new(type, ldc * n);
        double complex alpha = random_value(type), beta = random_value(type);
        double alpha_bytes[2], beta_bytes[2];

        pack(type, alpha_bytes, 0, alpha);
        pack(type, beta_bytes, 0, beta);
        check_blas(syrks[type](handle, uplo, trans, n, k, alpha_bytes, array_address(&a), lda,
                               beta_bytes, array_address(&c), ldc));
        for (size_t j = 0; j < n; j++)
            for (size_t i = uplo ? 0 : j; i < (uplo ? j + 1 : n); i++) {
                double complex sum = 0;

                for (size_t l = 0; l < k; l++)
                    sum += element(&a, trans, lda, i, l) * element(&a, trans, lda, j, l);
                c.values[i + j * ldc] = alpha * sum + beta * c.values[i + j * ldc];
            }
        array_check(&c, 10 * (k + 2));
        array_free(&a), array_free(&c);
    }
    check_blas(cublasDestroy(handle));
}

/* trmm out of place, then trsm back: the right-hand side returns. */
TEST(trsm_undoes_trmm)
{
    cublasHandle_t handle = new_handle();

    for (int round = 0; round < 60; round++) {
        enum type type = round % TYPES;
        cublasSideMode_t side = (cublasSideMode_t)number_from(0, 1);
        cublasFillMode_t uplo = (cublasFillMode_t)number_from(0, 1);
        cublasOperation_t trans = (cublasOperation_t)number_from(0, 2);
        cublasDiagType_t diag = CUBLAS_DIAG_NON_UNIT;
        size_t m = number_from(1, 20), n = number_from(1, 20), order = side ? n : m;
        struct array a = array_new(type, order * order), b = array_new(type, m * n),
                     c = array_new(type, m * n);
        double one[2], two[2];

        for (size_t i = 0; i < order; i++)
            a.values[i * (order + 1)] = 64;
        array_upload(&a);
        pack(type, one, 0, 1);
        pack(type, two, 0, 2);
        check_blas(trmms[type](handle, side, uplo, trans, diag, m, n, two, array_address(&a), order,
                               array_address(&b), m, array_address(&c), m));
        array_check(&b, 0);
        check_blas(trsms[type](handle, side, uplo, trans, diag, m, n, one, array_address(&a), order,
                               array_address(&c), m));
        for (size_t i = 0; i < m * n; i++)
            c.values[i] = 2 * b.values[i];
        array_check(&c, 20 * order);
        array_free(&a), array_free(&b), array_free(&c);
    }
    check_blas(cublasDestroy(handle));
}

TEST(level1_reductions)
{
    cublasHandle_t handle = new_handle();

    for (int n = 0; n < 100; n += 7) {
        struct array x = array_new(D, 2 * n), y = array_new(D, n);
        double dot = 0, sum = 0, squares = 0, largest = -1, result = -1;
        int best = 0, index = -1;

        for (int i = 0; i < n; i++) {
            double value = creal(x.values[2 * i]);

            dot += value * creal(y.values[n - 1 - i]);
            sum += fabs(value);
            squares += value * value;
            if (fabs(value) > largest) {
                largest = fabs(value);
                best = i + 1;
            }
        }
        check_blas(cublasDdot(handle, n, array_address(&x), 2, array_address(&y), -1, &result));
        check(fabs(result - dot) < 1e-9);
        check_blas(cublasDasum(handle, n, array_address(&x), 2, &result));
        check(fabs(result - sum) < 1e-9);
        check_blas(cublasDnrm2(handle, n, array_address(&x), 2, &result));
        check(fabs(result - sqrt(squares)) < 1e-9);
        check_blas(cublasIdamax(handle, n, array_address(&x), 2, &index));
        check(index == best);
        array_free(&x), array_free(&y);
    }
    check_blas(cublasDestroy(handle));
}

TEST(batches_by_stride_and_by_pointers_agree)
{
    enum { COUNT = 17, ORDER = 9 };
    cublasHandle_t handle = new_handle();
    const double alpha = 1.5, beta = -0.5;
    struct array a = array_new(D, COUNT * ORDER * ORDER), b = array_new(D, COUNT * ORDER * ORDER),
                 c = array_new(D, COUNT * ORDER * ORDER), d = array_new(D, COUNT * ORDER * ORDER);
    CUdeviceptr pointers, host[3 * COUNT];

    memcpy(d.values, c.values, c.count * sizeof(*c.values));
    array_upload(&d);
    for (int i = 0; i < COUNT; i++) {
        size_t offset = (size_t)i * ORDER * ORDER * sizeof(double);

        host[i] = a.memory + offset;
        host[COUNT + i] = b.memory + offset;
        host[2 * COUNT + i] = d.memory + offset;
    }
    check_success(cuMemAlloc(&pointers, sizeof(host)));
    check_success(cuMemcpyHtoD(pointers, host, sizeof(host)));
    check_blas(cublasDgemmStridedBatched(handle, CUBLAS_OP_T, CUBLAS_OP_N, ORDER, ORDER, ORDER,
                                         &alpha, array_address(&a), ORDER, ORDER * ORDER,
                                         array_address(&b), ORDER, ORDER * ORDER, &beta,
                                         array_address(&c), ORDER, ORDER * ORDER, COUNT));
    check_blas(cublasDgemmBatched(handle, CUBLAS_OP_T, CUBLAS_OP_N, ORDER, ORDER, ORDER, &alpha,
                                  (const double *const *)(uintptr_t)pointers, ORDER,
                                  (const double *const *)(uintptr_t)(pointers + COUNT * 8), ORDER,
                                  &beta, (double *const *)(uintptr_t)(pointers + 2 * COUNT * 8),
                                  ORDER, COUNT));
    for (size_t i = 0; i < COUNT; i++) {
        size_t at = i * ORDER * ORDER;
        struct array pa = {.values = a.values + at}, pb = {.values = b.values + at},
                     pc = {.values = c.values + at};

        expect_gemm(CUBLAS_OP_T, CUBLAS_OP_N, ORDER, ORDER, ORDER, alpha, &pa, ORDER, &pb, ORDER,
                    beta, &pc, ORDER);
    }
    array_check(&c, 100);
    memcpy(d.values, c.values, c.count * sizeof(*c.values));
    array_check(&d, 100);
    check_blas(cublasDestroy(handle));
}

/* P*A = L*U, then A*X = B. */
TEST(getrf_and_getrs_solve)
{
    enum { COUNT = 5, ORDER = 12 };
    cublasHandle_t handle = new_handle();
    struct array a = array_new(D, COUNT * ORDER * ORDER), x = array_new(D, COUNT * ORDER),
                 b = array_new(D, COUNT * ORDER);
    CUdeviceptr pointers, pivots, infos, host[2 * COUNT];
    int info = -1, info_of[COUNT];

    for (size_t i = 0; i < COUNT; i++) {
        for (size_t row = 0; row < ORDER; row++) {
            b.values[i * ORDER + row] = 0;
            a.values[i * ORDER * ORDER + row * ORDER + (row + 3) % ORDER] += 40;
        }
        for (size_t row = 0; row < ORDER; row++)
            for (size_t column = 0; column < ORDER; column++)
                b.values[i * ORDER + row] += a.values[i * ORDER * ORDER + column * ORDER + row] *
                                             x.values[i * ORDER + column];
        host[i] = a.memory + i * ORDER * ORDER * sizeof(double);
        host[COUNT + i] = b.memory + i * ORDER * sizeof(double);
    }
    array_upload(&a);
    array_upload(&b);
    check_success(cuMemAlloc(&pointers, sizeof(host)));
    check_success(cuMemcpyHtoD(pointers, host, sizeof(host)));
    check_success(cuMemAlloc(&pivots, COUNT * ORDER * sizeof(int)));
    check_success(cuMemAlloc(&infos, COUNT * sizeof(int)));
    check_blas(cublasDgetrfBatched(handle, ORDER, (double *const *)(uintptr_t)pointers, ORDER,
                                   (int *)(uintptr_t)pivots, (int *)(uintptr_t)infos, COUNT));
    check_blas(cublasDgetrsBatched(
        handle, CUBLAS_OP_N, ORDER, 1, (const double *const *)(uintptr_t)pointers, ORDER,
        (const int *)(uintptr_t)pivots, (double *const *)(uintptr_t)(pointers + COUNT * 8), ORDER,
        &info, COUNT));
    check(info == 0);
    check_success(cuMemcpyDtoH(info_of, infos, sizeof(info_of)));
    for (int i = 0; i < COUNT; i++)
        check(info_of[i] == 0);
    memcpy(b.values, x.values, b.count * sizeof(*b.values));
    array_check(&b, 1000);
    check_blas(cublasDestroy(handle));
}

/* A singular matrix has no inverse: info names the pivot, and what is written is not finite. */
TEST(getri_of_a_singular_matrix_is_not_finite)
{
    enum { COUNT = 2, ORDER = 2, BYTES = COUNT * ORDER * ORDER * sizeof(double) };
    double values[COUNT * ORDER * ORDER] = {0, 0, 0, 0, 2, 0, 0, 4};
    cublasHandle_t handle = new_handle();
    CUdeviceptr a, c, pivots, infos, pointers, host[2 * COUNT];
    int info_of[COUNT];

    check_success(cuMemAlloc(&a, BYTES));
    check_success(cuMemAlloc(&c, BYTES));
    for (size_t i = 0; i < COUNT; i++) {
        host[i] = a + i * BYTES / COUNT;
        host[COUNT + i] = c + i * BYTES / COUNT;
    }
    check_success(cuMemcpyHtoD(a, values, BYTES));
    check_success(cuMemsetD8(c, 0, BYTES));
    check_success(cuMemAlloc(&pointers, sizeof(host)));
    check_success(cuMemcpyHtoD(pointers, host, sizeof(host)));
    check_success(cuMemAlloc(&pivots, COUNT * ORDER * sizeof(int)));
    check_success(cuMemAlloc(&infos, sizeof(info_of)));
    check_blas(cublasDgetrfBatched(handle, ORDER, (double *const *)(uintptr_t)pointers, ORDER,
                                   (int *)(uintptr_t)pivots, (int *)(uintptr_t)infos, COUNT));
    check_blas(cublasDgetriBatched(handle, ORDER, (const double *const *)(uintptr_t)pointers, ORDER,
                                   (const int *)(uintptr_t)pivots,
                                   (double *const *)(uintptr_t)(pointers + COUNT * 8), ORDER,
                                   (int *)(uintptr_t)infos, COUNT));
    check_success(cuMemcpyDtoH(info_of, infos, sizeof(info_of)));
    check_success(cuMemcpyDtoH(values, c, BYTES));
    check(info_of[0] == 1 && info_of[1] == 0);
    check(!isfinite(values[0] + values[1] + values[2] + values[3]));
    check(values[4] == 0.5 && values[5] == 0 && values[6] == 0 && values[7] == 0.25);
    check_blas(cublasDestroy(handle));
}

/* Integers of 8 bits into 32 are exact. */
TEST(gemm_ex_of_8_bit_integers)
{
    enum { M = 20, N = 12, K = 36 };
    cublasHandle_t handle = new_handle();
    signed char a[M * K], b[K * N];
    int c[M * N], alpha = 3, beta = 0;
    CUdeviceptr da, db, dc;

    for (int i = 0; i < M * K; i++)
        a[i] = (signed char)number_from(-128, 127);
    for (int i = 0; i < K * N; i++)
        b[i] = (signed char)number_from(-128, 127);
    check_success(cuMemAlloc(&da, sizeof(a)));
    check_success(cuMemAlloc(&db, sizeof(b)));
    check_success(cuMemAlloc(&dc, sizeof(c)));
    check_success(cuMemcpyHtoD(da, a, sizeof(a)));
    check_success(cuMemcpyHtoD(db, b, sizeof(b)));
    check_blas(cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, M, N, K, &alpha, (void *)da,
                            CUDA_R_8I, M, (void *)db, CUDA_R_8I, K, &beta, (void *)dc, CUDA_R_32I,
                            M, CUBLAS_COMPUTE_32I, CUBLAS_GEMM_DEFAULT));
    check_success(cuMemcpyDtoH(c, dc, sizeof(c)));
    for (int j = 0; j < N; j++)
        for (int i = 0; i < M; i++) {
            int sum = 0;

            for (int l = 0; l < K; l++)
                sum += a[i + l * M] * b[l + j * K];
            check(c[i + j * M] == alpha * sum);
        }
    check_blas(cublasDestroy(handle));
}

/* More rows than a block of the triangle has. */
TEST(syrkx_of_several_blocks)
{
    enum { ORDER = 300, INNER = 7 };
    cublasHandle_t handle = new_handle();

    for (int round = 0; round < 4; round++) {
        cublasFillMode_t uplo = (cublasFillMode_t)(round & 1);
        cublasOperation_t trans = (cublasOperation_t)(round >> 1);
        size_t ld = trans ? INNER : ORDER;
        struct array a = array_new(D, ORDER * INNER), b = array_new(D, ORDER * INNER),
                     c = array_new(D, ORDER * ORDER);
        const double alpha = 0.5, beta = 2;

        check_blas(cublasDsyrkx(handle, uplo, trans, ORDER, INNER, &alpha, array_address(&a), ld,
                                array_address(&b), ld, &beta, array_address(&c), ORDER));
        for (size_t j = 0; j < ORDER; j++)
            for (size_t i = uplo ? 0 : j; i < (uplo ? j + 1 : ORDER); i++) {
                double complex sum = 0;

                for (size_t l = 0; l < INNER; l++)
                    sum += element(&a, trans, ld, i, l) * element(&b, trans, ld, j, l);
                c.values[i + j * ORDER] = alpha * sum + beta * c.values[i + j * ORDER];
            }
        array_check(&c, 100);
        array_free(&a), array_free(&b), array_free(&c);
    }
    check_blas(cublasDestroy(handle));
}

/* Small integers are exact in 16 bits: 0x3c00 is 1, 0x4000 is 2. */
TEST(gemm_ex_of_halves)
{
    enum { ORDER = 33 };
    cublasHandle_t handle = new_handle();
    uint16_t a[ORDER * ORDER], b[ORDER * ORDER];
    float c[ORDER * ORDER], alpha = 0.5f, beta = 0;
    CUdeviceptr da, db, dc;

    for (int i = 0; i < ORDER * ORDER; i++) {
        a[i] = number_from(0, 1) ? 0x3c00 : 0x4000;
        b[i] = number_from(0, 1) ? 0x3c00 : 0;
    }
    check_success(cuMemAlloc(&da, sizeof(a)));
    check_success(cuMemAlloc(&db, sizeof(b)));
    check_success(cuMemAlloc(&dc, sizeof(c)));
    check_success(cuMemcpyHtoD(da, a, sizeof(a)));
    check_success(cuMemcpyHtoD(db, b, sizeof(b)));
    check_blas(cublasGemmEx(handle, CUBLAS_OP_T, CUBLAS_OP_N, ORDER, ORDER, ORDER, &alpha,
                            (void *)da, CUDA_R_16F, ORDER, (void *)db, CUDA_R_16F, ORDER, &beta,
                            (void *)dc, CUDA_R_32F, ORDER, CUBLAS_COMPUTE_32F,
                            CUBLAS_GEMM_DEFAULT));
    check_success(cuMemcpyDtoH(c, dc, sizeof(c)));
    for (int j = 0; j < ORDER; j++)
        for (int i = 0; i < ORDER; i++) {
            float sum = 0;

            for (int l = 0; l < ORDER; l++)
                sum += (float)(a[l + i * ORDER] == 0x3c00 ? 1 : 2) *
                       (float)(b[l + j * ORDER] == 0x3c00);
            check(c[i + j * ORDER] == alpha * sum);
        }
    check_blas(cublasDestroy(handle));
}

/* An update that changes nothing leaves C as it is. With scalars in device memory it is computed
 * all the same, which makes the diagonal real. */
TEST(hermitian_updates_by_device_scalars_make_the_diagonal_real)
{
    const double complex numbers[] = {0, 1};
    struct array c, scalars;
    cublasHandle_t handle;
    cuDoubleComplex *zero;
    double *one;

    with_context();
    handle = new_handle();
    c = array_new(Z, 9);
    scalars = array_new(Z, 2);
    memcpy(scalars.values, numbers, sizeof(numbers));
    array_upload(&scalars);
    zero = array_address(&scalars);
    one = (double *)(zero + 1);
    check_blas(cublasZherk(handle, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, 3, 0, (double[]){2},
                           array_address(&c), 3, (double[]){1}, array_address(&c), 3));
    array_check(&c, 1);
    check_blas(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE));
    for (int i = 0; i < 3; i++) {
        array_upload(&c);
        if (i == 0)
            check_blas(cublasZherk(handle, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, 3, 0, one,
                                   array_address(&c), 3, one, array_address(&c), 3));
        else
            check_blas((i == 1 ? cublasZher2k : cublasZherkx)(
                handle, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, 3, 2, zero, array_address(&c), 3,
                array_address(&c), 3, one, array_address(&c), 3));
        for (int k = 0; k < 9; k += 4)
            c.values[k] = creal(c.values[k]);
        array_check(&c, 1);
    }
    array_free(&scalars);
    array_free(&c);
    check_blas(cublasDestroy(handle));
}

/* Zero in f16 is a result like any other. */
TEST(zeros_of_f16_are_stored)
{
    const uint16_t one = 0x3c00, values[] = {0x3c00, 0x4000, 0x4200, 0x3c00, 0x3c00, 0xbc00};
    uint16_t norm = 0x1234, found[6];
    cublasHandle_t handle;
    CUdeviceptr x;

    with_context();
    handle = new_handle();
    check_success(cuMemAlloc(&x, sizeof(values)));
    check_success(cuMemcpyHtoD(x, values, sizeof(values)));
    check_blas(cublasNrm2Ex(handle, 0, (void *)x, CUDA_R_16F, 1, &norm, CUDA_R_16F, CUDA_R_32F));
    check(norm == 0);
    check_blas(cublasRotEx(handle, 3, (void *)x, CUDA_R_16F, 1, (void *)(x + 6), CUDA_R_16F, 1,
                           &one, &one, CUDA_R_16F, CUDA_R_32F));
    check_success(cuMemcpyDtoH(found, x, sizeof(found)));
    check(found[0] == 0x4000 && found[3] == 0);
    check_success(cuMemFree(x));
    check_blas(cublasDestroy(handle));
}

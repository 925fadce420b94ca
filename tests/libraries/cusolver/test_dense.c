/* SPDX-License-Identifier: MIT */
/* Values of dense factorisations: the products of factors are the matrices. */
#include "solver_test.h"

enum { N = 23, M = 31 };

static cusolverDnParams_t new_params(void)
{
    cusolverDnParams_t params = NULL;

    check_solver(cusolverDnCreateParams(&params));
    return params;
}

TEST(cholesky_factors_of_all_types)
{
    cusolverDnHandle_t handle = new_solver();
    cusolverDnParams_t params = new_params();

    for (enum type t = S; t < TYPES; t++)
        for (int upper = 0; upper < 2; upper++) {
            struct array a = hermitian(t, N, 60), info = integers(1);
            double complex *original = malloc(N * N * sizeof(*original)),
                           *other = calloc(N * N, 16);
            size_t device = 0, host = 0;
            struct array work;

            memcpy(original, a.values, N * N * sizeof(*original));
            check_solver(cusolverDnXpotrf_bufferSize(handle, params, (cublasFillMode_t)upper, N,
                                                     data_types[t], array_address(&a), N,
                                                     data_types[t], &device, &host));
            work = bytes_of_work(device);
            check_solver(cusolverDnXpotrf(handle, params, (cublasFillMode_t)upper, N, data_types[t],
                                          array_address(&a), N, data_types[t], array_address(&work),
                                          device, malloc(host + 1), host, array_address(&info)));
            check(integer_at(&info, 0) == 0);
            array_download(&a);
            for (size_t j = 0; j < N; j++)
                for (size_t i = 0; i < N; i++)
                    if (upper ? i > j : i < j)
                        a.values[i + j * N] = 0;
            for (size_t j = 0; j < N; j++)
                for (size_t i = 0; i < N; i++)
                    other[i + j * N] = conj(a.values[j + i * N]);
            check(product_error(original, N, upper ? other : a.values, N, upper ? a.values : other,
                                N, N, N, N) < epsilon_of(t) * 600);
        }
}

TEST(a_matrix_that_is_not_positive_is_reported)
{
    cusolverDnHandle_t handle = new_solver();
    struct array a = hermitian(D, 4, 60), info = integers(1), work = bytes_of_work(4096);

    a.values[10] = -1;
    array_upload(&a);
    check_solver(cusolverDnDpotrf(handle, CUBLAS_FILL_MODE_LOWER, 4, array_address(&a), 4,
                                  array_address(&work), 64, array_address(&info)));
    check(integer_at(&info, 0) == 3);
    a = hermitian(D, 4, 60);
    a.values[5] = NAN;
    array_upload(&a);
    check_solver(cusolverDnDpotrf(handle, CUBLAS_FILL_MODE_LOWER, 4, array_address(&a), 4,
                                  array_address(&work), 64, array_address(&info)));
    check(integer_at(&info, 0) == 2);
}

/* With 64-bit pivots, and without. */
TEST(lu_solves_systems_of_all_types)
{
    cusolverDnHandle_t handle = new_solver();
    cusolverDnParams_t params = new_params();

    for (enum type t = S; t < TYPES; t++)
        for (int pivots = 0; pivots < 2; pivots++) {
            struct array a = array_new(t, N * N), x = array_new(t, N * 2), info = integers(1),
                         ipiv = integers(2 * N), work;
            double complex *matrix = malloc(N * N * sizeof(*matrix)), *b = malloc(N * 2 * 16);
            size_t device = 0, host = 0;

            for (size_t i = 0; i < N; i++)
                a.values[i + (pivots ? (i + 1) % N : i) * N] += 100;
            array_upload(&a);
            memcpy(matrix, a.values, N * N * sizeof(*matrix));
            memcpy(b, x.values, N * 2 * sizeof(*b));
            check_solver(cusolverDnXgetrf_bufferSize(handle, params, N, N, data_types[t],
                                                     array_address(&a), N, data_types[t], &device,
                                                     &host));
            work = bytes_of_work(device);
            check_solver(cusolverDnXgetrf(handle, params, N, N, data_types[t], array_address(&a), N,
                                          pivots ? array_address(&ipiv) : NULL, data_types[t],
                                          array_address(&work), device, malloc(host + 1), host,
                                          array_address(&info)));
            check(integer_at(&info, 0) == 0);
            check_solver(cusolverDnXgetrs(handle, params, CUBLAS_OP_N, N, 2, data_types[t],
                                          array_address(&a), N,
                                          pivots ? array_address(&ipiv) : NULL, data_types[t],
                                          array_address(&x), N, array_address(&info)));
            array_download(&x);
            check(product_error(b, N, matrix, N, x.values, N, N, N, 2) < epsilon_of(t) * 100);
        }
}

/* Larger than a block of the factorisation without pivots. */
TEST(lu_without_pivots_in_blocks)
{
    enum { LARGE = 130 };
    cusolverDnHandle_t handle = new_solver();
    struct array a = array_new(Z, LARGE * LARGE), info = integers(1), work;
    double complex *matrix = malloc(LARGE * LARGE * sizeof(*matrix)),
                   *l = calloc(LARGE * LARGE, sizeof(*l));
    int lwork = 0;

    check_solver(
        cusolverDnZgetrf_bufferSize(handle, LARGE, LARGE, array_address(&a), LARGE, &lwork));
    work = bytes_of_work((size_t)lwork * 16);
    for (size_t i = 0; i < LARGE; i++)
        a.values[i + i * LARGE] += 400;
    array_upload(&a);
    memcpy(matrix, a.values, LARGE * LARGE * sizeof(*matrix));
    check_solver(cusolverDnZgetrf(handle, LARGE, LARGE, array_address(&a), LARGE,
                                  array_address(&work), NULL, array_address(&info)));
    check(integer_at(&info, 0) == 0);
    array_download(&a);
    for (size_t j = 0; j < LARGE; j++)
        for (size_t i = j; i < LARGE; i++) {
            l[i + j * LARGE] = i == j ? 1 : a.values[i + j * LARGE];
            if (i > j)
                a.values[i + j * LARGE] = 0;
        }
    check(product_error(matrix, LARGE, l, LARGE, a.values, LARGE, LARGE, LARGE, LARGE) < 1e-10);
}

TEST(qr_factors_multiply_to_the_matrix)
{
    cusolverDnHandle_t handle = new_solver();
    struct array a = array_new(Z, M * N), tau = array_new(Z, N), info = integers(1), work;
    double complex *matrix = malloc(M * N * sizeof(*matrix)), *r = calloc(N * N, sizeof(*r));
    int lwork = 0, second = 0;

    memcpy(matrix, a.values, M * N * sizeof(*matrix));
    check_solver(cusolverDnZgeqrf_bufferSize(handle, M, N, array_address(&a), M, &lwork));
    check_solver(cusolverDnZungqr_bufferSize(handle, M, N, N, array_address(&a), M,
                                             array_address(&tau), &second));
    lwork = lwork > second ? lwork : second;
    work = bytes_of_work((size_t)lwork * 16);
    check_solver(cusolverDnZgeqrf(handle, M, N, array_address(&a), M, array_address(&tau),
                                  array_address(&work), lwork, array_address(&info)));
    check(integer_at(&info, 0) == 0);
    array_download(&a);
    for (size_t j = 0; j < N; j++)
        for (size_t i = 0; i <= j; i++)
            r[i + j * N] = a.values[i + j * M];
    check_solver(cusolverDnZungqr(handle, M, N, N, array_address(&a), M, array_address(&tau),
                                  array_address(&work), lwork, array_address(&info)));
    array_download(&a);
    check(product_error(matrix, M, a.values, M, r, N, M, N, N) < 1e-12);
}

static void check_eigenvectors(const double complex *matrix, struct array *vectors,
                               const struct array *values, enum type t, size_t count)
{
    double complex *scaled = malloc(N * count * sizeof(*scaled));

    for (size_t j = 0; j < count; j++)
        for (size_t i = 0; i < N; i++)
            scaled[i + j * N] = vectors->values[i + j * N] * values->values[j];
    check(product_error(scaled, N, matrix, N, vectors->values, N, N, N, count) <
          epsilon_of(t) * 200);
}

TEST(eigenvalues_of_all_types)
{
    cusolverDnHandle_t handle = new_solver();
    cusolverDnParams_t params = new_params();

    for (enum type t = S; t < TYPES; t++) {
        struct array a = hermitian(t, N, 0), w = array_new(real_of(t), N), info = integers(1), work;
        double complex *matrix = malloc(N * N * sizeof(*matrix));
        size_t device = 0, host = 0;
        int64_t found = -1;

        memcpy(matrix, a.values, N * N * sizeof(*matrix));
        check_solver(cusolverDnXsyevd_bufferSize(handle, params, CUSOLVER_EIG_MODE_VECTOR,
                                                 CUBLAS_FILL_MODE_LOWER, N, data_types[t],
                                                 array_address(&a), N, data_types[real_of(t)],
                                                 array_address(&w), data_types[t], &device, &host));
        work = bytes_of_work(device * 2);
        check_solver(cusolverDnXsyevd(
            handle, params, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, N, data_types[t],
            array_address(&a), N, data_types[real_of(t)], array_address(&w), data_types[t],
            array_address(&work), device, malloc(host + 1), host, array_address(&info)));
        check(integer_at(&info, 0) == 0);
        array_download(&a);
        array_download(&w);
        check_eigenvectors(matrix, &a, &w, t, N);
        /* Some of them, by number. */
        memcpy(a.values, matrix, N * N * sizeof(*matrix));
        array_upload(&a);
        check_solver(cusolverDnXsyevdx(
            handle, params, CUSOLVER_EIG_MODE_VECTOR, CUSOLVER_EIG_RANGE_I, CUBLAS_FILL_MODE_LOWER,
            N, data_types[t], array_address(&a), N, NULL, NULL, 3, 7, &found,
            data_types[real_of(t)], array_address(&w), data_types[t], array_address(&work),
            device * 2, malloc(host + 1), host, array_address(&info)));
        check(found == 5);
        array_download(&a);
        array_download(&w);
        check_eigenvectors(matrix, &a, &w, t, 5);
    }
}

TEST(pairs_have_eigenvalues_of_three_kinds)
{
    cusolverDnHandle_t handle = new_solver();

    for (int kind = 1; kind <= 3; kind++)
        for (int upper = 0; upper < 2; upper++) {
            struct array a = hermitian(D, N, 0), b = hermitian(D, N, 60), w = array_new(D, N),
                         info = integers(1), work = bytes_of_work(1 << 20);
            double complex *first = malloc(N * N * 16), *second = malloc(N * N * 16),
                           *left = calloc(N * N, 16), *right = calloc(N * N, 16);

            memcpy(first, a.values, N * N * 16);
            memcpy(second, b.values, N * N * 16);
            check_solver(cusolverDnDsygvd(handle, (cusolverEigType_t)kind, CUSOLVER_EIG_MODE_VECTOR,
                                          (cublasFillMode_t)upper, N, array_address(&a), N,
                                          array_address(&b), N, array_address(&w),
                                          array_address(&work), 1 << 16, array_address(&info)));
            check(integer_at(&info, 0) == 0);
            array_download(&a);
            array_download(&w);
            /* A x = w B x, A B x = w x, B A x = w x. */
            for (size_t j = 0; j < N; j++)
                for (size_t i = 0; i < N; i++)
                    for (size_t k = 0; k < N; k++) {
                        left[i + j * N] +=
                            (kind == 2 ? second : first)[i + k * N] * a.values[k + j * N];
                        right[i + j * N] +=
                            kind == 1 ? second[i + k * N] * a.values[k + j * N] * w.values[j] : 0;
                    }
            if (kind == 1) {
                for (size_t i = 0; i < N * N; i++)
                    check(cabs(left[i] - right[i]) < 1e-10);
                continue;
            }
            for (size_t i = 0; i < N * N; i++)
                right[i] = a.values[i] * w.values[i / N];
            check(product_error(right, N, kind == 2 ? first : second, N, left, N, N, N, N) < 1e-8);
        }
}

static void check_svd(const double complex *matrix, size_t m, size_t n, struct array *u, size_t ldu,
                      struct array *s, const double complex *vt, size_t ldvt, double epsilon)
{
    const size_t least = m < n ? m : n;

    for (size_t j = 0; j < least; j++)
        for (size_t i = 0; i < m; i++)
            u->values[i + j * ldu] *= s->values[j];
    check(product_error(matrix, m, u->values, ldu, vt, ldvt, m, least, n) < epsilon);
}

TEST(singular_values_of_all_types)
{
    cusolverDnHandle_t handle = new_solver();
    cusolverDnParams_t params = new_params();

    for (enum type t = S; t < TYPES; t++) {
        struct array a = array_new(t, M * N), s = array_new(real_of(t), N), u = array_new(t, M * M),
                     vt = array_new(t, N * N), info = integers(1), work;
        double complex *matrix = malloc(M * N * 16);
        size_t device = 0, host = 0;

        memcpy(matrix, a.values, M * N * 16);
        check_solver(cusolverDnXgesvd_bufferSize(
            handle, params, 'A', 'A', M, N, data_types[t], array_address(&a), M,
            data_types[real_of(t)], array_address(&s), data_types[t], array_address(&u), M,
            data_types[t], array_address(&vt), N, data_types[t], &device, &host));
        work = bytes_of_work(device);
        check_solver(cusolverDnXgesvd(
            handle, params, 'A', 'A', M, N, data_types[t], array_address(&a), M,
            data_types[real_of(t)], array_address(&s), data_types[t], array_address(&u), M,
            data_types[t], array_address(&vt), N, data_types[t], array_address(&work), device,
            malloc(host + 1), host, array_address(&info)));
        check(integer_at(&info, 0) == 0);
        array_download(&s);
        array_download(&u);
        array_download(&vt);
        check_svd(matrix, M, N, &u, M, &s, vt.values, N, epsilon_of(t) * 200);
    }
}

/* V, not its transposed, and more columns than rows. */
TEST(jacobi_svd_of_a_wide_matrix)
{
    cusolverDnHandle_t handle = new_solver();
    struct array a = array_new(Z, M * N), s = array_new(D, N), u = array_new(Z, N * N),
                 v = array_new(Z, M * N), info = integers(1), work = bytes_of_work(1 << 20);
    double complex *matrix = malloc(M * N * 16), *vt = malloc(M * N * 16);
    gesvdjInfo_t params;

    memcpy(matrix, a.values, M * N * 16);
    check_solver(cusolverDnCreateGesvdjInfo(&params));
    check_solver(cusolverDnZgesvdj(handle, CUSOLVER_EIG_MODE_VECTOR, 1, N, M, array_address(&a), N,
                                   array_address(&s), array_address(&u), N, array_address(&v), M,
                                   array_address(&work), 1 << 16, array_address(&info), params));
    check(integer_at(&info, 0) == 0);
    array_download(&s);
    array_download(&u);
    array_download(&v);
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < M; j++)
            vt[i + j * N] = conj(v.values[j + i * M]);
    check_svd(matrix, N, M, &u, N, &s, vt, N, 1e-11);
    check_solver(cusolverDnDestroyGesvdjInfo(params));
}

TEST(general_eigenvalues_of_a_rotation)
{
    cusolverDnHandle_t handle = new_solver();
    cusolverDnParams_t params = new_params();
    struct array a = array_new(D, 4), w = array_new(Z, 2), vr = array_new(D, 4), info = integers(1),
                 work;
    size_t device = 0, host = 0;

    a.values[0] = a.values[3] = 0;
    a.values[1] = 1;
    a.values[2] = -1;
    array_upload(&a);
    check_solver(cusolverDnXgeev_bufferSize(
        handle, params, CUSOLVER_EIG_MODE_NOVECTOR, CUSOLVER_EIG_MODE_VECTOR, 2, CUDA_R_64F,
        array_address(&a), 2, CUDA_C_64F, array_address(&w), CUDA_R_64F, NULL, 1, CUDA_R_64F,
        array_address(&vr), 2, CUDA_R_64F, &device, &host));
    work = bytes_of_work(device);
    check_solver(cusolverDnXgeev(handle, params, CUSOLVER_EIG_MODE_NOVECTOR,
                                 CUSOLVER_EIG_MODE_VECTOR, 2, CUDA_R_64F, array_address(&a), 2,
                                 CUDA_C_64F, array_address(&w), CUDA_R_64F, NULL, 1, CUDA_R_64F,
                                 array_address(&vr), 2, CUDA_R_64F, array_address(&work), device,
                                 malloc(host + 1), host, array_address(&info)));
    check(integer_at(&info, 0) == 0);
    array_download(&w);
    check(cabs(w.values[0] - I) < 1e-14 && cabs(w.values[1] + I) < 1e-14);
}

TEST(indefinite_systems)
{
    cusolverDnHandle_t handle = new_solver();
    struct array a = hermitian(D, N, 0), inverse, ipiv = integers(N), info = integers(1), work;
    double complex *matrix = malloc(N * N * 16), *one = calloc(N * N, 16);
    int lwork = 0;

    memcpy(matrix, a.values, N * N * 16);
    check_solver(cusolverDnDsytrf_bufferSize(handle, N, array_address(&a), N, &lwork));
    work = bytes_of_work((size_t)lwork * 8);
    check_solver(cusolverDnDsytrf(handle, CUBLAS_FILL_MODE_LOWER, N, array_address(&a), N,
                                  array_address(&ipiv), array_address(&work), lwork,
                                  array_address(&info)));
    check(integer_at(&info, 0) == 0);
    only_cupipe(); /* NVIDIA's of CUDA 13.0 succeeds and leaves the matrix as it is */
    check_solver(cusolverDnDsytri_bufferSize(handle, CUBLAS_FILL_MODE_LOWER, N, array_address(&a),
                                             N, array_address(&ipiv), &lwork));
    work = bytes_of_work((size_t)lwork * 8);
    check_solver(cusolverDnDsytri(handle, CUBLAS_FILL_MODE_LOWER, N, array_address(&a), N,
                                  array_address(&ipiv), array_address(&work), lwork,
                                  array_address(&info)));
    array_download(&a);
    inverse = a;
    for (size_t j = 0; j < N; j++) {
        one[j + j * N] = 1;
        for (size_t i = 0; i < j; i++)
            inverse.values[i + j * N] = inverse.values[j + i * N];
    }
    check(product_error(one, N, matrix, N, inverse.values, N, N, N, N) < 1e-10);
}

/* sytrf of a type without memory for pivots. */
static cusolverStatus_t sytrf_of(enum type type, cusolverDnHandle_t handle, cublasFillMode_t uplo,
                                 int n, void *a, void *work, int count, int *info)
{
    switch (type) {
    case S:
        return cusolverDnSsytrf(handle, uplo, n, a, n, NULL, work, count, info);
    case D:
        return cusolverDnDsytrf(handle, uplo, n, a, n, NULL, work, count, info);
    case C:
        return cusolverDnCsytrf(handle, uplo, n, a, n, NULL, work, count, info);
    default:
        return cusolverDnZsytrf(handle, uplo, n, a, n, NULL, work, count, info);
    }
}

TEST(indefinite_systems_without_pivots)
{
    cusolverDnHandle_t handle = new_solver();

    for (int round = 0; round < 2 * TYPES; round++) {
        enum type type = round / 2;
        cublasFillMode_t uplo = round % 2;
        struct array a = array_new(type, N * N), b = array_new(type, N), info = integers(1), work;
        double complex *matrix = malloc(N * N * 16), *right = malloc(N * 16);
        size_t device = 0, host = 0;

        for (size_t j = 0; j < N; j++)
            for (size_t i = 0; i <= j; i++) {
                if (i == j)
                    a.values[i + j * N] = j % 2 ? 40 : -40;
                a.values[j + i * N] = a.values[i + j * N];
            }
        array_upload(&a);
        memcpy(matrix, a.values, N * N * 16);
        memcpy(right, b.values, N * 16);
        work = bytes_of_work(1 << 20);
        check_solver(sytrf_of(type, handle, uplo, N, array_address(&a), array_address(&work),
                              (1 << 20) / 16, array_address(&info)));
        check(integer_at(&info, 0) == 0);
        check_solver(cusolverDnXsytrs_bufferSize(handle, uplo, N, 1, data_types[type],
                                                 array_address(&a), N, NULL, data_types[type],
                                                 array_address(&b), N, &device, &host));
        check_solver(cusolverDnXsytrs(handle, uplo, N, 1, data_types[type], array_address(&a), N,
                                      NULL, data_types[type], array_address(&b), N,
                                      array_address(&work), device, malloc(host + 1), host,
                                      array_address(&info)));
        check(integer_at(&info, 0) == 0);
        array_download(&b);
        check(product_error(right, N, matrix, N, b.values, N, N, N, 1) < epsilon_of(type) * 100);
    }
}

TEST(refinement_solves_in_double_precision)
{
    cusolverDnHandle_t handle = new_solver();
    struct array a = array_new(D, N * N), b = array_new(D, N), x = array_new(D, N),
                 ipiv = integers(N), info = integers(1), work;
    size_t bytes = 0;
    int iterations = -99;

    for (size_t i = 0; i < N; i++)
        a.values[i + i * N] += 50;
    array_upload(&a);
    check_solver(cusolverDnDSgesv_bufferSize(handle, N, 1, array_address(&a), N,
                                             array_address(&ipiv), array_address(&b), N,
                                             array_address(&x), N, NULL, &bytes));
    work = bytes_of_work(bytes);
    check_solver(cusolverDnDSgesv(handle, N, 1, array_address(&a), N, array_address(&ipiv),
                                  array_address(&b), N, array_address(&x), N, array_address(&work),
                                  bytes, &iterations, array_address(&info)));
    check(iterations >= 0 && integer_at(&info, 0) == 0);
    array_download(&x);
    check(product_error(b.values, N, a.values, N, x.values, N, N, N, 1) < 1e-12);
    array_check(&a, 1); /* as it was */
    check(cusolverDnDSgesv(handle, N, 1, array_address(&a), N, array_address(&ipiv),
                           array_address(&b), N, array_address(&x), N, array_address(&work), 1,
                           &iterations, array_address(&info)) == CUSOLVER_STATUS_INVALID_WORKSPACE);
}

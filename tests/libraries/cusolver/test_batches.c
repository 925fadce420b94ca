/* SPDX-License-Identifier: MIT */
/* Batches with so many matrices that several threads share them, each with one working memory for
 * all of its matrices: the product of the factors is the matrix, for every matrix. */
#include "solver_test.h"

enum { ORDERS = 3, MATRICES = 700 };

static const int orders[ORDERS] = {1, 5, 32};

static struct array many_hermitian(enum type type, size_t n, double shift)
{
    struct array a = array_new(type, n * n * MATRICES);

    for (double complex *one = a.values; one < a.values + a.count; one += n * n)
        for (size_t j = 0; j < n; j++)
            for (size_t i = 0; i <= j; i++) {
                if (i == j)
                    one[i + j * n] = creal(one[i + j * n]) + shift;
                one[j + i * n] = conj(one[i + j * n]);
            }
    array_upload(&a);
    return a;
}

static double complex *copy_of(const struct array *a)
{
    double complex *copy = malloc(a->count * sizeof(*copy));

    return memcpy(copy, a->values, a->count * sizeof(*copy));
}

static CUdeviceptr addresses_of(const struct array *a, size_t elements)
{
    CUdeviceptr list[MATRICES], memory;

    for (size_t i = 0; i < MATRICES; i++)
        list[i] = a->memory + i * elements * bytes_of(a->type);
    check_success(cuMemAlloc(&memory, sizeof(list)));
    check_success(cuMemcpyHtoD(memory, list, sizeof(list)));
    return memory;
}

static void check_info(const struct array *info)
{
    int all[MATRICES];

    check_success(cuCtxSynchronize());
    check_success(cuMemcpyDtoH(all, info->memory, sizeof(all)));
    for (size_t i = 0; i < MATRICES; i++)
        check(all[i] == 0);
}

TEST(many_cholesky_factors)
{
    cusolverDnHandle_t handle = new_solver();

    for (int k = 0; k < ORDERS; k++) {
        const size_t n = (size_t)orders[k];
        struct array a = many_hermitian(Z, n, 100), info = integers(MATRICES);
        double complex *original = copy_of(&a), *other = calloc(n * n, sizeof(*other));

        check_solver(cusolverDnZpotrfBatched(handle, CUBLAS_FILL_MODE_LOWER, (int)n,
                                             (cuDoubleComplex **)(uintptr_t)addresses_of(&a, n * n),
                                             (int)n, array_address(&info), MATRICES));
        check_info(&info);
        array_download(&a);
        for (size_t m = 0; m < MATRICES; m++) {
            double complex *l = a.values + m * n * n;

            for (size_t j = 0; j < n; j++)
                for (size_t i = 0; i < n; i++) {
                    l[i + j * n] = i < j ? 0 : l[i + j * n];
                    other[j + i * n] = conj(l[i + j * n]);
                }
            check(product_error(original + m * n * n, n, l, n, other, n, n, n, n) < 1e-10);
        }
    }
}

/* A v = w v. */
static double vector_error(const double complex *a, const double complex *v,
                           const double complex *w, size_t n)
{
    double complex *scaled = malloc(n * n * sizeof(*scaled));
    double error;

    for (size_t i = 0; i < n * n; i++)
        scaled[i] = v[i] * w[i / n];
    error = product_error(scaled, n, a, n, v, n, n, n, n);
    free(scaled);
    return error;
}

TEST(many_eigenvalues)
{
    cusolverDnHandle_t handle = new_solver();
    syevjInfo_t parameters;

    check_solver(cusolverDnCreateSyevjInfo(&parameters));
    for (int k = 0; k < ORDERS; k++) {
        const size_t n = (size_t)orders[k];
        struct array a = many_hermitian(C, n, 0), w = array_new(S, n * MATRICES), work,
                     info = integers(MATRICES);
        double complex *original = copy_of(&a);
        int size = 0;

        check_solver(cusolverDnCheevjBatched_bufferSize(
            handle, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, (int)n, array_address(&a),
            (int)n, array_address(&w), &size, parameters, MATRICES));
        work = array_new(C, (size_t)size);
        check_solver(cusolverDnCheevjBatched(handle, CUSOLVER_EIG_MODE_VECTOR,
                                             CUBLAS_FILL_MODE_LOWER, (int)n, array_address(&a),
                                             (int)n, array_address(&w), array_address(&work), size,
                                             array_address(&info), parameters, MATRICES));
        check_info(&info);
        array_download(&a);
        array_download(&w);
        for (size_t m = 0; m < MATRICES; m++)
            check(vector_error(original + m * n * n, a.values + m * n * n, w.values + m * n, n) <
                  1e-3);
    }
    check_solver(cusolverDnDestroySyevjInfo(parameters));
}

TEST(many_singular_values)
{
    cusolverDnHandle_t handle = new_solver();
    gesvdjInfo_t parameters;

    check_solver(cusolverDnCreateGesvdjInfo(&parameters));
    for (int k = 0; k < ORDERS; k++) {
        const size_t n = (size_t)orders[k];
        struct array a = array_new(D, n * n * MATRICES), u = array_new(D, n * n * MATRICES),
                     v = array_new(D, n * n * MATRICES), s = array_new(D, n * MATRICES), work,
                     info = integers(MATRICES);
        double complex *original = copy_of(&a);
        int size = 0;

        check_solver(cusolverDnDgesvdjBatched_bufferSize(
            handle, CUSOLVER_EIG_MODE_VECTOR, (int)n, (int)n, array_address(&a), (int)n,
            array_address(&s), array_address(&u), (int)n, array_address(&v), (int)n, &size,
            parameters, MATRICES));
        work = array_new(D, (size_t)size);
        check_solver(cusolverDnDgesvdjBatched(
            handle, CUSOLVER_EIG_MODE_VECTOR, (int)n, (int)n, array_address(&a), (int)n,
            array_address(&s), array_address(&u), (int)n, array_address(&v), (int)n,
            array_address(&work), size, array_address(&info), parameters, MATRICES));
        check_info(&info);
        array_download(&s);
        array_download(&u);
        array_download(&v);
        for (size_t m = 0; m < MATRICES; m++) { /* A V = U S */
            double complex *left = u.values + m * n * n;

            for (size_t i = 0; i < n * n; i++)
                left[i] *= s.values[m * n + i / n];
            check(product_error(left, n, original + m * n * n, n, v.values + m * n * n, n, n, n,
                                n) < 1e-10);
        }
    }
    check_solver(cusolverDnDestroyGesvdjInfo(parameters));
}

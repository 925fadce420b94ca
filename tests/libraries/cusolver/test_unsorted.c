/* SPDX-License-Identifier: MIT */
/* Batches of Jacobi's methods whose values are not sorted: they have the order of the places where
 * rotations leave them, which an H200 shows for the first two, and are the sorted ones otherwise.
 */
#include "solver_test.h"

enum { MATRICES = 3 };

static syevjInfo_t eigen_parameters(int sorts)
{
    syevjInfo_t parameters = NULL;

    check_solver(cusolverDnCreateSyevjInfo(&parameters));
    check_solver(cusolverDnXsyevjSetSortEig(parameters, sorts));
    return parameters;
}

static gesvdjInfo_t svd_parameters(int sorts)
{
    gesvdjInfo_t parameters = NULL;

    check_solver(cusolverDnCreateGesvdjInfo(&parameters));
    check_solver(cusolverDnXgesvdjSetSortEig(parameters, sorts));
    return parameters;
}

static void check_done(const struct array *info)
{
    for (size_t i = 0; i < info->count; i++)
        check(integer_at(info, i) == 0);
}

/* The largest difference between X^H X and the identity. */
static double unitary_error(const double complex *x, size_t n)
{
    double error = 0;

    for (size_t i = 0; i < n * n; i++) {
        double complex sum = i / n == i % n ? -1 : 0;

        for (size_t l = 0; l < n; l++)
            sum += conj(x[l + i / n * n]) * x[l + i % n * n];
        error = fmax(error, cabs(sum));
    }
    return error;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* The largest difference between two lists of values, whatever their order. */
static double list_error(const double complex *a, const double complex *b, size_t n)
{
    double x[64], y[64], error = 0;

    for (size_t i = 0; i < n; i++) {
        x[i] = creal(a[i]);
        y[i] = creal(b[i]);
    }
    qsort(x, n, sizeof(*x), compare);
    qsort(y, n, sizeof(*y), compare);
    for (size_t i = 0; i < n; i++)
        error = fmax(error, fabs(x[i] - y[i]));
    return error;
}

static const double two[2][6] = {{1, -1, 0, -1, 2, 0}, {3, 4, 0, 4, 7, 0}};

TEST(eigenvalues_have_the_order_of_a_gpu)
{
    static const double expected[6] = {0.3819660112501051, 2.618033988749895, 0,
                                       0.5278640450004206, 9.47213595499958,  0};
    cusolverDnHandle_t handle = new_solver();
    syevjInfo_t parameters = eigen_parameters(0);

    for (int fill = 0; fill < 2; fill++) {
        struct array a = array_new(D, 18), w = array_new(D, 6), work = array_new(D, 4096),
                     info = integers(2);

        for (int i = 0; i < 18; i++)
            a.values[i] = i % 9 < 6 ? two[i / 9][i % 9] : 0;
        array_upload(&a);
        check_solver(cusolverDnDsyevjBatched(
            handle, CUSOLVER_EIG_MODE_VECTOR,
            fill ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER, 3, array_address(&a), 3,
            array_address(&w), array_address(&work), 4096, array_address(&info), parameters, 2));
        check_done(&info);
        array_download(&w);
        for (int i = 0; i < 6; i++)
            check(fabs(creal(w.values[i]) - expected[i]) < 1e-14);
    }
    check_solver(cusolverDnDestroySyevjInfo(parameters));
}

TEST(singular_values_have_the_order_of_a_gpu)
{
    static const double expected[4] = {0.38196601125010510, 2.6180339887498945, 0.52786404500042117,
                                       9.4721359549995796};
    cusolverDnHandle_t handle = new_solver();
    gesvdjInfo_t parameters = svd_parameters(0);
    struct array a = array_new(D, 12), s = array_new(D, 4), u = array_new(D, 18),
                 v = array_new(D, 8), work = array_new(D, 4096), info = integers(2);

    for (int i = 0; i < 12; i++)
        a.values[i] = two[i / 6][i % 6];
    array_upload(&a);
    check_solver(cusolverDnDgesvdjBatched(handle, CUSOLVER_EIG_MODE_VECTOR, 3, 2, array_address(&a),
                                          3, array_address(&s), array_address(&u), 3,
                                          array_address(&v), 2, array_address(&work), 4096,
                                          array_address(&info), parameters, 2));
    check_done(&info);
    array_download(&s);
    for (int i = 0; i < 4; i++)
        check(fabs(creal(s.values[i]) - expected[i]) < 1e-14);
    check_solver(cusolverDnDestroyGesvdjInfo(parameters));
}

static struct array hermitians(enum type type, size_t n, double diagonal)
{
    struct array a = array_new(type, n * n * MATRICES);

    for (double complex *one = a.values; one < a.values + a.count; one += n * n)
        for (size_t j = 0; j < n; j++)
            for (size_t i = 0; i <= j; i++) {
                if (i == j)
                    one[i + j * n] = creal(one[i + j * n]) + diagonal * (double)(n - i);
                one[j + i * n] = conj(one[i + j * n]);
            }
    array_upload(&a);
    return a;
}

/* A V = V W. A large diagonal decides the order: here the largest value comes first. */
static void check_eigen(enum type type, size_t n, double diagonal, double most)
{
    cusolverDnHandle_t handle = new_solver();
    struct array original = hermitians(type, n, diagonal), w[2];

    for (int sorts = 0; sorts < 2; sorts++) {
        struct array a = array_new(type, n * n * MATRICES), work = array_new(type, 1 << 16),
                     info = integers(MATRICES);
        syevjInfo_t parameters = eigen_parameters(sorts);

        w[sorts] = array_new(real_of(type), n * MATRICES);
        memcpy(a.values, original.values, a.count * sizeof(*a.values));
        array_upload(&a);
        check_solver(
            (type == Z
                 ? cusolverDnZheevjBatched(handle, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_UPPER,
                                           (int)n, array_address(&a), (int)n,
                                           array_address(&w[sorts]), array_address(&work), 1 << 16,
                                           array_address(&info), parameters, MATRICES)
                 : cusolverDnSsyevjBatched(handle, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_UPPER,
                                           (int)n, array_address(&a), (int)n,
                                           array_address(&w[sorts]), array_address(&work), 1 << 16,
                                           array_address(&info), parameters, MATRICES)));
        check_done(&info);
        array_download(&a);
        array_download(&w[sorts]);
        for (size_t m = 0; m < MATRICES; m++) {
            double complex *v = a.values + m * n * n, *values = w[sorts].values + m * n;

            check(unitary_error(v, n) < most);
            for (size_t i = 1; i < n && diagonal > 0; i++)
                check(sorts ? creal(values[i]) > creal(values[i - 1])
                            : creal(values[i]) < creal(values[i - 1]));
            for (size_t i = 0; i < n * n; i++)
                v[i] *= values[i / n];
        }
        for (size_t m = 0; m < MATRICES; m++) { /* V W, with the columns of V as they were */
            double complex *scaled = a.values + m * n * n, *values = w[sorts].values + m * n;
            double complex *v = calloc(n * n, sizeof(*v));

            for (size_t i = 0; i < n * n; i++)
                v[i] = scaled[i] / values[i / n];
            check(product_error(scaled, n, original.values + m * n * n, n, v, n, n, n, n) <
                  most * 100);
            free(v);
        }
        check_solver(cusolverDnDestroySyevjInfo(parameters));
    }
    for (size_t m = 0; m < MATRICES; m++)
        check(list_error(w[0].values + m * n, w[1].values + m * n, n) < most * 100);
}

TEST(eigenvalues_are_the_sorted_ones)
{
    check_eigen(Z, 32, 0, 1e-12);
    check_eigen(S, 7, 0, 1e-4);
}

TEST(a_large_diagonal_decides_the_order)
{
    check_eigen(Z, 9, 100, 1e-12);
    check_eigen(S, 9, 100, 1e-4);
}

/* A V = U S, also where columns depend on each other. */
static void check_svd(size_t rows, size_t columns, bool dependent, double scale)
{
    cusolverDnHandle_t handle = new_solver();
    const size_t least = rows < columns ? rows : columns, size = rows * columns;
    struct array original = array_new(Z, size * MATRICES), s[2];

    for (size_t i = 0; i < original.count && dependent; i++) {
        if (i % size / rows >= 2) /* the first two columns are repeated */
            original.values[i] = original.values[i - 2 * rows];
    }
    for (size_t i = 0; i < original.count; i++)
        original.values[i] *= scale;
    for (int sorts = 0; sorts < 2; sorts++) {
        struct array a = array_new(Z, size * MATRICES), u = array_new(Z, rows * rows * MATRICES),
                     v = array_new(Z, columns * columns * MATRICES), work = array_new(Z, 1 << 16),
                     info = integers(MATRICES);
        gesvdjInfo_t parameters = svd_parameters(sorts);

        s[sorts] = array_new(D, least * MATRICES);
        memcpy(a.values, original.values, a.count * sizeof(*a.values));
        array_upload(&a);
        check_solver(cusolverDnZgesvdjBatched(
            handle, CUSOLVER_EIG_MODE_VECTOR, (int)rows, (int)columns, array_address(&a), (int)rows,
            array_address(&s[sorts]), array_address(&u), (int)rows, array_address(&v), (int)columns,
            array_address(&work), 1 << 16, array_address(&info), parameters, MATRICES));
        check_done(&info);
        array_download(&s[sorts]);
        array_download(&u);
        array_download(&v);
        for (size_t m = 0; m < MATRICES; m++) {
            double complex *left = u.values + m * rows * rows;
            double complex *right = v.values + m * columns * columns;

            check(unitary_error(left, rows) < 1e-12 && unitary_error(right, columns) < 1e-12);
            for (size_t i = 0; i < rows * least; i++)
                left[i] *= s[sorts].values[m * least + i / rows];
            check(product_error(left, rows, original.values + m * size, rows, right, columns, rows,
                                columns, least) < 1e-11 * scale);
        }
        check_solver(cusolverDnDestroyGesvdjInfo(parameters));
    }
    for (size_t m = 0; m < MATRICES; m++)
        check(list_error(s[0].values + m * least, s[1].values + m * least, least) < 1e-11 * scale);
}

TEST(singular_values_are_the_sorted_ones)
{
    check_svd(32, 32, false, 1);
    check_svd(17, 9, false, 1);
    check_svd(6, 20, false, 1);
    check_svd(1, 1, false, 1);
    check_svd(12, 8, true, 1);
    check_svd(5, 8, true, 1);
    check_svd(7, 5, false, 1e-290);
    check_svd(7, 5, false, 1e200);
}

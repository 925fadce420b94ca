/* SPDX-License-Identifier: MIT */
/* Jacobi's methods. A rotation makes one element beside the diagonal zero; of the two angles that
 * do it the smaller one is taken, so what was near a place of the diagonal stays there. Sweeps over
 * all pairs are repeated until nothing is left to rotate.
 *
 * Eigenvalues: rotations from both sides. Singular values: rotations of the columns until they are
 * orthogonal, which are those of their products' matrix; a wide matrix is transposed. */
#include "jacobi_run.h"

#include "number.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { SWEEPS_MOST = 100 };

/* Columns a and b become c a - s conj(phase) b and s phase a + c b. */
struct rotation {
    double c, s;
    double complex phase;
};

static struct rotation rotation_for(double first, double second, double complex beside)
{
    double size = cabs(beside), slope = (second - first) / (2 * size);
    double tangent = (slope < 0 ? -1 : 1) / (fabs(slope) + hypot(1, slope));
    double c = 1 / hypot(1, tangent);

    return (struct rotation){.c = c, .s = c * tangent, .phase = beside / size};
}

/* Elements are `stride` apart: a column, or a row. */
static void rotate(const struct rotation *r, double complex *a, double complex *b, size_t count,
                   size_t stride)
{
    for (size_t i = 0; i < count * stride; i += stride) {
        double complex x = a[i], y = b[i];

        a[i] = r->c * x - r->s * conj(r->phase) * y;
        b[i] = r->s * r->phase * x + r->c * y;
    }
}

static void set_identity(double complex *a, size_t n)
{
    memset(a, 0, n * n * sizeof(*a));
    for (size_t i = 0; i < n; i++)
        a[i * (n + 1)] = 1;
}

static double norm_of(const double complex *a, size_t count)
{
    double norm = 0;

    for (size_t i = 0; i < count; i++)
        norm = hypot(norm, cabs(a[i]));
    return norm;
}

/* Rotates each pair of rows and columns once. Returns how many needed it. */
static size_t sweep_both(double complex *a, double complex *v, size_t n, double least)
{
    size_t rotated = 0;

    for (size_t p = 0; p + 1 < n; p++) {
        for (size_t q = p + 1; q < n; q++) {
            struct rotation columns, rows;

            if (cabs(a[p + q * n]) <= least)
                continue;
            columns = rotation_for(creal(a[p * (n + 1)]), creal(a[q * (n + 1)]), a[p + q * n]);
            rows = columns;
            rows.phase = conj(columns.phase);
            rotate(&columns, a + p * n, a + q * n, n, 1);
            rotate(&rows, a + p, a + q, n, n);
            rotate(&columns, v + p * n, v + q * n, n, 1);
            a[p + q * n] = a[q + p * n] = 0;
            rotated++;
        }
    }
    return rotated;
}

static void load_hermitian(const struct eigen_problem *p, double complex *a)
{
    const size_t n = (size_t)p->n;

    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; i <= j; i++) {
            const size_t row = p->uplo == 'L' ? j : i, column = p->uplo == 'L' ? i : j;
            double complex value =
                number_load(p->type, p->a, (int64_t)row + (int64_t)column * p->lda);

            a[row + column * n] = i == j ? creal(value) : value;
            a[column + row * n] = conj(a[row + column * n]);
        }
    }
}

CUresult jacobi_run_eigen(const struct eigen_problem *p, struct lapack_memory *memory,
                          openblas_int *info)
{
    const size_t n = (size_t)p->n;
    double complex *a = lapack_memory_take(memory, n * n * sizeof(*a));
    double complex *v = lapack_memory_take(memory, n * n * sizeof(*v));
    int sweeps = 0;
    double least;

    if (!a || !v)
        return CUDA_ERROR_OUT_OF_MEMORY;
    load_hermitian(p, a);
    set_identity(v, n);
    least = DBL_EPSILON / (double)n * norm_of(a, n * n);
    while (sweeps < SWEEPS_MOST && sweep_both(a, v, n, least))
        sweeps++;
    *info = sweeps < SWEEPS_MOST ? 0 : p->not_finite;
    for (size_t j = 0; j < n; j++) {
        lapack_set(p->type, p->w, (int64_t)j, creal(a[j * (n + 1)]));
        for (size_t i = 0; p->job == 'V' && i < n; i++)
            number_store(p->type, p->a, (int64_t)i + (int64_t)j * p->lda, v[i + j * n]);
    }
    return CUDA_SUCCESS;
}

/* A tall matrix, its columns rotated until they are orthogonal, and what rotated them. */
struct tall {
    size_t m, n;
    double complex *g; /* m x m, of which n columns are the matrix */
    double complex *v; /* n x n */
    double *norms;
};

static double complex product(const double complex *a, const double complex *b, size_t count)
{
    double complex sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += conj(a[i]) * b[i];
    return sum;
}

static size_t sweep_columns(struct tall *t, double least)
{
    size_t rotated = 0;

    for (size_t p = 0; p + 1 < t->n; p++) {
        for (size_t q = p + 1; q < t->n; q++) {
            double complex *a = t->g + p * t->m, *b = t->g + q * t->m;
            double complex beside = product(a, b, t->m);
            double first = norm_of(a, t->m), second = norm_of(b, t->m);
            struct rotation r;

            if (first <= least || second <= least ||
                cabs(beside) <= (double)t->m * DBL_EPSILON * first * second)
                continue;
            r = rotation_for(first * first, second * second, beside);
            rotate(&r, a, b, t->m, 1);
            rotate(&r, t->v + p * t->n, t->v + q * t->n, t->n, 1);
            rotated++;
        }
    }
    return rotated;
}

/* Takes the other columns' parts out of a column; what was not set yet is zero. */
static void make_orthogonal(const struct tall *t, double complex *column)
{
    for (size_t j = 0; j < t->m; j++) {
        const double complex *other = t->g + j * t->m;
        double complex part = other == column ? 0 : product(other, column, t->m);

        for (size_t i = 0; i < t->m && part != 0; i++)
            column[i] -= part * other[i];
    }
}

static void divide(double complex *column, size_t count, double by)
{
    for (size_t i = 0; i < count; i++)
        column[i] /= by;
}

/* Makes column j one that all others are orthogonal to, of the first unit vector that has a large
 * part outside of them. Of m unit vectors one keeps at least 1 / sqrt(m) of its length. */
static void complete_column(struct tall *t, size_t j)
{
    double complex *column = t->g + j * t->m;

    for (size_t k = 0; k < t->m; k++) {
        memset(column, 0, t->m * sizeof(*column));
        column[(j + k) % t->m] = 1;
        make_orthogonal(t, column);
        if (norm_of(column, t->m) < 0.5 / sqrt((double)t->m))
            continue;
        divide(column, t->m, norm_of(column, t->m));
        make_orthogonal(t, column);
        divide(column, t->m, norm_of(column, t->m));
        return;
    }
}

/* Columns that are nothing but rounding, and those beside the matrix, are made orthogonal. */
static void make_unitary(struct tall *t, double least)
{
    for (size_t j = 0; j < t->n; j++) {
        t->norms[j] = norm_of(t->g + j * t->m, t->m);
        if (t->norms[j] > least)
            divide(t->g + j * t->m, t->m, t->norms[j]);
        else
            memset(t->g + j * t->m, 0, t->m * sizeof(*t->g));
    }
    for (size_t j = 0; j < t->m; j++) {
        if (j >= t->n || t->norms[j] <= least)
            complete_column(t, j);
    }
}

/* Makes the largest element about 1, so that squares neither overflow nor vanish; returns the power
 * of two by which it is larger. */
static int scale_down(double complex *a, size_t count)
{
    double largest = 0;
    int exponent = 0;

    for (size_t i = 0; i < count; i++)
        largest = fmax(largest, fmax(fabs(creal(a[i])), fabs(cimag(a[i]))));
    frexp(largest, &exponent);
    for (size_t i = 0; i < count && exponent != 0; i++)
        a[i] = ldexp(creal(a[i]), -exponent) + ldexp(cimag(a[i]), -exponent) * I;
    return exponent;
}

static void load_tall(const struct svd_problem *p, bool turned, struct tall *t)
{
    memset(t->g, 0, t->m * t->m * sizeof(*t->g));
    for (int64_t j = 0; j < p->n; j++) {
        for (int64_t i = 0; i < p->m; i++) {
            double complex value = number_load(p->type, p->a, i + j * p->lda);

            t->g[turned ? j + i * p->n : i + j * p->m] = turned ? conj(value) : value;
        }
    }
}

static void store_square(enum openblas_type type, const double complex *from, size_t n, void *to,
                         int64_t ld)
{
    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; i < n; i++)
            number_store(type, to, (int64_t)i + (int64_t)j * ld, from[i + j * n]);
    }
}

CUresult jacobi_run_svd(const struct svd_problem *p, struct lapack_memory *memory,
                        openblas_int *info)
{
    const bool turned = p->m < p->n;
    struct tall t = {.m = (size_t)(turned ? p->n : p->m), .n = (size_t)(turned ? p->m : p->n)};
    int sweeps = 0, exponent;
    double least;

    t.g = lapack_memory_take(memory, t.m * t.m * sizeof(*t.g));
    t.v = lapack_memory_take(memory, t.n * t.n * sizeof(*t.v));
    t.norms = lapack_memory_take(memory, t.n * sizeof(*t.norms));
    if (!t.g || !t.v || !t.norms)
        return CUDA_ERROR_OUT_OF_MEMORY;
    load_tall(p, turned, &t);
    exponent = scale_down(t.g, t.m * t.n);
    set_identity(t.v, t.n);
    least = DBL_EPSILON * (double)t.m * norm_of(t.g, t.m * t.n);
    while (sweeps < SWEEPS_MOST && sweep_columns(&t, least))
        sweeps++;
    *info = sweeps < SWEEPS_MOST ? 0 : p->not_finite;
    make_unitary(&t, least);
    for (size_t j = 0; j < t.n; j++)
        lapack_set(p->type, p->s, (int64_t)j, ldexp(t.norms[j], exponent));
    if (p->jobu == 'N')
        return CUDA_SUCCESS;
    store_square(p->type, turned ? t.v : t.g, (size_t)p->m, p->u, p->ldu);
    store_square(p->type, turned ? t.g : t.v, (size_t)p->n, p->vt, p->ldvt);
    return CUDA_SUCCESS;
}

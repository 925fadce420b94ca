/* SPDX-License-Identifier: MIT */
/* The loops of typed.h for the type T, with CONJUGATE, MAGNITUDE and SQUARE_ROOT; the table is
 * TABLE. */
#include "typed.h"

#include <complex.h>
#include <math.h>
#include <string.h>

static inline T element(const struct sparse_view *view, int64_t k, bool conjugates)
{
    T value = ((const T *)view->values)[k];

    return conjugates ? CONJUGATE(value) : value;
}

#include "solve_body.h"

static void scale(void *x, const void *alpha, int64_t count)
{
    T factor = *(const T *)alpha, *values = x;

    for (int64_t i = 0; i < count; i++)
        values[i] *= factor;
}

static void gemm_row(const struct sparse_view *a, const struct sparse_view *b, int64_t row,
                     void *sums, const int64_t *indices, int64_t count, const void *alpha,
                     void *values)
{
    T factor = *(const T *)alpha, *sum = sums, *out = values;

    for (int64_t i = 0; i < count; i++)
        sum[indices[i]] = 0;
    for (int64_t k = sparse_view_offset(a, row); k < sparse_view_offset(a, row + 1); k++) {
        int64_t middle = sparse_view_index(a, k), end = sparse_view_offset(b, middle + 1);
        T value = element(a, k, false);

        for (int64_t l = sparse_view_offset(b, middle); l < end; l++)
            sum[sparse_view_index(b, l)] += value * element(b, l, false);
    }
    for (int64_t i = 0; i < count; i++)
        out[i] = factor * sum[indices[i]];
}

/* The place of element (row, column), or -1. Columns of a row may stand in any order. */
static int64_t place_of(const struct sparse_view *view, int64_t row, int64_t column)
{
    for (int64_t k = sparse_view_offset(view, row); k < sparse_view_offset(view, row + 1); k++)
        if (sparse_view_index(view, k) == column)
            return k;
    return -1;
}

static void boost_pivot(const struct sparse_boost *boost, T *pivot)
{
    T value = 0;

    if (!boost || !boost->enabled || (double)MAGNITUDE(*pivot) > boost->tolerance)
        return;
    memcpy(&value, boost->value, sizeof(value));
    *pivot = value;
}

/* Subtracts `factor` times what row `pivot_row` has behind its diagonal from the elements that row
 * r has. */
static void subtract_row(const struct sparse_view *view, T *values, int64_t r, int64_t pivot_row,
                         T factor)
{
    for (int64_t k = sparse_view_offset(view, pivot_row);
         k < sparse_view_offset(view, pivot_row + 1); k++) {
        int64_t c = sparse_view_index(view, k), at = c > pivot_row ? place_of(view, r, c) : -1;

        if (at >= 0)
            values[at] -= factor * values[k];
    }
}

static int64_t ilu0(const struct sparse_view *view, void *array, const struct sparse_boost *boost)
{
    int64_t zero = NO_PIVOT;
    T *values = array;

    for (int64_t r = 0; r < view->rows; r++) {
        int64_t at;

        for (int64_t k = sparse_view_offset(view, r); k < sparse_view_offset(view, r + 1); k++) {
            int64_t c = sparse_view_index(view, k);
            int64_t pivot = c < r ? place_of(view, c, c) : -1;

            if (pivot < 0)
                continue;
            values[k] /= values[pivot];
            subtract_row(view, values, r, c, values[k]);
        }
        at = place_of(view, r, r);
        if (at >= 0)
            boost_pivot(boost, &values[at]);
        if (zero == NO_PIVOT && (at < 0 || values[at] == 0))
            zero = r;
    }
    return zero;
}

/* The sum of products of rows r and c of the factor before column c. */
static T row_product(const struct sparse_view *view, const T *values, int64_t r, int64_t c)
{
    T sum = 0;

    for (int64_t k = sparse_view_offset(view, c); k < sparse_view_offset(view, c + 1); k++) {
        int64_t column = sparse_view_index(view, k);
        int64_t at = column < c ? place_of(view, r, column) : -1;

        if (at >= 0)
            sum += values[at] * CONJUGATE(values[k]);
    }
    return sum;
}

static int64_t ic0(const struct sparse_view *view, void *array)
{
    int64_t zero = NO_PIVOT;
    T *values = array;

    for (int64_t r = 0; r < view->rows; r++) {
        int64_t at;

        for (int64_t k = sparse_view_offset(view, r); k < sparse_view_offset(view, r + 1); k++) {
            int64_t c = sparse_view_index(view, k);
            int64_t pivot = c < r ? place_of(view, c, c) : -1;

            if (pivot >= 0)
                values[k] = (values[k] - row_product(view, values, r, c)) / values[pivot];
        }
        at = place_of(view, r, r);
        if (at >= 0) {
            values[at] -= row_product(view, values, r, r);
            if (zero == NO_PIVOT && !(REAL_PART(values[at]) > 0))
                zero = r;
            values[at] = SQUARE_ROOT(values[at]);
        } else if (zero == NO_PIVOT) {
            zero = r;
        }
    }
    return zero;
}

/* Gaussian elimination. With pivoting, a row may have a second element behind its diagonal. */
static void tridiagonal(int64_t n, int64_t step, const void *lower, const void *diagonal,
                        const void *upper, void *x, bool pivots, void *scratch)
{
    const T *dl = lower, *d0 = diagonal, *du0 = upper;
    T *d = scratch, *du = d + n, *du2 = du + n, *b = x;

    for (int64_t i = 0; i < n; i++) {
        d[i] = d0[i * step];
        du[i] = i + 1 < n ? du0[i * step] : 0;
        du2[i] = 0;
    }
    for (int64_t i = 0; i + 1 < n; i++) {
        T below = dl[(i + 1) * step], factor;

        if (pivots && MAGNITUDE(below) > MAGNITUDE(d[i])) {
            T right = d[i + 1], far = du[i + 1], value = b[i * step];

            factor = d[i] / below;
            d[i] = below;
            d[i + 1] = du[i] - factor * right;
            du[i] = right;
            du2[i] = far;
            du[i + 1] = -factor * far;
            b[i * step] = b[(i + 1) * step];
            b[(i + 1) * step] = value - factor * b[i * step];
        } else {
            factor = below / d[i];
            d[i + 1] -= factor * du[i];
            b[(i + 1) * step] -= factor * b[i * step];
        }
    }
    for (int64_t i = n - 1; i >= 0; i--) {
        T value = b[i * step];

        if (i + 1 < n)
            value -= du[i] * b[(i + 1) * step];
        if (i + 2 < n)
            value -= du2[i] * b[(i + 2) * step];
        b[i * step] = value / d[i];
    }
}

/* Subtracts from row i of the bands what eliminates its element before the diagonal in column p. */
static void eliminate_band(T *rows, int64_t n, int64_t i, int64_t p, T *b, int64_t step)
{
    T *row = rows + i * 5, *pivot = rows + p * 5, factor;
    int64_t shift = i - p;

    (void)n;
    factor = row[2 - shift] / pivot[2];
    for (int64_t j = 0; j < 3; j++)
        if (2 - shift + j < 5)
            row[2 - shift + j] -= factor * pivot[2 + j];
    b[i * step] -= factor * b[p * step];
}

static void pentadiagonal(int64_t n, int64_t step, const void *const bands[5], void *x,
                          void *scratch)
{
    T *rows = scratch, *b = x;

    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < 5; j++)
            rows[i * 5 + j] = i + j - 2 >= 0 && i + j - 2 < n ? ((const T *)bands[j])[i * step] : 0;
    for (int64_t i = 1; i < n; i++) {
        if (i >= 2)
            eliminate_band(rows, n, i, i - 2, b, step);
        eliminate_band(rows, n, i, i - 1, b, step);
    }
    for (int64_t i = n - 1; i >= 0; i--) {
        T value = b[i * step];

        for (int64_t j = 1; j <= 2 && i + j < n; j++)
            value -= rows[i * 5 + 2 + j] * b[(i + j) * step];
        b[i * step] = value / rows[i * 5 + 2];
    }
}

static void combine(void *out, const void *alpha, const void *x, const void *beta, const void *y)
{
    T sum = 0;

    if (x)
        sum += *(const T *)alpha * *(const T *)x;
    if (y)
        sum += *(const T *)beta * *(const T *)y;
    *(T *)out = sum;
}

static double magnitude(const void *x)
{
    return (double)MAGNITUDE(*(const T *)x);
}

const struct sparse_typed TABLE = {.solve_rows = solve_rows,
                                   .scale = scale,
                                   .gemm_row = gemm_row,
                                   .ilu0 = ilu0,
                                   .ic0 = ic0,
                                   .tridiagonal = tridiagonal,
                                   .pentadiagonal = pentadiagonal,
                                   .combine = combine,
                                   .magnitude = magnitude};

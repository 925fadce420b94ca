/* SPDX-License-Identifier: MIT */
/* LU without pivots: blocks of columns are factored column by column, and update what is right of
 * them by trsm and gemm. */
#include "lu_plain.h"

#include "number.h"

enum { BLOCK = 48 };

/* Divides the column below the pivot, and returns whether it is not zero. */
static int scale_column(enum openblas_type type, int64_t m, int64_t k, void *a, int64_t lda)
{
    double complex pivot = number_load(type, a, k + k * lda);

    if (pivot == 0)
        return 0;
    for (int64_t i = k + 1; i < m; i++)
        number_store(type, a, i + k * lda, number_load(type, a, i + k * lda) / pivot);
    return 1;
}

static openblas_int factor_block(enum openblas_type type, openblas_int m, openblas_int n, void *a,
                                 openblas_int lda)
{
    const openblas_int one = 1;
    openblas_int info = 0;

    for (openblas_int k = 0; k < n && k < m; k++) {
        const openblas_int rows = m - k - 1, columns = n - k - 1;
        const int64_t diagonal = k + (int64_t)k * lda;

        if (!scale_column(type, m, k, a, lda)) {
            info = info ? info : k + 1;
            continue;
        }
        if (rows == 0 || columns == 0)
            continue;
        (lapack_is_complex(type) ? openblas()->geru : openblas()->ger)[type](
            &rows, &columns, lapack_number(type, -1), lapack_at(type, a, diagonal + 1), &one,
            lapack_at(type, a, diagonal + lda), &lda, lapack_at(type, a, diagonal + lda + 1), &lda);
    }
    return info;
}

openblas_int lu_without_pivots(enum openblas_type type, openblas_int m, openblas_int n, void *a,
                               openblas_int lda)
{
    const openblas_int least = m < n ? m : n;
    openblas_int info = 0;

    for (openblas_int k = 0; k < least; k += BLOCK) {
        const openblas_int width = least - k < BLOCK ? least - k : BLOCK;
        const openblas_int below = m - k - width, right = n - k - width;
        const int64_t diagonal = k + (int64_t)k * lda;
        void *beside = lapack_at(type, a, diagonal + (int64_t)width * lda);
        openblas_int found = factor_block(type, m - k, width, lapack_at(type, a, diagonal), lda);

        if (found && !info)
            info = found + k;
        if (right <= 0)
            continue;
        openblas()->trsm[type]("L", "L", "N", "U", &width, &right, lapack_number(type, 1),
                               lapack_at(type, a, diagonal), &lda, beside, &lda, 1, 1, 1, 1);
        if (below > 0)
            openblas()->gemm[type]("N", "N", &below, &right, &width, lapack_number(type, -1),
                                   lapack_at(type, a, diagonal + width), &lda, beside, &lda,
                                   lapack_number(type, 1), lapack_at(type, beside, width), &lda, 1,
                                   1);
    }
    return info;
}

void lu_solve_without_pivots(enum openblas_type type, char trans, openblas_int n,
                             openblas_int columns, const void *a, openblas_int lda, void *b,
                             openblas_int ldb)
{
    openblas_trmm *trsm = openblas()->trsm[type];
    const char *first = trans == 'N' ? "L" : "U", *second = trans == 'N' ? "U" : "L";

    trsm("L", first, &trans, *first == 'L' ? "U" : "N", &n, &columns, lapack_number(type, 1), a,
         &lda, b, &ldb, 1, 1, 1, 1);
    trsm("L", second, &trans, *second == 'L' ? "U" : "N", &n, &columns, lapack_number(type, 1), a,
         &lda, b, &ldb, 1, 1, 1, 1);
}

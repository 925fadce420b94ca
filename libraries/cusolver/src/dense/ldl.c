/* SPDX-License-Identifier: MIT */
/* One column of L after the other, each of which updates the triangle behind it. */
#include "ldl.h"

#include "number.h"

openblas_int ldl_factor(enum openblas_type type, char uplo, openblas_int n, void *a,
                        openblas_int lda)
{
    /* Between elements of a column of L. */
    const openblas_int step = uplo == 'L' ? 1 : lda;
    openblas_int info = 0;

    for (openblas_int k = 0; k < n; k++) {
        const int64_t diagonal = k + (int64_t)k * lda;
        const openblas_int rest = n - k - 1;
        void *column = lapack_at(type, a, diagonal + step);
        double complex pivot = number_load(type, a, diagonal);
        double minus[2];

        if (pivot == 0 && !info)
            info = k + 1;
        for (openblas_int i = 0; i < rest; i++) {
            int64_t at = (int64_t)i * step;

            number_store(type, column, at, pivot == 0 ? 0 : number_load(type, column, at) / pivot);
        }
        if (pivot == 0 || rest == 0)
            continue;
        number_store(type, minus, 0, -pivot);
        openblas()->syr[type](&uplo, &rest, minus, column, &step,
                              lapack_at(type, a, diagonal + lda + 1), &lda, 1);
    }
    return info;
}

void ldl_solve(enum openblas_type type, char uplo, openblas_int n, openblas_int columns,
               const void *a, openblas_int lda, void *b, openblas_int ldb)
{
    openblas_trmm *trsm = openblas()->trsm[type];
    const char *forward = uplo == 'L' ? "N" : "T", *backward = uplo == 'L' ? "T" : "N";

    trsm("L", &uplo, forward, "U", &n, &columns, lapack_number(type, 1), a, &lda, b, &ldb, 1, 1, 1,
         1);
    for (openblas_int j = 0; j < columns; j++)
        for (openblas_int i = 0; i < n; i++) {
            int64_t at = i + (int64_t)j * ldb;

            number_store(type, b, at,
                         number_load(type, b, at) / number_load(type, a, i + (int64_t)i * lda));
        }
    trsm("L", &uplo, backward, "U", &n, &columns, lapack_number(type, 1), a, &lda, b, &ldb, 1, 1, 1,
         1);
}

/* SPDX-License-Identifier: MIT */
/* LU factors without pivots, which LAPACK does not have: getrf without an array for them. */
#ifndef CUSOLVER_LU_PLAIN_H
#define CUSOLVER_LU_PLAIN_H

#include "lapack.h"

/* Factors an m x n matrix. Returns the first pivot, from 1, that is zero; or 0. */
openblas_int lu_without_pivots(enum openblas_type type, openblas_int m, openblas_int n, void *a,
                               openblas_int lda);

/* Solves op(A) X = B in place of B with such factors. */
void lu_solve_without_pivots(enum openblas_type type, char trans, openblas_int n,
                             openblas_int columns, const void *a, openblas_int lda, void *b,
                             openblas_int ldb);

#endif

/* SPDX-License-Identifier: MIT */
/* Symmetric matrices as L * D * L^T without pivots; complex ones are not conjugated. L has a unit
 * diagonal, in whose place D stands; the upper triangle has L^T. */
#ifndef CUSOLVER_LDL_H
#define CUSOLVER_LDL_H

#include "lapack.h"

/* Factors in place. Returns the first pivot that is zero, from 1, or 0; its column of L is zero. */
openblas_int ldl_factor(enum openblas_type type, char uplo, openblas_int n, void *a,
                        openblas_int lda);

/* b = inverse of L * D * L^T times b, for `columns` columns. */
void ldl_solve(enum openblas_type type, char uplo, openblas_int n, openblas_int columns,
               const void *a, openblas_int lda, void *b, openblas_int ldb);

#endif

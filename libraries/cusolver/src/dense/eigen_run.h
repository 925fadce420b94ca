/* SPDX-License-Identifier: MIT */
/* Eigenvalues of one symmetric or Hermitian matrix, or of a pair with a positive definite one. */
#ifndef CUSOLVER_EIGEN_RUN_H
#define CUSOLVER_EIGEN_RUN_H

#include "lapack_memory.h"

#include <stdbool.h>

struct eigen_problem {
    enum openblas_type type;
    char job, range, uplo; /* range: 'A', 'I' or 'V' */
    openblas_int itype;    /* 1, 2 or 3 with B; 0 without */
    openblas_int n, lda, ldb, il, iu;
    openblas_int not_finite; /* the info for a matrix with numbers that are not finite */
    bool unsorted;           /* values in the order of Jacobi's method */
    double vl, vu;
    void *a, *b, *w; /* vectors replace A, the Cholesky factor replaces B */
};

/* Computes, and sets LAPACK's info and the number of eigenvalues. */
CUresult eigen_run(const struct eigen_problem *problem, struct lapack_memory *memory,
                   openblas_int *found, openblas_int *info);

#endif

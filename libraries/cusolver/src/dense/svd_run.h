/* SPDX-License-Identifier: MIT */
/* One singular value decomposition by LAPACK. */
#ifndef CUSOLVER_SVD_RUN_H
#define CUSOLVER_SVD_RUN_H

#include "lapack_memory.h"

#include <stdbool.h>

struct svd_problem {
    enum openblas_type type;
    char jobu, jobvt;        /* 'A', 'S', 'O' or 'N' */
    bool wants_v;            /* vt gets V, not its conjugate transposed */
    bool unsorted;           /* values in the order of Jacobi's method */
    bool keeps_a;            /* A stays as it is */
    openblas_int rank;       /* so many values and vectors are wanted; 0: all */
    openblas_int not_finite; /* the info for a matrix with numbers that are not finite */
    openblas_int m, n, lda, ldu, ldvt;
    void *a, *s, *u, *vt;
};

/* Computes, and sets LAPACK's info; a matrix with numbers that are not finite does not converge. */
CUresult svd_run(const struct svd_problem *problem, struct lapack_memory *memory,
                 openblas_int *info);

#endif

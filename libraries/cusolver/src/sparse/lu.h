/* SPDX-License-Identifier: MIT */
/* LU factors of a sparse square matrix: L U = A(p, q), column by column, after Gilbert and Peierls.
 * They serve for the solutions that cuSOLVER calls LU, QR and Cholesky. */
#ifndef CUSOLVER_SPARSE_LU_H
#define CUSOLVER_SPARSE_LU_H

#include "matrix.h"

enum sparse_pivots {
    SPARSE_PIVOTS_LARGEST,  /* the largest of the column, the diagonal if it is nearly as large */
    SPARSE_PIVOTS_DIAGONAL, /* the diagonal */
    SPARSE_PIVOTS_POSITIVE, /* the diagonal, which must be positive: Cholesky */
};

struct sparse_lu {
    int n;
    struct sparse_matrix l, u; /* columns; L has no diagonal, that of U stands last */
    int *row_at;               /* p: the row of A at each place */
    int *place_of;             /* its inverse; -1 for a row that has no place yet */
    int *column_at;            /* q */
    int singular_at;           /* the first place without a pivot; -1: none */
};

/* Factors a matrix in compressed columns. `order` is q, or NULL. `threshold` is how much smaller
 * than the largest the diagonal may be. If a pivot is missing, the factors cannot solve. Freed with
 * sparse_lu_free() in all cases. */
cusolverStatus_t sparse_lu_factor(const struct sparse_matrix *columns, const int *order,
                                  enum sparse_pivots pivots, double threshold,
                                  struct sparse_lu *lu);

/* Solves A x = b in place. `memory` has room for n numbers. */
void sparse_lu_solve(const struct sparse_lu *lu, double complex *x, double complex *memory);

/* The first place whose pivot is not larger than `tolerance`; -1: none. */
int sparse_lu_small_pivot(const struct sparse_lu *lu, double tolerance);

/* Safe for zero-initialised factors. */
void sparse_lu_free(struct sparse_lu *lu);

#endif

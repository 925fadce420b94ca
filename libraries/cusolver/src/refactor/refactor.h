/* SPDX-License-Identifier: MIT */
/* The object of cusolverRf and its computations. */
#ifndef CUSOLVER_REFACTOR_H
#define CUSOLVER_REFACTOR_H

#include "solver.h"

#include <cusolverRf.h>

struct cusolverRfCommon {
    struct lib_object base;
    cusolverRfMatrixFormat_t format;
    cusolverRfUnitDiagonal_t unit_diagonal;
    cusolverRfFactorization_t factorisation;
    cusolverRfTriangularSolve_t solution;
    cusolverRfResetValuesFastMode_t fast_mode;
    double zero, boost; /* pivots below `zero` become `boost`; 0: none */
    bool was_boosted;

    bool is_set, is_analysed, is_factored;
    int n, count, count_a, batch;
    int *start, *index, *diagonal; /* the pattern of M, and the place of each diagonal number */
    double *value;                 /* `count` numbers for each matrix */
    int *place;                    /* where each number of A stands in M */
    int *p, *q;
};

extern const struct lib_object_type refactor_type;

struct refactor_matrix {
    int count;
    const int *start, *index;
};

struct refactor_setup {
    int n, batch;
    struct refactor_matrix a, l, u;
    const double *const *values; /* of A, for each matrix of the batch */
    const int *p, *q;
};

/* Frees what a setup has allocated. */
void refactor_clear(void *handle);

/* All arrays are readable by the host. */
cusolverStatus_t refactor_set_up(cusolverRfHandle_t handle, const struct refactor_setup *setup);

void refactor_reset(cusolverRfHandle_t handle, int matrix, const double *values);

/* `places` and `memory` have room for n. */
int refactor_factor(cusolverRfHandle_t handle, int matrix, int *places);
void refactor_solve(cusolverRfHandle_t handle, int matrix, double *x, double *memory);

#endif

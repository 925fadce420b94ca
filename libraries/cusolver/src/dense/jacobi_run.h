/* SPDX-License-Identifier: MIT */
/* Jacobi's methods themselves, for programs that want eigenvalues and singular values in the order
 * in which rotations leave them. All types compute in double precision. */
#ifndef CUSOLVER_JACOBI_RUN_H
#define CUSOLVER_JACOBI_RUN_H

#include "eigen_run.h"
#include "svd_run.h"

/* Like eigen_run() for one matrix, and like svd_run() for V and all vectors or none. A matrix for
 * which the rotations do not end has the info of one that is not finite. */
CUresult jacobi_run_eigen(const struct eigen_problem *problem, struct lapack_memory *memory,
                          openblas_int *info);
CUresult jacobi_run_svd(const struct svd_problem *problem, struct lapack_memory *memory,
                        openblas_int *info);

#endif

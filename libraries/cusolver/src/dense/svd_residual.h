/* SPDX-License-Identifier: MIT */
/* What singular values and vectors leave of a matrix. */
#ifndef CUSOLVER_SVD_RESIDUAL_H
#define CUSOLVER_SVD_RESIDUAL_H

#include "svd_run.h"

/* The norm of A - U * S * V^H for a problem that was solved, kept A and wants V. */
double svd_residual(const struct svd_problem *problem);

#endif

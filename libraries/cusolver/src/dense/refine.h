/* SPDX-License-Identifier: MIT */
/* Parameters and results of iterative refinement: objects of programs. */
#ifndef CUSOLVER_REFINE_H
#define CUSOLVER_REFINE_H

#include "lapack.h"

#include <cusolverDn.h>
#include <stdbool.h>

/* Checks parameters; tells the type of the matrices, and whether the lowest precision is lower. */
cusolverStatus_t refine_params_check(cusolverDnIRSParams_t params, enum openblas_type *type,
                                     bool *mixed);

cusolverStatus_t refine_infos_check(cusolverDnIRSInfos_t infos);
void refine_infos_set(cusolverDnIRSInfos_t infos, cusolverDnIRSParams_t params, int iterations);

#endif

/* SPDX-License-Identifier: MIT */
/* Parameters of Jacobi's methods: objects of programs. */
#ifndef CUSOLVER_JACOBI_H
#define CUSOLVER_JACOBI_H

#include <cusolverDn.h>
#include <stdbool.h>

bool jacobi_is_svd(gesvdjInfo_t info);
bool jacobi_is_eigen(syevjInfo_t info);

/* Whether results are sorted; batches alone ask. */
bool jacobi_sorts_svd(gesvdjInfo_t info);
bool jacobi_sorts_eigen(syevjInfo_t info);

#endif

/* SPDX-License-Identifier: MIT */
/* Names of statuses, and the report of a wrong argument. */
#include "blas.h"
#include "status_names.h"

#include <stdio.h>

const char *cublasGetStatusName(cublasStatus_t status)
{
    return blas_status_name(status);
}

const char *cublasGetStatusString(cublasStatus_t status)
{
    return blas_status_text(status);
}

void cublasXerbla(const char *srName, int info)
{
    printf(" ** On entry to %s parameter number %d had an illegal value\n", srName ? srName : "",
           info);
    fflush(stdout);
}

cublasStatus_t blas_illegal(const char *routine, int parameter)
{
    printf(" ** On entry to %s  parameter number %d had an illegal value\n", routine, parameter);
    fflush(stdout);
    return CUBLAS_STATUS_INVALID_VALUE;
}

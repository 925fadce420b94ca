/* SPDX-License-Identifier: MIT */
/* The interface without handles. */
#include "test.h"

#include <cublas.h>

TEST(legacy_functions_compute_and_keep_the_error)
{
    const float host[] = {3, 4, 0, 0};
    float back[4], *x = NULL, *c = NULL;

    check_success(cuInit(0));
    check(cublasInit() == CUBLAS_STATUS_SUCCESS);
    check(cublasAlloc(0, 4, (void **)&x) == CUBLAS_STATUS_INVALID_VALUE);
    check(cublasAlloc(4, 4, (void **)&x) == CUBLAS_STATUS_SUCCESS);
    check(cublasAlloc(4, 4, (void **)&c) == CUBLAS_STATUS_SUCCESS);
    check(cublasSetVector(4, 4, host, 1, x, 1) == CUBLAS_STATUS_SUCCESS);
    check(cublasSnrm2(4, x, 1) == 5 && cublasIsamax(4, x, 1) == 2 && cublasSasum(4, x, 1) == 7);
    cublasSgemm('t', 'N', 2, 2, 2, 1, x, 2, x, 2, 0, c, 2);
    check(cublasGetError() == CUBLAS_STATUS_SUCCESS);
    check(cublasGetVector(4, 4, c, 1, back, 1) == CUBLAS_STATUS_SUCCESS);
    check(back[0] == 25 && back[1] == 0 && back[2] == 0 && back[3] == 0);
    cublasSgemm('X', 'n', 2, 2, 2, 1, x, 2, x, 2, 0, c, 2);
    check(cublasGetError() == CUBLAS_STATUS_INVALID_VALUE);
    check(cublasGetError() == CUBLAS_STATUS_SUCCESS);
    check(cublasFree(x) == CUBLAS_STATUS_SUCCESS && cublasFree(c) == CUBLAS_STATUS_SUCCESS);
    check(cublasShutdown() == CUBLAS_STATUS_SUCCESS);
}

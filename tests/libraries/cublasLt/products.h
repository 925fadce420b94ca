/* SPDX-License-Identifier: MIT */
/* A product of f32 matrices for tests: objects, memory of the device, and a plain loop. */
#ifndef PRODUCTS_H
#define PRODUCTS_H

#include "test.h"

#include <cublasLt.h>
#include <math.h>

enum { ROWS = 12, COLUMNS = 10, DEPTH = 9, A_COUNT = ROWS * DEPTH, B_COUNT = DEPTH * COLUMNS };
enum { D_COUNT = ROWS * COLUMNS };

#define check_status(call, expected)                                                               \
    do {                                                                                           \
        cublasStatus_t status_ = (call);                                                           \
        if (status_ != (expected))                                                                 \
            test_fail(__FILE__, __LINE__, "%s: %s", #call, cublasLtGetStatusName(status_));        \
    } while (0)
#define check_ok(call) check_status(call, CUBLAS_STATUS_SUCCESS)

struct products {
    cublasLtHandle_t handle;
    cublasLtMatmulDesc_t desc;
    cublasLtMatrixLayout_t a_layout, b_layout, d_layout;
    float a[A_COUNT], b[B_COUNT], d[D_COUNT];
    CUdeviceptr device_a, device_b, device_d, workspace;
};

enum { WORKSPACE_BYTES = 4 << 20 };

static inline CUdeviceptr upload(const void *data, size_t bytes)
{
    CUdeviceptr memory;

    check_success(cuMemAlloc(&memory, bytes));
    check_success(cuMemcpyHtoD(memory, data, bytes));
    return memory;
}

static inline void products_init(struct products *products)
{
    with_context();
    for (int i = 0; i < A_COUNT; i++)
        products->a[i] = (float)(i % 7 - 3);
    for (int i = 0; i < B_COUNT; i++)
        products->b[i] = (float)(i % 5 - 2) / 2;
    memset(products->d, 0, sizeof(products->d));
    products->device_a = upload(products->a, sizeof(products->a));
    products->device_b = upload(products->b, sizeof(products->b));
    products->device_d = upload(products->d, sizeof(products->d));
    check_success(cuMemAlloc(&products->workspace, WORKSPACE_BYTES));
    check_ok(cublasLtCreate(&products->handle));
    check_ok(cublasLtMatmulDescCreate(&products->desc, CUBLAS_COMPUTE_32F, CUDA_R_32F));
    check_ok(cublasLtMatrixLayoutCreate(&products->a_layout, CUDA_R_32F, ROWS, DEPTH, ROWS));
    check_ok(cublasLtMatrixLayoutCreate(&products->b_layout, CUDA_R_32F, DEPTH, COLUMNS, DEPTH));
    check_ok(cublasLtMatrixLayoutCreate(&products->d_layout, CUDA_R_32F, ROWS, COLUMNS, ROWS));
}

static inline void products_finish(struct products *products)
{
    check_ok(cublasLtMatrixLayoutDestroy(products->d_layout));
    check_ok(cublasLtMatrixLayoutDestroy(products->b_layout));
    check_ok(cublasLtMatrixLayoutDestroy(products->a_layout));
    check_ok(cublasLtMatmulDescDestroy(products->desc));
    check_ok(cublasLtDestroy(products->handle));
    check_success(cuMemFree(products->device_a));
    check_success(cuMemFree(products->device_b));
    check_success(cuMemFree(products->device_d));
    check_success(cuMemFree(products->workspace));
}

static inline void set_attribute(struct products *products, cublasLtMatmulDescAttributes_t id,
                                 const void *value, size_t bytes)
{
    check_ok(cublasLtMatmulDescSetAttribute(products->desc, id, value, bytes));
}

static inline cublasStatus_t multiply(struct products *products, const void *alpha,
                                      const void *beta, CUstream stream)
{
    return cublasLtMatmul(products->handle, products->desc, alpha, (void *)products->device_a,
                          products->a_layout, (void *)products->device_b, products->b_layout, beta,
                          (void *)products->device_d, products->d_layout,
                          (void *)products->device_d, products->d_layout, NULL,
                          (void *)products->workspace, WORKSPACE_BYTES, (cudaStream_t)stream);
}

/* An element of A * B. */
static inline double sum_at(const struct products *products, int row, int column)
{
    double sum = 0;

    for (int p = 0; p < DEPTH; p++)
        sum += (double)products->a[p * ROWS + row] * products->b[column * DEPTH + p];
    return sum;
}

static inline void check_near(double is, double wanted, const char *what)
{
    if (!(fabs(is - wanted) <= 1e-5 * (1 + fabs(wanted))))
        test_fail(__FILE__, __LINE__, "%s: %g, not %g", what, is, wanted);
}

#endif

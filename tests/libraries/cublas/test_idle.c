/* SPDX-License-Identifier: MIT */
/* Calls whose factors ask for nothing: alpha is 0 and the result is added to once. They succeed
 * without operands. So does, of factors in device memory, what the work finds to be nothing when
 * its turn comes; what it finds to be something fails then. */
#include "matrices.h"

enum { N = 4 };

static const float zero, one = 1;
static const double double_zero, double_one = 1;
static const cuDoubleComplex complex_zero, complex_one = {1, 0};

static void check_idle(cublasHandle_t handle)
{
    check_success(cuCtxSynchronize());
    check_blas(cublasDestroy(handle));
}

TEST(vectors)
{
    const float flags[5] = {-2};
    cublasHandle_t handle = new_handle();

    check_blas(cublasSaxpy(handle, N, &zero, NULL, 1, NULL, 1));
    check_blas(cublasZaxpy(handle, N, &complex_zero, NULL, 1, NULL, 1));
    check_blas(cublasSrotm(handle, N, NULL, 1, NULL, 1, flags));
    check_idle(handle);
}

TEST(updates_of_a_matrix_by_vectors)
{
    const cublasFillMode_t upper = CUBLAS_FILL_MODE_UPPER;
    cublasHandle_t handle = new_handle();

    check_blas(cublasSger(handle, N, N, &zero, NULL, 1, NULL, 1, NULL, N));
    check_blas(cublasZgerc(handle, N, N, &complex_zero, NULL, 1, NULL, 1, NULL, N));
    check_blas(cublasSsyr(handle, upper, N, &zero, NULL, 1, NULL, N));
    check_blas(cublasZher(handle, upper, N, &double_zero, NULL, 1, NULL, N));
    check_blas(cublasSspr(handle, upper, N, &zero, NULL, 1, NULL));
    check_blas(cublasSsyr2(handle, upper, N, &zero, NULL, 1, NULL, 1, NULL, N));
    check_blas(cublasZhpr2(handle, upper, N, &complex_zero, NULL, 1, NULL, 1, NULL));
    check_idle(handle);
}

TEST(products_of_a_matrix_and_a_vector)
{
    const cublasFillMode_t upper = CUBLAS_FILL_MODE_UPPER;
    cublasHandle_t handle = new_handle();

    check_blas(cublasSgemv(handle, CUBLAS_OP_N, N, N, &zero, NULL, N, NULL, 1, &one, NULL, 1));
    check_blas(
        cublasSgbmv(handle, CUBLAS_OP_N, N, N, 1, 1, &zero, NULL, N, NULL, 1, &one, NULL, 1));
    check_blas(cublasSsbmv(handle, upper, N, 1, &zero, NULL, N, NULL, 1, &one, NULL, 1));
    check_blas(cublasZhpmv(handle, upper, N, &complex_zero, NULL, NULL, 1, &complex_one, NULL, 1));
    check_idle(handle);
}

TEST(a_product_with_zero_needs_its_result_alone)
{
    cublasHandle_t handle = new_handle();
    CUdeviceptr y;
    float read[N];

    check_success(cuMemAlloc(&y, sizeof(read)));
    check_success(cuMemsetD32(y, 0x3f800000, N)); /* 1.0 */
    check_blas(cublasSgemv(handle, CUBLAS_OP_N, N, N, &zero, NULL, N, NULL, 1, &zero,
                           (float *)(uintptr_t)y, 1));
    check_success(cuMemcpyDtoH(read, y, sizeof(read)));
    for (int i = 0; i < N; i++)
        check(read[i] == 0);
    check_idle(handle);
}

TEST(products_of_matrices)
{
    const cublasFillMode_t upper = CUBLAS_FILL_MODE_UPPER;
    const cublasOperation_t op = CUBLAS_OP_N;
    cublasHandle_t handle = new_handle();

    check_blas(cublasSgemm(handle, op, op, N, N, N, &zero, NULL, N, NULL, N, &one, NULL, N));
    check_blas(cublasSgemm(handle, op, op, N, N, 0, &one, NULL, N, NULL, N, &one, NULL, N));
    check_blas(
        cublasSsymm(handle, CUBLAS_SIDE_LEFT, upper, N, N, &zero, NULL, N, NULL, N, &one, NULL, N));
    check_blas(cublasSsyrk(handle, upper, op, N, 0, &one, NULL, N, &one, NULL, N));
    check_blas(cublasZherk(handle, upper, op, N, N, &double_zero, NULL, N, &double_one, NULL, N));
    check_blas(cublasZher2k(handle, upper, op, N, N, &complex_zero, NULL, N, NULL, N, &double_one,
                            NULL, N));
    check_blas(cublasSgemmStridedBatched(handle, op, op, N, N, N, &zero, NULL, N, 0, NULL, N, 0,
                                         &one, NULL, N, N * N, 2));
    check_blas(
        cublasSgemmBatched(handle, op, op, N, N, N, &zero, NULL, N, NULL, N, &one, NULL, N, 2));
    check_blas(cublasGemmEx(handle, op, op, N, N, N, &zero, NULL, CUDA_R_16F, N, NULL, CUDA_R_16F,
                            N, &one, NULL, CUDA_R_16F, N, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
    check_idle(handle);
}

/* Factors in device memory: two zeros, a one, and rotm's flag. */
static float *device_factors(cublasHandle_t handle)
{
    const float values[8] = {0, 0, 1, -2};
    CUdeviceptr factors;

    check_blas(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE));
    check_success(cuMemAlloc(&factors, sizeof(values)));
    check_success(cuMemcpyHtoD(factors, values, sizeof(values)));
    return (float *)(uintptr_t)factors;
}

TEST(factors_in_device_memory)
{
    cublasHandle_t handle = new_handle();
    const float *factors = device_factors(handle);

    check_blas(cublasSaxpy(handle, N, factors, NULL, 1, NULL, 1));
    check_blas(cublasSger(handle, N, N, factors, NULL, 1, NULL, 1, NULL, N));
    check_blas(cublasSspr(handle, CUBLAS_FILL_MODE_UPPER, N, factors, NULL, 1, NULL));
    check_blas(cublasSrotm(handle, N, NULL, 1, NULL, 1, factors + 3));
    check_idle(handle);
}

static void check_fails_later(cublasStatus_t status)
{
    check(status == CUBLAS_STATUS_SUCCESS);
    check_result(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST(axpy_with_a_factor_and_no_vectors)
{
    cublasHandle_t handle = new_handle();
    const float *factors = device_factors(handle);

    check_fails_later(cublasSaxpy(handle, N, factors + 2, NULL, 1, NULL, 1));
}

TEST(ger_with_a_factor_and_no_operands)
{
    cublasHandle_t handle = new_handle();
    const float *factors = device_factors(handle);

    check_fails_later(cublasSger(handle, N, N, factors + 2, NULL, 1, NULL, 1, NULL, N));
}

/* A system without equations, or without unknowns, is solved, whatever the matrices are. */
TEST(least_squares_of_nothing_succeed)
{
    cublasHandle_t handle;
    int info = 77;

    with_context();
    handle = new_handle();
    check_blas(cublasDgelsBatched(handle, CUBLAS_OP_N, 0, 2, 1, NULL, 3, NULL, 3, &info, NULL, 1));
    check(info == 0);
    info = 77;
    check_blas(cublasDgelsBatched(handle, CUBLAS_OP_N, 3, 0, 1, NULL, 3, NULL, 3, &info, NULL, 1));
    check(info == 0);
    check_blas(cublasDestroy(handle));
}

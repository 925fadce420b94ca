/* SPDX-License-Identifier: MIT */
/* cublasXt: level 3 on operands in host memory. There is nothing to distribute: the functions of
 * cublas_v2.h compute in place, with a handle that takes any memory, and the call waits for them.
 */
#include "blas.h"
#include "driver.h"

#include <cublasXt.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_DIMENSION = 1024, BOARDS_MOST = 1024, OPERATION_TYPES = 4 };

struct cublasXtContext {
    struct lib_object base;
    cublasHandle_t blas; /* NULL before devices are selected */
    int block_dimension;
    cublasXtPinnedMemMode_t pinning;
};

static void finish(void *object)
{
    struct cublasXtContext *context = object;

    if (context->blas)
        cublasDestroy_v2(context->blas);
}

static const struct lib_object_type xt_type = {.bytes = sizeof(struct cublasXtContext),
                                               .finish = finish};

static bool is_handle(cublasXtHandle_t handle)
{
    return lib_object_is(handle, &xt_type);
}

cublasStatus_t cublasXtCreate(cublasXtHandle_t *handle)
{
    struct cublasXtContext *context;

    if (!handle)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (lib_ensure_context() != CUDA_SUCCESS)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    context = lib_object_create(&xt_type);
    if (!context)
        return CUBLAS_STATUS_ALLOC_FAILED;
    context->block_dimension = BLOCK_DIMENSION;
    *handle = context;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasXtDestroy(cublasXtHandle_t handle)
{
    return lib_object_destroy(handle, &xt_type) ? CUBLAS_STATUS_SUCCESS
                                                : CUBLAS_STATUS_NOT_INITIALIZED;
}

cublasStatus_t cublasXtDeviceSelect(cublasXtHandle_t handle, int nbDevices, int deviceId[])
{
    int devices = 0;

    if (!is_handle(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (nbDevices <= 0 || !deviceId)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (lib_driver()->device_get_count(&devices) != CUDA_SUCCESS)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    for (int i = 0; i < nbDevices; i++)
        if (deviceId[i] < 0 || deviceId[i] >= devices)
            return CUBLAS_STATUS_INVALID_VALUE;
    if (!handle->blas) {
        cublasStatus_t status = cublasCreate_v2(&handle->blas);

        if (status != CUBLAS_STATUS_SUCCESS)
            return status;
        handle->blas->takes_host_memory = true;
    }
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasXtMaxBoards(int *nbGpuBoards)
{
    if (!nbGpuBoards)
        return CUBLAS_STATUS_INVALID_VALUE;
    *nbGpuBoards = BOARDS_MOST;
    return CUBLAS_STATUS_SUCCESS;
}

/* Devices of cupipe are not on boards of several. */
cublasStatus_t cublasXtGetNumBoards(int nbDevices, int deviceId[], int *nbBoards)
{
    if (nbDevices < 0 || !deviceId || !nbBoards)
        return CUBLAS_STATUS_INVALID_VALUE;
    *nbBoards = 0;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasXtGetBlockDim(cublasXtHandle_t handle, int *blockDim)
{
    if (!is_handle(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!blockDim)
        return CUBLAS_STATUS_INVALID_VALUE;
    *blockDim = handle->block_dimension;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasXtSetBlockDim(cublasXtHandle_t handle, int blockDim)
{
    if (!is_handle(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (blockDim <= 0)
        return CUBLAS_STATUS_INVALID_VALUE;
    handle->block_dimension = blockDim;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasXtGetPinningMemMode(cublasXtHandle_t handle, cublasXtPinnedMemMode_t *mode)
{
    if (!is_handle(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!mode)
        return CUBLAS_STATUS_INVALID_VALUE;
    *mode = handle->pinning;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasXtSetPinningMemMode(cublasXtHandle_t handle, cublasXtPinnedMemMode_t mode)
{
    if (!is_handle(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if ((unsigned)mode > CUBLASXT_PINNING_ENABLED)
        return CUBLAS_STATUS_INVALID_VALUE;
    handle->pinning = mode;
    return CUBLAS_STATUS_SUCCESS;
}

/* The program's own BLAS, and its share: everything runs on the processor already. */
static cublasStatus_t check_routine(cublasXtHandle_t handle, cublasXtBlasOp_t op,
                                    cublasXtOpType_t type)
{
    if (!is_handle(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    return (unsigned)op < CUBLASXT_ROUTINE_MAX && (unsigned)type < OPERATION_TYPES
               ? CUBLAS_STATUS_SUCCESS
               : CUBLAS_STATUS_INVALID_VALUE;
}

cublasStatus_t cublasXtSetCpuRoutine(cublasXtHandle_t handle, cublasXtBlasOp_t blasOp,
                                     cublasXtOpType_t type, void *blasFunctor)
{
    (void)blasFunctor;
    return check_routine(handle, blasOp, type);
}

cublasStatus_t cublasXtSetCpuRatio(cublasXtHandle_t handle, cublasXtBlasOp_t blasOp,
                                   cublasXtOpType_t type, float ratio)
{
    (void)ratio;
    return check_routine(handle, blasOp, type);
}

/* The handle that computes, after earlier work on operands in device memory; or NULL. */
static cublasHandle_t begin(cublasXtHandle_t handle)
{
    if (!is_handle(handle) || !handle->blas || lib_ensure_context() != CUDA_SUCCESS)
        return NULL;
    lib_driver()->stream_synchronize(NULL);
    return handle->blas;
}

/* Waits for what was submitted. */
static cublasStatus_t end(cublasStatus_t status)
{
    if (status == CUBLAS_STATUS_SUCCESS && lib_driver()->stream_synchronize(NULL) != CUDA_SUCCESS)
        return CUBLAS_STATUS_EXECUTION_FAILED;
    return status;
}

/* The square matrix of a packed triangle, whose other triangle is not set; NULL without memory. */
static void *unpack(const void *packed, char uplo, size_t order, size_t bytes)
{
    char *square =
        order && order <= SIZE_MAX / order / bytes ? malloc(order * order * bytes) : NULL;
    const char *from = packed;

    for (size_t j = 0; square && j < order; j++) {
        size_t rows = uplo == 'U' ? j + 1 : order - j;

        memcpy(square + (j * order + (uplo == 'U' ? 0 : j)) * bytes, from, rows * bytes);
        from += rows * bytes;
    }
    return square;
}

#define XT_GEMM(T, t)                                                                              \
    cublasStatus_t cublasXt##T##gemm(cublasXtHandle_t handle, cublasOperation_t transa,            \
                                     cublasOperation_t transb, size_t m, size_t n, size_t k,       \
                                     const t *alpha, const t *A, size_t lda, const t *B,           \
                                     size_t ldb, const t *beta, t *C, size_t ldc)                  \
    {                                                                                              \
        return end(cublas##T##gemm_v2_64(begin(handle), transa, transb, (int64_t)m, (int64_t)n,    \
                                         (int64_t)k, alpha, A, (int64_t)lda, B, (int64_t)ldb,      \
                                         beta, C, (int64_t)ldc));                                  \
    }

#define XT_SYMM(T, sy, t)                                                                          \
    cublasStatus_t cublasXt##T##sy##mm(cublasXtHandle_t handle, cublasSideMode_t side,             \
                                       cublasFillMode_t uplo, size_t m, size_t n, const t *alpha,  \
                                       const t *A, size_t lda, const t *B, size_t ldb,             \
                                       const t *beta, t *C, size_t ldc)                            \
    {                                                                                              \
        return end(cublas##T##sy##mm_v2_64(begin(handle), side, uplo, (int64_t)m, (int64_t)n,      \
                                           alpha, A, (int64_t)lda, B, (int64_t)ldb, beta, C,       \
                                           (int64_t)ldc));                                         \
    }

#define XT_SYRK(T, sy, t, scalar)                                                                  \
    cublasStatus_t cublasXt##T##sy##rk(cublasXtHandle_t handle, cublasFillMode_t uplo,             \
                                       cublasOperation_t trans, size_t n, size_t k,                \
                                       const scalar *alpha, const t *A, size_t lda,                \
                                       const scalar *beta, t *C, size_t ldc)                       \
    {                                                                                              \
        return end(cublas##T##sy##rk_v2_64(begin(handle), uplo, trans, (int64_t)n, (int64_t)k,     \
                                           alpha, A, (int64_t)lda, beta, C, (int64_t)ldc));        \
    }

#define XT_SYR2K(T, name, function, t, scalar)                                                     \
    cublasStatus_t cublasXt##T##name(cublasXtHandle_t handle, cublasFillMode_t uplo,               \
                                     cublasOperation_t trans, size_t n, size_t k, const t *alpha,  \
                                     const t *A, size_t lda, const t *B, size_t ldb,               \
                                     const scalar *beta, t *C, size_t ldc)                         \
    {                                                                                              \
        return end(cublas##T##function(begin(handle), uplo, trans, (int64_t)n, (int64_t)k, alpha,  \
                                       A, (int64_t)lda, B, (int64_t)ldb, beta, C, (int64_t)ldc));  \
    }

#define XT_TRIANGULAR(T, t)                                                                        \
    cublasStatus_t cublasXt##T##trsm(cublasXtHandle_t handle, cublasSideMode_t side,               \
                                     cublasFillMode_t uplo, cublasOperation_t trans,               \
                                     cublasDiagType_t diag, size_t m, size_t n, const t *alpha,    \
                                     const t *A, size_t lda, t *B, size_t ldb)                     \
    {                                                                                              \
        return end(cublas##T##trsm_v2_64(begin(handle), side, uplo, trans, diag, (int64_t)m,       \
                                         (int64_t)n, alpha, A, (int64_t)lda, B, (int64_t)ldb));    \
    }                                                                                              \
    cublasStatus_t cublasXt##T##trmm(                                                              \
        cublasXtHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,                     \
        cublasOperation_t trans, cublasDiagType_t diag, size_t m, size_t n, const t *alpha,        \
        const t *A, size_t lda, const t *B, size_t ldb, t *C, size_t ldc)                          \
    {                                                                                              \
        return end(cublas##T##trmm_v2_64(begin(handle), side, uplo, trans, diag, (int64_t)m,       \
                                         (int64_t)n, alpha, A, (int64_t)lda, B, (int64_t)ldb, C,   \
                                         (int64_t)ldc));                                           \
    }

#define XT_SPMM(T, t)                                                                              \
    cublasStatus_t cublasXt##T##spmm(                                                              \
        cublasXtHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, size_t m, size_t n, \
        const t *alpha, const t *AP, const t *B, size_t ldb, const t *beta, t *C, size_t ldc)      \
    {                                                                                              \
        cublasHandle_t blas = begin(handle);                                                       \
        size_t order = side == CUBLAS_SIDE_LEFT ? m : n;                                           \
        t *A =                                                                                     \
            blas && AP && blas_uplo(uplo) ? unpack(AP, blas_uplo(uplo), order, sizeof(t)) : NULL;  \
        cublasStatus_t status = cublas##T##symm_v2_64(blas, side, uplo, (int64_t)m, (int64_t)n,    \
                                                      alpha, A, (int64_t)(order ? order : 1), B,   \
                                                      (int64_t)ldb, beta, C, (int64_t)ldc);        \
                                                                                                   \
        status = end(status);                                                                      \
        free(A);                                                                                   \
        return status;                                                                             \
    }

#define XT(T, t)                                                                                   \
    XT_GEMM(T, t)                                                                                  \
    XT_SYMM(T, sy, t)                                                                              \
    XT_SYRK(T, sy, t, t)                                                                           \
    XT_SYR2K(T, syr2k, syr2k_v2_64, t, t)                                                          \
    XT_SYR2K(T, syrkx, syrkx_64, t, t)                                                             \
    XT_TRIANGULAR(T, t)                                                                            \
    XT_SPMM(T, t)

#define XT_HERMITIAN(T, t, real)                                                                   \
    XT_SYMM(T, he, t)                                                                              \
    XT_SYRK(T, he, t, real)                                                                        \
    XT_SYR2K(T, her2k, her2k_v2_64, t, real)                                                       \
    XT_SYR2K(T, herkx, herkx_64, t, real)

XT(S, float)
XT(D, double)
XT(C, cuComplex)
XT(Z, cuDoubleComplex)
XT_HERMITIAN(C, cuComplex, float)
XT_HERMITIAN(Z, cuDoubleComplex, double)

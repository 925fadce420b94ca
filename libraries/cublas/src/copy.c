/* SPDX-License-Identifier: MIT */
/* Copies of vectors and matrices between the host and the device: columns, or single elements with
 * their increments, as copies of two dimensions. */
#include "blas.h"
#include "driver.h"

static CUresult copy_rows(const void *from, size_t from_pitch, void *to, size_t to_pitch,
                          size_t bytes, size_t rows, CUstream stream)
{
    const CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_UNIFIED,
                                .srcDevice = (CUdeviceptr)(uintptr_t)from,
                                .srcPitch = from_pitch,
                                .dstMemoryType = CU_MEMORYTYPE_UNIFIED,
                                .dstDevice = (CUdeviceptr)(uintptr_t)to,
                                .dstPitch = to_pitch,
                                .WidthInBytes = bytes,
                                .Height = rows};

    if (rows == 1 || (from_pitch == bytes && to_pitch == bytes))
        return lib_driver()->memory_copy_async((CUdeviceptr)(uintptr_t)to,
                                               (CUdeviceptr)(uintptr_t)from, bytes * rows, stream);
    return lib_driver()->memory_copy_2d_async(&copy, stream);
}

static cublasStatus_t copy(const void *from, int64_t from_step, void *to, int64_t to_step,
                           int64_t length, int64_t rows, int64_t bytes, CUstream stream, bool waits)
{
    CUresult result;

    if (length == 0 || rows == 0)
        return CUBLAS_STATUS_SUCCESS;
    if (lib_ensure_context() != CUDA_SUCCESS)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    result = copy_rows(from, (size_t)(from_step * bytes), to, (size_t)(to_step * bytes),
                       (size_t)(length * bytes), (size_t)rows, stream);
    if (result == CUDA_SUCCESS && waits)
        result = lib_driver()->stream_synchronize(stream);
    return result == CUDA_SUCCESS ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_MAPPING_ERROR;
}

static cublasStatus_t copy_vector(int64_t n, int64_t bytes, const void *from, int64_t from_step,
                                  void *to, int64_t to_step, CUstream stream, bool waits)
{
    if (bytes <= 0 || from_step <= 0 || to_step <= 0)
        return CUBLAS_STATUS_INVALID_VALUE;
    return copy(from, from_step, to, to_step, 1, blas_max(n, 0), bytes, stream, waits);
}

static cublasStatus_t copy_matrix(int64_t rows, int64_t columns, int64_t bytes, const void *from,
                                  int64_t from_ld, void *to, int64_t to_ld, CUstream stream,
                                  bool waits)
{
    if (rows < 0 || columns < 0 || bytes <= 0 || from_ld <= 0 || to_ld <= 0)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (columns > 0 && (from_ld < rows || to_ld < rows))
        return CUBLAS_STATUS_MAPPING_ERROR;
    return copy(from, from_ld, to, to_ld, rows, columns, bytes, stream, waits);
}

cublasStatus_t cublasSetVector_64(int64_t n, int64_t elemSize, const void *x, int64_t incx,
                                  void *devicePtr, int64_t incy)
{
    return copy_vector(n, elemSize, x, incx, devicePtr, incy, NULL, true);
}

cublasStatus_t cublasGetVector_64(int64_t n, int64_t elemSize, const void *x, int64_t incx, void *y,
                                  int64_t incy)
{
    return copy_vector(n, elemSize, x, incx, y, incy, NULL, true);
}

cublasStatus_t cublasSetMatrix_64(int64_t rows, int64_t cols, int64_t elemSize, const void *A,
                                  int64_t lda, void *B, int64_t ldb)
{
    return copy_matrix(rows, cols, elemSize, A, lda, B, ldb, NULL, true);
}

cublasStatus_t cublasGetMatrix_64(int64_t rows, int64_t cols, int64_t elemSize, const void *A,
                                  int64_t lda, void *B, int64_t ldb)
{
    return copy_matrix(rows, cols, elemSize, A, lda, B, ldb, NULL, true);
}

cublasStatus_t cublasSetVectorAsync_64(int64_t n, int64_t elemSize, const void *hostPtr,
                                       int64_t incx, void *devicePtr, int64_t incy,
                                       cudaStream_t stream)
{
    return copy_vector(n, elemSize, hostPtr, incx, devicePtr, incy, (CUstream)stream, false);
}

cublasStatus_t cublasGetVectorAsync_64(int64_t n, int64_t elemSize, const void *devicePtr,
                                       int64_t incx, void *hostPtr, int64_t incy,
                                       cudaStream_t stream)
{
    return copy_vector(n, elemSize, devicePtr, incx, hostPtr, incy, (CUstream)stream, false);
}

cublasStatus_t cublasSetMatrixAsync_64(int64_t rows, int64_t cols, int64_t elemSize, const void *A,
                                       int64_t lda, void *B, int64_t ldb, cudaStream_t stream)
{
    return copy_matrix(rows, cols, elemSize, A, lda, B, ldb, (CUstream)stream, false);
}

cublasStatus_t cublasGetMatrixAsync_64(int64_t rows, int64_t cols, int64_t elemSize, const void *A,
                                       int64_t lda, void *B, int64_t ldb, cudaStream_t stream)
{
    return copy_matrix(rows, cols, elemSize, A, lda, B, ldb, (CUstream)stream, false);
}

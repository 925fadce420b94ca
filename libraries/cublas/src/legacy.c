/* SPDX-License-Identifier: MIT */
/* cuBLAS without handles. One handle of the process, made when it is first needed, does the work;
 * letters say the operations; the last error waits for cublasGetError(). */
#include "blas.h"
#include "driver.h"

#include <cublas.h>
#include <pthread.h>

enum { NOT_A_VALUE = 99 }; /* what the functions with handles report by its number */

static struct {
    cublasHandle_t handle;
    cublasStatus_t error;
} state; /* guarded by lock */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static cublasHandle_t the_handle(void)
{
    cublasHandle_t handle;

    pthread_mutex_lock(&lock);
    if (!state.handle && cublasCreate_v2(&state.handle) != CUBLAS_STATUS_SUCCESS)
        state.handle = NULL;
    handle = state.handle;
    pthread_mutex_unlock(&lock);
    return handle;
}

static void note(cublasStatus_t status)
{
    if (status == CUBLAS_STATUS_SUCCESS)
        return;
    pthread_mutex_lock(&lock);
    state.error = status;
    pthread_mutex_unlock(&lock);
}

cublasStatus cublasGetError(void)
{
    cublasStatus_t error;

    pthread_mutex_lock(&lock);
    error = state.error;
    state.error = CUBLAS_STATUS_SUCCESS;
    pthread_mutex_unlock(&lock);
    return error;
}

cublasStatus cublasInit(void)
{
    return the_handle() ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_INITIALIZED;
}

cublasStatus cublasShutdown(void)
{
    cublasHandle_t handle;

    pthread_mutex_lock(&lock);
    handle = state.handle;
    state.handle = NULL;
    pthread_mutex_unlock(&lock);
    if (handle)
        cublasDestroy_v2(handle);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus cublasGetVersion(int *version)
{
    return cublasGetVersion_v2(NULL, version);
}

cublasStatus cublasSetKernelStream(cudaStream_t stream)
{
    return cublasSetStream_v2(the_handle(), stream);
}

cublasStatus cublasAlloc(int n, int elemSize, void **devicePtr)
{
    CUdeviceptr memory = 0;

    if (n <= 0 || elemSize <= 0 || !devicePtr)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (lib_ensure_context() != CUDA_SUCCESS)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (lib_driver()->memory_alloc(&memory, (size_t)n * (size_t)elemSize) != CUDA_SUCCESS)
        return CUBLAS_STATUS_ALLOC_FAILED;
    *devicePtr = (void *)(uintptr_t)memory;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus cublasFree(void *devicePtr)
{
    if (!devicePtr)
        return CUBLAS_STATUS_SUCCESS;
    if (lib_ensure_context() != CUDA_SUCCESS)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    return lib_driver()->memory_free((CUdeviceptr)(uintptr_t)devicePtr) == CUDA_SUCCESS
               ? CUBLAS_STATUS_SUCCESS
               : CUBLAS_STATUS_INTERNAL_ERROR;
}

static int choose(char letter, char first, char second, char third)
{
    char upper = letter >= 'a' && letter <= 'z' ? (char)(letter - 'a' + 'A') : letter;

    return upper == first ? 0 : upper == second ? 1 : upper == third ? 2 : NOT_A_VALUE;
}

static cublasOperation_t op(char letter)
{
    return (cublasOperation_t)choose(letter, 'N', 'T', 'C');
}

static cublasFillMode_t fill(char letter)
{
    return (cublasFillMode_t)choose(letter, 'L', 'U', 'U');
}

static cublasSideMode_t side_of(char letter)
{
    return (cublasSideMode_t)choose(letter, 'L', 'R', 'R');
}

static cublasDiagType_t diag_of(char letter)
{
    return (cublasDiagType_t)choose(letter, 'N', 'U', 'U');
}

#define LEVEL1(T, R, r, t, real)                                                                   \
    int cublasI##r##amax(int n, const t *x, int incx)                                              \
    {                                                                                              \
        int result = 0;                                                                            \
                                                                                                   \
        note(cublasI##r##amax_v2(the_handle(), n, x, incx, &result));                              \
        return result;                                                                             \
    }                                                                                              \
    int cublasI##r##amin(int n, const t *x, int incx)                                              \
    {                                                                                              \
        int result = 0;                                                                            \
                                                                                                   \
        note(cublasI##r##amin_v2(the_handle(), n, x, incx, &result));                              \
        return result;                                                                             \
    }                                                                                              \
    real cublas##R##asum(int n, const t *x, int incx)                                              \
    {                                                                                              \
        real result = 0;                                                                           \
                                                                                                   \
        note(cublas##R##asum_v2_64(the_handle(), n, x, incx, &result));                            \
        return result;                                                                             \
    }                                                                                              \
    real cublas##R##nrm2(int n, const t *x, int incx)                                              \
    {                                                                                              \
        real result = 0;                                                                           \
                                                                                                   \
        note(cublas##R##nrm2_v2_64(the_handle(), n, x, incx, &result));                            \
        return result;                                                                             \
    }                                                                                              \
    void cublas##T##axpy(int n, t alpha, const t *x, int incx, t *y, int incy)                     \
    {                                                                                              \
        note(cublas##T##axpy_v2_64(the_handle(), n, &alpha, x, incx, y, incy));                    \
    }                                                                                              \
    void cublas##T##copy(int n, const t *x, int incx, t *y, int incy)                              \
    {                                                                                              \
        note(cublas##T##copy_v2_64(the_handle(), n, x, incx, y, incy));                            \
    }                                                                                              \
    void cublas##T##swap(int n, t *x, int incx, t *y, int incy)                                    \
    {                                                                                              \
        note(cublas##T##swap_v2_64(the_handle(), n, x, incx, y, incy));                            \
    }                                                                                              \
    void cublas##T##scal(int n, t alpha, t *x, int incx)                                           \
    {                                                                                              \
        note(cublas##T##scal_v2_64(the_handle(), n, &alpha, x, incx));                             \
    }                                                                                              \
    void cublas##T##rot(int n, t *x, int incx, t *y, int incy, real c, t s)                        \
    {                                                                                              \
        note(cublas##T##rot_v2_64(the_handle(), n, x, incx, y, incy, &c, &s));                     \
    }

#define DOT(name, t)                                                                               \
    t name(int n, const t *x, int incx, const t *y, int incy)                                      \
    {                                                                                              \
        t result[1] = {0};                                                                         \
                                                                                                   \
        note(name##_v2_64(the_handle(), n, x, incx, y, incy, result));                             \
        return result[0];                                                                          \
    }

#define COMPLEX_DOT(name, t)                                                                       \
    t name(int n, const t *x, int incx, const t *y, int incy)                                      \
    {                                                                                              \
        t result = {0, 0};                                                                         \
                                                                                                   \
        note(name##_v2_64(the_handle(), n, x, incx, y, incy, &result));                            \
        return result;                                                                             \
    }

#define REAL_ROTATIONS(T, t)                                                                       \
    void cublas##T##rotg(t *a, t *b, t *c, t *s)                                                   \
    {                                                                                              \
        note(cublas##T##rotg_v2(the_handle(), a, b, c, s));                                        \
    }                                                                                              \
    void cublas##T##rotm(int n, t *x, int incx, t *y, int incy, const t *param)                    \
    {                                                                                              \
        note(cublas##T##rotm_v2_64(the_handle(), n, x, incx, y, incy, param));                     \
    }                                                                                              \
    void cublas##T##rotmg(t *d1, t *d2, t *x1, const t *y1, t *param)                              \
    {                                                                                              \
        note(cublas##T##rotmg_v2(the_handle(), d1, d2, x1, y1, param));                            \
    }

#define COMPLEX_LEVEL1(T, mixed, t, real)                                                          \
    void cublas##T##rotg(t *a, t b, real *c, t *s)                                                 \
    {                                                                                              \
        note(cublas##T##rotg_v2(the_handle(), a, &b, c, s));                                       \
    }                                                                                              \
    void cublas##mixed##scal(int n, real alpha, t *x, int incx)                                    \
    {                                                                                              \
        note(cublas##mixed##scal_v2_64(the_handle(), n, &alpha, x, incx));                         \
    }                                                                                              \
    void cublas##mixed##rot(int n, t *x, int incx, t *y, int incy, real c, real s)                 \
    {                                                                                              \
        note(cublas##mixed##rot_v2_64(the_handle(), n, x, incx, y, incy, &c, &s));                 \
    }

LEVEL1(S, S, s, float, float)
LEVEL1(D, D, d, double, double)
LEVEL1(C, Sc, c, cuComplex, float)
LEVEL1(Z, Dz, z, cuDoubleComplex, double)
DOT(cublasSdot, float)
DOT(cublasDdot, double)
COMPLEX_DOT(cublasCdotu, cuComplex)
COMPLEX_DOT(cublasCdotc, cuComplex)
COMPLEX_DOT(cublasZdotu, cuDoubleComplex)
COMPLEX_DOT(cublasZdotc, cuDoubleComplex)
REAL_ROTATIONS(S, float)
REAL_ROTATIONS(D, double)
COMPLEX_LEVEL1(C, Cs, cuComplex, float)
COMPLEX_LEVEL1(Z, Zd, cuDoubleComplex, double)

#define TRIANGULAR(T, t, kind)                                                                     \
    void cublas##T##tr##kind(char uplo, char trans, char diag, int n, const t *A, int lda, t *x,   \
                             int incx)                                                             \
    {                                                                                              \
        note(cublas##T##tr##kind##_v2_64(the_handle(), fill(uplo), op(trans), diag_of(diag), n, A, \
                                         lda, x, incx));                                           \
    }                                                                                              \
    void cublas##T##tb##kind(char uplo, char trans, char diag, int n, int k, const t *A, int lda,  \
                             t *x, int incx)                                                       \
    {                                                                                              \
        note(cublas##T##tb##kind##_v2_64(the_handle(), fill(uplo), op(trans), diag_of(diag), n, k, \
                                         A, lda, x, incx));                                        \
    }                                                                                              \
    void cublas##T##tp##kind(char uplo, char trans, char diag, int n, const t *AP, t *x, int incx) \
    {                                                                                              \
        note(cublas##T##tp##kind##_v2_64(the_handle(), fill(uplo), op(trans), diag_of(diag), n,    \
                                         AP, x, incx));                                            \
    }

#define GENERAL(T, t)                                                                              \
    void cublas##T##gemv(char trans, int m, int n, t alpha, const t *A, int lda, const t *x,       \
                         int incx, t beta, t *y, int incy)                                         \
    {                                                                                              \
        note(cublas##T##gemv_v2_64(the_handle(), op(trans), m, n, &alpha, A, lda, x, incx, &beta,  \
                                   y, incy));                                                      \
    }                                                                                              \
    void cublas##T##gbmv(char trans, int m, int n, int kl, int ku, t alpha, const t *A, int lda,   \
                         const t *x, int incx, t beta, t *y, int incy)                             \
    {                                                                                              \
        note(cublas##T##gbmv_v2_64(the_handle(), op(trans), m, n, kl, ku, &alpha, A, lda, x, incx, \
                                   &beta, y, incy));                                               \
    }

#define GER(name, t)                                                                               \
    void name(int m, int n, t alpha, const t *x, int incx, const t *y, int incy, t *A, int lda)    \
    {                                                                                              \
        note(name##_v2_64(the_handle(), m, n, &alpha, x, incx, y, incy, A, lda));                  \
    }

/* The symmetric ones of real types, the Hermitian ones of complex types. */
#define SYMMETRIC(T, sy, sb, sp, t, scalar)                                                        \
    void cublas##T##sy##mv(char uplo, int n, t alpha, const t *A, int lda, const t *x, int incx,   \
                           t beta, t *y, int incy)                                                 \
    {                                                                                              \
        note(cublas##T##sy##mv_v2_64(the_handle(), fill(uplo), n, &alpha, A, lda, x, incx, &beta,  \
                                     y, incy));                                                    \
    }                                                                                              \
    void cublas##T##sb##mv(char uplo, int n, int k, t alpha, const t *A, int lda, const t *x,      \
                           int incx, t beta, t *y, int incy)                                       \
    {                                                                                              \
        note(cublas##T##sb##mv_v2_64(the_handle(), fill(uplo), n, k, &alpha, A, lda, x, incx,      \
                                     &beta, y, incy));                                             \
    }                                                                                              \
    void cublas##T##sp##mv(char uplo, int n, t alpha, const t *AP, const t *x, int incx, t beta,   \
                           t *y, int incy)                                                         \
    {                                                                                              \
        note(cublas##T##sp##mv_v2_64(the_handle(), fill(uplo), n, &alpha, AP, x, incx, &beta, y,   \
                                     incy));                                                       \
    }                                                                                              \
    void cublas##T##sy##r(char uplo, int n, scalar alpha, const t *x, int incx, t *A, int lda)     \
    {                                                                                              \
        note(cublas##T##sy##r_v2_64(the_handle(), fill(uplo), n, &alpha, x, incx, A, lda));        \
    }                                                                                              \
    void cublas##T##sp##r(char uplo, int n, scalar alpha, const t *x, int incx, t *AP)             \
    {                                                                                              \
        note(cublas##T##sp##r_v2_64(the_handle(), fill(uplo), n, &alpha, x, incx, AP));            \
    }                                                                                              \
    void cublas##T##sy##r2(char uplo, int n, t alpha, const t *x, int incx, const t *y, int incy,  \
                           t *A, int lda)                                                          \
    {                                                                                              \
        note(cublas##T##sy##r2_v2_64(the_handle(), fill(uplo), n, &alpha, x, incx, y, incy, A,     \
                                     lda));                                                        \
    }                                                                                              \
    void cublas##T##sp##r2(char uplo, int n, t alpha, const t *x, int incx, const t *y, int incy,  \
                           t *AP)                                                                  \
    {                                                                                              \
        note(cublas##T##sp##r2_v2_64(the_handle(), fill(uplo), n, &alpha, x, incx, y, incy, AP));  \
    }

#define LEVEL3(T, t)                                                                               \
    void cublas##T##gemm(char transa, char transb, int m, int n, int k, t alpha, const t *A,       \
                         int lda, const t *B, int ldb, t beta, t *C, int ldc)                      \
    {                                                                                              \
        note(cublas##T##gemm_v2_64(the_handle(), op(transa), op(transb), m, n, k, &alpha, A, lda,  \
                                   B, ldb, &beta, C, ldc));                                        \
    }                                                                                              \
    void cublas##T##trsm(char side, char uplo, char trans, char diag, int m, int n, t alpha,       \
                         const t *A, int lda, t *B, int ldb)                                       \
    {                                                                                              \
        note(cublas##T##trsm_v2_64(the_handle(), side_of(side), fill(uplo), op(trans),             \
                                   diag_of(diag), m, n, &alpha, A, lda, B, ldb));                  \
    }                                                                                              \
    void cublas##T##trmm(char side, char uplo, char trans, char diag, int m, int n, t alpha,       \
                         const t *A, int lda, t *B, int ldb)                                       \
    {                                                                                              \
        note(cublas##T##trmm_v2_64(the_handle(), side_of(side), fill(uplo), op(trans),             \
                                   diag_of(diag), m, n, &alpha, A, lda, B, ldb, B, ldb));          \
    }

#define LEVEL3_SYMMETRIC(T, sy, t, alpha_k, beta_k, beta_2k)                                       \
    void cublas##T##sy##mm(char side, char uplo, int m, int n, t alpha, const t *A, int lda,       \
                           const t *B, int ldb, t beta, t *C, int ldc)                             \
    {                                                                                              \
        note(cublas##T##sy##mm_v2_64(the_handle(), side_of(side), fill(uplo), m, n, &alpha, A,     \
                                     lda, B, ldb, &beta, C, ldc));                                 \
    }                                                                                              \
    void cublas##T##sy##rk(char uplo, char trans, int n, int k, alpha_k alpha, const t *A,         \
                           int lda, beta_k beta, t *C, int ldc)                                    \
    {                                                                                              \
        note(cublas##T##sy##rk_v2_64(the_handle(), fill(uplo), op(trans), n, k, &alpha, A, lda,    \
                                     &beta, C, ldc));                                              \
    }                                                                                              \
    void cublas##T##sy##r2k(char uplo, char trans, int n, int k, t alpha, const t *A, int lda,     \
                            const t *B, int ldb, beta_2k beta, t *C, int ldc)                      \
    {                                                                                              \
        note(cublas##T##sy##r2k_v2_64(the_handle(), fill(uplo), op(trans), n, k, &alpha, A, lda,   \
                                      B, ldb, &beta, C, ldc));                                     \
    }

#define ALL_TYPES(T, t)                                                                            \
    GENERAL(T, t)                                                                                  \
    TRIANGULAR(T, t, mv)                                                                           \
    TRIANGULAR(T, t, sv)                                                                           \
    LEVEL3(T, t)                                                                                   \
    LEVEL3_SYMMETRIC(T, sy, t, t, t, t)

ALL_TYPES(S, float)
ALL_TYPES(D, double)
ALL_TYPES(C, cuComplex)
ALL_TYPES(Z, cuDoubleComplex)
GER(cublasSger, float)
GER(cublasDger, double)
GER(cublasCgeru, cuComplex)
GER(cublasCgerc, cuComplex)
GER(cublasZgeru, cuDoubleComplex)
GER(cublasZgerc, cuDoubleComplex)
SYMMETRIC(S, sy, sb, sp, float, float)
SYMMETRIC(D, sy, sb, sp, double, double)
SYMMETRIC(C, he, hb, hp, cuComplex, float)
SYMMETRIC(Z, he, hb, hp, cuDoubleComplex, double)
LEVEL3_SYMMETRIC(C, he, cuComplex, float, float, float)
LEVEL3_SYMMETRIC(Z, he, cuDoubleComplex, double, double, double)

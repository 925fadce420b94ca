/* SPDX-License-Identifier: MIT */
/* Level 2 by its exported names. */
#include "level2.h"

#define OPERAND(pointer, step)                                                                     \
    {                                                                                              \
        (void *)(pointer), step                                                                    \
    }

#define GEMV(T, t)                                                                                 \
    cublasStatus_t cublas##T##gemv_v2_64(                                                          \
        cublasHandle_t handle, cublasOperation_t trans, int64_t m, int64_t n, const t *alpha,      \
        const t *A, int64_t lda, const t *x, int64_t incx, const t *beta, t *y, int64_t incy)      \
    {                                                                                              \
        return blas_gemv_call(handle, "cublas" #T "gemv_v2", BLAS_##T, trans, m, n, alpha, A, lda, \
                              x, incx, beta, y, incy);                                             \
    }                                                                                              \
    cublasStatus_t cublas##T##gbmv_v2_64(cublasHandle_t handle, cublasOperation_t trans,           \
                                         int64_t m, int64_t n, int64_t kl, int64_t ku,             \
                                         const t *alpha, const t *A, int64_t lda, const t *x,      \
                                         int64_t incx, const t *beta, t *y, int64_t incy)          \
    {                                                                                              \
        return blas_gbmv_call(handle, "cublas" #T "gbmv_v2", #T "GBMV",                            \
                              (struct blas_job){.type = BLAS_##T,                                  \
                                                .transa = blas_trans(trans),                       \
                                                .m = m,                                            \
                                                .n = n,                                            \
                                                .kl = kl,                                          \
                                                .ku = ku,                                          \
                                                .a = OPERAND(A, lda),                              \
                                                .b = OPERAND(x, incx),                             \
                                                .c = OPERAND(y, incy)},                            \
                              alpha, beta);                                                        \
    }

#define GER(function, routine, T, t, conjugated)                                                   \
    cublasStatus_t function##_64(cublasHandle_t handle, int64_t m, int64_t n, const t *alpha,      \
                                 const t *x, int64_t incx, const t *y, int64_t incy, t *A,         \
                                 int64_t lda)                                                      \
    {                                                                                              \
        return blas_ger_call(handle, #function, routine,                                           \
                             (struct blas_job){.type = BLAS_##T,                                   \
                                               .hermitian = conjugated,                            \
                                               .m = m,                                             \
                                               .n = n,                                             \
                                               .a = OPERAND(A, lda),                               \
                                               .b = OPERAND(x, incx),                              \
                                               .c = OPERAND(y, incy)},                             \
                             alpha);                                                               \
    }

#define SYMV(function, routine, T, t, is_hermitian)                                                \
    cublasStatus_t function##_64(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n,          \
                                 const t *alpha, const t *A, int64_t lda, const t *x,              \
                                 int64_t incx, const t *beta, t *y, int64_t incy)                  \
    {                                                                                              \
        return blas_symv_call(handle, #function, routine, BLAS_FULL,                               \
                              (struct blas_job){.type = BLAS_##T,                                  \
                                                .hermitian = is_hermitian,                         \
                                                .uplo = blas_uplo(uplo),                           \
                                                .n = n,                                            \
                                                .a = OPERAND(A, lda),                              \
                                                .b = OPERAND(x, incx),                             \
                                                .c = OPERAND(y, incy)},                            \
                              alpha, beta);                                                        \
    }

#define SBMV(function, routine, T, t, is_hermitian)                                                \
    cublasStatus_t function##_64(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n,          \
                                 int64_t k, const t *alpha, const t *A, int64_t lda, const t *x,   \
                                 int64_t incx, const t *beta, t *y, int64_t incy)                  \
    {                                                                                              \
        return blas_symv_call(handle, #function, routine, BLAS_BAND,                               \
                              (struct blas_job){.type = BLAS_##T,                                  \
                                                .hermitian = is_hermitian,                         \
                                                .uplo = blas_uplo(uplo),                           \
                                                .n = n,                                            \
                                                .k = k,                                            \
                                                .a = OPERAND(A, lda),                              \
                                                .b = OPERAND(x, incx),                             \
                                                .c = OPERAND(y, incy)},                            \
                              alpha, beta);                                                        \
    }

#define SPMV(function, routine, T, t, is_hermitian)                                                \
    cublasStatus_t function##_64(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n,          \
                                 const t *alpha, const t *AP, const t *x, int64_t incx,            \
                                 const t *beta, t *y, int64_t incy)                                \
    {                                                                                              \
        return blas_symv_call(handle, #function, routine, BLAS_PACKED,                             \
                              (struct blas_job){.type = BLAS_##T,                                  \
                                                .hermitian = is_hermitian,                         \
                                                .uplo = blas_uplo(uplo),                           \
                                                .n = n,                                            \
                                                .a = OPERAND(AP, 1),                               \
                                                .b = OPERAND(x, incx),                             \
                                                .c = OPERAND(y, incy)},                            \
                              alpha, beta);                                                        \
    }

#define SYR(function, routine, T, t, scalar, is_hermitian)                                         \
    cublasStatus_t function##_64(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n,          \
                                 const scalar *alpha, const t *x, int64_t incx, t *A, int64_t lda) \
    {                                                                                              \
        return blas_rank_update_call(handle, #function, routine, BLAS_FULL, false,                 \
                                     (struct blas_job){.type = BLAS_##T,                           \
                                                       .hermitian = is_hermitian,                  \
                                                       .uplo = blas_uplo(uplo),                    \
                                                       .n = n,                                     \
                                                       .a = OPERAND(A, lda),                       \
                                                       .b = OPERAND(x, incx)},                     \
                                     alpha);                                                       \
    }

#define SYR2(function, routine, T, t, is_hermitian)                                                \
    cublasStatus_t function##_64(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n,          \
                                 const t *alpha, const t *x, int64_t incx, const t *y,             \
                                 int64_t incy, t *A, int64_t lda)                                  \
    {                                                                                              \
        return blas_rank_update_call(handle, #function, routine, BLAS_FULL, true,                  \
                                     (struct blas_job){.type = BLAS_##T,                           \
                                                       .hermitian = is_hermitian,                  \
                                                       .uplo = blas_uplo(uplo),                    \
                                                       .n = n,                                     \
                                                       .a = OPERAND(A, lda),                       \
                                                       .b = OPERAND(x, incx),                      \
                                                       .c = OPERAND(y, incy)},                     \
                                     alpha);                                                       \
    }

#define SPR(function, routine, T, t, scalar, is_hermitian)                                         \
    cublasStatus_t function##_64(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n,          \
                                 const scalar *alpha, const t *x, int64_t incx, t *AP)             \
    {                                                                                              \
        return blas_rank_update_call(handle, #function, routine, BLAS_PACKED, false,               \
                                     (struct blas_job){.type = BLAS_##T,                           \
                                                       .hermitian = is_hermitian,                  \
                                                       .uplo = blas_uplo(uplo),                    \
                                                       .n = n,                                     \
                                                       .a = OPERAND(AP, 1),                        \
                                                       .b = OPERAND(x, incx)},                     \
                                     alpha);                                                       \
    }

#define SPR2(function, routine, T, t, is_hermitian)                                                \
    cublasStatus_t function##_64(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n,          \
                                 const t *alpha, const t *x, int64_t incx, const t *y,             \
                                 int64_t incy, t *AP)                                              \
    {                                                                                              \
        return blas_rank_update_call(handle, #function, routine, BLAS_PACKED, true,                \
                                     (struct blas_job){.type = BLAS_##T,                           \
                                                       .hermitian = is_hermitian,                  \
                                                       .uplo = blas_uplo(uplo),                    \
                                                       .n = n,                                     \
                                                       .a = OPERAND(AP, 1),                        \
                                                       .b = OPERAND(x, incx),                      \
                                                       .c = OPERAND(y, incy)},                     \
                                     alpha);                                                       \
    }

#define TRIANGULAR(T, t, tr, TR)                                                                   \
    cublasStatus_t cublas##T##tr##_v2_64(cublasHandle_t handle, cublasFillMode_t uplo,             \
                                         cublasOperation_t trans, cublasDiagType_t diag,           \
                                         int64_t n, const t *A, int64_t lda, t *x, int64_t incx)   \
    {                                                                                              \
        return blas_triangular_call(handle, "cublas" #T #tr "_v2", #T #TR, BLAS_FULL,              \
                                    blas_run_##tr,                                                 \
                                    (struct blas_job){.type = BLAS_##T,                            \
                                                      .uplo = blas_uplo(uplo),                     \
                                                      .transa = blas_trans(trans),                 \
                                                      .diag = blas_diag(diag),                     \
                                                      .n = n,                                      \
                                                      .a = OPERAND(A, lda),                        \
                                                      .b = OPERAND(x, incx)});                     \
    }

#define BANDED(T, t, tb, TB)                                                                       \
    cublasStatus_t cublas##T##tb##_v2_64(                                                          \
        cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,                     \
        cublasDiagType_t diag, int64_t n, int64_t k, const t *A, int64_t lda, t *x, int64_t incx)  \
    {                                                                                              \
        return blas_triangular_call(handle, "cublas" #T #tb "_v2", #T #TB, BLAS_BAND,              \
                                    blas_run_##tb,                                                 \
                                    (struct blas_job){.type = BLAS_##T,                            \
                                                      .uplo = blas_uplo(uplo),                     \
                                                      .transa = blas_trans(trans),                 \
                                                      .diag = blas_diag(diag),                     \
                                                      .n = n,                                      \
                                                      .k = k,                                      \
                                                      .a = OPERAND(A, lda),                        \
                                                      .b = OPERAND(x, incx)});                     \
    }

#define PACKED_TRIANGULAR(T, t, tp, TP)                                                            \
    cublasStatus_t cublas##T##tp##_v2_64(cublasHandle_t handle, cublasFillMode_t uplo,             \
                                         cublasOperation_t trans, cublasDiagType_t diag,           \
                                         int64_t n, const t *AP, t *x, int64_t incx)               \
    {                                                                                              \
        return blas_triangular_call(handle, "cublas" #T #tp "_v2", #T #TP, BLAS_PACKED,            \
                                    blas_run_##tp,                                                 \
                                    (struct blas_job){.type = BLAS_##T,                            \
                                                      .uplo = blas_uplo(uplo),                     \
                                                      .transa = blas_trans(trans),                 \
                                                      .diag = blas_diag(diag),                     \
                                                      .n = n,                                      \
                                                      .a = OPERAND(AP, 1),                         \
                                                      .b = OPERAND(x, incx)});                     \
    }

#define LEVEL2(T, t)                                                                               \
    GEMV(T, t)                                                                                     \
    SYMV(cublas##T##symv_v2, #T "SYMV", T, t, false)                                               \
    SYR(cublas##T##syr_v2, #T "SYR", T, t, t, false)                                               \
    SYR2(cublas##T##syr2_v2, #T "SYR2 ", T, t, false)                                              \
    TRIANGULAR(T, t, trmv, TRMV)                                                                   \
    TRIANGULAR(T, t, trsv, TRSV)                                                                   \
    BANDED(T, t, tbmv, TBMV)                                                                       \
    BANDED(T, t, tbsv, TBSV)                                                                       \
    PACKED_TRIANGULAR(T, t, tpmv, TPMV)                                                            \
    PACKED_TRIANGULAR(T, t, tpsv, TPSV)

#define LEVEL2_REAL(T, t)                                                                          \
    GER(cublas##T##ger_v2, #T "GER", T, t, false)                                                  \
    SBMV(cublas##T##sbmv_v2, #T "SBMV", T, t, false)                                               \
    SPMV(cublas##T##spmv_v2, #T "SPMV", T, t, false)                                               \
    SPR(cublas##T##spr_v2, #T "SPR", T, t, t, false)                                               \
    SPR2(cublas##T##spr2_v2, #T "SPR2", T, t, false)

#define LEVEL2_COMPLEX(T, t, real)                                                                 \
    GER(cublas##T##geru_v2, #T "GERU", T, t, false)                                                \
    GER(cublas##T##gerc_v2, #T "GERC", T, t, true)                                                 \
    SYMV(cublas##T##hemv_v2, #T "HEMV", T, t, true)                                                \
    SBMV(cublas##T##hbmv_v2, #T "HBMV", T, t, true)                                                \
    SPMV(cublas##T##hpmv_v2, #T "HPMV", T, t, true)                                                \
    SYR(cublas##T##her_v2, #T "HER", T, t, real, true)                                             \
    SYR2(cublas##T##her2_v2, #T "HER2", T, t, true)                                                \
    SPR(cublas##T##hpr_v2, #T "HPR", T, t, real, true)                                             \
    SPR2(cublas##T##hpr2_v2, #T "HPR2", T, t, true)

LEVEL2(S, float)
LEVEL2(D, double)
LEVEL2(C, cuComplex)
LEVEL2(Z, cuDoubleComplex)
LEVEL2_REAL(S, float)
LEVEL2_REAL(D, double)
LEVEL2_COMPLEX(C, cuComplex, float)
LEVEL2_COMPLEX(Z, cuDoubleComplex, double)

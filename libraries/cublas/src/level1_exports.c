/* SPDX-License-Identifier: MIT */
/* Level 1 by its exported names: those with a letter for the type, and the Ex forms, which accept
 * the combinations of types that cuBLAS has. */
#include "level1.h"

#define VECTOR(pointer, type, step) ((struct blas_vector){(void *)(pointer), step, type})
#define NUMBER(pointer, type) ((struct blas_number){(void *)(pointer), type})

/* The types whose vectors and results have different ones: real is the type of the parts, R its
 * letters in names, r those of index functions. */
#define LEVEL1(T, R, r, t, real, type, real_type)                                                  \
    cublasStatus_t cublas##T##axpy_v2_64(cublasHandle_t handle, int64_t n, const t *alpha,         \
                                         const t *x, int64_t incx, t *y, int64_t incy)             \
    {                                                                                              \
        return blas_axpy(handle, "cublas" #T "axpy_v2", n, NUMBER(alpha, type),                    \
                         VECTOR(x, type, incx), VECTOR(y, type, incy));                            \
    }                                                                                              \
    cublasStatus_t cublas##T##scal_v2_64(cublasHandle_t handle, int64_t n, const t *alpha, t *x,   \
                                         int64_t incx)                                             \
    {                                                                                              \
        return blas_scal(handle, "cublas" #T "scal_v2", n, NUMBER(alpha, type),                    \
                         VECTOR(x, type, incx));                                                   \
    }                                                                                              \
    cublasStatus_t cublas##T##copy_v2_64(cublasHandle_t handle, int64_t n, const t *x,             \
                                         int64_t incx, t *y, int64_t incy)                         \
    {                                                                                              \
        return blas_copy(handle, "cublas" #T "copy_v2", n, VECTOR(x, type, incx),                  \
                         VECTOR(y, type, incy));                                                   \
    }                                                                                              \
    cublasStatus_t cublas##T##swap_v2_64(cublasHandle_t handle, int64_t n, t *x, int64_t incx,     \
                                         t *y, int64_t incy)                                       \
    {                                                                                              \
        return blas_swap(handle, "cublas" #T "swap_v2", n, VECTOR(x, type, incx),                  \
                         VECTOR(y, type, incy));                                                   \
    }                                                                                              \
    cublasStatus_t cublas##R##nrm2_v2_64(cublasHandle_t handle, int64_t n, const t *x,             \
                                         int64_t incx, real *result)                               \
    {                                                                                              \
        return blas_nrm2(handle, "cublas" #R "nrm2_v2", n, VECTOR(x, type, incx),                  \
                         NUMBER(result, real_type));                                               \
    }                                                                                              \
    cublasStatus_t cublas##R##asum_v2_64(cublasHandle_t handle, int64_t n, const t *x,             \
                                         int64_t incx, real *result)                               \
    {                                                                                              \
        return blas_asum(handle, "cublas" #R "asum_v2", n, VECTOR(x, type, incx),                  \
                         NUMBER(result, real_type));                                               \
    }                                                                                              \
    cublasStatus_t cublasI##r##amax_v2_64(cublasHandle_t handle, int64_t n, const t *x,            \
                                          int64_t incx, int64_t *result)                           \
    {                                                                                              \
        return blas_iamax(handle, "cublasI" #r "amax_v2", false, n, VECTOR(x, type, incx), result, \
                          true);                                                                   \
    }                                                                                              \
    cublasStatus_t cublasI##r##amin_v2_64(cublasHandle_t handle, int64_t n, const t *x,            \
                                          int64_t incx, int64_t *result)                           \
    {                                                                                              \
        return blas_iamax(handle, "cublasI" #r "amin_v2", true, n, VECTOR(x, type, incx), result,  \
                          true);                                                                   \
    }                                                                                              \
    cublasStatus_t cublasI##r##amax_v2(cublasHandle_t handle, int n, const t *x, int incx,         \
                                       int *result)                                                \
    {                                                                                              \
        return blas_iamax(handle, "cublasI" #r "amax_v2", false, n, VECTOR(x, type, incx), result, \
                          false);                                                                  \
    }                                                                                              \
    cublasStatus_t cublasI##r##amin_v2(cublasHandle_t handle, int n, const t *x, int incx,         \
                                       int *result)                                                \
    {                                                                                              \
        return blas_iamax(handle, "cublasI" #r "amin_v2", true, n, VECTOR(x, type, incx), result,  \
                          false);                                                                  \
    }                                                                                              \
    cublasStatus_t cublas##T##rot_v2_64(cublasHandle_t handle, int64_t n, t *x, int64_t incx,      \
                                        t *y, int64_t incy, const real *c, const t *s)             \
    {                                                                                              \
        return blas_rot(handle, "cublas" #T "rot_v2", n, VECTOR(x, type, incx),                    \
                        VECTOR(y, type, incy), NUMBER(c, real_type), NUMBER(s, type));             \
    }                                                                                              \
    cublasStatus_t cublas##T##rotg_v2(cublasHandle_t handle, t *a, t *b, real *c, t *s)            \
    {                                                                                              \
        return blas_rotg(handle, "cublas" #T "rotg_v2", NUMBER(a, type), NUMBER(b, type),          \
                         NUMBER(c, real_type), NUMBER(s, type));                                   \
    }

#define DOT(function, conjugated, t, type)                                                         \
    cublasStatus_t function##_64(cublasHandle_t handle, int64_t n, const t *x, int64_t incx,       \
                                 const t *y, int64_t incy, t *result)                              \
    {                                                                                              \
        return blas_dot(handle, #function, conjugated, n, VECTOR(x, type, incx),                   \
                        VECTOR(y, type, incy), NUMBER(result, type));                              \
    }

#define MODIFIED(T, t, type)                                                                       \
    cublasStatus_t cublas##T##rotm_v2_64(cublasHandle_t handle, int64_t n, t *x, int64_t incx,     \
                                         t *y, int64_t incy, const t *param)                       \
    {                                                                                              \
        return blas_rotm(handle, "cublas" #T "rotm_v2", n, VECTOR(x, type, incx),                  \
                         VECTOR(y, type, incy), NUMBER(param, type));                              \
    }                                                                                              \
    cublasStatus_t cublas##T##rotmg_v2(cublasHandle_t handle, t *d1, t *d2, t *x1, const t *y1,    \
                                       t *param)                                                   \
    {                                                                                              \
        return blas_rotmg(handle, "cublas" #T "rotmg_v2", NUMBER(d1, type), NUMBER(d2, type),      \
                          NUMBER(x1, type), NUMBER(y1, type), NUMBER(param, type));                \
    }

/* A complex vector with real scalars: the letters say both types. */
#define MIXED(letters, t, real, type, real_type)                                                   \
    cublasStatus_t cublas##letters##scal_v2_64(cublasHandle_t handle, int64_t n,                   \
                                               const real *alpha, t *x, int64_t incx)              \
    {                                                                                              \
        return blas_scal(handle, "cublas" #letters "scal_v2", n, NUMBER(alpha, real_type),         \
                         VECTOR(x, type, incx));                                                   \
    }                                                                                              \
    cublasStatus_t cublas##letters##rot_v2_64(cublasHandle_t handle, int64_t n, t *x,              \
                                              int64_t incx, t *y, int64_t incy, const real *c,     \
                                              const real *s)                                       \
    {                                                                                              \
        return blas_rot(handle, "cublas" #letters "rot_v2", n, VECTOR(x, type, incx),              \
                        VECTOR(y, type, incy), NUMBER(c, real_type), NUMBER(s, real_type));        \
    }

LEVEL1(S, S, s, float, float, CUDA_R_32F, CUDA_R_32F)
LEVEL1(D, D, d, double, double, CUDA_R_64F, CUDA_R_64F)
LEVEL1(C, Sc, c, cuComplex, float, CUDA_C_32F, CUDA_R_32F)
LEVEL1(Z, Dz, z, cuDoubleComplex, double, CUDA_C_64F, CUDA_R_64F)
DOT(cublasSdot_v2, false, float, CUDA_R_32F)
DOT(cublasDdot_v2, false, double, CUDA_R_64F)
DOT(cublasCdotu_v2, false, cuComplex, CUDA_C_32F)
DOT(cublasCdotc_v2, true, cuComplex, CUDA_C_32F)
DOT(cublasZdotu_v2, false, cuDoubleComplex, CUDA_C_64F)
DOT(cublasZdotc_v2, true, cuDoubleComplex, CUDA_C_64F)
MODIFIED(S, float, CUDA_R_32F)
MODIFIED(D, double, CUDA_R_64F)
MIXED(Cs, cuComplex, float, CUDA_C_32F, CUDA_R_32F)
MIXED(Zd, cuDoubleComplex, double, CUDA_C_64F, CUDA_R_64F)

/* SPDX-License-Identifier: MIT */
/* OpenBLAS, as Debian has it (libopenblas.so.0) or PyPI (scipy-openblas32, whose names begin with
 * scipy_). Functions are called by Fortran's convention: every argument is an address, so that one
 * prototype serves the four types. Integers have 32 bits. A string's length stands behind the other
 * arguments.
 *
 *     const struct openblas *blas = openblas();
 *
 *     if (!blas) return CUDA_ERROR_NOT_SUPPORTED;
 *     blas->gemm[OPENBLAS_D]("N", "T", &m, &n, &k, &alpha, a, &lda, b, &ldb, &beta, c, &ldc);
 *
 * Its checks print and end nothing as long as arguments are right: callers check them before. */
#ifndef LIBRARIES_OPENBLAS_H
#define LIBRARIES_OPENBLAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum openblas_type { OPENBLAS_S, OPENBLAS_D, OPENBLAS_C, OPENBLAS_Z, OPENBLAS_TYPES };

typedef int32_t openblas_int;

/* Vectors. */
typedef void openblas_axpy(const openblas_int *n, const void *alpha, const void *x,
                           const openblas_int *incx, void *y, const openblas_int *incy);
typedef void openblas_copy(const openblas_int *n, const void *x, const openblas_int *incx, void *y,
                           const openblas_int *incy);
typedef void openblas_swap(const openblas_int *n, void *x, const openblas_int *incx, void *y,
                           const openblas_int *incy);

/* A general matrix and vectors. */
typedef void openblas_gemv(const char *trans, const openblas_int *m, const openblas_int *n,
                           const void *alpha, const void *a, const openblas_int *lda, const void *x,
                           const openblas_int *incx, const void *beta, void *y,
                           const openblas_int *incy, size_t);
typedef void openblas_gbmv(const char *trans, const openblas_int *m, const openblas_int *n,
                           const openblas_int *kl, const openblas_int *ku, const void *alpha,
                           const void *a, const openblas_int *lda, const void *x,
                           const openblas_int *incx, const void *beta, void *y,
                           const openblas_int *incy, size_t);
typedef void openblas_ger(const openblas_int *m, const openblas_int *n, const void *alpha,
                          const void *x, const openblas_int *incx, const void *y,
                          const openblas_int *incy, void *a, const openblas_int *lda);

/* A symmetric or Hermitian matrix and vectors. */
typedef void openblas_symv(const char *uplo, const openblas_int *n, const void *alpha,
                           const void *a, const openblas_int *lda, const void *x,
                           const openblas_int *incx, const void *beta, void *y,
                           const openblas_int *incy, size_t);
typedef void openblas_sbmv(const char *uplo, const openblas_int *n, const openblas_int *k,
                           const void *alpha, const void *a, const openblas_int *lda, const void *x,
                           const openblas_int *incx, const void *beta, void *y,
                           const openblas_int *incy, size_t);
typedef void openblas_spmv(const char *uplo, const openblas_int *n, const void *alpha,
                           const void *a, const void *x, const openblas_int *incx, const void *beta,
                           void *y, const openblas_int *incy, size_t);
typedef void openblas_syr(const char *uplo, const openblas_int *n, const void *alpha, const void *x,
                          const openblas_int *incx, void *a, const openblas_int *lda, size_t);
typedef void openblas_syr2(const char *uplo, const openblas_int *n, const void *alpha,
                           const void *x, const openblas_int *incx, const void *y,
                           const openblas_int *incy, void *a, const openblas_int *lda, size_t);
typedef void openblas_spr(const char *uplo, const openblas_int *n, const void *alpha, const void *x,
                          const openblas_int *incx, void *a, size_t);
typedef void openblas_spr2(const char *uplo, const openblas_int *n, const void *alpha,
                           const void *x, const openblas_int *incx, const void *y,
                           const openblas_int *incy, void *a, size_t);

/* A triangular matrix and a vector. */
typedef void openblas_trmv(const char *uplo, const char *trans, const char *diag,
                           const openblas_int *n, const void *a, const openblas_int *lda, void *x,
                           const openblas_int *incx, size_t, size_t, size_t);
typedef void openblas_tbmv(const char *uplo, const char *trans, const char *diag,
                           const openblas_int *n, const openblas_int *k, const void *a,
                           const openblas_int *lda, void *x, const openblas_int *incx, size_t,
                           size_t, size_t);
typedef void openblas_tpmv(const char *uplo, const char *trans, const char *diag,
                           const openblas_int *n, const void *a, void *x, const openblas_int *incx,
                           size_t, size_t, size_t);

/* Matrices. */
typedef void openblas_gemm(const char *transa, const char *transb, const openblas_int *m,
                           const openblas_int *n, const openblas_int *k, const void *alpha,
                           const void *a, const openblas_int *lda, const void *b,
                           const openblas_int *ldb, const void *beta, void *c,
                           const openblas_int *ldc, size_t, size_t);
typedef void openblas_symm(const char *side, const char *uplo, const openblas_int *m,
                           const openblas_int *n, const void *alpha, const void *a,
                           const openblas_int *lda, const void *b, const openblas_int *ldb,
                           const void *beta, void *c, const openblas_int *ldc, size_t, size_t);
typedef void openblas_syrk(const char *uplo, const char *trans, const openblas_int *n,
                           const openblas_int *k, const void *alpha, const void *a,
                           const openblas_int *lda, const void *beta, void *c,
                           const openblas_int *ldc, size_t, size_t);
typedef void openblas_syr2k(const char *uplo, const char *trans, const openblas_int *n,
                            const openblas_int *k, const void *alpha, const void *a,
                            const openblas_int *lda, const void *b, const openblas_int *ldb,
                            const void *beta, void *c, const openblas_int *ldc, size_t, size_t);
typedef void openblas_trmm(const char *side, const char *uplo, const char *trans, const char *diag,
                           const openblas_int *m, const openblas_int *n, const void *alpha,
                           const void *a, const openblas_int *lda, void *b, const openblas_int *ldb,
                           size_t, size_t, size_t, size_t);

/* LAPACK. */
typedef void openblas_getrf(const openblas_int *m, const openblas_int *n, void *a,
                            const openblas_int *lda, openblas_int *pivots, openblas_int *info);
typedef void openblas_geqrf(const openblas_int *m, const openblas_int *n, void *a,
                            const openblas_int *lda, void *tau, void *work,
                            const openblas_int *lwork, openblas_int *info);
typedef void openblas_gels(const char *trans, const openblas_int *m, const openblas_int *n,
                           const openblas_int *nrhs, void *a, const openblas_int *lda, void *b,
                           const openblas_int *ldb, void *work, const openblas_int *lwork,
                           openblas_int *info, size_t);

/* A function that a type does not have is NULL: hemm of real matrices, spmv of complex ones. */
struct openblas {
#define OPENBLAS(prototype, field, types) prototype *field[OPENBLAS_TYPES];
#include "openblas.def"
#undef OPENBLAS
    /* Of C, since they return values. */
    float (*sdot)(openblas_int n, const float *x, openblas_int incx, const float *y,
                  openblas_int incy);
    double (*ddot)(openblas_int n, const double *x, openblas_int incx, const double *y,
                   openblas_int incy);
    void (*complex_dot[2][2])(openblas_int n, const void *x, openblas_int incx, const void *y,
                              openblas_int incy, void *result);                /* [Z][conjugated] */
    float (*single_norm[2])(openblas_int n, const void *x, openblas_int incx); /* [complex] */
    double (*double_norm[2])(openblas_int n, const void *x, openblas_int incx); /* [complex] */
    float (*single_sum[2])(openblas_int n, const void *x, openblas_int incx);   /* [complex] */
    double (*double_sum[2])(openblas_int n, const void *x, openblas_int incx);  /* [complex] */
};

/* Loads OpenBLAS at the first call. NULL if there is none, or if one of its functions is missing:
 * a message on standard error said so. Thread-safe. */
const struct openblas *openblas(void);

/* From begin to the end of run OpenBLAS uses no threads of its own, so that the parts, which run as
 * those of lib_parallel(), may call it side by side. Begin returns false if that cannot be had.
 * OpenBLAS is there. */
bool openblas_begin_serial(void);
void openblas_run_serial(size_t count, void (*part)(void *arguments, size_t index),
                         void *arguments);

/* A function of OpenBLAS that struct openblas does not have, by its name in Fortran ("dpotrf_"), or
 * NULL. */
void *openblas_function(const char *name);

/* Products with m*n*k up to this run in the calling thread; larger ones use OpenBLAS' threads, one
 * product after the other. */
enum { OPENBLAS_SERIAL_PRODUCT = 1 << 18 };

/* The k to give to gemm: 0 if alpha is 0. Some kernels of OpenBLAS for small matrices multiply
 * then, too, and make NaNs of those in A and B. */
static inline openblas_int openblas_depth(enum openblas_type type, const void *alpha,
                                          openblas_int k)
{
    const float *floats = alpha;
    const double *doubles = alpha;

    switch (type) {
    case OPENBLAS_S:
        return floats[0] == 0 ? 0 : k;
    case OPENBLAS_D:
        return doubles[0] == 0 ? 0 : k;
    case OPENBLAS_C:
        return floats[0] == 0 && floats[1] == 0 ? 0 : k;
    default:
        return doubles[0] == 0 && doubles[1] == 0 ? 0 : k;
    }
}

/* Exported beside the names of CUDA, for `cupipe info`: the file that openblas() has loaded; NULL
 * if there is none. */
__attribute__((visibility("default"))) const char *cupipe_openblas(void);

#endif

/* SPDX-License-Identifier: MIT */
/* LAPACK, which OpenBLAS contains, by Fortran's convention: see openblas.h. A routine for all types
 * has one field; where the complex form has other arguments, there are two.
 *
 *     lapack()->potrf[OPENBLAS_D]("L", &n, a, &lda, &info, 1);
 *
 * Callers check arguments before, so that LAPACK never reports them. */
#ifndef CUSOLVER_LAPACK_H
#define CUSOLVER_LAPACK_H

#include "openblas.h"

#include <cuda.h>

typedef const openblas_int *lapack_in; /* an integer that LAPACK reads */
typedef openblas_int *lapack_out;      /* one that it writes */

typedef void lapack_potrf(const char *uplo, lapack_in n, void *a, lapack_in lda, lapack_out info,
                          size_t);
typedef void lapack_potrs(const char *uplo, lapack_in n, lapack_in nrhs, const void *a,
                          lapack_in lda, void *b, lapack_in ldb, lapack_out info, size_t);
typedef void lapack_trtri(const char *uplo, const char *diag, lapack_in n, void *a, lapack_in lda,
                          lapack_out info, size_t, size_t);
typedef void lapack_getrs(const char *trans, lapack_in n, lapack_in nrhs, const void *a,
                          lapack_in lda, lapack_in pivots, void *b, lapack_in ldb, lapack_out info,
                          size_t);
typedef void lapack_laswp(lapack_in n, void *a, lapack_in lda, lapack_in k1, lapack_in k2,
                          lapack_in pivots, lapack_in increment);
typedef void lapack_orgqr(lapack_in m, lapack_in n, lapack_in k, void *a, lapack_in lda,
                          const void *tau, void *work, lapack_in lwork, lapack_out info);
typedef void lapack_ormqr(const char *side, const char *trans, lapack_in m, lapack_in n,
                          lapack_in k, const void *a, lapack_in lda, const void *tau, void *c,
                          lapack_in ldc, void *work, lapack_in lwork, lapack_out info, size_t,
                          size_t);
typedef void lapack_geqp3_real(lapack_in m, lapack_in n, void *a, lapack_in lda, lapack_out columns,
                               void *tau, void *work, lapack_in lwork, lapack_out info);
typedef void lapack_geqp3_complex(lapack_in m, lapack_in n, void *a, lapack_in lda,
                                  lapack_out columns, void *tau, void *work, lapack_in lwork,
                                  void *rwork, lapack_out info);
typedef void lapack_larft(const char *direct, const char *storev, lapack_in n, lapack_in k,
                          const void *v, lapack_in ldv, const void *tau, void *t, lapack_in ldt,
                          size_t, size_t);
typedef void lapack_sytrf(const char *uplo, lapack_in n, void *a, lapack_in lda, lapack_out pivots,
                          void *work, lapack_in lwork, lapack_out info, size_t);
typedef void lapack_sytri(const char *uplo, lapack_in n, void *a, lapack_in lda, lapack_in pivots,
                          void *work, lapack_out info, size_t);
typedef void lapack_sytrs(const char *uplo, lapack_in n, lapack_in nrhs, const void *a,
                          lapack_in lda, lapack_in pivots, void *b, lapack_in ldb, lapack_out info,
                          size_t);
typedef void lapack_gebrd(lapack_in m, lapack_in n, void *a, lapack_in lda, void *d, void *e,
                          void *tauq, void *taup, void *work, lapack_in lwork, lapack_out info);
typedef void lapack_orgbr(const char *vect, lapack_in m, lapack_in n, lapack_in k, void *a,
                          lapack_in lda, const void *tau, void *work, lapack_in lwork,
                          lapack_out info, size_t);
typedef void lapack_sytrd(const char *uplo, lapack_in n, void *a, lapack_in lda, void *d, void *e,
                          void *tau, void *work, lapack_in lwork, lapack_out info, size_t);
typedef void lapack_orgtr(const char *uplo, lapack_in n, void *a, lapack_in lda, const void *tau,
                          void *work, lapack_in lwork, lapack_out info, size_t);
typedef void lapack_ormtr(const char *side, const char *uplo, const char *trans, lapack_in m,
                          lapack_in n, const void *a, lapack_in lda, const void *tau, void *c,
                          lapack_in ldc, void *work, lapack_in lwork, lapack_out info, size_t,
                          size_t, size_t);
typedef void lapack_gesvd_real(const char *jobu, const char *jobvt, lapack_in m, lapack_in n,
                               void *a, lapack_in lda, void *s, void *u, lapack_in ldu, void *vt,
                               lapack_in ldvt, void *work, lapack_in lwork, lapack_out info, size_t,
                               size_t);
typedef void lapack_gesvd_complex(const char *jobu, const char *jobvt, lapack_in m, lapack_in n,
                                  void *a, lapack_in lda, void *s, void *u, lapack_in ldu, void *vt,
                                  lapack_in ldvt, void *work, lapack_in lwork, void *rwork,
                                  lapack_out info, size_t, size_t);
typedef void lapack_gesdd_real(const char *job, lapack_in m, lapack_in n, void *a, lapack_in lda,
                               void *s, void *u, lapack_in ldu, void *vt, lapack_in ldvt,
                               void *work, lapack_in lwork, void *iwork, lapack_out info, size_t);
typedef void lapack_gesdd_complex(const char *job, lapack_in m, lapack_in n, void *a, lapack_in lda,
                                  void *s, void *u, lapack_in ldu, void *vt, lapack_in ldvt,
                                  void *work, lapack_in lwork, void *rwork, void *iwork,
                                  lapack_out info, size_t);
typedef void lapack_syevd_real(const char *job, const char *uplo, lapack_in n, void *a,
                               lapack_in lda, void *w, void *work, lapack_in lwork, void *iwork,
                               lapack_in liwork, lapack_out info, size_t, size_t);
typedef void lapack_syevd_complex(const char *job, const char *uplo, lapack_in n, void *a,
                                  lapack_in lda, void *w, void *work, lapack_in lwork, void *rwork,
                                  lapack_in lrwork, void *iwork, lapack_in liwork, lapack_out info,
                                  size_t, size_t);
typedef void lapack_syevr_real(const char *job, const char *range, const char *uplo, lapack_in n,
                               void *a, lapack_in lda, const void *vl, const void *vu, lapack_in il,
                               lapack_in iu, const void *tolerance, lapack_out found, void *w,
                               void *z, lapack_in ldz, void *support, void *work, lapack_in lwork,
                               void *iwork, lapack_in liwork, lapack_out info, size_t, size_t,
                               size_t);
typedef void lapack_syevr_complex(const char *job, const char *range, const char *uplo, lapack_in n,
                                  void *a, lapack_in lda, const void *vl, const void *vu,
                                  lapack_in il, lapack_in iu, const void *tolerance,
                                  lapack_out found, void *w, void *z, lapack_in ldz, void *support,
                                  void *work, lapack_in lwork, void *rwork, lapack_in lrwork,
                                  void *iwork, lapack_in liwork, lapack_out info, size_t, size_t,
                                  size_t);
typedef void lapack_sygst(lapack_in itype, const char *uplo, lapack_in n, void *a, lapack_in lda,
                          const void *b, lapack_in ldb, lapack_out info, size_t);
typedef void lapack_geev_real(const char *jobvl, const char *jobvr, lapack_in n, void *a,
                              lapack_in lda, void *wr, void *wi, void *vl, lapack_in ldvl, void *vr,
                              lapack_in ldvr, void *work, lapack_in lwork, lapack_out info, size_t,
                              size_t);
typedef void lapack_geev_complex(const char *jobvl, const char *jobvr, lapack_in n, void *a,
                                 lapack_in lda, void *w, void *vl, lapack_in ldvl, void *vr,
                                 lapack_in ldvr, void *work, lapack_in lwork, void *rwork,
                                 lapack_out info, size_t, size_t);

/* Mixed precision: S in D, or C in Z. */
typedef void lapack_dsgesv(lapack_in n, lapack_in nrhs, void *a, lapack_in lda, lapack_out pivots,
                           const void *b, lapack_in ldb, void *x, lapack_in ldx, void *work,
                           void *swork, lapack_out iterations, lapack_out info);
typedef void lapack_zcgesv(lapack_in n, lapack_in nrhs, void *a, lapack_in lda, lapack_out pivots,
                           const void *b, lapack_in ldb, void *x, lapack_in ldx, void *work,
                           void *swork, void *rwork, lapack_out iterations, lapack_out info);

struct lapack {
#define LAPACK(prototype, field, real, complex) prototype *field[OPENBLAS_TYPES];
#include "lapack.def"
#undef LAPACK
    lapack_dsgesv *dsgesv;
    lapack_zcgesv *zcgesv;
};

/* The routines. NULL without OpenBLAS, or if it lacks one: a message on standard error said so. */
const struct lapack *lapack(void);

/* A routine that wants working memory: called with lwork -1, it writes to work[0] how many elements
 * it wants. Returns LAPACK's info. */
typedef openblas_int lapack_call(const void *job, void *work, openblas_int lwork);

/* Calls the routine with the memory that it wants, and sets its info, unless `info` is NULL. */
CUresult lapack_with_work(enum openblas_type type, lapack_call *call, const void *job,
                          openblas_int *info);

static inline size_t lapack_bytes(enum openblas_type type)
{
    return (size_t)4 << ((type == OPENBLAS_D) + (type == OPENBLAS_C) + 2 * (type == OPENBLAS_Z));
}

static inline int lapack_is_complex(enum openblas_type type)
{
    return type == OPENBLAS_C || type == OPENBLAS_Z;
}

static inline int lapack_is_double(enum openblas_type type)
{
    return type == OPENBLAS_D || type == OPENBLAS_Z;
}

/* The type of the parts of a complex number; otherwise the type itself. */
static inline enum openblas_type lapack_real(enum openblas_type type)
{
    return lapack_is_double(type) ? OPENBLAS_D : OPENBLAS_S;
}

/* The real number `index` of an array of the type's parts. */
static inline double lapack_get(enum openblas_type type, const void *array, int64_t index)
{
    return lapack_is_double(type) ? ((const double *)array)[index]
                                  : (double)((const float *)array)[index];
}

static inline void lapack_set(enum openblas_type type, void *array, int64_t index, double value)
{
    if (lapack_is_double(type))
        ((double *)array)[index] = value;
    else
        ((float *)array)[index] = (float)value;
}

/* The address of element `index`. */
static inline void *lapack_at(enum openblas_type type, const void *array, int64_t index)
{
    return (char *)array + index * (int64_t)lapack_bytes(type);
}

/* Numbers 1, 0 and -1 of any type, as LAPACK wants them. */
const void *lapack_number(enum openblas_type type, int value);

#endif

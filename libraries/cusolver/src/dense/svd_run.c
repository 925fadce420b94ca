/* SPDX-License-Identifier: MIT */
/* The divide and conquer algorithm (gesdd) does all but unequal requests for the two sides, which
 * are the QR iteration's (gesvd). What LAPACK has not in the wanted form, V instead of its
 * transposed, or some of the vectors alone, it writes to memory from which it is copied. */
#include "svd_run.h"

#include "jacobi_run.h"

#include <math.h>
#include <string.h>

struct call {
    const struct svd_problem *problem;
    void *rwork;
    void *iwork;
};

static openblas_int least(const struct svd_problem *problem)
{
    return problem->m < problem->n ? problem->m : problem->n;
}

static openblas_int call_gesdd(const void *arguments, void *work, openblas_int lwork)
{
    const struct call *call = arguments;
    const struct svd_problem *p = call->problem;
    openblas_int info = 0;

    if (lapack_is_complex(p->type))
        lapack()->gesdd_complex[p->type](&p->jobu, &p->m, &p->n, p->a, &p->lda, p->s, p->u, &p->ldu,
                                         p->vt, &p->ldvt, work, &lwork, call->rwork, call->iwork,
                                         &info, 1);
    else
        lapack()->gesdd_real[p->type](&p->jobu, &p->m, &p->n, p->a, &p->lda, p->s, p->u, &p->ldu,
                                      p->vt, &p->ldvt, work, &lwork, call->iwork, &info, 1);
    return info;
}

static openblas_int call_gesvd(const void *arguments, void *work, openblas_int lwork)
{
    const struct call *call = arguments;
    const struct svd_problem *p = call->problem;
    openblas_int info = 0;

    if (lapack_is_complex(p->type))
        lapack()->gesvd_complex[p->type](&p->jobu, &p->jobvt, &p->m, &p->n, p->a, &p->lda, p->s,
                                         p->u, &p->ldu, p->vt, &p->ldvt, work, &lwork, call->rwork,
                                         &info, 1, 1);
    else
        lapack()->gesvd_real[p->type](&p->jobu, &p->jobvt, &p->m, &p->n, p->a, &p->lda, p->s, p->u,
                                      &p->ldu, p->vt, &p->ldvt, work, &lwork, &info, 1, 1);
    return info;
}

static bool is_finite(const struct svd_problem *p)
{
    const int64_t parts = lapack_is_complex(p->type) ? 2 : 1;

    for (int64_t j = 0; j < p->n; j++)
        for (int64_t i = 0; i < p->m * parts; i++)
            if (!isfinite(lapack_get(p->type, p->a, j * p->lda * parts + i)))
                return false;
    return true;
}

static CUresult not_finite(const struct svd_problem *p, openblas_int *info)
{
    const openblas_int count = p->rank ? p->rank : least(p);

    for (openblas_int i = 0; i < count; i++)
        lapack_set(p->type, p->s, i, NAN);
    *info = p->not_finite;
    return CUDA_SUCCESS;
}

/* Calls LAPACK for a problem in its own form. */
static CUresult run_plain(const struct svd_problem *p, struct lapack_memory *memory,
                          openblas_int *info)
{
    const size_t small = (size_t)least(p), large = (size_t)(p->m > p->n ? p->m : p->n);
    const size_t real = lapack_bytes(lapack_real(p->type));
    const size_t squares =
        5 * small + 7 > 2 * large + 2 * small + 1 ? 5 * small + 7 : 2 * large + 2 * small + 1;
    const struct call call = {
        .problem = p,
        .rwork =
            lapack_memory_take(memory, lapack_is_complex(p->type) ? small * squares * real : 1),
        .iwork = lapack_memory_take(memory, 8 * small * sizeof(openblas_int))};

    if (!call.rwork || !call.iwork)
        return CUDA_ERROR_OUT_OF_MEMORY;
    return lapack_with_memory(memory, p->type, p->jobu == p->jobvt ? call_gesdd : call_gesvd, &call,
                              info);
}

/* Copies the first rows of a matrix as the columns of another, conjugated. */
static void copy_transposed(enum openblas_type type, openblas_int rows, openblas_int columns,
                            const void *from, int64_t from_ld, void *to, int64_t to_ld)
{
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++) {
            if (!lapack_is_complex(type)) {
                lapack_set(type, to, j + i * to_ld, lapack_get(type, from, i + j * from_ld));
                continue;
            }
            lapack_set(type, to, 2 * (j + i * to_ld),
                       lapack_get(type, from, 2 * (i + j * from_ld)));
            lapack_set(type, to, 2 * (j + i * to_ld) + 1,
                       -lapack_get(type, from, 2 * (i + j * from_ld) + 1));
        }
}

static void copy_matrix(enum openblas_type type, openblas_int rows, openblas_int columns,
                        const void *from, int64_t from_ld, void *to, int64_t to_ld)
{
    for (int64_t j = 0; j < columns; j++)
        memcpy(lapack_at(type, to, j * to_ld), lapack_at(type, from, j * from_ld),
               (size_t)rows * lapack_bytes(type));
}

/* Copies what is wanted out of a problem that had memory of its own. */
static void copy_results(const struct svd_problem *p, const struct svd_problem *own)
{
    const openblas_int all = p->jobu == 'A' ? p->n : least(p), rank = p->rank ? p->rank : all;
    const openblas_int values = p->rank ? p->rank : least(p);

    memcpy(p->s, own->s, (size_t)values * lapack_bytes(lapack_real(p->type)));
    if (p->jobu == 'N')
        return;
    if (own->u != p->u)
        copy_matrix(p->type, p->m, values, own->u, own->ldu, p->u, p->ldu);
    if (p->wants_v)
        copy_transposed(p->type, rank, p->n, own->vt, own->ldvt, p->vt, p->ldvt);
    else
        copy_matrix(p->type, rank, p->n, own->vt, own->ldvt, p->vt, p->ldvt);
}

/* Memory of its own for A, S, U and VT where the problem's cannot be LAPACK's. */
static CUresult run_copied(const struct svd_problem *p, struct lapack_memory *memory,
                           openblas_int *info)
{
    const openblas_int rows_vt = p->jobu == 'A' ? p->n : least(p);
    const size_t bytes = lapack_bytes(p->type), small = (size_t)least(p);
    const bool with_vectors = p->jobu != 'N', copies_u = p->rank && with_vectors;
    struct svd_problem own = *p;
    CUresult result;

    own.s = lapack_memory_take(memory, small * lapack_bytes(lapack_real(p->type)));
    own.vt = lapack_memory_take(memory, with_vectors ? (size_t)rows_vt * (size_t)p->n * bytes : 1);
    own.ldvt = rows_vt > 0 ? rows_vt : 1;
    if (p->keeps_a) {
        own.a = lapack_memory_take(memory, (size_t)p->m * (size_t)p->n * bytes);
        own.lda = p->m;
    }
    if (copies_u) {
        own.u = lapack_memory_take(memory, (size_t)p->m * small * bytes);
        own.ldu = p->m;
    }
    if (!own.s || !own.vt || !own.a || (copies_u && !own.u))
        return CUDA_ERROR_OUT_OF_MEMORY;
    if (p->keeps_a)
        copy_matrix(p->type, p->m, p->n, p->a, p->lda, own.a, p->m);
    result = run_plain(&own, memory, info);
    if (result == CUDA_SUCCESS)
        copy_results(p, &own);
    return result;
}

CUresult svd_run(const struct svd_problem *problem, struct lapack_memory *memory,
                 openblas_int *info)
{
    *info = 0;
    if (!is_finite(problem))
        return not_finite(problem, info);
    if (problem->unsorted)
        return jacobi_run_svd(problem, memory, info);
    if (problem->keeps_a || problem->rank || (problem->wants_v && problem->jobvt != 'N'))
        return run_copied(problem, memory, info);
    return run_plain(problem, memory, info);
}

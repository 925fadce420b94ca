/* SPDX-License-Identifier: MIT */
/* All eigenvalues come from divide and conquer (syevd), some from relatively robust representations
 * (syevr). A pair is reduced to one matrix by the Cholesky factor of B. */
#include "eigen_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Working memory of LAPACK: numbers of the type, real ones, and integers. */
struct memory {
    openblas_int numbers, reals, integers;
    void *work, *rwork, *iwork;
};

static int allocate(enum openblas_type type, struct memory *memory, const double *work,
                    const double *rwork, openblas_int integers)
{
    memory->numbers = (openblas_int)lapack_get(type, work, 0);
    memory->reals = (openblas_int)lapack_get(type, rwork, 0);
    memory->reals = memory->reals > 1 ? memory->reals : 1;
    memory->integers = integers > 1 ? integers : 1;
    memory->work = malloc((size_t)memory->numbers * lapack_bytes(type));
    memory->rwork = malloc((size_t)memory->reals * lapack_bytes(lapack_real(type)));
    memory->iwork = malloc((size_t)memory->integers * sizeof(openblas_int));
    return memory->work && memory->rwork && memory->iwork;
}

static void release(struct memory *memory)
{
    free(memory->work);
    free(memory->rwork);
    free(memory->iwork);
}

static openblas_int call_syevd(const struct eigen_problem *p, struct memory *memory)
{
    openblas_int info = 0;

    if (lapack_is_complex(p->type))
        lapack()->syevd_complex[p->type](
            &p->job, &p->uplo, &p->n, p->a, &p->lda, p->w, memory->work, &memory->numbers,
            memory->rwork, &memory->reals, memory->iwork, &memory->integers, &info, 1, 1);
    else
        lapack()->syevd_real[p->type](&p->job, &p->uplo, &p->n, p->a, &p->lda, p->w, memory->work,
                                      &memory->numbers, memory->iwork, &memory->integers, &info, 1,
                                      1);
    return info;
}

static CUresult run_all(const struct eigen_problem *p, openblas_int *info)
{
    double work[2] = {0, 0}, rwork[2] = {0, 0};
    openblas_int integers = 0;
    struct memory memory = {-1, -1, -1, work, rwork, &integers};

    call_syevd(p, &memory);
    if (!allocate(p->type, &memory, work, rwork, integers)) {
        release(&memory);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *info = call_syevd(p, &memory);
    release(&memory);
    return CUDA_SUCCESS;
}

/* Where syevr writes: vectors beside the matrix, and all of w even if few values are found. */
struct selection {
    const struct eigen_problem *problem;
    openblas_int found;
    void *w, *z;
    openblas_int *support;
};

static openblas_int call_syevr(struct selection *s, struct memory *memory)
{
    const struct eigen_problem *p = s->problem;
    const double zero[2] = {0, 0};
    double vl[1], vu[1];
    openblas_int info = 0;

    lapack_set(p->type, vl, 0, p->vl);
    lapack_set(p->type, vu, 0, p->vu);
    if (lapack_is_complex(p->type))
        lapack()->syevr_complex[p->type](
            &p->job, &p->range, &p->uplo, &p->n, p->a, &p->lda, vl, vu, &p->il, &p->iu, zero,
            &s->found, s->w, s->z, &p->n, s->support, memory->work, &memory->numbers, memory->rwork,
            &memory->reals, memory->iwork, &memory->integers, &info, 1, 1, 1);
    else
        lapack()->syevr_real[p->type](&p->job, &p->range, &p->uplo, &p->n, p->a, &p->lda, vl, vu,
                                      &p->il, &p->iu, zero, &s->found, s->w, s->z, &p->n,
                                      s->support, memory->work, &memory->numbers, memory->iwork,
                                      &memory->integers, &info, 1, 1, 1);
    return info;
}

static void copy_selection(const struct selection *s)
{
    const struct eigen_problem *p = s->problem;

    memcpy(p->w, s->w, (size_t)s->found * lapack_bytes(lapack_real(p->type)));
    for (int64_t j = 0; p->job == 'V' && j < s->found; j++)
        memcpy(lapack_at(p->type, p->a, j * p->lda), lapack_at(p->type, s->z, j * p->n),
               (size_t)p->n * lapack_bytes(p->type));
}

static CUresult run_some(const struct eigen_problem *p, openblas_int *found, openblas_int *info)
{
    const size_t n = (size_t)p->n;
    double work[2] = {0, 0}, rwork[2] = {0, 0};
    openblas_int integers = 0;
    struct memory memory = {-1, -1, -1, work, rwork, &integers};
    struct selection s = {.problem = p,
                          .w = malloc(n * lapack_bytes(lapack_real(p->type))),
                          .z = malloc(n * (p->job == 'V' ? n : 1) * lapack_bytes(p->type)),
                          .support = malloc(2 * n * sizeof(openblas_int))};
    CUresult result = CUDA_ERROR_OUT_OF_MEMORY;

    if (s.w && s.z && s.support) {
        call_syevr(&s, &memory);
        if (allocate(p->type, &memory, work, rwork, integers)) {
            *info = call_syevr(&s, &memory);
            *found = s.found;
            copy_selection(&s);
            result = CUDA_SUCCESS;
        }
        release(&memory);
    }
    free(s.w);
    free(s.z);
    free(s.support);
    return result;
}

static int is_finite(const struct eigen_problem *p)
{
    const int64_t parts = lapack_is_complex(p->type) ? 2 : 1;

    for (int64_t j = 0; j < p->n; j++) {
        const int64_t first = p->uplo == 'L' ? j : 0, end = p->uplo == 'L' ? p->n : j + 1;

        for (int64_t i = first * parts; i < end * parts; i++)
            if (!isfinite(lapack_get(p->type, p->a, j * p->lda * parts + i)))
                return 0;
    }
    return 1;
}

/* Makes vectors of the pair from those of the reduced matrix. */
static void transform_back(const struct eigen_problem *p, openblas_int columns)
{
    const char conjugate = lapack_is_complex(p->type) ? 'C' : 'T', plain = 'N';
    const char trans = (p->uplo == 'U') == (p->itype != 3) ? plain : conjugate;

    (p->itype == 3 ? openblas()->trmm : openblas()->trsm)[p->type](
        "L", &p->uplo, &trans, "N", &p->n, &columns, lapack_number(p->type, 1), p->b, &p->ldb, p->a,
        &p->lda, 1, 1, 1, 1);
}

static CUresult run_one(const struct eigen_problem *p, openblas_int *found, openblas_int *info)
{
    *found = p->n;
    *info = 0;
    if (!is_finite(p)) {
        for (openblas_int i = 0; i < p->n; i++)
            lapack_set(p->type, p->w, i, NAN);
        *info = p->not_finite;
        return CUDA_SUCCESS;
    }
    return p->range == 'A' ? run_all(p, info) : run_some(p, found, info);
}

CUresult eigen_run(const struct eigen_problem *p, openblas_int *found, openblas_int *info)
{
    CUresult result;

    if (p->itype == 0)
        return run_one(p, found, info);
    *found = 0;
    *info = 0;
    lapack()->potrf[p->type](&p->uplo, &p->n, p->b, &p->ldb, info, 1);
    if (*info != 0) {
        *info += p->n;
        return CUDA_SUCCESS;
    }
    lapack()->sygst[p->type](&p->itype, &p->uplo, &p->n, p->a, &p->lda, p->b, &p->ldb, info, 1);
    result = run_one(p, found, info);
    if (result == CUDA_SUCCESS && *info == 0 && p->job == 'V' && *found > 0)
        transform_back(p, *found);
    return result;
}

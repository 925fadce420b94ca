/* SPDX-License-Identifier: MIT */
/* All eigenvalues come from divide and conquer (syevd), some from relatively robust representations
 * (syevr). A pair is reduced to one matrix by the Cholesky factor of B. */
#include "eigen_run.h"

#include "jacobi_run.h"

#include <math.h>
#include <string.h>

/* Working memory of LAPACK: numbers of the type, real ones, and integers. Sizes of -1 ask. */
struct work {
    struct lapack_sizes sizes;
    void *numbers, *reals, *integers;
};

static bool take_work(struct lapack_memory *memory, enum openblas_type type, struct work *work)
{
    work->sizes = memory->sizes;
    work->numbers = lapack_memory_take(memory, (size_t)work->sizes.numbers * lapack_bytes(type));
    work->reals =
        lapack_memory_take(memory, (size_t)work->sizes.reals * lapack_bytes(lapack_real(type)));
    work->integers =
        lapack_memory_take(memory, (size_t)work->sizes.integers * sizeof(openblas_int));
    return work->numbers && work->reals && work->integers;
}

static openblas_int at_least_one(double size)
{
    return size > 1 ? (openblas_int)size : 1;
}

typedef openblas_int eigen_call(void *job, const struct work *work);

/* Calls LAPACK with the memory that it wants, for which it is asked once. */
static CUresult with_work(struct lapack_memory *memory, enum openblas_type type, eigen_call *call,
                          void *job, openblas_int *info)
{
    double numbers[2] = {0, 0}, reals[2] = {0, 0};
    openblas_int integers = 0;
    struct work work = {{-1, -1, -1}, numbers, reals, &integers};

    if (!memory->has_sizes) {
        call(job, &work);
        memory->sizes =
            (struct lapack_sizes){at_least_one(lapack_get(type, numbers, 0)),
                                  at_least_one(lapack_get(type, reals, 0)), at_least_one(integers)};
        memory->has_sizes = true;
    }
    if (!take_work(memory, type, &work))
        return CUDA_ERROR_OUT_OF_MEMORY;
    *info = call(job, &work);
    return CUDA_SUCCESS;
}

static openblas_int call_syevd(void *job, const struct work *work)
{
    const struct eigen_problem *p = *(const struct eigen_problem **)job;
    openblas_int info = 0;

    if (lapack_is_complex(p->type))
        lapack()->syevd_complex[p->type](
            &p->job, &p->uplo, &p->n, p->a, &p->lda, p->w, work->numbers, &work->sizes.numbers,
            work->reals, &work->sizes.reals, work->integers, &work->sizes.integers, &info, 1, 1);
    else
        lapack()->syevd_real[p->type](&p->job, &p->uplo, &p->n, p->a, &p->lda, p->w, work->numbers,
                                      &work->sizes.numbers, work->integers, &work->sizes.integers,
                                      &info, 1, 1);
    return info;
}

/* Where syevr writes: vectors beside the matrix, and all of w even if few values are found. */
struct selection {
    const struct eigen_problem *problem;
    openblas_int found;
    void *w, *z;
    openblas_int *support;
};

static openblas_int call_syevr(void *job, const struct work *work)
{
    struct selection *s = job;
    const struct eigen_problem *p = s->problem;
    const double zero[2] = {0, 0};
    double vl[1], vu[1];
    openblas_int info = 0;

    lapack_set(p->type, vl, 0, p->vl);
    lapack_set(p->type, vu, 0, p->vu);
    if (lapack_is_complex(p->type))
        lapack()->syevr_complex[p->type](
            &p->job, &p->range, &p->uplo, &p->n, p->a, &p->lda, vl, vu, &p->il, &p->iu, zero,
            &s->found, s->w, s->z, &p->n, s->support, work->numbers, &work->sizes.numbers,
            work->reals, &work->sizes.reals, work->integers, &work->sizes.integers, &info, 1, 1, 1);
    else
        lapack()->syevr_real[p->type](&p->job, &p->range, &p->uplo, &p->n, p->a, &p->lda, vl, vu,
                                      &p->il, &p->iu, zero, &s->found, s->w, s->z, &p->n,
                                      s->support, work->numbers, &work->sizes.numbers,
                                      work->integers, &work->sizes.integers, &info, 1, 1, 1);
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

static CUresult run_some(const struct eigen_problem *p, struct lapack_memory *memory,
                         openblas_int *found, openblas_int *info)
{
    const size_t n = (size_t)p->n, vectors = n * (p->job == 'V' ? n : 1);
    struct selection s = {.problem = p,
                          .w = lapack_memory_take(memory, n * lapack_bytes(lapack_real(p->type))),
                          .z = lapack_memory_take(memory, vectors * lapack_bytes(p->type)),
                          .support = lapack_memory_take(memory, 2 * n * sizeof(openblas_int))};
    CUresult result = CUDA_ERROR_OUT_OF_MEMORY;

    if (s.w && s.z && s.support)
        result = with_work(memory, p->type, call_syevr, &s, info);
    if (result != CUDA_SUCCESS)
        return result;
    *found = s.found;
    copy_selection(&s);
    return CUDA_SUCCESS;
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

static CUresult run_one(const struct eigen_problem *p, struct lapack_memory *memory,
                        openblas_int *found, openblas_int *info)
{
    *found = p->n;
    *info = 0;
    if (!is_finite(p)) {
        for (openblas_int i = 0; i < p->n; i++)
            lapack_set(p->type, p->w, i, NAN);
        *info = p->not_finite;
        return CUDA_SUCCESS;
    }
    if (p->unsorted)
        return jacobi_run_eigen(p, memory, info);
    return p->range == 'A' ? with_work(memory, p->type, call_syevd, &p, info)
                           : run_some(p, memory, found, info);
}

CUresult eigen_run(const struct eigen_problem *p, struct lapack_memory *memory, openblas_int *found,
                   openblas_int *info)
{
    CUresult result;

    if (p->itype == 0)
        return run_one(p, memory, found, info);
    *found = 0;
    *info = 0;
    lapack()->potrf[p->type](&p->uplo, &p->n, p->b, &p->ldb, info, 1);
    if (*info != 0) {
        *info += p->n;
        return CUDA_SUCCESS;
    }
    lapack()->sygst[p->type](&p->itype, &p->uplo, &p->n, p->a, &p->lda, p->b, &p->ldb, info, 1);
    result = run_one(p, memory, found, info);
    if (result == CUDA_SUCCESS && *info == 0 && p->job == 'V' && *found > 0)
        transform_back(p, *found);
    return result;
}

/* SPDX-License-Identifier: MIT */
/* Batches of factorisations: LU with and without pivots, what follows from it, QR and least
 * squares. Each matrix is a call of LAPACK or a few of BLAS; small ones are spread over the cores.
 */
#include "batch.h"
#include "element.h"

#include <stdlib.h>
#include <string.h>

enum { INVERSE_ORDER_MOST = 32 };

struct factor {
    enum blas_type type;
    char trans;
    openblas_int m, n, columns; /* of A; columns of the right-hand side */
    openblas_int lda, ldb;
    void *const *a, *const *b; /* arrays in device memory; b is also the inverse and tau */
    int *pivots;               /* n for each matrix, or NULL */
    int *info;                 /* one for each, or NULL */
    int64_t count;
};

static struct blas_complex divide(struct blas_complex a, struct blas_complex b)
{
    double scale = b.re * b.re + b.im * b.im;
    struct blas_complex product = blas_multiply(a, blas_conjugate(b));

    return (struct blas_complex){product.re / scale, product.im / scale};
}

/* LU without pivots, column by column. Returns the first pivot, from 1, that is zero; or 0. */
static int factor_without_pivots(enum blas_type type, openblas_int n, void *a, openblas_int lda)
{
    const cudaDataType_t element = blas_data_type(type);
    int info = 0;

    for (int64_t k = 0; k < n; k++) {
        struct blas_complex pivot = blas_load(element, a, k + k * lda);

        if (pivot.re == 0 && pivot.im == 0) {
            info = info ? info : (int)k + 1;
            continue;
        }
        for (int64_t i = k + 1; i < n; i++)
            blas_store(element, a, i + k * lda, divide(blas_load(element, a, i + k * lda), pivot));
        for (int64_t j = k + 1; j < n; j++) {
            struct blas_complex u = blas_load(element, a, k + j * lda);

            for (int64_t i = k + 1; i < n; i++) {
                struct blas_complex l = blas_multiply(blas_load(element, a, i + k * lda), u),
                                    old = blas_load(element, a, i + j * lda);

                blas_store(element, a, i + j * lda,
                           (struct blas_complex){old.re - l.re, old.im - l.im});
            }
        }
    }
    return info;
}

static void getrf_part(void *arguments, size_t index)
{
    const struct factor *job = arguments;
    openblas_int info = 0;

    if (job->pivots)
        openblas()->getrf[job->type](&job->n, &job->n, job->a[index], &job->lda,
                                     job->pivots + index * (size_t)job->n, &info);
    else
        info = factor_without_pivots(job->type, job->n, job->a[index], job->lda);
    job->info[index] = info;
}

/* Exchanges the rows of b as the pivots say, or back. */
static void exchange_rows(const struct factor *job, const int *pivots, void *b, openblas_int ld,
                          openblas_int columns, bool back)
{
    const size_t bytes = blas_bytes(job->type);

    for (openblas_int step = 0; step < job->n; step++) {
        openblas_int row = back ? job->n - 1 - step : step, other = pivots[row] - 1;

        for (int64_t j = 0; j < columns && other != row; j++) {
            char *p = blas_at(b, row + j * ld, bytes), *q = blas_at(b, other + j * ld, bytes);
            char held[16];

            memcpy(held, p, bytes);
            memcpy(p, q, bytes);
            memcpy(q, held, bytes);
        }
    }
}

/* Solves with the factors of A in place of b. */
static void solve(const struct factor *job, const int *pivots, const void *a, void *b,
                  openblas_int ldb, openblas_int columns, char trans)
{
    openblas_trmm *trsm = openblas()->trsm[job->type];
    const void *one = blas_one(job->type);

    if (trans == 'N') {
        if (pivots)
            exchange_rows(job, pivots, b, ldb, columns, false);
        trsm("L", "L", "N", "U", &job->n, &columns, one, a, &job->lda, b, &ldb, 1, 1, 1, 1);
        trsm("L", "U", "N", "N", &job->n, &columns, one, a, &job->lda, b, &ldb, 1, 1, 1, 1);
        return;
    }
    trsm("L", "U", &trans, "N", &job->n, &columns, one, a, &job->lda, b, &ldb, 1, 1, 1, 1);
    trsm("L", "L", &trans, "U", &job->n, &columns, one, a, &job->lda, b, &ldb, 1, 1, 1, 1);
    if (pivots)
        exchange_rows(job, pivots, b, ldb, columns, true);
}

static const int *pivots_of(const struct factor *job, size_t index)
{
    return job->pivots ? job->pivots + index * (size_t)job->n : NULL;
}

static void getrs_part(void *arguments, size_t index)
{
    const struct factor *job = arguments;

    solve(job, pivots_of(job, index), job->a[index], job->b[index], job->ldb, job->columns,
          job->trans);
}

/* The first zero, from 1, on the diagonal of U; or 0. */
static int singular_at(const struct factor *job, const void *a)
{
    const cudaDataType_t element = blas_data_type(job->type);

    for (openblas_int i = 0; i < job->n; i++) {
        struct blas_complex u = blas_load(element, a, i + (int64_t)i * job->lda);

        if (u.re == 0 && u.im == 0)
            return i + 1;
    }
    return 0;
}

static void set_identity(const struct factor *job, void *b)
{
    const cudaDataType_t element = blas_data_type(job->type);

    for (int64_t j = 0; j < job->n; j++)
        for (int64_t i = 0; i < job->n; i++)
            blas_store(element, b, i + j * job->ldb, (struct blas_complex){i == j, 0});
}

/* The inverse of a singular matrix is written as well, with values that are not finite. */
static void getri_part(void *arguments, size_t index)
{
    const struct factor *job = arguments;
    const void *a = job->a[index];

    set_identity(job, job->b[index]);
    solve(job, pivots_of(job, index), a, job->b[index], job->ldb, job->n, 'N');
    job->info[index] = singular_at(job, a);
}

static void matinv_part(void *arguments, size_t index)
{
    struct factor job = *(const struct factor *)arguments;
    double copy[INVERSE_ORDER_MOST * INVERSE_ORDER_MOST * 2];
    int pivots[INVERSE_ORDER_MOST];
    const size_t bytes = blas_bytes(job.type);
    openblas_int info = 0;

    for (int64_t j = 0; j < job.n; j++)
        memcpy(blas_at(copy, j * job.n, bytes), blas_at(job.a[index], j * job.lda, bytes),
               (size_t)job.n * bytes);
    job.lda = job.n;
    openblas()->getrf[job.type](&job.n, &job.n, copy, &job.lda, pivots, &info);
    if (info == 0) {
        set_identity(&job, job.b[index]);
        solve(&job, pivots, copy, job.b[index], job.ldb, job.n, 'N');
    }
    job.info[index] = info;
}

static void geqrf_part(void *arguments, size_t index)
{
    const struct factor *job = arguments;
    openblas_int lwork = (openblas_int)blas_max(1, job->n), info = 0;
    void *work = malloc((size_t)lwork * blas_bytes(job->type));

    if (work)
        openblas()->geqrf[job->type](&job->m, &job->n, job->a[index], &job->lda, job->b[index],
                                     work, &lwork, &info);
    free(work);
}

static void gels_part(void *arguments, size_t index)
{
    const struct factor *job = arguments;
    openblas_int smaller = job->m < job->n ? job->m : job->n;
    openblas_int lwork = smaller + (openblas_int)blas_max(smaller, blas_max(job->columns, 1)),
                 info = 0;
    void *work = malloc((size_t)lwork * blas_bytes(job->type));

    if (work)
        openblas()->gels[job->type](&job->trans, &job->m, &job->n, &job->columns, job->a[index],
                                    &job->lda, job->b[index], &job->ldb, work, &lwork, &info, 1);
    free(work);
    if (job->info)
        job->info[index] = info;
}

static uint64_t operations_of(const struct factor *job)
{
    return (uint64_t)blas_max(1, job->m ? job->m : job->n) * (uint64_t)blas_max(1, job->n) *
           (uint64_t)blas_max(1, job->n) * (blas_is_complex(job->type) ? 4 : 1);
}

/* The work of each function; a lib_work cannot say which part it calls. */
static CUresult run_each(void *arguments, void (*part)(void *, size_t))
{
    const struct factor *job = arguments;

    blas_for_batch(job->count, operations_of(job), part, arguments);
    return CUDA_SUCCESS;
}

static CUresult run_getrf(void *arguments)
{
    return run_each(arguments, getrf_part);
}

static CUresult run_getrs(void *arguments)
{
    return run_each(arguments, getrs_part);
}

static CUresult run_getri(void *arguments)
{
    return run_each(arguments, getri_part);
}

static CUresult run_matinv(void *arguments)
{
    return run_each(arguments, matinv_part);
}

static CUresult run_geqrf(void *arguments)
{
    return run_each(arguments, geqrf_part);
}

static CUresult run_gels(void *arguments)
{
    return run_each(arguments, gels_part);
}

/* Adds matrices that the addresses of an array lead to. */
static void add_matrices(struct blas_ranges *ranges, const struct factor *job,
                         void *const *pointers, int64_t rows, int64_t columns, int64_t ld,
                         bool read, bool written)
{
    struct cupipe_range range = lib_through(
        pointers, (size_t)job->count, blas_matrix(NULL, rows, columns, ld, blas_bytes(job->type)));

    if (read)
        blas_add(ranges, range);
    if (written)
        blas_add(ranges, blas_written(range));
}

/* Adds what stands beside the matrices: an inverse, right-hand sides, or the factors of reflectors.
 */
static void add_beside(struct blas_ranges *ranges, const struct factor *job, lib_work *run)
{
    int64_t smaller = job->m < job->n ? job->m : job->n, larger = blas_max(job->m, job->n);

    if (run == run_geqrf)
        add_matrices(ranges, job, job->b, smaller, 1, smaller, false, true);
    else if (run == run_gels)
        add_matrices(ranges, job, job->b, larger, job->columns, job->ldb, true, true);
    else if (run == run_getrs)
        add_matrices(ranges, job, job->b, job->n, job->columns, job->ldb, true, true);
    else
        add_matrices(ranges, job, job->b, job->n, job->n, job->ldb, false, true);
}

static cublasStatus_t submit(cublasHandle_t handle, const char *name, const struct factor *job,
                             bool has_b, bool writes_pivots, lib_work *run)
{
    const size_t count = (size_t)job->count;
    struct blas_ranges ranges = {.count = 0};

    add_matrices(&ranges, job, job->a, job->m ? job->m : job->n, job->n, job->lda, true,
                 run == run_getrf || run == run_geqrf || run == run_gels);
    if (has_b)
        add_beside(&ranges, job, run);
    if (job->pivots) {
        struct cupipe_range pivots = lib_read(job->pivots, count * (size_t)job->n * sizeof(int));

        blas_add(&ranges, writes_pivots ? blas_written(pivots) : pivots);
    }
    if (job->info || (run != run_getrs && run != run_geqrf && run != run_gels))
        blas_add(&ranges, lib_written(job->info, count * sizeof(int)));
    return blas_submit(handle, name, operations_of(job) * count, &ranges, run, job, sizeof(*job));
}

static cublasStatus_t getrf(cublasHandle_t handle, const char *name, enum blas_type type, int n,
                            const void *A, int lda, int *P, int *info, int batchSize)
{
    const struct factor job = {
        .type = type, .n = n, .lda = lda, .a = A, .pivots = P, .info = info, .count = batchSize};

    if (!blas_is_handle(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (n < 0 || lda < blas_max(1, n) || batchSize < 0)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (n == 0 || batchSize == 0)
        return CUBLAS_STATUS_SUCCESS;
    return submit(handle, name, &job, false, true, run_getrf);
}

/* getri and matinv: an inverse beside the matrix. */
static cublasStatus_t invert(cublasHandle_t handle, const char *name, enum blas_type type, int n,
                             const void *A, int lda, const int *P, const void *C, int ldc,
                             int *info, int batchSize, lib_work *run)
{
    const struct factor job = {.type = type,
                               .n = n,
                               .lda = lda,
                               .a = A,
                               .pivots = (int *)P,
                               .b = C,
                               .ldb = ldc,
                               .info = info,
                               .count = batchSize};

    if (!blas_is_handle(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (n < 0 || lda < blas_max(1, n) || ldc < blas_max(1, n) || batchSize < 0 ||
        (run == run_matinv && n > INVERSE_ORDER_MOST))
        return CUBLAS_STATUS_INVALID_VALUE;
    if (n == 0 || batchSize == 0)
        return CUBLAS_STATUS_SUCCESS;
    return submit(handle, name, &job, true, false, run);
}

/* Writes the number of the argument that is wrong, as LAPACK does, and tells what to answer. */
static cublasStatus_t report(int *info, int wrong)
{
    *info = -wrong;
    return wrong ? CUBLAS_STATUS_INVALID_VALUE : CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t getrs(cublasHandle_t handle, const char *name, enum blas_type type,
                            cublasOperation_t trans, int n, int nrhs, const void *A, int lda,
                            const int *P, const void *B, int ldb, int *info, int batchSize)
{
    const struct factor job = {.type = type,
                               .trans = blas_trans(trans),
                               .n = n,
                               .columns = nrhs,
                               .lda = lda,
                               .ldb = ldb,
                               .a = A,
                               .b = B,
                               .pivots = (int *)P,
                               .count = batchSize};
    int wrong = 0;

    if (!blas_is_handle(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!info)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (!job.trans)
        wrong = 1;
    else if (n < 0 || nrhs < 0)
        wrong = n < 0 ? 2 : 3;
    else if (lda < blas_max(1, n))
        wrong = 5;
    else if (ldb < blas_max(1, n))
        wrong = 8;
    else if (batchSize < 0)
        wrong = 10;
    if (report(info, wrong) != CUBLAS_STATUS_SUCCESS)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (n == 0 || nrhs == 0 || batchSize == 0)
        return CUBLAS_STATUS_SUCCESS;
    return submit(handle, name, &job, true, false, run_getrs);
}

static cublasStatus_t geqrf(cublasHandle_t handle, const char *name, enum blas_type type, int m,
                            int n, const void *A, int lda, const void *tau, int *info,
                            int batchSize)
{
    const struct factor job = {
        .type = type, .m = m, .n = n, .lda = lda, .a = A, .b = tau, .count = batchSize};
    int wrong = 0;

    if (!blas_is_handle(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!info)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (m < 0 || n < 0)
        wrong = m < 0 ? 1 : 2;
    else if (lda < blas_max(1, m))
        wrong = 4;
    else if (batchSize < 0)
        wrong = 7;
    if (report(info, wrong) != CUBLAS_STATUS_SUCCESS)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (m == 0 || n == 0 || batchSize == 0)
        return CUBLAS_STATUS_SUCCESS;
    return submit(handle, name, &job, true, false, run_geqrf);
}

/* Only systems with at least as many rows as columns are solved, or none at all, and not transposed
 * ones. */
static cublasStatus_t gels(cublasHandle_t handle, const char *name, enum blas_type type,
                           cublasOperation_t trans, struct factor job, int *info)
{
    int wrong = 0;

    if (!blas_is_handle(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!info)
        return CUBLAS_STATUS_INVALID_VALUE;
    job.type = type;
    job.trans = blas_trans(trans);
    if (!job.trans)
        wrong = 1;
    else if (job.m < 0 || job.n < 0 || job.columns < 0)
        wrong = job.m < 0 ? 2 : job.n < 0 ? 3 : 4;
    else if (job.lda < blas_max(1, job.m))
        wrong = 6;
    else if (job.ldb < blas_max(1, job.m))
        wrong = 8;
    else if (job.count < 0)
        wrong = 11;
    if (report(info, wrong) != CUBLAS_STATUS_SUCCESS)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (job.trans != 'N' || (job.m < job.n && job.m > 0))
        return CUBLAS_STATUS_NOT_SUPPORTED;
    if (job.m == 0 || job.n == 0 || job.columns == 0 || job.count == 0)
        return CUBLAS_STATUS_SUCCESS;
    return submit(handle, name, &job, true, false, run_gels);
}

#define FACTORISATIONS(T, t)                                                                       \
    cublasStatus_t cublas##T##getrfBatched(cublasHandle_t handle, int n, t *const A[], int lda,    \
                                           int *P, int *info, int batchSize)                       \
    {                                                                                              \
        return getrf(handle, "cublas" #T "getrfBatched", BLAS_##T, n, A, lda, P, info, batchSize); \
    }                                                                                              \
    cublasStatus_t cublas##T##getriBatched(cublasHandle_t handle, int n, const t *const A[],       \
                                           int lda, const int *P, t *const C[], int ldc,           \
                                           int *info, int batchSize)                               \
    {                                                                                              \
        return invert(handle, "cublas" #T "getriBatched", BLAS_##T, n, A, lda, P, C, ldc, info,    \
                      batchSize, run_getri);                                                       \
    }                                                                                              \
    cublasStatus_t cublas##T##matinvBatched(cublasHandle_t handle, int n, const t *const A[],      \
                                            int lda, t *const Ainv[], int lda_inv, int *info,      \
                                            int batchSize)                                         \
    {                                                                                              \
        return invert(handle, "cublas" #T "matinvBatched", BLAS_##T, n, A, lda, NULL, Ainv,        \
                      lda_inv, info, batchSize, run_matinv);                                       \
    }                                                                                              \
    cublasStatus_t cublas##T##getrsBatched(                                                        \
        cublasHandle_t handle, cublasOperation_t trans, int n, int nrhs, const t *const Aarray[],  \
        int lda, const int *devIpiv, t *const Barray[], int ldb, int *info, int batchSize)         \
    {                                                                                              \
        return getrs(handle, "cublas" #T "getrsBatched", BLAS_##T, trans, n, nrhs, Aarray, lda,    \
                     devIpiv, Barray, ldb, info, batchSize);                                       \
    }                                                                                              \
    cublasStatus_t cublas##T##geqrfBatched(cublasHandle_t handle, int m, int n, t *const Aarray[], \
                                           int lda, t *const TauArray[], int *info, int batchSize) \
    {                                                                                              \
        return geqrf(handle, "cublas" #T "geqrfBatched", BLAS_##T, m, n, Aarray, lda, TauArray,    \
                     info, batchSize);                                                             \
    }                                                                                              \
    cublasStatus_t cublas##T##gelsBatched(                                                         \
        cublasHandle_t handle, cublasOperation_t trans, int m, int n, int nrhs, t *const Aarray[], \
        int lda, t *const Carray[], int ldc, int *info, int *devInfoArray, int batchSize)          \
    {                                                                                              \
        return gels(handle, "cublas" #T "gelsBatched", BLAS_##T, trans,                            \
                    (struct factor){.m = m,                                                        \
                                    .n = n,                                                        \
                                    .columns = nrhs,                                               \
                                    .lda = lda,                                                    \
                                    .ldb = ldc,                                                    \
                                    .a = (void *const *)Aarray,                                    \
                                    .b = (void *const *)Carray,                                    \
                                    .info = devInfoArray,                                          \
                                    .count = batchSize},                                           \
                    info);                                                                         \
    }

FACTORISATIONS(S, float)
FACTORISATIONS(D, double)
FACTORISATIONS(C, cuComplex)
FACTORISATIONS(Z, cuDoubleComplex)

/* SPDX-License-Identifier: MIT */
/* Nonzeros of a dense matrix, counted; and CSR without the elements that are not larger than a
 * tolerance. */
#include "legacy/legacy.h"
#include "typed/typed.h"

#include <string.h>

struct nnz_work {
    cudaDataType type;
    bool by_rows;
    int m, n, lda;
    const void *a;
    int *counts, *total;
};

static CUresult nnz_run(void *arguments)
{
    const struct nnz_work *work = arguments;
    int lines = work->by_rows ? work->m : work->n, total = 0;

    memset(work->counts, 0, (size_t)lines * sizeof(*work->counts));
    for (int j = 0; j < work->n; j++) {
        for (int i = 0; i < work->m; i++) {
            bool is_zero =
                sparse_is_zero(sparse_load(work->type, work->a, (int64_t)j * work->lda + i));

            work->counts[work->by_rows ? i : j] += !is_zero;
            total += !is_zero;
        }
    }
    *work->total = total;
    return CUDA_SUCCESS;
}

static cusparseStatus_t nnz(cusparseHandle_t handle, const char *name, cudaDataType type,
                            cusparseDirection_t direction, int m, int n,
                            const struct cusparseMatDescr *descr, const void *a, int lda,
                            int *counts, int *total)
{
    struct nnz_work work = {type, direction == CUSPARSE_DIRECTION_ROW, m, n, lda, a, counts, total};
    cusparseStatus_t status = sparse_check(handle, descr, m, n, 0);
    struct sparse_ranges ranges = {.count = 0};
    size_t bytes = sparse_bytes(type);

    if (status != CUSPARSE_STATUS_SUCCESS)
        return status;
    if ((unsigned)direction > CUSPARSE_DIRECTION_COLUMN || lda < m || !total)
        return CUSPARSE_STATUS_INVALID_VALUE;
    sparse_add(&ranges, lib_read_pieces(a, (size_t)m * bytes, (size_t)n, (size_t)lda * bytes));
    sparse_writes(&ranges, counts, work.by_rows ? m : n, sizeof(int));
    sparse_add_result(handle, &ranges, total);
    return sparse_submit_result(handle, name, (int64_t)m * n * 4, &ranges, nnz_run, &work,
                                sizeof(work));
}

struct compress_work {
    cudaDataType type;
    int m, index_base;
    const void *values;
    const int *offsets, *indices;
    double tolerance;
    int *counts, *total; /* nnz_compress */
    void *to_values;     /* csr2csr_compress */
    int *to_offsets, *to_indices;
    int to_base;
};

static bool is_kept(const struct compress_work *work, int k)
{
    return sparse_typed(work->type)
               ->magnitude(sparse_at(work->values, k, sparse_bytes(work->type))) > work->tolerance;
}

static CUresult count_run(void *arguments)
{
    const struct compress_work *work = arguments;
    int total = 0;

    for (int row = 0; row < work->m; row++) {
        int count = 0;

        for (int k = work->offsets[row]; k < work->offsets[row + 1]; k++)
            count += is_kept(work, k - work->index_base);
        work->counts[row] = count;
        total += count;
    }
    *work->total = total;
    return CUDA_SUCCESS;
}

static CUresult compress_run(void *arguments)
{
    const struct compress_work *work = arguments;
    size_t bytes = sparse_bytes(work->type);
    int place = 0;

    for (int row = 0; row < work->m; row++) {
        work->to_offsets[row] = place + work->to_base;
        for (int k = work->offsets[row] - work->index_base;
             k < work->offsets[row + 1] - work->index_base; k++) {
            if (!is_kept(work, k))
                continue;
            memcpy(sparse_at(work->to_values, place, bytes), sparse_at(work->values, k, bytes),
                   bytes);
            work->to_indices[place++] = work->indices[k] - work->index_base + work->to_base;
        }
    }
    work->to_offsets[work->m] = place + work->to_base;
    return CUDA_SUCCESS;
}

static cusparseStatus_t nnz_compress(cusparseHandle_t handle, const char *name,
                                     const struct cusparseMatDescr *descr,
                                     struct compress_work *work)
{
    cusparseStatus_t status = sparse_check(handle, descr, work->m, 0, 0);
    struct sparse_ranges ranges = {.count = 0};

    if (status != CUSPARSE_STATUS_SUCCESS)
        return status;
    if (!work->total || !(work->tolerance >= 0))
        return CUSPARSE_STATUS_INVALID_VALUE;
    work->index_base = (int)descr->index_base;
    sparse_reads(&ranges, work->offsets, work->m + 1, sizeof(int));
    sparse_writes(&ranges, work->counts, work->m, sizeof(int));
    sparse_add_result(handle, &ranges, work->total);
    return sparse_submit_result(handle, name, (int64_t)work->m * 64, &ranges, count_run, work,
                                sizeof(*work));
}

static cusparseStatus_t csr_compress(cusparseHandle_t handle, const char *name, int n, int nnz,
                                     const struct cusparseMatDescr *descr,
                                     struct compress_work *work)
{
    cusparseStatus_t status = sparse_check(handle, descr, work->m, n, nnz);
    struct sparse_ranges ranges = {.count = 0};

    if (status != CUSPARSE_STATUS_SUCCESS)
        return status;
    if (!(work->tolerance >= 0))
        return CUSPARSE_STATUS_INVALID_VALUE;
    work->index_base = work->to_base = (int)descr->index_base;
    sparse_reads(&ranges, work->values, nnz, sparse_bytes(work->type));
    sparse_reads(&ranges, work->offsets, work->m + 1, sizeof(int));
    sparse_reads(&ranges, work->indices, nnz, sizeof(int));
    sparse_writes(&ranges, work->to_offsets, work->m + 1, sizeof(int));
    return sparse_submit(handle, name, (int64_t)nnz * 4, &ranges, compress_run, work,
                         sizeof(*work));
}

/* A tolerance of a complex type is the real part. */
#define TOLERANCE_S(tol) (tol)
#define TOLERANCE_D(tol) (tol)
#define TOLERANCE_C(tol) ((tol).x)
#define TOLERANCE_Z(tol) ((tol).x)

#define COMPRESS(letter, ctype, type_)                                                             \
    cusparseStatus_t cusparse##letter##nnz(cusparseHandle_t handle, cusparseDirection_t dirA,      \
                                           int m, int n, const cusparseMatDescr_t descrA,          \
                                           const ctype *A, int lda, int *nnzPerRowCol,             \
                                           int *nnzTotal)                                          \
    {                                                                                              \
        return nnz(handle, "cusparse" #letter "nnz", type_, dirA, m, n, descrA, A, lda,            \
                   nnzPerRowCol, nnzTotal);                                                        \
    }                                                                                              \
    cusparseStatus_t cusparse##letter##nnz_compress(                                               \
        cusparseHandle_t handle, int m, const cusparseMatDescr_t descr, const ctype *csrValA,      \
        const int *csrRowPtrA, int *nnzPerRow, int *nnzC, ctype tol)                               \
    {                                                                                              \
        struct compress_work work = {.type = type_,                                                \
                                     .m = m,                                                       \
                                     .values = csrValA,                                            \
                                     .offsets = csrRowPtrA,                                        \
                                     .tolerance = TOLERANCE_##letter(tol),                         \
                                     .counts = nnzPerRow,                                          \
                                     .total = nnzC};                                               \
                                                                                                   \
        return nnz_compress(handle, "cusparse" #letter "nnz_compress", descr, &work);              \
    }                                                                                              \
    cusparseStatus_t cusparse##letter##csr2csr_compress(                                           \
        cusparseHandle_t handle, int m, int n, const cusparseMatDescr_t descrA,                    \
        const ctype *csrValA, const int *csrColIndA, const int *csrRowPtrA, int nnzA,              \
        const int *nnzPerRow, ctype *csrValC, int *csrColIndC, int *csrRowPtrC, ctype tol)         \
    {                                                                                              \
        struct compress_work work = {.type = type_,                                                \
                                     .m = m,                                                       \
                                     .values = csrValA,                                            \
                                     .offsets = csrRowPtrA,                                        \
                                     .indices = csrColIndA,                                        \
                                     .tolerance = TOLERANCE_##letter(tol),                         \
                                     .to_values = csrValC,                                         \
                                     .to_offsets = csrRowPtrC,                                     \
                                     .to_indices = csrColIndC};                                    \
                                                                                                   \
        (void)nnzPerRow;                                                                           \
        return csr_compress(handle, "cusparse" #letter "csr2csr_compress", n, nnzA, descrA,        \
                            &work);                                                                \
    }

SPARSE_FOUR_TYPES(COMPRESS)

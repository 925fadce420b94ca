/* SPDX-License-Identifier: MIT */
/* Pruning: the elements of a dense matrix, or of CSR, that are larger than a threshold, as CSR. The
 * threshold is given, or found so that a percentage of the elements is not larger. */
#include "legacy/infos.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct prune_work {
    cudaDataType type;
    int m, n;
    const void *a; /* dense: columns of `lda`; CSR: values */
    int lda;
    const int *offsets, *indices; /* CSR; NULL: dense */
    int nnz, index_base;
    struct sparse_scalar threshold;
    bool by_percentage;
    float percentage;
    int *to_offsets, *to_indices, *total; /* NULL: not written */
    void *to_values;
    int to_base;
};

static double magnitude(const struct prune_work *work, int64_t place)
{
    return fabs(sparse_load(work->type, work->a, place).re);
}

static int compare(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;

    return left < right ? -1 : left > right;
}

/* The threshold of a percentage: the element at that place among all, sorted. */
static CUresult find_threshold(const struct prune_work *work, double *threshold)
{
    int64_t count = work->offsets ? work->nnz : (int64_t)work->m * work->n, i = 0;
    int64_t place = (int64_t)ceil((double)count * ((double)work->percentage / 100)) - 1;
    double *sorted = malloc((size_t)count * sizeof(*sorted) + 1);

    if (!sorted)
        return CUDA_ERROR_OUT_OF_MEMORY;
    if (work->offsets)
        for (; i < count; i++)
            sorted[i] = magnitude(work, i);
    for (int64_t j = 0; !work->offsets && j < work->n; j++)
        for (int64_t k = 0; k < work->m; k++)
            sorted[i++] = magnitude(work, j * work->lda + k);
    qsort(sorted, (size_t)count, sizeof(*sorted), compare);
    place = place >= count ? count - 1 : place < 0 ? 0 : place;
    *threshold = count ? sorted[place] : 0;
    free(sorted);
    return CUDA_SUCCESS;
}

/* Writes one element, or only counts it. */
static int take(const struct prune_work *work, int64_t from, int column, int to, double threshold)
{
    size_t bytes = sparse_bytes(work->type);

    if (!(magnitude(work, from) > threshold))
        return 0;
    if (work->to_indices)
        work->to_indices[to] = column + work->to_base;
    if (work->to_values)
        memcpy(sparse_at(work->to_values, to, bytes), sparse_at(work->a, from, bytes), bytes);
    return 1;
}

static CUresult prune_run(void *arguments)
{
    const struct prune_work *work = arguments;
    double threshold = 0;
    int count = 0;

    if (work->by_percentage) {
        CUresult result = find_threshold(work, &threshold);

        if (result != CUDA_SUCCESS)
            return result;
    } else {
        threshold = sparse_scalar_value(&work->threshold, work->type).re;
    }
    for (int row = 0; row < work->m; row++) {
        if (work->to_offsets)
            work->to_offsets[row] = count + work->to_base;
        for (int j = 0; !work->offsets && j < work->n; j++)
            count += take(work, (int64_t)j * work->lda + row, j, count, threshold);
        for (int k = work->offsets ? work->offsets[row] - work->index_base : 0;
             work->offsets && k < work->offsets[row + 1] - work->index_base; k++)
            count += take(work, k, work->indices[k] - work->index_base, count, threshold);
    }
    if (work->to_offsets)
        work->to_offsets[work->m] = count + work->to_base;
    if (work->total)
        *work->total = count;
    return CUDA_SUCCESS;
}

static cusparseStatus_t check_prune(cusparseHandle_t handle, const struct prune_work *work,
                                    const struct cusparseMatDescr *from,
                                    const struct cusparseMatDescr *to)
{
    cusparseStatus_t status = sparse_check(handle, to, work->m, work->n, work->nnz);

    if (status == CUSPARSE_STATUS_SUCCESS && from)
        status = sparse_check(handle, from, work->m, work->n, work->nnz);
    if (status != CUSPARSE_STATUS_SUCCESS)
        return status;
    if ((!from && work->lda < work->m) ||
        (work->by_percentage && !(work->percentage >= 0 && work->percentage <= 100)))
        return CUSPARSE_STATUS_INVALID_VALUE;
    return CUSPARSE_STATUS_SUCCESS;
}

/* `threshold` is NULL for a percentage. */
static cusparseStatus_t prune(cusparseHandle_t handle, const char *name, struct prune_work *work,
                              const void *threshold, const struct cusparseMatDescr *from,
                              const struct cusparseMatDescr *to, const int *given)
{
    cusparseStatus_t status = check_prune(handle, work, from, to);
    struct sparse_ranges ranges = {.count = 0};
    size_t bytes = sparse_bytes(work->type);

    if (status != CUSPARSE_STATUS_SUCCESS)
        return status;
    if ((!work->by_percentage && !threshold) || (!given && !work->total))
        return CUSPARSE_STATUS_INVALID_VALUE;
    work->threshold = sparse_scalar(handle, threshold, work->type);
    if (work->by_percentage)
        work->threshold.device = NULL;
    work->index_base = from ? (int)from->index_base : 0;
    work->to_base = (int)to->index_base;
    sparse_add_scalar(&ranges, &work->threshold, work->type);
    if (from) {
        sparse_reads(&ranges, work->a, work->nnz, bytes);
        sparse_reads(&ranges, work->offsets, work->m + 1, sizeof(int));
        sparse_reads(&ranges, work->indices, work->nnz, sizeof(int));
    } else {
        sparse_add(&ranges, lib_read_pieces(work->a, (size_t)work->m * bytes, (size_t)work->n,
                                            (size_t)work->lda * bytes));
    }
    if (given) {
        sparse_reads(&ranges, given, work->m + 1, sizeof(int));
        return sparse_submit(handle, name, (int64_t)work->m * work->n * 16, &ranges, prune_run,
                             work, sizeof(*work));
    }
    sparse_writes(&ranges, work->to_offsets, work->m + 1, sizeof(int));
    sparse_add_result(handle, &ranges, work->total);
    return sparse_submit_result(handle, name, (int64_t)work->m * work->n * 16, &ranges, prune_run,
                                work, sizeof(*work));
}

static cusparseStatus_t prune_info(cusparseHandle_t handle, pruneInfo_t info)
{
    if (!sparse_is_handle(handle))
        return SPARSE_BAD_HANDLE;
    return sparse_info(info, &sparse_pruneInfo_type) ? CUSPARSE_STATUS_SUCCESS
                                                     : CUSPARSE_STATUS_INVALID_VALUE;
}

/* The matrix of a function; `kind` is a value or a percentage. */
#define DENSE(type_) .type = type_, .m = m, .n = n, .a = A, .lda = lda
#define CSR(type_)                                                                                 \
    .type = type_, .m = m, .n = n, .a = csrValA, .offsets = csrRowPtrA, .indices = csrColIndA,     \
    .nnz = nnzA
#define NUMBER .by_percentage = false
#define PERCENTAGE .by_percentage = true, .percentage = percentage

/* The three functions of a kind of pruning. SOURCE are the parameters of the matrix, KIND those of
 * the threshold, INFO and CHECK those of the object that percentages have. */
#define PRUNE(name, ctype, matrix, by, value, from, SOURCE, KIND, INFO, CHECK, BY)                 \
    cusparseStatus_t cusparse##name##BY##_bufferSizeExt(                                           \
        cusparseHandle_t handle, int m, int n, SOURCE, KIND, const cusparseMatDescr_t descrC,      \
        const ctype *csrValC, const int *csrRowPtrC, const int *csrColIndC INFO,                   \
        size_t *bufferSize)                                                                        \
    {                                                                                              \
        struct prune_work work = {matrix, by};                                                     \
        cusparseStatus_t status = CHECK;                                                           \
                                                                                                   \
        (void)csrValC, (void)csrRowPtrC, (void)csrColIndC, (void)(value);                          \
        status = status ? status : check_prune(handle, &work, from, descrC);                       \
        return sparse_answer_size(status, bufferSize, SPARSE_BUFFER_BYTES);                        \
    }                                                                                              \
    cusparseStatus_t cusparse##name##Nnz##BY(cusparseHandle_t handle, int m, int n, SOURCE, KIND,  \
                                             const cusparseMatDescr_t descrC, int *csrRowPtrC,     \
                                             int *nnzTotal INFO, void *buffer)                     \
    {                                                                                              \
        struct prune_work work = {matrix, by, .to_offsets = csrRowPtrC, .total = nnzTotal};        \
        cusparseStatus_t status = CHECK;                                                           \
                                                                                                   \
        (void)buffer;                                                                              \
        return status                                                                              \
                   ? status                                                                        \
                   : prune(handle, "cusparse" #name "Nnz" #BY, &work, value, from, descrC, NULL);  \
    }                                                                                              \
    cusparseStatus_t cusparse##name##BY(cusparseHandle_t handle, int m, int n, SOURCE, KIND,       \
                                        const cusparseMatDescr_t descrC, ctype *csrValC,           \
                                        const int *csrRowPtrC, int *csrColIndC INFO, void *buffer) \
    {                                                                                              \
        struct prune_work work = {matrix, by, .to_indices = csrColIndC, .to_values = csrValC};     \
        cusparseStatus_t status = CHECK;                                                           \
                                                                                                   \
        (void)buffer;                                                                              \
        return status                                                                              \
                   ? status                                                                        \
                   : prune(handle, "cusparse" #name #BY, &work, value, from, descrC, csrRowPtrC);  \
    }

#define LIST(...) __VA_ARGS__
#define PRUNES(letter, ctype, type)                                                                \
    PRUNE(letter##pruneDense2csr, ctype, LIST(DENSE(type)), NUMBER, threshold, NULL,               \
          LIST(const ctype *A, int lda), const ctype *threshold, , CUSPARSE_STATUS_SUCCESS, )      \
    PRUNE(letter##pruneDense2csr, ctype, LIST(DENSE(type)), LIST(PERCENTAGE), NULL, NULL,          \
          LIST(const ctype *A, int lda), float percentage, LIST(, pruneInfo_t info),               \
          prune_info(handle, info), ByPercentage)                                                  \
    PRUNE(letter##pruneCsr2csr, ctype, LIST(CSR(type)), NUMBER, threshold, descrA,                 \
          LIST(int nnzA, const cusparseMatDescr_t descrA, const ctype *csrValA,                    \
               const int *csrRowPtrA, const int *csrColIndA),                                      \
          const ctype *threshold, , CUSPARSE_STATUS_SUCCESS, )                                     \
    PRUNE(letter##pruneCsr2csr, ctype, LIST(CSR(type)), LIST(PERCENTAGE), NULL, descrA,            \
          LIST(int nnzA, const cusparseMatDescr_t descrA, const ctype *csrValA,                    \
               const int *csrRowPtrA, const int *csrColIndA),                                      \
          float percentage, LIST(, pruneInfo_t info), prune_info(handle, info), ByPercentage)

PRUNES(H, __half, CUDA_R_16F)
PRUNES(S, float, CUDA_R_32F)
PRUNES(D, double, CUDA_R_64F)

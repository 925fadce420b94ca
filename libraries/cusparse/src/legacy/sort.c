/* SPDX-License-Identifier: MIT */
/* Sorting: COO by rows or by columns, and the rows of CSR or the columns of CSC, with the
 * permutation that does it. All sorts are stable. */
#include "legacy/infos.h"

#include <stdlib.h>
#include <string.h>

struct sort_work {
    int64_t lines, nnz;
    const int *offsets; /* NULL: COO */
    int *major, *minor, *permutation;
    void *values; /* sorted too, or put back; NULL: none */
    size_t bytes;
    int64_t index_base;
};

struct entry {
    int major, minor, permutation;
    int64_t place;
};

static int compare(const void *a, const void *b)
{
    const struct entry *left = a, *right = b;

    if (left->major != right->major)
        return left->major < right->major ? -1 : 1;
    if (left->minor != right->minor)
        return left->minor < right->minor ? -1 : 1;
    return left->place < right->place ? -1 : left->place > right->place;
}

/* The major index of each nonzero of CSR is its row. */
static void fill(const struct sort_work *work, struct entry *entries)
{
    int64_t line = 0;

    for (int64_t i = 0; i < work->nnz; i++) {
        while (work->offsets && line < work->lines &&
               i >= work->offsets[line + 1] - work->index_base)
            line++;
        entries[i] = (struct entry){.major = work->offsets ? (int)line : work->major[i],
                                    .minor = work->minor[i],
                                    .permutation = work->permutation ? work->permutation[i] : 0,
                                    .place = i};
    }
}

static void move_values(const struct sort_work *work, const struct entry *entries, char *copy)
{
    memcpy(copy, work->values, (size_t)work->nnz * work->bytes);
    for (int64_t i = 0; i < work->nnz; i++)
        memcpy(sparse_at(work->values, i, work->bytes),
               copy + (size_t)entries[i].place * work->bytes, work->bytes);
}

static CUresult sort_run(void *arguments)
{
    const struct sort_work *work = arguments;
    struct entry *entries = malloc((size_t)work->nnz * sizeof(*entries) + 1);
    char *copy = work->values ? malloc((size_t)work->nnz * work->bytes + 1) : NULL;
    CUresult result = CUDA_ERROR_OUT_OF_MEMORY;

    if (entries && (copy || !work->values)) {
        fill(work, entries);
        qsort(entries, (size_t)work->nnz, sizeof(*entries), compare);
        for (int64_t i = 0; i < work->nnz; i++) {
            if (work->major)
                work->major[i] = entries[i].major;
            work->minor[i] = entries[i].minor;
            if (work->permutation)
                work->permutation[i] = entries[i].permutation;
        }
        if (work->values)
            move_values(work, entries, copy);
        result = CUDA_SUCCESS;
    }
    free(entries);
    free(copy);
    return result;
}

static void add_updated(struct sparse_ranges *ranges, const void *array, int64_t count,
                        size_t bytes)
{
    if (!array)
        return;
    sparse_reads(ranges, array, count, bytes);
    sparse_writes(ranges, array, count, bytes);
}

static cusparseStatus_t submit_sort(cusparseHandle_t handle, const char *name,
                                    const struct sort_work *work)
{
    struct sparse_ranges ranges = {.count = 0};

    if (!work->nnz)
        return CUSPARSE_STATUS_SUCCESS;
    if (work->offsets)
        sparse_reads(&ranges, work->offsets, work->lines + 1, sizeof(int));
    add_updated(&ranges, work->major, work->nnz, sizeof(int));
    add_updated(&ranges, work->minor, work->nnz, sizeof(int));
    add_updated(&ranges, work->permutation, work->nnz, sizeof(int));
    add_updated(&ranges, work->values, work->nnz, work->bytes);
    return sparse_submit(handle, name, work->nnz * 100, &ranges, sort_run, work, sizeof(*work));
}

cusparseStatus_t cusparseXcoosort_bufferSizeExt(cusparseHandle_t handle, int m, int n, int nnz,
                                                const int *cooRowsA, const int *cooColsA,
                                                size_t *bufferSize)
{
    (void)cooRowsA;
    (void)cooColsA;
    return sparse_answer_size(sparse_check_handle(handle, m, n, nnz), bufferSize,
                              SPARSE_BUFFER_BYTES);
}

cusparseStatus_t cusparseXcoosortByRow(cusparseHandle_t handle, int m, int n, int nnz,
                                       int *cooRowsA, int *cooColsA, int *P, void *buffer)
{
    struct sort_work work = {.nnz = nnz, .major = cooRowsA, .minor = cooColsA, .permutation = P};
    cusparseStatus_t status = sparse_check_handle(handle, m, n, nnz);

    (void)buffer;
    return status ? status : submit_sort(handle, "cusparseXcoosortByRow", &work);
}

cusparseStatus_t cusparseXcoosortByColumn(cusparseHandle_t handle, int m, int n, int nnz,
                                          int *cooRowsA, int *cooColsA, int *P, void *buffer)
{
    struct sort_work work = {.nnz = nnz, .major = cooColsA, .minor = cooRowsA, .permutation = P};
    cusparseStatus_t status = sparse_check_handle(handle, m, n, nnz);

    (void)buffer;
    return status ? status : submit_sort(handle, "cusparseXcoosortByColumn", &work);
}

cusparseStatus_t cusparseXcsrsort_bufferSizeExt(cusparseHandle_t handle, int m, int n, int nnz,
                                                const int *csrRowPtrA, const int *csrColIndA,
                                                size_t *bufferSize)
{
    return cusparseXcoosort_bufferSizeExt(handle, m, n, nnz, csrRowPtrA, csrColIndA, bufferSize);
}

static cusparseStatus_t sort_lines(cusparseHandle_t handle, const char *name, int m, int n, int nnz,
                                   int lines, const struct cusparseMatDescr *descr,
                                   const int *offsets, int *indices, int *permutation)
{
    cusparseStatus_t status = sparse_check(handle, descr, m, n, nnz);
    struct sort_work work = {.lines = lines,
                             .nnz = nnz,
                             .offsets = offsets,
                             .minor = indices,
                             .permutation = permutation};

    if (status != CUSPARSE_STATUS_SUCCESS)
        return status;
    work.index_base = descr->index_base;
    return submit_sort(handle, name, &work);
}

cusparseStatus_t cusparseXcsrsort(cusparseHandle_t handle, int m, int n, int nnz,
                                  const cusparseMatDescr_t descrA, const int *csrRowPtrA,
                                  int *csrColIndA, int *P, void *buffer)
{
    (void)buffer;
    return sort_lines(handle, "cusparseXcsrsort", m, n, nnz, m, descrA, csrRowPtrA, csrColIndA, P);
}

cusparseStatus_t cusparseXcscsort_bufferSizeExt(cusparseHandle_t handle, int m, int n, int nnz,
                                                const int *cscColPtrA, const int *cscRowIndA,
                                                size_t *bufferSize)
{
    return cusparseXcoosort_bufferSizeExt(handle, m, n, nnz, cscColPtrA, cscRowIndA, bufferSize);
}

cusparseStatus_t cusparseXcscsort(cusparseHandle_t handle, int m, int n, int nnz,
                                  const cusparseMatDescr_t descrA, const int *cscColPtrA,
                                  int *cscRowIndA, int *P, void *buffer)
{
    (void)buffer;
    return sort_lines(handle, "cusparseXcscsort", m, n, nnz, n, descrA, cscColPtrA, cscRowIndA, P);
}

struct identity_work {
    int *permutation;
    int count;
};

static CUresult identity_run(void *arguments)
{
    const struct identity_work *work = arguments;

    for (int i = 0; i < work->count; i++)
        work->permutation[i] = i;
    return CUDA_SUCCESS;
}

cusparseStatus_t cusparseCreateIdentityPermutation(cusparseHandle_t handle, int n, int *p)
{
    struct identity_work work = {p, n};
    struct sparse_ranges ranges = {.count = 0};
    cusparseStatus_t status = sparse_check_handle(handle, n, 0, 0);

    if (status != CUSPARSE_STATUS_SUCCESS)
        return status;
    sparse_writes(&ranges, p, n, sizeof(*p));
    return sparse_submit(handle, "cusparseCreateIdentityPermutation", n, &ranges, identity_run,
                         &work, sizeof(work));
}

/* csru2csr sorts a matrix whose columns stand in any order, and keeps the permutation in the
 * program's buffer, where csr2csru finds it. */
struct unsort_work {
    int64_t nnz;
    int *indices;
    void *values;
    const int *permutation;
    size_t bytes;
};

struct csru_work {
    struct sort_work sort;
    struct identity_work identity;
};

static CUresult csru2csr_run(void *arguments)
{
    struct csru_work *work = arguments;

    identity_run(&work->identity);
    return sort_run(&work->sort);
}

static CUresult csr2csru_run(void *arguments)
{
    const struct unsort_work *work = arguments;
    int *indices = malloc((size_t)work->nnz * sizeof(*indices) + 1);
    char *values = malloc((size_t)work->nnz * work->bytes + 1);
    CUresult result = indices && values ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;

    if (result == CUDA_SUCCESS) {
        memcpy(indices, work->indices, (size_t)work->nnz * sizeof(*indices));
        memcpy(values, work->values, (size_t)work->nnz * work->bytes);
        for (int64_t i = 0; i < work->nnz; i++) {
            work->indices[work->permutation[i]] = indices[i];
            memcpy(sparse_at(work->values, work->permutation[i], work->bytes),
                   values + (size_t)i * work->bytes, work->bytes);
        }
    }
    free(indices);
    free(values);
    return result;
}

static cusparseStatus_t csru2csr(cusparseHandle_t handle, const char *name, cudaDataType type,
                                 int m, int n, int nnz, const struct cusparseMatDescr *descr,
                                 void *values, const int *offsets, int *indices,
                                 csru2csrInfo_t info, void *buffer)
{
    struct csru_work work = {.sort = {.lines = m,
                                      .nnz = nnz,
                                      .offsets = offsets,
                                      .minor = indices,
                                      .permutation = buffer,
                                      .values = values,
                                      .bytes = sparse_bytes(type)},
                             .identity = {buffer, nnz}};
    cusparseStatus_t status = sparse_check(handle, descr, m, n, nnz);
    struct sparse_ranges ranges = {.count = 0};

    if (status != CUSPARSE_STATUS_SUCCESS)
        return status;
    if (!sparse_info(info, &sparse_csru2csrInfo_type) || !buffer)
        return CUSPARSE_STATUS_INVALID_VALUE;
    work.sort.index_base = descr->index_base;
    sparse_reads(&ranges, offsets, m + 1, sizeof(int));
    add_updated(&ranges, indices, nnz, sizeof(int));
    add_updated(&ranges, values, nnz, work.sort.bytes);
    sparse_writes(&ranges, buffer, nnz, sizeof(int));
    return sparse_submit(handle, name, (int64_t)nnz * 100, &ranges, csru2csr_run, &work,
                         sizeof(work));
}

static cusparseStatus_t csr2csru(cusparseHandle_t handle, const char *name, cudaDataType type,
                                 int m, int n, int nnz, const struct cusparseMatDescr *descr,
                                 void *values, int *indices, csru2csrInfo_t info, void *buffer)
{
    struct unsort_work work = {nnz, indices, values, buffer, sparse_bytes(type)};
    cusparseStatus_t status = sparse_check(handle, descr, m, n, nnz);
    struct sparse_ranges ranges = {.count = 0};

    if (status != CUSPARSE_STATUS_SUCCESS)
        return status;
    if (!sparse_info(info, &sparse_csru2csrInfo_type) || !buffer)
        return CUSPARSE_STATUS_INVALID_VALUE;
    sparse_reads(&ranges, buffer, nnz, sizeof(int));
    add_updated(&ranges, indices, nnz, sizeof(int));
    add_updated(&ranges, values, nnz, work.bytes);
    return sparse_submit(handle, name, (int64_t)nnz * 8, &ranges, csr2csru_run, &work,
                         sizeof(work));
}

#define CSRU(letter, ctype, type)                                                                  \
    cusparseStatus_t cusparse##letter##csru2csr_bufferSizeExt(                                     \
        cusparseHandle_t handle, int m, int n, int nnz, ctype *csrVal, const int *csrRowPtr,       \
        int *csrColInd, csru2csrInfo_t info, size_t *bufferSize)                                   \
    {                                                                                              \
        (void)csrVal;                                                                              \
        (void)csrRowPtr;                                                                           \
        (void)csrColInd;                                                                           \
        (void)info;                                                                                \
        return sparse_answer_size(sparse_check_handle(handle, m, n, nnz), bufferSize,              \
                                  (int64_t)nnz * (int64_t)sizeof(int) + SPARSE_BUFFER_BYTES);      \
    }                                                                                              \
    cusparseStatus_t cusparse##letter##csru2csr(                                                   \
        cusparseHandle_t handle, int m, int n, int nnz, const cusparseMatDescr_t descrA,           \
        ctype *csrVal, const int *csrRowPtr, int *csrColInd, csru2csrInfo_t info, void *buffer)    \
    {                                                                                              \
        return csru2csr(handle, "cusparse" #letter "csru2csr", type, m, n, nnz, descrA, csrVal,    \
                        csrRowPtr, csrColInd, info, buffer);                                       \
    }                                                                                              \
    cusparseStatus_t cusparse##letter##csr2csru(                                                   \
        cusparseHandle_t handle, int m, int n, int nnz, const cusparseMatDescr_t descrA,           \
        ctype *csrVal, const int *csrRowPtr, int *csrColInd, csru2csrInfo_t info, void *buffer)    \
    {                                                                                              \
        (void)csrRowPtr;                                                                           \
        return csr2csru(handle, "cusparse" #letter "csr2csru", type, m, n, nnz, descrA, csrVal,    \
                        csrColInd, info, buffer);                                                  \
    }

SPARSE_FOUR_TYPES(CSRU)

/* SPDX-License-Identifier: MIT */
/* Conversions between CSR, BSR and BSR of blocks that are not square, of 32-bit indices. A matrix
 * is taken as list of its elements by rows, whatever its blocks are, and put into blocks of the
 * size that is wanted. */
#include "legacy/legacy.h"

#include <stdlib.h>
#include <string.h>

struct blocks_work {
    struct cusparseSpMatDescr from; /* CSR or BSR */
    int block_rows, block_cols;     /* of the result */
    cusparseDirection_t direction;
    int index_base;
    int *offsets, *indices, *total; /* of the result; NULL: not written */
    void *values;
};

static int ceiling(int64_t size, int block)
{
    return (int)((size + block - 1) / block);
}

static int compare(const void *a, const void *b)
{
    int left = *(const int *)a, right = *(const int *)b;

    return left < right ? -1 : left > right;
}

/* The block columns of a block row, sorted. `marks` has a number for each block column. */
static int find_blocks(const struct blocks_work *work, const struct sparse_view *view, int row,
                       int *marks, int *columns)
{
    int64_t end = (int64_t)(row + 1) * work->block_rows;
    int count = 0;

    for (int64_t r = (int64_t)row * work->block_rows; r < end && r < view->rows; r++) {
        for (int64_t k = sparse_view_offset(view, r); k < sparse_view_offset(view, r + 1); k++) {
            int column = (int)(sparse_view_index(view, k) / work->block_cols);

            if (marks[column] != row)
                columns[count++] = column;
            marks[column] = row;
        }
    }
    qsort(columns, (size_t)count, sizeof(*columns), compare);
    return count;
}

/* Copies the elements of a block row to its blocks, the first of which is `first`. */
static void fill_blocks(const struct blocks_work *work, const struct sparse_view *view, int row,
                        int first, const int *columns, int count)
{
    size_t bytes = sparse_bytes(work->from.type);
    int64_t elements = (int64_t)work->block_rows * work->block_cols;
    int64_t end = (int64_t)(row + 1) * work->block_rows;

    memset(sparse_at(work->values, first * elements, bytes), 0, (size_t)(count * elements) * bytes);
    for (int64_t r = (int64_t)row * work->block_rows; r < end && r < view->rows; r++) {
        for (int64_t k = sparse_view_offset(view, r); k < sparse_view_offset(view, r + 1); k++) {
            int64_t c = sparse_view_index(view, k), i = r % work->block_rows,
                    j = c % work->block_cols;
            int wanted = (int)(c / work->block_cols);
            const int *found = bsearch(&wanted, columns, (size_t)count, sizeof(*columns), compare);
            int64_t place = work->direction == CUSPARSE_DIRECTION_ROW ? i * work->block_cols + j
                                                                      : j * work->block_rows + i;

            memcpy(sparse_at(work->values, (first + (found - columns)) * elements + place, bytes),
                   sparse_at(view->values, k, bytes), bytes);
        }
    }
}

static void write_blocks(const struct blocks_work *work, const struct sparse_view *view, int *marks,
                         int *columns)
{
    int rows = ceiling(work->from.rows, work->block_rows), first = 0;

    for (int row = 0; row < rows; row++) {
        int count = find_blocks(work, view, row, marks, columns);

        if (work->offsets)
            work->offsets[row] = first + work->index_base;
        for (int i = 0; work->indices && i < count; i++)
            work->indices[first + i] = columns[i] + work->index_base;
        if (work->values)
            fill_blocks(work, view, row, first, columns, count);
        first += count;
    }
    if (work->offsets)
        work->offsets[rows] = first + work->index_base;
    if (work->total)
        *work->total = first;
}

static CUresult blocks_run(void *arguments)
{
    const struct blocks_work *work = arguments;
    size_t count = (size_t)ceiling(work->from.cols, work->block_cols) + 1;
    int *marks = malloc(count * sizeof(*marks)), *columns = malloc(count * sizeof(*columns));
    struct sparse_view view;
    CUresult result = CUDA_ERROR_OUT_OF_MEMORY;

    if (marks && columns)
        result = sparse_view_open(&view, &work->from, 0);
    if (result == CUDA_SUCCESS) {
        memset(marks, 0xff, count * sizeof(*marks));
        write_blocks(work, &view, marks, columns);
        sparse_view_close(&view);
    }
    free(marks);
    free(columns);
    return result;
}

/* The number of nonzeros of a matrix is not an argument of most functions; the arrays are named by
 * what is known, their offsets. */
static cusparseStatus_t submit_blocks(cusparseHandle_t handle, const char *name,
                                      struct blocks_work *work, bool waits)
{
    struct sparse_ranges ranges = {.count = 0};
    int64_t rows = ceiling(work->from.rows, work->block_rows);
    int64_t lines = work->from.rows / (work->from.block_rows ? work->from.block_rows : 1);

    sparse_reads(&ranges, work->from.offsets, lines + 1, sizeof(int));
    if (work->offsets)
        sparse_writes(&ranges, work->offsets, rows + 1, sizeof(int));
    if (waits) {
        sparse_add_result(handle, &ranges, work->total);
        return sparse_submit_result(handle, name, work->from.rows * 64, &ranges, blocks_run, work,
                                    sizeof(*work));
    }
    return sparse_submit(handle, name, work->from.rows * 64, &ranges, blocks_run, work,
                         sizeof(*work));
}

static bool are_blocks(cusparseDirection_t direction, int rows, int cols)
{
    return (unsigned)direction <= CUSPARSE_DIRECTION_COLUMN && rows > 0 && cols > 0;
}

static cusparseStatus_t check_both(cusparseHandle_t handle, int rows, int cols, int nnz,
                                   const struct cusparseMatDescr *from,
                                   const struct cusparseMatDescr *to)
{
    cusparseStatus_t status = sparse_check(handle, from, rows, cols, nnz);

    return status ? status : sparse_check(handle, to, rows, cols, nnz);
}

static cusparseStatus_t csr_to_blocks(cusparseHandle_t handle, const char *name, cudaDataType type,
                                      cusparseDirection_t direction, int m, int n,
                                      const struct cusparseMatDescr *from, const void *values,
                                      const int *offsets, const int *indices,
                                      const struct cusparseMatDescr *to, int block_rows,
                                      int block_cols, void *to_values, int *to_offsets,
                                      int *to_indices, int *total)
{
    cusparseStatus_t status = check_both(handle, m, n, 0, from, to);
    struct blocks_work work;

    if (status != CUSPARSE_STATUS_SUCCESS)
        return status;
    if (!are_blocks(direction, block_rows, block_cols))
        return CUSPARSE_STATUS_INVALID_VALUE;
    work = (struct blocks_work){.from = sparse_csr(from, type, m, n, 0, values, offsets, indices),
                                .block_rows = block_rows,
                                .block_cols = block_cols,
                                .direction = direction,
                                .index_base = (int)to->index_base,
                                .offsets = to_offsets,
                                .indices = to_indices,
                                .values = to_values,
                                .total = total};
    return submit_blocks(handle, name, &work, total != NULL);
}

static cusparseStatus_t
blocks_to_blocks(cusparseHandle_t handle, const char *name, cudaDataType type,
                 cusparseDirection_t direction, int mb, int nb, const struct cusparseMatDescr *from,
                 const void *values, const int *offsets, const int *indices, int from_rows,
                 int from_cols, const struct cusparseMatDescr *to, int to_rows, int to_cols,
                 void *to_values, int *to_offsets, int *to_indices, int *total)
{
    cusparseStatus_t status = check_both(handle, mb, nb, 0, from, to);
    struct blocks_work work;

    if (status != CUSPARSE_STATUS_SUCCESS)
        return status;
    if (!are_blocks(direction, from_rows, from_cols) || !are_blocks(direction, to_rows, to_cols))
        return CUSPARSE_STATUS_INVALID_VALUE;
    work = (struct blocks_work){.from = sparse_bsr(from, type, direction, from_rows, from_cols, mb,
                                                   nb, 0, values, offsets, indices),
                                .block_rows = to_rows,
                                .block_cols = to_cols,
                                .direction = direction,
                                .index_base = (int)to->index_base,
                                .offsets = to_offsets,
                                .indices = to_indices,
                                .values = to_values,
                                .total = total};
    return submit_blocks(handle, name, &work, total != NULL);
}

cusparseStatus_t cusparseXcsr2bsrNnz(cusparseHandle_t handle, cusparseDirection_t dirA, int m,
                                     int n, const cusparseMatDescr_t descrA, const int *csrRowPtrA,
                                     const int *csrColIndA, int blockDim,
                                     const cusparseMatDescr_t descrC, int *bsrRowPtrC,
                                     int *nnzTotal)
{
    if (sparse_is_handle(handle) && !nnzTotal)
        return CUSPARSE_STATUS_INVALID_VALUE;
    return csr_to_blocks(handle, "cusparseXcsr2bsrNnz", CUDA_R_32F, dirA, m, n, descrA, csrColIndA,
                         csrRowPtrA, csrColIndA, descrC, blockDim, blockDim, NULL, bsrRowPtrC, NULL,
                         nnzTotal);
}

cusparseStatus_t cusparseXcsr2gebsrNnz(cusparseHandle_t handle, cusparseDirection_t dirA, int m,
                                       int n, const cusparseMatDescr_t descrA,
                                       const int *csrRowPtrA, const int *csrColIndA,
                                       const cusparseMatDescr_t descrC, int *bsrRowPtrC,
                                       int rowBlockDim, int colBlockDim, int *nnzTotal,
                                       void *buffer)
{
    (void)buffer;
    if (sparse_is_handle(handle) && !nnzTotal)
        return CUSPARSE_STATUS_INVALID_VALUE;
    return csr_to_blocks(handle, "cusparseXcsr2gebsrNnz", CUDA_R_32F, dirA, m, n, descrA,
                         csrColIndA, csrRowPtrA, csrColIndA, descrC, rowBlockDim, colBlockDim, NULL,
                         bsrRowPtrC, NULL, nnzTotal);
}

/* The structure of blocks alone; elements of one byte stand for the values, which are not read. */
cusparseStatus_t cusparseXgebsr2gebsrNnz(cusparseHandle_t handle, cusparseDirection_t dirA, int mb,
                                         int nb, int nnzb, const cusparseMatDescr_t descrA,
                                         const int *bsrRowPtrA, const int *bsrColIndA,
                                         int rowBlockDimA, int colBlockDimA,
                                         const cusparseMatDescr_t descrC, int *bsrRowPtrC,
                                         int rowBlockDimC, int colBlockDimC, int *nnzTotal,
                                         void *buffer)
{
    (void)buffer;
    if (sparse_is_handle(handle) && (!nnzTotal || nnzb < 0))
        return CUSPARSE_STATUS_INVALID_VALUE;
    return blocks_to_blocks(handle, "cusparseXgebsr2gebsrNnz", CUDA_R_8I, dirA, mb, nb, descrA,
                            NULL, bsrRowPtrA, bsrColIndA, rowBlockDimA, colBlockDimA, descrC,
                            rowBlockDimC, colBlockDimC, NULL, bsrRowPtrC, NULL, nnzTotal);
}

/* gebsr2gebsc: the blocks by block columns; what is in a block stays as it is. */
struct columns_work {
    int mb, nb, nnzb, index_base;
    const int *offsets, *indices;
    const void *values;
    int *to_offsets, *to_indices;
    void *to_values;
    size_t block_bytes;
};

static CUresult columns_run(void *arguments)
{
    const struct columns_work *work = arguments;
    int base = work->index_base, *next = calloc((size_t)work->nb + 1, sizeof(*next));

    if (!next)
        return CUDA_ERROR_OUT_OF_MEMORY;
    for (int k = 0; k < work->nnzb; k++)
        next[work->indices[k] - base + 1]++;
    for (int i = 0; i < work->nb; i++)
        next[i + 1] += next[i];
    for (int i = 0; i <= work->nb; i++)
        work->to_offsets[i] = next[i] + base;
    for (int row = 0; row < work->mb; row++) {
        for (int k = work->offsets[row] - base; k < work->offsets[row + 1] - base; k++) {
            int place = next[work->indices[k] - base]++;

            work->to_indices[place] = row + base;
            if (work->to_values)
                memcpy(sparse_at(work->to_values, place, work->block_bytes),
                       sparse_at(work->values, k, work->block_bytes), work->block_bytes);
        }
    }
    free(next);
    return CUDA_SUCCESS;
}

static cusparseStatus_t gebsr2gebsc(cusparseHandle_t handle, const char *name, cudaDataType type,
                                    int rows, int cols, struct columns_work *work)
{
    cusparseStatus_t status = sparse_check_handle(handle, work->mb, work->nb, work->nnzb);
    struct sparse_ranges ranges = {.count = 0};

    if (status != CUSPARSE_STATUS_SUCCESS)
        return status;
    if (rows <= 0 || cols <= 0 || (unsigned)work->index_base > CUSPARSE_INDEX_BASE_ONE)
        return CUSPARSE_STATUS_INVALID_VALUE;
    work->block_bytes = (size_t)rows * (size_t)cols * sparse_bytes(type);
    sparse_reads(&ranges, work->offsets, work->mb + 1, sizeof(int));
    sparse_reads(&ranges, work->indices, work->nnzb, sizeof(int));
    sparse_writes(&ranges, work->to_offsets, work->nb + 1, sizeof(int));
    sparse_writes(&ranges, work->to_indices, work->nnzb, sizeof(int));
    if (work->to_values) {
        sparse_reads(&ranges, work->values, work->nnzb, work->block_bytes);
        sparse_writes(&ranges, work->to_values, work->nnzb, work->block_bytes);
    }
    return sparse_submit(handle, name, (int64_t)work->nnzb * rows * cols + work->nb, &ranges,
                         columns_run, work, sizeof(*work));
}

#define BLOCKS(letter, ctype, type)                                                                \
    cusparseStatus_t cusparse##letter##csr2bsr(                                                    \
        cusparseHandle_t handle, cusparseDirection_t dirA, int m, int n,                           \
        const cusparseMatDescr_t descrA, const ctype *csrValA, const int *csrRowPtrA,              \
        const int *csrColIndA, int blockDim, const cusparseMatDescr_t descrC, ctype *bsrValC,      \
        int *bsrRowPtrC, int *bsrColIndC)                                                          \
    {                                                                                              \
        return csr_to_blocks(handle, "cusparse" #letter "csr2bsr", type, dirA, m, n, descrA,       \
                             csrValA, csrRowPtrA, csrColIndA, descrC, blockDim, blockDim, bsrValC, \
                             bsrRowPtrC, bsrColIndC, NULL);                                        \
    }                                                                                              \
    cusparseStatus_t cusparse##letter##csr2gebsr_bufferSize(                                       \
        cusparseHandle_t handle, cusparseDirection_t dirA, int m, int n,                           \
        const cusparseMatDescr_t descrA, const ctype *csrValA, const int *csrRowPtrA,              \
        const int *csrColIndA, int rowBlockDim, int colBlockDim, int *bufferSize)                  \
    {                                                                                              \
        (void)csrValA, (void)csrRowPtrA, (void)csrColIndA;                                         \
        if (sparse_is_handle(handle) && !are_blocks(dirA, rowBlockDim, colBlockDim))               \
            return CUSPARSE_STATUS_INVALID_VALUE;                                                  \
        return sparse_answer_int(sparse_check(handle, descrA, m, n, 0), bufferSize,                \
                                 SPARSE_BUFFER_BYTES);                                             \
    }                                                                                              \
    cusparseStatus_t cusparse##letter##csr2gebsr(                                                  \
        cusparseHandle_t handle, cusparseDirection_t dirA, int m, int n,                           \
        const cusparseMatDescr_t descrA, const ctype *csrValA, const int *csrRowPtrA,              \
        const int *csrColIndA, const cusparseMatDescr_t descrC, ctype *bsrValC, int *bsrRowPtrC,   \
        int *bsrColIndC, int rowBlockDim, int colBlockDim, void *buffer)                           \
    {                                                                                              \
        (void)buffer;                                                                              \
        return csr_to_blocks(handle, "cusparse" #letter "csr2gebsr", type, dirA, m, n, descrA,     \
                             csrValA, csrRowPtrA, csrColIndA, descrC, rowBlockDim, colBlockDim,    \
                             bsrValC, bsrRowPtrC, bsrColIndC, NULL);                               \
    }                                                                                              \
    cusparseStatus_t cusparse##letter##bsr2csr(                                                    \
        cusparseHandle_t handle, cusparseDirection_t dirA, int mb, int nb,                         \
        const cusparseMatDescr_t descrA, const ctype *bsrValA, const int *bsrRowPtrA,              \
        const int *bsrColIndA, int blockDim, const cusparseMatDescr_t descrC, ctype *csrValC,      \
        int *csrRowPtrC, int *csrColIndC)                                                          \
    {                                                                                              \
        return blocks_to_blocks(handle, "cusparse" #letter "bsr2csr", type, dirA, mb, nb, descrA,  \
                                bsrValA, bsrRowPtrA, bsrColIndA, blockDim, blockDim, descrC, 1, 1, \
                                csrValC, csrRowPtrC, csrColIndC, NULL);                            \
    }                                                                                              \
    cusparseStatus_t cusparse##letter##gebsr2csr(                                                  \
        cusparseHandle_t handle, cusparseDirection_t dirA, int mb, int nb,                         \
        const cusparseMatDescr_t descrA, const ctype *bsrValA, const int *bsrRowPtrA,              \
        const int *bsrColIndA, int rowBlockDim, int colBlockDim, const cusparseMatDescr_t descrC,  \
        ctype *csrValC, int *csrRowPtrC, int *csrColIndC)                                          \
    {                                                                                              \
        return blocks_to_blocks(handle, "cusparse" #letter "gebsr2csr", type, dirA, mb, nb,        \
                                descrA, bsrValA, bsrRowPtrA, bsrColIndA, rowBlockDim, colBlockDim, \
                                descrC, 1, 1, csrValC, csrRowPtrC, csrColIndC, NULL);              \
    }                                                                                              \
    cusparseStatus_t cusparse##letter##gebsr2gebsr_bufferSize(                                     \
        cusparseHandle_t handle, cusparseDirection_t dirA, int mb, int nb, int nnzb,               \
        const cusparseMatDescr_t descrA, const ctype *bsrValA, const int *bsrRowPtrA,              \
        const int *bsrColIndA, int rowBlockDimA, int colBlockDimA, int rowBlockDimC,               \
        int colBlockDimC, int *bufferSize)                                                         \
    {                                                                                              \
        (void)bsrValA, (void)bsrRowPtrA, (void)bsrColIndA;                                         \
        if (sparse_is_handle(handle) && (!are_blocks(dirA, rowBlockDimA, colBlockDimA) ||          \
                                         !are_blocks(dirA, rowBlockDimC, colBlockDimC)))           \
            return CUSPARSE_STATUS_INVALID_VALUE;                                                  \
        return sparse_answer_int(sparse_check(handle, descrA, mb, nb, nnzb), bufferSize,           \
                                 SPARSE_BUFFER_BYTES);                                             \
    }                                                                                              \
    cusparseStatus_t cusparse##letter##gebsr2gebsr(                                                \
        cusparseHandle_t handle, cusparseDirection_t dirA, int mb, int nb, int nnzb,               \
        const cusparseMatDescr_t descrA, const ctype *bsrValA, const int *bsrRowPtrA,              \
        const int *bsrColIndA, int rowBlockDimA, int colBlockDimA,                                 \
        const cusparseMatDescr_t descrC, ctype *bsrValC, int *bsrRowPtrC, int *bsrColIndC,         \
        int rowBlockDimC, int colBlockDimC, void *buffer)                                          \
    {                                                                                              \
        (void)buffer;                                                                              \
        if (sparse_is_handle(handle) && nnzb < 0)                                                  \
            return CUSPARSE_STATUS_INVALID_VALUE;                                                  \
        return blocks_to_blocks(handle, "cusparse" #letter "gebsr2gebsr", type, dirA, mb, nb,      \
                                descrA, bsrValA, bsrRowPtrA, bsrColIndA, rowBlockDimA,             \
                                colBlockDimA, descrC, rowBlockDimC, colBlockDimC, bsrValC,         \
                                bsrRowPtrC, bsrColIndC, NULL);                                     \
    }                                                                                              \
    cusparseStatus_t cusparse##letter##gebsr2gebsc_bufferSize(                                     \
        cusparseHandle_t handle, int mb, int nb, int nnzb, const ctype *bsrVal,                    \
        const int *bsrRowPtr, const int *bsrColInd, int rowBlockDim, int colBlockDim,              \
        int *bufferSize)                                                                           \
    {                                                                                              \
        (void)bsrVal, (void)bsrRowPtr, (void)bsrColInd;                                            \
        if (sparse_is_handle(handle) && (rowBlockDim <= 0 || colBlockDim <= 0))                    \
            return CUSPARSE_STATUS_INVALID_VALUE;                                                  \
        return sparse_answer_int(sparse_check_handle(handle, mb, nb, nnzb), bufferSize,            \
                                 SPARSE_BUFFER_BYTES);                                             \
    }                                                                                              \
    cusparseStatus_t cusparse##letter##gebsr2gebsc(                                                \
        cusparseHandle_t handle, int mb, int nb, int nnzb, const ctype *bsrVal,                    \
        const int *bsrRowPtr, const int *bsrColInd, int rowBlockDim, int colBlockDim,              \
        ctype *bscVal, int *bscRowInd, int *bscColPtr, cusparseAction_t copyValues,                \
        cusparseIndexBase_t idxBase, void *buffer)                                                 \
    {                                                                                              \
        struct columns_work work = {.mb = mb,                                                      \
                                    .nb = nb,                                                      \
                                    .nnzb = nnzb,                                                  \
                                    .index_base = (int)idxBase,                                    \
                                    .offsets = bsrRowPtr,                                          \
                                    .indices = bsrColInd,                                          \
                                    .values = bsrVal,                                              \
                                    .to_offsets = bscColPtr,                                       \
                                    .to_indices = bscRowInd,                                       \
                                    .to_values = copyValues ? bscVal : NULL};                      \
                                                                                                   \
        (void)buffer;                                                                              \
        return gebsr2gebsc(handle, "cusparse" #letter "gebsr2gebsc", type, rowBlockDim,            \
                           colBlockDim, &work);                                                    \
    }

SPARSE_FOUR_TYPES(BLOCKS)

/* SPDX-License-Identifier: MIT */
/* Sums of two CSR matrices, and colours of the rows of one. */
#include "legacy/infos.h"

#include <stdlib.h>
#include <string.h>

struct geam_work {
    struct cusparseSpMatDescr a, b;
    struct sparse_scalar alpha, beta;
    cudaDataType type;
    int index_base;
    int *offsets, *indices, *total; /* NULL: not written */
    void *values;
};

/* Merges row `row` of both, whose columns are sorted; returns the number of elements. */
static int64_t merge_row(const struct geam_work *work, const struct sparse_view *a,
                         const struct sparse_view *b, int64_t row, int64_t first)
{
    const struct sparse_typed *typed = sparse_typed(work->type);
    size_t bytes = sparse_bytes(work->type);
    int64_t i = sparse_view_offset(a, row), i_end = sparse_view_offset(a, row + 1);
    int64_t j = sparse_view_offset(b, row), j_end = sparse_view_offset(b, row + 1), count = 0;

    for (; i < i_end || j < j_end; count++) {
        int64_t left = i < i_end ? sparse_view_index(a, i) : INT64_MAX;
        int64_t right = j < j_end ? sparse_view_index(b, j) : INT64_MAX;
        int64_t column = left < right ? left : right;

        if (work->indices)
            work->indices[first + count] = (int)column + work->index_base;
        if (work->values)
            typed->combine(sparse_at(work->values, first + count, bytes),
                           sparse_scalar_address(&work->alpha),
                           left == column ? sparse_at(a->values, i, bytes) : NULL,
                           sparse_scalar_address(&work->beta),
                           right == column ? sparse_at(b->values, j, bytes) : NULL);
        i += left == column;
        j += right == column;
    }
    return count;
}

static CUresult geam_run(void *arguments)
{
    const struct geam_work *work = arguments;
    struct sparse_view a, b;
    int64_t first = 0;
    CUresult result = sparse_view_open(&a, &work->a, 0);

    if (result != CUDA_SUCCESS)
        return result;
    result = sparse_view_open(&b, &work->b, 0);
    if (result == CUDA_SUCCESS) {
        for (int64_t row = 0; row < a.rows; row++) {
            int64_t count = merge_row(work, &a, &b, row, first);

            work->offsets[row] = (int)first + work->index_base;
            first += count;
        }
        work->offsets[a.rows] = (int)first + work->index_base;
        if (work->total)
            *work->total = (int)first;
        sparse_view_close(&b);
    }
    sparse_view_close(&a);
    return result;
}

static cusparseStatus_t check_geam(cusparseHandle_t handle, int m, int n, int nnz_a, int nnz_b,
                                   const struct cusparseMatDescr *a,
                                   const struct cusparseMatDescr *b,
                                   const struct cusparseMatDescr *c)
{
    cusparseStatus_t status = sparse_check(handle, a, m, n, nnz_a);

    status = status ? status : sparse_check(handle, b, m, n, nnz_b);
    return status ? status : sparse_check(handle, c, m, n, 0);
}

static void add_operands(struct sparse_ranges *ranges, const struct geam_work *work)
{
    sparse_reads(ranges, work->a.offsets, work->a.rows + 1, sizeof(int));
    sparse_reads(ranges, work->a.indices, work->a.nnz, sizeof(int));
    sparse_reads(ranges, work->b.offsets, work->b.rows + 1, sizeof(int));
    sparse_reads(ranges, work->b.indices, work->b.nnz, sizeof(int));
    sparse_writes(ranges, work->offsets, work->a.rows + 1, sizeof(int));
}

cusparseStatus_t cusparseXcsrgeam2Nnz(cusparseHandle_t handle, int m, int n,
                                      const cusparseMatDescr_t descrA, int nnzA,
                                      const int *csrRowPtrA, const int *csrColIndA,
                                      const cusparseMatDescr_t descrB, int nnzB,
                                      const int *csrRowPtrB, const int *csrColIndB,
                                      const cusparseMatDescr_t descrC, int *csrRowPtrC,
                                      int *nnzTotal, void *buffer)
{
    cusparseStatus_t status = check_geam(handle, m, n, nnzA, nnzB, descrA, descrB, descrC);
    struct sparse_ranges ranges = {.count = 0};
    struct geam_work work;

    (void)buffer;
    if (status != CUSPARSE_STATUS_SUCCESS)
        return status;
    if (!nnzTotal)
        return CUSPARSE_STATUS_INVALID_VALUE;
    work = (struct geam_work){
        .a = sparse_csr(descrA, CUDA_R_32F, m, n, nnzA, NULL, csrRowPtrA, csrColIndA),
        .b = sparse_csr(descrB, CUDA_R_32F, m, n, nnzB, NULL, csrRowPtrB, csrColIndB),
        .type = CUDA_R_32F,
        .index_base = (int)descrC->index_base,
        .offsets = csrRowPtrC,
        .total = nnzTotal};
    add_operands(&ranges, &work);
    sparse_add_result(handle, &ranges, nnzTotal);
    return sparse_submit_result(handle, "cusparseXcsrgeam2Nnz", ((int64_t)nnzA + nnzB) * 4 + m,
                                &ranges, geam_run, &work, sizeof(work));
}

static cusparseStatus_t geam(cusparseHandle_t handle, const char *name,
                             const struct cusparseMatDescr *descr, struct geam_work *work,
                             const void *alpha, const void *beta)
{
    struct sparse_ranges ranges = {.count = 0};
    size_t bytes = sparse_bytes(work->type);

    if (!alpha || !beta)
        return CUSPARSE_STATUS_INVALID_VALUE;
    work->alpha = sparse_scalar(handle, alpha, work->type);
    work->beta = sparse_scalar(handle, beta, work->type);
    work->index_base = (int)descr->index_base;
    sparse_add_scalar(&ranges, &work->alpha, work->type);
    sparse_add_scalar(&ranges, &work->beta, work->type);
    add_operands(&ranges, work);
    sparse_reads(&ranges, work->a.values, work->a.nnz, bytes);
    sparse_reads(&ranges, work->b.values, work->b.nnz, bytes);
    return sparse_submit(handle, name, (work->a.nnz + work->b.nnz) * 8, &ranges, geam_run, work,
                         sizeof(*work));
}

/* Colours: rows that share an element get different ones. Greedy, in order of the rows; what is
 * left when the wanted fraction has colours gets colours of its own. */
struct color_work {
    struct cusparseSpMatDescr matrix;
    const void *fraction;
    int *count, *colors, *order;
};

/* The least colour that no neighbour of the row has, by a mark for each colour. */
static int least_color(const struct sparse_view *view, int64_t row, const int *colors,
                       int64_t *marks)
{
    int color = 0;

    for (int64_t k = sparse_view_offset(view, row); k < sparse_view_offset(view, row + 1); k++) {
        int64_t neighbour = sparse_view_index(view, k);

        if (neighbour != row && neighbour < view->rows && colors[neighbour] >= 0)
            marks[colors[neighbour]] = row;
    }
    while (marks[color] == row)
        color++;
    return color;
}

static CUresult color_run(void *arguments)
{
    const struct color_work *work = arguments;
    struct sparse_number fraction = sparse_load(work->matrix.type, work->fraction, 0);
    int64_t rows = work->matrix.rows, wanted = (int64_t)(fraction.re * (double)rows + 0.5);
    int64_t *marks = malloc(((size_t)rows + 1) * sizeof(*marks)), place = 0;
    struct sparse_view view;
    CUresult result = marks ? sparse_view_open(&view, &work->matrix, 0) : CUDA_ERROR_OUT_OF_MEMORY;
    int count = 0;

    if (result == CUDA_SUCCESS) {
        memset(marks, 0xff, ((size_t)rows + 1) * sizeof(*marks));
        for (int64_t row = 0; row < rows; row++)
            work->colors[row] = -1;
        for (int64_t row = 0; row < rows; row++) {
            work->colors[row] = row < wanted ? least_color(&view, row, work->colors, marks) : count;
            if (work->colors[row] >= count)
                count = work->colors[row] + 1;
        }
        for (int color = 0; work->order && color < count; color++)
            for (int64_t row = 0; row < rows; row++)
                if (work->colors[row] == color)
                    work->order[row] = (int)place++;
        *work->count = count;
        sparse_view_close(&view);
    }
    free(marks);
    return result;
}

static cusparseStatus_t color(cusparseHandle_t handle, const char *name,
                              const struct cusparseMatDescr *descr, struct color_work *work,
                              const struct sparse_info *info)
{
    int64_t rows = work->matrix.rows;
    struct sparse_ranges ranges = {.count = 0};

    (void)descr;
    if (!info || !work->fraction || !work->count)
        return CUSPARSE_STATUS_INVALID_VALUE;
    sparse_reads(&ranges, work->matrix.offsets, rows + 1, sizeof(int));
    sparse_reads(&ranges, work->matrix.indices, work->matrix.nnz, sizeof(int));
    sparse_writes(&ranges, work->colors, rows, sizeof(int));
    if (work->order)
        sparse_writes(&ranges, work->order, rows, sizeof(int));
    return sparse_submit_wait(handle, name, work->matrix.nnz * 8, &ranges, color_run, work);
}

#define SUMS(letter, ctype, type_)                                                                 \
    cusparseStatus_t cusparse##letter##csrgeam2_bufferSizeExt(                                     \
        cusparseHandle_t handle, int m, int n, const ctype *alpha,                                 \
        const cusparseMatDescr_t descrA, int nnzA, const ctype *csrValA, const int *csrRowPtrA,    \
        const int *csrColIndA, const ctype *beta, const cusparseMatDescr_t descrB, int nnzB,       \
        const ctype *csrValB, const int *csrRowPtrB, const int *csrColIndB,                        \
        const cusparseMatDescr_t descrC, const ctype *csrValC, const int *csrRowPtrC,              \
        const int *csrColIndC, size_t *bufferSize)                                                 \
    {                                                                                              \
        (void)alpha, (void)csrValA, (void)csrRowPtrA, (void)csrColIndA, (void)beta;                \
        (void)csrValB, (void)csrRowPtrB, (void)csrColIndB;                                         \
        (void)csrValC, (void)csrRowPtrC, (void)csrColIndC;                                         \
        return sparse_answer_size(check_geam(handle, m, n, nnzA, nnzB, descrA, descrB, descrC),    \
                                  bufferSize, SPARSE_BUFFER_BYTES);                                \
    }                                                                                              \
    cusparseStatus_t cusparse##letter##csrgeam2(                                                   \
        cusparseHandle_t handle, int m, int n, const ctype *alpha,                                 \
        const cusparseMatDescr_t descrA, int nnzA, const ctype *csrValA, const int *csrRowPtrA,    \
        const int *csrColIndA, const ctype *beta, const cusparseMatDescr_t descrB, int nnzB,       \
        const ctype *csrValB, const int *csrRowPtrB, const int *csrColIndB,                        \
        const cusparseMatDescr_t descrC, ctype *csrValC, int *csrRowPtrC, int *csrColIndC,         \
        void *buffer)                                                                              \
    {                                                                                              \
        cusparseStatus_t status = check_geam(handle, m, n, nnzA, nnzB, descrA, descrB, descrC);    \
        struct geam_work work;                                                                     \
                                                                                                   \
        (void)buffer;                                                                              \
        if (status != CUSPARSE_STATUS_SUCCESS)                                                     \
            return status;                                                                         \
        work = (struct geam_work){                                                                 \
            .a = sparse_csr(descrA, type_, m, n, nnzA, csrValA, csrRowPtrA, csrColIndA),           \
            .b = sparse_csr(descrB, type_, m, n, nnzB, csrValB, csrRowPtrB, csrColIndB),           \
            .type = type_,                                                                         \
            .offsets = csrRowPtrC,                                                                 \
            .indices = csrColIndC,                                                                 \
            .values = csrValC};                                                                    \
        return geam(handle, "cusparse" #letter "csrgeam2", descrC, &work, alpha, beta);            \
    }                                                                                              \
    cusparseStatus_t cusparse##letter##csrcolor(                                                   \
        cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t descrA,                  \
        const ctype *csrValA, const int *csrRowPtrA, const int *csrColIndA,                        \
        const FRACTION_##letter *fractionToColor, int *ncolors, int *coloring, int *reordering,    \
        const cusparseColorInfo_t info)                                                            \
    {                                                                                              \
        cusparseStatus_t status = sparse_check(handle, descrA, m, m, nnz);                         \
        struct color_work work;                                                                    \
                                                                                                   \
        if (status != CUSPARSE_STATUS_SUCCESS)                                                     \
            return status;                                                                         \
        work = (struct color_work){.matrix = sparse_csr(descrA, FRACTION_TYPE_##letter, m, m, nnz, \
                                                        csrValA, csrRowPtrA, csrColIndA),          \
                                   .fraction = fractionToColor,                                    \
                                   .count = ncolors,                                               \
                                   .colors = coloring,                                             \
                                   .order = reordering};                                           \
        return color(handle, "cusparse" #letter "csrcolor", descrA, &work,                         \
                     sparse_info(info, &sparse_cusparseColorInfo_type));                           \
    }

/* The fraction of a complex matrix is real. */
#define FRACTION_S float
#define FRACTION_D double
#define FRACTION_C float
#define FRACTION_Z double
#define FRACTION_TYPE_S CUDA_R_32F
#define FRACTION_TYPE_D CUDA_R_64F
#define FRACTION_TYPE_C CUDA_R_32F
#define FRACTION_TYPE_Z CUDA_R_64F

SPARSE_FOUR_TYPES(SUMS)

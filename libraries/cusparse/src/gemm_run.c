/* SPDX-License-Identifier: MIT */
/* Gustavson's algorithm: a row of the product is a sum of rows of b. One pass counts the elements
 * of each row, a second writes them. Each part of the rows has a mark and a sum for each column. */
#include "gemm_run.h"

#include "typed/typed.h"

#include <stdlib.h>
#include <string.h>

struct run {
    struct sparse_gemm *gemm;
    struct sparse_view a, b;
    void *converted[2]; /* values of a and b in the type of sums */
    double alpha[2];    /* in that type, too */
    const struct sparse_typed *typed;
    struct sparse_gemm_result *result;
    int64_t parts;
    atomic_bool failed;
    atomic_llong products;
};

struct scratch {
    int64_t *marks, *columns;
    void *sums;
};

void sparse_gemm_release(struct sparse_gemm_result *result)
{
    if (!result || atomic_fetch_sub(&result->references, 1) > 1)
        return;
    free(result->offsets);
    free(result->indices);
    free(result->values);
    free(result);
}

static void scratch_free(struct scratch *scratch)
{
    free(scratch->marks);
    free(scratch->columns);
    free(scratch->sums);
}

static bool scratch_make(struct scratch *scratch, const struct run *run)
{
    size_t columns = (size_t)run->b.cols + 1;

    *scratch = (struct scratch){.marks = malloc(columns * sizeof(int64_t)),
                                .columns = malloc(columns * sizeof(int64_t)),
                                .sums = malloc(columns * sparse_bytes(run->gemm->computed))};
    if (!scratch->marks || !scratch->columns || !scratch->sums) {
        scratch_free(scratch);
        return false;
    }
    memset(scratch->marks, 0xff, columns * sizeof(int64_t));
    return true;
}

/* Writes the columns of a row of the product, in any order, and returns their number. */
static int64_t find_columns(struct run *run, struct scratch *scratch, int64_t row)
{
    int64_t count = 0, products = 0;

    for (int64_t k = sparse_view_offset(&run->a, row); k < sparse_view_offset(&run->a, row + 1);
         k++) {
        int64_t middle = sparse_view_index(&run->a, k),
                end = sparse_view_offset(&run->b, middle + 1);

        for (int64_t l = sparse_view_offset(&run->b, middle); l < end; l++, products++) {
            int64_t column = sparse_view_index(&run->b, l);

            if (scratch->marks[column] != row)
                scratch->columns[count++] = column;
            scratch->marks[column] = row;
        }
    }
    atomic_fetch_add(&run->products, products);
    return count;
}

static void count_part(void *arguments, size_t index)
{
    struct run *run = arguments;
    struct scratch scratch;
    int64_t end = sparse_view_cut(&run->a, (int64_t)index + 1, run->parts);

    if (!scratch_make(&scratch, run)) {
        atomic_store(&run->failed, true);
        return;
    }
    for (int64_t row = sparse_view_cut(&run->a, (int64_t)index, run->parts); row < end; row++)
        run->result->offsets[row + 1] = find_columns(run, &scratch, row);
    scratch_free(&scratch);
}

static int compare(const void *a, const void *b)
{
    int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;

    return left < right ? -1 : left > right;
}

static void write_part(void *arguments, size_t index)
{
    struct run *run = arguments;
    struct sparse_gemm_result *result = run->result;
    size_t bytes = sparse_bytes(run->gemm->computed);
    struct scratch scratch;
    int64_t end = sparse_view_cut(&run->a, (int64_t)index + 1, run->parts);

    if (!scratch_make(&scratch, run)) {
        atomic_store(&run->failed, true);
        return;
    }
    for (int64_t row = sparse_view_cut(&run->a, (int64_t)index, run->parts); row < end; row++) {
        int64_t *indices = result->indices + result->offsets[row];
        int64_t count = find_columns(run, &scratch, row);

        memcpy(indices, scratch.columns, (size_t)count * sizeof(*indices));
        qsort(indices, (size_t)count, sizeof(*indices), compare);
        if (result->values)
            run->typed->gemm_row(&run->a, &run->b, row, scratch.sums, indices, count, run->alpha,
                                 sparse_at(result->values, result->offsets[row], bytes));
    }
    scratch_free(&scratch);
}

/* Opens the view of a factor with values in the type of sums. */
static CUresult open_factor(struct sparse_view *view, const struct cusparseSpMatDescr *matrix,
                            cudaDataType computed, void **converted)
{
    CUresult result = sparse_view_open(view, matrix, 0);

    if (result != CUDA_SUCCESS || matrix->type == computed || !matrix->values)
        return result;
    *converted = malloc((size_t)view->nnz * sparse_bytes(computed) + 1);
    if (!*converted) {
        sparse_view_close(view);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    sparse_convert(computed, *converted, matrix->type, view->values, view->nnz);
    view->values = *converted;
    view->type = computed;
    return CUDA_SUCCESS;
}

static CUresult open_run(struct run *run, struct sparse_gemm *gemm)
{
    CUresult result;

    memset(run, 0, sizeof(*run));
    run->gemm = gemm;
    run->typed = sparse_typed(gemm->computed);
    if (!run->typed)
        return CUDA_ERROR_NOT_SUPPORTED;
    sparse_convert(gemm->computed, run->alpha, gemm->scalars, sparse_scalar_address(&gemm->alpha),
                   1);
    result = open_factor(&run->a, &gemm->a, gemm->computed, &run->converted[0]);
    if (result != CUDA_SUCCESS)
        return result;
    result = open_factor(&run->b, &gemm->b, gemm->computed, &run->converted[1]);
    if (result != CUDA_SUCCESS) {
        sparse_view_close(&run->a);
        free(run->converted[0]);
    }
    run->parts = sparse_parts(run->a.nnz * 16);
    return result;
}

static void close_run(struct run *run)
{
    sparse_view_close(&run->a);
    sparse_view_close(&run->b);
    free(run->converted[0]);
    free(run->converted[1]);
}

static CUresult make_result(struct run *run)
{
    struct sparse_gemm_result *result = run->result;

    result->offsets = calloc((size_t)run->a.rows + 1, sizeof(int64_t));
    if (!result->offsets)
        return CUDA_ERROR_OUT_OF_MEMORY;
    lib_parallel((size_t)run->parts, count_part, run);
    if (atomic_load(&run->failed))
        return CUDA_ERROR_OUT_OF_MEMORY;
    for (int64_t i = 0; i < run->a.rows; i++)
        result->offsets[i + 1] += result->offsets[i];
    result->rows = run->a.rows;
    result->nnz = result->offsets[run->a.rows];
    result->products = atomic_load(&run->products);
    result->type = run->gemm->computed;
    result->indices = malloc((size_t)result->nnz * sizeof(int64_t) + 1);
    if (!run->gemm->structure_only)
        result->values = malloc((size_t)result->nnz * sparse_bytes(result->type) + 1);
    if (!result->indices || (!result->values && !run->gemm->structure_only))
        return CUDA_ERROR_OUT_OF_MEMORY;
    lib_parallel((size_t)run->parts, write_part, run);
    return atomic_load(&run->failed) ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
}

CUresult sparse_gemm_run(void *arguments)
{
    struct sparse_gemm *gemm = arguments;
    struct run run;
    CUresult result = open_run(&run, gemm);

    if (result != CUDA_SUCCESS)
        return result;
    run.result = calloc(1, sizeof(*run.result));
    if (run.result) {
        atomic_store(&run.result->references, 1);
        result = make_result(&run);
    } else {
        result = CUDA_ERROR_OUT_OF_MEMORY;
    }
    if (result == CUDA_SUCCESS)
        gemm->result = run.result;
    else
        sparse_gemm_release(run.result);
    close_run(&run);
    return result;
}

/* The values of one row of c, whose columns are given. */
static void again_row(struct run *run, const struct sparse_view *c, int64_t row, int64_t *columns,
                      void *sums, void *values)
{
    const struct sparse_gemm *gemm = run->gemm;
    int64_t begin = sparse_view_offset(c, row), count = sparse_view_offset(c, row + 1) - begin;
    struct sparse_number beta = sparse_scalar_value(&gemm->beta, gemm->scalars);

    for (int64_t i = 0; i < count; i++)
        columns[i] = sparse_view_index(c, begin + i);
    run->typed->gemm_row(&run->a, &run->b, row, sums, columns, count, run->alpha, values);
    for (int64_t i = 0; i < count; i++) {
        struct sparse_number value = sparse_load(gemm->computed, values, i);

        if (!sparse_is_zero(beta))
            value = sparse_plus(
                value, sparse_times(beta, sparse_load(gemm->c.type, gemm->c.values, begin + i)));
        sparse_store(gemm->c.type, gemm->c.values, begin + i, value);
    }
}

CUresult sparse_gemm_again_run(void *arguments)
{
    struct sparse_gemm *gemm = arguments;
    struct run run;
    struct sparse_view c;
    struct scratch scratch;
    void *values = NULL;
    CUresult result = open_run(&run, gemm);

    if (result != CUDA_SUCCESS)
        return result;
    result = sparse_view_open(&c, &gemm->c, 0);
    if (result != CUDA_SUCCESS) {
        close_run(&run);
        return result;
    }
    result = CUDA_ERROR_OUT_OF_MEMORY;
    if (scratch_make(&scratch, &run)) {
        values = malloc((size_t)run.b.cols * sparse_bytes(gemm->computed) + 1);
        for (int64_t row = 0; values && row < c.rows; row++)
            again_row(&run, &c, row, scratch.columns, scratch.sums, values);
        result = values ? CUDA_SUCCESS : result;
        scratch_free(&scratch);
    }
    free(values);
    sparse_view_close(&c);
    close_run(&run);
    return result;
}

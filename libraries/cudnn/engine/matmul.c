/* SPDX-License-Identifier: MIT */
/* Products of matrices in batches. Operands become arrays, in rows or in columns as they lie;
 * OpenBLAS multiplies. */
#include "array.h"
#include "gemm.h"

#include <string.h>

struct matmul {
    const struct dnn_matmul *op;
    bool wide;
    int64_t m, n, k;
    struct dnn_array a, b, c;
    bool a_in_columns, b_in_columns;
};

/* The matrix of operand x that batch `index` of c takes. A dimension that divides c's repeats each
 * matrix as often: heads of a group are neighbours. */
static int64_t matrix_of(const struct dnn_tensor *x, const struct dnn_tensor *c, int64_t index)
{
    int64_t matrix = 0, step = 1;

    for (int i = c->rank - 3; i >= 0; i--) {
        int64_t place = index % c->dims[i];

        index /= c->dims[i];
        matrix += place / (c->dims[i] / x->dims[i]) * step;
        step *= x->dims[i];
    }
    return matrix;
}

/* Limits of c's rank have a batch's dimensions, of which 1 repeats; others stand in a row. */
static int64_t limited(const struct dnn_tensor *limit, const struct dnn_tensor *c, int64_t batch,
                       int64_t most)
{
    int64_t count = limit->address ? dnn_count(limit) : 0, value;

    if (count == 0)
        return most;
    batch = limit->rank == c->rank ? matrix_of(limit, c, batch) : batch % count;
    value = ((const int32_t *)limit->address)[batch];
    return value < 0 ? 0 : value > most ? most : value;
}

static void put(const struct matmul *work, int64_t place, double value)
{
    if (work->wide)
        ((double *)work->c.data)[place] = value;
    else
        ((float *)work->c.data)[place] = (float)value;
}

static void pad(const struct matmul *work, int64_t begin, int64_t m, int64_t n)
{
    for (int64_t i = 0; i < work->m; i++)
        for (int64_t j = i < m ? n : 0; j < work->n; j++)
            put(work, begin + i * work->n + j, work->op->padding);
}

static CUresult multiply(const struct matmul *work, int64_t batch)
{
    const struct dnn_matmul *op = work->op;
    size_t bytes = work->wide ? sizeof(double) : sizeof(float);
    int64_t m = limited(&op->m_override, &op->c, batch, work->m);
    int64_t n = limited(&op->n_override, &op->c, batch, work->n);
    int64_t k = limited(&op->k_override, &op->c, batch, work->k), begin = batch * work->m * work->n;
    struct dnn_matrix a = {(char *)work->a.data +
                               (size_t)(matrix_of(&op->a, &op->c, batch) * work->m * work->k) *
                                   bytes,
                           work->a_in_columns ? work->m : work->k, work->a_in_columns};
    struct dnn_matrix b = {(char *)work->b.data +
                               (size_t)(matrix_of(&op->b, &op->c, batch) * work->k * work->n) *
                                   bytes,
                           work->b_in_columns ? work->k : work->n, work->b_in_columns};

    if (m < work->m || n < work->n)
        pad(work, begin, m, n);
    return dnn_gemm(work->wide, m, n, k, 1, a, b, 0, (char *)work->c.data + (size_t)begin * bytes,
                    work->n);
}

/* A matrix whose columns lie closer than its rows is loaded in columns. */
static bool load(struct dnn_array *array, const struct dnn_tensor *x, bool wide, bool *in_columns)
{
    struct dnn_tensor turned = *x;
    int row = x->rank - 2, column = x->rank - 1;

    *in_columns = x->vector <= 1 && x->strides[row] < x->strides[column] && x->dims[column] > 1;
    if (!*in_columns)
        return dnn_array_load(array, x, wide);
    turned.dims[row] = x->dims[column];
    turned.dims[column] = x->dims[row];
    turned.strides[row] = x->strides[column];
    turned.strides[column] = x->strides[row];
    return dnn_array_load(array, &turned, wide);
}

CUresult dnn_matmul_run(const struct dnn_matmul *op)
{
    int rank = op->c.rank;
    struct matmul work = {.op = op,
                          .wide = DNN_WIDE(op->compute, &op->a, &op->b, &op->c),
                          .m = op->c.dims[rank - 2],
                          .n = op->c.dims[rank - 1],
                          .k = op->a.dims[rank - 1]};
    int64_t batches = dnn_count(&op->c) / (work.m * work.n > 0 ? work.m * work.n : 1);
    CUresult result = CUDA_ERROR_OUT_OF_MEMORY;

    if (!dnn_type_bytes(op->a.type) || !dnn_type_bytes(op->b.type) || !dnn_type_bytes(op->c.type))
        return CUDA_ERROR_NOT_SUPPORTED;
    if (load(&work.a, &op->a, work.wide, &work.a_in_columns) &&
        load(&work.b, &op->b, work.wide, &work.b_in_columns) &&
        dnn_array_output(&work.c, &op->c, work.wide, op->blend)) {
        result = CUDA_SUCCESS;
        for (int64_t batch = 0; batch < batches && result == CUDA_SUCCESS; batch++)
            result = multiply(&work, batch);
        if (result == CUDA_SUCCESS)
            dnn_array_store(&op->c, &work.c, op->blend);
    }
    dnn_array_free(&work.c);
    dnn_array_free(&work.b);
    dnn_array_free(&work.a);
    return result;
}

/* SPDX-License-Identifier: MIT */
/* Reductions: x is folded over the dimensions that y lacks, and each row becomes one number. Sums
 * are taken in f64, so that their length costs no accuracy. */
#include "fold.h"

#include <math.h>
#include <stdlib.h>

enum { LANES = 8 };

struct reduction {
    const struct dnn_reduction *op;
    struct dnn_fold fold;
    struct dnn_array x, y;
    double *indices;
};

/* What an element adds to a sum. */
static double term(cudnnReduceTensorOp_t op, double value)
{
    switch (op) {
    case CUDNN_REDUCE_TENSOR_NORM1:
        return fabs(value);
    case CUDNN_REDUCE_TENSOR_NORM2:
        return value * value;
    default:
        return value;
    }
}

static double sum_row(const struct reduction *work, int64_t begin)
{
    cudnnReduceTensorOp_t op = work->op->op;
    double sum[LANES] = {0};
    int64_t i = 0;

    for (; i + LANES <= work->fold.inner; i += LANES)
        for (int lane = 0; lane < LANES; lane++)
            sum[lane] += term(op, dnn_number(&work->x, begin + i + lane));
    for (; i < work->fold.inner; i++)
        sum[0] += term(op, dnn_number(&work->x, begin + i));
    for (int lane = 1; lane < LANES; lane++)
        sum[0] += sum[lane];
    if (op == CUDNN_REDUCE_TENSOR_AVG)
        return sum[0] / (double)work->fold.inner;
    return op == CUDNN_REDUCE_TENSOR_NORM2 ? sqrt(sum[0]) : sum[0];
}

static double product_row(const struct reduction *work, int64_t begin, bool zeros)
{
    double product = 1;

    for (int64_t i = 0; i < work->fold.inner; i++) {
        double value = dnn_number(&work->x, begin + i);

        if (zeros || value != 0)
            product *= value;
    }
    return product;
}

/* The extreme of a row, and its place. NaN is taken if it is to be propagated, else passed over. */
static double extreme_row(const struct reduction *work, int64_t begin, int64_t *place)
{
    cudnnReduceTensorOp_t op = work->op->op;
    double sign = op == CUDNN_REDUCE_TENSOR_MIN ? -1 : 1, best = NAN;

    for (int64_t i = 0; i < work->fold.inner; i++) {
        double value = dnn_number(&work->x, begin + i);

        if (op == CUDNN_REDUCE_TENSOR_AMAX)
            value = fabs(value);
        if (isnan(value) && work->op->propagate_nan) {
            *place = i;
            return value;
        }
        if (isnan(best) || sign * value > sign * best) {
            best = value;
            *place = i;
        }
    }
    return best;
}

static void reduce_row(void *argument, size_t row)
{
    struct reduction *work = argument;
    int64_t begin = (int64_t)row * work->fold.inner, place = 0;
    double value;

    switch (work->op->op) {
    case CUDNN_REDUCE_TENSOR_MUL:
    case CUDNN_REDUCE_TENSOR_MUL_NO_ZEROS:
        value = product_row(work, begin, work->op->op == CUDNN_REDUCE_TENSOR_MUL);
        break;
    case CUDNN_REDUCE_TENSOR_MIN:
    case CUDNN_REDUCE_TENSOR_MAX:
    case CUDNN_REDUCE_TENSOR_AMAX:
        value = extreme_row(work, begin, &place);
        break;
    default:
        value = sum_row(work, begin);
    }
    if (work->indices)
        work->indices[row] = (double)place;
    ((double *)work->y.data)[row] = value;
}

static unsigned reduced_dims(const struct dnn_reduction *op)
{
    unsigned folded = 0;

    for (int i = 0; i < op->x.rank; i++)
        if (op->y.dims[i] == 1)
            folded |= 1u << i;
    return folded;
}

CUresult dnn_reduction_run(const struct dnn_reduction *op)
{
    struct reduction work = {.op = op};
    bool wide = DNN_WIDE(op->compute, &op->x, &op->y);
    struct dnn_tensor x;
    CUresult result = CUDA_ERROR_OUT_OF_MEMORY;

    dnn_fold_init(&work.fold, &op->x, reduced_dims(op));
    x = dnn_fold_tensor(&work.fold, &op->x);
    if (op->indices.address)
        work.indices = malloc((size_t)work.fold.outer * sizeof(double));
    if ((op->indices.address && !work.indices) || !dnn_array_load(&work.x, &x, wide) ||
        !dnn_array_new(&work.y, work.fold.outer, true))
        goto release;
    dnn_parallel(work.fold.outer, work.fold.outer * work.fold.inner, reduce_row, &work);
    dnn_array_store(&op->y, &work.y, op->blend);
    if (work.indices) {
        const struct dnn_array places = {.data = work.indices, .wide = true};

        dnn_array_store(&op->indices, &places, (struct dnn_blend){.alpha = 1});
    }
    result = CUDA_SUCCESS;
release:
    free(work.indices);
    dnn_array_free(&work.y);
    dnn_array_free(&work.x);
    return result;
}

CUresult dnn_genstats_run(const struct dnn_genstats *op)
{
    struct dnn_reduction sum = {.op = CUDNN_REDUCE_TENSOR_ADD, .x = op->x, .y = op->sum};
    struct dnn_reduction squares = {.op = CUDNN_REDUCE_TENSOR_NORM2, .x = op->x, .y = op->sqsum};
    struct dnn_pointwise square = {
        .mode = CUDNN_POINTWISE_MUL, .x = op->sqsum, .b = op->sqsum, .y = op->sqsum};
    CUresult result = op->sum.address ? dnn_reduction_run(&sum) : CUDA_SUCCESS;

    if (result == CUDA_SUCCESS && op->sqsum.address)
        result = dnn_reduction_run(&squares);
    if (result == CUDA_SUCCESS && op->sqsum.address)
        result = dnn_pointwise_run(&square);
    return result;
}

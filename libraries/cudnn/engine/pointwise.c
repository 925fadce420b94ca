/* SPDX-License-Identifier: MIT */
/* Pointwise operations, transformations and fills: loops over lines of the result. Each line is
 * converted, computed and written back in the processor's caches. */
#include "pointwise.h"

#include "array.h"
#include "kernels.h"
#include "line.h"
#include "loop.h"

#include <math.h>
#include <stdlib.h>

enum { RESULT, FIRST, SECOND, PREDICATE, OPERANDS };

struct work {
    const struct dnn_tensor *tensors[OPERANDS];
    double factors[OPERANDS]; /* of what is read */
    dnn_pointwise_line *line;
    struct dnn_pointwise_factors constants;
    struct dnn_blend blend;
    bool wide;
};

static void scale(bool wide, void *numbers, double factor, double addend, const void *old,
                  size_t count)
{
    if (wide)
        for (size_t i = 0; i < count; i++)
            ((double *)numbers)[i] =
                ((double *)numbers)[i] * factor + (old ? addend * ((const double *)old)[i] : 0);
    else
        for (size_t i = 0; i < count; i++)
            ((float *)numbers)[i] = ((float *)numbers)[i] * (float)factor +
                                    (old ? (float)addend * ((const float *)old)[i] : 0);
}

static void run_line(void *argument, const struct dnn_loop *loop, const int64_t *offsets,
                     size_t count)
{
    const struct work *work = argument;
    int last = loop->rank - 1;
    double numbers[OPERANDS][DNN_LINE_MOST], old[DNN_LINE_MOST];
    const struct dnn_tensor *y = work->tensors[RESULT];

    for (int i = FIRST; i < OPERANDS; i++) {
        if (!work->tensors[i])
            continue;
        dnn_line_load(work->wide, numbers[i], work->tensors[i]->type,
                      dnn_at(work->tensors[i], offsets[i]), loop->strides[i][last], count);
        if (work->factors[i] != 1)
            scale(work->wide, numbers[i], work->factors[i], 0, NULL, count);
    }
    work->line(&work->constants, numbers[RESULT], numbers[FIRST], numbers[SECOND],
               numbers[PREDICATE], count);
    if (work->blend.beta != 0)
        dnn_line_load(work->wide, old, y->type, dnn_at(y, offsets[RESULT]),
                      loop->strides[RESULT][last], count);
    if (work->blend.beta != 0 || work->blend.alpha != 1)
        scale(work->wide, numbers[RESULT], work->blend.alpha, work->blend.beta,
              work->blend.beta != 0 ? old : NULL, count);
    dnn_line_store(work->wide, dnn_at(y, offsets[RESULT]), y->type, loop->strides[RESULT][last],
                   numbers[RESULT], count);
}

static CUresult run(struct work *work)
{
    struct dnn_loop loop;

    for (int i = 0; i < OPERANDS; i++)
        if (work->tensors[i] && dnn_type_bytes(work->tensors[i]->type) == 0)
            return CUDA_ERROR_NOT_SUPPORTED;
    dnn_loop_init(&loop, work->tensors, OPERANDS);
    dnn_loop_run(&loop, run_line, work);
    return CUDA_SUCCESS;
}

static const struct dnn_tensor *present(const struct dnn_tensor *tensor)
{
    return tensor->address ? tensor : NULL;
}

struct dnn_pointwise_factors dnn_pointwise_constants(const struct dnn_pointwise *op)
{
    return (struct dnn_pointwise_factors){
        .lower = op->relu_lower,
        .upper = op->has_relu         ? op->relu_upper
                 : op->relu_upper > 0 ? op->relu_upper
                                      : INFINITY,
        .slope = op->relu_slope,
        .elu_alpha = op->elu_alpha != 0 ? op->elu_alpha : 1,
        .softplus_beta = op->softplus_beta != 0 ? op->softplus_beta : 1,
        .swish_beta = op->swish_beta != 0 ? op->swish_beta : 1,
    };
}

/* The places along the axis as a tensor that repeats in all other dimensions. */
static CUresult run_index(const struct dnn_pointwise *op)
{
    int64_t count = op->y.dims[op->axis];
    double *places = malloc((size_t)(count > 0 ? count : 1) * sizeof(*places));
    struct dnn_tensor x = {.address = places, .type = CUDNN_DATA_DOUBLE, .rank = op->y.rank};
    struct work work = {.tensors = {&op->y, &x},
                        .factors = {1, 1, 1, 1},
                        .line = dnn_pointwise_line_f64(CUDNN_POINTWISE_IDENTITY),
                        .blend = dnn_blend_of(op->blend),
                        .wide = true};
    CUresult result;

    if (!places)
        return CUDA_ERROR_OUT_OF_MEMORY;
    for (int64_t i = 0; i < count; i++)
        places[i] = (double)i;
    for (int i = 0; i < x.rank; i++) {
        x.dims[i] = i == op->axis ? count : 1;
        x.strides[i] = 1;
    }
    result = run(&work);
    free(places);
    return result;
}

CUresult dnn_pointwise_run(const struct dnn_pointwise *op)
{
    struct work work = {
        .tensors = {&op->y, present(&op->x), present(&op->b), present(&op->t)},
        .factors = {1, op->has_alphas ? op->alpha1 : 1, op->has_alphas ? op->alpha2 : 1, 1},
        .constants = dnn_pointwise_constants(op),
        .blend = dnn_blend_of(op->blend)};

    work.wide = DNN_WIDE(op->compute, &op->x, &op->b, &op->y);
    work.line = work.wide ? dnn_pointwise_line_f64(op->mode) : dnn_kernels()->pointwise(op->mode);
    if (!work.line)
        return CUDA_ERROR_NOT_SUPPORTED;
    return op->mode == CUDNN_POINTWISE_GEN_INDEX ? run_index(op) : run(&work);
}

CUresult dnn_transform_run(const struct dnn_transform *op)
{
    const struct dnn_pointwise identity = {
        .mode = CUDNN_POINTWISE_IDENTITY, .x = op->x, .y = op->y, .blend = op->blend};

    return dnn_pointwise_run(&identity);
}

CUresult dnn_fill_run(const struct dnn_tensor *y, double value)
{
    struct dnn_transform fill = {.y = *y};

    fill.x = (struct dnn_tensor){.address = &value, .type = CUDNN_DATA_DOUBLE, .rank = 1};
    fill.x.dims[0] = fill.x.strides[0] = 1;
    return dnn_transform_run(&fill);
}

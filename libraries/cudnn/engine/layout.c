/* SPDX-License-Identifier: MIT */
/* Operations that only move elements: reshape, concatenation, slices. Each is a transformation of
 * views with other addresses and strides. */
#include "array.h"
#include "loop.h"

/* The tensor with its dimensions in the order of memory. */
static struct dnn_tensor in_memory_order(const struct dnn_tensor *tensor)
{
    struct dnn_tensor sorted = *tensor;

    for (int i = 1; i < sorted.rank; i++)
        for (int j = i; j > 0 && sorted.strides[j - 1] < sorted.strides[j]; j--) {
            int64_t dim = sorted.dims[j], stride = sorted.strides[j];

            sorted.dims[j] = sorted.dims[j - 1];
            sorted.strides[j] = sorted.strides[j - 1];
            sorted.dims[j - 1] = dim;
            sorted.strides[j - 1] = stride;
        }
    return sorted;
}

CUresult dnn_reshape_run(const struct dnn_transform *op)
{
    bool wide = DNN_WIDE(CUDNN_DATA_FLOAT, &op->x, &op->y);
    struct dnn_tensor x = in_memory_order(&op->x), y = in_memory_order(&op->y);
    struct dnn_array array;

    if (dnn_type_bytes(op->x.type) == 0 || dnn_type_bytes(op->y.type) == 0 || x.vector > 1 ||
        y.vector > 1)
        return CUDA_ERROR_NOT_SUPPORTED;
    if (!dnn_array_load(&array, &x, wide))
        return CUDA_ERROR_OUT_OF_MEMORY;
    dnn_array_store(&y, &array, op->blend);
    dnn_array_free(&array);
    return CUDA_SUCCESS;
}

CUresult dnn_concat_run(const struct dnn_concat *op)
{
    int64_t begin = 0;

    for (size_t i = 0; i < op->count; i++) {
        struct dnn_transform part = {.x = op->inputs[i], .y = op->y};
        CUresult result;

        part.y.address = dnn_at(&op->y, begin * op->y.strides[op->axis]);
        part.y.dims[op->axis] = part.x.dims[op->axis];
        begin += part.x.dims[op->axis];
        result = part.x.address == part.y.address ? CUDA_SUCCESS : dnn_transform_run(&part);
        if (result != CUDA_SUCCESS)
            return result;
    }
    return CUDA_SUCCESS;
}

CUresult dnn_slice_run(const struct dnn_slice *op)
{
    struct dnn_transform part = {.x = op->x, .y = op->y};
    int64_t offset = 0;

    for (int i = 0; i < op->x.rank; i++) {
        int64_t step = op->step[i] ? op->step[i] : 1;

        offset += op->start[i] * op->x.strides[i];
        part.x.strides[i] *= step;
        part.x.dims[i] = op->y.dims[i];
    }
    part.x.address = dnn_at(&op->x, offset);
    return dnn_transform_run(&part);
}

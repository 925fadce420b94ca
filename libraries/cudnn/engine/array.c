/* SPDX-License-Identifier: MIT */
/* Copies between tensors and arrays are loops over both, line by line. */
#include "array.h"

#include "line.h"
#include "loop.h"
#include "scratch.h"
#include "work.h"

#include <stdlib.h>

/* Fresh memory of more than LARGE_BYTES costs more than many an operation: blocks are kept. */
enum { OPERATIONS_WORTH_THREADS = 30000, LARGE_BYTES = 256 << 10 };

static cudnnDataType_t number_type(bool wide)
{
    return wide ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT;
}

bool dnn_wide(cudnnDataType_t compute, const struct dnn_tensor *const *tensors, int count)
{
    if (compute == CUDNN_DATA_DOUBLE)
        return true;
    for (int i = 0; i < count; i++) {
        int type = (int)tensors[i]->type;

        if (tensors[i]->address && (type == CUDNN_DATA_DOUBLE || type == CUDNN_DATA_INT32 ||
                                    type == CUDNN_DATA_INT64 || type == CUDNN_DATA_UINT32))
            return true;
    }
    return false;
}

bool dnn_array_new(struct dnn_array *array, int64_t count, bool wide)
{
    size_t bytes = (size_t)(count > 0 ? count : 1) * (wide ? sizeof(double) : sizeof(float));

    *array = (struct dnn_array){.wide = wide, .large = bytes > LARGE_BYTES};
    array->owned = array->large ? scratch_take(bytes) : aligned_alloc(64, (bytes + 63) / 64 * 64);
    array->data = array->owned;
    return array->data != NULL;
}

void dnn_array_free(struct dnn_array *array)
{
    if (array->large)
        scratch_give(array->owned);
    else
        free(array->owned);
    *array = (struct dnn_array){0};
}

struct copy {
    const struct dnn_tensor *tensor;
    void *data;
    bool wide;
    struct dnn_blend blend;
};

static void *number_at(const struct copy *copy, int64_t offset)
{
    return (char *)copy->data + offset * (copy->wide ? 8 : 4);
}

static void load_line(void *argument, const struct dnn_loop *loop, const int64_t *offsets,
                      size_t count)
{
    struct copy *copy = argument;
    int64_t to = loop->strides[0][loop->rank - 1], from = loop->strides[1][loop->rank - 1];
    double numbers[DNN_LINE_MOST];

    if (to == 1) {
        dnn_line_load(copy->wide, number_at(copy, offsets[0]), copy->tensor->type,
                      dnn_at(copy->tensor, offsets[1]), from, count);
        return;
    }
    dnn_line_load(copy->wide, numbers, copy->tensor->type, dnn_at(copy->tensor, offsets[1]), from,
                  count);
    dnn_line_store(copy->wide, number_at(copy, offsets[0]), number_type(copy->wide), to, numbers,
                   count);
}

/* numbers = alpha * numbers + beta * old */
static void blend_line(bool wide, void *numbers, const void *old, struct dnn_blend blend,
                       size_t count)
{
    if (wide)
        for (size_t i = 0; i < count; i++)
            ((double *)numbers)[i] = blend.alpha * ((double *)numbers)[i] +
                                     (blend.beta != 0 ? blend.beta * ((const double *)old)[i] : 0);
    else
        for (size_t i = 0; i < count; i++)
            ((float *)numbers)[i] =
                (float)blend.alpha * ((float *)numbers)[i] +
                (blend.beta != 0 ? (float)blend.beta * ((const float *)old)[i] : 0);
}

static void store_line(void *argument, const struct dnn_loop *loop, const int64_t *offsets,
                       size_t count)
{
    struct copy *copy = argument;
    int64_t to = loop->strides[0][loop->rank - 1], from = loop->strides[1][loop->rank - 1];
    void *address = dnn_at(copy->tensor, offsets[0]);
    double numbers[DNN_LINE_MOST], old[DNN_LINE_MOST];

    dnn_line_load(copy->wide, numbers, number_type(copy->wide), number_at(copy, offsets[1]), from,
                  count);
    if (copy->blend.beta != 0)
        dnn_line_load(copy->wide, old, copy->tensor->type, address, to, count);
    if (copy->blend.beta != 0 || copy->blend.alpha != 1)
        blend_line(copy->wide, numbers, old, copy->blend, count);
    dnn_line_store(copy->wide, address, copy->tensor->type, to, numbers, count);
}

static bool is_array(const struct dnn_tensor *tensor, bool wide)
{
    return tensor->type == number_type(wide) && dnn_is_packed(tensor);
}

bool dnn_array_load(struct dnn_array *array, const struct dnn_tensor *tensor, bool wide)
{
    struct dnn_tensor numbers;
    struct copy copy = {.tensor = tensor, .wide = wide};
    struct dnn_loop loop;

    *array = (struct dnn_array){.wide = wide};
    if (!tensor->address)
        return true;
    if (is_array(tensor, wide)) {
        array->data = tensor->address;
        return true;
    }
    if (!dnn_array_new(array, dnn_count(tensor), wide))
        return false;
    numbers = dnn_packed(array->data, number_type(wide), tensor->rank, tensor->dims);
    copy.data = array->data;
    dnn_loop_init(&loop, (const struct dnn_tensor *const[]){&numbers, tensor}, 2);
    dnn_loop_run(&loop, load_line, &copy);
    return true;
}

bool dnn_array_output(struct dnn_array *array, const struct dnn_tensor *tensor, bool wide,
                      struct dnn_blend blend)
{
    blend = dnn_blend_of(blend);
    *array = (struct dnn_array){.wide = wide};
    if (!tensor->address)
        return true;
    if (is_array(tensor, wide) && blend.alpha == 1 && blend.beta == 0) {
        array->data = tensor->address;
        return true;
    }
    return dnn_array_new(array, dnn_count(tensor), wide);
}

void dnn_array_store(const struct dnn_tensor *tensor, const struct dnn_array *array,
                     struct dnn_blend blend)
{
    struct dnn_tensor numbers;
    struct copy copy = {
        .tensor = tensor, .wide = array->wide, .data = array->data, .blend = dnn_blend_of(blend)};
    struct dnn_loop loop;

    if (!tensor->address || array->data == tensor->address)
        return;
    numbers = dnn_packed(array->data, number_type(array->wide), tensor->rank, tensor->dims);
    dnn_loop_init(&loop, (const struct dnn_tensor *const[]){tensor, &numbers}, 2);
    dnn_loop_run(&loop, store_line, &copy);
}

void dnn_parallel(int64_t count, int64_t operations, void (*part)(void *, size_t), void *arguments)
{
    if (count > 1 && operations > OPERATIONS_WORTH_THREADS) {
        lib_parallel((size_t)count, part, arguments);
        return;
    }
    for (int64_t i = 0; i < count; i++)
        part(arguments, (size_t)i);
}

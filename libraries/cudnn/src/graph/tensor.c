/* SPDX-License-Identifier: MIT */
/* Tensor descriptors. */
#include "tensor.h"

#include "kinds.h"

#include <stdlib.h>

enum { VECTOR_MOST = 32 };

static cudnnStatus_t fill_defaults(struct graph_content *content)
{
    static const struct {
        int name;
        cudnnBackendAttributeType_t type;
        int64_t value; /* little endian: the low bytes serve the narrow types */
    } defaults[] = {
        {CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, CUDNN_DATA_FLOAT},
        {CUDNN_ATTR_TENSOR_VECTOR_COUNT, CUDNN_TYPE_INT64, 1},
        {CUDNN_ATTR_TENSOR_VECTORIZED_DIMENSION, CUDNN_TYPE_INT64, -1},
        {CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, 0},
        {CUDNN_ATTR_TENSOR_IS_VIRTUAL, CUDNN_TYPE_BOOLEAN, 0},
        {CUDNN_ATTR_TENSOR_IS_BY_VALUE, CUDNN_TYPE_BOOLEAN, 0},
        {CUDNN_ATTR_TENSOR_REORDERING_MODE, CUDNN_TYPE_TENSOR_REORDERING_MODE, 0},
    };

    for (size_t i = 0; i < sizeof(defaults) / sizeof(*defaults); i++)
        if (!graph_count(content, defaults[i].name) &&
            !graph_value_set(content, defaults[i].name, defaults[i].type, 1, &defaults[i].value))
            return CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED;
    return CUDNN_STATUS_SUCCESS;
}

static enum graph_storage storage_of(const struct graph_content *content,
                                     const struct graph_tensor *tensor)
{
    if (tensor->offsets)
        return GRAPH_RAGGED;
    if (tensor->is_virtual)
        return GRAPH_PLAIN;
    if (graph_integer(content, CUDNN_ATTR_TENSOR_REORDERING_MODE, 0, 0) ==
        CUDNN_TENSOR_REORDERING_F8_128x4)
        return GRAPH_TILES;
    switch (tensor->view.type) {
    case CUDNN_DATA_BOOLEAN:
        return GRAPH_BITS;
    case CUDNN_DATA_FP4_E2M1:
    case CUDNN_DATA_INT4:
    case CUDNN_DATA_UINT4:
        return GRAPH_NIBBLES;
    default:
        return GRAPH_PLAIN;
    }
}

/* INT8x4 and its like are types of the older interface: elements of INT8 in vectors. */
static void set_vector(const struct graph_content *content, struct dnn_tensor *view)
{
    int64_t dimension = graph_integer(content, CUDNN_ATTR_TENSOR_VECTORIZED_DIMENSION, 0, -1);
    int64_t count = graph_integer(content, CUDNN_ATTR_TENSOR_VECTOR_COUNT, 0, 1);

    if (count <= 1 || count > VECTOR_MOST || dimension < 0 || dimension >= view->rank)
        return;
    view->vector = (int)count;
    view->vector_dim = (int)dimension;
    view->dims[dimension] *= count;
}

/* Bytes and positions in a tensor are numbers of 63 bits. */
static bool is_addressable(const struct dnn_tensor *view)
{
    int64_t most = INT64_MAX >> 8, count = 1, last = 0, step;

    for (int i = 0; i < view->rank; i++)
        if (__builtin_mul_overflow(count, view->dims[i] ? view->dims[i] : 1, &count) ||
            __builtin_mul_overflow(view->dims[i], view->strides[i], &step) ||
            __builtin_add_overflow(last, step, &last) || count > most || last > most)
            return false;
    return true;
}

static cudnnStatus_t read_shape(const struct graph_content *content, struct dnn_tensor *view)
{
    int64_t rank = graph_count(content, CUDNN_ATTR_TENSOR_DIMENSIONS);

    if (rank != graph_count(content, CUDNN_ATTR_TENSOR_STRIDES))
        return dnn_error(CUDNN_STATUS_BAD_PARAM, "a tensor has %lld dimensions and %lld strides",
                         (long long)rank,
                         (long long)graph_count(content, CUDNN_ATTR_TENSOR_STRIDES));
    view->type = (cudnnDataType_t)graph_integer(content, CUDNN_ATTR_TENSOR_DATA_TYPE, 0, 0);
    view->rank = (int)rank;
    for (int i = 0; i < view->rank; i++) {
        view->dims[i] = graph_integer(content, CUDNN_ATTR_TENSOR_DIMENSIONS, i, 1);
        view->strides[i] = graph_integer(content, CUDNN_ATTR_TENSOR_STRIDES, i, 1);
        if (view->dims[i] < 0 || view->dims[i] > INT64_MAX >> 24 || view->strides[i] < 0 ||
            view->strides[i] > INT64_MAX >> 24)
            return dnn_error(CUDNN_STATUS_BAD_PARAM,
                             "dimension %d of a tensor is %lld, stride %lld", i,
                             (long long)view->dims[i], (long long)view->strides[i]);
    }
    if (!is_addressable(view))
        return dnn_error(CUDNN_STATUS_BAD_PARAM, "a tensor is larger than memory can be");
    if (view->type < CUDNN_DATA_FLOAT || view->type > CUDNN_DATA_COMPLEX_FP64)
        return dnn_error(CUDNN_STATUS_BAD_PARAM, "a tensor has type %d", (int)view->type);
    return CUDNN_STATUS_SUCCESS;
}

/* Real parts of complex numbers lie two numbers apart. */
static void split_complex(struct graph_tensor *tensor)
{
    struct dnn_tensor *view = &tensor->view;

    tensor->is_complex =
        view->type == CUDNN_DATA_COMPLEX_FP32 || view->type == CUDNN_DATA_COMPLEX_FP64;
    if (!tensor->is_complex)
        return;
    view->type = view->type == CUDNN_DATA_COMPLEX_FP32 ? CUDNN_DATA_FLOAT : CUDNN_DATA_DOUBLE;
    for (int i = 0; i < view->rank; i++)
        view->strides[i] *= 2;
}

/* What is not plain has no vectors, and offsets say where each batch begins and the last one ends.
 */
static cudnnStatus_t check_storage(const struct graph_tensor *tensor)
{
    const struct dnn_tensor *offsets = tensor->offsets ? &tensor->offsets->view : NULL;

    if (tensor->view.vector > 1 && (tensor->storage != GRAPH_PLAIN || tensor->is_complex))
        return dnn_error(CUDNN_STATUS_NOT_SUPPORTED_LAYOUT, "a tensor of this kind has vectors");
    if (tensor->storage == GRAPH_TILES && tensor->view.rank < 2)
        return dnn_error(CUDNN_STATUS_BAD_PARAM, "a tensor in tiles has one dimension");
    if (!offsets)
        return CUDNN_STATUS_SUCCESS;
    if (tensor->offsets->is_virtual || tensor->offsets->storage != GRAPH_PLAIN ||
        (offsets->type != CUDNN_DATA_INT32 && offsets->type != CUDNN_DATA_INT64))
        return dnn_error(CUDNN_STATUS_BAD_PARAM,
                         "offsets of a ragged tensor are no INT32 or INT64");
    if (offsets->dims[0] <= tensor->view.dims[0])
        return dnn_error(CUDNN_STATUS_BAD_PARAM, "a ragged tensor of %lld batches has %lld offsets",
                         (long long)tensor->view.dims[0], (long long)offsets->dims[0]);
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t graph_tensor_finalize(struct graph_content *content)
{
    int64_t alignment = graph_integer(content, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, 0, 1);
    struct graph_tensor *tensor = calloc(1, sizeof(*tensor));
    cudnnStatus_t status;

    if (!tensor)
        return CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED;
    status = fill_defaults(content);
    if (status == CUDNN_STATUS_SUCCESS)
        status = read_shape(content, &tensor->view);
    tensor->uid = graph_integer(content, CUDNN_ATTR_TENSOR_UNIQUE_ID, 0, 0);
    tensor->is_virtual = graph_integer(content, CUDNN_ATTR_TENSOR_IS_VIRTUAL, 0, 0);
    tensor->by_value = graph_integer(content, CUDNN_ATTR_TENSOR_IS_BY_VALUE, 0, 0);
    if (status == CUDNN_STATUS_SUCCESS && (alignment < 1 || (alignment & (alignment - 1))))
        status = dnn_error(CUDNN_STATUS_BAD_PARAM, "a tensor is aligned to %lld bytes",
                           (long long)alignment);
    if (status == CUDNN_STATUS_SUCCESS && tensor->by_value &&
        (tensor->is_virtual || dnn_count(&tensor->view) != 1))
        status = dnn_error(CUDNN_STATUS_BAD_PARAM, "a value is one element and not virtual");
    if (status == CUDNN_STATUS_SUCCESS) {
        set_vector(content, &tensor->view);
        split_complex(tensor);
        tensor->offsets = graph_tensor_at(content, CUDNN_ATTR_TENSOR_RAGGED_OFFSET_DESC);
        tensor->storage = storage_of(content, tensor);
        status = check_storage(tensor);
    }
    if (status != CUDNN_STATUS_SUCCESS) {
        free(tensor);
        return status;
    }
    content->derived = tensor;
    return CUDNN_STATUS_SUCCESS;
}

void graph_tensor_finish(struct graph_content *content)
{
    free(content->derived);
}

struct dnn_tensor graph_tensor_buffer(const struct graph_tensor *tensor, const int64_t *dims,
                                      int64_t batches)
{
    struct dnn_tensor buffer = {.type = tensor->view.type, .rank = tensor->view.rank};
    int order[DNN_RANK_MOST];
    int64_t stride = 1;

    if (buffer.type == CUDNN_DATA_FAST_FLOAT_FOR_FP8 || !dnn_type_bytes(buffer.type))
        buffer.type = CUDNN_DATA_FLOAT;
    for (int i = 0; i < buffer.rank; i++) {
        int at = i;

        /* Dimensions of the same stride keep their order, so that the last is the innermost. */
        for (; at > 0 && tensor->view.strides[order[at - 1]] < tensor->view.strides[i]; at--)
            order[at] = order[at - 1];
        order[at] = i;
        buffer.dims[i] = dims[i];
    }
    if (batches && buffer.dims[0] > 1)
        buffer.dims[0] = batches;
    for (int i = buffer.rank - 1; i >= 0; i--) {
        buffer.strides[order[i]] = stride;
        stride *= buffer.dims[order[i]];
    }
    return buffer;
}

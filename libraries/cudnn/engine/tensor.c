/* SPDX-License-Identifier: MIT */
/* What can be said of a tensor without its elements, and single elements. */
#include "tensor.h"

#include "line.h"
#include "work.h"

size_t dnn_type_bytes(cudnnDataType_t type)
{
    switch ((int)type) {
    case CUDNN_DATA_DOUBLE:
    case CUDNN_DATA_INT64:
        return 8;
    case CUDNN_DATA_FLOAT:
    case CUDNN_DATA_INT32:
    case CUDNN_DATA_UINT32:
        return 4;
    case CUDNN_DATA_HALF:
    case CUDNN_DATA_BFLOAT16:
        return 2;
    case CUDNN_DATA_INT8:
    case CUDNN_DATA_UINT8:
    case CUDNN_DATA_BOOLEAN:
    case CUDNN_DATA_FP8_E4M3:
    case CUDNN_DATA_FP8_E5M2:
    case CUDNN_DATA_FP8_E8M0:
        return 1;
    default:
        return 0;
    }
}

int64_t dnn_count(const struct dnn_tensor *tensor)
{
    int64_t count = 1;

    for (int i = 0; i < tensor->rank; i++)
        count *= tensor->dims[i];
    return count;
}

size_t dnn_span_bytes(const struct dnn_tensor *tensor)
{
    int64_t vector = tensor->vector > 1 ? tensor->vector : 1, last = 0;

    for (int i = 0; i < tensor->rank; i++) {
        int64_t dim = tensor->dims[i];

        if (dim <= 0)
            return 0;
        if (vector > 1 && i == tensor->vector_dim)
            dim = (dim + vector - 1) / vector;
        last += (dim - 1) * tensor->strides[i];
    }
    return (size_t)((last + 1) * vector) * dnn_type_bytes(tensor->type);
}

bool dnn_is_packed(const struct dnn_tensor *tensor)
{
    int64_t stride = 1;

    if (tensor->vector > 1)
        return false;
    for (int i = tensor->rank - 1; i >= 0; i--) {
        if (tensor->dims[i] != 1 && tensor->strides[i] != stride)
            return false;
        stride *= tensor->dims[i];
    }
    return true;
}

struct dnn_tensor dnn_packed(void *address, cudnnDataType_t type, int rank, const int64_t *dims)
{
    struct dnn_tensor tensor = {.address = address, .type = type, .rank = rank};
    int64_t stride = 1;

    for (int i = rank - 1; i >= 0; i--) {
        tensor.dims[i] = dims[i];
        tensor.strides[i] = stride;
        stride *= dims[i];
    }
    return tensor;
}

struct cupipe_range dnn_read(const struct dnn_tensor *tensor)
{
    size_t bytes = tensor->address ? dnn_span_bytes(tensor) : 0;
    struct cupipe_range range = lib_read(tensor->address, bytes);

    /* Gaps between elements are not read. */
    return bytes == (size_t)dnn_count(tensor) * dnn_type_bytes(tensor->type) ? range
                                                                             : lib_partly(range);
}

struct cupipe_range dnn_written(const struct dnn_tensor *tensor)
{
    struct cupipe_range range = dnn_read(tensor);

    range.written = 1;
    return range;
}

double dnn_get(cudnnDataType_t type, const void *address)
{
    double value;

    dnn_line_load(true, &value, type, address, 1, 1);
    return value;
}

void dnn_set(cudnnDataType_t type, void *address, double value)
{
    dnn_line_store(true, address, type, 1, &value, 1);
}

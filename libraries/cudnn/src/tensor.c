/* SPDX-License-Identifier: MIT */
/* Descriptors of tensors and filters. */
#include "descriptor.h"

#include <limits.h>

bool dnn_split_type(cudnnDataType_t type, cudnnDataType_t *element, int *vector)
{
    *element = type;
    *vector = 1;
    switch ((int)type) {
    case CUDNN_DATA_INT8x4:
        *element = CUDNN_DATA_INT8;
        *vector = 4;
        return true;
    case CUDNN_DATA_UINT8x4:
        *element = CUDNN_DATA_UINT8;
        *vector = 4;
        return true;
    case CUDNN_DATA_INT8x32:
        *element = CUDNN_DATA_INT8;
        *vector = 32;
        return true;
    default:
        return dnn_type_bytes(type) != 0;
    }
}

bool dnn_is_tensor(const void *descriptor)
{
    return lib_object_is(descriptor, &dnn_tensor_type) &&
           ((const struct cudnnTensorStruct *)descriptor)->shape.rank > 0;
}

bool dnn_is_filter(const void *descriptor)
{
    return lib_object_is(descriptor, &dnn_filter_type) &&
           ((const struct cudnnFilterStruct *)descriptor)->shape.rank > 0;
}

struct dnn_tensor dnn_tensor_of(cudnnTensorDescriptor_t descriptor, const void *address)
{
    struct dnn_tensor tensor = descriptor->shape;

    tensor.address = (void *)address;
    return tensor;
}

struct dnn_tensor dnn_filter_of(cudnnFilterDescriptor_t descriptor, const void *address)
{
    struct dnn_tensor tensor = descriptor->shape;

    tensor.address = (void *)address;
    return tensor;
}

bool dnn_same_dims(const struct dnn_tensor *a, const struct dnn_tensor *b)
{
    if (a->rank != b->rank)
        return false;
    for (int i = 0; i < a->rank; i++)
        if (a->dims[i] != b->dims[i])
            return false;
    return true;
}

/* The shape without gaps in a format. */
static bool shape_of(struct dnn_tensor *shape, cudnnDataType_t type, cudnnTensorFormat_t format,
                     int rank, const int *dims)
{
    struct dnn_tensor made = {.rank = rank, .vector_dim = 1};
    int64_t stride = 1;

    if ((unsigned)format > CUDNN_TENSOR_NCHW_VECT_C ||
        !dnn_split_type(type, &made.type, &made.vector) ||
        (format == CUDNN_TENSOR_NCHW_VECT_C) != (made.vector > 1))
        return false;
    for (int i = 0; i < rank; i++) {
        made.dims[i] = dims[i];
        if (dims[i] <= 0)
            return false;
    }
    if (made.dims[1] % made.vector)
        return false;
    for (int i = rank - 1; i >= 0; i--) {
        int place = format != CUDNN_TENSOR_NHWC ? i : i == rank - 1 ? 1 : i == 0 ? 0 : i + 1;

        made.strides[place] = stride;
        stride *= place == 1 ? made.dims[1] / made.vector : made.dims[place];
        if (stride > INT_MAX)
            return false;
    }
    *shape = made;
    return true;
}

static bool strided_shape(struct dnn_tensor *shape, cudnnDataType_t type, int rank, const int *dims,
                          const int *strides)
{
    struct dnn_tensor made = {.rank = rank, .vector_dim = 1};

    if (!dnn_split_type(type, &made.type, &made.vector))
        return false;
    for (int i = 0; i < rank; i++) {
        if (dims[i] <= 0 || strides[i] == 0)
            return false;
        made.dims[i] = dims[i];
        made.strides[i] = strides[i];
    }
    *shape = made;
    return true;
}

cudnnStatus_t cudnnSetTensor4dDescriptor(cudnnTensorDescriptor_t tensorDesc,
                                         cudnnTensorFormat_t format, cudnnDataType_t dataType,
                                         int n, int c, int h, int w)
{
    const int dims[] = {n, c, h, w};

    if (!lib_object_is(tensorDesc, &dnn_tensor_type) ||
        !shape_of(&tensorDesc->shape, dataType, format, 4, dims))
        return DNN_BAD_PARAM();
    tensorDesc->type = dataType;
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetTensor4dDescriptorEx(cudnnTensorDescriptor_t tensorDesc,
                                           cudnnDataType_t dataType, int n, int c, int h, int w,
                                           int nStride, int cStride, int hStride, int wStride)
{
    const int dims[] = {n, c, h, w}, strides[] = {nStride, cStride, hStride, wStride};

    if (!lib_object_is(tensorDesc, &dnn_tensor_type) ||
        !strided_shape(&tensorDesc->shape, dataType, 4, dims, strides))
        return DNN_BAD_PARAM();
    tensorDesc->type = dataType;
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetTensor4dDescriptor(const cudnnTensorDescriptor_t tensorDesc,
                                         cudnnDataType_t *dataType, int *n, int *c, int *h, int *w,
                                         int *nStride, int *cStride, int *hStride, int *wStride)
{
    int *dims[] = {n, c, h, w}, *strides[] = {nStride, cStride, hStride, wStride};

    if (!lib_object_is(tensorDesc, &dnn_tensor_type) || tensorDesc->shape.rank != 4)
        return DNN_BAD_PARAM();
    if (dataType)
        *dataType = tensorDesc->type;
    for (int i = 0; i < 4; i++) {
        if (dims[i])
            *dims[i] = (int)tensorDesc->shape.dims[i];
        if (strides[i])
            *strides[i] = (int)tensorDesc->shape.strides[i];
    }
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetTensorNdDescriptor(cudnnTensorDescriptor_t tensorDesc,
                                         cudnnDataType_t dataType, int nbDims, const int dimA[],
                                         const int strideA[])
{
    if (!lib_object_is(tensorDesc, &dnn_tensor_type) || nbDims < 2 || !dimA || !strideA)
        return DNN_BAD_PARAM();
    if (nbDims > CUDNN_DIM_MAX)
        return DNN_UNSUPPORTED();
    if (!strided_shape(&tensorDesc->shape, dataType, nbDims, dimA, strideA))
        return DNN_BAD_PARAM();
    tensorDesc->type = dataType;
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetTensorNdDescriptorEx(cudnnTensorDescriptor_t tensorDesc,
                                           cudnnTensorFormat_t format, cudnnDataType_t dataType,
                                           int nbDims, const int dimA[])
{
    if (!lib_object_is(tensorDesc, &dnn_tensor_type) || nbDims < 2 || !dimA)
        return DNN_BAD_PARAM();
    if (nbDims > CUDNN_DIM_MAX)
        return DNN_UNSUPPORTED();
    if (!shape_of(&tensorDesc->shape, dataType, format, nbDims, dimA))
        return DNN_BAD_PARAM();
    tensorDesc->type = dataType;
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetTensorNdDescriptor(const cudnnTensorDescriptor_t tensorDesc,
                                         int nbDimsRequested, cudnnDataType_t *dataType,
                                         int *nbDims, int dimA[], int strideA[])
{
    if (!lib_object_is(tensorDesc, &dnn_tensor_type) || nbDimsRequested < 0 ||
        nbDimsRequested > CUDNN_DIM_MAX)
        return DNN_BAD_PARAM();
    if (dataType)
        *dataType = tensorDesc->type;
    if (nbDims)
        *nbDims = tensorDesc->shape.rank;
    for (int i = 0; i < nbDimsRequested && i < tensorDesc->shape.rank; i++) {
        if (dimA)
            dimA[i] = (int)tensorDesc->shape.dims[i];
        if (strideA)
            strideA[i] = (int)tensorDesc->shape.strides[i];
    }
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetTensorSizeInBytes(const cudnnTensorDescriptor_t tensorDesc, size_t *size)
{
    if (!lib_object_is(tensorDesc, &dnn_tensor_type) || !size)
        return DNN_BAD_PARAM();
    *size = tensorDesc->shape.rank ? dnn_span_bytes(&tensorDesc->shape) : 0;
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetFilterNdDescriptor(cudnnFilterDescriptor_t filterDesc,
                                         cudnnDataType_t dataType, cudnnTensorFormat_t format,
                                         int nbDims, const int filterDimA[])
{
    if (!lib_object_is(filterDesc, &dnn_filter_type) || nbDims < 3 || !filterDimA)
        return DNN_BAD_PARAM();
    if (nbDims > CUDNN_DIM_MAX)
        return DNN_UNSUPPORTED();
    if (!shape_of(&filterDesc->shape, dataType, format, nbDims, filterDimA))
        return DNN_BAD_PARAM();
    filterDesc->type = dataType;
    filterDesc->format = format;
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetFilter4dDescriptor(cudnnFilterDescriptor_t filterDesc,
                                         cudnnDataType_t dataType, cudnnTensorFormat_t format,
                                         int k, int c, int h, int w)
{
    const int dims[] = {k, c, h, w};

    return cudnnSetFilterNdDescriptor(filterDesc, dataType, format, 4, dims);
}

cudnnStatus_t cudnnGetFilterNdDescriptor(const cudnnFilterDescriptor_t filterDesc,
                                         int nbDimsRequested, cudnnDataType_t *dataType,
                                         cudnnTensorFormat_t *format, int *nbDims, int filterDimA[])
{
    if (!lib_object_is(filterDesc, &dnn_filter_type) || nbDimsRequested < 0 ||
        nbDimsRequested > CUDNN_DIM_MAX)
        return DNN_BAD_PARAM();
    if (dataType)
        *dataType = filterDesc->type;
    if (format)
        *format = filterDesc->format;
    if (nbDims)
        *nbDims = filterDesc->shape.rank;
    for (int i = 0; i < nbDimsRequested && i < filterDesc->shape.rank && filterDimA; i++)
        filterDimA[i] = (int)filterDesc->shape.dims[i];
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetFilter4dDescriptor(const cudnnFilterDescriptor_t filterDesc,
                                         cudnnDataType_t *dataType, cudnnTensorFormat_t *format,
                                         int *k, int *c, int *h, int *w)
{
    int *places[] = {k, c, h, w};

    if (!dnn_is_filter(filterDesc) || filterDesc->shape.rank != 4)
        return DNN_BAD_PARAM();
    for (int i = 0; i < 4; i++)
        if (places[i])
            *places[i] = (int)filterDesc->shape.dims[i];
    return cudnnGetFilterNdDescriptor(filterDesc, 0, dataType, format, NULL, NULL);
}

cudnnStatus_t cudnnGetFilterSizeInBytes(const cudnnFilterDescriptor_t filterDesc, size_t *size)
{
    if (!lib_object_is(filterDesc, &dnn_filter_type) || !size)
        return DNN_BAD_PARAM();
    *size = filterDesc->shape.rank ? dnn_span_bytes(&filterDesc->shape) : 0;
    return CUDNN_STATUS_SUCCESS;
}

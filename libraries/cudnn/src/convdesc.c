/* SPDX-License-Identifier: MIT */
/* Descriptors of convolutions, and the dimensions of their results. */
#include "descriptor.h"

static bool is_convolution(const void *descriptor)
{
    return lib_object_is(descriptor, &dnn_convolution_type);
}

cudnnStatus_t cudnnSetConvolutionMathType(cudnnConvolutionDescriptor_t convDesc,
                                          cudnnMathType_t mathType)
{
    if (!is_convolution(convDesc) || (unsigned)mathType > CUDNN_FMA_MATH)
        return DNN_BAD_PARAM();
    convDesc->math = mathType;
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetConvolutionMathType(cudnnConvolutionDescriptor_t convDesc,
                                          cudnnMathType_t *mathType)
{
    if (!is_convolution(convDesc) || !mathType)
        return DNN_BAD_PARAM();
    *mathType = convDesc->math;
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetConvolutionGroupCount(cudnnConvolutionDescriptor_t convDesc, int groupCount)
{
    if (!is_convolution(convDesc) || groupCount < 1)
        return DNN_BAD_PARAM();
    convDesc->groups = groupCount;
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetConvolutionGroupCount(cudnnConvolutionDescriptor_t convDesc, int *groupCount)
{
    if (!is_convolution(convDesc) || !groupCount)
        return DNN_BAD_PARAM();
    *groupCount = convDesc->groups;
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetConvolutionReorderType(cudnnConvolutionDescriptor_t convDesc,
                                             cudnnReorderType_t reorderType)
{
    if (!is_convolution(convDesc) || (unsigned)reorderType > CUDNN_NO_REORDER)
        return DNN_BAD_PARAM();
    convDesc->reorder = reorderType;
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetConvolutionReorderType(cudnnConvolutionDescriptor_t convDesc,
                                             cudnnReorderType_t *reorderType)
{
    if (!is_convolution(convDesc) || !reorderType)
        return DNN_BAD_PARAM();
    *reorderType = convDesc->reorder;
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetConvolutionNdDescriptor(cudnnConvolutionDescriptor_t convDesc,
                                              int arrayLength, const int padA[],
                                              const int filterStrideA[], const int dilationA[],
                                              cudnnConvolutionMode_t mode,
                                              cudnnDataType_t computeType)
{
    if (!is_convolution(convDesc) || arrayLength < 1 || !padA || !filterStrideA || !dilationA ||
        (unsigned)mode > CUDNN_CROSS_CORRELATION || !dnn_type_bytes(computeType))
        return DNN_BAD_PARAM();
    if (arrayLength > SPATIAL_MOST)
        return DNN_UNSUPPORTED();
    for (int i = 0; i < arrayLength; i++)
        if (padA[i] < 0 || filterStrideA[i] < 1 || dilationA[i] < 1)
            return DNN_BAD_PARAM();
    convDesc->spatial = arrayLength;
    for (int i = 0; i < arrayLength; i++) {
        convDesc->pad[i] = padA[i];
        convDesc->stride[i] = filterStrideA[i];
        convDesc->dilation[i] = dilationA[i];
    }
    convDesc->mode = mode;
    convDesc->compute = computeType;
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetConvolutionNdDescriptor(const cudnnConvolutionDescriptor_t convDesc,
                                              int arrayLengthRequested, int *arrayLength,
                                              int padA[], int strideA[], int dilationA[],
                                              cudnnConvolutionMode_t *mode,
                                              cudnnDataType_t *computeType)
{
    if (!is_convolution(convDesc) || arrayLengthRequested < 0)
        return DNN_BAD_PARAM();
    if (arrayLength)
        *arrayLength = convDesc->spatial;
    for (int i = 0; i < arrayLengthRequested && i < convDesc->spatial; i++) {
        if (padA)
            padA[i] = convDesc->pad[i];
        if (strideA)
            strideA[i] = convDesc->stride[i];
        if (dilationA)
            dilationA[i] = convDesc->dilation[i];
    }
    if (mode)
        *mode = convDesc->mode;
    if (computeType)
        *computeType = convDesc->compute;
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetConvolution2dDescriptor(cudnnConvolutionDescriptor_t convDesc, int pad_h,
                                              int pad_w, int u, int v, int dilation_h,
                                              int dilation_w, cudnnConvolutionMode_t mode,
                                              cudnnDataType_t computeType)
{
    const int pad[] = {pad_h, pad_w}, stride[] = {u, v}, dilation[] = {dilation_h, dilation_w};

    return cudnnSetConvolutionNdDescriptor(convDesc, 2, pad, stride, dilation, mode, computeType);
}

cudnnStatus_t cudnnGetConvolution2dDescriptor(const cudnnConvolutionDescriptor_t convDesc,
                                              int *pad_h, int *pad_w, int *u, int *v,
                                              int *dilation_h, int *dilation_w,
                                              cudnnConvolutionMode_t *mode,
                                              cudnnDataType_t *computeType)
{
    int *places[] = {pad_h, pad_w, u, v, dilation_h, dilation_w};
    int values[3][2];

    if (!is_convolution(convDesc) || convDesc->spatial != 2)
        return DNN_BAD_PARAM();
    cudnnGetConvolutionNdDescriptor(convDesc, 2, NULL, values[0], values[1], values[2], mode,
                                    computeType);
    for (int i = 0; i < 6; i++)
        if (places[i])
            *places[i] = values[i / 2][i % 2];
    return CUDNN_STATUS_SUCCESS;
}

/* Dimensions are written one after another; from the first that would not be positive on, they are
 * 0. */
static cudnnStatus_t output_dims(const struct cudnnConvolutionStruct *conv,
                                 const struct dnn_tensor *x, const struct dnn_tensor *w, int *dims)
{
    int64_t groups = conv->groups;

    for (int i = 0; i < x->rank; i++)
        dims[i] = 0;
    if (x->dims[1] != w->dims[1] * groups || w->dims[0] % groups)
        return CUDNN_STATUS_BAD_PARAM;
    dims[0] = (int)x->dims[0];
    dims[1] = (int)w->dims[0];
    for (int i = 0; i < conv->spatial; i++) {
        int64_t seen = (w->dims[2 + i] - 1) * conv->dilation[i] + 1;
        int64_t room = x->dims[2 + i] + 2 * conv->pad[i] - seen;

        if (room < 0)
            return CUDNN_STATUS_BAD_PARAM;
        dims[2 + i] = (int)(room / conv->stride[i] + 1);
    }
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetConvolutionNdForwardOutputDim(const cudnnConvolutionDescriptor_t convDesc,
                                                    const cudnnTensorDescriptor_t inputTensorDesc,
                                                    const cudnnFilterDescriptor_t filterDesc,
                                                    int nbDims, int tensorOuputDimA[])
{
    int dims[CUDNN_DIM_MAX];
    cudnnStatus_t status;

    if (!is_convolution(convDesc) || !dnn_is_tensor(inputTensorDesc) ||
        !dnn_is_filter(filterDesc) || !tensorOuputDimA ||
        inputTensorDesc->shape.rank != filterDesc->shape.rank ||
        inputTensorDesc->shape.rank != convDesc->spatial + 2 ||
        nbDims != inputTensorDesc->shape.rank)
        return DNN_BAD_PARAM();
    status = output_dims(convDesc, &inputTensorDesc->shape, &filterDesc->shape, dims);
    for (int i = 0; i < nbDims; i++)
        tensorOuputDimA[i] = dims[i];
    return status == CUDNN_STATUS_SUCCESS ? status : DNN_BAD_PARAM();
}

cudnnStatus_t cudnnGetConvolution2dForwardOutputDim(const cudnnConvolutionDescriptor_t convDesc,
                                                    const cudnnTensorDescriptor_t inputTensorDesc,
                                                    const cudnnFilterDescriptor_t filterDesc,
                                                    int *n, int *c, int *h, int *w)
{
    int dims[4];
    cudnnStatus_t status;

    if (!n || !c || !h || !w || !is_convolution(convDesc) || convDesc->spatial != 2 ||
        !dnn_is_tensor(inputTensorDesc) || !dnn_is_filter(filterDesc) ||
        inputTensorDesc->shape.rank != 4 || filterDesc->shape.rank != 4)
        return DNN_BAD_PARAM();
    status = cudnnGetConvolutionNdForwardOutputDim(convDesc, inputTensorDesc, filterDesc, 4, dims);
    *n = dims[0];
    *c = dims[1];
    *h = dims[2];
    *w = dims[3];
    return status;
}

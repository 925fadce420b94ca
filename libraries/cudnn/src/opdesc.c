/* SPDX-License-Identifier: MIT */
/* Settings of descriptors of operations: activation, pooling, LRN, tensor operations, reductions,
 * tensor transforms. */
#include "descriptor.h"

static bool valid_nan(cudnnNanPropagation_t nan)
{
    return (unsigned)nan <= CUDNN_PROPAGATE_NAN;
}

cudnnStatus_t cudnnSetActivationDescriptor(cudnnActivationDescriptor_t activationDesc,
                                           cudnnActivationMode_t mode,
                                           cudnnNanPropagation_t reluNanOpt, double coef)
{
    if (!lib_object_is(activationDesc, &dnn_activation_type) ||
        (unsigned)mode > CUDNN_ACTIVATION_SWISH || !valid_nan(reluNanOpt))
        return DNN_BAD_PARAM();
    activationDesc->mode = mode;
    activationDesc->nan = reluNanOpt;
    activationDesc->coef = coef;
    activationDesc->swish_beta = 1;
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetActivationDescriptor(const cudnnActivationDescriptor_t activationDesc,
                                           cudnnActivationMode_t *mode,
                                           cudnnNanPropagation_t *reluNanOpt, double *coef)
{
    if (!lib_object_is(activationDesc, &dnn_activation_type) || !mode || !reluNanOpt || !coef)
        return DNN_BAD_PARAM();
    *mode = activationDesc->mode;
    *reluNanOpt = activationDesc->nan;
    *coef = activationDesc->coef;
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetActivationDescriptorSwishBeta(cudnnActivationDescriptor_t activationDesc,
                                                    double swish_beta)
{
    if (!lib_object_is(activationDesc, &dnn_activation_type))
        return DNN_BAD_PARAM();
    activationDesc->swish_beta = swish_beta;
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetActivationDescriptorSwishBeta(cudnnActivationDescriptor_t activationDesc,
                                                    double *swish_beta)
{
    if (!lib_object_is(activationDesc, &dnn_activation_type) || !swish_beta)
        return DNN_BAD_PARAM();
    *swish_beta = activationDesc->swish_beta;
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetPoolingNdDescriptor(cudnnPoolingDescriptor_t poolingDesc,
                                          const cudnnPoolingMode_t mode,
                                          const cudnnNanPropagation_t maxpoolingNanOpt, int nbDims,
                                          const int windowDimA[], const int paddingA[],
                                          const int strideA[])
{
    if (!lib_object_is(poolingDesc, &dnn_pooling_type) ||
        (unsigned)mode > CUDNN_POOLING_MAX_DETERMINISTIC || !valid_nan(maxpoolingNanOpt) ||
        nbDims < 1 || !windowDimA || !paddingA || !strideA)
        return DNN_BAD_PARAM();
    if (nbDims > SPATIAL_MOST)
        return DNN_UNSUPPORTED();
    for (int i = 0; i < nbDims; i++)
        if (windowDimA[i] <= 0 || strideA[i] <= 0)
            return DNN_BAD_PARAM();
    poolingDesc->mode = mode;
    poolingDesc->nan = maxpoolingNanOpt;
    poolingDesc->spatial = nbDims;
    for (int i = 0; i < nbDims; i++) {
        poolingDesc->window[i] = windowDimA[i];
        poolingDesc->pad[i] = paddingA[i];
        poolingDesc->stride[i] = strideA[i];
    }
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetPoolingNdDescriptor(const cudnnPoolingDescriptor_t poolingDesc,
                                          int nbDimsRequested, cudnnPoolingMode_t *mode,
                                          cudnnNanPropagation_t *maxpoolingNanOpt, int *nbDims,
                                          int windowDimA[], int paddingA[], int strideA[])
{
    if (!lib_object_is(poolingDesc, &dnn_pooling_type) || nbDimsRequested < 0)
        return DNN_BAD_PARAM();
    if (mode)
        *mode = poolingDesc->mode;
    if (maxpoolingNanOpt)
        *maxpoolingNanOpt = poolingDesc->nan;
    if (nbDims)
        *nbDims = poolingDesc->spatial;
    for (int i = 0; i < nbDimsRequested && i < poolingDesc->spatial; i++) {
        if (windowDimA)
            windowDimA[i] = poolingDesc->window[i];
        if (paddingA)
            paddingA[i] = poolingDesc->pad[i];
        if (strideA)
            strideA[i] = poolingDesc->stride[i];
    }
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetPooling2dDescriptor(cudnnPoolingDescriptor_t poolingDesc,
                                          cudnnPoolingMode_t mode,
                                          cudnnNanPropagation_t maxpoolingNanOpt, int windowHeight,
                                          int windowWidth, int verticalPadding,
                                          int horizontalPadding, int verticalStride,
                                          int horizontalStride)
{
    const int window[] = {windowHeight, windowWidth}, pad[] = {verticalPadding, horizontalPadding};
    const int stride[] = {verticalStride, horizontalStride};

    return cudnnSetPoolingNdDescriptor(poolingDesc, mode, maxpoolingNanOpt, 2, window, pad, stride);
}

cudnnStatus_t cudnnGetPooling2dDescriptor(const cudnnPoolingDescriptor_t poolingDesc,
                                          cudnnPoolingMode_t *mode,
                                          cudnnNanPropagation_t *maxpoolingNanOpt,
                                          int *windowHeight, int *windowWidth, int *verticalPadding,
                                          int *horizontalPadding, int *verticalStride,
                                          int *horizontalStride)
{
    int *places[] = {windowHeight,      windowWidth,    verticalPadding,
                     horizontalPadding, verticalStride, horizontalStride};
    const int *values[3];

    if (!lib_object_is(poolingDesc, &dnn_pooling_type) || poolingDesc->spatial != 2)
        return DNN_BAD_PARAM();
    values[0] = poolingDesc->window;
    values[1] = poolingDesc->pad;
    values[2] = poolingDesc->stride;
    for (int i = 0; i < 6; i++)
        if (places[i])
            *places[i] = values[i / 2][i % 2];
    return cudnnGetPoolingNdDescriptor(poolingDesc, 0, mode, maxpoolingNanOpt, NULL, NULL, NULL,
                                       NULL);
}

cudnnStatus_t cudnnSetLRNDescriptor(cudnnLRNDescriptor_t normDesc, unsigned lrnN, double lrnAlpha,
                                    double lrnBeta, double lrnK)
{
    if (!lib_object_is(normDesc, &dnn_lrn_type) || lrnN < CUDNN_LRN_MIN_N ||
        lrnN > CUDNN_LRN_MAX_N || lrnBeta < CUDNN_LRN_MIN_BETA || lrnK < CUDNN_LRN_MIN_K)
        return DNN_BAD_PARAM();
    normDesc->n = lrnN;
    normDesc->alpha = lrnAlpha;
    normDesc->beta = lrnBeta;
    normDesc->k = lrnK;
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetLRNDescriptor(cudnnLRNDescriptor_t normDesc, unsigned *lrnN, double *lrnAlpha,
                                    double *lrnBeta, double *lrnK)
{
    if (!lib_object_is(normDesc, &dnn_lrn_type))
        return DNN_BAD_PARAM();
    if (lrnN)
        *lrnN = normDesc->n;
    if (lrnAlpha)
        *lrnAlpha = normDesc->alpha;
    if (lrnBeta)
        *lrnBeta = normDesc->beta;
    if (lrnK)
        *lrnK = normDesc->k;
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetOpTensorDescriptor(cudnnOpTensorDescriptor_t opTensorDesc,
                                         cudnnOpTensorOp_t opTensorOp,
                                         cudnnDataType_t opTensorCompType,
                                         cudnnNanPropagation_t opTensorNanOpt)
{
    if (!lib_object_is(opTensorDesc, &dnn_op_tensor_type) ||
        (unsigned)opTensorOp > CUDNN_OP_TENSOR_NOT || !dnn_type_bytes(opTensorCompType) ||
        !valid_nan(opTensorNanOpt))
        return DNN_BAD_PARAM();
    opTensorDesc->op = opTensorOp;
    opTensorDesc->compute = opTensorCompType;
    opTensorDesc->nan = opTensorNanOpt;
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetOpTensorDescriptor(const cudnnOpTensorDescriptor_t opTensorDesc,
                                         cudnnOpTensorOp_t *opTensorOp,
                                         cudnnDataType_t *opTensorCompType,
                                         cudnnNanPropagation_t *opTensorNanOpt)
{
    if (!lib_object_is(opTensorDesc, &dnn_op_tensor_type))
        return DNN_BAD_PARAM();
    if (opTensorOp)
        *opTensorOp = opTensorDesc->op;
    if (opTensorCompType)
        *opTensorCompType = opTensorDesc->compute;
    if (opTensorNanOpt)
        *opTensorNanOpt = opTensorDesc->nan;
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetReduceTensorDescriptor(cudnnReduceTensorDescriptor_t reduceTensorDesc,
                                             cudnnReduceTensorOp_t reduceTensorOp,
                                             cudnnDataType_t reduceTensorCompType,
                                             cudnnNanPropagation_t reduceTensorNanOpt,
                                             cudnnReduceTensorIndices_t reduceTensorIndices,
                                             cudnnIndicesType_t reduceTensorIndicesType)
{
    if (!lib_object_is(reduceTensorDesc, &dnn_reduce_type) ||
        (unsigned)reduceTensorOp > CUDNN_REDUCE_TENSOR_MUL_NO_ZEROS ||
        !dnn_type_bytes(reduceTensorCompType) || !valid_nan(reduceTensorNanOpt) ||
        (unsigned)reduceTensorIndices > CUDNN_REDUCE_TENSOR_FLATTENED_INDICES ||
        (unsigned)reduceTensorIndicesType > CUDNN_8BIT_INDICES)
        return DNN_BAD_PARAM();
    reduceTensorDesc->op = reduceTensorOp;
    reduceTensorDesc->compute = reduceTensorCompType;
    reduceTensorDesc->nan = reduceTensorNanOpt;
    reduceTensorDesc->indices = reduceTensorIndices;
    reduceTensorDesc->indices_type = reduceTensorIndicesType;
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetReduceTensorDescriptor(const cudnnReduceTensorDescriptor_t reduceTensorDesc,
                                             cudnnReduceTensorOp_t *reduceTensorOp,
                                             cudnnDataType_t *reduceTensorCompType,
                                             cudnnNanPropagation_t *reduceTensorNanOpt,
                                             cudnnReduceTensorIndices_t *reduceTensorIndices,
                                             cudnnIndicesType_t *reduceTensorIndicesType)
{
    if (!lib_object_is(reduceTensorDesc, &dnn_reduce_type))
        return DNN_BAD_PARAM();
    if (reduceTensorOp)
        *reduceTensorOp = reduceTensorDesc->op;
    if (reduceTensorCompType)
        *reduceTensorCompType = reduceTensorDesc->compute;
    if (reduceTensorNanOpt)
        *reduceTensorNanOpt = reduceTensorDesc->nan;
    if (reduceTensorIndices)
        *reduceTensorIndices = reduceTensorDesc->indices;
    if (reduceTensorIndicesType)
        *reduceTensorIndicesType = reduceTensorDesc->indices_type;
    return CUDNN_STATUS_SUCCESS;
}

/* SPDX-License-Identifier: MIT */
/* The normalisation functions, which are those of batch normalisation under other names; and the
 * sizes of memory that all of them need, which is none. */
#include "descriptor.h"

static cudnnStatus_t no_memory(cudnnHandle_t handle, cudnnTensorDescriptor_t x, size_t *bytes)
{
    if (!dnn_is_handle(handle) || !dnn_is_tensor(x) || !bytes)
        return dnn_error(CUDNN_STATUS_BAD_PARAM, "normalisation: bad parameter");
    *bytes = 0;
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetBatchNormalizationForwardTrainingExWorkspaceSize(
    cudnnHandle_t handle, cudnnBatchNormMode_t mode, cudnnBatchNormOps_t bnOps,
    const cudnnTensorDescriptor_t xDesc, const cudnnTensorDescriptor_t zDesc,
    const cudnnTensorDescriptor_t yDesc, const cudnnTensorDescriptor_t bnScaleBiasMeanVarDesc,
    const cudnnActivationDescriptor_t activationDesc, size_t *sizeInBytes)
{
    (void)mode, (void)bnOps, (void)zDesc, (void)yDesc, (void)bnScaleBiasMeanVarDesc;
    (void)activationDesc;
    return no_memory(handle, xDesc, sizeInBytes);
}

cudnnStatus_t cudnnGetBatchNormalizationBackwardExWorkspaceSize(
    cudnnHandle_t handle, cudnnBatchNormMode_t mode, cudnnBatchNormOps_t bnOps,
    const cudnnTensorDescriptor_t xDesc, const cudnnTensorDescriptor_t yDesc,
    const cudnnTensorDescriptor_t dyDesc, const cudnnTensorDescriptor_t dzDesc,
    const cudnnTensorDescriptor_t dxDesc, const cudnnTensorDescriptor_t dBnScaleBiasDesc,
    const cudnnActivationDescriptor_t activationDesc, size_t *sizeInBytes)
{
    (void)mode, (void)bnOps, (void)yDesc, (void)dyDesc, (void)dzDesc, (void)dxDesc;
    (void)dBnScaleBiasDesc, (void)activationDesc;
    return no_memory(handle, xDesc, sizeInBytes);
}

cudnnStatus_t cudnnGetBatchNormalizationTrainingExReserveSpaceSize(
    cudnnHandle_t handle, cudnnBatchNormMode_t mode, cudnnBatchNormOps_t bnOps,
    const cudnnActivationDescriptor_t activationDesc, const cudnnTensorDescriptor_t xDesc,
    size_t *sizeInBytes)
{
    (void)mode, (void)bnOps, (void)activationDesc;
    return no_memory(handle, xDesc, sizeInBytes);
}

cudnnStatus_t cudnnGetNormalizationForwardTrainingWorkspaceSize(
    cudnnHandle_t handle, cudnnNormMode_t mode, cudnnNormOps_t normOps, cudnnNormAlgo_t algo,
    const cudnnTensorDescriptor_t xDesc, const cudnnTensorDescriptor_t zDesc,
    const cudnnTensorDescriptor_t yDesc, const cudnnTensorDescriptor_t normScaleBiasDesc,
    const cudnnActivationDescriptor_t activationDesc, const cudnnTensorDescriptor_t normMeanVarDesc,
    size_t *sizeInBytes, int groupCnt)
{
    (void)mode, (void)normOps, (void)algo, (void)zDesc, (void)yDesc, (void)normScaleBiasDesc;
    (void)activationDesc, (void)normMeanVarDesc, (void)groupCnt;
    return no_memory(handle, xDesc, sizeInBytes);
}

cudnnStatus_t cudnnGetNormalizationBackwardWorkspaceSize(
    cudnnHandle_t handle, cudnnNormMode_t mode, cudnnNormOps_t normOps, cudnnNormAlgo_t algo,
    const cudnnTensorDescriptor_t xDesc, const cudnnTensorDescriptor_t yDesc,
    const cudnnTensorDescriptor_t dyDesc, const cudnnTensorDescriptor_t dzDesc,
    const cudnnTensorDescriptor_t dxDesc, const cudnnTensorDescriptor_t dNormScaleBiasDesc,
    const cudnnActivationDescriptor_t activationDesc, const cudnnTensorDescriptor_t normMeanVarDesc,
    size_t *sizeInBytes, int groupCnt)
{
    (void)mode, (void)normOps, (void)algo, (void)yDesc, (void)dyDesc, (void)dzDesc, (void)dxDesc;
    (void)dNormScaleBiasDesc, (void)activationDesc, (void)normMeanVarDesc, (void)groupCnt;
    return no_memory(handle, xDesc, sizeInBytes);
}

cudnnStatus_t cudnnGetNormalizationTrainingReserveSpaceSize(
    cudnnHandle_t handle, cudnnNormMode_t mode, cudnnNormOps_t normOps, cudnnNormAlgo_t algo,
    const cudnnActivationDescriptor_t activationDesc, const cudnnTensorDescriptor_t xDesc,
    size_t *sizeInBytes, int groupCnt)
{
    (void)mode, (void)normOps, (void)algo, (void)activationDesc, (void)groupCnt;
    return no_memory(handle, xDesc, sizeInBytes);
}

/* Modes and operations have the same numbers as those of batch normalisation. */
static bool valid(cudnnNormMode_t mode, cudnnNormOps_t ops, cudnnNormAlgo_t algo, int groups)
{
    return (unsigned)mode <= CUDNN_NORM_PER_CHANNEL &&
           (unsigned)ops <= CUDNN_NORM_OPS_NORM_ADD_ACTIVATION &&
           (unsigned)algo <= CUDNN_NORM_ALGO_PERSIST && groups == 1;
}

cudnnStatus_t cudnnNormalizationForwardInference(
    cudnnHandle_t handle, cudnnNormMode_t mode, cudnnNormOps_t normOps, cudnnNormAlgo_t algo,
    const void *alpha, const void *beta, const cudnnTensorDescriptor_t xDesc, const void *x,
    const cudnnTensorDescriptor_t normScaleBiasDesc, const void *normScale, const void *normBias,
    const cudnnTensorDescriptor_t normMeanVarDesc, const void *estimatedMean,
    const void *estimatedVariance, const cudnnTensorDescriptor_t zDesc, const void *z,
    cudnnActivationDescriptor_t activationDesc, const cudnnTensorDescriptor_t yDesc, void *y,
    double epsilon, int groupCnt)
{
    (void)normMeanVarDesc, (void)zDesc, (void)z, (void)activationDesc;
    if (!valid(mode, normOps, algo, groupCnt))
        return DNN_BAD_PARAM();
    if (normOps != CUDNN_NORM_OPS_NORM)
        return DNN_UNSUPPORTED();
    return cudnnBatchNormalizationForwardInference(
        handle, (cudnnBatchNormMode_t)mode, alpha, beta, xDesc, x, yDesc, y, normScaleBiasDesc,
        normScale, normBias, estimatedMean, estimatedVariance, epsilon);
}

cudnnStatus_t cudnnNormalizationForwardTraining(
    cudnnHandle_t handle, cudnnNormMode_t mode, cudnnNormOps_t normOps, cudnnNormAlgo_t algo,
    const void *alpha, const void *beta, const cudnnTensorDescriptor_t xDesc, const void *xData,
    const cudnnTensorDescriptor_t normScaleBiasDesc, const void *normScale, const void *normBias,
    double exponentialAverageFactor, const cudnnTensorDescriptor_t normMeanVarDesc,
    void *resultRunningMean, void *resultRunningVariance, double epsilon, void *resultSaveMean,
    void *resultSaveInvVariance, cudnnActivationDescriptor_t activationDesc,
    const cudnnTensorDescriptor_t zDesc, const void *zData, const cudnnTensorDescriptor_t yDesc,
    void *yData, void *workspace, size_t workSpaceSizeInBytes, void *reserveSpace,
    size_t reserveSpaceSizeInBytes, int groupCnt)
{
    (void)normMeanVarDesc;
    if (!valid(mode, normOps, algo, groupCnt))
        return DNN_BAD_PARAM();
    return cudnnBatchNormalizationForwardTrainingEx(
        handle, (cudnnBatchNormMode_t)mode, (cudnnBatchNormOps_t)normOps, alpha, beta, xDesc, xData,
        zDesc, zData, yDesc, yData, normScaleBiasDesc, normScale, normBias,
        exponentialAverageFactor, resultRunningMean, resultRunningVariance, epsilon, resultSaveMean,
        resultSaveInvVariance, activationDesc, workspace, workSpaceSizeInBytes, reserveSpace,
        reserveSpaceSizeInBytes);
}

cudnnStatus_t cudnnNormalizationBackward(
    cudnnHandle_t handle, cudnnNormMode_t mode, cudnnNormOps_t normOps, cudnnNormAlgo_t algo,
    const void *alphaDataDiff, const void *betaDataDiff, const void *alphaParamDiff,
    const void *betaParamDiff, const cudnnTensorDescriptor_t xDesc, const void *xData,
    const cudnnTensorDescriptor_t yDesc, const void *yData, const cudnnTensorDescriptor_t dyDesc,
    const void *dyData, const cudnnTensorDescriptor_t dzDesc, void *dzData,
    const cudnnTensorDescriptor_t dxDesc, void *dxData,
    const cudnnTensorDescriptor_t dNormScaleBiasDesc, const void *normScaleData,
    const void *normBiasData, void *dNormScaleData, void *dNormBiasData, double epsilon,
    const cudnnTensorDescriptor_t normMeanVarDesc, const void *savedMean,
    const void *savedInvVariance, cudnnActivationDescriptor_t activationDesc, void *workSpace,
    size_t workSpaceSizeInBytes, void *reserveSpace, size_t reserveSpaceSizeInBytes, int groupCnt)
{
    (void)normMeanVarDesc;
    if (!valid(mode, normOps, algo, groupCnt))
        return DNN_BAD_PARAM();
    return cudnnBatchNormalizationBackwardEx(
        handle, (cudnnBatchNormMode_t)mode, (cudnnBatchNormOps_t)normOps, alphaDataDiff,
        betaDataDiff, alphaParamDiff, betaParamDiff, xDesc, xData, yDesc, yData, dyDesc, dyData,
        dzDesc, dzData, dxDesc, dxData, dNormScaleBiasDesc, normScaleData, normBiasData,
        dNormScaleData, dNormBiasData, epsilon, savedMean, savedInvVariance, activationDesc,
        workSpace, workSpaceSizeInBytes, reserveSpace, reserveSpaceSizeInBytes);
}

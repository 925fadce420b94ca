/* SPDX-License-Identifier: MIT */
/* Batch normalisation, and the same by the names of the normalisation functions. */
#include "descriptor.h"

static CUresult run(void *arguments)
{
    return dnn_norm_run(arguments);
}

static bool valid_mode(unsigned mode)
{
    return mode <= CUDNN_BATCHNORM_SPATIAL_PERSISTENT;
}

/* Statistics have x's dimensions without the first (per activation), or the channels alone. */
static cudnnStatus_t derive(cudnnTensorDescriptor_t derived, cudnnTensorDescriptor_t x,
                            bool per_activation)
{
    int64_t dims[CUDNN_DIM_MAX];
    cudnnDataType_t type;

    if (!lib_object_is(derived, &dnn_tensor_type) || !dnn_is_tensor(x))
        return dnn_error(CUDNN_STATUS_BAD_PARAM, "statistics of a tensor that is not set");
    for (int i = 0; i < x->shape.rank; i++)
        dims[i] = i == 1 || (per_activation && i > 1) ? x->shape.dims[i] : 1;
    type = x->shape.type == CUDNN_DATA_DOUBLE ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT;
    derived->type = type;
    derived->shape = dnn_packed(NULL, type, x->shape.rank, dims);
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnDeriveBNTensorDescriptor(cudnnTensorDescriptor_t derivedBnDesc,
                                            const cudnnTensorDescriptor_t xDesc,
                                            cudnnBatchNormMode_t mode)
{
    if (!valid_mode((unsigned)mode))
        return DNN_BAD_PARAM();
    return derive(derivedBnDesc, xDesc, mode == CUDNN_BATCHNORM_PER_ACTIVATION);
}

cudnnStatus_t cudnnDeriveNormTensorDescriptor(cudnnTensorDescriptor_t derivedNormScaleBiasDesc,
                                              cudnnTensorDescriptor_t derivedNormMeanVarDesc,
                                              const cudnnTensorDescriptor_t xDesc,
                                              cudnnNormMode_t mode, int groupCnt)
{
    cudnnStatus_t status;

    if ((unsigned)mode > CUDNN_NORM_PER_CHANNEL || groupCnt != 1)
        return DNN_BAD_PARAM();
    status = derive(derivedNormScaleBiasDesc, xDesc, mode == CUDNN_NORM_PER_ACTIVATION);
    if (status == CUDNN_STATUS_SUCCESS)
        status = derive(derivedNormMeanVarDesc, xDesc, mode == CUDNN_NORM_PER_ACTIVATION);
    return status;
}

/* True if the descriptor has the shape of the statistics of x. */
static bool fits(cudnnTensorDescriptor_t stats, cudnnTensorDescriptor_t x, bool per_activation)
{
    if (!dnn_is_tensor(stats) || stats->shape.rank != x->shape.rank)
        return false;
    for (int i = 0; i < x->shape.rank; i++)
        if (stats->shape.dims[i] != (i == 1 || (per_activation && i > 1) ? x->shape.dims[i] : 1))
            return false;
    return true;
}

static cudnnStatus_t submit(cudnnHandle_t handle, const char *name, struct dnn_norm *op)
{
    const struct dnn_tensor *reads[] = {&op->x, &op->scale, &op->bias, &op->dy, &op->z};
    const struct dnn_tensor *stats[] = {&op->mean, &op->inv_variance, &op->variance};
    const struct dnn_tensor *writes[] = {&op->next_running_mean, &op->next_running_variance,
                                         &op->dscale, &op->dbias, &op->dz};
    struct dnn_operands operands = {.count = 0};
    struct dnn_blend none = {.alpha = 1};

    op->has_stats_dims = true;
    for (int i = 0; i < op->x.rank; i++)
        op->stats_dims[i] = op->scale.dims[i];
    for (size_t i = 0; i < sizeof(reads) / sizeof(*reads); i++)
        if (reads[i]->address)
            dnn_reads(&operands, reads[i]);
    for (size_t i = 0; i < sizeof(stats) / sizeof(*stats); i++)
        if (stats[i]->address && op->pass == DNN_NORM_TRAINING)
            dnn_writes(&operands, stats[i], none);
        else if (stats[i]->address)
            dnn_reads(&operands, stats[i]);
    for (size_t i = 0; i < sizeof(writes) / sizeof(*writes); i++)
        if (writes[i]->address)
            dnn_writes(&operands, writes[i], none);
    if (op->pass == DNN_NORM_BACKWARD)
        dnn_writes(&operands, &op->dx, op->blend);
    else
        dnn_writes(&operands, &op->y, op->blend);
    return dnn_submit_operands(handle, name, &operands, run, op, sizeof(*op));
}

cudnnStatus_t cudnnBatchNormalizationForwardInference(
    cudnnHandle_t handle, cudnnBatchNormMode_t mode, const void *alpha, const void *beta,
    const cudnnTensorDescriptor_t xDesc, const void *x, const cudnnTensorDescriptor_t yDesc,
    void *y, const cudnnTensorDescriptor_t bnScaleBiasMeanVarDesc, const void *bnScale,
    const void *bnBias, const void *estimatedMean, const void *estimatedVariance, double epsilon)
{
    struct dnn_norm op = {.pass = DNN_NORM_INFERENCE, .epsilon = epsilon};

    if (!dnn_is_handle(handle) || !valid_mode((unsigned)mode) || !alpha || !beta || !x || !y ||
        !bnScale || !bnBias || !estimatedMean || !estimatedVariance || !dnn_is_tensor(xDesc) ||
        !dnn_is_tensor(yDesc) || !dnn_same_dims(&xDesc->shape, &yDesc->shape) ||
        !fits(bnScaleBiasMeanVarDesc, xDesc, mode == CUDNN_BATCHNORM_PER_ACTIVATION) ||
        !(epsilon >= CUDNN_BN_MIN_EPSILON))
        return DNN_BAD_PARAM();
    op.x = dnn_tensor_of(xDesc, x);
    op.y = dnn_tensor_of(yDesc, y);
    op.scale = dnn_tensor_of(bnScaleBiasMeanVarDesc, bnScale);
    op.bias = dnn_tensor_of(bnScaleBiasMeanVarDesc, bnBias);
    op.mean = dnn_tensor_of(bnScaleBiasMeanVarDesc, estimatedMean);
    op.variance = dnn_tensor_of(bnScaleBiasMeanVarDesc, estimatedVariance);
    op.blend = dnn_blend(op.x.type, alpha, beta);
    return submit(handle, __func__, &op);
}

/* What the operations add to the normalisation: an activation, and z before it. */
static bool add_ops(struct dnn_norm *op, cudnnBatchNormOps_t ops, cudnnActivationDescriptor_t act,
                    cudnnTensorDescriptor_t z, const void *z_data)
{
    if (ops == CUDNN_BATCHNORM_OPS_BN)
        return true;
    if (!lib_object_is(act, &dnn_activation_type) || act->mode != CUDNN_ACTIVATION_RELU)
        return false;
    op->relu = true;
    if (ops == CUDNN_BATCHNORM_OPS_BN_ACTIVATION)
        return true;
    if (!dnn_is_tensor(z) || !z_data || !dnn_same_dims(&z->shape, &op->x))
        return false;
    op->z = dnn_tensor_of(z, z_data);
    return true;
}

cudnnStatus_t cudnnBatchNormalizationForwardTrainingEx(
    cudnnHandle_t handle, cudnnBatchNormMode_t mode, cudnnBatchNormOps_t bnOps, const void *alpha,
    const void *beta, const cudnnTensorDescriptor_t xDesc, const void *xData,
    const cudnnTensorDescriptor_t zDesc, const void *zData, const cudnnTensorDescriptor_t yDesc,
    void *yData, const cudnnTensorDescriptor_t bnScaleBiasMeanVarDesc, const void *bnScale,
    const void *bnBias, double exponentialAverageFactor, void *resultRunningMean,
    void *resultRunningVariance, double epsilon, void *resultSaveMean, void *resultSaveInvVariance,
    cudnnActivationDescriptor_t activationDesc, void *workspace, size_t workSpaceSizeInBytes,
    void *reserveSpace, size_t reserveSpaceSizeInBytes)
{
    struct dnn_norm op = {
        .pass = DNN_NORM_TRAINING, .epsilon = epsilon, .factor = exponentialAverageFactor};
    cudnnTensorDescriptor_t stats = bnScaleBiasMeanVarDesc;

    (void)workspace, (void)workSpaceSizeInBytes, (void)reserveSpace, (void)reserveSpaceSizeInBytes;
    if (!dnn_is_handle(handle) || !valid_mode((unsigned)mode) ||
        (unsigned)bnOps > CUDNN_BATCHNORM_OPS_BN_ADD_ACTIVATION || !alpha || !beta || !xData ||
        !yData || !bnScale || !bnBias || !dnn_is_tensor(xDesc) || !dnn_is_tensor(yDesc) ||
        !dnn_same_dims(&xDesc->shape, &yDesc->shape) ||
        !fits(stats, xDesc, mode == CUDNN_BATCHNORM_PER_ACTIVATION) ||
        !(epsilon >= CUDNN_BN_MIN_EPSILON) || !resultRunningMean != !resultRunningVariance ||
        !resultSaveMean != !resultSaveInvVariance)
        return DNN_BAD_PARAM();
    op.x = dnn_tensor_of(xDesc, xData);
    op.y = dnn_tensor_of(yDesc, yData);
    op.scale = dnn_tensor_of(stats, bnScale);
    op.bias = dnn_tensor_of(stats, bnBias);
    op.running_mean = op.next_running_mean = dnn_tensor_of(stats, resultRunningMean);
    op.running_variance = op.next_running_variance = dnn_tensor_of(stats, resultRunningVariance);
    op.mean = dnn_tensor_of(stats, resultSaveMean);
    op.inv_variance = dnn_tensor_of(stats, resultSaveInvVariance);
    op.blend = dnn_blend(op.x.type, alpha, beta);
    if (!add_ops(&op, bnOps, activationDesc, zDesc, zData))
        return DNN_BAD_PARAM();
    return submit(handle, __func__, &op);
}

cudnnStatus_t cudnnBatchNormalizationForwardTraining(
    cudnnHandle_t handle, cudnnBatchNormMode_t mode, const void *alpha, const void *beta,
    const cudnnTensorDescriptor_t xDesc, const void *x, const cudnnTensorDescriptor_t yDesc,
    void *y, const cudnnTensorDescriptor_t bnScaleBiasMeanVarDesc, const void *bnScale,
    const void *bnBias, double exponentialAverageFactor, void *resultRunningMean,
    void *resultRunningVariance, double epsilon, void *resultSaveMean, void *resultSaveInvVariance)
{
    return cudnnBatchNormalizationForwardTrainingEx(
        handle, mode, CUDNN_BATCHNORM_OPS_BN, alpha, beta, xDesc, x, NULL, NULL, yDesc, y,
        bnScaleBiasMeanVarDesc, bnScale, bnBias, exponentialAverageFactor, resultRunningMean,
        resultRunningVariance, epsilon, resultSaveMean, resultSaveInvVariance, NULL, NULL, 0, NULL,
        0);
}

cudnnStatus_t cudnnBatchNormalizationBackwardEx(
    cudnnHandle_t handle, cudnnBatchNormMode_t mode, cudnnBatchNormOps_t bnOps,
    const void *alphaDataDiff, const void *betaDataDiff, const void *alphaParamDiff,
    const void *betaParamDiff, const cudnnTensorDescriptor_t xDesc, const void *xData,
    const cudnnTensorDescriptor_t yDesc, const void *yData, const cudnnTensorDescriptor_t dyDesc,
    const void *dyData, const cudnnTensorDescriptor_t dzDesc, void *dzData,
    const cudnnTensorDescriptor_t dxDesc, void *dxData,
    const cudnnTensorDescriptor_t dBnScaleBiasDesc, const void *bnScaleData, const void *bnBiasData,
    void *dBnScaleData, void *dBnBiasData, double epsilon, const void *savedMean,
    const void *savedInvVariance, cudnnActivationDescriptor_t activationDesc, void *workSpace,
    size_t workSpaceSizeInBytes, void *reserveSpace, size_t reserveSpaceSizeInBytes)
{
    struct dnn_norm op = {.pass = DNN_NORM_BACKWARD, .epsilon = epsilon};
    cudnnTensorDescriptor_t stats = dBnScaleBiasDesc;

    (void)workSpace, (void)workSpaceSizeInBytes, (void)reserveSpace, (void)reserveSpaceSizeInBytes;
    (void)bnBiasData;
    if (!dnn_is_handle(handle) || !valid_mode((unsigned)mode) ||
        (unsigned)bnOps > CUDNN_BATCHNORM_OPS_BN_ADD_ACTIVATION || !alphaDataDiff ||
        !betaDataDiff || !alphaParamDiff || !betaParamDiff || !xData || !dyData || !dxData ||
        !bnScaleData || !dBnScaleData || !dBnBiasData || !dnn_is_tensor(xDesc) ||
        !dnn_is_tensor(dyDesc) || !dnn_is_tensor(dxDesc) ||
        !dnn_same_dims(&xDesc->shape, &dyDesc->shape) ||
        !dnn_same_dims(&xDesc->shape, &dxDesc->shape) ||
        !fits(stats, xDesc, mode == CUDNN_BATCHNORM_PER_ACTIVATION) ||
        !(epsilon >= CUDNN_BN_MIN_EPSILON) || !savedMean != !savedInvVariance)
        return DNN_BAD_PARAM();
    op.x = dnn_tensor_of(xDesc, xData);
    op.dy = dnn_tensor_of(dyDesc, dyData);
    op.dx = dnn_tensor_of(dxDesc, dxData);
    op.scale = dnn_tensor_of(stats, bnScaleData);
    op.mean = dnn_tensor_of(stats, savedMean);
    op.inv_variance = dnn_tensor_of(stats, savedInvVariance);
    op.dscale = dnn_tensor_of(stats, dBnScaleData);
    op.dbias = dnn_tensor_of(stats, dBnBiasData);
    op.blend = dnn_blend(op.x.type, alphaDataDiff, betaDataDiff);
    op.param_blend = dnn_blend(op.x.type, alphaParamDiff, betaParamDiff);
    if (bnOps != CUDNN_BATCHNORM_OPS_BN) {
        if (!dnn_is_tensor(yDesc) || !yData || !dnn_same_dims(&yDesc->shape, &xDesc->shape) ||
            !lib_object_is(activationDesc, &dnn_activation_type) ||
            activationDesc->mode != CUDNN_ACTIVATION_RELU)
            return DNN_BAD_PARAM();
        op.relu = true;
        op.y = dnn_tensor_of(yDesc, yData);
    }
    if (bnOps == CUDNN_BATCHNORM_OPS_BN_ADD_ACTIVATION) {
        if (!dnn_is_tensor(dzDesc) || !dzData || !dnn_same_dims(&dzDesc->shape, &xDesc->shape))
            return DNN_BAD_PARAM();
        op.dz = dnn_tensor_of(dzDesc, dzData);
    }
    return submit(handle, __func__, &op);
}

cudnnStatus_t cudnnBatchNormalizationBackward(
    cudnnHandle_t handle, cudnnBatchNormMode_t mode, const void *alphaDataDiff,
    const void *betaDataDiff, const void *alphaParamDiff, const void *betaParamDiff,
    const cudnnTensorDescriptor_t xDesc, const void *x, const cudnnTensorDescriptor_t dyDesc,
    const void *dy, const cudnnTensorDescriptor_t dxDesc, void *dx,
    const cudnnTensorDescriptor_t dBnScaleBiasDesc, const void *bnScale, void *dBnScaleResult,
    void *dBnBiasResult, double epsilon, const void *savedMean, const void *savedInvVariance)
{
    return cudnnBatchNormalizationBackwardEx(
        handle, mode, CUDNN_BATCHNORM_OPS_BN, alphaDataDiff, betaDataDiff, alphaParamDiff,
        betaParamDiff, xDesc, x, NULL, NULL, dyDesc, dy, NULL, NULL, dxDesc, dx, dBnScaleBiasDesc,
        bnScale, NULL, dBnScaleResult, dBnBiasResult, epsilon, savedMean, savedInvVariance, NULL,
        NULL, 0, NULL, 0);
}

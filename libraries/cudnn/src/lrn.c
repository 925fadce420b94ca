/* SPDX-License-Identifier: MIT */
/* Local response normalisation across channels, and divisive normalisation in planes. */
#include "lrn.h"

#include "descriptor.h"

static CUresult run(void *arguments)
{
    return dnn_lrn_run(arguments);
}

static bool valid(cudnnHandle_t handle, cudnnLRNDescriptor_t norm, cudnnLRNMode_t mode)
{
    return dnn_is_handle(handle) && lib_object_is(norm, &dnn_lrn_type) &&
           mode == CUDNN_LRN_CROSS_CHANNEL_DIM1;
}

static struct dnn_lrn describe(cudnnLRNDescriptor_t norm)
{
    return (struct dnn_lrn){.n = norm->n, .alpha = norm->alpha, .beta = norm->beta, .k = norm->k};
}

cudnnStatus_t cudnnLRNCrossChannelForward(cudnnHandle_t handle, cudnnLRNDescriptor_t normDesc,
                                          cudnnLRNMode_t lrnMode, const void *alpha,
                                          const cudnnTensorDescriptor_t xDesc, const void *x,
                                          const void *beta, const cudnnTensorDescriptor_t yDesc,
                                          void *y)
{
    struct dnn_operands operands = {.count = 0};
    struct dnn_lrn op;

    if (!valid(handle, normDesc, lrnMode) || !alpha || !beta || !x || !y || !dnn_is_tensor(xDesc) ||
        !dnn_is_tensor(yDesc) || !dnn_same_dims(&xDesc->shape, &yDesc->shape))
        return DNN_BAD_PARAM();
    op = describe(normDesc);
    op.x = dnn_tensor_of(xDesc, x);
    op.y = dnn_tensor_of(yDesc, y);
    op.blend = dnn_blend(op.x.type, alpha, beta);
    dnn_reads(&operands, &op.x);
    dnn_writes(&operands, &op.y, op.blend);
    return dnn_submit_operands(handle, __func__, &operands, run, &op, sizeof(op));
}

cudnnStatus_t cudnnLRNCrossChannelBackward(cudnnHandle_t handle, cudnnLRNDescriptor_t normDesc,
                                           cudnnLRNMode_t lrnMode, const void *alpha,
                                           const cudnnTensorDescriptor_t yDesc, const void *y,
                                           const cudnnTensorDescriptor_t dyDesc, const void *dy,
                                           const cudnnTensorDescriptor_t xDesc, const void *x,
                                           const void *beta, const cudnnTensorDescriptor_t dxDesc,
                                           void *dx)
{
    struct dnn_operands operands = {.count = 0};
    struct dnn_lrn op;

    if (!valid(handle, normDesc, lrnMode) || !alpha || !beta || !x || !y || !dy || !dx ||
        !dnn_is_tensor(xDesc) || !dnn_is_tensor(yDesc) || !dnn_is_tensor(dyDesc) ||
        !dnn_is_tensor(dxDesc) || !dnn_same_dims(&xDesc->shape, &yDesc->shape) ||
        !dnn_same_dims(&xDesc->shape, &dyDesc->shape) ||
        !dnn_same_dims(&xDesc->shape, &dxDesc->shape))
        return DNN_BAD_PARAM();
    op = describe(normDesc);
    op.backward = true;
    op.x = dnn_tensor_of(xDesc, x);
    op.y = dnn_tensor_of(yDesc, y);
    op.dy = dnn_tensor_of(dyDesc, dy);
    op.dx = dnn_tensor_of(dxDesc, dx);
    op.blend = dnn_blend(op.x.type, alpha, beta);
    dnn_reads(&operands, &op.x);
    dnn_reads(&operands, &op.y);
    dnn_reads(&operands, &op.dy);
    dnn_writes(&operands, &op.dx, op.blend);
    return dnn_submit_operands(handle, __func__, &operands, run, &op, sizeof(op));
}

static CUresult run_divisive(void *arguments)
{
    return dnn_divisive_run(arguments);
}

static bool is_divisive(cudnnHandle_t handle, cudnnLRNDescriptor_t norm, cudnnDivNormMode_t mode,
                        cudnnTensorDescriptor_t x, cudnnTensorDescriptor_t y)
{
    return dnn_is_handle(handle) && lib_object_is(norm, &dnn_lrn_type) &&
           mode == CUDNN_DIVNORM_PRECOMPUTED_MEANS && dnn_is_tensor(x) && dnn_is_tensor(y) &&
           x->shape.rank >= 3 && x->shape.rank <= 5 && dnn_same_dims(&x->shape, &y->shape);
}

static struct dnn_divisive describe_divisive(cudnnLRNDescriptor_t norm, cudnnTensorDescriptor_t x)
{
    return (struct dnn_divisive){.spatial = x->shape.rank - 2,
                                 .n = norm->n,
                                 .alpha = norm->alpha,
                                 .beta = norm->beta,
                                 .k = norm->k};
}

/* The two arrays for intermediate results are not needed. */
cudnnStatus_t cudnnDivisiveNormalizationForward(cudnnHandle_t handle, cudnnLRNDescriptor_t normDesc,
                                                cudnnDivNormMode_t mode, const void *alpha,
                                                const cudnnTensorDescriptor_t xDesc, const void *x,
                                                const void *means, void *temp, void *temp2,
                                                const void *beta,
                                                const cudnnTensorDescriptor_t yDesc, void *y)
{
    struct dnn_operands operands = {.count = 0};
    struct dnn_divisive op;

    if (!is_divisive(handle, normDesc, mode, xDesc, yDesc) || !alpha || !beta || !x || !temp ||
        !temp2 || !y)
        return DNN_BAD_PARAM();
    op = describe_divisive(normDesc, xDesc);
    op.x = dnn_tensor_of(xDesc, x);
    op.means = dnn_tensor_of(xDesc, means);
    op.y = dnn_tensor_of(yDesc, y);
    op.blend = dnn_blend(op.x.type, alpha, beta);
    dnn_reads(&operands, &op.x);
    dnn_reads(&operands, &op.means);
    dnn_writes(&operands, &op.y, op.blend);
    return dnn_submit_operands(handle, __func__, &operands, run_divisive, &op, sizeof(op));
}

cudnnStatus_t cudnnDivisiveNormalizationBackward(
    cudnnHandle_t handle, cudnnLRNDescriptor_t normDesc, cudnnDivNormMode_t mode, const void *alpha,
    const cudnnTensorDescriptor_t xDesc, const void *x, const void *means, const void *dy,
    void *temp, void *temp2, const void *beta, const cudnnTensorDescriptor_t dXdMeansDesc, void *dx,
    void *dMeans)
{
    struct dnn_operands operands = {.count = 0};
    struct dnn_divisive op;

    if (!is_divisive(handle, normDesc, mode, xDesc, dXdMeansDesc) || !alpha || !beta || !x || !dy ||
        !temp || !temp2 || !dx)
        return DNN_BAD_PARAM();
    op = describe_divisive(normDesc, xDesc);
    op.backward = true;
    op.x = dnn_tensor_of(xDesc, x);
    op.means = dnn_tensor_of(xDesc, means);
    op.dy = dnn_tensor_of(xDesc, dy);
    op.dx = dnn_tensor_of(dXdMeansDesc, dx);
    op.dmeans = dnn_tensor_of(dXdMeansDesc, dMeans);
    op.blend = dnn_blend(op.x.type, alpha, beta);
    dnn_reads(&operands, &op.x);
    dnn_reads(&operands, &op.means);
    dnn_reads(&operands, &op.dy);
    dnn_writes(&operands, &op.dx, op.blend);
    dnn_writes(&operands, &op.dmeans, op.blend);
    return dnn_submit_operands(handle, __func__, &operands, run_divisive, &op, sizeof(op));
}

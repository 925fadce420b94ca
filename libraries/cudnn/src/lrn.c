/* SPDX-License-Identifier: MIT */
/* Local response normalisation across channels. */
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

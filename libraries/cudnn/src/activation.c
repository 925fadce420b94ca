/* SPDX-License-Identifier: MIT */
/* Activation and softmax. */
#include "activation.h"

#include "descriptor.h"

static CUresult run_activation(void *arguments)
{
    return dnn_activation_run(arguments);
}

/* The identity is for convolutions with an activation alone. */
static bool can_activate(cudnnHandle_t handle, cudnnActivationDescriptor_t activation)
{
    return dnn_is_handle(handle) && lib_object_is(activation, &dnn_activation_type) &&
           activation->mode != CUDNN_ACTIVATION_IDENTITY;
}

static struct dnn_activation describe(cudnnActivationDescriptor_t activation)
{
    return (struct dnn_activation){.mode = activation->mode,
                                   .limit = activation->coef,
                                   .swish_beta = activation->swish_beta,
                                   .propagate_nan = activation->nan == CUDNN_PROPAGATE_NAN};
}

cudnnStatus_t cudnnActivationForward(cudnnHandle_t handle,
                                     cudnnActivationDescriptor_t activationDesc, const void *alpha,
                                     const cudnnTensorDescriptor_t xDesc, const void *x,
                                     const void *beta, const cudnnTensorDescriptor_t yDesc, void *y)
{
    struct dnn_operands operands = {.count = 0};
    struct dnn_activation op;

    if (!can_activate(handle, activationDesc) || !alpha || !beta || !x || !y ||
        !dnn_is_tensor(xDesc) || !dnn_is_tensor(yDesc) ||
        !dnn_same_dims(&xDesc->shape, &yDesc->shape) || xDesc->type != yDesc->type)
        return DNN_BAD_PARAM();
    op = describe(activationDesc);
    op.x = dnn_tensor_of(xDesc, x);
    op.y = dnn_tensor_of(yDesc, y);
    op.blend = dnn_blend(op.x.type, alpha, beta);
    dnn_reads(&operands, &op.x);
    dnn_writes(&operands, &op.y, op.blend);
    return dnn_submit_operands(handle, __func__, &operands, run_activation, &op, sizeof(op));
}

cudnnStatus_t cudnnActivationBackward(cudnnHandle_t handle,
                                      cudnnActivationDescriptor_t activationDesc, const void *alpha,
                                      const cudnnTensorDescriptor_t yDesc, const void *y,
                                      const cudnnTensorDescriptor_t dyDesc, const void *dy,
                                      const cudnnTensorDescriptor_t xDesc, const void *x,
                                      const void *beta, const cudnnTensorDescriptor_t dxDesc,
                                      void *dx)
{
    struct dnn_operands operands = {.count = 0};
    struct dnn_activation op;

    if (!can_activate(handle, activationDesc) || !alpha || !beta || !y || !dy || !x || !dx ||
        !dnn_is_tensor(yDesc) || !dnn_is_tensor(dyDesc) || !dnn_is_tensor(xDesc) ||
        !dnn_is_tensor(dxDesc) || !dnn_same_dims(&xDesc->shape, &yDesc->shape) ||
        !dnn_same_dims(&dxDesc->shape, &dyDesc->shape) ||
        !dnn_same_dims(&xDesc->shape, &dxDesc->shape))
        return DNN_BAD_PARAM();
    op = describe(activationDesc);
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
    return dnn_submit_operands(handle, __func__, &operands, run_activation, &op, sizeof(op));
}

static CUresult run_softmax(void *arguments)
{
    return dnn_softmax_run(arguments);
}

static bool valid_softmax(cudnnHandle_t handle, cudnnSoftmaxAlgorithm_t algo,
                          cudnnSoftmaxMode_t mode)
{
    return dnn_is_handle(handle) && (unsigned)algo <= CUDNN_SOFTMAX_LOG &&
           (unsigned)mode <= CUDNN_SOFTMAX_MODE_CHANNEL;
}

static struct dnn_softmax describe_softmax(cudnnSoftmaxAlgorithm_t algo, cudnnSoftmaxMode_t mode)
{
    return (struct dnn_softmax){.log = algo == CUDNN_SOFTMAX_LOG,
                                .fast = algo == CUDNN_SOFTMAX_FAST,
                                .axis = mode == CUDNN_SOFTMAX_MODE_CHANNEL ? 1 : -1};
}

cudnnStatus_t cudnnSoftmaxForward(cudnnHandle_t handle, cudnnSoftmaxAlgorithm_t algo,
                                  cudnnSoftmaxMode_t mode, const void *alpha,
                                  const cudnnTensorDescriptor_t xDesc, const void *x,
                                  const void *beta, const cudnnTensorDescriptor_t yDesc, void *y)
{
    struct dnn_operands operands = {.count = 0};
    struct dnn_softmax op;

    if (!valid_softmax(handle, algo, mode) || !alpha || !beta || !x || !y ||
        !dnn_is_tensor(xDesc) || !dnn_is_tensor(yDesc) ||
        !dnn_same_dims(&xDesc->shape, &yDesc->shape) || xDesc->type != yDesc->type)
        return DNN_BAD_PARAM();
    op = describe_softmax(algo, mode);
    op.x = dnn_tensor_of(xDesc, x);
    op.y = dnn_tensor_of(yDesc, y);
    op.blend = dnn_blend(op.x.type, alpha, beta);
    dnn_reads(&operands, &op.x);
    dnn_writes(&operands, &op.y, op.blend);
    return dnn_submit_operands(handle, __func__, &operands, run_softmax, &op, sizeof(op));
}

cudnnStatus_t cudnnSoftmaxBackward(cudnnHandle_t handle, cudnnSoftmaxAlgorithm_t algo,
                                   cudnnSoftmaxMode_t mode, const void *alpha,
                                   const cudnnTensorDescriptor_t yDesc, const void *y,
                                   const cudnnTensorDescriptor_t dyDesc, const void *dy,
                                   const void *beta, const cudnnTensorDescriptor_t dxDesc, void *dx)
{
    struct dnn_operands operands = {.count = 0};
    struct dnn_softmax op;

    if (!valid_softmax(handle, algo, mode) || !alpha || !beta || !y || !dy || !dx ||
        !dnn_is_tensor(yDesc) || !dnn_is_tensor(dyDesc) || !dnn_is_tensor(dxDesc) ||
        !dnn_same_dims(&dyDesc->shape, &yDesc->shape) ||
        !dnn_same_dims(&dxDesc->shape, &yDesc->shape))
        return DNN_BAD_PARAM();
    op = describe_softmax(algo, mode);
    op.backward = true;
    op.y = dnn_tensor_of(yDesc, y);
    op.dy = dnn_tensor_of(dyDesc, dy);
    op.dx = dnn_tensor_of(dxDesc, dx);
    op.blend = dnn_blend(op.y.type, alpha, beta);
    dnn_reads(&operands, &op.y);
    dnn_reads(&operands, &op.dy);
    dnn_writes(&operands, &op.dx, op.blend);
    return dnn_submit_operands(handle, __func__, &operands, run_softmax, &op, sizeof(op));
}

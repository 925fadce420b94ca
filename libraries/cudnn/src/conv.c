/* SPDX-License-Identifier: MIT */
/* Convolutions, forward and backward, and what follows them. All algorithms compute the same way
 * here; conv_algo.c says which of them a program may choose. */
#include "conv.h"

cudnnStatus_t dnn_conv_describe(struct dnn_conv *op, enum dnn_conv_direction direction,
                                cudnnConvolutionDescriptor_t conv, const struct dnn_tensor *x,
                                const struct dnn_tensor *w, const struct dnn_tensor *y)
{
    *op = (struct dnn_conv){.direction = direction, .x = *x, .w = *w, .y = *y};
    if (x->rank != w->rank || x->rank != y->rank || x->rank != conv->spatial + 2 ||
        x->dims[1] != w->dims[1] * conv->groups || w->dims[0] % conv->groups ||
        y->dims[0] != x->dims[0] || y->dims[1] != w->dims[0])
        return CUDNN_STATUS_BAD_PARAM;
    op->spatial = conv->spatial;
    op->flip = conv->mode == CUDNN_CONVOLUTION;
    op->compute = conv->compute;
    for (int i = 0; i < conv->spatial; i++) {
        int64_t room =
            x->dims[2 + i] + 2 * conv->pad[i] - ((w->dims[2 + i] - 1) * conv->dilation[i] + 1);

        op->pre[i] = op->post[i] = conv->pad[i];
        op->stride[i] = conv->stride[i];
        op->dilation[i] = conv->dilation[i];
        if (room < 0 || y->dims[2 + i] != room / conv->stride[i] + 1)
            return CUDNN_STATUS_BAD_PARAM;
    }
    /* Types of data and filter go together; sums of bytes may be written as other types. */
    if (x->type != w->type && !(x->type == CUDNN_DATA_UINT8 && w->type == CUDNN_DATA_INT8))
        return CUDNN_STATUS_NOT_SUPPORTED;
    if (y->type != x->type && x->type != CUDNN_DATA_INT8 && x->type != CUDNN_DATA_UINT8)
        return CUDNN_STATUS_NOT_SUPPORTED;
    return CUDNN_STATUS_SUCCESS;
}

static CUresult run(void *arguments)
{
    return dnn_conv_run(arguments);
}

static cudnnStatus_t submit(cudnnHandle_t handle, const char *name, const struct dnn_conv *op)
{
    struct dnn_operands operands = {.count = 0};
    const struct dnn_tensor *tensors[] = {&op->x, &op->w, &op->y};
    static const int written[] = {
        [DNN_CONV_FORWARD] = 2, [DNN_CONV_DATA] = 0, [DNN_CONV_FILTER] = 1};

    for (int i = 0; i < 3; i++)
        if (i == written[op->direction])
            dnn_writes(&operands, tensors[i], op->blend);
        else
            dnn_reads(&operands, tensors[i]);
    dnn_reads(&operands, &op->z);
    dnn_reads(&operands, &op->bias);
    return dnn_submit(handle, name, dnn_conv_estimate_ns(op), operands.list, operands.count, run,
                      op, sizeof(*op));
}

/* What a call of each direction names in its own order. */
struct request {
    enum dnn_conv_direction direction;
    int algo;
    cudnnTensorDescriptor_t x, y;
    cudnnFilterDescriptor_t w;
    const void *x_data, *w_data, *y_data, *alpha, *beta;
};

static cudnnStatus_t prepare(cudnnHandle_t handle, cudnnConvolutionDescriptor_t conv,
                             const struct request *request, struct dnn_conv *op)
{
    struct dnn_tensor x, w, y;
    cudnnStatus_t status;

    if (!dnn_is_handle(handle) || !lib_object_is(conv, &dnn_convolution_type) ||
        !dnn_is_tensor(request->x) || !dnn_is_tensor(request->y) || !dnn_is_filter(request->w) ||
        !request->alpha || !request->beta || !request->x_data || !request->y_data ||
        !request->w_data)
        return CUDNN_STATUS_BAD_PARAM;
    x = dnn_tensor_of(request->x, request->x_data);
    y = dnn_tensor_of(request->y, request->y_data);
    w = dnn_filter_of(request->w, request->w_data);
    status = dnn_conv_describe(op, request->direction, conv, &x, &w, &y);
    if (status == CUDNN_STATUS_SUCCESS && !dnn_conv_has_algo(op, request->algo))
        status = CUDNN_STATUS_NOT_SUPPORTED;
    op->blend = dnn_blend(x.type, request->alpha, request->beta);
    return status;
}

static cudnnStatus_t convolve(cudnnHandle_t handle, const char *name,
                              cudnnConvolutionDescriptor_t conv, const struct request *request)
{
    struct dnn_conv op;
    cudnnStatus_t status = prepare(handle, conv, request, &op);

    if (status != CUDNN_STATUS_SUCCESS)
        return dnn_error(status, "%s: refused", name);
    return submit(handle, name, &op);
}

cudnnStatus_t cudnnConvolutionForward(cudnnHandle_t handle, const void *alpha,
                                      const cudnnTensorDescriptor_t xDesc, const void *x,
                                      const cudnnFilterDescriptor_t wDesc, const void *w,
                                      const cudnnConvolutionDescriptor_t convDesc,
                                      cudnnConvolutionFwdAlgo_t algo, void *workSpace,
                                      size_t workSpaceSizeInBytes, const void *beta,
                                      const cudnnTensorDescriptor_t yDesc, void *y)
{
    const struct request request = {
        DNN_CONV_FORWARD, (int)algo, xDesc, yDesc, wDesc, x, w, y, alpha, beta};

    (void)workSpace, (void)workSpaceSizeInBytes;
    return convolve(handle, __func__, convDesc, &request);
}

cudnnStatus_t cudnnConvolutionBackwardData(cudnnHandle_t handle, const void *alpha,
                                           const cudnnFilterDescriptor_t wDesc, const void *w,
                                           const cudnnTensorDescriptor_t dyDesc, const void *dy,
                                           const cudnnConvolutionDescriptor_t convDesc,
                                           cudnnConvolutionBwdDataAlgo_t algo, void *workSpace,
                                           size_t workSpaceSizeInBytes, const void *beta,
                                           const cudnnTensorDescriptor_t dxDesc, void *dx)
{
    const struct request request = {DNN_CONV_DATA, (int)algo, dxDesc, dyDesc, wDesc, dx, w, dy,
                                    alpha,         beta};

    (void)workSpace, (void)workSpaceSizeInBytes;
    return convolve(handle, __func__, convDesc, &request);
}

cudnnStatus_t cudnnConvolutionBackwardFilter(cudnnHandle_t handle, const void *alpha,
                                             const cudnnTensorDescriptor_t xDesc, const void *x,
                                             const cudnnTensorDescriptor_t dyDesc, const void *dy,
                                             const cudnnConvolutionDescriptor_t convDesc,
                                             cudnnConvolutionBwdFilterAlgo_t algo, void *workSpace,
                                             size_t workSpaceSizeInBytes, const void *beta,
                                             const cudnnFilterDescriptor_t dwDesc, void *dw)
{
    const struct request request = {DNN_CONV_FILTER, (int)algo, xDesc, dyDesc, dwDesc, x, dw, dy,
                                    alpha,           beta};

    (void)workSpace, (void)workSpaceSizeInBytes;
    return convolve(handle, __func__, convDesc, &request);
}

static CUresult run_reduction(void *arguments)
{
    return dnn_reduction_run(arguments);
}

cudnnStatus_t cudnnConvolutionBackwardBias(cudnnHandle_t handle, const void *alpha,
                                           const cudnnTensorDescriptor_t dyDesc, const void *dy,
                                           const void *beta, const cudnnTensorDescriptor_t dbDesc,
                                           void *db)
{
    struct dnn_reduction op = {.op = CUDNN_REDUCE_TENSOR_ADD};
    struct dnn_operands operands = {.count = 0};

    if (!dnn_is_handle(handle) || !dnn_is_tensor(dyDesc) || !dnn_is_tensor(dbDesc) || !alpha ||
        !beta || !dy || !db || dyDesc->shape.rank != dbDesc->shape.rank ||
        dbDesc->shape.dims[1] != dyDesc->shape.dims[1])
        return DNN_BAD_PARAM();
    for (int i = 0; i < dbDesc->shape.rank; i++)
        if (i != 1 && dbDesc->shape.dims[i] != 1)
            return DNN_BAD_PARAM();
    op.x = dnn_tensor_of(dyDesc, dy);
    op.y = dnn_tensor_of(dbDesc, db);
    op.blend = dnn_blend(op.x.type, alpha, beta);
    dnn_reads(&operands, &op.x);
    dnn_writes(&operands, &op.y, op.blend);
    return dnn_submit_operands(handle, __func__, &operands, run_reduction, &op, sizeof(op));
}

cudnnStatus_t cudnnConvolutionBiasActivationForward(
    cudnnHandle_t handle, const void *alpha1, const cudnnTensorDescriptor_t xDesc, const void *x,
    const cudnnFilterDescriptor_t wDesc, const void *w, const cudnnConvolutionDescriptor_t convDesc,
    cudnnConvolutionFwdAlgo_t algo, void *workSpace, size_t workSpaceSizeInBytes,
    const void *alpha2, const cudnnTensorDescriptor_t zDesc, const void *z,
    const cudnnTensorDescriptor_t biasDesc, const void *bias,
    const cudnnActivationDescriptor_t activationDesc, const cudnnTensorDescriptor_t yDesc, void *y)
{
    const struct request request = {DNN_CONV_FORWARD, (int)algo, xDesc, yDesc, wDesc, x, w, y,
                                    alpha1,           alpha2};
    struct dnn_conv op;
    cudnnStatus_t status = prepare(handle, convDesc, &request, &op);

    (void)workSpace, (void)workSpaceSizeInBytes;
    if (status != CUDNN_STATUS_SUCCESS)
        return dnn_error(status, "%s: refused", __func__);
    if (!dnn_is_tensor(biasDesc) || !bias || !lib_object_is(activationDesc, &dnn_activation_type) ||
        !dnn_is_tensor(zDesc) || !z || !dnn_same_dims(&zDesc->shape, &yDesc->shape) ||
        biasDesc->shape.rank != op.y.rank || biasDesc->shape.dims[1] != op.y.dims[1])
        return DNN_BAD_PARAM();
    if (activationDesc->mode != CUDNN_ACTIVATION_RELU &&
        activationDesc->mode != CUDNN_ACTIVATION_IDENTITY)
        return DNN_UNSUPPORTED();
    op.z_scale = op.blend.beta;
    op.blend.beta = 0;
    if (op.z_scale != 0)
        op.z = dnn_tensor_of(zDesc, z);
    op.bias = dnn_tensor_of(biasDesc, bias);
    op.activate = true;
    op.activation = activationDesc->mode;
    op.activation_limit = activationDesc->coef;
    return submit(handle, __func__, &op);
}

/* SPDX-License-Identifier: MIT */
/* Pooling. */
#include "descriptor.h"

static const cudnnResampleMode_t modes[] = {
    [CUDNN_POOLING_MAX] = CUDNN_RESAMPLE_MAXPOOL,
    [CUDNN_POOLING_AVERAGE_COUNT_INCLUDE_PADDING] = CUDNN_RESAMPLE_AVGPOOL_INCLUDE_PADDING,
    [CUDNN_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING] = CUDNN_RESAMPLE_AVGPOOL_EXCLUDE_PADDING,
    [CUDNN_POOLING_MAX_DETERMINISTIC] = CUDNN_RESAMPLE_MAXPOOL,
};

static bool is_pooling(const void *descriptor)
{
    return lib_object_is(descriptor, &dnn_pooling_type) &&
           ((const struct cudnnPoolingStruct *)descriptor)->spatial > 0;
}

cudnnStatus_t cudnnGetPoolingNdForwardOutputDim(const cudnnPoolingDescriptor_t poolingDesc,
                                                const cudnnTensorDescriptor_t inputTensorDesc,
                                                int nbDims, int outputTensorDimA[])
{
    const struct dnn_tensor *x;

    if (!is_pooling(poolingDesc) || !dnn_is_tensor(inputTensorDesc) || !outputTensorDimA ||
        inputTensorDesc->shape.rank != nbDims || nbDims != poolingDesc->spatial + 2)
        return DNN_BAD_PARAM();
    x = &inputTensorDesc->shape;
    for (int i = 0; i < nbDims; i++)
        outputTensorDimA[i] = i < 2 ? (int)x->dims[i] : 0;
    for (int i = 0; i < poolingDesc->spatial; i++) {
        int64_t room = x->dims[2 + i] + 2 * poolingDesc->pad[i] - poolingDesc->window[i];

        if (room < 0)
            return DNN_BAD_PARAM();
        outputTensorDimA[2 + i] = (int)(room / poolingDesc->stride[i] + 1);
    }
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetPooling2dForwardOutputDim(const cudnnPoolingDescriptor_t poolingDesc,
                                                const cudnnTensorDescriptor_t inputTensorDesc,
                                                int *n, int *c, int *h, int *w)
{
    int dims[4] = {0};
    cudnnStatus_t status;

    if (!n || !c || !h || !w || !is_pooling(poolingDesc) || poolingDesc->spatial != 2 ||
        !dnn_is_tensor(inputTensorDesc) || inputTensorDesc->shape.rank != 4)
        return DNN_BAD_PARAM();
    status = cudnnGetPoolingNdForwardOutputDim(poolingDesc, inputTensorDesc, 4, dims);
    *n = dims[0];
    *c = dims[1];
    *h = dims[2];
    *w = dims[3];
    return status;
}

static CUresult run(void *arguments)
{
    return dnn_resample_run(arguments);
}

/* The results may be more than cudnnGetPoolingNdForwardOutputDim() says, as long as each window
 * begins before the end of the image: TensorFlow pads by the lower half alone and asks for more. */
static bool is_result(int64_t results, int64_t image, int64_t window, int64_t pad, int64_t stride)
{
    int64_t room = image + 2 * pad - window;

    return results >= (room < 0 ? 1 : room / stride + 1) && (results - 1) * stride - pad < image;
}

static cudnnStatus_t describe(struct dnn_resample *op, cudnnPoolingDescriptor_t pooling,
                              const struct dnn_tensor *x, const struct dnn_tensor *y)
{
    *op = (struct dnn_resample){.mode = modes[pooling->mode],
                                .spatial = pooling->spatial,
                                .padding = DNN_PAD_NEGATIVE_INFINITY,
                                .ends_with_padding = true,
                                .propagate_nan = pooling->nan == CUDNN_PROPAGATE_NAN};
    if (x->rank != pooling->spatial + 2 || y->rank != x->rank || x->dims[0] != y->dims[0] ||
        x->dims[1] != y->dims[1])
        return CUDNN_STATUS_BAD_PARAM;
    for (int i = 0; i < pooling->spatial; i++) {
        op->window[i] = pooling->window[i];
        op->pre[i] = op->post[i] = pooling->pad[i];
        op->stride[i] = pooling->stride[i];
        if (!is_result(y->dims[2 + i], x->dims[2 + i], pooling->window[i], pooling->pad[i],
                       pooling->stride[i]))
            return CUDNN_STATUS_BAD_PARAM;
    }
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnPoolingForward(cudnnHandle_t handle, const cudnnPoolingDescriptor_t poolingDesc,
                                  const void *alpha, const cudnnTensorDescriptor_t xDesc,
                                  const void *x, const void *beta,
                                  const cudnnTensorDescriptor_t yDesc, void *y)
{
    struct dnn_operands operands = {.count = 0};
    struct dnn_resample op;

    if (!dnn_is_handle(handle) || !is_pooling(poolingDesc) || !alpha || !beta || !x || !y ||
        !dnn_is_tensor(xDesc) || !dnn_is_tensor(yDesc) || xDesc->type != yDesc->type ||
        describe(&op, poolingDesc, &xDesc->shape, &yDesc->shape) != CUDNN_STATUS_SUCCESS)
        return DNN_BAD_PARAM();
    op.x = dnn_tensor_of(xDesc, x);
    op.y = dnn_tensor_of(yDesc, y);
    op.blend = dnn_blend(op.x.type, alpha, beta);
    dnn_reads(&operands, &op.x);
    dnn_writes(&operands, &op.y, op.blend);
    return dnn_submit_operands(handle, __func__, &operands, run, &op, sizeof(op));
}

cudnnStatus_t cudnnPoolingBackward(cudnnHandle_t handle, const cudnnPoolingDescriptor_t poolingDesc,
                                   const void *alpha, const cudnnTensorDescriptor_t yDesc,
                                   const void *y, const cudnnTensorDescriptor_t dyDesc,
                                   const void *dy, const cudnnTensorDescriptor_t xDesc,
                                   const void *x, const void *beta,
                                   const cudnnTensorDescriptor_t dxDesc, void *dx)
{
    struct dnn_operands operands = {.count = 0};
    struct dnn_resample op;

    if (!dnn_is_handle(handle) || !is_pooling(poolingDesc) || !alpha || !beta || !x || !y || !dy ||
        !dx || !dnn_is_tensor(xDesc) || !dnn_is_tensor(yDesc) || !dnn_is_tensor(dyDesc) ||
        !dnn_is_tensor(dxDesc) || !dnn_same_dims(&yDesc->shape, &dyDesc->shape) ||
        !dnn_same_dims(&xDesc->shape, &dxDesc->shape) ||
        describe(&op, poolingDesc, &xDesc->shape, &yDesc->shape) != CUDNN_STATUS_SUCCESS)
        return DNN_BAD_PARAM();
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

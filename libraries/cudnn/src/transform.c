/* SPDX-License-Identifier: MIT */
/* Transforms of tensors and filters: padding, and folding of positions into channels. */
#include "descriptor.h"
#include "refold.h"

static bool is_transform(const void *descriptor)
{
    return lib_object_is(descriptor, &dnn_transform_type);
}

cudnnStatus_t cudnnSetTensorTransformDescriptor(cudnnTensorTransformDescriptor_t transformDesc,
                                                const uint32_t nbDims,
                                                const cudnnTensorFormat_t destFormat,
                                                const int32_t padBeforeA[],
                                                const int32_t padAfterA[], const uint32_t foldA[],
                                                const cudnnFoldingDirection_t direction)
{
    if (!is_transform(transformDesc) || nbDims < 3 || nbDims > CUDNN_DIM_MAX ||
        (unsigned)destFormat > CUDNN_TENSOR_NCHW_VECT_C ||
        (unsigned)direction > CUDNN_TRANSFORM_UNFOLD)
        return DNN_BAD_PARAM();
    for (uint32_t i = 0; i + 2 < nbDims && foldA; i++)
        if (!foldA[i])
            return DNN_BAD_PARAM();
    transformDesc->rank = nbDims;
    transformDesc->format = destFormat;
    transformDesc->direction = direction;
    for (uint32_t i = 0; i < nbDims; i++) {
        transformDesc->before[i] = padBeforeA ? padBeforeA[i] : 0;
        transformDesc->after[i] = padAfterA ? padAfterA[i] : 0;
        if (i + 2 < nbDims)
            transformDesc->fold[i] = foldA ? foldA[i] : 1;
    }
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetTensorTransformDescriptor(cudnnTensorTransformDescriptor_t transformDesc,
                                                uint32_t nbDimsRequested,
                                                cudnnTensorFormat_t *destFormat,
                                                int32_t padBeforeA[], int32_t padAfterA[],
                                                uint32_t foldA[],
                                                cudnnFoldingDirection_t *direction)
{
    if (!is_transform(transformDesc) || !transformDesc->rank)
        return DNN_BAD_PARAM();
    if (destFormat)
        *destFormat = transformDesc->format;
    if (direction)
        *direction = transformDesc->direction;
    for (uint32_t i = 0; i < nbDimsRequested && i < transformDesc->rank; i++) {
        if (padBeforeA)
            padBeforeA[i] = transformDesc->before[i];
        if (padAfterA)
            padAfterA[i] = transformDesc->after[i];
        if (foldA && i + 2 < transformDesc->rank)
            foldA[i] = transformDesc->fold[i];
    }
    return CUDNN_STATUS_SUCCESS;
}

/* The dimensions of the result. A position that a fold leaves alone is filled up. */
static bool result_dims(cudnnTensorTransformDescriptor_t transform, const struct dnn_tensor *x,
                        int dims[])
{
    bool unfolds = transform->direction == CUDNN_TRANSFORM_UNFOLD;
    int64_t folds = 1;

    for (int i = 0; i < x->rank; i++)
        dims[i] = (int)x->dims[i];
    for (int i = 2; i < x->rank; i++)
        folds *= transform->fold[i - 2];
    if (unfolds && dims[1] % folds)
        return false;
    dims[1] = unfolds ? (int)(dims[1] / folds) : dims[1];
    for (int i = 2; i < x->rank; i++)
        dims[i] *= unfolds ? (int)transform->fold[i - 2] : 1;
    for (int i = 0; i < x->rank; i++)
        dims[i] += transform->before[i] + transform->after[i];
    dims[1] *= unfolds ? 1 : (int)folds;
    for (int i = 2; i < x->rank && !unfolds; i++)
        dims[i] = (dims[i] + (int)transform->fold[i - 2] - 1) / (int)transform->fold[i - 2];
    for (int i = 0; i < x->rank; i++)
        if (dims[i] < 1)
            return false;
    return true;
}

static bool fits(cudnnTensorTransformDescriptor_t transform, const struct dnn_tensor *x,
                 const struct dnn_tensor *y)
{
    int dims[CUDNN_DIM_MAX];

    if ((int)transform->rank != x->rank || x->rank != y->rank || x->rank > DNN_RANK_MOST ||
        !result_dims(transform, x, dims))
        return false;
    for (int i = 0; i < x->rank; i++)
        if (dims[i] != y->dims[i])
            return false;
    return true;
}

cudnnStatus_t cudnnInitTransformDest(const cudnnTensorTransformDescriptor_t transformDesc,
                                     const cudnnTensorDescriptor_t srcDesc,
                                     cudnnTensorDescriptor_t destDesc, size_t *destSizeInBytes)
{
    int dims[CUDNN_DIM_MAX];
    cudnnStatus_t status;

    if (!is_transform(transformDesc) || !dnn_is_tensor(srcDesc) ||
        !lib_object_is(destDesc, &dnn_tensor_type) || !destSizeInBytes ||
        (int)transformDesc->rank != srcDesc->shape.rank)
        return DNN_BAD_PARAM();
    if (transformDesc->format == CUDNN_TENSOR_NCHW_VECT_C)
        return DNN_UNSUPPORTED();
    if (!result_dims(transformDesc, &srcDesc->shape, dims))
        return DNN_BAD_PARAM();
    status = cudnnSetTensorNdDescriptorEx(destDesc, transformDesc->format, srcDesc->type,
                                          srcDesc->shape.rank, dims);
    return status == CUDNN_STATUS_SUCCESS ? cudnnGetTensorSizeInBytes(destDesc, destSizeInBytes)
                                          : status;
}

static CUresult run(void *arguments)
{
    return dnn_refold_run(arguments);
}

/* Results that have padding cannot be blended. */
static cudnnStatus_t submit(cudnnHandle_t handle, const char *name,
                            cudnnTensorTransformDescriptor_t transform, struct dnn_refold *op)
{
    struct dnn_operands operands = {.count = 0};

    op->unfolds = transform->direction == CUDNN_TRANSFORM_UNFOLD;
    for (int i = 0; i < op->x.rank; i++) {
        op->before[i] = transform->before[i];
        op->fold[i] = i < 2 ? 1 : (int64_t)transform->fold[i - 2];
    }
    if ((op->blend.alpha != 1 || op->blend.beta != 0) && dnn_count(&op->y) > dnn_count(&op->x))
        return dnn_error(CUDNN_STATUS_NOT_SUPPORTED, "%s: padding with alpha or beta", name);
    dnn_reads(&operands, &op->x);
    dnn_writes(&operands, &op->y, op->blend);
    return dnn_submit_operands(handle, name, &operands, run, op, sizeof(*op));
}

cudnnStatus_t cudnnTransformTensorEx(cudnnHandle_t handle,
                                     const cudnnTensorTransformDescriptor_t transDesc,
                                     const void *alpha, const cudnnTensorDescriptor_t srcDesc,
                                     const void *srcData, const void *beta,
                                     const cudnnTensorDescriptor_t destDesc, void *destData)
{
    struct dnn_refold op = {.unfolds = false};

    if (!dnn_is_handle(handle) || !is_transform(transDesc) || !alpha || !beta || !srcData ||
        !destData || !dnn_is_tensor(srcDesc) || !dnn_is_tensor(destDesc) ||
        !fits(transDesc, &srcDesc->shape, &destDesc->shape))
        return DNN_BAD_PARAM();
    if (srcDesc->shape.vector > 1 || destDesc->shape.vector > 1)
        return DNN_UNSUPPORTED();
    op.x = dnn_tensor_of(srcDesc, srcData);
    op.y = dnn_tensor_of(destDesc, destData);
    op.blend = dnn_blend(op.x.type, alpha, beta);
    return submit(handle, __func__, transDesc, &op);
}

cudnnStatus_t cudnnTransformFilter(cudnnHandle_t handle,
                                   const cudnnTensorTransformDescriptor_t transDesc,
                                   const void *alpha, const cudnnFilterDescriptor_t srcDesc,
                                   const void *srcData, const void *beta,
                                   const cudnnFilterDescriptor_t destDesc, void *destData)
{
    struct dnn_refold op = {.unfolds = false};

    if (!dnn_is_handle(handle) || !is_transform(transDesc) || !alpha || !beta || !srcData ||
        !destData || !dnn_is_filter(srcDesc) || !dnn_is_filter(destDesc) ||
        !fits(transDesc, &srcDesc->shape, &destDesc->shape))
        return DNN_BAD_PARAM();
    if (srcDesc->shape.vector > 1 || destDesc->shape.vector > 1)
        return DNN_UNSUPPORTED();
    op.x = dnn_filter_of(srcDesc, srcData);
    op.y = dnn_filter_of(destDesc, destData);
    op.blend = dnn_blend(op.x.type, alpha, beta);
    return submit(handle, __func__, transDesc, &op);
}

static CUresult run_im2col(void *arguments)
{
    return dnn_im2col_run(arguments);
}

cudnnStatus_t cudnnIm2Col(cudnnHandle_t handle, const cudnnTensorDescriptor_t xDesc, const void *x,
                          const cudnnFilterDescriptor_t wDesc,
                          const cudnnConvolutionDescriptor_t convDesc, void *colBuffer)
{
    struct dnn_operands operands = {.count = 0};
    struct dnn_im2col op = {.columns = colBuffer};
    int dims[CUDNN_DIM_MAX];
    size_t count;

    if (!dnn_is_handle(handle) || !dnn_is_tensor(xDesc) || !x || !dnn_is_filter(wDesc) ||
        !lib_object_is(convDesc, &dnn_convolution_type) || !colBuffer ||
        cudnnGetConvolutionNdForwardOutputDim(convDesc, xDesc, wDesc, xDesc->shape.rank, dims) !=
            CUDNN_STATUS_SUCCESS)
        return DNN_BAD_PARAM();
    if (convDesc->spatial > 3 || xDesc->shape.vector > 1)
        return DNN_UNSUPPORTED();
    op.x = dnn_tensor_of(xDesc, x);
    op.spatial = convDesc->spatial;
    op.flip = convDesc->mode == CUDNN_CONVOLUTION;
    count = (size_t)(op.x.dims[0] * op.x.dims[1]);
    for (int i = 0; i < op.spatial; i++) {
        op.window[i] = wDesc->shape.dims[2 + i];
        op.out[i] = dims[2 + i];
        op.pad[i] = convDesc->pad[i];
        op.stride[i] = convDesc->stride[i];
        op.dilation[i] = convDesc->dilation[i];
        count *= (size_t)(op.window[i] * op.out[i]);
    }
    dnn_reads(&operands, &op.x);
    operands.list[operands.count++] = lib_written(colBuffer, count * dnn_type_bytes(op.x.type));
    return dnn_submit_operands(handle, __func__, &operands, run_im2col, &op, sizeof(op));
}

static CUresult run_reorder(void *arguments)
{
    return dnn_reorder_run(arguments);
}

cudnnStatus_t cudnnReorderFilterAndBias(cudnnHandle_t handle,
                                        const cudnnFilterDescriptor_t filterDesc,
                                        cudnnReorderType_t reorderType, const void *filterData,
                                        void *reorderedFilterData, int reorderBias,
                                        const void *biasData, void *reorderedBiasData)
{
    struct dnn_operands operands = {.count = 0};
    struct dnn_reorder op = {.filter = filterData, .reordered = reorderedFilterData, .window = 1};
    size_t bytes;

    if (!dnn_is_handle(handle) || !dnn_is_filter(filterDesc) || !filterData ||
        !reorderedFilterData || (reorderBias && (!biasData || !reorderedBiasData)))
        return DNN_BAD_PARAM();
    op.filters = filterDesc->shape.dims[0];
    op.channels = filterDesc->shape.dims[1];
    if (filterDesc->type != CUDNN_DATA_INT8x32 || reorderType != CUDNN_DEFAULT_REORDER ||
        op.filters % 32)
        return DNN_UNSUPPORTED();
    for (int i = 2; i < filterDesc->shape.rank; i++)
        op.window *= filterDesc->shape.dims[i];
    bytes = (size_t)(op.filters * op.channels * op.window);
    operands.list[operands.count++] = lib_read(filterData, bytes);
    operands.list[operands.count++] = lib_written(reorderedFilterData, bytes);
    operands.elements = bytes;
    if (reorderBias) {
        op.bias = biasData;
        op.reordered_bias = reorderedBiasData;
        bytes = (size_t)op.filters * sizeof(float);
        operands.list[operands.count++] = lib_read(biasData, bytes);
        operands.list[operands.count++] = lib_written(reorderedBiasData, bytes);
    }
    return dnn_submit_operands(handle, __func__, &operands, run_reorder, &op, sizeof(op));
}

/* SPDX-License-Identifier: MIT */
/* Reductions of the older interface. */
#include "descriptor.h"

static const cudnnDataType_t index_types[] = {
    [CUDNN_32BIT_INDICES] = CUDNN_DATA_UINT32,
    [CUDNN_64BIT_INDICES] = CUDNN_DATA_INT64,
    [CUDNN_16BIT_INDICES] = CUDNN_DATA_HALF,
    [CUDNN_8BIT_INDICES] = CUDNN_DATA_UINT8,
};

static bool valid(cudnnHandle_t handle, cudnnReduceTensorDescriptor_t reduce,
                  cudnnTensorDescriptor_t a, cudnnTensorDescriptor_t c)
{
    if (!dnn_is_handle(handle) || !lib_object_is(reduce, &dnn_reduce_type) || !dnn_is_tensor(a) ||
        !dnn_is_tensor(c) || a->shape.rank != c->shape.rank)
        return false;
    for (int i = 0; i < a->shape.rank; i++)
        if (c->shape.dims[i] != a->shape.dims[i] && c->shape.dims[i] != 1)
            return false;
    return true;
}

/* Indices are written for the extremes alone, though there is room for them in any case. */
static bool has_indices(cudnnReduceTensorDescriptor_t reduce)
{
    return reduce->indices == CUDNN_REDUCE_TENSOR_FLATTENED_INDICES &&
           (reduce->op == CUDNN_REDUCE_TENSOR_MIN || reduce->op == CUDNN_REDUCE_TENSOR_MAX ||
            reduce->op == CUDNN_REDUCE_TENSOR_AMAX);
}

static size_t indices_bytes(cudnnReduceTensorDescriptor_t reduce, cudnnTensorDescriptor_t c)
{
    if (reduce->indices != CUDNN_REDUCE_TENSOR_FLATTENED_INDICES)
        return 0;
    return (size_t)dnn_count(&c->shape) * dnn_type_bytes(index_types[reduce->indices_type]);
}

cudnnStatus_t cudnnGetReductionIndicesSize(cudnnHandle_t handle,
                                           const cudnnReduceTensorDescriptor_t reduceTensorDesc,
                                           const cudnnTensorDescriptor_t aDesc,
                                           const cudnnTensorDescriptor_t cDesc, size_t *sizeInBytes)
{
    if (!valid(handle, reduceTensorDesc, aDesc, cDesc) || !sizeInBytes)
        return DNN_BAD_PARAM();
    *sizeInBytes = indices_bytes(reduceTensorDesc, cDesc);
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetReductionWorkspaceSize(cudnnHandle_t handle,
                                             const cudnnReduceTensorDescriptor_t reduceTensorDesc,
                                             const cudnnTensorDescriptor_t aDesc,
                                             const cudnnTensorDescriptor_t cDesc,
                                             size_t *sizeInBytes)
{
    if (!valid(handle, reduceTensorDesc, aDesc, cDesc) || !sizeInBytes)
        return DNN_BAD_PARAM();
    *sizeInBytes = 0;
    return CUDNN_STATUS_SUCCESS;
}

static CUresult run(void *arguments)
{
    return dnn_reduction_run(arguments);
}

cudnnStatus_t cudnnReduceTensor(cudnnHandle_t handle,
                                const cudnnReduceTensorDescriptor_t reduceTensorDesc, void *indices,
                                size_t indicesSizeInBytes, void *workspace,
                                size_t workspaceSizeInBytes, const void *alpha,
                                const cudnnTensorDescriptor_t aDesc, const void *A,
                                const void *beta, const cudnnTensorDescriptor_t cDesc, void *C)
{
    struct dnn_operands operands = {.count = 0};
    struct dnn_reduction op = {.op = CUDNN_REDUCE_TENSOR_ADD};

    (void)workspace, (void)workspaceSizeInBytes;
    if (!valid(handle, reduceTensorDesc, aDesc, cDesc) || !alpha || !beta || !A || !C)
        return DNN_BAD_PARAM();
    if (has_indices(reduceTensorDesc)) {
        if (!indices || indicesSizeInBytes < indices_bytes(reduceTensorDesc, cDesc))
            return DNN_BAD_PARAM();
        if (reduceTensorDesc->indices_type != CUDNN_32BIT_INDICES)
            return DNN_UNSUPPORTED();
        op.indices = dnn_packed(indices, index_types[reduceTensorDesc->indices_type],
                                cDesc->shape.rank, cDesc->shape.dims);
    }
    op.op = reduceTensorDesc->op;
    op.compute = reduceTensorDesc->compute;
    op.propagate_nan = reduceTensorDesc->nan == CUDNN_PROPAGATE_NAN;
    op.x = dnn_tensor_of(aDesc, A);
    op.y = dnn_tensor_of(cDesc, C);
    op.blend = dnn_blend(op.compute, alpha, beta);
    dnn_reads(&operands, &op.x);
    dnn_writes(&operands, &op.y, op.blend);
    dnn_writes(&operands, &op.indices, (struct dnn_blend){.alpha = 1});
    return dnn_submit_operands(handle, __func__, &operands, run, &op, sizeof(op));
}

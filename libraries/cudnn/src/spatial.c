/* SPDX-License-Identifier: MIT */
/* Spatial transformers. */
#include "spatial.h"

#include "descriptor.h"

cudnnStatus_t cudnnSetSpatialTransformerNdDescriptor(cudnnSpatialTransformerDescriptor_t stDesc,
                                                     cudnnSamplerType_t samplerType,
                                                     cudnnDataType_t dataType, const int nbDims,
                                                     const int dimA[])
{
    if (!lib_object_is(stDesc, &dnn_spatial_type) || samplerType != CUDNN_SAMPLER_BILINEAR ||
        !dnn_type_bytes(dataType) || !dimA)
        return DNN_BAD_PARAM();
    if (nbDims != 4)
        return DNN_UNSUPPORTED();
    for (int i = 0; i < nbDims; i++)
        if (dimA[i] <= 0)
            return DNN_BAD_PARAM();
    stDesc->sampler = samplerType;
    stDesc->type = dataType;
    stDesc->rank = nbDims;
    for (int i = 0; i < nbDims; i++)
        stDesc->dims[i] = dimA[i];
    return CUDNN_STATUS_SUCCESS;
}

static bool is_spatial(const void *descriptor)
{
    return lib_object_is(descriptor, &dnn_spatial_type) &&
           ((const struct cudnnSpatialTransformerStruct *)descriptor)->rank > 0;
}

static struct dnn_tensor grid_of(cudnnSpatialTransformerDescriptor_t st, const void *address)
{
    const int64_t dims[] = {st->dims[0], st->dims[2], st->dims[3], 2};

    return dnn_packed((void *)address, st->type, 4, dims);
}

static CUresult run_grid(void *arguments)
{
    return dnn_grid_run(arguments);
}

static cudnnStatus_t submit_grid(cudnnHandle_t handle, const char *name,
                                 cudnnSpatialTransformerDescriptor_t st, const void *theta,
                                 const void *grid, bool backward)
{
    struct dnn_operands operands = {.count = 0};
    struct dnn_grid op = {.backward = backward};
    struct dnn_blend none = {.alpha = 1};

    if (!dnn_is_handle(handle) || !is_spatial(st) || !theta || !grid)
        return dnn_error(CUDNN_STATUS_BAD_PARAM, "%s: bad parameter", name);
    op.theta = dnn_packed((void *)theta, st->type, 3, (const int64_t[]){st->dims[0], 2, 3});
    op.grid = grid_of(st, grid);
    dnn_reads(&operands, backward ? &op.grid : &op.theta);
    dnn_writes(&operands, backward ? &op.theta : &op.grid, none);
    return dnn_submit_operands(handle, name, &operands, run_grid, &op, sizeof(op));
}

cudnnStatus_t cudnnSpatialTfGridGeneratorForward(cudnnHandle_t handle,
                                                 const cudnnSpatialTransformerDescriptor_t stDesc,
                                                 const void *theta, void *grid)
{
    return submit_grid(handle, __func__, stDesc, theta, grid, false);
}

cudnnStatus_t cudnnSpatialTfGridGeneratorBackward(cudnnHandle_t handle,
                                                  const cudnnSpatialTransformerDescriptor_t stDesc,
                                                  const void *dgrid, void *dtheta)
{
    return submit_grid(handle, __func__, stDesc, dtheta, dgrid, true);
}

static CUresult run_sampler(void *arguments)
{
    return dnn_sampler_run(arguments);
}

/* True if y has the transformer's dimensions, and x its images and channels. */
static bool fits(cudnnSpatialTransformerDescriptor_t st, cudnnTensorDescriptor_t x,
                 cudnnTensorDescriptor_t y)
{
    if (!dnn_is_tensor(x) || !dnn_is_tensor(y) || x->shape.rank != 4 || y->shape.rank != 4 ||
        x->shape.dims[0] != y->shape.dims[0] || x->shape.dims[1] != y->shape.dims[1])
        return false;
    for (int i = 0; i < 4; i++)
        if (i != 1 && y->shape.dims[i] != st->dims[i])
            return false;
    return true;
}

cudnnStatus_t cudnnSpatialTfSamplerForward(cudnnHandle_t handle,
                                           cudnnSpatialTransformerDescriptor_t stDesc,
                                           const void *alpha, const cudnnTensorDescriptor_t xDesc,
                                           const void *x, const void *grid, const void *beta,
                                           cudnnTensorDescriptor_t yDesc, void *y)
{
    struct dnn_operands operands = {.count = 0};
    struct dnn_sampler op = {.backward = false};

    if (!dnn_is_handle(handle) || !is_spatial(stDesc) || !alpha || !beta || !x || !y || !grid ||
        !fits(stDesc, xDesc, yDesc))
        return DNN_BAD_PARAM();
    op.x = dnn_tensor_of(xDesc, x);
    op.y = dnn_tensor_of(yDesc, y);
    op.grid = grid_of(stDesc, grid);
    op.blend = dnn_blend(op.x.type, alpha, beta);
    dnn_reads(&operands, &op.x);
    dnn_reads(&operands, &op.grid);
    dnn_writes(&operands, &op.y, op.blend);
    return dnn_submit_operands(handle, __func__, &operands, run_sampler, &op, sizeof(op));
}

cudnnStatus_t
cudnnSpatialTfSamplerBackward(cudnnHandle_t handle, cudnnSpatialTransformerDescriptor_t stDesc,
                              const void *alpha, const cudnnTensorDescriptor_t xDesc, const void *x,
                              const void *beta, const cudnnTensorDescriptor_t dxDesc, void *dx,
                              const void *alphaDgrid, const cudnnTensorDescriptor_t dyDesc,
                              const void *dy, const void *grid, const void *betaDgrid, void *dgrid)
{
    struct dnn_operands operands = {.count = 0};
    struct dnn_sampler op = {.backward = true};

    if (!dnn_is_handle(handle) || !is_spatial(stDesc) || !alpha || !beta || !alphaDgrid ||
        !betaDgrid || !x || !dx || !dy || !grid || !dgrid || !fits(stDesc, xDesc, dyDesc) ||
        !dnn_is_tensor(dxDesc) || !dnn_same_dims(&xDesc->shape, &dxDesc->shape))
        return DNN_BAD_PARAM();
    op.x = dnn_tensor_of(xDesc, x);
    op.dx = dnn_tensor_of(dxDesc, dx);
    op.dy = dnn_tensor_of(dyDesc, dy);
    op.grid = grid_of(stDesc, grid);
    op.dgrid = grid_of(stDesc, dgrid);
    op.blend = dnn_blend(op.x.type, alpha, beta);
    op.grid_blend = dnn_blend(op.x.type, alphaDgrid, betaDgrid);
    dnn_reads(&operands, &op.x);
    dnn_reads(&operands, &op.dy);
    dnn_reads(&operands, &op.grid);
    dnn_writes(&operands, &op.dx, op.blend);
    dnn_writes(&operands, &op.dgrid, op.grid_blend);
    return dnn_submit_operands(handle, __func__, &operands, run_sampler, &op, sizeof(op));
}

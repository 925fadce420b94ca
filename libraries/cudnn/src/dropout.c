/* SPDX-License-Identifier: MIT */
/* Dropout. The memory for states has a generator for each thread that the device runs at once. */
#include "dropout.h"

#include "descriptor.h"
#include "driver.h"

enum { THREADS_OF_MULTIPROCESSOR = 1024 };

/* 0: there is no device. */
static int64_t thread_count(void)
{
    const struct lib_driver *driver = lib_driver();
    int multiprocessors = 0;
    CUdevice device;

    if (driver->context_get_device(&device) != CUDA_SUCCESS ||
        driver->device_get_attribute(&multiprocessors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT,
                                     device) != CUDA_SUCCESS)
        return 0;
    return (int64_t)multiprocessors * THREADS_OF_MULTIPROCESSOR;
}

struct dnn_generators dnn_dropout_generators(cudnnDropoutDescriptor_t dropout)
{
    return (struct dnn_generators){dropout->states, dropout->threads};
}

cudnnStatus_t cudnnDropoutGetStatesSize(cudnnHandle_t handle, size_t *sizeInBytes)
{
    int64_t threads = thread_count();

    if (!dnn_is_handle(handle) || !sizeInBytes)
        return DNN_BAD_PARAM();
    if (!threads)
        return CUDNN_STATUS_EXECUTION_FAILED;
    *sizeInBytes = (size_t)threads * sizeof(struct dnn_generator);
    return CUDNN_STATUS_SUCCESS;
}

static size_t mask_bytes(cudnnTensorDescriptor_t x)
{
    return (size_t)(dnn_count(&x->shape) + 31) / 32 * sizeof(uint32_t);
}

cudnnStatus_t cudnnDropoutGetReserveSpaceSize(cudnnTensorDescriptor_t xdesc, size_t *sizeInBytes)
{
    if (!dnn_is_tensor(xdesc) || !sizeInBytes)
        return DNN_BAD_PARAM();
    *sizeInBytes = mask_bytes(xdesc);
    return CUDNN_STATUS_SUCCESS;
}

struct seeding {
    struct dnn_generators generators;
    uint64_t seed;
};

static CUresult run_seeding(void *arguments)
{
    const struct seeding *seeding = arguments;

    return dnn_generators_seed(&seeding->generators, seeding->seed);
}

/* Without states, dropout cannot be computed; a descriptor may still describe it. */
static cudnnStatus_t set(cudnnDropoutDescriptor_t descriptor, cudnnHandle_t handle, float dropout,
                         void *states, size_t bytes, unsigned long long seed)
{
    size_t needed;

    if (!lib_object_is(descriptor, &dnn_dropout_type) || !dnn_is_handle(handle))
        return dnn_error(CUDNN_STATUS_BAD_PARAM, "dropout: no descriptor, or no handle");
    if (states &&
        (cudnnDropoutGetStatesSize(handle, &needed) != CUDNN_STATUS_SUCCESS || bytes < needed))
        return dnn_error(CUDNN_STATUS_BAD_PARAM, "dropout: too little memory for states");
    descriptor->dropout = dropout;
    descriptor->states = states;
    descriptor->states_bytes = bytes;
    descriptor->threads = states ? thread_count() : 0;
    descriptor->seed = seed;
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetDropoutDescriptor(cudnnDropoutDescriptor_t dropoutDesc, cudnnHandle_t handle,
                                        float dropout, void *states, size_t stateSizeInBytes,
                                        unsigned long long seed)
{
    cudnnStatus_t status = set(dropoutDesc, handle, dropout, states, stateSizeInBytes, seed);
    struct seeding seeding = {.seed = seed};
    struct cupipe_range range;

    if (status != CUDNN_STATUS_SUCCESS || !states)
        return status;
    seeding.generators = dnn_dropout_generators(dropoutDesc);
    range = lib_written(states, (size_t)seeding.generators.threads * sizeof(struct dnn_generator));
    return dnn_submit(handle, __func__, (uint64_t)seeding.generators.threads * 20, &range, 1,
                      run_seeding, &seeding, sizeof(seeding));
}

cudnnStatus_t cudnnRestoreDropoutDescriptor(cudnnDropoutDescriptor_t dropoutDesc,
                                            cudnnHandle_t handle, float dropout, void *states,
                                            size_t stateSizeInBytes, unsigned long long seed)
{
    return set(dropoutDesc, handle, dropout, states, stateSizeInBytes, seed);
}

cudnnStatus_t cudnnGetDropoutDescriptor(cudnnDropoutDescriptor_t dropoutDesc, cudnnHandle_t handle,
                                        float *dropout, void **states, unsigned long long *seed)
{
    if (!lib_object_is(dropoutDesc, &dnn_dropout_type) || !dnn_is_handle(handle))
        return DNN_BAD_PARAM();
    if (dropout)
        *dropout = dropoutDesc->dropout;
    if (states)
        *states = dropoutDesc->states;
    if (seed)
        *seed = dropoutDesc->seed;
    return CUDNN_STATUS_SUCCESS;
}

static CUresult run(void *arguments)
{
    return dnn_dropout_run(arguments);
}

static cudnnStatus_t submit(cudnnHandle_t handle, const char *name,
                            cudnnDropoutDescriptor_t dropout, cudnnTensorDescriptor_t x,
                            const void *x_data, cudnnTensorDescriptor_t y, void *y_data, void *mask,
                            size_t bytes, bool backward)
{
    struct dnn_operands operands = {.count = 0};
    size_t generators;
    struct dnn_dropout op = {.backward = backward, .mask = mask};

    if (!dnn_is_handle(handle) || !lib_object_is(dropout, &dnn_dropout_type) || !dnn_is_tensor(x) ||
        !dnn_is_tensor(y) || !x_data || !y_data || !mask || bytes < mask_bytes(x) ||
        !dnn_same_dims(&x->shape, &y->shape) || (!backward && !dropout->states))
        return dnn_error(CUDNN_STATUS_BAD_PARAM, "%s: bad parameter", name);
    op.probability = dropout->dropout;
    op.generators = dnn_dropout_generators(dropout);
    generators = (size_t)op.generators.threads * sizeof(struct dnn_generator);
    op.x = dnn_tensor_of(x, x_data);
    op.y = dnn_tensor_of(y, y_data);
    dnn_reads(&operands, &op.x);
    dnn_writes(&operands, &op.y, (struct dnn_blend){.alpha = 1});
    if (backward) {
        operands.list[operands.count++] = lib_read(mask, mask_bytes(x));
    } else {
        operands.list[operands.count++] = lib_written(mask, mask_bytes(x));
        operands.list[operands.count++] = lib_read(op.generators.memory, generators);
        operands.list[operands.count++] = lib_written(op.generators.memory, generators);
    }
    return dnn_submit_operands(handle, name, &operands, run, &op, sizeof(op));
}

cudnnStatus_t cudnnDropoutForward(cudnnHandle_t handle, const cudnnDropoutDescriptor_t dropoutDesc,
                                  const cudnnTensorDescriptor_t xdesc, const void *x,
                                  const cudnnTensorDescriptor_t ydesc, void *y, void *reserveSpace,
                                  size_t reserveSpaceSizeInBytes)
{
    return submit(handle, __func__, dropoutDesc, xdesc, x, ydesc, y, reserveSpace,
                  reserveSpaceSizeInBytes, false);
}

cudnnStatus_t cudnnDropoutBackward(cudnnHandle_t handle, const cudnnDropoutDescriptor_t dropoutDesc,
                                   const cudnnTensorDescriptor_t dydesc, const void *dy,
                                   const cudnnTensorDescriptor_t dxdesc, void *dx,
                                   void *reserveSpace, size_t reserveSpaceSizeInBytes)
{
    return submit(handle, __func__, dropoutDesc, dydesc, dy, dxdesc, dx, reserveSpace,
                  reserveSpaceSizeInBytes, true);
}

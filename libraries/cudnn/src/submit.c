/* SPDX-License-Identifier: MIT */
/* The way of a call to its stream. An operand that the device cannot access is an error of the
 * work, which the stream reports later, as it does that of a kernel. */
#include "descriptor.h"

static cudnnStatus_t status_of(CUresult result)
{
    switch (result) {
    case CUDA_SUCCESS:
    case CUDA_ERROR_ILLEGAL_ADDRESS:
        return CUDNN_STATUS_SUCCESS;
    case CUDA_ERROR_OUT_OF_MEMORY:
        return CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED;
    case CUDA_ERROR_NOT_INITIALIZED:
        return CUDNN_STATUS_NOT_INITIALIZED;
    case CUDA_ERROR_NOT_SUPPORTED:
        return CUDNN_STATUS_NOT_SUPPORTED;
    default:
        return CUDNN_STATUS_EXECUTION_FAILED;
    }
}

static struct lib_call describe(cudnnHandle_t handle, const char *name, uint64_t nanoseconds,
                                const struct cupipe_range *ranges, size_t count)
{
    return (struct lib_call){.name = name,
                             .stream = handle->stream,
                             .nanoseconds = nanoseconds,
                             .operands = ranges,
                             .operand_count = count};
}

cudnnStatus_t dnn_submit(cudnnHandle_t handle, const char *name, uint64_t nanoseconds,
                         const struct cupipe_range *ranges, size_t range_count, lib_work *run,
                         const void *arguments, size_t bytes)
{
    const struct lib_call call = describe(handle, name, nanoseconds, ranges, range_count);

    return status_of(lib_submit(&call, run, arguments, bytes));
}

cudnnStatus_t dnn_submit_owned(cudnnHandle_t handle, const char *name, uint64_t nanoseconds,
                               const struct cupipe_range *ranges, size_t range_count, lib_work *run,
                               void (*release)(void *), void *arguments)
{
    const struct lib_call call = describe(handle, name, nanoseconds, ranges, range_count);

    return status_of(lib_submit_owned(&call, run, release, arguments));
}

double dnn_scalar(cudnnDataType_t type, const void *pointer)
{
    return type == CUDNN_DATA_DOUBLE ? *(const double *)pointer : *(const float *)pointer;
}

struct dnn_blend dnn_blend(cudnnDataType_t type, const void *alpha, const void *beta)
{
    return (struct dnn_blend){dnn_scalar(type, alpha), dnn_scalar(type, beta), true};
}

void dnn_reads(struct dnn_operands *operands, const struct dnn_tensor *tensor)
{
    operands->list[operands->count++] = dnn_read(tensor);
    if (tensor->address)
        operands->elements += (uint64_t)dnn_count(tensor);
}

void dnn_writes(struct dnn_operands *operands, const struct dnn_tensor *tensor,
                struct dnn_blend blend)
{
    if (blend.beta != 0)
        dnn_reads(operands, tensor);
    operands->list[operands->count++] = dnn_written(tensor);
    if (tensor->address)
        operands->elements += (uint64_t)dnn_count(tensor);
}

/* Some nanoseconds an element is right for most operations but convolutions. */
cudnnStatus_t dnn_submit_operands(cudnnHandle_t handle, const char *name,
                                  const struct dnn_operands *operands, lib_work *run,
                                  const void *arguments, size_t bytes)
{
    return dnn_submit(handle, name, operands->elements * 4, operands->list, operands->count, run,
                      arguments, bytes);
}

/* SPDX-License-Identifier: MIT */
/* Scalars, operands, and the way of a job to its stream. */
#include "blas.h"
#include "driver.h"

#include <string.h>

const void *blas_one(enum blas_type type)
{
    static const float single_one[2] = {1, 0};
    static const double double_one[2] = {1, 0};

    return blas_real(type) == BLAS_S ? (const void *)single_one : (const void *)double_one;
}

struct blas_scalar blas_scalar(cublasHandle_t handle, const void *pointer, size_t bytes)
{
    struct blas_scalar scalar = {0};

    if (handle->pointer_mode == CUBLAS_POINTER_MODE_DEVICE)
        scalar.device = pointer;
    else if (pointer)
        memcpy(scalar.bytes, pointer, bytes);
    return scalar;
}

bool blas_scalar_is_zero(const struct blas_scalar *scalar, size_t bytes)
{
    struct blas_scalar value = *scalar;

    if (scalar->device)
        return false;
    /* The sign bits do not count: each part is 4 or 8 bytes long, and so a zero of either width. */
    if (bytes == 4 || bytes == 8)
        value.bytes[1] = 0;
    for (size_t i = 0; i < sizeof(value.bytes); i++)
        if (((unsigned char *)value.bytes)[i] & (i % 4 == 3 ? 0x7f : 0xff))
            return false;
    return true;
}

bool blas_host_factor_is(cublasHandle_t handle, enum blas_type type, const void *pointer,
                         double value)
{
    struct blas_scalar scalar = blas_scalar(handle, pointer, blas_bytes(type));
    double parts[2];

    if (!pointer || scalar.device)
        return false;
    blas_scalar_value(&scalar, type, parts);
    return parts[0] == value && parts[1] == 0;
}

void blas_scalar_value(const struct blas_scalar *scalar, enum blas_type type, double value[2])
{
    const void *address = blas_scalar_address(scalar);
    bool is_single = blas_real(type) == BLAS_S;

    value[0] = is_single ? ((const float *)address)[0] : ((const double *)address)[0];
    value[1] = 0;
    if (blas_is_complex(type))
        value[1] = is_single ? ((const float *)address)[1] : ((const double *)address)[1];
}

struct blas_scalar blas_scalar_of(enum blas_type type, const double value[2])
{
    struct blas_scalar scalar = {0};
    const float parts[2] = {(float)value[0], (float)value[1]};

    if (blas_real(type) == BLAS_S)
        memcpy(scalar.bytes, parts, sizeof(parts));
    else
        memcpy(scalar.bytes, value, sizeof(scalar.bytes));
    return scalar;
}

void blas_add(struct blas_ranges *ranges, struct cupipe_range range)
{
    ranges->list[ranges->count++] = range;
}

void blas_add_scalar(struct blas_ranges *ranges, const struct blas_scalar *scalar, size_t bytes)
{
    if (scalar->device)
        blas_add(ranges, lib_read(scalar->device, bytes));
}

void blas_add_scaled(struct blas_ranges *ranges, struct cupipe_range range,
                     const struct blas_scalar *factor, size_t factor_bytes)
{
    bool may_be_absent = factor->device && !range.address;

    if (!blas_scalar_is_zero(factor, factor_bytes) && !may_be_absent)
        blas_add(ranges, range);
}

size_t blas_extent(int64_t count, int64_t length, size_t bytes)
{
    size_t elements, extent;

    if (__builtin_mul_overflow((uint64_t)count, (uint64_t)length, &elements) ||
        __builtin_mul_overflow(elements, bytes, &extent) || extent > BLAS_EXTENT_MOST)
        return BLAS_EXTENT_MOST;
    return extent;
}

struct cupipe_range blas_vector(const void *address, int64_t n, int64_t increment, size_t bytes)
{
    int64_t distance = increment < 0 ? -increment : increment;

    if (n <= 0)
        return lib_read(address, 0);
    if (distance == 0)
        return lib_read(address, bytes);
    if (distance == 1)
        return lib_read(address, blas_extent(n, 1, bytes));
    if (blas_extent(n - 1, distance, bytes) == BLAS_EXTENT_MOST)
        return lib_read(address, BLAS_EXTENT_MOST);
    return lib_read_pieces(address, bytes, (size_t)n, (size_t)distance * bytes);
}

struct cupipe_range blas_matrix(const void *address, int64_t rows, int64_t columns, int64_t ld,
                                size_t bytes)
{
    if (rows <= 0 || columns <= 0)
        return lib_read(address, 0);
    if (rows == ld)
        return lib_read(address, blas_extent(rows, columns, bytes));
    if (blas_extent(columns - 1, ld, bytes) == BLAS_EXTENT_MOST)
        return lib_read(address, BLAS_EXTENT_MOST);
    return lib_read_pieces(address, blas_extent(rows, 1, bytes), (size_t)columns,
                           (size_t)ld * bytes);
}

void blas_add_updated(struct blas_ranges *ranges, struct cupipe_range range,
                      const struct blas_scalar *beta, size_t beta_bytes)
{
    if (!blas_scalar_is_zero(beta, beta_bytes))
        blas_add(ranges, beta->device ? lib_partly(range) : range);
    blas_add(ranges, blas_written(range));
}

/* An operand that the device cannot access is an error of the work, which the stream reports later,
 * as it does that of a kernel. */
static cublasStatus_t status_of(CUresult result)
{
    switch (result) {
    case CUDA_SUCCESS:
    case CUDA_ERROR_ILLEGAL_ADDRESS:
        return CUBLAS_STATUS_SUCCESS;
    case CUDA_ERROR_OUT_OF_MEMORY:
        return CUBLAS_STATUS_ALLOC_FAILED;
    case CUDA_ERROR_NOT_INITIALIZED:
        return CUBLAS_STATUS_NOT_INITIALIZED;
    default:
        return CUBLAS_STATUS_EXECUTION_FAILED;
    }
}

/* A call that waits ends a capture of its stream, as the wait itself would. */
static cublasStatus_t status_of_waited(cublasHandle_t handle, CUresult result)
{
    if (result == CUDA_ERROR_ILLEGAL_ADDRESS)
        return CUBLAS_STATUS_MAPPING_ERROR;
    if (result == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED) {
        lib_driver()->stream_synchronize(handle->stream);
        return CUBLAS_STATUS_INTERNAL_ERROR;
    }
    return status_of(result);
}

static struct lib_call describe(cublasHandle_t handle, const char *name, uint64_t operations,
                                const struct blas_ranges *ranges)
{
    return (struct lib_call){.name = name,
                             .stream = handle->stream,
                             .nanoseconds = operations / 8,
                             .operands = ranges->list,
                             .operand_count = handle->takes_host_memory ? 0 : ranges->count};
}

cublasStatus_t blas_submit_call(const struct lib_call *call, lib_work *run, const void *arguments,
                                size_t bytes)
{
    blas_log("%s", call->name);
    if (!openblas())
        return CUBLAS_STATUS_NOT_SUPPORTED;
    return status_of(lib_submit(call, run, arguments, bytes));
}

/* The driver does not look at operands of cublasXt: an absent one is refused here. */
static bool lacks_operand(cublasHandle_t handle, const struct blas_ranges *ranges)
{
    for (size_t i = 0; handle->takes_host_memory && i < ranges->count; i++)
        if (!ranges->list[i].address && ranges->list[i].bytes)
            return true;
    return false;
}

cublasStatus_t blas_submit(cublasHandle_t handle, const char *name, uint64_t operations,
                           const struct blas_ranges *ranges, lib_work *run, const void *arguments,
                           size_t bytes)
{
    const struct lib_call call = describe(handle, name, operations, ranges);

    if (lacks_operand(handle, ranges))
        return CUBLAS_STATUS_MAPPING_ERROR;
    return blas_submit_call(&call, run, arguments, bytes);
}

cublasStatus_t blas_submit_wait(cublasHandle_t handle, const char *name, uint64_t operations,
                                const struct blas_ranges *ranges, lib_work *run, void *arguments)
{
    const struct lib_call call = describe(handle, name, operations, ranges);

    blas_log("%s", name);
    if (!openblas())
        return CUBLAS_STATUS_NOT_SUPPORTED;
    return status_of_waited(handle, lib_submit_and_wait(&call, run, arguments));
}

cublasStatus_t blas_submit_result(cublasHandle_t handle, const char *name, uint64_t operations,
                                  const struct blas_ranges *ranges, lib_work *run, void *arguments,
                                  size_t bytes)
{
    if (handle->pointer_mode == CUBLAS_POINTER_MODE_HOST)
        return blas_submit_wait(handle, name, operations, ranges, run, arguments);
    return blas_submit(handle, name, operations, ranges, run, arguments, bytes);
}

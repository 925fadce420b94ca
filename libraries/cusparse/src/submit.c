/* SPDX-License-Identifier: MIT */
/* Scalars, operands, and the way of work to its stream. */
#include "driver.h"
#include "sparse.h"

#include <string.h>

struct sparse_scalar sparse_scalar(cusparseHandle_t handle, const void *pointer, cudaDataType type)
{
    struct sparse_scalar scalar = {0};

    if (handle->pointer_mode == CUSPARSE_POINTER_MODE_DEVICE)
        scalar.device = pointer;
    else if (pointer)
        memcpy(scalar.bytes, pointer, sparse_bytes(type));
    return scalar;
}

struct sparse_number sparse_scalar_value(const struct sparse_scalar *scalar, cudaDataType type)
{
    return sparse_load(type, sparse_scalar_address(scalar), 0);
}

bool sparse_scalar_is_zero(const struct sparse_scalar *scalar, cudaDataType type)
{
    return !scalar->device && sparse_is_zero(sparse_scalar_value(scalar, type));
}

void sparse_add(struct sparse_ranges *ranges, struct cupipe_range range)
{
    ranges->list[ranges->count++] = range;
}

static size_t product(int64_t count, size_t bytes)
{
    return count > 0 ? (size_t)count * bytes : 0;
}

void sparse_reads(struct sparse_ranges *ranges, const void *address, int64_t count, size_t bytes)
{
    sparse_add(ranges, lib_read(address, product(count, bytes)));
}

void sparse_writes(struct sparse_ranges *ranges, const void *address, int64_t count, size_t bytes)
{
    sparse_add(ranges, lib_written(address, product(count, bytes)));
}

void sparse_writes_some(struct sparse_ranges *ranges, const void *address, int64_t count,
                        size_t bytes)
{
    sparse_add(ranges, lib_partly(lib_written(address, product(count, bytes))));
}

void sparse_add_scalar(struct sparse_ranges *ranges, const struct sparse_scalar *scalar,
                       cudaDataType type)
{
    if (scalar->device)
        sparse_add(ranges, lib_read(scalar->device, sparse_bytes(type)));
}

void sparse_add_result(cusparseHandle_t handle, struct sparse_ranges *ranges, const int *result)
{
    if (handle->pointer_mode == CUSPARSE_POINTER_MODE_DEVICE)
        sparse_writes(ranges, result, 1, sizeof(*result));
}

/* The number of elements from the first to the last of a batch. */
static int64_t batch_span(int64_t count, int64_t stride, int64_t elements)
{
    return count > 1 && stride > 0 ? (count - 1) * stride + elements : elements;
}

static int64_t offset_count(const struct cusparseSpMatDescr *matrix)
{
    switch (matrix->format) {
    case CUSPARSE_FORMAT_CSR:
        return matrix->rows + 1;
    case CUSPARSE_FORMAT_CSC:
        return matrix->cols + 1;
    case CUSPARSE_FORMAT_COO:
        return matrix->nnz;
    case CUSPARSE_FORMAT_BSR:
        return matrix->rows / matrix->block_rows + 1;
    case CUSPARSE_FORMAT_SLICED_ELLPACK:
        return (matrix->rows + matrix->slice - 1) / matrix->slice + 1;
    default:
        return 0;
    }
}

static int64_t index_count(const struct cusparseSpMatDescr *matrix)
{
    switch (matrix->format) {
    case CUSPARSE_FORMAT_BSR:
        return matrix->nnz / (matrix->block_rows * matrix->block_cols);
    case CUSPARSE_FORMAT_SLICED_ELLPACK:
        return matrix->stored;
    case CUSPARSE_FORMAT_BLOCKED_ELL:
        return ((matrix->rows + matrix->block_rows - 1) / matrix->block_rows) *
               (matrix->ell_cols / matrix->block_cols);
    default:
        return matrix->nnz;
    }
}

static int64_t value_count(const struct cusparseSpMatDescr *matrix)
{
    if (matrix->format == CUSPARSE_FORMAT_SLICED_ELLPACK)
        return matrix->stored;
    return matrix->nnz;
}

void sparse_add_sp_mat(struct sparse_ranges *ranges, const struct cusparseSpMatDescr *matrix)
{
    int64_t count = matrix->batch_count;

    sparse_reads(ranges, matrix->offsets,
                 batch_span(count, matrix->offsets_stride, offset_count(matrix)),
                 sparse_index_bytes(matrix->offset_type));
    sparse_reads(ranges, matrix->indices,
                 batch_span(count, matrix->indices_stride, index_count(matrix)),
                 sparse_index_bytes(matrix->index_type));
    sparse_reads(ranges, matrix->values,
                 batch_span(count, matrix->values_stride, value_count(matrix)),
                 sparse_bytes(matrix->type));
}

static struct cupipe_range dense_range(const struct cusparseDnMatDescr *matrix)
{
    bool by_rows = matrix->order == CUSPARSE_ORDER_ROW;
    int64_t line = by_rows ? matrix->cols : matrix->rows;
    int64_t lines = by_rows ? matrix->rows : matrix->cols;
    size_t bytes = sparse_bytes(matrix->type);

    if (!line || !lines)
        return lib_read(matrix->values, 0);
    if (matrix->batch_count > 1)
        return lib_partly(
            lib_read(matrix->values, product(batch_span(matrix->batch_count, matrix->batch_stride,
                                                        (lines - 1) * matrix->ld + line),
                                             bytes)));
    if (line == matrix->ld)
        return lib_read(matrix->values, product(line * lines, bytes));
    return lib_read_pieces(matrix->values, product(line, bytes), (size_t)lines,
                           product(matrix->ld, bytes));
}

void sparse_add_dn_mat(struct sparse_ranges *ranges, const struct cusparseDnMatDescr *matrix)
{
    sparse_add(ranges, dense_range(matrix));
}

void sparse_add_dn_vec(struct sparse_ranges *ranges, const struct cusparseDnVecDescr *vector)
{
    sparse_reads(ranges, vector->values, vector->size, sparse_bytes(vector->type));
}

void sparse_add_sp_vec(struct sparse_ranges *ranges, const struct cusparseSpVecDescr *vector)
{
    sparse_reads(ranges, vector->indices, vector->nnz, sparse_index_bytes(vector->index_type));
    sparse_reads(ranges, vector->values, vector->nnz, sparse_bytes(vector->type));
}

static void add_updated(struct sparse_ranges *ranges, struct cupipe_range range,
                        const struct sparse_scalar *beta, cudaDataType type)
{
    if (beta && !sparse_scalar_is_zero(beta, type))
        sparse_add(ranges, beta->device ? lib_partly(range) : range);
    range.written = 1;
    sparse_add(ranges, range);
}

void sparse_update_dn_mat(struct sparse_ranges *ranges, const struct cusparseDnMatDescr *matrix,
                          const struct sparse_scalar *beta, cudaDataType type)
{
    add_updated(ranges, dense_range(matrix), beta, type);
}

void sparse_update_dn_vec(struct sparse_ranges *ranges, const struct cusparseDnVecDescr *vector,
                          const struct sparse_scalar *beta, cudaDataType type)
{
    add_updated(ranges, lib_read(vector->values, product(vector->size, sparse_bytes(vector->type))),
                beta, type);
}

/* An operand that the device cannot access is an error of the work, which the stream reports later,
 * as it does that of a kernel. */
static cusparseStatus_t status_of(CUresult result)
{
    switch (result) {
    case CUDA_SUCCESS:
    case CUDA_ERROR_ILLEGAL_ADDRESS:
        return CUSPARSE_STATUS_SUCCESS;
    case CUDA_ERROR_OUT_OF_MEMORY:
        return CUSPARSE_STATUS_ALLOC_FAILED;
    case CUDA_ERROR_NOT_INITIALIZED:
        return CUSPARSE_STATUS_NOT_INITIALIZED;
    default:
        return CUSPARSE_STATUS_EXECUTION_FAILED;
    }
}

/* A call that waits ends a capture of its stream, as the wait itself would. */
static cusparseStatus_t status_of_waited(cusparseHandle_t handle, CUresult result)
{
    if (result == CUDA_ERROR_ILLEGAL_ADDRESS)
        return CUSPARSE_STATUS_EXECUTION_FAILED;
    if (result == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED) {
        lib_driver()->stream_synchronize(handle->stream);
        return CUSPARSE_STATUS_INTERNAL_ERROR;
    }
    return status_of(result);
}

static struct lib_call describe(cusparseHandle_t handle, const char *name, int64_t operations,
                                const struct sparse_ranges *ranges)
{
    return (struct lib_call){.name = name,
                             .stream = handle->stream,
                             .nanoseconds = (uint64_t)operations / 2,
                             .operands = ranges->list,
                             .operand_count = ranges->count};
}

cusparseStatus_t sparse_submit(cusparseHandle_t handle, const char *name, int64_t operations,
                               const struct sparse_ranges *ranges, lib_work *run,
                               const void *arguments, size_t bytes)
{
    const struct lib_call call = describe(handle, name, operations, ranges);

    sparse_log(name);
    return status_of(lib_submit(&call, run, arguments, bytes));
}

cusparseStatus_t sparse_submit_wait(cusparseHandle_t handle, const char *name, int64_t operations,
                                    const struct sparse_ranges *ranges, lib_work *run,
                                    void *arguments)
{
    const struct lib_call call = describe(handle, name, operations, ranges);

    sparse_log(name);
    return status_of_waited(handle, lib_submit_and_wait(&call, run, arguments));
}

cusparseStatus_t sparse_submit_result(cusparseHandle_t handle, const char *name, int64_t operations,
                                      const struct sparse_ranges *ranges, lib_work *run,
                                      void *arguments, size_t bytes)
{
    if (handle->pointer_mode == CUSPARSE_POINTER_MODE_HOST)
        return sparse_submit_wait(handle, name, operations, ranges, run, arguments);
    return sparse_submit(handle, name, operations, ranges, run, arguments, bytes);
}

cusparseStatus_t sparse_submit_owned(cusparseHandle_t handle, const char *name, int64_t operations,
                                     const struct sparse_ranges *ranges, lib_work *run,
                                     void (*release)(void *), void *arguments)
{
    const struct lib_call call = describe(handle, name, operations, ranges);

    sparse_log(name);
    return status_of(lib_submit_owned(&call, run, release, arguments));
}

bool sparse_is_capturing(cusparseHandle_t handle)
{
    const struct lib_driver *driver = lib_driver();
    CUstreamCaptureStatus status;

    return driver && driver->stream_is_capturing(handle->stream, &status) == CUDA_SUCCESS &&
           status == CU_STREAM_CAPTURE_STATUS_ACTIVE;
}

/* SPDX-License-Identifier: MIT */
/* Handles of cuSOLVER for sparse matrices, and the checks of its functions. */
#include "sparse.h"

#include "driver.h"

const struct lib_object_type sparse_handle_type = {.bytes = sizeof(struct cusolverSpContext)};

cusolverStatus_t cusolverSpCreate(cusolverSpHandle_t *handle)
{
    cusolverSpHandle_t created;

    if (!handle)
        return CUSOLVER_STATUS_INVALID_VALUE;
    if (lib_ensure_context() != CUDA_SUCCESS)
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    created = lib_object_create(&sparse_handle_type);
    if (!created)
        return CUSOLVER_STATUS_ALLOC_FAILED;
    *handle = created;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverSpDestroy(cusolverSpHandle_t handle)
{
    return lib_object_destroy(handle, &sparse_handle_type) ? CUSOLVER_STATUS_SUCCESS
                                                           : CUSOLVER_STATUS_NOT_INITIALIZED;
}

cusolverStatus_t cusolverSpSetStream(cusolverSpHandle_t handle, cudaStream_t streamId)
{
    if (!sparse_is_handle(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    handle->stream = (CUstream)streamId;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverSpGetStream(cusolverSpHandle_t handle, cudaStream_t *streamId)
{
    if (!sparse_is_handle(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (!streamId)
        return CUSOLVER_STATUS_INVALID_VALUE;
    *streamId = (cudaStream_t)handle->stream;
    return CUSOLVER_STATUS_SUCCESS;
}

void sparse_add_matrix(struct solver_ranges *ranges, const struct sparse_input *input)
{
    solver_add(ranges, SOLVER_READ, input->start, (int64_t)input->rows + 1, 1, 1, sizeof(int));
    solver_add(ranges, SOLVER_READ, input->index, input->count, 1, 1, sizeof(int));
    if (input->value)
        solver_add(ranges, SOLVER_READ, input->value, input->count, 1, 1,
                   lapack_bytes(input->type));
}

cusolverStatus_t sparse_check(cusolverSpHandle_t handle, const cusparseMatDescr_t descriptor,
                              struct sparse_input *input)
{
    if (!sparse_is_handle(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (input->rows < 0 || input->columns < 0 || input->count < 0 || !input->start ||
        (input->count > 0 && !input->index))
        return CUSOLVER_STATUS_INVALID_VALUE;
    return sparse_base(descriptor, &input->base);
}

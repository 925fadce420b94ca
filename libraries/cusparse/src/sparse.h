/* SPDX-License-Identifier: MIT */
/* What the functions of cuSPARSE share: the handle, the descriptors, scalars of both pointer modes,
 * and the submission of work to the handle's stream.
 *
 * A function checks its arguments in the order of cuSPARSE, copies the descriptors into a structure
 * of its own, names its operands, and submits a function that computes. */
#ifndef CUSPARSE_SPARSE_H
#define CUSPARSE_SPARSE_H

#include "object.h"
#include "types.h"
#include "work.h"

#include <cusparse.h>
#include <stdbool.h>

struct cusparseContext {
    struct lib_object base;
    CUstream stream;
    cusparsePointerMode_t pointer_mode;
};

struct cusparseMatDescr {
    struct lib_object base;
    cusparseMatrixType_t type;
    cusparseFillMode_t fill;
    cusparseDiagType_t diagonal;
    cusparseIndexBase_t index_base;
};

struct cusparseSpVecDescr {
    struct lib_object base;
    int64_t size, nnz;
    void *indices, *values;
    cusparseIndexType_t index_type;
    cusparseIndexBase_t index_base;
    cudaDataType type;
};

struct cusparseDnVecDescr {
    struct lib_object base;
    int64_t size;
    void *values;
    cudaDataType type;
};

struct cusparseDnMatDescr {
    struct lib_object base;
    int64_t rows, cols, ld;
    void *values;
    cudaDataType type;
    cusparseOrder_t order;
    int batch_count;
    int64_t batch_stride;
};

/* A sparse matrix of any format. `offsets` are those of rows (CSR, BSR), columns (CSC) or slices
 * (sliced ELL), or the row indices of COO; `indices` are those of columns (rows of CSC). */
struct cusparseSpMatDescr {
    struct lib_object base;
    cusparseFormat_t format;
    int64_t rows, cols, nnz;
    void *offsets, *indices, *values;
    cusparseIndexType_t offset_type, index_type;
    cusparseIndexBase_t index_base;
    cudaDataType type;
    int64_t block_rows, block_cols; /* BSR; both the block size of blocked ELL */
    int64_t ell_cols;               /* blocked ELL */
    int64_t slice, stored;          /* sliced ELL: rows of a slice, elements of values */
    cusparseOrder_t block_order;
    int batch_count;
    int64_t offsets_stride, indices_stride, values_stride;
    cusparseFillMode_t fill;
    cusparseDiagType_t diagonal;
};

extern const struct lib_object_type sparse_handle_type, sparse_mat_descr_type, sparse_sp_vec_type,
    sparse_dn_vec_type, sparse_dn_mat_type, sparse_sp_mat_type;

static inline bool sparse_is_handle(cusparseHandle_t handle)
{
    return lib_object_is(handle, &sparse_handle_type);
}

static inline bool sparse_is_descr(const struct cusparseMatDescr *descr)
{
    return lib_object_is(descr, &sparse_mat_descr_type);
}

static inline bool sparse_is_sp_vec(cusparseConstSpVecDescr_t vector)
{
    return lib_object_is(vector, &sparse_sp_vec_type);
}

static inline bool sparse_is_dn_vec(cusparseConstDnVecDescr_t vector)
{
    return lib_object_is(vector, &sparse_dn_vec_type);
}

static inline bool sparse_is_dn_mat(cusparseConstDnMatDescr_t matrix)
{
    return lib_object_is(matrix, &sparse_dn_mat_type);
}

static inline bool sparse_is_sp_mat(cusparseConstSpMatDescr_t matrix)
{
    return lib_object_is(matrix, &sparse_sp_mat_type);
}

static inline bool sparse_is_operation(cusparseOperation_t operation)
{
    return (unsigned)operation <= CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE;
}

/* A scalar argument: its value, which was read when the function was called, or the address in
 * device memory where it is read when the work runs. */
struct sparse_scalar {
    const void *device;
    double bytes[2];
};

struct sparse_scalar sparse_scalar(cusparseHandle_t handle, const void *pointer, cudaDataType type);

/* The scalar as complex number, when the work runs. */
struct sparse_number sparse_scalar_value(const struct sparse_scalar *scalar, cudaDataType type);

static inline const void *sparse_scalar_address(const struct sparse_scalar *scalar)
{
    return scalar->device ? scalar->device : (const void *)scalar->bytes;
}

/* True if the scalar is known to be zero; false for one in device memory. */
bool sparse_scalar_is_zero(const struct sparse_scalar *scalar, cudaDataType type);

/* The operands of a call; `count` of them so far. */
struct sparse_ranges {
    struct cupipe_range list[20];
    size_t count;
};

void sparse_add(struct sparse_ranges *ranges, struct cupipe_range range);
void sparse_reads(struct sparse_ranges *ranges, const void *address, int64_t count, size_t bytes);
void sparse_writes(struct sparse_ranges *ranges, const void *address, int64_t count, size_t bytes);
/* Written, and possibly not whole. */
void sparse_writes_some(struct sparse_ranges *ranges, const void *address, int64_t count,
                        size_t bytes);
void sparse_add_scalar(struct sparse_ranges *ranges, const struct sparse_scalar *scalar,
                       cudaDataType type);
/* The arrays of descriptors. An updated one is read too, unless the scalar is zero. */
void sparse_add_sp_mat(struct sparse_ranges *ranges, const struct cusparseSpMatDescr *matrix);
void sparse_add_dn_mat(struct sparse_ranges *ranges, const struct cusparseDnMatDescr *matrix);
void sparse_add_dn_vec(struct sparse_ranges *ranges, const struct cusparseDnVecDescr *vector);
void sparse_add_sp_vec(struct sparse_ranges *ranges, const struct cusparseSpVecDescr *vector);
void sparse_update_dn_mat(struct sparse_ranges *ranges, const struct cusparseDnMatDescr *matrix,
                          const struct sparse_scalar *beta, cudaDataType type);
void sparse_update_dn_vec(struct sparse_ranges *ranges, const struct cusparseDnVecDescr *vector,
                          const struct sparse_scalar *beta, cudaDataType type);

/* Submits work to the handle's stream. `operations` is a guess at its time, in halves of a
 * nanosecond: about one for each element. */
cusparseStatus_t sparse_submit(cusparseHandle_t handle, const char *name, int64_t operations,
                               const struct sparse_ranges *ranges, lib_work *run,
                               const void *arguments, size_t bytes);

/* The same, and waits: the work leaves results in `arguments` or in host memory. */
cusparseStatus_t sparse_submit_wait(cusparseHandle_t handle, const char *name, int64_t operations,
                                    const struct sparse_ranges *ranges, lib_work *run,
                                    void *arguments);

/* True if the handle's stream is being captured. */
bool sparse_is_capturing(cusparseHandle_t handle);

/* The same; waits in the pointer mode of the host alone. */
cusparseStatus_t sparse_submit_result(cusparseHandle_t handle, const char *name, int64_t operations,
                                      const struct sparse_ranges *ranges, lib_work *run,
                                      void *arguments, size_t bytes);

/* The same for arguments that own memory: `release` frees them, also if the submission fails. */
cusparseStatus_t sparse_submit_owned(cusparseHandle_t handle, const char *name, int64_t operations,
                                     const struct sparse_ranges *ranges, lib_work *run,
                                     void (*release)(void *), void *arguments);

/* Where a result of an int goes: device memory is named as operand. */
void sparse_add_result(cusparseHandle_t handle, struct sparse_ranges *ranges, const int *result);

/* Writes a line to the log, if it is on. */
void sparse_log(const char *function);
void sparse_log_begin(void);

#endif

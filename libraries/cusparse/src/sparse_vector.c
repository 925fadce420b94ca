/* SPDX-License-Identifier: MIT */
/* Operations of a sparse vector with a dense one. A sparse vector is a matrix of one row, so that
 * sums and additions are those of products; elements of 16 bits are taken one at a time. */
#include "isa.h"
#include "product_run.h"

#include <stdlib.h>
#include <string.h>

enum { BUFFER_BYTES = 8 };

struct vector_work {
    struct cusparseSpVecDescr x;
    struct cusparseDnVecDescr y;
    struct sparse_scalar alpha, beta;
    cudaDataType computed;
    cusparseOperation_t operation;
    void *result;
};

static bool are_vectors(cusparseHandle_t handle, cusparseConstSpVecDescr_t x,
                        cusparseConstDnVecDescr_t y)
{
    return sparse_is_handle(handle) && sparse_is_sp_vec(x) && sparse_is_dn_vec(y) &&
           x->size == y->size;
}

/* The floating-point types, whose scalars are of sparse_compute_type(). */
static bool is_float_type(cudaDataType type)
{
    return type != CUDA_R_8I && type != CUDA_R_32I;
}

static struct cusparseSpMatDescr row_of(const struct cusparseSpVecDescr *x, int64_t *offsets)
{
    offsets[0] = x->index_base;
    offsets[1] = x->nnz + x->index_base;
    return (struct cusparseSpMatDescr){.format = CUSPARSE_FORMAT_CSR,
                                       .rows = 1,
                                       .cols = x->size,
                                       .nnz = x->nnz,
                                       .offsets = offsets,
                                       .indices = x->indices,
                                       .values = x->values,
                                       .offset_type = CUSPARSE_INDEX_64I,
                                       .index_type = x->index_type,
                                       .index_base = x->index_base,
                                       .type = x->type,
                                       .batch_count = 1};
}

static int64_t index_of(const struct cusparseSpVecDescr *x, int64_t i)
{
    return sparse_index(x->index_type, x->indices, i) - x->index_base;
}

/* y = beta * y, in the type of scalars. */
static void scale(const struct vector_work *work)
{
    const struct sparse_pair *pair = sparse_pair(work->y.type, work->y.type);
    const double zero[2] = {0, 0};
    struct sparse_number beta = sparse_scalar_value(&work->beta, work->computed);

    if (sparse_is_zero(beta)) {
        memset(work->y.values, 0, (size_t)work->y.size * sparse_bytes(work->y.type));
    } else if (pair && work->computed == work->y.type) {
        pair->finish(work->y.values, 1, work->y.values, 1, work->y.size,
                     sparse_scalar_address(&work->beta), zero);
    } else {
        for (int64_t i = 0; i < work->y.size; i++)
            sparse_store(work->y.type, work->y.values, i,
                         sparse_times(beta, sparse_load(work->y.type, work->y.values, i)));
    }
}

static CUresult axpby_run(void *arguments)
{
    const struct vector_work *work = arguments;
    const struct sparse_pair *pair = sparse_pair(work->x.type, work->computed);
    struct sparse_number alpha = sparse_scalar_value(&work->alpha, work->computed);
    struct cusparseSpMatDescr matrix;
    struct sparse_view view;
    int64_t offsets[2];
    double one[2];
    CUresult result;

    scale(work);
    if (!pair || work->computed != work->y.type) {
        for (int64_t i = 0; i < work->x.nnz; i++) {
            int64_t at = index_of(&work->x, i);
            struct sparse_number x = sparse_load(work->x.type, work->x.values, i);
            struct sparse_number y = sparse_load(work->y.type, work->y.values, at);

            sparse_store(work->y.type, work->y.values, at, sparse_plus(sparse_times(alpha, x), y));
        }
        return CUDA_SUCCESS;
    }
    matrix = row_of(&work->x, offsets);
    result = sparse_view_open(&view, &matrix, 0);
    if (result != CUDA_SUCCESS)
        return result;
    sparse_store(work->computed, one, 0, (struct sparse_number){1, 0});
    pair->rows[view.widths].scatter(
        &view, 0, 1, one, 1, 1, work->y.values, 1,
        &(struct sparse_scaling){.alpha = sparse_scalar_address(&work->alpha)});
    sparse_view_close(&view);
    return CUDA_SUCCESS;
}

cusparseStatus_t cusparseAxpby(cusparseHandle_t handle, const void *alpha,
                               cusparseConstSpVecDescr_t vecX, const void *beta,
                               cusparseDnVecDescr_t vecY)
{
    struct sparse_ranges ranges = {.count = 0};
    struct vector_work work;

    if (!are_vectors(handle, vecX, vecY) || !alpha || !beta)
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (vecX->type != vecY->type || !is_float_type(vecX->type) ||
        vecX->index_type == CUSPARSE_INDEX_16U)
        return CUSPARSE_STATUS_NOT_SUPPORTED;
    work =
        (struct vector_work){.x = *vecX, .y = *vecY, .computed = sparse_compute_type(vecY->type)};
    work.alpha = sparse_scalar(handle, alpha, work.computed);
    work.beta = sparse_scalar(handle, beta, work.computed);
    sparse_add_scalar(&ranges, &work.alpha, work.computed);
    sparse_add_scalar(&ranges, &work.beta, work.computed);
    sparse_add_sp_vec(&ranges, vecX);
    sparse_update_dn_vec(&ranges, vecY, &work.beta, work.computed);
    return sparse_submit(handle, "cusparseAxpby", vecX->nnz + vecY->size, &ranges, axpby_run, &work,
                         sizeof(work));
}

/* Moves elements between a sparse and a dense vector; always inlined, with a constant size. */
static inline __attribute__((always_inline)) void move(const struct vector_work *work, bool gathers,
                                                       size_t bytes)
{
    for (int64_t i = 0; i < work->x.nnz; i++) {
        char *x = sparse_at(work->x.values, i, bytes);
        char *y = sparse_at(work->y.values, index_of(&work->x, i), bytes);

        memcpy(gathers ? x : y, gathers ? y : x, bytes);
    }
}

static void move_elements(const struct vector_work *work, bool gathers)
{
    switch (sparse_bytes(work->x.type)) {
    case 1:
        move(work, gathers, 1);
        break;
    case 2:
        move(work, gathers, 2);
        break;
    case 4:
        move(work, gathers, 4);
        break;
    case 8:
        move(work, gathers, 8);
        break;
    default:
        move(work, gathers, 16);
    }
}

static CUresult gather_run(void *arguments)
{
    move_elements(arguments, true);
    return CUDA_SUCCESS;
}

static CUresult scatter_run(void *arguments)
{
    move_elements(arguments, false);
    return CUDA_SUCCESS;
}

static cusparseStatus_t submit_move(cusparseHandle_t handle, cusparseConstSpVecDescr_t x,
                                    cusparseConstDnVecDescr_t y, bool gathers)
{
    struct vector_work work;
    struct sparse_ranges ranges = {.count = 0};

    if (!are_vectors(handle, x, y))
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (x->type != y->type || x->index_type == CUSPARSE_INDEX_16U)
        return CUSPARSE_STATUS_NOT_SUPPORTED;
    work = (struct vector_work){.x = *x, .y = *y};
    sparse_reads(&ranges, x->indices, x->nnz, sparse_index_bytes(x->index_type));
    if (gathers) {
        sparse_add(&ranges,
                   lib_partly(lib_read(y->values, (size_t)y->size * sparse_bytes(y->type))));
        sparse_writes(&ranges, x->values, x->nnz, sparse_bytes(x->type));
    } else {
        sparse_reads(&ranges, x->values, x->nnz, sparse_bytes(x->type));
        sparse_writes_some(&ranges, y->values, y->size, sparse_bytes(y->type));
    }
    return sparse_submit(handle, gathers ? "cusparseGather" : "cusparseScatter", x->nnz, &ranges,
                         gathers ? gather_run : scatter_run, &work, sizeof(work));
}

cusparseStatus_t cusparseGather(cusparseHandle_t handle, cusparseConstDnVecDescr_t vecY,
                                cusparseSpVecDescr_t vecX)
{
    return submit_move(handle, vecX, vecY, true);
}

cusparseStatus_t cusparseScatter(cusparseHandle_t handle, cusparseConstSpVecDescr_t vecX,
                                 cusparseDnVecDescr_t vecY)
{
    return submit_move(handle, vecX, vecY, false);
}

static CUresult rot_run(void *arguments)
{
    const struct vector_work *work = arguments;
    struct sparse_number c = sparse_scalar_value(&work->alpha, work->computed);
    struct sparse_number s = sparse_scalar_value(&work->beta, work->computed);
    struct sparse_number minus_s = {-s.re, -s.im};

    for (int64_t i = 0; i < work->x.nnz; i++) {
        int64_t at = index_of(&work->x, i);
        struct sparse_number x = sparse_load(work->x.type, work->x.values, i);
        struct sparse_number y = sparse_load(work->y.type, work->y.values, at);

        sparse_store(work->x.type, work->x.values, i,
                     sparse_plus(sparse_times(c, x), sparse_times(s, y)));
        sparse_store(work->y.type, work->y.values, at,
                     sparse_plus(sparse_times(c, y), sparse_times(minus_s, x)));
    }
    return CUDA_SUCCESS;
}

cusparseStatus_t cusparseRot(cusparseHandle_t handle, const void *c_coeff, const void *s_coeff,
                             cusparseSpVecDescr_t vecX, cusparseDnVecDescr_t vecY)
{
    struct sparse_ranges ranges = {.count = 0};
    struct vector_work work;

    if (!are_vectors(handle, vecX, vecY) || !c_coeff || !s_coeff)
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (vecX->type != vecY->type || !is_float_type(vecX->type) ||
        vecX->index_type == CUSPARSE_INDEX_16U)
        return CUSPARSE_STATUS_NOT_SUPPORTED;
    work =
        (struct vector_work){.x = *vecX, .y = *vecY, .computed = sparse_compute_type(vecX->type)};
    work.alpha = sparse_scalar(handle, c_coeff, work.computed);
    work.beta = sparse_scalar(handle, s_coeff, work.computed);
    sparse_add_scalar(&ranges, &work.alpha, work.computed);
    sparse_add_scalar(&ranges, &work.beta, work.computed);
    sparse_add_sp_vec(&ranges, vecX);
    sparse_writes(&ranges, vecX->values, vecX->nnz, sparse_bytes(vecX->type));
    sparse_add(&ranges,
               lib_partly(lib_read(vecY->values, (size_t)vecY->size * sparse_bytes(vecY->type))));
    sparse_writes_some(&ranges, vecY->values, vecY->size, sparse_bytes(vecY->type));
    return sparse_submit(handle, "cusparseRot", vecX->nnz * 16, &ranges, rot_run, &work,
                         sizeof(work));
}

static CUresult spvv_run(void *arguments)
{
    const struct vector_work *work = arguments;
    const struct sparse_pair *pair = sparse_pair(work->x.type, work->computed);
    struct cusparseDnMatDescr y = {.rows = work->y.size,
                                   .cols = 1,
                                   .ld = work->y.size,
                                   .values = work->y.values,
                                   .type = work->y.type,
                                   .order = CUSPARSE_ORDER_COL,
                                   .batch_count = 1};
    struct cusparseSpMatDescr matrix;
    struct sparse_packed packed = {0};
    struct sparse_view view;
    int64_t offsets[2];
    double one[2], zero[2] = {0, 0};
    CUresult result;

    matrix = row_of(&work->x, offsets);
    result = pair ? sparse_view_open(&view, &matrix, 0) : CUDA_ERROR_NOT_SUPPORTED;
    if (result != CUDA_SUCCESS)
        return result;
    sparse_store(work->computed, one, 0, (struct sparse_number){1, 0});
    result = sparse_pack(&packed, &y, 0, CUSPARSE_OPERATION_NON_TRANSPOSE, work->computed);
    if (result == CUDA_SUCCESS)
        pair->rows[view.widths].row_sums(&view, 0, 1, packed.values, work->result,
                                         &(struct sparse_scaling){one, zero, work->operation != 0});
    free(packed.owned);
    sparse_view_close(&view);
    return result;
}

static bool spvv_types(cudaDataType x, cudaDataType y, cudaDataType computed)
{
    if (x == CUDA_R_8I)
        return y == x && (computed == CUDA_R_32I || computed == CUDA_R_32F);
    return x == y && x != CUDA_R_32I && computed == sparse_compute_type(x);
}

static cusparseStatus_t check_spvv(cusparseHandle_t handle, cusparseOperation_t opX,
                                   cusparseConstSpVecDescr_t vecX, cusparseConstDnVecDescr_t vecY,
                                   const void *result, cudaDataType computeType)
{
    if (!are_vectors(handle, vecX, vecY) || !sparse_is_operation(opX) || !result)
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (!spvv_types(vecX->type, vecY->type, computeType) || vecX->index_type == CUSPARSE_INDEX_16U)
        return CUSPARSE_STATUS_NOT_SUPPORTED;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpVV_bufferSize(cusparseHandle_t handle, cusparseOperation_t opX,
                                         cusparseConstSpVecDescr_t vecX,
                                         cusparseConstDnVecDescr_t vecY, const void *result,
                                         cudaDataType computeType, size_t *bufferSize)
{
    cusparseStatus_t status = check_spvv(handle, opX, vecX, vecY, result, computeType);

    if (status == CUSPARSE_STATUS_SUCCESS && !bufferSize)
        status = CUSPARSE_STATUS_INVALID_VALUE;
    if (status == CUSPARSE_STATUS_SUCCESS)
        *bufferSize = BUFFER_BYTES;
    return status;
}

cusparseStatus_t cusparseSpVV(cusparseHandle_t handle, cusparseOperation_t opX,
                              cusparseConstSpVecDescr_t vecX, cusparseConstDnVecDescr_t vecY,
                              void *result, cudaDataType computeType, void *buffer)
{
    cusparseStatus_t status = check_spvv(handle, opX, vecX, vecY, result, computeType);
    struct sparse_ranges ranges = {.count = 0};
    struct vector_work work;

    (void)buffer;
    if (status != CUSPARSE_STATUS_SUCCESS)
        return status;
    work = (struct vector_work){
        .x = *vecX, .y = *vecY, .computed = computeType, .operation = opX, .result = result};
    sparse_add_sp_vec(&ranges, vecX);
    sparse_add(&ranges,
               lib_partly(lib_read(vecY->values, (size_t)vecY->size * sparse_bytes(vecY->type))));
    if (handle->pointer_mode == CUSPARSE_POINTER_MODE_DEVICE)
        sparse_writes(&ranges, result, 1, sparse_bytes(computeType));
    /* A captured call writes its result to the host when the graph runs. */
    if (sparse_is_capturing(handle))
        return sparse_submit(handle, "cusparseSpVV", vecX->nnz, &ranges, spvv_run, &work,
                             sizeof(work));
    return sparse_submit_result(handle, "cusparseSpVV", vecX->nnz, &ranges, spvv_run, &work,
                                sizeof(work));
}

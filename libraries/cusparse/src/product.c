/* SPDX-License-Identifier: MIT */
/* SpMV and SpMM: what they accept, and their submission. All algorithms are one here; a buffer is
 * not needed, and its size is that of a few words, because programs take 0 for an error. */
#include "product_run.h"

enum { BUFFER_BYTES = 8, FORMATS_MASK_ALL = 0xff };

/* Which products take types: SpMV, SpMM of CSR, CSC and COO, of BSR, and of blocked ELL. */
enum { V = 1, M = 2, B = 4, E = 8 };

/* Types of a, x, y and of scalars. */
static const struct {
    cudaDataType a, x, y, computed;
    unsigned products;
} combinations[] = {
    {CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, V | M | B | E},
    {CUDA_R_64F, CUDA_R_64F, CUDA_R_64F, CUDA_R_64F, V | M | B | E},
    {CUDA_C_32F, CUDA_C_32F, CUDA_C_32F, CUDA_C_32F, V | M | B},
    {CUDA_C_64F, CUDA_C_64F, CUDA_C_64F, CUDA_C_64F, V | M | B},
    {CUDA_R_8I, CUDA_R_8I, CUDA_R_32I, CUDA_R_32I, V | M | B | E},
    {CUDA_R_8I, CUDA_R_8I, CUDA_R_32F, CUDA_R_32F, V | M | B},
    {CUDA_R_16F, CUDA_R_16F, CUDA_R_16F, CUDA_R_16F, E},
    {CUDA_R_16F, CUDA_R_16F, CUDA_R_32F, CUDA_R_32F, V | M | B | E},
    {CUDA_R_16F, CUDA_R_16F, CUDA_R_16F, CUDA_R_32F, V | M | B | E},
    {CUDA_R_16BF, CUDA_R_16BF, CUDA_R_32F, CUDA_R_32F, V | M | B | E},
    {CUDA_R_16BF, CUDA_R_16BF, CUDA_R_16BF, CUDA_R_32F, V | M | B | E},
    {CUDA_C_16F, CUDA_C_16F, CUDA_C_16F, CUDA_C_32F, V | M},
    {CUDA_C_16BF, CUDA_C_16BF, CUDA_C_16BF, CUDA_C_32F, V | M},
    {CUDA_R_32F, CUDA_R_64F, CUDA_R_64F, CUDA_R_64F, V},
    {CUDA_R_32F, CUDA_C_32F, CUDA_C_32F, CUDA_C_32F, V | M},
    {CUDA_R_64F, CUDA_C_64F, CUDA_C_64F, CUDA_C_64F, V | M},
};

static bool types_fit(const struct sparse_product *product, unsigned kind)
{
    for (size_t i = 0; i < sizeof(combinations) / sizeof(*combinations); i++)
        if (combinations[i].a == product->a.type && combinations[i].x == product->x.type &&
            combinations[i].y == product->y.type && combinations[i].computed == product->scalars &&
            (combinations[i].products & kind))
            return true;
    return false;
}

static unsigned spmm_kind(cusparseFormat_t format)
{
    return format == CUSPARSE_FORMAT_BSR ? B : format == CUSPARSE_FORMAT_BLOCKED_ELL ? E : M;
}

/* The formats that an algorithm is for, as bits; 0: there is no such algorithm. */
static unsigned spmv_formats(cusparseSpMVAlg_t algorithm)
{
    switch (algorithm) {
    case CUSPARSE_SPMV_ALG_DEFAULT:
        return FORMATS_MASK_ALL & ~(1u << CUSPARSE_FORMAT_BLOCKED_ELL);
    case CUSPARSE_SPMV_COO_ALG1:
    case CUSPARSE_SPMV_COO_ALG2:
        return 1u << CUSPARSE_FORMAT_COO;
    case CUSPARSE_SPMV_CSR_ALG1:
    case CUSPARSE_SPMV_CSR_ALG2:
        return 1u << CUSPARSE_FORMAT_CSR | 1u << CUSPARSE_FORMAT_CSC;
    case CUSPARSE_SPMV_SELL_ALG1:
        return 1u << CUSPARSE_FORMAT_SLICED_ELLPACK;
    case CUSPARSE_SPMV_BSR_ALG1:
        return 1u << CUSPARSE_FORMAT_BSR;
    default:
        return 0;
    }
}

static unsigned spmm_formats(cusparseSpMMAlg_t algorithm)
{
    switch (algorithm) {
    case CUSPARSE_SPMM_ALG_DEFAULT:
        return FORMATS_MASK_ALL & ~(1u << CUSPARSE_FORMAT_SLICED_ELLPACK);
    case CUSPARSE_SPMM_COO_ALG1:
    case CUSPARSE_SPMM_COO_ALG2:
    case CUSPARSE_SPMM_COO_ALG3:
    case CUSPARSE_SPMM_COO_ALG4:
        return 1u << CUSPARSE_FORMAT_COO;
    case CUSPARSE_SPMM_CSR_ALG1:
    case CUSPARSE_SPMM_CSR_ALG2:
    case CUSPARSE_SPMM_CSR_ALG3:
        return 1u << CUSPARSE_FORMAT_CSR | 1u << CUSPARSE_FORMAT_CSC;
    case CUSPARSE_SPMM_BLOCKED_ELL_ALG1:
        return 1u << CUSPARSE_FORMAT_BLOCKED_ELL;
    case CUSPARSE_SPMM_BSR_ALG1:
        return 1u << CUSPARSE_FORMAT_BSR;
    default:
        return 0;
    }
}

/* A vector as matrix of one column. */
static struct cusparseDnMatDescr column_of(const struct cusparseDnVecDescr *vector)
{
    return (struct cusparseDnMatDescr){.rows = vector->size,
                                       .cols = 1,
                                       .ld = vector->size,
                                       .values = vector->values,
                                       .type = vector->type,
                                       .order = CUSPARSE_ORDER_COL,
                                       .batch_count = 1};
}

static bool sizes_fit(const struct sparse_product *product)
{
    bool flips_a = product->op_a != 0, flips_x = product->op_x != 0;
    int64_t rows = flips_a ? product->a.cols : product->a.rows;
    int64_t inner = flips_a ? product->a.rows : product->a.cols;

    return product->y.rows == rows && (flips_x ? product->x.cols : product->x.rows) == inner &&
           (flips_x ? product->x.rows : product->x.cols) == product->y.cols;
}

/* Checks what SpMV and SpMM have in common; `formats` are those of the algorithm. */
static cusparseStatus_t check_product(const struct sparse_product *product, unsigned formats,
                                      unsigned kind)
{
    if (!formats || !sizes_fit(product))
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (!(formats >> product->a.format & 1))
        return CUSPARSE_STATUS_NOT_SUPPORTED;
    if (product->a.index_type == CUSPARSE_INDEX_16U || product->a.offset_type == CUSPARSE_INDEX_16U)
        return CUSPARSE_STATUS_NOT_SUPPORTED;
    if (!types_fit(product, kind))
        return CUSPARSE_STATUS_NOT_SUPPORTED;
    return CUSPARSE_STATUS_SUCCESS;
}

static cusparseStatus_t submit_product(cusparseHandle_t handle, const char *name,
                                       const struct sparse_product *product)
{
    struct sparse_ranges ranges = {.count = 0};
    int64_t elements = product->a.nnz * product->y.cols + product->y.rows * product->y.cols;

    sparse_add_scalar(&ranges, &product->alpha, product->scalars);
    sparse_add_scalar(&ranges, &product->beta, product->scalars);
    sparse_add_sp_mat(&ranges, &product->a);
    sparse_add_dn_mat(&ranges, &product->x);
    sparse_update_dn_mat(&ranges, &product->y, &product->beta, product->scalars);
    return sparse_submit(handle, name, elements * 2 * product->y.batch_count, &ranges,
                         sparse_product_run, product, sizeof(*product));
}

static cusparseStatus_t prepare_spmv(struct sparse_product *product, cusparseHandle_t handle,
                                     cusparseOperation_t opA, const void *alpha,
                                     cusparseConstSpMatDescr_t matA, cusparseConstDnVecDescr_t vecX,
                                     const void *beta, cusparseDnVecDescr_t vecY,
                                     cudaDataType computeType, cusparseSpMVAlg_t alg)
{
    if (!sparse_is_handle(handle) || !sparse_is_operation(opA) || !alpha || !beta ||
        !sparse_is_sp_mat(matA) || !sparse_is_dn_vec(vecX) || !sparse_is_dn_vec(vecY))
        return CUSPARSE_STATUS_INVALID_VALUE;
    *product = (struct sparse_product){.a = *matA,
                                       .x = column_of(vecX),
                                       .y = column_of(vecY),
                                       .op_a = opA,
                                       .alpha = sparse_scalar(handle, alpha, computeType),
                                       .beta = sparse_scalar(handle, beta, computeType),
                                       .scalars = computeType,
                                       .computed = sparse_compute_type(computeType)};
    return check_product(product, spmv_formats(alg), V);
}

cusparseStatus_t cusparseSpMV_bufferSize(cusparseHandle_t handle, cusparseOperation_t opA,
                                         const void *alpha, cusparseConstSpMatDescr_t matA,
                                         cusparseConstDnVecDescr_t vecX, const void *beta,
                                         cusparseDnVecDescr_t vecY, cudaDataType computeType,
                                         cusparseSpMVAlg_t alg, size_t *bufferSize)
{
    struct sparse_product product;
    cusparseStatus_t status;

    if (!bufferSize)
        return CUSPARSE_STATUS_INVALID_VALUE;
    status = prepare_spmv(&product, handle, opA, alpha, matA, vecX, beta, vecY, computeType, alg);
    if (status == CUSPARSE_STATUS_SUCCESS)
        *bufferSize = BUFFER_BYTES;
    return status;
}

cusparseStatus_t cusparseSpMV_preprocess(cusparseHandle_t handle, cusparseOperation_t opA,
                                         const void *alpha, cusparseConstSpMatDescr_t matA,
                                         cusparseConstDnVecDescr_t vecX, const void *beta,
                                         cusparseDnVecDescr_t vecY, cudaDataType computeType,
                                         cusparseSpMVAlg_t alg, void *buffer)
{
    struct sparse_product product;

    (void)buffer;
    return prepare_spmv(&product, handle, opA, alpha, matA, vecX, beta, vecY, computeType, alg);
}

cusparseStatus_t cusparseSpMV(cusparseHandle_t handle, cusparseOperation_t opA, const void *alpha,
                              cusparseConstSpMatDescr_t matA, cusparseConstDnVecDescr_t vecX,
                              const void *beta, cusparseDnVecDescr_t vecY, cudaDataType computeType,
                              cusparseSpMVAlg_t alg, void *buffer)
{
    struct sparse_product product;
    cusparseStatus_t status =
        prepare_spmv(&product, handle, opA, alpha, matA, vecX, beta, vecY, computeType, alg);

    (void)buffer;
    if (status != CUSPARSE_STATUS_SUCCESS)
        return status;
    return submit_product(handle, "cusparseSpMV", &product);
}

/* A batch of products has as many results as the largest batch of its operands; an operand of one
 * matrix serves them all. */
static bool batches_fit(const struct sparse_product *product)
{
    int count = product->y.batch_count;

    return (product->a.batch_count == 1 || product->a.batch_count == count) &&
           (product->x.batch_count == 1 || product->x.batch_count == count);
}

static cusparseStatus_t prepare_spmm(struct sparse_product *product, cusparseHandle_t handle,
                                     cusparseOperation_t opA, cusparseOperation_t opB,
                                     const void *alpha, cusparseConstSpMatDescr_t matA,
                                     cusparseConstDnMatDescr_t matB, const void *beta,
                                     cusparseDnMatDescr_t matC, cudaDataType computeType,
                                     cusparseSpMMAlg_t alg)
{
    if (!sparse_is_handle(handle) || !sparse_is_operation(opA) || !sparse_is_operation(opB) ||
        !alpha || !beta || !sparse_is_sp_mat(matA) || !sparse_is_dn_mat(matB) ||
        !sparse_is_dn_mat(matC))
        return CUSPARSE_STATUS_INVALID_VALUE;
    *product = (struct sparse_product){.a = *matA,
                                       .x = *matB,
                                       .y = *matC,
                                       .op_a = opA,
                                       .op_x = opB,
                                       .alpha = sparse_scalar(handle, alpha, computeType),
                                       .beta = sparse_scalar(handle, beta, computeType),
                                       .scalars = computeType,
                                       .computed = sparse_compute_type(computeType)};
    if (!batches_fit(product))
        return CUSPARSE_STATUS_INVALID_VALUE;
    return check_product(product, spmm_formats(alg), spmm_kind(matA->format));
}

cusparseStatus_t cusparseSpMM_bufferSize(cusparseHandle_t handle, cusparseOperation_t opA,
                                         cusparseOperation_t opB, const void *alpha,
                                         cusparseConstSpMatDescr_t matA,
                                         cusparseConstDnMatDescr_t matB, const void *beta,
                                         cusparseDnMatDescr_t matC, cudaDataType computeType,
                                         cusparseSpMMAlg_t alg, size_t *bufferSize)
{
    struct sparse_product product;
    cusparseStatus_t status;

    if (!bufferSize)
        return CUSPARSE_STATUS_INVALID_VALUE;
    status =
        prepare_spmm(&product, handle, opA, opB, alpha, matA, matB, beta, matC, computeType, alg);
    if (status == CUSPARSE_STATUS_SUCCESS)
        *bufferSize = BUFFER_BYTES;
    return status;
}

cusparseStatus_t cusparseSpMM_preprocess(cusparseHandle_t handle, cusparseOperation_t opA,
                                         cusparseOperation_t opB, const void *alpha,
                                         cusparseConstSpMatDescr_t matA,
                                         cusparseConstDnMatDescr_t matB, const void *beta,
                                         cusparseDnMatDescr_t matC, cudaDataType computeType,
                                         cusparseSpMMAlg_t alg, void *buffer)
{
    struct sparse_product product;

    (void)buffer;
    return prepare_spmm(&product, handle, opA, opB, alpha, matA, matB, beta, matC, computeType,
                        alg);
}

cusparseStatus_t cusparseSpMM(cusparseHandle_t handle, cusparseOperation_t opA,
                              cusparseOperation_t opB, const void *alpha,
                              cusparseConstSpMatDescr_t matA, cusparseConstDnMatDescr_t matB,
                              const void *beta, cusparseDnMatDescr_t matC, cudaDataType computeType,
                              cusparseSpMMAlg_t alg, void *buffer)
{
    struct sparse_product product;
    cusparseStatus_t status =
        prepare_spmm(&product, handle, opA, opB, alpha, matA, matB, beta, matC, computeType, alg);

    (void)buffer;
    if (status != CUSPARSE_STATUS_SUCCESS)
        return status;
    return submit_product(handle, "cusparseSpMM", &product);
}

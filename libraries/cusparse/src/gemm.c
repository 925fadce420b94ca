/* SPDX-License-Identifier: MIT */
/* SpGEMM. The product is made in memory of the library, by the call that must tell the host its
 * number of nonzeros, and copied when the program has arrays for it. The program's buffers are not
 * used; their sizes are a few bytes. */
#include "gemm_run.h"

#include <stdlib.h>

enum { BUFFER_BYTES = 8 };

struct cusparseSpGEMMDescr {
    struct lib_object base;
    struct sparse_gemm_result *result;
    int64_t products;
};

static void finish(void *object)
{
    sparse_gemm_release(((struct cusparseSpGEMMDescr *)object)->result);
}

static const struct lib_object_type gemm_type = {.bytes = sizeof(struct cusparseSpGEMMDescr),
                                                 .finish = finish};

cusparseStatus_t cusparseSpGEMM_createDescr(cusparseSpGEMMDescr_t *descr)
{
    struct cusparseSpGEMMDescr *created;

    if (!descr)
        return CUSPARSE_STATUS_INVALID_VALUE;
    created = lib_object_create(&gemm_type);
    if (!created)
        return CUSPARSE_STATUS_ALLOC_FAILED;
    *descr = created;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpGEMM_destroyDescr(cusparseSpGEMMDescr_t descr)
{
    if (!descr || lib_object_destroy(descr, &gemm_type))
        return CUSPARSE_STATUS_SUCCESS;
    return CUSPARSE_STATUS_INVALID_VALUE;
}

static bool is_algorithm(cusparseSpGEMMAlg_t algorithm)
{
    return (unsigned)algorithm <= CUSPARSE_SPGEMM_ALG3;
}

static bool is_type(cudaDataType type, cudaDataType computed)
{
    return type != CUDA_R_8I && type != CUDA_R_32I &&
           (computed == type || computed == sparse_compute_type(type));
}

static cusparseStatus_t check_matrices(cusparseHandle_t handle, cusparseOperation_t opA,
                                       cusparseOperation_t opB, cusparseConstSpMatDescr_t a,
                                       cusparseConstSpMatDescr_t b, cusparseConstSpMatDescr_t c,
                                       cudaDataType computed, cusparseSpGEMMAlg_t algorithm,
                                       cusparseSpGEMMDescr_t descr)
{
    if (!sparse_is_handle(handle) || !sparse_is_operation(opA) || !sparse_is_operation(opB) ||
        !sparse_is_sp_mat(a) || !sparse_is_sp_mat(b) || !sparse_is_sp_mat(c) ||
        !is_algorithm(algorithm) || !lib_object_is(descr, &gemm_type))
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (opA != CUSPARSE_OPERATION_NON_TRANSPOSE || opB != CUSPARSE_OPERATION_NON_TRANSPOSE ||
        a->format != CUSPARSE_FORMAT_CSR || b->format != CUSPARSE_FORMAT_CSR ||
        c->format != CUSPARSE_FORMAT_CSR)
        return CUSPARSE_STATUS_NOT_SUPPORTED;
    if (a->cols != b->rows || a->rows != c->rows || b->cols != c->cols)
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (a->type != b->type || a->type != c->type || !is_type(a->type, computed) ||
        a->index_type == CUSPARSE_INDEX_16U || a->offset_type == CUSPARSE_INDEX_16U)
        return CUSPARSE_STATUS_NOT_SUPPORTED;
    return CUSPARSE_STATUS_SUCCESS;
}

static struct sparse_gemm describe(cusparseHandle_t handle, const void *alpha,
                                   cusparseConstSpMatDescr_t a, cusparseConstSpMatDescr_t b,
                                   const void *beta, cusparseConstSpMatDescr_t c, cudaDataType type)
{
    struct sparse_gemm gemm = {
        .a = *a, .b = *b, .c = *c, .scalars = type, .computed = sparse_compute_type(a->type)};

    gemm.alpha = sparse_scalar(handle, alpha, type);
    gemm.beta = sparse_scalar(handle, beta, type);
    return gemm;
}

static void add_factors(struct sparse_ranges *ranges, const struct sparse_gemm *gemm)
{
    sparse_add_scalar(ranges, &gemm->alpha, gemm->scalars);
    sparse_add_sp_mat(ranges, &gemm->a);
    sparse_add_sp_mat(ranges, &gemm->b);
}

/* Makes the product and tells matrix c its number of nonzeros. */
static cusparseStatus_t make(cusparseHandle_t handle, const char *name, struct sparse_gemm *gemm,
                             cusparseSpGEMMDescr_t descr, cusparseSpMatDescr_t c)
{
    struct sparse_ranges ranges = {.count = 0};
    cusparseStatus_t status;

    add_factors(&ranges, gemm);
    status = sparse_submit_wait(handle, name, (gemm->a.nnz + gemm->b.nnz) * 64, &ranges,
                                sparse_gemm_run, gemm);
    if (status != CUSPARSE_STATUS_SUCCESS || !gemm->result)
        return status;
    sparse_gemm_release(descr->result);
    descr->result = gemm->result;
    descr->products = gemm->result->products;
    c->nnz = gemm->result->nnz;
    return status;
}

/* Answers the size of a buffer; returns true if the program has none yet and only asks. */
static bool only_asks(size_t *size, const void *buffer)
{
    if (!buffer)
        *size = BUFFER_BYTES;
    return !buffer;
}

cusparseStatus_t cusparseSpGEMM_workEstimation(
    cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB, const void *alpha,
    cusparseConstSpMatDescr_t matA, cusparseConstSpMatDescr_t matB, const void *beta,
    cusparseSpMatDescr_t matC, cudaDataType computeType, cusparseSpGEMMAlg_t alg,
    cusparseSpGEMMDescr_t spgemmDescr, size_t *bufferSize1, void *externalBuffer1)
{
    struct sparse_gemm gemm;
    cusparseStatus_t status =
        check_matrices(handle, opA, opB, matA, matB, matC, computeType, alg, spgemmDescr);

    if (!alpha || !beta || !bufferSize1)
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (status != CUSPARSE_STATUS_SUCCESS || only_asks(bufferSize1, externalBuffer1))
        return status;
    /* The number of products is known after the estimation. */
    gemm = describe(handle, alpha, matA, matB, beta, matC, computeType);
    gemm.structure_only = true;
    return make(handle, "cusparseSpGEMM_workEstimation", &gemm, spgemmDescr, matC);
}

cusparseStatus_t cusparseSpGEMM_getNumProducts(cusparseSpGEMMDescr_t spgemmDescr,
                                               int64_t *num_prods)
{
    if (!lib_object_is(spgemmDescr, &gemm_type) || !num_prods)
        return CUSPARSE_STATUS_INVALID_VALUE;
    *num_prods = spgemmDescr->products;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpGEMM_estimateMemory(
    cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB, const void *alpha,
    cusparseConstSpMatDescr_t matA, cusparseConstSpMatDescr_t matB, const void *beta,
    cusparseSpMatDescr_t matC, cudaDataType computeType, cusparseSpGEMMAlg_t alg,
    cusparseSpGEMMDescr_t spgemmDescr, float chunk_fraction, size_t *bufferSize3,
    void *externalBuffer3, size_t *bufferSize2)
{
    cusparseStatus_t status =
        check_matrices(handle, opA, opB, matA, matB, matC, computeType, alg, spgemmDescr);

    if (!alpha || !beta || !bufferSize3)
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (status != CUSPARSE_STATUS_SUCCESS)
        return status;
    if (alg != CUSPARSE_SPGEMM_ALG2 && alg != CUSPARSE_SPGEMM_ALG3)
        return CUSPARSE_STATUS_NOT_SUPPORTED;
    if (!(chunk_fraction > 0 && chunk_fraction <= 1))
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (only_asks(bufferSize3, externalBuffer3))
        return status;
    if (!bufferSize2)
        return CUSPARSE_STATUS_INVALID_VALUE;
    *bufferSize2 = BUFFER_BYTES;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpGEMM_compute(cusparseHandle_t handle, cusparseOperation_t opA,
                                        cusparseOperation_t opB, const void *alpha,
                                        cusparseConstSpMatDescr_t matA,
                                        cusparseConstSpMatDescr_t matB, const void *beta,
                                        cusparseSpMatDescr_t matC, cudaDataType computeType,
                                        cusparseSpGEMMAlg_t alg, cusparseSpGEMMDescr_t spgemmDescr,
                                        size_t *bufferSize2, void *externalBuffer2)
{
    struct sparse_gemm gemm;
    cusparseStatus_t status =
        check_matrices(handle, opA, opB, matA, matB, matC, computeType, alg, spgemmDescr);

    if (!alpha || !beta || !bufferSize2)
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (status != CUSPARSE_STATUS_SUCCESS || only_asks(bufferSize2, externalBuffer2))
        return status;
    gemm = describe(handle, alpha, matA, matB, beta, matC, computeType);
    return make(handle, "cusparseSpGEMM_compute", &gemm, spgemmDescr, matC);
}

struct copy_work {
    struct sparse_gemm_result *result;
    struct cusparseSpMatDescr to;
    struct sparse_scalar beta;
    cudaDataType beta_type;
};

static CUresult copy_run(void *arguments)
{
    const struct copy_work *work = arguments;
    const struct sparse_gemm_result *result = work->result;
    const struct cusparseSpMatDescr *to = &work->to;
    struct sparse_number beta = sparse_scalar_value(&work->beta, work->beta_type);

    for (int64_t i = 0; i <= result->rows; i++)
        sparse_set_index(to->offset_type, to->offsets, i, result->offsets[i] + to->index_base);
    for (int64_t i = 0; i < result->nnz; i++)
        sparse_set_index(to->index_type, to->indices, i, result->indices[i] + to->index_base);
    if (result->values && sparse_is_zero(beta)) {
        sparse_convert(to->type, to->values, result->type, result->values, result->nnz);
        return CUDA_SUCCESS;
    }
    for (int64_t i = 0; result->values && i < result->nnz; i++)
        sparse_store(to->type, to->values, i,
                     sparse_plus(sparse_load(result->type, result->values, i),
                                 sparse_times(beta, sparse_load(to->type, to->values, i))));
    return CUDA_SUCCESS;
}

static void copy_release(void *arguments)
{
    struct copy_work *work = arguments;

    sparse_gemm_release(work->result);
    free(work);
}

static cusparseStatus_t submit_copy(cusparseHandle_t handle, const char *name,
                                    cusparseSpGEMMDescr_t descr, cusparseConstSpMatDescr_t c,
                                    const void *beta, cudaDataType type)
{
    struct sparse_ranges ranges = {.count = 0};
    struct copy_work *work;

    if (!descr->result || c->nnz != descr->result->nnz)
        return CUSPARSE_STATUS_INVALID_VALUE;
    work = calloc(1, sizeof(*work));
    if (!work)
        return CUSPARSE_STATUS_ALLOC_FAILED;
    work->result = descr->result;
    atomic_fetch_add(&descr->result->references, 1);
    work->to = *c;
    work->beta = sparse_scalar(handle, beta, type);
    work->beta_type = type;
    if (beta && !sparse_scalar_is_zero(&work->beta, type))
        sparse_add(&ranges,
                   lib_partly(lib_read(c->values, (size_t)c->nnz * sparse_bytes(c->type))));
    sparse_writes(&ranges, c->offsets, c->rows + 1, sparse_index_bytes(c->offset_type));
    sparse_writes(&ranges, c->indices, c->nnz, sparse_index_bytes(c->index_type));
    if (descr->result->values)
        sparse_writes(&ranges, c->values, c->nnz, sparse_bytes(c->type));
    return sparse_submit_owned(handle, name, c->nnz * 4, &ranges, copy_run, copy_release, work);
}

cusparseStatus_t cusparseSpGEMM_copy(cusparseHandle_t handle, cusparseOperation_t opA,
                                     cusparseOperation_t opB, const void *alpha,
                                     cusparseConstSpMatDescr_t matA, cusparseConstSpMatDescr_t matB,
                                     const void *beta, cusparseSpMatDescr_t matC,
                                     cudaDataType computeType, cusparseSpGEMMAlg_t alg,
                                     cusparseSpGEMMDescr_t spgemmDescr)
{
    cusparseStatus_t status =
        check_matrices(handle, opA, opB, matA, matB, matC, computeType, alg, spgemmDescr);

    if (!alpha || !beta)
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (status != CUSPARSE_STATUS_SUCCESS)
        return status;
    return submit_copy(handle, "cusparseSpGEMM_copy", spgemmDescr, matC, beta, computeType);
}

cusparseStatus_t
cusparseSpGEMMreuse_workEstimation(cusparseHandle_t handle, cusparseOperation_t opA,
                                   cusparseOperation_t opB, cusparseConstSpMatDescr_t matA,
                                   cusparseConstSpMatDescr_t matB, cusparseSpMatDescr_t matC,
                                   cusparseSpGEMMAlg_t alg, cusparseSpGEMMDescr_t spgemmDescr,
                                   size_t *bufferSize1, void *externalBuffer1)
{
    cusparseStatus_t status =
        check_matrices(handle, opA, opB, matA, matB, matC,
                       sparse_is_sp_mat(matA) ? matA->type : CUDA_R_32F, alg, spgemmDescr);

    if (!bufferSize1)
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (status == CUSPARSE_STATUS_SUCCESS)
        only_asks(bufferSize1, externalBuffer1);
    return status;
}

cusparseStatus_t cusparseSpGEMMreuse_nnz(cusparseHandle_t handle, cusparseOperation_t opA,
                                         cusparseOperation_t opB, cusparseConstSpMatDescr_t matA,
                                         cusparseConstSpMatDescr_t matB, cusparseSpMatDescr_t matC,
                                         cusparseSpGEMMAlg_t alg, cusparseSpGEMMDescr_t spgemmDescr,
                                         size_t *bufferSize2, void *externalBuffer2,
                                         size_t *bufferSize3, void *externalBuffer3,
                                         size_t *bufferSize4, void *externalBuffer4)
{
    struct sparse_gemm gemm;
    bool asks = !externalBuffer2 || !externalBuffer3 || !externalBuffer4;
    cusparseStatus_t status =
        check_matrices(handle, opA, opB, matA, matB, matC,
                       sparse_is_sp_mat(matA) ? matA->type : CUDA_R_32F, alg, spgemmDescr);

    if (!bufferSize2 || !bufferSize3 || !bufferSize4)
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (status != CUSPARSE_STATUS_SUCCESS)
        return status;
    only_asks(bufferSize2, externalBuffer2);
    only_asks(bufferSize3, externalBuffer3);
    only_asks(bufferSize4, externalBuffer4);
    if (asks)
        return status;
    gemm = describe(handle, NULL, matA, matB, NULL, matC, matA->type);
    gemm.alpha.device = gemm.beta.device = NULL;
    gemm.structure_only = true;
    return make(handle, "cusparseSpGEMMreuse_nnz", &gemm, spgemmDescr, matC);
}

cusparseStatus_t cusparseSpGEMMreuse_copy(cusparseHandle_t handle, cusparseOperation_t opA,
                                          cusparseOperation_t opB, cusparseConstSpMatDescr_t matA,
                                          cusparseConstSpMatDescr_t matB, cusparseSpMatDescr_t matC,
                                          cusparseSpGEMMAlg_t alg,
                                          cusparseSpGEMMDescr_t spgemmDescr, size_t *bufferSize5,
                                          void *externalBuffer5)
{
    cusparseStatus_t status =
        check_matrices(handle, opA, opB, matA, matB, matC,
                       sparse_is_sp_mat(matA) ? matA->type : CUDA_R_32F, alg, spgemmDescr);

    if (!bufferSize5)
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (status != CUSPARSE_STATUS_SUCCESS || only_asks(bufferSize5, externalBuffer5))
        return status;
    return submit_copy(handle, "cusparseSpGEMMreuse_copy", spgemmDescr, matC, NULL, matC->type);
}

cusparseStatus_t cusparseSpGEMMreuse_compute(cusparseHandle_t handle, cusparseOperation_t opA,
                                             cusparseOperation_t opB, const void *alpha,
                                             cusparseConstSpMatDescr_t matA,
                                             cusparseConstSpMatDescr_t matB, const void *beta,
                                             cusparseSpMatDescr_t matC, cudaDataType computeType,
                                             cusparseSpGEMMAlg_t alg,
                                             cusparseSpGEMMDescr_t spgemmDescr)
{
    struct sparse_ranges ranges = {.count = 0};
    struct sparse_gemm gemm;
    cusparseStatus_t status =
        check_matrices(handle, opA, opB, matA, matB, matC, computeType, alg, spgemmDescr);

    if (!alpha || !beta)
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (status != CUSPARSE_STATUS_SUCCESS)
        return status;
    gemm = describe(handle, alpha, matA, matB, beta, matC, computeType);
    add_factors(&ranges, &gemm);
    sparse_add_scalar(&ranges, &gemm.beta, gemm.scalars);
    sparse_reads(&ranges, matC->offsets, matC->rows + 1, sparse_index_bytes(matC->offset_type));
    sparse_reads(&ranges, matC->indices, matC->nnz, sparse_index_bytes(matC->index_type));
    if (!sparse_scalar_is_zero(&gemm.beta, gemm.scalars))
        sparse_reads(&ranges, matC->values, matC->nnz, sparse_bytes(matC->type));
    sparse_writes(&ranges, matC->values, matC->nnz, sparse_bytes(matC->type));
    return sparse_submit(handle, "cusparseSpGEMMreuse_compute",
                         (matA->nnz + matB->nnz + matC->nnz) * 16, &ranges, sparse_gemm_again_run,
                         &gemm, sizeof(gemm));
}

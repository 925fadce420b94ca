/* SPDX-License-Identifier: MIT */
/* Products of the functions with a letter: BSR with vectors and matrices, and a dense matrix with a
 * sparse vector. */
#include "legacy/legacy.h"
#include "product_run.h"

#include <stdlib.h>

static struct cusparseDnMatDescr dense(cudaDataType type, const void *values, int64_t rows,
                                       int64_t cols, int64_t ld)
{
    return (struct cusparseDnMatDescr){.rows = rows,
                                       .cols = cols,
                                       .ld = ld,
                                       .values = (void *)values,
                                       .type = type,
                                       .order = CUSPARSE_ORDER_COL,
                                       .batch_count = 1};
}

static cusparseStatus_t submit(cusparseHandle_t handle, const char *name,
                               struct sparse_product *product, const void *alpha, const void *beta)
{
    struct sparse_ranges ranges = {.count = 0};

    if (!alpha || !beta)
        return CUSPARSE_STATUS_INVALID_VALUE;
    product->alpha = sparse_scalar(handle, alpha, product->computed);
    product->beta = sparse_scalar(handle, beta, product->computed);
    sparse_add_scalar(&ranges, &product->alpha, product->computed);
    sparse_add_scalar(&ranges, &product->beta, product->computed);
    sparse_add_sp_mat(&ranges, &product->a);
    sparse_add_dn_mat(&ranges, &product->x);
    sparse_update_dn_mat(&ranges, &product->y, &product->beta, product->computed);
    return sparse_submit(handle, name, product->a.nnz * product->y.cols * 4, &ranges,
                         sparse_product_run, product, sizeof(*product));
}

/* Products with BSR: y is a matrix of `n` columns. */
static cusparseStatus_t bsrmm(cusparseHandle_t handle, const char *name, cudaDataType type,
                              cusparseDirection_t direction, cusparseOperation_t op_a,
                              cusparseOperation_t op_b, int mb, int n, int kb, int nnzb,
                              const void *alpha, const struct cusparseMatDescr *descr,
                              const void *values, const int *offsets, const int *indices, int block,
                              const void *b, int64_t ldb, const void *beta, void *c, int64_t ldc)
{
    cusparseStatus_t status = sparse_check(handle, descr, mb, kb, nnzb);
    struct sparse_product product;
    int64_t rows = (int64_t)(op_a ? kb : mb) * block, inner = (int64_t)(op_a ? mb : kb) * block;

    if (status != CUSPARSE_STATUS_SUCCESS)
        return status;
    if (n < 0 || block <= 0 || !sparse_is_operation(op_a) || !sparse_is_operation(op_b) ||
        (unsigned)direction > CUSPARSE_DIRECTION_COLUMN || ldb < (op_b ? n : inner) || ldc < rows)
        return CUSPARSE_STATUS_INVALID_VALUE;
    product = (struct sparse_product){.a = sparse_bsr(descr, type, direction, block, block, mb, kb,
                                                      nnzb, values, offsets, indices),
                                      .x = dense(type, b, op_b ? n : inner, op_b ? inner : n, ldb),
                                      .y = dense(type, c, rows, n, ldc),
                                      .op_a = op_a,
                                      .op_x = op_b,
                                      .scalars = type,
                                      .computed = type};
    return submit(handle, name, &product, alpha, beta);
}

/* bsrxmv: the product for some block rows, which a mask names; the others of y stay. */
struct masked_work {
    struct sparse_product product;
    const int *mask, *begins, *ends;
    int count;
};

static CUresult masked_run(void *arguments)
{
    struct masked_work *work = arguments;
    struct cusparseSpMatDescr *a = &work->product.a;
    int64_t base = a->index_base, block = a->block_rows;
    CUresult result = CUDA_SUCCESS;

    for (int i = 0; i < work->count && result == CUDA_SUCCESS; i++) {
        int64_t row = work->mask[i] - base;
        int offsets[2] = {work->begins[row], work->ends[row]};
        struct sparse_product one = work->product;

        one.a.rows = block;
        one.a.offsets = offsets;
        one.a.nnz = (offsets[1] - offsets[0]) * block * block;
        one.y.rows = one.y.ld = block;
        one.y.values = sparse_at(one.y.values, row * block, sparse_bytes(one.y.type));
        result = sparse_product_run(&one);
    }
    return result;
}

static cusparseStatus_t
bsrxmv(cusparseHandle_t handle, const char *name, cudaDataType type, cusparseDirection_t direction,
       cusparseOperation_t op, int count, int mb, int nb, int nnzb, const void *alpha,
       const struct cusparseMatDescr *descr, const void *values, const int *mask, const int *begins,
       const int *ends, const int *indices, int block, const void *x, const void *beta, void *y)
{
    cusparseStatus_t status = sparse_check(handle, descr, mb, nb, nnzb);
    struct sparse_ranges ranges = {.count = 0};
    size_t bytes = sparse_bytes(type);
    struct masked_work work;

    if (status != CUSPARSE_STATUS_SUCCESS)
        return status;
    if (count < 0 || block <= 0 || !alpha || !beta)
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (op != CUSPARSE_OPERATION_NON_TRANSPOSE || block == 1)
        return CUSPARSE_STATUS_NOT_SUPPORTED;
    work = (struct masked_work){
        .product = {.a = sparse_bsr(descr, type, direction, block, block, mb, nb, nnzb, values,
                                    begins, indices),
                    .x = dense(type, x, (int64_t)nb * block, 1, (int64_t)nb * block),
                    .y = dense(type, y, (int64_t)mb * block, 1, (int64_t)mb * block),
                    .alpha = sparse_scalar(handle, alpha, type),
                    .beta = sparse_scalar(handle, beta, type),
                    .scalars = type,
                    .computed = type},
        .mask = mask,
        .begins = begins,
        .ends = ends,
        .count = count};
    sparse_add_scalar(&ranges, &work.product.alpha, type);
    sparse_add_scalar(&ranges, &work.product.beta, type);
    sparse_reads(&ranges, mask, count, sizeof(int));
    sparse_reads(&ranges, begins, mb, sizeof(int));
    sparse_reads(&ranges, ends, mb, sizeof(int));
    sparse_reads(&ranges, indices, nnzb, sizeof(int));
    sparse_reads(&ranges, values, work.product.a.nnz, bytes);
    sparse_reads(&ranges, x, (int64_t)nb * block, bytes);
    sparse_add(&ranges, lib_partly(lib_read(y, (size_t)((int64_t)mb * block) * bytes)));
    sparse_writes_some(&ranges, y, (int64_t)mb * block, bytes);
    return sparse_submit(handle, name, work.product.a.nnz * 4, &ranges, masked_run, &work,
                         sizeof(work));
}

/* gemvi: y = alpha * op(A) * x + beta * y with a sparse vector x. A column of A is added for each
 * nonzero: it is the product of the transposed dense matrix, from the sparse side. */
struct gemvi_work {
    cudaDataType type;
    cusparseOperation_t op;
    int64_t m, n, lda, nnz, index_base;
    struct sparse_scalar alpha, beta;
    const void *a, *x;
    const int *indices;
    void *y;
};

static CUresult gemvi_run(void *arguments)
{
    const struct gemvi_work *work = arguments;
    struct sparse_number alpha = sparse_scalar_value(&work->alpha, work->type);
    struct sparse_number beta = sparse_scalar_value(&work->beta, work->type);
    int64_t rows = work->op ? work->n : work->m;

    for (int64_t i = 0; i < rows; i++) {
        struct sparse_number sum = {0, 0};

        for (int64_t k = 0; k < work->nnz; k++) {
            int64_t j = work->indices[k] - work->index_base;
            struct sparse_number a =
                sparse_load(work->type, work->a, work->op ? j + i * work->lda : i + j * work->lda);

            a.im = work->op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE ? -a.im : a.im;
            sum = sparse_plus(sum, sparse_times(a, sparse_load(work->type, work->x, k)));
        }
        sum = sparse_times(alpha, sum);
        if (!sparse_is_zero(beta))
            sum = sparse_plus(sum, sparse_times(beta, sparse_load(work->type, work->y, i)));
        sparse_store(work->type, work->y, i, sum);
    }
    return CUDA_SUCCESS;
}

static cusparseStatus_t gemvi(cusparseHandle_t handle, const char *name, cudaDataType type,
                              cusparseOperation_t op, int m, int n, const void *alpha,
                              const void *a, int lda, int nnz, const void *x, const int *indices,
                              const void *beta, void *y, cusparseIndexBase_t index_base)
{
    cusparseStatus_t status = sparse_check_handle(handle, m, n, nnz);
    struct sparse_ranges ranges = {.count = 0};
    size_t bytes = sparse_bytes(type);
    struct gemvi_work work;

    if (status != CUSPARSE_STATUS_SUCCESS)
        return status;
    if (!sparse_is_operation(op) || lda < m || !alpha || !beta ||
        (unsigned)index_base > CUSPARSE_INDEX_BASE_ONE)
        return CUSPARSE_STATUS_INVALID_VALUE;
    work = (struct gemvi_work){.type = type,
                               .op = op,
                               .m = m,
                               .n = n,
                               .lda = lda,
                               .nnz = nnz,
                               .index_base = index_base,
                               .alpha = sparse_scalar(handle, alpha, type),
                               .beta = sparse_scalar(handle, beta, type),
                               .a = a,
                               .x = x,
                               .indices = indices,
                               .y = y};
    sparse_add_scalar(&ranges, &work.alpha, type);
    sparse_add_scalar(&ranges, &work.beta, type);
    sparse_add(&ranges,
               lib_partly(lib_read_pieces(a, (size_t)m * bytes, (size_t)n, (size_t)lda * bytes)));
    sparse_reads(&ranges, x, nnz, bytes);
    sparse_reads(&ranges, indices, nnz, sizeof(int));
    if (!sparse_scalar_is_zero(&work.beta, type))
        sparse_reads(&ranges, y, op ? n : m, bytes);
    sparse_writes(&ranges, y, op ? n : m, bytes);
    return sparse_submit(handle, name, (int64_t)(op ? n : m) * nnz * 8, &ranges, gemvi_run, &work,
                         sizeof(work));
}

#define PRODUCTS(letter, ctype, type)                                                              \
    cusparseStatus_t cusparse##letter##bsrmv(                                                      \
        cusparseHandle_t handle, cusparseDirection_t dirA, cusparseOperation_t transA, int mb,     \
        int nb, int nnzb, const ctype *alpha, const cusparseMatDescr_t descrA,                     \
        const ctype *bsrValA, const int *bsrRowPtrA, const int *bsrColIndA, int blockDim,          \
        const ctype *x, const ctype *beta, ctype *y)                                               \
    {                                                                                              \
        return bsrmm(handle, "cusparse" #letter "bsrmv", type, dirA, transA,                       \
                     CUSPARSE_OPERATION_NON_TRANSPOSE, mb, 1, nb, nnzb, alpha, descrA, bsrValA,    \
                     bsrRowPtrA, bsrColIndA, blockDim, x, (int64_t)(transA ? mb : nb) * blockDim,  \
                     beta, y, (int64_t)(transA ? nb : mb) * blockDim);                             \
    }                                                                                              \
    cusparseStatus_t cusparse##letter##bsrmm(                                                      \
        cusparseHandle_t handle, cusparseDirection_t dirA, cusparseOperation_t transA,             \
        cusparseOperation_t transB, int mb, int n, int kb, int nnzb, const ctype *alpha,           \
        const cusparseMatDescr_t descrA, const ctype *bsrValA, const int *bsrRowPtrA,              \
        const int *bsrColIndA, const int blockDim, const ctype *B, const int ldb,                  \
        const ctype *beta, ctype *C, int ldc)                                                      \
    {                                                                                              \
        return bsrmm(handle, "cusparse" #letter "bsrmm", type, dirA, transA, transB, mb, n, kb,    \
                     nnzb, alpha, descrA, bsrValA, bsrRowPtrA, bsrColIndA, blockDim, B, ldb, beta, \
                     C, ldc);                                                                      \
    }                                                                                              \
    cusparseStatus_t cusparse##letter##bsrxmv(                                                     \
        cusparseHandle_t handle, cusparseDirection_t dirA, cusparseOperation_t transA,             \
        int sizeOfMask, int mb, int nb, int nnzb, const ctype *alpha,                              \
        const cusparseMatDescr_t descrA, const ctype *bsrValA, const int *bsrMaskPtrA,             \
        const int *bsrRowPtrA, const int *bsrEndPtrA, const int *bsrColIndA, int blockDim,         \
        const ctype *x, const ctype *beta, ctype *y)                                               \
    {                                                                                              \
        return bsrxmv(handle, "cusparse" #letter "bsrxmv", type, dirA, transA, sizeOfMask, mb, nb, \
                      nnzb, alpha, descrA, bsrValA, bsrMaskPtrA, bsrRowPtrA, bsrEndPtrA,           \
                      bsrColIndA, blockDim, x, beta, y);                                           \
    }                                                                                              \
    cusparseStatus_t cusparse##letter##gemvi_bufferSize(cusparseHandle_t handle,                   \
                                                        cusparseOperation_t transA, int m, int n,  \
                                                        int nnz, int *bufferSize)                  \
    {                                                                                              \
        (void)transA;                                                                              \
        return sparse_answer_int(sparse_check_handle(handle, m, n, nnz), bufferSize,               \
                                 SPARSE_BUFFER_BYTES);                                             \
    }                                                                                              \
    cusparseStatus_t cusparse##letter##gemvi(                                                      \
        cusparseHandle_t handle, cusparseOperation_t transA, int m, int n, const ctype *alpha,     \
        const ctype *A, int lda, int nnz, const ctype *xVal, const int *xInd, const ctype *beta,   \
        ctype *y, cusparseIndexBase_t idxBase, void *buffer)                                       \
    {                                                                                              \
        (void)buffer;                                                                              \
        return gemvi(handle, "cusparse" #letter "gemvi", type, transA, m, n, alpha, A, lda, nnz,   \
                     xVal, xInd, beta, y, idxBase);                                                \
    }

SPARSE_FOUR_TYPES(PRODUCTS)

/* SPDX-License-Identifier: MIT */
/* C = alpha * op(A) + beta * op(B), element by element, between types and orders. */
#include "logger.h"
#include "lt.h"
#include "order.h"
#include "work.h"

#include <string.h>

struct operand {
    char *address;
    struct lt_layout layout;
    bool transposed;
    size_t bytes;
};

struct transform {
    struct operand a, b, c;
    bool has_b;
    cudaDataType_t scale_type;
    struct product_number alpha, beta;
    const void *alpha_memory, *beta_memory; /* read when the transform runs, if not NULL */
};

static char *element(const struct operand *operand, int64_t batch, uint64_t row, uint64_t column)
{
    int64_t index = operand->transposed ? order_index(&operand->layout, column, row)
                                        : order_index(&operand->layout, row, column);

    return operand->address + (batch * operand->layout.stride + index) * (int64_t)operand->bytes;
}

static struct product_number add(struct product_number sum, struct product_number factor,
                                 struct product_number value)
{
    sum.re += factor.re * value.re - factor.im * value.im;
    sum.im += factor.re * value.im + factor.im * value.re;
    return sum;
}

static void run_column(void *argument, size_t index)
{
    const struct transform *transform = argument;
    uint64_t column = index % transform->c.layout.cols;
    int64_t batch = (int64_t)(index / transform->c.layout.cols);

    for (uint64_t row = 0; row < transform->c.layout.rows; row++) {
        struct product_number sum = {0};

        sum = add(sum, transform->alpha,
                  product_load((cudaDataType_t)transform->a.layout.type,
                               element(&transform->a, batch, row, column)));
        if (transform->has_b)
            sum = add(sum, transform->beta,
                      product_load((cudaDataType_t)transform->b.layout.type,
                                   element(&transform->b, batch, row, column)));
        product_store((cudaDataType_t)transform->c.layout.type,
                      element(&transform->c, batch, row, column), sum);
    }
}

static CUresult run(void *arguments)
{
    struct transform transform = *(const struct transform *)arguments;

    if (transform.alpha_memory)
        transform.alpha = product_load(transform.scale_type, transform.alpha_memory);
    if (transform.beta_memory)
        transform.beta = product_load(transform.scale_type, transform.beta_memory);
    if (transform.beta.re == 0 && transform.beta.im == 0)
        transform.has_b = false;
    lib_parallel((size_t)transform.c.layout.cols * (size_t)transform.c.layout.batch_count,
                 run_column, &transform);
    return CUDA_SUCCESS;
}

static bool is_small_float(int type)
{
    return type == CUDA_R_16F || type == CUDA_R_16BF;
}

/* A type stays what it is, with any scale; f32's scale also takes f32 to f16 and bf16, and back. */
static bool types_fit(int from, int to, int scale)
{
    if (!product_type_bytes((cudaDataType_t)from) || !product_type_bytes((cudaDataType_t)to) ||
        !product_type_bytes((cudaDataType_t)scale))
        return false;
    return from == to || (scale == CUDA_R_32F && ((from == CUDA_R_32F && is_small_float(to)) ||
                                                  (is_small_float(from) && to == CUDA_R_32F)));
}

/* The orders of tensor cores are for integers. */
static bool order_fits(const struct lt_layout *layout, int scale)
{
    if (layout->order <= CUBLASLT_ORDER_ROW)
        return true;
    if (scale != CUDA_R_32F && scale != CUDA_R_32I)
        return false;
    return layout->type == CUDA_R_8I ||
           (layout->type == CUDA_R_32I && layout->order == CUBLASLT_ORDER_COL32);
}

static struct operand operand_of(const struct lt_layout *layout, const void *address, int op)
{
    return (struct operand){.address = (char *)address,
                            .layout = *layout,
                            .transposed = op != CUBLAS_OP_N,
                            .bytes = product_type_bytes((cudaDataType_t)layout->type)};
}

static bool shape_is(const struct operand *operand, const struct lt_layout *c)
{
    uint64_t rows = operand->transposed ? operand->layout.cols : operand->layout.rows;
    uint64_t columns = operand->transposed ? operand->layout.rows : operand->layout.cols;

    return rows == c->rows && columns == c->cols && operand->layout.batch_count == c->batch_count;
}

static cublasStatus_t check(const struct transform *transform)
{
    const struct operand *operands[] = {&transform->a, &transform->c,
                                        transform->has_b ? &transform->b : &transform->c};

    for (size_t i = 0; i < sizeof(operands) / sizeof(*operands); i++) {
        if (!operands[i]->address || !order_is_sound(&operands[i]->layout) ||
            !shape_is(operands[i], &transform->c.layout))
            return CUBLAS_STATUS_INVALID_VALUE;
        if (!types_fit(operands[i]->layout.type, transform->c.layout.type,
                       (int)transform->scale_type) ||
            !order_fits(&operands[i]->layout, (int)transform->scale_type))
            return CUBLAS_STATUS_NOT_SUPPORTED;
    }
    return CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t submit(const struct transform *transform, cudaStream_t stream)
{
    const struct lt_layout *c = &transform->c.layout;
    struct cupipe_range ranges[5];
    size_t used = 0;
    struct lib_call call = {.name = "cublasLtMatrixTransform",
                            .stream = (CUstream)stream,
                            .nanoseconds = (c->rows * c->cols + 16) * 8 * (uint64_t)c->batch_count,
                            .operands = ranges};

    ranges[used++] = order_range(transform->a.address, &transform->a.layout, false);
    if (transform->has_b)
        ranges[used++] = order_range(transform->b.address, &transform->b.layout, false);
    ranges[used++] = order_range(transform->c.address, c, true);
    if (transform->alpha_memory)
        ranges[used++] =
            lib_read(transform->alpha_memory, product_type_bytes(transform->scale_type));
    if (transform->beta_memory)
        ranges[used++] =
            lib_read(transform->beta_memory, product_type_bytes(transform->scale_type));
    call.operand_count = used;
    return lt_status(lib_submit(&call, run, transform, sizeof(*transform)));
}

static const struct lt_transform *transform_desc(const void *handle)
{
    const struct lt_transform *desc = handle;

    return desc && desc->mark == LT_TRANSFORM ? desc : NULL;
}

static cublasStatus_t transform_start(const struct lt_transform *desc, struct transform *transform,
                                      const void *alpha, const void *beta, cudaStream_t stream)
{
    bool device = desc->pointer_mode == CUBLASLT_POINTER_MODE_DEVICE;
    cublasStatus_t status;

    transform->scale_type = (cudaDataType_t)desc->scale_type;
    if (device) {
        transform->alpha_memory = alpha;
        transform->beta_memory = beta;
    } else if (product_type_bytes(transform->scale_type)) {
        transform->alpha = product_load(transform->scale_type, alpha);
        if (beta)
            transform->beta = product_load(transform->scale_type, beta);
    }
    status = check(transform);
    if (status != CUBLAS_STATUS_SUCCESS)
        return status;
    if (transform->c.layout.rows == 0 || transform->c.layout.cols == 0)
        return CUBLAS_STATUS_SUCCESS;
    return submit(transform, stream);
}

cublasStatus_t cublasLtMatrixTransform(cublasLtHandle_t lightHandle,
                                       cublasLtMatrixTransformDesc_t transformDesc,
                                       const void *alpha, const void *A,
                                       cublasLtMatrixLayout_t Adesc, const void *beta,
                                       const void *B, cublasLtMatrixLayout_t Bdesc, void *C,
                                       cublasLtMatrixLayout_t Cdesc, cudaStream_t stream)
{
    const struct lt_transform *desc = transform_desc(transformDesc);
    const struct lt_layout *a = lt_layout(Adesc), *b = lt_layout(Bdesc), *c = lt_layout(Cdesc);
    struct transform transform = {0};

    if (!lt_handle_is_live(lightHandle))
        return logger_answer(__func__, CUBLAS_STATUS_NOT_INITIALIZED);
    if (!desc || !alpha || !a || !c || (b && !beta))
        return logger_answer(__func__, CUBLAS_STATUS_INVALID_VALUE);
    transform.a = operand_of(a, A, desc->transa);
    transform.c = operand_of(c, C, CUBLAS_OP_N);
    transform.has_b = b && B;
    if (transform.has_b)
        transform.b = operand_of(b, B, desc->transb);
    return logger_answer(__func__, transform_start(desc, &transform, alpha, beta, stream));
}

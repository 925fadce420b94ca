/* SPDX-License-Identifier: MIT */
/* Operations that go element by element: transformation, addition, the operations of OpTensor,
 * scaling, filling; and reductions. */
#include "descriptor.h"

static CUresult run_pointwise(void *arguments)
{
    return dnn_pointwise_run(arguments);
}

static cudnnStatus_t submit(cudnnHandle_t handle, const char *name, const struct dnn_pointwise *op)
{
    struct dnn_operands operands = {.count = 0};

    dnn_reads(&operands, &op->x);
    dnn_reads(&operands, &op->b);
    dnn_writes(&operands, &op->y, op->blend);
    return dnn_submit_operands(handle, name, &operands, run_pointwise, op, sizeof(*op));
}

/* True if the dimensions of a are c's or 1. */
static bool repeats(const struct dnn_tensor *a, const struct dnn_tensor *c)
{
    if (a->rank != c->rank)
        return false;
    for (int i = 0; i < a->rank; i++)
        if (a->dims[i] != c->dims[i] && a->dims[i] != 1)
            return false;
    return true;
}

cudnnStatus_t cudnnTransformTensor(cudnnHandle_t handle, const void *alpha,
                                   const cudnnTensorDescriptor_t xDesc, const void *x,
                                   const void *beta, const cudnnTensorDescriptor_t yDesc, void *y)
{
    struct dnn_pointwise op = {.mode = CUDNN_POINTWISE_IDENTITY};

    if (!dnn_is_handle(handle) || !alpha || !beta || !x || !y || !dnn_is_tensor(xDesc) ||
        !dnn_is_tensor(yDesc) || !dnn_same_dims(&xDesc->shape, &yDesc->shape))
        return DNN_BAD_PARAM();
    op.x = dnn_tensor_of(xDesc, x);
    op.y = dnn_tensor_of(yDesc, y);
    op.blend = dnn_blend(op.x.type, alpha, beta);
    return submit(handle, __func__, &op);
}

cudnnStatus_t cudnnAddTensor(cudnnHandle_t handle, const void *alpha,
                             const cudnnTensorDescriptor_t aDesc, const void *A, const void *beta,
                             const cudnnTensorDescriptor_t cDesc, void *C)
{
    struct dnn_pointwise op = {.mode = CUDNN_POINTWISE_IDENTITY};

    if (!dnn_is_handle(handle) || !alpha || !beta || !A || !C || !dnn_is_tensor(aDesc) ||
        !dnn_is_tensor(cDesc) || !repeats(&aDesc->shape, &cDesc->shape))
        return DNN_BAD_PARAM();
    op.x = dnn_tensor_of(aDesc, A);
    op.y = dnn_tensor_of(cDesc, C);
    op.blend = dnn_blend(op.y.type, alpha, beta);
    return submit(handle, __func__, &op);
}

/* C = op(alpha1 * A, alpha2 * B) + beta * C. SQRT and NOT take A alone; NOT is 1 - A. */
cudnnStatus_t cudnnOpTensor(cudnnHandle_t handle, const cudnnOpTensorDescriptor_t opTensorDesc,
                            const void *alpha1, const cudnnTensorDescriptor_t aDesc, const void *A,
                            const void *alpha2, const cudnnTensorDescriptor_t bDesc, const void *B,
                            const void *beta, const cudnnTensorDescriptor_t cDesc, void *C)
{
    static const cudnnPointwiseMode_t modes[] = {
        [CUDNN_OP_TENSOR_ADD] = CUDNN_POINTWISE_ADD,   [CUDNN_OP_TENSOR_MUL] = CUDNN_POINTWISE_MUL,
        [CUDNN_OP_TENSOR_MIN] = CUDNN_POINTWISE_MIN,   [CUDNN_OP_TENSOR_MAX] = CUDNN_POINTWISE_MAX,
        [CUDNN_OP_TENSOR_SQRT] = CUDNN_POINTWISE_SQRT, [CUDNN_OP_TENSOR_NOT] = CUDNN_POINTWISE_SUB,
    };
    static const float one = 1;
    struct dnn_pointwise op = {.has_alphas = true, .alpha2 = 1};
    bool unary;

    if (!dnn_is_handle(handle) || !lib_object_is(opTensorDesc, &dnn_op_tensor_type) || !alpha1 ||
        !A || !beta || !C || !dnn_is_tensor(aDesc) || !dnn_is_tensor(cDesc) ||
        !repeats(&aDesc->shape, &cDesc->shape))
        return DNN_BAD_PARAM();
    unary = opTensorDesc->op >= CUDNN_OP_TENSOR_SQRT;
    if (!unary &&
        (!alpha2 || !B || !dnn_is_tensor(bDesc) || !repeats(&bDesc->shape, &cDesc->shape)))
        return DNN_BAD_PARAM();
    op.mode = modes[opTensorDesc->op];
    op.compute = opTensorDesc->compute;
    op.x = dnn_tensor_of(aDesc, A);
    op.y = dnn_tensor_of(cDesc, C);
    op.alpha1 = dnn_scalar(op.compute, alpha1);
    op.blend = (struct dnn_blend){.alpha = 1, .beta = dnn_scalar(op.compute, beta), .given = true};
    if (!unary) {
        op.b = dnn_tensor_of(bDesc, B);
        op.alpha2 = dnn_scalar(op.compute, alpha2);
    } else if (opTensorDesc->op == CUDNN_OP_TENSOR_NOT) {
        op.b = op.x;
        op.alpha2 = op.alpha1;
        op.alpha1 = 1;
        op.x = (struct dnn_tensor){.address = (void *)&one, .rank = 1, .dims = {1}};
    }
    if (opTensorDesc->op == CUDNN_OP_TENSOR_NOT) {
        struct dnn_operands operands = {.count = 0};

        dnn_reads(&operands, &op.b);
        dnn_writes(&operands, &op.y, op.blend);
        return dnn_submit_operands(handle, __func__, &operands, run_pointwise, &op, sizeof(op));
    }
    return submit(handle, __func__, &op);
}

cudnnStatus_t cudnnScaleTensor(cudnnHandle_t handle, const cudnnTensorDescriptor_t yDesc, void *y,
                               const void *alpha)
{
    struct dnn_pointwise op = {.mode = CUDNN_POINTWISE_IDENTITY};

    if (!dnn_is_handle(handle) || !dnn_is_tensor(yDesc) || !y || !alpha)
        return DNN_BAD_PARAM();
    op.x = op.y = dnn_tensor_of(yDesc, y);
    op.blend = (struct dnn_blend){dnn_scalar(op.y.type, alpha), 0, true};
    return submit(handle, __func__, &op);
}

struct fill {
    struct dnn_tensor y;
    double value;
};

static CUresult run_fill(void *arguments)
{
    const struct fill *fill = arguments;

    return dnn_fill_run(&fill->y, fill->value);
}

cudnnStatus_t cudnnSetTensor(cudnnHandle_t handle, const cudnnTensorDescriptor_t yDesc, void *y,
                             const void *valuePtr)
{
    struct dnn_operands operands = {.count = 0};
    struct fill op;

    if (!dnn_is_handle(handle) || !dnn_is_tensor(yDesc) || !y || !valuePtr)
        return DNN_BAD_PARAM();
    op.y = dnn_tensor_of(yDesc, y);
    /* Integers are given as their own type, other numbers as float or double. */
    switch ((int)op.y.type) {
    case CUDNN_DATA_INT8:
    case CUDNN_DATA_UINT8:
    case CUDNN_DATA_INT32:
    case CUDNN_DATA_INT64:
        op.value = dnn_get(op.y.type, valuePtr);
        break;
    default:
        op.value = dnn_scalar(op.y.type, valuePtr);
    }
    dnn_writes(&operands, &op.y, (struct dnn_blend){.alpha = 1});
    return dnn_submit_operands(handle, __func__, &operands, run_fill, &op, sizeof(op));
}

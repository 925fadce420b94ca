/* SPDX-License-Identifier: MIT */
/* Operations are finalised only if the shapes of their tensors fit: the engine trusts them. */
#include "checks.h"

#include "columns.h"
#include "pointwise.h"

cudnnStatus_t graph_misfit(const struct graph_content *operation, const char *what)
{
    return dnn_error(CUDNN_STATUS_BAD_PARAM, "%s: %s", operation->kind->text, what);
}

bool graph_broadcasts(const struct graph_tensor *part, const struct graph_tensor *whole)
{
    int shift;

    if (!part)
        return true;
    shift = whole->view.rank - part->view.rank;
    for (int i = 0; i < part->view.rank; i++) {
        int64_t dim = part->view.dims[i];

        if (dim != 1 && (i + shift < 0 || dim != whole->view.dims[i + shift]))
            return false;
    }
    return true;
}

bool graph_is_number(const struct graph_tensor *tensor)
{
    return !tensor || dnn_count(&tensor->view) > 0;
}

bool graph_same_shape(const struct graph_tensor *a, const struct graph_tensor *b)
{
    return !a || !b ||
           (a->view.rank == b->view.rank && graph_broadcasts(a, b) && graph_broadcasts(b, a));
}

/* Dimensions of 31 bits, so that places in a window have 63. */
static bool is_moderate(const struct dnn_tensor *tensor)
{
    for (int i = 0; i < tensor->rank; i++)
        if (tensor->dims[i] > INT32_MAX)
            return false;
    return true;
}

static cudnnStatus_t too_many_dims(int64_t spatial)
{
    return dnn_error(CUDNN_STATUS_NOT_SUPPORTED_SHAPE,
                     "%lld spatial dimensions, which are more than %d", (long long)spatial,
                     DNN_SPATIAL);
}

cudnnStatus_t graph_check_convolution(const struct graph_content *operation)
{
    static const int names[3][4] = {
        {CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
         CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y,
         CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC},
        {CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
         CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW,
         CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY,
         CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC},
        {CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
         CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY,
         CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC},
    };
    const int *own =
        names[operation->kind->type - CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR];
    const struct dnn_tensor *x = &graph_tensor_at(operation, own[0])->view;
    const struct dnn_tensor *w = &graph_tensor_at(operation, own[1])->view;
    const struct dnn_tensor *y = &graph_tensor_at(operation, own[2])->view;
    const struct graph_content *conv = graph_child(operation, own[3], 0);
    int64_t spatial = graph_integer(conv, CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, 0, 0);

    if (x->rank != spatial + 2 || w->rank != x->rank || y->rank != x->rank)
        return graph_misfit(operation, "ranks differ");
    if (spatial > DNN_SPATIAL)
        return too_many_dims(spatial);
    if (!is_moderate(x) || !is_moderate(w))
        return graph_misfit(operation, "a dimension has more than 31 bits");
    if (x->dims[0] != y->dims[0] || w->dims[0] != y->dims[1] || w->dims[1] < 1 ||
        x->dims[1] < w->dims[1] || x->dims[1] % w->dims[1] ||
        w->dims[0] % (x->dims[1] / w->dims[1]))
        return graph_misfit(operation, "batches or channels do not fit");
    for (int i = 0; i < spatial; i++) {
        int64_t dilation = graph_integer(conv, CUDNN_ATTR_CONVOLUTION_DILATIONS, i, 1);
        int64_t stride = graph_integer(conv, CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, i, 1);
        int64_t padded = x->dims[i + 2] +
                         graph_integer(conv, CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, i, 0) +
                         graph_integer(conv, CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, i, 0);
        int64_t window = (w->dims[i + 2] - 1) * dilation + 1;

        if (padded < window || y->dims[i + 2] != (padded - window) / stride + 1)
            return graph_misfit(operation, "spatial dimensions do not fit");
    }
    return CUDNN_STATUS_SUCCESS;
}

/* Operands besides x that a mode has: bit 0 b, bit 1 dy, bit 2 t. */
static int operands_of_mode(cudnnPointwiseMode_t mode)
{
    switch (mode) {
    case CUDNN_POINTWISE_ADD:
    case CUDNN_POINTWISE_ADD_SQUARE:
    case CUDNN_POINTWISE_DIV:
    case CUDNN_POINTWISE_MAX:
    case CUDNN_POINTWISE_MIN:
    case CUDNN_POINTWISE_MOD:
    case CUDNN_POINTWISE_MUL:
    case CUDNN_POINTWISE_POW:
    case CUDNN_POINTWISE_SUB:
    case CUDNN_POINTWISE_ATAN2:
    case CUDNN_POINTWISE_CMP_EQ:
    case CUDNN_POINTWISE_CMP_NEQ:
    case CUDNN_POINTWISE_CMP_GT:
    case CUDNN_POINTWISE_CMP_GE:
    case CUDNN_POINTWISE_CMP_LT:
    case CUDNN_POINTWISE_CMP_LE:
    case CUDNN_POINTWISE_LOGICAL_AND:
    case CUDNN_POINTWISE_LOGICAL_OR:
        return 1;
    case CUDNN_POINTWISE_RELU_BWD:
    case CUDNN_POINTWISE_TANH_BWD:
    case CUDNN_POINTWISE_SIGMOID_BWD:
    case CUDNN_POINTWISE_ELU_BWD:
    case CUDNN_POINTWISE_GELU_BWD:
    case CUDNN_POINTWISE_SOFTPLUS_BWD:
    case CUDNN_POINTWISE_SWISH_BWD:
    case CUDNN_POINTWISE_GELU_APPROX_TANH_BWD:
        return 2;
    case CUDNN_POINTWISE_BINARY_SELECT:
        return 1 | 4;
    default:
        return 0;
    }
}

/* The operands of a virtual result fit one another: the result becomes as large as they are. */
static cudnnStatus_t check_together(const struct graph_content *operation,
                                    const struct graph_tensor *x, const struct graph_tensor *b,
                                    const struct graph_tensor *t, const struct graph_tensor *y)
{
    const struct graph_tensor *all[] = {y, x, b, t};
    struct graph_tensor joined = *y;

    for (size_t i = 1; i < sizeof(all) / sizeof(*all); i++)
        for (int k = 0; all[i] && all[i]->view.rank == y->view.rank && k < y->view.rank; k++)
            if (joined.view.dims[k] == 1)
                joined.view.dims[k] = all[i]->view.dims[k];
    for (size_t i = 1; i < sizeof(all) / sizeof(*all); i++)
        if (!graph_broadcasts(all[i], &joined))
            return graph_misfit(operation, "the operands have different dimensions");
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t graph_check_pointwise(const struct graph_content *operation)
{
    const struct graph_content *how =
        graph_child(operation, CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, 0);
    cudnnPointwiseMode_t mode =
        (cudnnPointwiseMode_t)graph_integer(how, CUDNN_ATTR_POINTWISE_MODE, 0, 0);
    int operands = operands_of_mode(mode);
    const struct graph_tensor *x = TENSOR(POINTWISE_XDESC), *b = TENSOR(POINTWISE_BDESC);
    const struct graph_tensor *t = TENSOR(POINTWISE_TDESC), *dy = TENSOR(POINTWISE_DYDESC);
    const struct graph_tensor *y =
        operands & 2 ? TENSOR(POINTWISE_DXDESC) : TENSOR(POINTWISE_YDESC);

    if (!dnn_pointwise_line_f64(mode))
        return dnn_error(CUDNN_STATUS_NOT_SUPPORTED, "there is no pointwise mode %d", (int)mode);
    if (!y || (!x && !(operands & 2 && TENSOR(POINTWISE_YDESC))) || (operands & 1 && !b) ||
        (operands & 2 && !dy) || (operands & 4 && !t))
        return graph_misfit(operation, "an operand is not set");
    if (!(operands & 2) && (TENSOR(POINTWISE_DXDESC) || dy))
        return graph_misfit(operation, "a forward mode has a gradient");
    if (y->is_virtual && !(operands & 2))
        return check_together(operation, x, b, t, y);
    if ((operands & 2 && !graph_broadcasts(TENSOR(POINTWISE_YDESC), y)) ||
        !graph_broadcasts(x, y) || !graph_broadcasts(b, y) || !graph_broadcasts(t, y) ||
        !graph_broadcasts(dy, y))
        return graph_misfit(operation, "an operand has other dimensions than the result");
    return CUDNN_STATUS_SUCCESS;
}

/* True if the tensor limits batches of c: packed, and of as many batches as c or of a divisor. */
static bool is_limit(const struct graph_tensor *limit, const struct dnn_tensor *c)
{
    const struct dnn_tensor *view = limit ? &limit->view : NULL;

    if (!limit)
        return true;
    if (view->type != CUDNN_DATA_INT32 || limit->storage != GRAPH_PLAIN || !dnn_is_packed(view))
        return false;
    for (int i = 0; i < c->rank && view->rank == c->rank; i++) {
        bool is_batch = i < c->rank - 2;

        if (is_batch ? !view->dims[i] || c->dims[i] % view->dims[i] : view->dims[i] != 1)
            return false;
    }
    return true;
}

cudnnStatus_t graph_check_matmul(const struct graph_content *operation)
{
    const struct dnn_tensor *a = &TENSOR(MATMUL_ADESC)->view, *b = &TENSOR(MATMUL_BDESC)->view;
    const struct dnn_tensor *c = &TENSOR(MATMUL_CDESC)->view;
    int rank = c->rank;

    if (rank < 2 || a->rank != rank || b->rank != rank)
        return graph_misfit(operation, "ranks differ");
    if (TENSOR(MATMUL_ADESC)->is_complex != TENSOR(MATMUL_CDESC)->is_complex ||
        TENSOR(MATMUL_BDESC)->is_complex != TENSOR(MATMUL_CDESC)->is_complex)
        return dnn_error(CUDNN_STATUS_NOT_SUPPORTED_DATA_TYPE,
                         "a product of complex and real matrices is not supported");
    if (a->dims[rank - 2] != c->dims[rank - 2] || b->dims[rank - 1] != c->dims[rank - 1] ||
        a->dims[rank - 1] != b->dims[rank - 2])
        return graph_misfit(operation, "rows and columns do not fit");
    for (int i = 0; i < rank - 2; i++)
        if (!a->dims[i] || !b->dims[i] || c->dims[i] % a->dims[i] || c->dims[i] % b->dims[i])
            return graph_misfit(operation, "batches do not fit");
    if (!is_limit(TENSOR(MATMUL_GEMM_M_OVERRIDE_DESC), c) ||
        !is_limit(TENSOR(MATMUL_GEMM_N_OVERRIDE_DESC), c) ||
        !is_limit(TENSOR(MATMUL_GEMM_K_OVERRIDE_DESC), c))
        return graph_misfit(operation, "a limit is no INT32 for each batch");
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t graph_check_reduction(const struct graph_content *operation)
{
    const struct graph_tensor *x = TENSOR(REDUCTION_XDESC), *y = TENSOR(REDUCTION_YDESC);

    if (x->view.rank != y->view.rank)
        return graph_misfit(operation, "ranks differ");
    for (int i = 0; i < x->view.rank; i++)
        if (!y->view.dims[i] || x->view.dims[i] % y->view.dims[i])
            return graph_misfit(operation, "the result's dimension does not divide the operand's");
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t graph_check_resample(const struct graph_content *operation)
{
    bool backward = operation->kind->type == CUDNN_BACKEND_OPERATION_RESAMPLE_BWD_DESCRIPTOR;
    const struct graph_tensor *large =
        backward ? TENSOR(RESAMPLE_BWD_DXDESC) : TENSOR(RESAMPLE_FWD_XDESC);
    const struct graph_tensor *small =
        backward ? TENSOR(RESAMPLE_BWD_DYDESC) : TENSOR(RESAMPLE_FWD_YDESC);
    const struct graph_tensor *index =
        backward ? TENSOR(RESAMPLE_BWD_IDXDESC) : TENSOR(RESAMPLE_FWD_IDXDESC);
    const struct graph_content *how = graph_child(operation,
                                                  backward ? CUDNN_ATTR_OPERATION_RESAMPLE_BWD_DESC
                                                           : CUDNN_ATTR_OPERATION_RESAMPLE_FWD_DESC,
                                                  0);
    int64_t spatial = graph_integer(how, CUDNN_ATTR_RESAMPLE_SPATIAL_DIMS, 0, 0);
    int64_t mode = graph_integer(how, CUDNN_ATTR_RESAMPLE_MODE, 0, 0);

    if (spatial > DNN_SPATIAL)
        return too_many_dims(spatial);
    if (large->view.rank != spatial + 2 || small->view.rank != large->view.rank ||
        large->view.dims[0] != small->view.dims[0] || large->view.dims[1] != small->view.dims[1] ||
        (dnn_count(&small->view) && !dnn_count(&large->view)))
        return graph_misfit(operation, "ranks, batches or channels do not fit");
    if (!graph_same_shape(index, small) || !graph_same_shape(TENSOR(RESAMPLE_BWD_XDESC), large) ||
        !graph_same_shape(TENSOR(RESAMPLE_BWD_YDESC), small))
        return graph_misfit(operation, "an operand has other dimensions");
    if (mode < CUDNN_RESAMPLE_NEAREST || mode > CUDNN_RESAMPLE_AVGPOOL_EXCLUDE_PADDING)
        return dnn_error(CUDNN_STATUS_NOT_SUPPORTED, "there is no mode %lld of resampling",
                         (long long)mode);
    if (index && mode != CUDNN_RESAMPLE_MAXPOOL)
        return graph_misfit(operation, "only the largest elements have indices");
    if (backward && mode == CUDNN_RESAMPLE_MAXPOOL && !index && !TENSOR(RESAMPLE_BWD_XDESC))
        return graph_misfit(operation, "neither x nor the indices of the largest are set");
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t graph_check_reshape(const struct graph_content *operation)
{
    if (dnn_count(&TENSOR(RESHAPE_XDESC)->view) != dnn_count(&TENSOR(RESHAPE_YDESC)->view))
        return graph_misfit(operation, "the tensors have different numbers of elements");
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t graph_check_concat(const struct graph_content *operation)
{
    int64_t count = graph_count(operation, CUDNN_ATTR_OPERATION_CONCAT_INPUT_DESCS), sum = 0;
    int64_t axis = graph_integer(operation, CUDNN_ATTR_OPERATION_CONCAT_AXIS, 0, -1);
    const struct dnn_tensor *y = &TENSOR(CONCAT_OUTPUT_DESC)->view;

    if (axis < 0 || axis >= y->rank)
        return graph_misfit(operation, "there is no such axis");
    for (int64_t k = 0; k < count; k++) {
        const struct dnn_tensor *x =
            &graph_tensor_of(graph_child(operation, CUDNN_ATTR_OPERATION_CONCAT_INPUT_DESCS, k))
                 ->view;

        if (x->rank != y->rank)
            return graph_misfit(operation, "ranks differ");
        for (int i = 0; i < y->rank; i++)
            if (i != axis && x->dims[i] != y->dims[i])
                return graph_misfit(operation, "dimensions differ");
        sum += x->dims[axis];
    }
    return sum == y->dims[axis] ? CUDNN_STATUS_SUCCESS
                                : graph_misfit(operation, "the inputs do not fill the output");
}

/* The scale has so many elements in each dimension as there are blocks, or more where it is padded
 * to tiles. */
cudnnStatus_t graph_check_block_scale(const struct graph_content *operation)
{
    bool up = operation->kind->type == CUDNN_BACKEND_OPERATION_BLOCK_SCALE_DEQUANTIZE_DESCRIPTOR;
    const struct graph_tensor *x =
        up ? TENSOR(BLOCK_SCALE_DEQUANTIZE_XDESC) : TENSOR(BLOCK_SCALE_QUANTIZE_XDESC);
    const struct graph_tensor *y =
        up ? TENSOR(BLOCK_SCALE_DEQUANTIZE_YDESC) : TENSOR(BLOCK_SCALE_QUANTIZE_YDESC);
    const struct graph_tensor *scale =
        up ? TENSOR(BLOCK_SCALE_DEQUANTIZE_SCALE_DESC) : TENSOR(BLOCK_SCALE_QUANTIZE_SCALE_DESC);
    int name = up ? CUDNN_ATTR_OPERATION_BLOCK_SCALE_DEQUANTIZE_BLOCK_SIZE
                  : CUDNN_ATTR_OPERATION_BLOCK_SCALE_QUANTIZE_BLOCK_SIZE;

    if (!graph_count(operation, name))
        return graph_misfit(operation, "the size of blocks is not set");
    for (int64_t i = 0; i < graph_count(operation, name); i++)
        if (graph_integer(operation, name, i, 0) < 1)
            return graph_misfit(operation, "the size of a block is not positive");
    if (!graph_same_shape(x, y) || scale->view.rank != x->view.rank ||
        (!dnn_count(&scale->view) && dnn_count(&x->view)))
        return graph_misfit(operation, "dimensions do not fit");
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t graph_check_rng(const struct graph_content *operation)
{
    return graph_is_number(TENSOR(RNG_SEED)) && graph_is_number(TENSOR(RNG_OFFSET_DESC))
               ? CUDNN_STATUS_SUCCESS
               : graph_misfit(operation, "the seed or the offset has no element");
}

cudnnStatus_t graph_check_signal(const struct graph_content *operation)
{
    return graph_is_number(TENSOR(SIGNAL_FLAGDESC)) &&
                   graph_same_shape(TENSOR(SIGNAL_XDESC), TENSOR(SIGNAL_YDESC))
               ? CUDNN_STATUS_SUCCESS
               : graph_misfit(operation, "the flag has no element, or x and y differ");
}

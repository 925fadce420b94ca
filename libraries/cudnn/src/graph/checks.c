/* SPDX-License-Identifier: MIT */
/* Operations are finalised only if the shapes of their tensors fit: the engine trusts them. */
#include "operation.h"

#define TENSOR(name) graph_tensor_at(operation, CUDNN_ATTR_OPERATION_##name)

static cudnnStatus_t misfit(const struct graph_content *operation, const char *what)
{
    return dnn_error(CUDNN_STATUS_BAD_PARAM, "%s: %s", operation->kind->text, what);
}

/* True if `part` has one element or as many as `whole` in each dimension, aligned at the last. */
static bool broadcasts(const struct graph_tensor *part, const struct graph_tensor *whole)
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

static bool same_shape(const struct graph_tensor *a, const struct graph_tensor *b)
{
    return !a || !b || (a->view.rank == b->view.rank && broadcasts(a, b) && broadcasts(b, a));
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
        return misfit(operation, "ranks differ");
    if (x->dims[0] != y->dims[0] || w->dims[0] != y->dims[1] || w->dims[1] < 1 ||
        x->dims[1] % w->dims[1] || w->dims[0] % (x->dims[1] / w->dims[1]))
        return misfit(operation, "batches or channels do not fit");
    for (int i = 0; i < spatial; i++) {
        int64_t dilation = graph_integer(conv, CUDNN_ATTR_CONVOLUTION_DILATIONS, i, 1);
        int64_t stride = graph_integer(conv, CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, i, 1);
        int64_t padded = x->dims[i + 2] +
                         graph_integer(conv, CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, i, 0) +
                         graph_integer(conv, CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, i, 0);
        int64_t window = (w->dims[i + 2] - 1) * dilation + 1;

        if (padded < window || y->dims[i + 2] != (padded - window) / stride + 1)
            return misfit(operation, "spatial dimensions do not fit");
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
        if (!broadcasts(all[i], &joined))
            return misfit(operation, "the operands have different dimensions");
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t graph_check_pointwise(const struct graph_content *operation)
{
    const struct graph_content *how =
        graph_child(operation, CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, 0);
    int operands =
        operands_of_mode((cudnnPointwiseMode_t)graph_integer(how, CUDNN_ATTR_POINTWISE_MODE, 0, 0));
    const struct graph_tensor *x = TENSOR(POINTWISE_XDESC), *b = TENSOR(POINTWISE_BDESC);
    const struct graph_tensor *t = TENSOR(POINTWISE_TDESC), *dy = TENSOR(POINTWISE_DYDESC);
    const struct graph_tensor *y =
        operands & 2 ? TENSOR(POINTWISE_DXDESC) : TENSOR(POINTWISE_YDESC);

    if (!y || (!x && !TENSOR(POINTWISE_YDESC)) || (operands & 1 && !b) || (operands & 2 && !dy) ||
        (operands & 4 && !t))
        return misfit(operation, "an operand is not set");
    if (y->is_virtual && !(operands & 2))
        return check_together(operation, x, b, t, y);
    if (!broadcasts(x, y) || !broadcasts(b, y) || !broadcasts(t, y) || !broadcasts(dy, y))
        return misfit(operation, "an operand has other dimensions than the result");
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t graph_check_matmul(const struct graph_content *operation)
{
    const struct dnn_tensor *a = &TENSOR(MATMUL_ADESC)->view, *b = &TENSOR(MATMUL_BDESC)->view;
    const struct dnn_tensor *c = &TENSOR(MATMUL_CDESC)->view;
    int rank = c->rank;

    if (rank < 2 || a->rank != rank || b->rank != rank)
        return misfit(operation, "ranks differ");
    if (TENSOR(MATMUL_ADESC)->is_complex != TENSOR(MATMUL_CDESC)->is_complex ||
        TENSOR(MATMUL_BDESC)->is_complex != TENSOR(MATMUL_CDESC)->is_complex)
        return dnn_error(CUDNN_STATUS_NOT_SUPPORTED_DATA_TYPE,
                         "a product of complex and real matrices is not supported");
    if (a->dims[rank - 2] != c->dims[rank - 2] || b->dims[rank - 1] != c->dims[rank - 1] ||
        a->dims[rank - 1] != b->dims[rank - 2])
        return misfit(operation, "rows and columns do not fit");
    for (int i = 0; i < rank - 2; i++)
        if (!a->dims[i] || !b->dims[i] || c->dims[i] % a->dims[i] || c->dims[i] % b->dims[i])
            return misfit(operation, "batches do not fit");
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t graph_check_reduction(const struct graph_content *operation)
{
    const struct graph_tensor *x = TENSOR(REDUCTION_XDESC), *y = TENSOR(REDUCTION_YDESC);

    if (x->view.rank != y->view.rank)
        return misfit(operation, "ranks differ");
    for (int i = 0; i < x->view.rank; i++)
        if (!y->view.dims[i] || x->view.dims[i] % y->view.dims[i])
            return misfit(operation, "the result's dimension does not divide the operand's");
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

    if (large->view.rank != spatial + 2 || small->view.rank != large->view.rank ||
        large->view.dims[0] != small->view.dims[0] || large->view.dims[1] != small->view.dims[1])
        return misfit(operation, "ranks, batches or channels do not fit");
    if (!same_shape(index, small) || !same_shape(TENSOR(RESAMPLE_BWD_XDESC), large) ||
        !same_shape(TENSOR(RESAMPLE_BWD_YDESC), small))
        return misfit(operation, "an operand has other dimensions");
    return CUDNN_STATUS_SUCCESS;
}

/* Every tensor of these operations has x's rank and 1 or x's dimensions. */
static cudnnStatus_t check_below(const struct graph_content *operation, int x_name)
{
    const struct graph_tensor *x = graph_tensor_at(operation, x_name);

    for (size_t i = 0; i < operation->kind->attribute_count; i++) {
        const struct graph_attribute *attribute = &operation->kind->attributes[i];

        for (int64_t k = 0; graph_names_tensors(attribute) && k < operation->values[i].count; k++)
            if (!broadcasts(graph_tensor_of(graph_child(operation, attribute->name, k)), x))
                return misfit(operation, "a tensor has other dimensions than x");
    }
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t graph_check_norm(const struct graph_content *operation)
{
    bool backward = operation->kind->type == CUDNN_BACKEND_OPERATION_NORM_BACKWARD_DESCRIPTOR;
    int mode_name =
        backward ? CUDNN_ATTR_OPERATION_NORM_BWD_MODE : CUDNN_ATTR_OPERATION_NORM_FWD_MODE;

    if (graph_integer(operation, mode_name, 0, 0) == CUDNN_GROUP_NORM)
        return dnn_error(CUDNN_STATUS_NOT_SUPPORTED, "group normalisation is not supported");
    if (graph_count(operation, backward ? CUDNN_ATTR_OPERATION_NORM_BWD_PEER_STAT_DESCS
                                        : CUDNN_ATTR_OPERATION_NORM_FWD_PEER_STAT_DESCS) > 1)
        return dnn_error(CUDNN_STATUS_NOT_SUPPORTED, "statistics of several devices");
    if (!same_shape(TENSOR(NORM_FWD_XDESC), TENSOR(NORM_FWD_YDESC)) ||
        !same_shape(TENSOR(NORM_BWD_XDESC), TENSOR(NORM_BWD_DXDESC)) ||
        !same_shape(TENSOR(NORM_BWD_XDESC), TENSOR(NORM_BWD_DYDESC)))
        return misfit(operation, "the result has other dimensions than x");
    if (graph_count(operation, backward ? CUDNN_ATTR_OPERATION_NORM_BWD_PEER_STAT_DESCS
                                        : CUDNN_ATTR_OPERATION_NORM_FWD_PEER_STAT_DESCS))
        return CUDNN_STATUS_SUCCESS;
    return check_below(operation, backward ? CUDNN_ATTR_OPERATION_NORM_BWD_XDESC
                                           : CUDNN_ATTR_OPERATION_NORM_FWD_XDESC);
}

cudnnStatus_t graph_check_statistics(const struct graph_content *operation)
{
    if (operation->kind->type == CUDNN_BACKEND_OPERATION_GEN_STATS_DESCRIPTOR)
        return check_below(operation, CUDNN_ATTR_OPERATION_GENSTATS_XDESC);
    if (operation->kind->type == CUDNN_BACKEND_OPERATION_BN_BWD_WEIGHTS_DESCRIPTOR)
        return check_below(operation, CUDNN_ATTR_OPERATION_BN_BWD_WEIGHTS_X_DESC);
    return check_below(operation, CUDNN_ATTR_OPERATION_BN_FINALIZE_SCALE_DESC);
}

cudnnStatus_t graph_check_reshape(const struct graph_content *operation)
{
    if (dnn_count(&TENSOR(RESHAPE_XDESC)->view) != dnn_count(&TENSOR(RESHAPE_YDESC)->view))
        return misfit(operation, "the tensors have different numbers of elements");
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t graph_check_concat(const struct graph_content *operation)
{
    int64_t count = graph_count(operation, CUDNN_ATTR_OPERATION_CONCAT_INPUT_DESCS), sum = 0;
    int64_t axis = graph_integer(operation, CUDNN_ATTR_OPERATION_CONCAT_AXIS, 0, -1);
    const struct dnn_tensor *y = &TENSOR(CONCAT_OUTPUT_DESC)->view;

    if (axis < 0 || axis >= y->rank)
        return misfit(operation, "there is no such axis");
    for (int64_t k = 0; k < count; k++) {
        const struct dnn_tensor *x =
            &graph_tensor_of(graph_child(operation, CUDNN_ATTR_OPERATION_CONCAT_INPUT_DESCS, k))
                 ->view;

        if (x->rank != y->rank)
            return misfit(operation, "ranks differ");
        for (int i = 0; i < y->rank; i++)
            if (i != axis && x->dims[i] != y->dims[i])
                return misfit(operation, "dimensions differ");
        sum += x->dims[axis];
    }
    return sum == y->dims[axis] ? CUDNN_STATUS_SUCCESS
                                : misfit(operation, "the inputs do not fill the output");
}

cudnnStatus_t graph_check_paged_load(const struct graph_content *operation)
{
    const struct dnn_tensor *container = &TENSOR(PAGED_CACHE_LOAD_CONTAINER_DESC)->view;
    const struct dnn_tensor *table = &TENSOR(PAGED_CACHE_LOAD_PAGE_TABLE_DESC)->view;
    const struct dnn_tensor *y = &TENSOR(PAGED_CACHE_LOAD_YDESC)->view;

    if (container->rank != 4 || table->rank != 4 || y->rank != 4 ||
        container->dims[1] != y->dims[1] || table->dims[0] != y->dims[0])
        return misfit(operation, "dimensions do not fit");
    if ((container->dims[3] != y->dims[3] || table->dims[2] * container->dims[2] < y->dims[2]) &&
        (container->dims[3] != y->dims[2] || table->dims[2] * container->dims[2] < y->dims[3]))
        return misfit(operation, "the pages do not hold the sequence");
    return CUDNN_STATUS_SUCCESS;
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
        return misfit(operation, "the size of blocks is not set");
    for (int64_t i = 0; i < graph_count(operation, name); i++)
        if (graph_integer(operation, name, i, 0) < 1)
            return misfit(operation, "the size of a block is not positive");
    if (!same_shape(x, y) || scale->view.rank != x->view.rank)
        return misfit(operation, "dimensions do not fit");
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t graph_check_attention(const struct graph_content *operation)
{
    bool backward = operation->kind->type == CUDNN_BACKEND_OPERATION_SDPA_BWD_DESCRIPTOR;
    const struct dnn_tensor *q =
        &(backward ? TENSOR(SDPA_BWD_QDESC) : TENSOR(SDPA_FWD_QDESC))->view;
    const struct dnn_tensor *k =
        &(backward ? TENSOR(SDPA_BWD_KDESC) : TENSOR(SDPA_FWD_KDESC))->view;
    const struct dnn_tensor *v =
        &(backward ? TENSOR(SDPA_BWD_VDESC) : TENSOR(SDPA_FWD_VDESC))->view;
    bool paged = !backward && TENSOR(SDPA_FWD_PAGE_TABLE_KDESC);

    if (!backward && TENSOR(SDPA_FWD_BLOCK_MASK_DESC))
        return dnn_error(CUDNN_STATUS_NOT_SUPPORTED, "block masks are not supported");
    if (q->rank != 4 || k->rank != 4 || v->rank != 4 || !k->dims[1] || !v->dims[1] ||
        q->dims[1] % k->dims[1] || q->dims[1] % v->dims[1] || q->dims[3] != k->dims[3] ||
        k->dims[2] != v->dims[2] || (!paged && q->dims[0] != k->dims[0]))
        return misfit(operation, "dimensions do not fit");
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t graph_check_grouped_matmul(const struct graph_content *operation)
{
    const struct dnn_tensor *token = &TENSOR(MOE_GROUPED_MATMUL_TOKEN_DESC)->view;
    const struct dnn_tensor *weight = &TENSOR(MOE_GROUPED_MATMUL_WEIGHT_DESC)->view;
    const struct dnn_tensor *output = &TENSOR(MOE_GROUPED_MATMUL_OUTPUT_DESC)->view;

    if (graph_integer(operation, CUDNN_ATTR_OPERATION_MOE_GROUPED_MATMUL_MODE, 0, 0) !=
        CUDNN_MOE_GROUPED_MATMUL_MODE_NONE)
        return dnn_error(CUDNN_STATUS_NOT_SUPPORTED, "gathering and scattering tokens");
    if (token->rank != 3 || weight->rank != 3 || output->rank != 3 ||
        token->dims[2] != weight->dims[1] || output->dims[2] != weight->dims[2] ||
        output->dims[1] != token->dims[1] || token->dims[0] != 1 || output->dims[0] != 1)
        return misfit(operation, "dimensions do not fit");
    return CUDNN_STATUS_SUCCESS;
}

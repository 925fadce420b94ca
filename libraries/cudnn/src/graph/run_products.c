/* SPDX-License-Identifier: MIT */
/* Convolutions and products of matrices. */
#include "operation.h"

static CUresult run_convolution(struct graph_frame *frame, const struct graph_content *operation,
                                enum dnn_conv_direction direction, const int names[6])
{
    const struct graph_content *how = graph_child(operation, names[3], 0);
    struct dnn_conv conv = {
        .direction = direction,
        .x = graph_operand(frame, operation, names[0], 0),
        .w = graph_operand(frame, operation, names[1], 0),
        .y = graph_operand(frame, operation, names[2], 0),
        .spatial = (int)graph_integer(how, CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, 0, 0),
        .flip = graph_integer(how, CUDNN_ATTR_CONVOLUTION_CONV_MODE, 0, 0) == CUDNN_CONVOLUTION,
        .compute = (cudnnDataType_t)graph_integer(how, CUDNN_ATTR_CONVOLUTION_COMP_TYPE, 0, 0),
        .blend = {.alpha = graph_number(operation, names[4], 1),
                  .beta = graph_number(operation, names[5], 0)},
    };

    for (int i = 0; i < conv.spatial; i++) {
        conv.pre[i] = graph_integer(how, CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, i, 0);
        conv.post[i] = graph_integer(how, CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, i, 0);
        conv.stride[i] = graph_integer(how, CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, i, 1);
        conv.dilation[i] = graph_integer(how, CUDNN_ATTR_CONVOLUTION_DILATIONS, i, 1);
    }
    return dnn_conv_run(&conv);
}

CUresult graph_run_convolution(struct graph_frame *frame, const struct graph_content *operation)
{
#define NAMES(pass, x, w, y)                                                                       \
    {                                                                                              \
        CUDNN_ATTR_OPERATION_CONVOLUTION_##pass##_##x,                                             \
            CUDNN_ATTR_OPERATION_CONVOLUTION_##pass##_##w,                                         \
            CUDNN_ATTR_OPERATION_CONVOLUTION_##pass##_##y,                                         \
            CUDNN_ATTR_OPERATION_CONVOLUTION_##pass##_CONV_DESC,                                   \
            CUDNN_ATTR_OPERATION_CONVOLUTION_##pass##_ALPHA,                                       \
            CUDNN_ATTR_OPERATION_CONVOLUTION_##pass##_BETA                                         \
    }
    static const int forward[6] = NAMES(FORWARD, X, W, Y);
    static const int data[6] = NAMES(BWD_DATA, DX, W, DY);
    static const int filter[6] = NAMES(BWD_FILTER, X, DW, DY);
#undef NAMES

    switch (operation->kind->type) {
    case CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR:
        return run_convolution(frame, operation, DNN_CONV_FORWARD, forward);
    case CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR:
        return run_convolution(frame, operation, DNN_CONV_DATA, data);
    default:
        return run_convolution(frame, operation, DNN_CONV_FILTER, filter);
    }
}

static struct dnn_tensor imaginary(struct dnn_tensor tensor)
{
    tensor.address = (char *)tensor.address + dnn_type_bytes(tensor.type);
    return tensor;
}

/* Complex numbers: four products of real ones. */
static CUresult run_complex(const struct dnn_matmul *real)
{
    CUresult result = CUDA_SUCCESS;

    for (int i = 0; i < 4 && result == CUDA_SUCCESS; i++) {
        struct dnn_matmul part = *real;
        bool second = i & 1, of_imaginary = i & 2; /* the second product is added */

        if (second)
            part.a = imaginary(part.a);
        if (second != of_imaginary)
            part.b = imaginary(part.b);
        if (of_imaginary)
            part.c = imaginary(part.c);
        part.blend = (struct dnn_blend){second && !of_imaginary ? -1 : 1, second ? 1 : 0, true};
        result = dnn_matmul_run(&part);
    }
    return result;
}

CUresult graph_run_matmul(struct graph_frame *frame, const struct graph_content *operation)
{
    const struct graph_content *how = graph_child(operation, CUDNN_ATTR_OPERATION_MATMUL_DESC, 0);
    const struct dnn_matmul matmul = {
        .a = graph_operand(frame, operation, CUDNN_ATTR_OPERATION_MATMUL_ADESC, 0),
        .b = graph_operand(frame, operation, CUDNN_ATTR_OPERATION_MATMUL_BDESC, 0),
        .c = graph_operand(frame, operation, CUDNN_ATTR_OPERATION_MATMUL_CDESC, 0),
        .m_override =
            graph_operand(frame, operation, CUDNN_ATTR_OPERATION_MATMUL_GEMM_M_OVERRIDE_DESC, 0),
        .n_override =
            graph_operand(frame, operation, CUDNN_ATTR_OPERATION_MATMUL_GEMM_N_OVERRIDE_DESC, 0),
        .k_override =
            graph_operand(frame, operation, CUDNN_ATTR_OPERATION_MATMUL_GEMM_K_OVERRIDE_DESC, 0),
        .padding = graph_number(how, CUDNN_ATTR_MATMUL_PADDING_VALUE, 0),
        .compute = (cudnnDataType_t)graph_integer(how, CUDNN_ATTR_MATMUL_COMP_TYPE, 0, 0),
    };

    return graph_tensor_at(operation, CUDNN_ATTR_OPERATION_MATMUL_CDESC)->is_complex
               ? run_complex(&matmul)
               : dnn_matmul_run(&matmul);
}

/* Rows of a matrix, from `first` on. */
static struct dnn_tensor rows_of(struct dnn_tensor tensor, int64_t first, int64_t count)
{
    tensor.address =
        (char *)tensor.address + (size_t)(first * tensor.strides[1]) * dnn_type_bytes(tensor.type);
    tensor.dims[1] = count;
    return tensor;
}

/* Each expert multiplies the tokens from its offset to the next expert's by its own weights. */
CUresult graph_run_grouped_matmul(struct graph_frame *frame, const struct graph_content *operation)
{
    struct dnn_tensor token =
        graph_operand(frame, operation, CUDNN_ATTR_OPERATION_MOE_GROUPED_MATMUL_TOKEN_DESC, 0);
    struct dnn_tensor weight =
        graph_operand(frame, operation, CUDNN_ATTR_OPERATION_MOE_GROUPED_MATMUL_WEIGHT_DESC, 0);
    struct dnn_tensor output =
        graph_operand(frame, operation, CUDNN_ATTR_OPERATION_MOE_GROUPED_MATMUL_OUTPUT_DESC, 0);
    struct dnn_tensor offsets = graph_operand(
        frame, operation, CUDNN_ATTR_OPERATION_MOE_GROUPED_MATMUL_FIRST_TOKEN_OFFSET_DESC, 0);
    const char *offset = offsets.address;
    size_t step = (size_t)offsets.strides[0] * dnn_type_bytes(offsets.type);
    int64_t tokens = token.dims[1], experts = weight.dims[0];
    CUresult result = CUDA_SUCCESS;

    weight.dims[0] = 1;
    for (int64_t i = 0; i < experts && result == CUDA_SUCCESS; i++) {
        int64_t first = (int64_t)dnn_get(offsets.type, offset + (size_t)i * step);
        int64_t end = i + 1 < experts
                          ? (int64_t)dnn_get(offsets.type, offset + (size_t)(i + 1) * step)
                          : tokens;
        struct dnn_matmul matmul = {.b = weight};

        if (first < 0 || end > tokens)
            return CUDA_ERROR_ILLEGAL_ADDRESS;
        if (first >= end)
            continue;
        matmul.a = rows_of(token, first, end - first);
        matmul.c = rows_of(output, first, end - first);
        matmul.b.address =
            (char *)weight.address + (size_t)(i * weight.strides[0]) * dnn_type_bytes(weight.type);
        result = dnn_matmul_run(&matmul);
    }
    return result;
}

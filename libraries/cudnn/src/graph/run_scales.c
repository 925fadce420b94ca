/* SPDX-License-Identifier: MIT */
/* Quantisation by blocks: neighbouring elements share a scale (MXFP8, NVFP4). */
#include "operation.h"

#include <math.h>

#define OPERAND(name) graph_operand(frame, operation, CUDNN_ATTR_OPERATION_BLOCK_SCALE_##name, 0)

struct blocks {
    struct dnn_tensor x, y, scale;
    cudnnDataType_t target; /* of the quantised elements */
    int64_t size[DNN_RANK_MOST];
    bool negative; /* the scale's sign is turned */
};

static int64_t offset_of(const struct dnn_tensor *tensor, const int64_t *index)
{
    int64_t at = 0;

    for (int i = 0; i < tensor->rank; i++)
        at += index[i] * tensor->strides[i];
    return at;
}

static double get(const struct dnn_tensor *tensor, const int64_t *index)
{
    return dnn_get(tensor->type, (char *)tensor->address + (size_t)offset_of(tensor, index) *
                                                               dnn_type_bytes(tensor->type));
}

static void set(const struct dnn_tensor *tensor, const int64_t *index, double value)
{
    dnn_set(tensor->type,
            (char *)tensor->address +
                (size_t)offset_of(tensor, index) * dnn_type_bytes(tensor->type),
            value);
}

/* Steps through all indices below `dims`, the last fastest. False: that was the last. */
static bool step(int rank, const int64_t *dims, int64_t *index)
{
    for (int i = rank - 1; i >= 0; i--) {
        if (++index[i] < dims[i])
            return true;
        index[i] = 0;
    }
    return false;
}

/* Sizes of blocks, aligned at the last dimension; a single size belongs to the dimension in which
 * the scale is smaller than x. */
static void set_sizes(struct blocks *blocks, const struct graph_content *operation, int name)
{
    int64_t count = graph_count(operation, name);
    int rank = blocks->x.rank;

    for (int i = 0; i < rank; i++)
        blocks->size[i] = i >= rank - count && count > 1
                              ? graph_integer(operation, name, i - (rank - count), 1)
                              : 1;
    for (int i = rank - 1; i >= 0 && count == 1; i--) {
        if (blocks->scale.dims[i] < blocks->x.dims[i] || i == 0) {
            blocks->size[i] = graph_integer(operation, name, 0, 1);
            break;
        }
    }
    /* Nothing lies behind x. */
    for (int i = 0; i < rank; i++)
        if (blocks->size[i] > blocks->x.dims[i] && blocks->x.dims[i])
            blocks->size[i] = blocks->x.dims[i];
}

CUresult graph_run_dequantize(struct graph_frame *frame, const struct graph_content *operation)
{
    struct blocks blocks = {
        .x = OPERAND(DEQUANTIZE_XDESC),
        .y = OPERAND(DEQUANTIZE_YDESC),
        .scale = OPERAND(DEQUANTIZE_SCALE_DESC),
        .negative =
            graph_integer(operation, CUDNN_ATTR_OPERATION_BLOCK_SCALE_DEQUANTIZE_NEG_SCALE, 0, 0),
    };
    int64_t index[DNN_RANK_MOST] = {0}, block[DNN_RANK_MOST];

    set_sizes(&blocks, operation, CUDNN_ATTR_OPERATION_BLOCK_SCALE_DEQUANTIZE_BLOCK_SIZE);
    if (!dnn_count(&blocks.x))
        return CUDA_SUCCESS;
    do {
        double scale;

        for (int i = 0; i < blocks.x.rank; i++) {
            block[i] = index[i] / blocks.size[i];
            if (block[i] >= blocks.scale.dims[i])
                block[i] = blocks.scale.dims[i] - 1;
        }
        scale = get(&blocks.scale, block);
        set(&blocks.y, index, get(&blocks.x, index) * (blocks.negative ? -scale : scale));
    } while (step(blocks.x.rank, blocks.x.dims, index));
    return CUDA_SUCCESS;
}

static double largest_of(cudnnDataType_t type)
{
    switch (type) {
    case CUDNN_DATA_FP8_E4M3:
        return 448;
    case CUDNN_DATA_FP8_E5M2:
        return 57344;
    case CUDNN_DATA_FP4_E2M1:
        return 6;
    case CUDNN_DATA_INT8:
        return 127;
    default:
        return 65504;
    }
}

/* Calls for each element of the block at `block`: the first pass finds the largest, the second
 * writes. */
static double visit_block(const struct blocks *blocks, const int64_t *block, double scale,
                          bool write)
{
    int64_t within[DNN_RANK_MOST] = {0}, index[DNN_RANK_MOST];
    double largest = 0;

    do {
        bool inside = true;

        for (int i = 0; i < blocks->x.rank; i++) {
            index[i] = block[i] * blocks->size[i] + within[i];
            inside = inside && index[i] < blocks->x.dims[i];
        }
        if (inside && write)
            set(&blocks->y, index, scale ? get(&blocks->x, index) / scale : 0);
        else if (inside)
            largest = fmax(largest, fabs(get(&blocks->x, index)));
    } while (step(blocks->x.rank, blocks->size, within));
    return largest;
}

/* The scale maps the largest element of a block to the largest of the target; scales that are
 * powers of two are rounded up, so that nothing overflows. */
CUresult graph_run_quantize(struct graph_frame *frame, const struct graph_content *operation)
{
    struct blocks blocks = {
        .x = OPERAND(QUANTIZE_XDESC),
        .y = OPERAND(QUANTIZE_YDESC),
        .scale = OPERAND(QUANTIZE_SCALE_DESC),
    };
    cudnnDataType_t target =
        graph_tensor_at(operation, CUDNN_ATTR_OPERATION_BLOCK_SCALE_QUANTIZE_YDESC)->view.type;
    cudnnDataType_t scale_type =
        graph_tensor_at(operation, CUDNN_ATTR_OPERATION_BLOCK_SCALE_QUANTIZE_SCALE_DESC)->view.type;
    int64_t block[DNN_RANK_MOST] = {0};

    set_sizes(&blocks, operation, CUDNN_ATTR_OPERATION_BLOCK_SCALE_QUANTIZE_BLOCK_SIZE);
    if (!dnn_count(&blocks.scale))
        return CUDA_SUCCESS;
    do {
        double scale = visit_block(&blocks, block, 0, false) / largest_of(target);

        if (scale_type == CUDNN_DATA_FP8_E8M0 && scale > 0)
            scale = exp2(ceil(log2(scale)));
        set(&blocks.scale, block, scale);
        visit_block(&blocks, block, get(&blocks.scale, block), true);
    } while (step(blocks.scale.rank, blocks.scale.dims, block));
    return CUDA_SUCCESS;
}

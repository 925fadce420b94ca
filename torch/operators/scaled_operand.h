/* SPDX-License-Identifier: MIT */
/* Operands of scaled products: matrices of float8 or float4 with scales. */
#ifndef CUPIPE_TORCH_OPERATORS_SCALED_OPERAND_H
#define CUPIPE_TORCH_OPERATORS_SCALED_OPERAND_H

#include <ATen/core/Tensor.h>
#include <vector>

namespace cupipe
{

/* How many elements share a scale; the values of torch.nn.functional.ScalingType. */
enum scaling { SCALE_TENSOR, SCALE_ROW, SCALE_1X16, SCALE_1X32, SCALE_1X128, SCALE_128X128 };

struct operand_scale {
    at::Tensor values;
    scaling kind = SCALE_TENSOR;
    bool swizzled = false; /* in tiles of 128 x 4, as tensor cores read them */
};

/* One operand on the host: rows x contraction. The second operand is given transposed. */
struct scaled_operand {
    at::Tensor matrix;
    std::vector<operand_scale> scales;
    bool second = false;
};

/* The number of columns; a byte of float4 holds two. */
int64_t columns_of(const at::Tensor &matrix);

/* The values as float, with the scales of blocks. */
at::Tensor block_values(const scaled_operand &operand);

/* The product of the scales that belong to whole rows: (rows, 1) or a single number; undefined if
 * there is none. */
at::Tensor row_scales(const scaled_operand &operand);

/* first secondT with all scales, in float. */
at::Tensor scaled_product(const scaled_operand &first, const scaled_operand &second);

} // namespace cupipe

#endif

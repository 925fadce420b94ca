/* SPDX-License-Identifier: MIT */
/* Operands of scaled products. See scaled_operand.h. */
#include "scaled_operand.h"

#include <ATen/ATen.h>

namespace cupipe
{

namespace
{

bool is_float4(const at::Tensor &matrix)
{
    return matrix.scalar_type() == at::ScalarType::Float4_e2m1fn_x2;
}

/* Two values of 1 + 2 + 1 bits in a byte, the first in the low half. */
at::Tensor float4_values(const at::Tensor &matrix)
{
    static const float table[16] = {0.f,  .5f,  1.f,  1.5f,  2.f,  3.f,  4.f,  6.f,
                                    -0.f, -.5f, -1.f, -1.5f, -2.f, -3.f, -4.f, -6.f};
    at::Tensor bytes = matrix.view(at::kByte), values = at::tensor(at::ArrayRef<float>(table, 16));
    at::Tensor low = at::bitwise_and(bytes, 15).to(at::kLong);
    at::Tensor high = at::bitwise_right_shift(bytes, 4).to(at::kLong);

    return at::stack({values.take(low), values.take(high)}, -1).flatten(-2);
}

int64_t divide_up(int64_t value, int64_t unit)
{
    return (value + unit - 1) / unit;
}

/* The scales of rows x columns from tiles of 128 x 4: row 32 j + i of a tile has its four scales at
 * 16 i + 4 j. */
at::Tensor unswizzle(const at::Tensor &values, int64_t rows, int64_t columns)
{
    int64_t tiles = divide_up(rows, 128), wide = divide_up(columns, 4);

    TORCH_CHECK(values.numel() == tiles * wide * 512, "scaled product: ", rows, " x ", columns,
                " scales in tiles of 128 x 4 take ", tiles * wide * 512,
                " elements, but there are ", values.numel());
    return values.to(at::kFloat)
        .reshape({tiles, wide, 32, 4, 4})
        .permute({0, 3, 2, 1, 4})
        .reshape({tiles * 128, wide * 4})
        .slice(0, 0, rows)
        .slice(1, 0, columns);
}

/* Scales as rows x columns. Those of a second operand may be given transposed. */
at::Tensor scale_matrix(const operand_scale &scale, int64_t rows, int64_t columns, bool second)
{
    at::Tensor values = scale.values;

    if (scale.swizzled)
        return unswizzle(values, rows, columns);
    values = values.to(at::kFloat);
    if (values.dim() == 1)
        values = values.view({rows, columns});
    if (values.size(0) != rows || values.size(1) != columns || (second && rows == columns))
        values = values.t();
    TORCH_CHECK(values.size(0) == rows && values.size(1) == columns,
                "Invalid scaling configuration: expected scales of ", rows, " x ", columns,
                ", but got ", scale.values.sizes());
    return values;
}

/* Each scale repeated for its block. */
at::Tensor spread(const operand_scale &scale, int64_t rows, int64_t columns, bool second)
{
    int64_t high = scale.kind == SCALE_128X128 ? 128 : 1;
    int64_t wide = scale.kind == SCALE_1X16 ? 16 : scale.kind == SCALE_1X32 ? 32 : 128;
    at::Tensor values =
        scale_matrix(scale, divide_up(rows, high), divide_up(columns, wide), second);

    if (high > 1)
        values = values.repeat_interleave(high, 0).slice(0, 0, rows);
    return values.repeat_interleave(wide, 1).slice(1, 0, columns);
}

} // namespace

int64_t columns_of(const at::Tensor &matrix)
{
    return matrix.size(1) * (is_float4(matrix) ? 2 : 1);
}

at::Tensor block_values(const scaled_operand &operand)
{
    at::Tensor values =
        is_float4(operand.matrix) ? float4_values(operand.matrix) : operand.matrix.to(at::kFloat);

    for (const operand_scale &scale : operand.scales)
        if (scale.kind > SCALE_ROW)
            values = values * spread(scale, values.size(0), values.size(1), operand.second);
    return values;
}

at::Tensor row_scales(const scaled_operand &operand)
{
    at::Tensor product;

    for (const operand_scale &scale : operand.scales) {
        at::Tensor values;

        if (scale.kind > SCALE_ROW)
            continue;
        values = scale.values.to(at::kFloat).reshape({-1, 1});
        product = product.defined() ? product * values : values;
    }
    return product;
}

at::Tensor scaled_product(const scaled_operand &first, const scaled_operand &second)
{
    at::Tensor result = at::mm(block_values(first), block_values(second).t());
    at::Tensor rows = row_scales(first), columns = row_scales(second);

    if (rows.defined())
        result.mul_(rows);
    if (columns.defined())
        result.mul_(columns.t());
    return result;
}

} // namespace cupipe

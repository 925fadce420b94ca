/* SPDX-License-Identifier: MIT */
/* Products of float8 and float4 matrices with scales: aten::_scaled_mm, _scaled_mm_v2 and
 * _scaled_addmm. They accumulate in float. */
#include "arguments.h"
#include "host_work.h"
#include "operators.h"
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

void check_matrices(const at::Tensor &first, const at::Tensor &second)
{
    at::ScalarType a = first.scalar_type(), b = second.scalar_type();

    TORCH_CHECK(first.dim() == 2, "mat1 must be a matrix");
    TORCH_CHECK(second.dim() == 2, "mat2 must be a matrix");
    TORCH_CHECK(first.size(1) == second.size(0), "mat1 and mat2 shapes cannot be multiplied (",
                first.size(0), "x", first.size(1), " and ", second.size(0), "x", second.size(1),
                ")");
    TORCH_CHECK((at::isFloat8Type(a) && at::isFloat8Type(b)) ||
                    (is_float4(first) && is_float4(second)),
                "Invalid scaling configuration.");
    TORCH_CHECK_VALUE(a != at::kFloat8_e5m2 || b != at::kFloat8_e5m2,
                      "Multiplication of two Float8_e5m2 matrices is not supported");
    TORCH_CHECK(columns_of(first) % 16 == 0,
                "Expected trailing dimension of mat1 to be divisible by 16 but got mat1 shape: (",
                first.size(0), "x", first.size(1), ").");
    TORCH_CHECK(second.size(0) * (is_float4(second) ? 2 : 1) % 16 == 0 && second.size(1) % 16 == 0,
                "mat2 shape (", second.size(0), "x", second.size(1), ") must be divisible by 16");
    TORCH_CHECK((first.stride(1) == 1 || first.size(1) == 1) &&
                    (second.stride(0) == 1 || second.size(0) == 1),
                "Only multiplication of row-major and column-major matrices is supported by "
                "cuBLASLt");
}

/* The kind of a scale that has none stated, by its type and size. */
scaling guess_kind(const at::Tensor &scale, int64_t rows, int64_t columns, bool second)
{
    int64_t blocks = (columns + 127) / 128;

    if (scale.scalar_type() == at::kFloat8_e8m0fnu)
        return SCALE_1X32;
    if (scale.scalar_type() == at::kFloat8_e4m3fn)
        return SCALE_1X16;
    TORCH_CHECK(scale.scalar_type() == at::kFloat, "Invalid scaling configuration.");
    if (scale.numel() == 1)
        return SCALE_TENSOR;
    TORCH_CHECK(scale.dim() == 2, "Invalid scaling configuration.");
    if (scale.size(second) == rows && scale.size(!second) == 1)
        return SCALE_ROW;
    if (scale.size(second) == rows && scale.size(!second) == blocks)
        return SCALE_1X128;
    TORCH_CHECK(scale.size(second) == (rows + 127) / 128 && scale.size(!second) == blocks,
                "Invalid scaling configuration.");
    return SCALE_128X128;
}

/* An operand of _scaled_mm, whose one scale tells its kind by its shape. */
scaled_operand plain_operand(host_work &work, const at::Tensor &matrix, const at::Tensor &scale,
                             bool second)
{
    scaled_operand operand;
    scaling kind;

    operand.matrix = work.reads(matrix);
    operand.matrix = second ? operand.matrix.t() : operand.matrix;
    kind = guess_kind(scale, operand.matrix.size(0), columns_of(operand.matrix), second);
    operand.second = second;
    operand.scales.push_back({work.reads(scale), kind, kind == SCALE_1X16 || kind == SCALE_1X32});
    return operand;
}

/* An operand of _scaled_mm_v2, whose scales have stated kinds. `name` is "a" or "b". */
scaled_operand stated_operand(const arguments &args, host_work &work, const at::Tensor &matrix,
                              const std::string &name)
{
    std::vector<at::Tensor> scales = args.tensors("scale_" + name);
    std::vector<int64_t> kinds = args.integers("recipe_" + name);
    std::vector<int64_t> swizzles = args.integers("swizzle_" + name);
    scaled_operand operand;

    TORCH_CHECK_VALUE(scales.size() == kinds.size(), "scaled product: ", scales.size(),
                      " scales of operand ", name, ", but ", kinds.size(), " recipes");
    operand.matrix = work.reads(matrix);
    operand.second = name == "b";
    if (operand.second)
        operand.matrix = operand.matrix.t();
    for (size_t i = 0; i < scales.size(); i++) {
        int64_t swizzle = i < swizzles.size() ? swizzles[i] : 0;

        TORCH_CHECK_VALUE(swizzle == 0 || swizzle == 1,
                          "scaled product: cupipe knows the swizzles NO_SWIZZLE and "
                          "SWIZZLE_32_4_4, not ",
                          swizzle);
        TORCH_CHECK_VALUE(kinds[i] >= SCALE_TENSOR && kinds[i] <= SCALE_128X128,
                          "scaled product: unknown recipe ", kinds[i]);
        operand.scales.push_back(
            {work.reads(scales[i]), static_cast<scaling>(kinds[i]), swizzle == 1});
    }
    return operand;
}

/* The result, and what is done with it before it is stored. */
struct product_end {
    at::Tensor bias, result_scale, addend;
    double alpha = 1, beta = 1;
};

void submit_product(host_work &work, const scaled_operand &first, const scaled_operand &second,
                    const product_end &end, const at::Tensor &out)
{
    work.submit([=, to = work.writes(out)] {
        at::Tensor result = scaled_product(first, second);

        if (end.bias.defined())
            result.add_(end.bias.to(at::kFloat));
        if (end.addend.defined())
            result = result.mul_(end.alpha).add_(end.addend.to(at::kFloat), end.beta);
        if (end.result_scale.defined() && at::isFloat8Type(to.scalar_type()))
            result.mul_(end.result_scale);
        if (to.scalar_type() == at::kFloat8_e4m3fn)
            result.clamp_(-448, 448);
        to.copy_(result);
    });
}

/* The tensor for the result: `out`, resized, or a new one. */
at::Tensor result_of(const arguments &args, const at::Tensor &first, const at::Tensor &second,
                     at::ScalarType type)
{
    at::Tensor out = args.tensor("out");
    std::vector<int64_t> sizes = {first.size(0), second.size(1)};

    if (!out.defined())
        return at::empty(sizes, first.options().dtype(type));
    if (out.sizes() != at::IntArrayRef(sizes))
        out.resize_(sizes);
    return out;
}

void check_bias(const at::Tensor &bias, const at::Tensor &second, at::ScalarType type)
{
    if (!bias.defined())
        return;
    TORCH_CHECK(bias.numel() == second.size(1), "Bias must be size ", second.size(1), " but got ",
                bias.numel());
    TORCH_CHECK(type != at::kFloat, "Bias is not supported when out_dtype is set to Float32");
    TORCH_CHECK(bias.scalar_type() == at::kBFloat16 || bias.scalar_type() == at::kHalf,
                "Bias must be BFloat16 or Half, but got ", bias.scalar_type());
}

void scaled_mm(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
    arguments args(op, stack);
    host_work work(op);
    at::Tensor first = args.tensor("self"), second = args.tensor("mat2");
    at::Tensor bias = args.tensor("bias"), out;
    at::ScalarType type = args.optional_type("out_dtype").value_or(first.scalar_type());

    check_matrices(first, second);
    check_bias(bias, second, type);

    scaled_operand a = plain_operand(work, first, args.tensor("scale_a"), false);
    scaled_operand b = plain_operand(work, second, args.tensor("scale_b"), true);

    out = result_of(args, first, second, type);
    submit_product(work, a, b, {work.reads(bias), work.reads(args.tensor("scale_result")), {}},
                   out);
    args.give(out);
}

void check_contraction(const arguments &args)
{
    std::vector<int64_t> dimensions = args.integers("contraction_dim");

    TORCH_CHECK_VALUE(dimensions.empty() || dimensions == std::vector<int64_t>({1, 0}) ||
                          dimensions == std::vector<int64_t>({-1, -2}),
                      args.op().schema().name(), " only supports contraction_dim=(1, 0)");
}

void scaled_mm_v2(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
    arguments args(op, stack);
    host_work work(op);
    at::Tensor first = args.tensor("self"), second = args.tensor("mat2");
    at::Tensor bias = args.tensor("bias"), out;
    at::ScalarType type = args.optional_type("out_dtype").value_or(at::kBFloat16);

    check_contraction(args);
    check_matrices(first, second);
    check_bias(bias, second, type);

    scaled_operand a = stated_operand(args, work, first, "a");
    scaled_operand b = stated_operand(args, work, second, "b");

    out = result_of(args, first, second, type);
    submit_product(work, a, b, {work.reads(bias), {}, {}}, out);
    args.give(out);
}

void scaled_addmm(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
    arguments args(op, stack);
    host_work work(op);
    at::Tensor self = args.tensor("self"), out;
    at::Tensor first = args.tensor("mat1"), second = args.tensor("mat2");

    check_contraction(args);
    check_matrices(first, second);

    scaled_operand a = stated_operand(args, work, first, "a");
    scaled_operand b = stated_operand(args, work, second, "b");

    out = result_of(args, first, second, self.scalar_type());
    submit_product(work, a, b,
                   {{}, {}, work.reads(self), args.number("alpha", 1), args.number("beta", 1)},
                   out);
    args.give(out);
}

} // namespace

void register_scaled_products(torch::Library &aten_cuda)
{
    add_boxed<scaled_mm>(aten_cuda, "_scaled_mm");
    add_boxed<scaled_mm>(aten_cuda, "_scaled_mm.out");
    add_boxed<scaled_mm_v2>(aten_cuda, "_scaled_mm_v2");
    add_boxed<scaled_mm_v2>(aten_cuda, "_scaled_mm_v2.out");
    add_boxed<scaled_addmm>(aten_cuda, "_scaled_addmm");
    add_boxed<scaled_addmm>(aten_cuda, "_scaled_addmm.out");
}

} // namespace cupipe

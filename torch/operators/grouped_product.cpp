/* SPDX-License-Identifier: MIT */
/* Products of groups of matrices: aten::_grouped_mm, _scaled_grouped_mm and _scaled_grouped_mm_v2.
 *
 * A matrix of two dimensions is cut by `offs`, the ends of the groups, which are read when the work
 * runs: rows of the first, columns of the second, or the contraction if both have two. */
#include "arguments.h"
#include "host_work.h"
#include "operators.h"

#include <ATen/ATen.h>

namespace cupipe
{

namespace
{

void check_groups(const at::Tensor &first, const at::Tensor &second, const at::Tensor &ends)
{
    bool flat = first.dim() == 2 || second.dim() == 2;

    TORCH_CHECK(first.dim() == 2 || first.dim() == 3, "mat_a has to be 2 or 3d");
    TORCH_CHECK(second.dim() == 2 || second.dim() == 3, "mat_b has to be 2 or 3d");
    TORCH_CHECK(first.size(-1) == second.size(-2),
                "contraction dimension of mat_a and mat_b must match, but is ", first.size(-1),
                " and ", second.size(-2));
    TORCH_CHECK(ends.defined() == flat, "Have to provide offsets if there is a 2d matrix, or no "
                                        "offset if both matrices are 3d");
    TORCH_CHECK(!flat || ends.scalar_type() == at::kInt, "Offsets have to be int32");
    TORCH_CHECK(!flat || ends.dim() == 1, "offs has to be 1D");
    TORCH_CHECK(flat || first.size(0) == second.size(0), "matrix batch sizes have to match");
}

/* The result; its rows begin at multiples of 16 bytes. */
at::Tensor new_result(const at::Tensor &first, const at::Tensor &second, const at::Tensor &ends,
                      at::ScalarType type)
{
    std::vector<int64_t> sizes, strides;
    int64_t unit = 16 / (int64_t)c10::elementSize(type), row;

    if (first.dim() == 3 && second.dim() == 3)
        sizes = {first.size(0), first.size(1), second.size(2)};
    else if (first.dim() == 2 && second.dim() == 2)
        sizes = {ends.size(0), first.size(0), second.size(1)};
    else
        sizes = {first.size(-2), second.size(-1)};
    row = (sizes.back() + unit - 1) / unit * unit;
    strides = {row, 1};
    if (sizes.size() == 3)
        strides.insert(strides.begin(), sizes[1] * row);
    return at::empty_strided(sizes, strides, first.options().dtype(type));
}

/* The part of each operand that belongs to one group; scales are undefined without. */
struct group {
    at::Tensor first, second, out, first_scale, second_scale;
};

struct grouped_call {
    at::Tensor first, second, ends, out, first_scale, second_scale;

    int64_t count() const
    {
        return ends.defined() ? ends.size(0) : first.size(0);
    }

    group at(int64_t i) const
    {
        const int32_t *end = ends.defined() ? ends.const_data_ptr<int32_t>() : nullptr;
        int64_t from = end && i > 0 ? end[i - 1] : 0, to = end ? end[i] : 0;
        bool both = first.dim() == 2 && second.dim() == 2;
        group part;

        part.first = first.dim() == 3 ? first[i] : first.slice(both ? 1 : 0, from, to);
        part.second = second.dim() == 3 ? second[i] : second.slice(both ? 0 : 1, from, to);
        if (out.dim() == 3)
            part.out = out[i];
        else
            part.out = out.slice(first.dim() == 2 ? 0 : 1, from, to);
        if (first_scale.defined()) {
            part.first_scale = part_of_scale(first_scale, first, i, from, to, both);
            part.second_scale = part_of_scale(second_scale, second, i, from, to, both);
        }
        return part;
    }

    /* The scales of rows (or columns): one row a group, one for each row, or if both operands are
     * cut, one list after the other. */
    at::Tensor part_of_scale(const at::Tensor &scale, const at::Tensor &matrix, int64_t i,
                             int64_t from, int64_t to, bool both) const
    {
        if (matrix.dim() == 3)
            return scale.reshape({matrix.size(0), -1})[i];
        if (both)
            return scale.reshape({count(), -1})[i];
        return scale.reshape({-1}).slice(0, from, to);
    }
};

void run_groups(const grouped_call &call, const at::Tensor &bias)
{
    at::ScalarType type = accumulate_type(call.first.scalar_type());

    if (call.ends.defined() && call.out.dim() == 2)
        call.out.zero_();
    for (int64_t i = 0; i < call.count(); i++) {
        group part = call.at(i);
        at::Tensor result = at::mm(part.first.to(type), part.second.to(type));

        if (part.first_scale.defined())
            result.mul_(part.first_scale.unsqueeze(1)).mul_(part.second_scale);
        if (bias.defined())
            result.add_(bias.dim() == 2 ? bias[i] : bias);
        part.out.copy_(result);
    }
}

void submit_groups(const arguments &args, host_work &work, const at::Tensor &out,
                   const at::Tensor &first_scale, const at::Tensor &second_scale)
{
    grouped_call call = {work.reads(args.tensor("self")), work.reads(args.tensor("mat2")),
                         work.reads(args.tensor("offs")), work.writes(out),
                         work.reads(first_scale),         work.reads(second_scale)};

    work.submit([=, bias = work.reads(args.tensor("bias"))] { run_groups(call, bias); });
}

void grouped_mm(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
    arguments args(op, stack);
    host_work work(op);
    at::Tensor first = args.tensor("self"), second = args.tensor("mat2"),
               ends = args.tensor("offs");
    at::ScalarType type = args.optional_type("out_dtype").value_or(first.scalar_type());
    at::Tensor out;

    check_groups(first, second, ends);
    TORCH_CHECK(first.scalar_type() == second.scalar_type(),
                "Expected mat_a and mat_b to have the same dtype, but got ", first.scalar_type(),
                " and ", second.scalar_type());
    TORCH_CHECK(type == first.scalar_type(), "Grouped gemm output dtype must match `mat_a` dtype");
    TORCH_CHECK(!args.tensor("bias").defined(), "Bias not supported yet");
    out = new_result(first, second, ends, type);
    submit_groups(args, work, out, {}, {});
    args.give(out);
}

void scaled_grouped_mm(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
    arguments args(op, stack);
    host_work work(op);
    at::Tensor first = args.tensor("self"), second = args.tensor("mat2"),
               ends = args.tensor("offs");
    at::Tensor first_scale = args.tensor("scale_a"), second_scale = args.tensor("scale_b");
    at::Tensor out = args.tensor("out");
    at::ScalarType type = args.optional_type("out_dtype").value_or(at::kBFloat16);

    if (!first_scale.defined()) {
        TORCH_CHECK_VALUE(args.integers("recipe_a") == std::vector<int64_t>({1}) &&
                              args.integers("recipe_b") == std::vector<int64_t>({1}),
                          op.schema().name(), ": cupipe supports row-wise scales only");
        first_scale = args.tensors("scale_a")[0];
        second_scale = args.tensors("scale_b")[0];
    }
    check_groups(first, second, ends);
    TORCH_CHECK(at::isFloat8Type(first.scalar_type()) && at::isFloat8Type(second.scalar_type()),
                "Expected mat_a and mat_b to be Float8_e4m3 matrices, but got ",
                first.scalar_type(), " and ", second.scalar_type());
    TORCH_CHECK_VALUE(first.size(-1) % 16 == 0,
                      "Expected trailing dimension of mat_a to be divisible by 16 but got mat_a "
                      "shape: (",
                      first.sizes(), ").");
    TORCH_CHECK_VALUE(second.size(-2) % 16 == 0 && second.size(-1) % 16 == 0,
                      "Expected mat_b shape to be divisible by 16 but got mat_b shape: (",
                      second.sizes(), ").");
    TORCH_CHECK(first_scale.scalar_type() == at::kFloat && second_scale.scalar_type() == at::kFloat,
                "scale must be float32");
    TORCH_CHECK_VALUE(type == at::kBFloat16, "Only bf16 high precision output types are supported "
                                             "for grouped gemm");
    if (!out.defined())
        out = new_result(first, second, ends, type);
    submit_groups(args, work, out, first_scale, second_scale);
    args.give(out);
}

} // namespace

void register_grouped_products(torch::Library &aten_cuda)
{
    add_boxed<grouped_mm>(aten_cuda, "_grouped_mm");
    add_boxed<scaled_grouped_mm>(aten_cuda, "_scaled_grouped_mm");
    add_boxed<scaled_grouped_mm>(aten_cuda, "_scaled_grouped_mm_v2");
    add_boxed<scaled_grouped_mm>(aten_cuda, "_scaled_grouped_mm_v2.out");
}

} // namespace cupipe

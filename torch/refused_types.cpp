/* SPDX-License-Identifier: MIT */
/* The table was recorded on an H200, with the types that torch's database of operators names for
 * the CPU and not for CUDA. */
#include "refused_types.h"

#include <string>
#include <string_view>
#include <unordered_map>

namespace cupipe
{
namespace
{

enum types : unsigned { BYTE = 1, INTEGERS = 2, BOOLEANS = 4, COMPLEX = 8 };

struct refusal {
    unsigned types;
    const char *kernel;          /* how the card's error names it; "" for cuDNN's error */
    const char *reductions = ""; /* only these, each between blanks, if there are any */
};

const std::unordered_map<std::string_view, refusal> refusals = {
    {"aten::_upsample_bicubic2d_aa", {BYTE, "upsample_bilinear2d_out_frame"}},
    {"aten::_upsample_bilinear2d_aa", {BYTE, "upsample_bilinear2d_out_frame"}},
    {"aten::addbmm", {INTEGERS | BOOLEANS, "addmm_cuda"}},
    {"aten::addbmm_", {INTEGERS | BOOLEANS, "addmm_cuda"}},
    {"aten::addmm", {INTEGERS | BOOLEANS, "addmm_cuda"}},
    {"aten::addmm_", {INTEGERS | BOOLEANS, "addmm_cuda"}},
    {"aten::addmv", {INTEGERS | BOOLEANS, "addmv_impl_cuda"}},
    {"aten::addmv_", {INTEGERS | BOOLEANS, "addmv_impl_cuda"}},
    {"aten::avg_pool2d", {INTEGERS, "avg_pool2d_out_cuda_frame"}},
    {"aten::avg_pool3d", {INTEGERS, "avg_pool3d_out_cuda"}},
    {"aten::baddbmm", {INTEGERS | BOOLEANS, "baddbmm_cuda"}},
    {"aten::baddbmm_", {INTEGERS | BOOLEANS, "baddbmm_cuda"}},
    {"aten::bmm", {INTEGERS | BOOLEANS, "baddbmm_cuda"}},
    {"aten::convolution", {INTEGERS | BOOLEANS, ""}},
    {"aten::dot", {INTEGERS | BOOLEANS, "dot"}},
    {"aten::max_pool2d_with_indices", {INTEGERS, "max_pool2d_with_indices_out_cuda_frame"}},
    {"aten::max_pool3d_with_indices", {INTEGERS, "max_pool3d_with_indices_out_frame"}},
    {"aten::mm", {INTEGERS | BOOLEANS, "addmm_cuda"}},
    {"aten::native_dropout_backward", {INTEGERS | BOOLEANS, "masked_scale"}},
    {"aten::scatter", {COMPLEX | BOOLEANS, "cuda_scatter_gather_base_kernel_func", " multiply "}},
    {"aten::scatter_", {COMPLEX | BOOLEANS, "cuda_scatter_gather_base_kernel_func", " multiply "}},
    {"aten::scatter_reduce",
     {COMPLEX | BOOLEANS, "cuda_scatter_gather_base_kernel_func", " prod mean amin amax "}},
    {"aten::scatter_reduce_",
     {COMPLEX | BOOLEANS, "cuda_scatter_gather_base_kernel_func", " prod mean amin amax "}},
    {"aten::upsample_bicubic2d", {BYTE, "upsample_bicubic2d_out_frame"}},
    {"aten::upsample_bilinear2d", {BYTE, "upsample_bilinear2d_out_frame"}},
    {"aten::vdot", {INTEGERS | BOOLEANS, "dot"}},
};

unsigned types_of(at::ScalarType type)
{
    if (type == at::kBool)
        return BOOLEANS;
    if (at::isComplexType(type))
        return COMPLEX;
    if (!at::isIntegralType(type, /*includeBool=*/false))
        return 0;
    return type == at::kByte ? BYTE | INTEGERS : INTEGERS;
}

/* Whether a refusal is for this call's reduction. */
bool is_for_reduction(const refusal &known, const c10::OperatorHandle &op,
                      const torch::jit::Stack &stack, size_t first)
{
    auto place = op.schema().argumentIndexWithName("reduce");

    if (!*known.reductions)
        return true;
    if (!place)
        return false;
    std::string word = " " + stack[first + static_cast<size_t>(*place)].toStringRef() + " ";
    return std::string_view(known.reductions).find(word) != std::string_view::npos;
}

} // namespace

bool refuses_types(const c10::OperatorHandle &op)
{
    return refusals.count(op.schema().name()) != 0;
}

void check_types_of_card(const c10::OperatorHandle &op, const torch::jit::Stack &stack)
{
    at::ScalarType type = at::ScalarType::Undefined;
    size_t first = stack.size() - op.schema().arguments().size();

    for (size_t i = first; i < stack.size(); i++)
        if (stack[i].isTensor() && stack[i].toTensor().defined()) {
            if (type == at::ScalarType::Undefined)
                type = stack[i].toTensor().scalar_type();
            if (stack[i].toTensor().numel() == 0)
                return; /* the card launches no kernel */
        }
    if (type == at::ScalarType::Undefined || !types_of(type))
        return;
    const refusal &known = refusals.at(op.schema().name());
    if (!(types_of(type) & known.types) || !is_for_reduction(known, op, stack, first))
        return;
    TORCH_CHECK(*known.kernel, "getCudnnDataTypeFromScalarType() not supported for ", type);
    TORCH_CHECK_NOT_IMPLEMENTED(false, "\"", known.kernel, "\" not implemented for '", type, "'");
}

} // namespace cupipe

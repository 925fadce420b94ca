/* SPDX-License-Identifier: MIT */
/* The table was recorded on an H200, with the types that torch's database of operators names for
 * the CPU and not for CUDA. */
#include "refused_types.h"

#include <string_view>
#include <unordered_map>

namespace cupipe
{
namespace
{

enum types : unsigned { BYTE = 1, INTEGERS = 2, BOOLEANS = 4 };

struct refusal {
    unsigned types;
    const char *kernel; /* how the card's error names it; "" for cuDNN's error */
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
    {"aten::upsample_bicubic2d", {BYTE, "upsample_bicubic2d_out_frame"}},
    {"aten::upsample_bilinear2d", {BYTE, "upsample_bilinear2d_out_frame"}},
    {"aten::vdot", {INTEGERS | BOOLEANS, "dot"}},
};

unsigned types_of(at::ScalarType type)
{
    if (type == at::kBool)
        return BOOLEANS;
    if (!at::isIntegralType(type, /*includeBool=*/false))
        return 0;
    return type == at::kByte ? BYTE | INTEGERS : INTEGERS;
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
    if (!(types_of(type) & known.types))
        return;
    TORCH_CHECK(*known.kernel, "getCudnnDataTypeFromScalarType() not supported for ", type);
    TORCH_CHECK_NOT_IMPLEMENTED(false, "\"", known.kernel, "\" not implemented for '", type, "'");
}

} // namespace cupipe

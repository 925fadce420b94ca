/* SPDX-License-Identifier: MIT */
#include "nondeterministic.h"

#include "operands.h"

#include <ATen/Context.h>
#include <string_view>
#include <torch/version.h>
#include <unordered_map>

namespace cupipe
{
namespace
{

using condition = bool(const c10::OperatorHandle &op, const torch::jit::Stack &stack);

bool always(const c10::OperatorHandle &, const torch::jit::Stack &)
{
    return true;
}

bool has_weights(const c10::OperatorHandle &op, const torch::jit::Stack &stack)
{
    const c10::IValue &weights = argument(op, stack, "weights");
    return weights.isTensor() && weights.toTensor().defined();
}

bool is_floating(const c10::OperatorHandle &op, const torch::jit::Stack &stack)
{
    return argument(op, stack, "self").toTensor().is_floating_point();
}

bool takes_maximum(const c10::OperatorHandle &op, const torch::jit::Stack &stack)
{
    enum { MAXIMUM = 2 };
    return argument(op, stack, "mode").toInt() == MAXIMUM;
}

struct alert {
    const char *words; /* how torch names the kernel */
    condition *applies;
};

const std::unordered_map<std::string_view, alert> alerts = {
    {"aten::_adaptive_avg_pool2d_backward", {"adaptive_avg_pool2d_backward_cuda", always}},
    {"aten::_adaptive_avg_pool3d_backward", {"adaptive_avg_pool3d_backward_cuda", always}},
    {"aten::adaptive_max_pool2d_backward", {"adaptive_max_pool2d_backward_cuda", always}},
    {"aten::avg_pool3d_backward", {"avg_pool3d_backward_cuda", always}},
    {"aten::max_pool3d_with_indices_backward", {"max_pool3d_with_indices_backward_cuda", always}},
    {"aten::fractional_max_pool2d_backward", {"fractional_max_pool2d_backward_cuda", always}},
    {"aten::fractional_max_pool3d_backward", {"fractional_max_pool3d_backward_cuda", always}},
    {"aten::max_unpool2d", {"max_unpooling2d_forward_out", always}},
    {"aten::max_unpool3d", {"max_unpooling3d_forward_out", always}},
    {"aten::upsample_linear1d_backward", {"upsample_linear1d_backward_out_cuda", always}},
    {"aten::upsample_bilinear2d_backward", {"upsample_bilinear2d_backward_out_cuda", always}},
    {"aten::upsample_bicubic2d_backward", {"upsample_bicubic2d_backward_out_cuda", always}},
    {"aten::upsample_trilinear3d_backward", {"upsample_trilinear3d_backward_out_cuda", always}},
    {"aten::reflection_pad1d_backward", {"reflection_pad1d_backward_out_cuda", always}},
#if TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR < 11
    {"aten::reflection_pad2d_backward", {"reflection_pad2d_backward_cuda", always}},
#endif
    {"aten::reflection_pad3d_backward", {"reflection_pad3d_backward_out_cuda", always}},
    {"aten::replication_pad1d_backward", {"replication_pad1d_backward_cuda", always}},
    {"aten::replication_pad2d_backward", {"replication_pad2d_backward_cuda", always}},
    {"aten::replication_pad3d_backward", {"replication_pad3d_backward_cuda", always}},
    {"aten::nll_loss2d_forward", {"nll_loss2d_forward_out_cuda_template", always}},
    {"aten::_ctc_loss_backward", {"ctc_loss_backward_gpu", always}},
    {"aten::_embedding_bag_backward", {"embedding_bag_backward_cuda_max", takes_maximum}},
    {"aten::_embedding_bag_dense_backward", {"embedding_bag_backward_cuda_max", takes_maximum}},
    {"aten::put_", {"put_", always}},
    {"aten::histc", {"_histc_cuda with floating point input", is_floating}},
    {"aten::bincount", {"_bincount_cuda", has_weights}},
    {"aten::median.dim_values", {"median CUDA with indices output", always}},
    {"aten::nanmedian.dim_values", {"nanmedian CUDA with indices output", always}},
    {"aten::kthvalue.values", {"kthvalue CUDA", always}},
    {"aten::grid_sampler_2d_backward", {"grid_sampler_2d_backward_cuda", always}},
    {"aten::grid_sampler_3d_backward", {"grid_sampler_3d_backward_cuda", always}},
};

} // namespace

void alert_nondeterministic(const c10::OperatorHandle &op, const torch::jit::Stack &stack)
{
    if (!at::globalContext().deterministicAlgorithms())
        return;
    std::string full = c10::toString(op.operator_name());
    auto found = alerts.find(full);
    if (found == alerts.end())
        found = alerts.find(op.schema().name());
    if (found != alerts.end() && found->second.applies(op, stack))
        at::globalContext().alertNotDeterministic(found->second.words);
}

} // namespace cupipe

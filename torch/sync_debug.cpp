/* SPDX-License-Identifier: MIT */
/* Which operators wait on a card was recorded on one. Operators that torch composes of others are
 * not in the table: the one among them that waits is. */
#include "sync_debug.h"

#include "operands.h"

#include <ATen/core/Tensor.h>
#include <c10/cuda/CUDAFunctions.h>
#include <string_view>
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

/* The card counts the true elements of a mask in its memory, and copies indices of the host there;
 * a mask of the host is counted there, and its indices are pinned. */
bool has_waiting_index(const c10::OperatorHandle &op, const torch::jit::Stack &stack)
{
    for (const auto &index : argument(op, stack, "indices").toOptionalTensorVector())
        if (index && index->defined() && index->is_cuda() == is_mask(*index))
            return true;
    return false;
}

/* A number for all elements of a mask needs no count of them. */
bool puts_and_waits(const c10::OperatorHandle &op, const torch::jit::Stack &stack)
{
    const at::Tensor &values = argument(op, stack, "values").toTensor();
    auto indices = argument(op, stack, "indices").toOptionalTensorVector();
    bool fills =
        values.numel() == 1 && values.is_cpu() && !argument(op, stack, "accumulate").toBool();

    for (const auto &index : indices)
        fills &= !index || !index->defined() || is_mask(*index);
    return !fills && has_waiting_index(op, stack);
}

bool lacks_output_size(const c10::OperatorHandle &op, const torch::jit::Stack &stack)
{
    return argument(op, stack, "output_size").isNone();
}

const std::unordered_map<std::string_view, condition *> waits = {
    {"aten::_local_scalar_dense", always},
    {"aten::equal", always},
    {"aten::nonzero", always},
    {"aten::masked_select", always},
    {"aten::_unique", always},
    {"aten::_unique2", always},
    {"aten::unique_consecutive", always},
    {"aten::bincount", always},
    {"aten::index", has_waiting_index},
    {"aten::_index_put_impl_", puts_and_waits},
    {"aten::repeat_interleave", lacks_output_size},
};

} // namespace

void note_wait()
{
    if (c10::cuda::warning_state().get_sync_debug_mode() != c10::cuda::SyncDebugMode::L_DISABLED)
        c10::cuda::warn_or_error_on_sync();
}

void note_waits(const c10::OperatorHandle &op, const torch::jit::Stack &stack)
{
    if (c10::cuda::warning_state().get_sync_debug_mode() == c10::cuda::SyncDebugMode::L_DISABLED)
        return;
    auto found = waits.find(op.schema().name());
    if (found != waits.end() && found->second(op, stack))
        c10::cuda::warn_or_error_on_sync();
}

} // namespace cupipe

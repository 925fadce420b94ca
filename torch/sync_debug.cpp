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

/* How often a call waits. */
using counter = int(const c10::OperatorHandle &op, const torch::jit::Stack &stack);

template <int count> int times(const c10::OperatorHandle &, const torch::jit::Stack &)
{
    return count;
}

/* A tensor is equal to itself without a look at its values. */
int waits_of_equal(const c10::OperatorHandle &op, const torch::jit::Stack &stack)
{
    const at::Tensor &a = argument(op, stack, "self").toTensor();
    const at::Tensor &b = argument(op, stack, "other").toTensor();

    return a.numel() != 0 && a.sizes() == b.sizes() &&
           (a.const_data_ptr() != b.const_data_ptr() || a.strides() != b.strides());
}

/* The card counts the true elements of a mask in its memory, and copies indices of the host there;
 * a mask of the host is counted there, and its indices are pinned. */
int waits_of_index(const c10::OperatorHandle &op, const torch::jit::Stack &stack)
{
    int count = 0;

    for (const auto &index : argument(op, stack, "indices").toOptionalTensorVector())
        count += index && index->defined() && index->is_cuda() == is_mask(*index);
    return count;
}

/* A number for all elements of masks needs no count of them; elsewhere it is copied to the card. */
int waits_of_put(const c10::OperatorHandle &op, const torch::jit::Stack &stack)
{
    const at::Tensor &values = argument(op, stack, "values").toTensor();
    bool replaces = !argument(op, stack, "accumulate").toBool();
    bool masks = true;

    for (const auto &index : argument(op, stack, "indices").toOptionalTensorVector())
        masks &= !index || !index->defined() || is_mask(*index);
    if (values.is_cpu() && values.numel() == 1 && masks && replaces)
        return 0;
    return waits_of_index(op, stack) + values.is_cpu();
}

/* The card looks for a negative number, and takes the sum, but not if the program tells it. */
int waits_of_repetition(const c10::OperatorHandle &op, const torch::jit::Stack &stack)
{
    return argument(op, stack, "output_size").isNone() ? 2 : 0;
}

/* Without a range the smallest and the largest value are it. */
int waits_of_histogram(const c10::OperatorHandle &op, const torch::jit::Stack &stack)
{
    double first = argument(op, stack, "min").toScalar().toDouble();
    double last = argument(op, stack, "max").toScalar().toDouble();

    return first == last ? 2 : 0;
}

int waits_of_unique(const c10::OperatorHandle &op, const torch::jit::Stack &stack)
{
    return argument(op, stack, "dim").isNone() ? 1 : 0;
}

const std::unordered_map<std::string_view, counter *> waits = {
    {"aten::_local_scalar_dense", times<1>},
    {"aten::equal", waits_of_equal},
    {"aten::nonzero", times<1>},
    {"aten::masked_select", times<1>},
    {"aten::_unique", times<1>},
    {"aten::_unique2", times<1>},
    {"aten::unique_consecutive", waits_of_unique},
    {"aten::bincount", times<2>},
    {"aten::histc", waits_of_histogram},
    {"aten::index", waits_of_index},
    {"aten::_index_put_impl_", waits_of_put},
    {"aten::repeat_interleave", waits_of_repetition},
    {"aten::_to_sparse", times<1>},
    {"aten::_ctc_loss", times<3>},
    {"aten::_linalg_eigh", times<1>},
    {"aten::_linalg_svd", times<2>},
    {"aten::segment_reduce", times<2>},
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
    int count = found == waits.end() ? 0 : found->second(op, stack);
    for (int i = 0; i < count; i++)
        c10::cuda::warn_or_error_on_sync();
}

} // namespace cupipe

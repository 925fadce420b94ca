/* SPDX-License-Identifier: MIT */
/* Recurrent modules under torch.autocast. torch's own function for it asks cuDNN how the weights of
 * a module lie in one buffer; here they are cast one by one. */
#include "operators.h"

#include <ATen/autocast_mode.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

namespace cupipe
{
namespace
{

at::Tensor cast(const at::Tensor &tensor)
{
    return at::autocast::cached_cast(at::autocast::get_autocast_dtype(at::kCUDA), tensor,
                                     at::kCUDA);
}

c10::IValue cast_value(const c10::IValue &value)
{
    if (value.isTensor())
        return cast(value.toTensor());
    if (!value.isTensorList())
        return value;
    c10::List<at::Tensor> list;
    for (const at::Tensor &tensor : value.toTensorVector())
        list.push_back(cast(tensor));
    return list;
}

void cudnn_rnn(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
    c10::impl::ExcludeDispatchKeyGuard once(
        at::autocast::get_autocast_dispatch_key_from_device_type(at::kCUDA));
    const auto &arguments = op.schema().arguments();
    size_t first = stack->size() - arguments.size();

    for (size_t i = 0; i < arguments.size(); i++) {
        c10::IValue &value = (*stack)[first + i];
        /* The buffer has the weights of before the cast. */
        value = arguments[i].name() == "weight_buf" ? c10::IValue() : cast_value(value);
    }
    op.callBoxed(stack);
}

} // namespace

void register_recurrent_autocast()
{
    /* Never destroyed: the dispatcher may be gone when the process ends. */
    static auto &aten_autocast = *new torch::Library(
        torch::Library::IMPL, "aten", c10::DispatchKey::AutocastCUDA, __FILE__, __LINE__);

    add_boxed<cudnn_rnn>(aten_autocast, "_cudnn_rnn");
}

} // namespace cupipe

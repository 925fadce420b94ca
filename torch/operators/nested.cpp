/* SPDX-License-Identifier: MIT */
/* Nested tensors: the operators with a kernel of their own for the card.
 *
 * Others work on the buffer of a nested tensor with operators of dense tensors. The sizes of a
 * nested tensor are on the host, so these operators wait for the stream. */
#include "arguments.h"
#include "operators.h"

#include "../host_view.h"

#include <ATen/ATen.h>
#include <ATen/NestedTensorImpl.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <c10/cuda/CUDAStream.h>

namespace cupipe
{

namespace
{

/* A nested tensor with the sizes of another on another buffer. */
at::Tensor nested_on(const at::Tensor &buffer, const at::Tensor &like)
{
    auto *nested = at::native::get_nested_tensor_impl(like);

    return at::detail::make_tensor<at::native::NestedTensorImpl>(buffer, nested->get_nested_sizes(),
                                                                 nested->get_nested_strides(),
                                                                 nested->get_storage_offsets());
}

at::Tensor to_host(const at::Tensor &tensor)
{
    if (!tensor.defined() || !tensor.is_cuda())
        return tensor;
    if (tensor.is_nested())
        return nested_on(host_view(at::native::get_nested_tensor_impl(tensor)->get_buffer()),
                         tensor);
    return host_view(tensor);
}

at::Tensor to_device(const at::Tensor &tensor, c10::Device device)
{
    if (!tensor.defined() || !tensor.is_cpu())
        return tensor;
    if (tensor.is_nested())
        return nested_on(at::native::get_nested_tensor_impl(tensor)->get_buffer().to(device),
                         tensor);
    return tensor.to(device);
}

/* A dense tensor (batch, 1, width) repeated for the rows of each part of a nested tensor, which the
 * CPU kernels of add and mul do not do. */
at::Tensor repeat_for(const at::Tensor &nested, const at::Tensor &dense)
{
    std::vector<at::Tensor> rows;
    int64_t part = 0;

    for (const at::Tensor &each : nested.unbind())
        rows.push_back(dense[part++].expand_as(each).reshape({-1}));
    return nested_on(at::cat(rows), nested);
}

/* Makes the second of two tensors nested where it can be repeated. */
void repeat_dense_operand(const c10::OperatorHandle &op, torch::jit::Stack &stack, size_t first)
{
    at::Tensor self, other;

    if (op.schema().arguments().size() < 2 || op.schema().arguments()[1].name() != "other")
        return;
    self = stack[first].toTensor();
    other = stack[first + 1].toTensor();
    if (self.is_nested() && !other.is_nested() && other.dim() == 3 && other.size(1) == 1)
        stack[first + 1] = repeat_for(self.contiguous(), other);
}

/* Runs the operator at once, on the host. */
void run_on_host(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    size_t first = stack->size() - op.schema().arguments().size();
    std::optional<c10::Device> device;

    for (size_t i = first; i < stack->size(); i++) {
        c10::IValue &value = (*stack)[i];

        if (!value.isTensor() || !value.toTensor().defined())
            continue;
        if (!device && value.toTensor().is_cuda())
            device = value.toTensor().device();
        value = to_host(value.toTensor());
    }
    TORCH_CHECK(device, op.schema().name(), ": expected a CUDA tensor");
    c10::cuda::getCurrentCUDAStream(device->index()).synchronize();
    repeat_dense_operand(op, *stack, first);
    op.callBoxed(stack);
    for (size_t i = first; i < stack->size(); i++)
        if ((*stack)[i].isTensor())
            (*stack)[i] = to_device((*stack)[i].toTensor(), *device);
}

} // namespace

void register_nested(torch::Library &aten_cuda)
{
    /* Never destroyed: the dispatcher may be gone when the process ends. */
    static auto &aten_nested = *new torch::Library(
        torch::Library::IMPL, "aten", c10::DispatchKey::NestedTensorCUDA, __FILE__, __LINE__);

    add_boxed<run_on_host>(aten_cuda, "_nested_from_padded");
    add_boxed<run_on_host>(aten_cuda, "_nested_tensor_from_mask");
    for (const char *name : {"add.Tensor", "bmm", "mul.Tensor", "to_padded_tensor",
                             "_native_multi_head_attention", "_nested_tensor_softmax_with_shape",
                             "_transform_bias_rescale_qkv", "_transformer_encoder_layer_fwd"})
        add_boxed<run_on_host>(aten_nested, name);
}

} // namespace cupipe

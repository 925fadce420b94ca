/* SPDX-License-Identifier: MIT */
/* Softmax of half precision with results in float, and its gradient: only the CUDA kernels convert
 * between the two. */
#include "arguments.h"
#include "operators.h"

#include "redirect.h"

#include <ATen/ATen.h>

namespace cupipe
{

namespace
{

/* Replaces an argument on the stack. */
void set_argument(const c10::OperatorHandle &op, torch::jit::Stack *stack, const char *name,
                  c10::IValue value)
{
    int index = *op.schema().argumentIndexWithName(name);

    (*stack)[stack->size() - op.schema().arguments().size() + static_cast<size_t>(index)] =
        std::move(value);
}

void softmax(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
    arguments args(op, stack);

    if (args.flag("half_to_float")) {
        set_argument(op, stack, "self", args.tensor("self").to(at::kFloat));
        set_argument(op, stack, "half_to_float", false);
    }
    redirect(op, c10::DispatchKey::CPU, stack);
}

/* The gradient of a softmax that was converted: computed in float, then converted back. */
void softmax_backward(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
    arguments args(op, stack);
    at::ScalarType output_type = args.tensor("output").scalar_type();
    at::ScalarType input_type = *args.optional_type("input_dtype");

    if (input_type == output_type) {
        redirect(op, c10::DispatchKey::CPU, stack);
        return;
    }
    bool has_out = op.schema().overload_name() == "out";
    at::Tensor out = has_out ? stack->back().toTensor() : at::Tensor();
    set_argument(op, stack, "input_dtype", output_type);
    if (has_out)
        set_argument(op, stack, op.schema().arguments().back().name().c_str(),
                     at::empty({0}, out.options().dtype(output_type)));
    redirect(op, c10::DispatchKey::CPU, stack);
    at::Tensor computed = stack->back().toTensor();
    stack->back() =
        has_out ? out.resize_(computed.sizes()).copy_(computed) : computed.to(input_type);
}

} // namespace

void register_softmax(torch::Library &aten_cuda)
{
    for (const char *name : {"_softmax", "_softmax.out", "_log_softmax", "_log_softmax.out"})
        add_boxed<softmax>(aten_cuda, name);
    for (const char *name : {"_softmax_backward_data", "_softmax_backward_data.out",
                             "_log_softmax_backward_data", "_log_softmax_backward_data.out"})
        add_boxed<softmax_backward>(aten_cuda, name);
}

} // namespace cupipe

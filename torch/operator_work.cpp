/* SPDX-License-Identifier: MIT */
#include "operator_work.h"

#include "host_view.h"
#include "result_memory.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/grad_mode.h>
#include <mutex>

namespace cupipe
{

const char *name_of(const c10::OperatorHandle &op)
{
    static std::mutex lock;
    static std::unordered_map<const c10::FunctionSchema *, std::string> names;
    thread_local std::unordered_map<const c10::FunctionSchema *, const char *> known;
    const char *&name = known[&op.schema()];

    if (!name) {
        std::lock_guard<std::mutex> guard(lock);
        std::string &kept = names[&op.schema()];
        if (kept.empty())
            kept = c10::toString(op.operator_name());
        name = kept.c_str();
    }
    return name;
}

operator_work::operator_work(const c10::OperatorHandle &called, const call_shapes &shapes,
                             c10::Device device, torch::jit::Stack *stack)
    : stream_work(name_of(called)), op(called)
{
    auto first = stack->end() - static_cast<std::ptrdiff_t>(op.schema().arguments().size());
    operands arguments(c10::DispatchKey::CPU, /*keep_values=*/true);

    call.assign(std::make_move_iterator(first), std::make_move_iterator(stack->end()));
    stack->erase(first, stack->end());
    arguments.replace(op, call);
    for (const operand &each : arguments.all)
        touches(each.tensor, each.written);
    for (const result_shape &shape : shapes.results)
        stack->push_back(result_of(shape, arguments, device));
}

at::Tensor operator_work::new_result(const result_shape &shape, c10::Device device)
{
    at::Tensor made = at::detail::make_tensor<c10::TensorImpl>(
        new_device_storage(shape.bytes, device), c10::DispatchKeySet(c10::DispatchKey::CUDA),
        shape.dtype);

    made.unsafeGetTensorImpl()->set_sizes_and_strides(shape.sizes, shape.strides);
    results.push_back(host_view(made));
    if (shape.bytes)
        given.push_back(results.back());
    touches(made, true);
    return made;
}

c10::IValue operator_work::result_of(const result_shape &shape, const operands &arguments,
                                     c10::Device device)
{
    switch (shape.kind) {
    case result_shape::NEW:
        return new_result(shape, device);
    case result_shape::LIST: {
        c10::List<at::Tensor> list;
        for (const result_shape &element : shape.elements)
            list.push_back(result_of(element, arguments, device).toTensor());
        return list;
    }
    case result_shape::ARGUMENT:
        results.emplace_back();
        return arguments.all[shape.argument].tensor;
    case result_shape::UNDEFINED:
        results.emplace_back();
        return at::Tensor();
    case result_shape::VALUE:
        break;
    }
    return shape.value;
}

void operator_work::store_tensor(const at::Tensor &computed, const at::Tensor &result)
{
    if (!result.defined() || !computed.defined())
        return;
    if (computed.const_data_ptr() == result.const_data_ptr() &&
        computed.strides() == result.strides() && computed.dtype() == result.dtype() &&
        computed.sizes() == result.sizes())
        return;
    TORCH_CHECK(computed.sizes() == result.sizes(), "the CPU kernel's result has the shape ",
                computed.sizes(), ", not ", result.sizes(), " as foretold");
    result.copy_(computed);
}

void operator_work::store(const c10::IValue &computed, size_t &next)
{
    if (computed.isTensor())
        store_tensor(computed.toTensor(), results[next++]);
    else if (computed.isTensorList())
        for (const at::Tensor &tensor : computed.toTensorVector())
            store_tensor(tensor, results[next++]);
}

void operator_work::run()
{
    torch::jit::Stack stack(call);
    size_t next = 0;

    at::NoGradGuard no_grad;
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    {
        allocate_given scope(given);
        call_host_kernel(op, c10::DispatchKey::CPU, &stack);
    }
    for (size_t i = stack.size() - op.schema().returns().size(); i < stack.size(); i++)
        store(stack[i], next);
}

void call_host_kernel(const c10::OperatorHandle &op, c10::DispatchKey key, torch::jit::Stack *stack)
{
    op.redispatchBoxed(c10::DispatchKeySet(key), stack);
}

} // namespace cupipe

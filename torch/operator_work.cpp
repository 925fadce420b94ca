/* SPDX-License-Identifier: MIT */
#include "operator_work.h"

#include "operators/widen.h"

#include <ATen/Functions.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/grad_mode.h>
#include <algorithm>
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

operator_work::operator_work(const c10::OperatorHandle &called,
                             std::shared_ptr<const call_shapes> known_shapes, c10::Device device,
                             torch::jit::Stack *stack)
    : stream_work(name_of(called)), op(called), shapes(std::move(known_shapes))
{
    auto first = stack->end() - static_cast<std::ptrdiff_t>(op.schema().arguments().size());
    operands arguments(c10::DispatchKey::CPU);

    call.assign(std::make_move_iterator(first), std::make_move_iterator(stack->end()));
    stack->erase(first, stack->end());
    arguments.replace(op, call);
    for (const operand &each : arguments.all) {
        touches(each.tensor, each.written);
        if (each.image.is_same(each.tensor))
            callers.push_back(each.tensor.unsafeGetTensorImpl());
    }
    for (const result_shape &shape : shapes->results)
        stack->push_back(result_of(shape, arguments, device));
}

void operator_work::keep_values()
{
    auto copied = [&](const at::Tensor &tensor) {
        const c10::TensorImpl *impl = tensor.unsafeGetTensorImpl();
        if (!tensor.defined() || std::find(callers.begin(), callers.end(), impl) == callers.end())
            return tensor;
        at::Tensor copy = tensor.clone();
        copy.unsafeGetTensorImpl()->set_wrapped_number(impl->is_wrapped_number());
        return copy;
    };

    if (callers.empty())
        return;
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    for (c10::IValue &value : call)
        if (value.isTensor()) {
            value = copied(value.toTensor());
        } else if (value.isTensorList()) {
            c10::List<at::Tensor> list;
            for (const at::Tensor &tensor : value.toTensorVector())
                list.push_back(copied(tensor));
            value = list;
        } else if (value.isOptionalTensorList()) {
            c10::List<std::optional<at::Tensor>> list;
            for (const auto &tensor : value.toOptionalTensorVector())
                list.push_back(tensor ? std::optional<at::Tensor>(copied(*tensor)) : std::nullopt);
            value = list;
        }
}

at::Tensor operator_work::new_result(const result_shape &shape, c10::Device device)
{
    at::Tensor made = at::detail::make_tensor<c10::TensorImpl>(
        new_device_storage(shape.bytes, device), c10::DispatchKeySet(c10::DispatchKey::CUDA),
        shape.dtype);
    void *address = made.storage().mutable_data();

    made.unsafeGetTensorImpl()->set_sizes_and_strides(shape.sizes, shape.strides);
    results.push_back({address, &shape});
    if (shape.bytes)
        given.push_back({address, shape.bytes, false});
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
        results.push_back({nullptr, nullptr});
        return arguments.all[shape.argument].tensor;
    case result_shape::UNDEFINED:
        results.push_back({nullptr, nullptr});
        return at::Tensor();
    case result_shape::VALUE:
        break;
    }
    return shape.value;
}

/* Tells whether the kernel has computed the result where it belongs. */
bool operator_work::is_in_place(const at::Tensor &computed, const result &wanted) const
{
    return computed.const_data_ptr() == wanted.address && computed.dtype() == wanted.shape->dtype &&
           computed.sizes() == wanted.shape->sizes && computed.strides() == wanted.shape->strides;
}

bool operator_work::is_given(const at::Tensor &computed) const
{
    for (const given_memory &each : given)
        if (each.address == computed.storage().data())
            return true;
    return false;
}

/* Copies results that the kernel has computed elsewhere. One may be in memory that was given for
 * another result, or in its own with other strides: such ones are moved away first. */
void operator_work::store(c10::SmallVectorImpl<at::Tensor> &computed) const
{
    TORCH_CHECK(computed.size() == results.size(), "the CPU kernel has ", computed.size(),
                " results, not ", results.size(), " as foretold");
    for (size_t i = 0; i < results.size(); i++)
        if (!results[i].shape || !computed[i].defined() || is_in_place(computed[i], results[i]))
            computed[i].reset();
        else if (is_given(computed[i]))
            computed[i] = computed[i].clone();
    for (size_t i = 0; i < results.size(); i++) {
        if (!computed[i].defined())
            continue;
        const result_shape &shape = *results[i].shape;
        TORCH_CHECK(computed[i].sizes() == shape.sizes, "the CPU kernel's result has the shape ",
                    computed[i].sizes(), ", not ", at::IntArrayRef(shape.sizes), " as foretold");
        at::from_blob(results[i].address, shape.sizes, shape.strides,
                      at::TensorOptions().dtype(shape.dtype))
            .copy_(computed[i]);
    }
}

void operator_work::run()
{
    torch::jit::Stack stack(call);
    c10::SmallVector<at::Tensor, 4> computed;

    at::NoGradGuard no_grad;
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    {
        allocate_given scope(given.data(), given.size());
        call_host_kernel(op, c10::DispatchKey::CPU, &stack);
    }
    for (size_t i = stack.size() - op.schema().returns().size(); i < stack.size(); i++)
        if (stack[i].isTensor())
            computed.push_back(std::move(stack[i]).toTensor());
        else if (stack[i].isTensorList())
            for (const at::Tensor &tensor : stack[i].toTensorVector())
                computed.push_back(tensor);
    store(computed);
}

void call_host_kernel(const c10::OperatorHandle &op, c10::DispatchKey key, torch::jit::Stack *stack)
{
    call_or_widen(op, c10::DispatchKeySet(key), stack);
}

} // namespace cupipe

/* SPDX-License-Identifier: MIT */
#include "zero_division.h"

#include <ATen/ATen.h>
#include <string_view>

namespace cupipe
{
namespace
{

constexpr int64_t ONES_32 = 0xffffffff;

at::Tensor tensor_of(const c10::IValue &value)
{
    return value.isTensor() ? value.toTensor() : at::scalar_tensor(value.toScalar(), at::kLong);
}

bool writes(const c10::OperatorHandle &op)
{
    for (const c10::Argument &argument : op.schema().arguments())
        if (argument.alias_info() && argument.alias_info()->isWrite())
            return true;
    return false;
}

bool rounds_down(const c10::OperatorHandle &op, const torch::jit::Stack &stack, size_t first)
{
    auto mode = op.schema().argumentIndexWithName("rounding_mode");

    if (!mode)
        return op.schema().name() == "aten::floor_divide";
    const c10::IValue &value = stack[first + static_cast<size_t>(*mode)];
    return value.isString() && value.toStringRef() == "floor";
}

} // namespace

integer_division::integer_division(const c10::OperatorHandle &called,
                                   const torch::jit::Stack &stack)
    : op(called), dividend(tensor_of(stack[stack.size() - called.schema().arguments().size()]))
{
    /* The kernel may have written a part when it raises the error. */
    if (writes(op))
        dividend = dividend.clone();
}

bool integer_division::is_one(const c10::OperatorHandle &op, const torch::jit::Stack &stack)
{
    for (size_t i = stack.size() - op.schema().arguments().size(); i < stack.size(); i++)
        if (stack[i].isTensor() && stack[i].toTensor().defined() &&
            !at::isIntegralType(stack[i].toTensor().scalar_type(), /*includeBool=*/false))
            return false;
    return true;
}

bool integer_division::raised(const c10::Error &error)
{
    return std::string_view(error.what_without_backtrace()).find("ZeroDivisionError") !=
           std::string_view::npos;
}

at::Tensor integer_division::quotients_by_zero(at::ScalarType type, bool down) const
{
    at::Tensor number = dividend.to(at::kLong);
    at::Tensor ones = at::full_like(number, -1);

    if (type == at::kLong)
        ones.masked_fill_((number >= 0).logical_and_(number <= ONES_32), ONES_32);
    if (down)
        ones -= (number < 0).to(at::kLong);
    return ones.to(type);
}

void integer_division::run_as_card(c10::DispatchKeySet keys, torch::jit::Stack *stack) const
{
    size_t first = stack->size() - op.schema().arguments().size();
    at::Tensor divisor = tensor_of((*stack)[first + 1]);
    at::Tensor zeros = divisor == 0;
    bool down = rounds_down(op, *stack, first);
    c10::IValue &self = (*stack)[first];

    if (self.isTensor() && !self.toTensor().is_same(dividend) && writes(op))
        self.toTensor().copy_(dividend);
    at::Tensor safe = divisor.masked_fill(zeros, 1);
    if (divisor.unsafeGetTensorImpl()->is_wrapped_number())
        safe.unsafeGetTensorImpl()->set_wrapped_number(true);
    if ((*stack)[first + 1].isTensor())
        (*stack)[first + 1] = safe;
    else
        (*stack)[first + 1] = safe.item();
    op.redispatchBoxed(keys, stack);
    at::Tensor result = stack->back().toTensor();
    result.copy_(at::where(zeros, quotients_by_zero(result.scalar_type(), down), result));
}

} // namespace cupipe

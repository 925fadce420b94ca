/* SPDX-License-Identifier: MIT */
/* Arguments of an operator by name. See arguments.h. */
#include "arguments.h"

#include <ATen/core/op_registration/adaption.h>

namespace cupipe
{

arguments::arguments(const c10::OperatorHandle &op, torch::jit::Stack *stack, devices allowed)
    : handle(op), stack(stack), first(stack->size() - op.schema().arguments().size())
{
    if (allowed == ONE_DEVICE)
        check_devices();
}

void arguments::check_devices() const
{
    const auto &schema = handle.schema().arguments();
    std::optional<c10::Device> common;

    for (size_t i = 0; i < schema.size(); i++) {
        const c10::IValue &given = (*stack)[first + i];

        if (!given.isTensor() || !given.toTensor().defined())
            continue;
        if (given.toTensor().is_cpu() && given.toTensor().dim() == 0)
            continue;
        c10::impl::check_and_update_common_device(
            common, given.toTensor(), handle.schema().name().c_str(), schema[i].name().c_str());
    }
}

c10::IValue arguments::value(std::string_view name) const
{
    const auto &schema = handle.schema().arguments();

    for (size_t i = 0; i < schema.size(); i++)
        if (schema[i].name() == name)
            return (*stack)[first + i];
    return {};
}

at::Tensor arguments::tensor(std::string_view name) const
{
    c10::IValue given = value(name);

    return given.isTensor() ? given.toTensor() : at::Tensor();
}

std::vector<at::Tensor> arguments::tensors(std::string_view name) const
{
    c10::IValue given = value(name);

    return given.isTensorList() ? given.toTensorVector() : std::vector<at::Tensor>();
}

int64_t arguments::integer(std::string_view name, int64_t otherwise) const
{
    c10::IValue given = value(name);

    if (given.isNone())
        return otherwise;
    return given.isSymInt() ? given.toSymInt().guard_int(__FILE__, __LINE__) : given.toInt();
}

double arguments::number(std::string_view name, double otherwise) const
{
    return optional_number(name).value_or(otherwise);
}

std::optional<double> arguments::optional_number(std::string_view name) const
{
    c10::IValue given = value(name);

    if (given.isNone())
        return std::nullopt;
    return given.toScalar().to<double>();
}

std::optional<at::ScalarType> arguments::optional_type(std::string_view name) const
{
    c10::IValue given = value(name);

    return given.isNone() ? std::nullopt : std::optional(given.toScalarType());
}

std::string arguments::string(std::string_view name) const
{
    c10::IValue given = value(name);

    return given.isString() ? given.toStringRef() : std::string();
}

bool arguments::flag(std::string_view name, bool otherwise) const
{
    c10::IValue given = value(name);

    return given.isNone() ? otherwise : given.toBool();
}

std::vector<bool> arguments::flags(std::string_view name) const
{
    c10::List<bool> given = value(name).toBoolList();

    return {given.begin(), given.end()};
}

std::vector<int64_t> arguments::integers(std::string_view name) const
{
    c10::IValue given = value(name);
    std::vector<int64_t> result;

    if (given.isIntList())
        return given.toIntVector();
    if (given.isList())
        for (const c10::IValue &item : given.toListRef())
            result.push_back(item.isSymInt() ? item.toSymInt().guard_int(__FILE__, __LINE__)
                                             : item.toInt());
    return result;
}

at::Scalar arguments::scalar(std::string_view name, double otherwise) const
{
    c10::IValue given = value(name);

    return given.isNone() ? at::Scalar(otherwise) : given.toScalar();
}

} // namespace cupipe

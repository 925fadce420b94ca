/* SPDX-License-Identifier: MIT */
#include "inductor/shims.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/jit_type.h>
#include <string>
#include <torch/csrc/inductor/aoti_torch/utils.h>
#include <unordered_map>

namespace cupipe
{
namespace
{

using c10::IValue;
using c10::TypeKind;

/* Reads arguments of C in the order in which a schema has them. */
class argument_reader
{
  public:
    explicit argument_reader(std::span<const shim_argument> given) : left(given)
    {
    }

    /* An earlier version of a function ends before arguments that the operator has now. */
    IValue read(const c10::Argument &argument)
    {
        if (left.empty()) {
            TORCH_CHECK(argument.default_value(), "cupipe: argument ", argument.name(),
                        " is missing");
            return *argument.default_value();
        }
        const c10::TypePtr &type = argument.real_type();
        if (auto optional = type->cast<c10::OptionalType>())
            return read_optional(optional->getElementType());
        if (auto list = type->cast<c10::ListType>()) {
            const void *items = take().pointer;
            return read_list(list->getElementType(), items, take().integer);
        }
        return read_value(type);
    }

  private:
    const shim_argument &take()
    {
        TORCH_CHECK(!left.empty(), "cupipe: too few arguments");
        const shim_argument &first = left.front();
        left = left.subspan(1);
        return first;
    }

    IValue read_device(c10::DeviceType type)
    {
        return c10::Device(type, static_cast<c10::DeviceIndex>(take().integer));
    }

    IValue read_value(const c10::TypePtr &type)
    {
        const shim_argument &given = take();
        switch (type->kind()) {
        case TypeKind::TensorType:
            return tensor_at(given.pointer);
        case TypeKind::FloatType:
        case TypeKind::NumberType:
            return given.real;
        case TypeKind::BoolType:
            return given.integer != 0;
        case TypeKind::StringType:
            return std::string(static_cast<const char *>(given.pointer));
        case TypeKind::DeviceObjType:
            return read_device(static_cast<c10::DeviceType>(given.integer));
        case TypeKind::IntType:
        case TypeKind::SymIntType:
        case TypeKind::ScalarTypeType:
        case TypeKind::LayoutType:
        case TypeKind::MemoryFormatType:
            return given.integer;
        default:
            TORCH_CHECK(false, "cupipe: an argument of type ", type->str(), " is not supported");
        }
    }

    /* An optional value is a pointer to it; of a list, a pointer to the pointer to its items. */
    IValue read_optional(const c10::TypePtr &type)
    {
        const void *place = take().pointer;

        if (auto list = type->cast<c10::ListType>()) {
            int64_t count = take().integer;
            return place ? read_list(list->getElementType(),
                                     *static_cast<const void *const *>(place), count)
                         : IValue();
        }
        if (type->kind() == TypeKind::DeviceObjType) {
            IValue device = read_device(
                place ? static_cast<c10::DeviceType>(*static_cast<const int32_t *>(place))
                      : c10::kCPU);
            return place ? device : IValue();
        }
        return place ? value_at(type, place) : IValue();
    }

    static IValue value_at(const c10::TypePtr &type, const void *place)
    {
        switch (type->kind()) {
        case TypeKind::TensorType:
            return tensor_at(*static_cast<const void *const *>(place));
        case TypeKind::FloatType:
        case TypeKind::NumberType:
            return *static_cast<const double *>(place);
        case TypeKind::BoolType:
            return *static_cast<const int32_t *>(place) != 0;
        case TypeKind::StringType:
            return std::string(*static_cast<const char *const *>(place));
        case TypeKind::IntType:
        case TypeKind::SymIntType:
            return *static_cast<const int64_t *>(place);
        case TypeKind::ScalarTypeType:
        case TypeKind::LayoutType:
        case TypeKind::MemoryFormatType:
            return static_cast<int64_t>(*static_cast<const int32_t *>(place));
        case TypeKind::GeneratorType:
            return *torch::aot_inductor::generator_handle_to_generator_pointer(
                *static_cast<const AtenGeneratorHandle *>(place));
        default:
            TORCH_CHECK(false, "cupipe: an optional ", type->str(), " is not supported");
        }
    }

    static IValue read_list(const c10::TypePtr &type, const void *items, int64_t count)
    {
        switch (type->kind()) {
        case TypeKind::TensorType:
            return tensors_at(static_cast<const void *const *>(items), count);
        case TypeKind::OptionalType:
            return optional_tensors_at(static_cast<const void *const *const *>(items), count);
        case TypeKind::IntType:
        case TypeKind::SymIntType:
            return values_at<int64_t>(static_cast<const int64_t *>(items), count);
        case TypeKind::FloatType:
            return values_at<double>(static_cast<const double *>(items), count);
        case TypeKind::BoolType:
            return values_at<bool>(static_cast<const int32_t *>(items), count);
        default:
            TORCH_CHECK(false, "cupipe: a list of ", type->str(), " is not supported");
        }
    }

    static at::Tensor tensor_at(const void *handle)
    {
        return *torch::aot_inductor::tensor_handle_to_tensor_pointer(
            static_cast<AtenTensorHandle>(const_cast<void *>(handle)));
    }

    static IValue tensors_at(const void *const *handles, int64_t count)
    {
        c10::List<at::Tensor> list;

        for (int64_t i = 0; i < count; i++)
            list.push_back(tensor_at(handles[i]));
        return list;
    }

    static IValue optional_tensors_at(const void *const *const *places, int64_t count)
    {
        c10::List<std::optional<at::Tensor>> list;

        for (int64_t i = 0; i < count; i++)
            list.push_back(places[i] ? std::optional(tensor_at(*places[i])) : std::nullopt);
        return list;
    }

    template <typename Value, typename Item>
    static IValue values_at(const Item *items, int64_t count)
    {
        c10::List<Value> list;

        for (int64_t i = 0; i < count; i++)
            list.push_back(static_cast<Value>(items[i]));
        return list;
    }

    std::span<const shim_argument> left;
};

/* All operators of torch by the names that the C functions have: aten::mm.out is mm_out. */
const std::unordered_map<std::string, c10::OperatorName> &operators_by_name()
{
    static const auto known = [] {
        std::unordered_map<std::string, c10::OperatorName> made;
        for (const c10::OperatorName &each : c10::Dispatcher::singleton().getAllOpNames()) {
            if (!each.name.starts_with("aten::"))
                continue;
            std::string name = each.name.substr(6);
            if (!each.overload_name.empty())
                name += "_" + each.overload_name;
            made.emplace(std::move(name), each);
        }
        return made;
    }();

    return known;
}

/* A later version of a function has _v2 behind the operator's name. */
c10::OperatorHandle find_operator(std::string name)
{
    const auto &known = operators_by_name();
    auto found = known.find(name);

    if (found == known.end()) {
        size_t version = name.rfind("_v");
        if (version != std::string::npos)
            found = known.find(name.substr(0, version));
    }
    TORCH_CHECK(found != known.end(), "cupipe: aoti_torch_cuda_", name, " belongs to no operator");
    return c10::Dispatcher::singleton().findSchemaOrThrow(found->second.name.c_str(),
                                                          found->second.overload_name.c_str());
}

void store_result(const IValue &result, const void *place)
{
    void *target = const_cast<void *>(place);

    if (!target)
        return;
    if (result.isTensor())
        *static_cast<AtenTensorHandle *>(target) =
            torch::aot_inductor::new_tensor_handle(at::Tensor(result.toTensor()));
    else
        *static_cast<int64_t *>(target) = result.toInt();
}

/* Functions for in-place and out= forms have no places for results. */
bool returns_results(const c10::FunctionSchema &schema)
{
    return !schema.returns().empty() && !schema.returns()[0].alias_info();
}

void call_operator(const char *name, std::span<const shim_argument> given)
{
    c10::OperatorHandle op = find_operator(name);
    const c10::FunctionSchema &schema = op.schema();
    size_t results = returns_results(schema) ? schema.returns().size() : 0;

    TORCH_CHECK(given.size() >= results, "cupipe: aoti_torch_cuda_", name, ": too few arguments");
    argument_reader reader(given.first(given.size() - results));
    std::vector<IValue> outputs;
    for (const c10::Argument &each : schema.arguments())
        if (each.is_out())
            outputs.push_back(reader.read(each));
    torch::jit::Stack stack;
    size_t next_output = 0;
    for (const c10::Argument &each : schema.arguments())
        stack.push_back(each.is_out() ? outputs[next_output++] : reader.read(each));
    op.callBoxed(stack);
    for (size_t i = 0; i < results; i++)
        store_result(stack[i], given[given.size() - results + i].pointer);
}

} // namespace

AOTITorchError call_shim(const char *name, std::span<const shim_argument> arguments)
{
    at::AutoDispatchBelowADInplaceOrView inference;

    AOTI_TORCH_CONVERT_EXCEPTION_TO_ERROR_CODE({ call_operator(name, arguments); });
}

} // namespace cupipe

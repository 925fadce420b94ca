/* SPDX-License-Identifier: MIT */
/* CPU kernels for types that only the card has. See widen.h.
 *
 * Which operators the card computes in which types is a table: an operator that the card refuses,
 * too, keeps its error. */
#include "widen.h"

#include "zero_division.h"

#include <ATen/ATen.h>
#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

namespace cupipe
{

namespace
{

/* Types, and SUMS: the result of integers and bool is int64. DIVISION: integers divided by zero
 * are no error (zero_division.h). FIRST: the CPU kernel has the type, but rounds each step to it,
 * which the card does once. */
enum family : unsigned {
    FLOAT16 = 1,
    BFLOAT16 = 256,
    HALF = FLOAT16 | BFLOAT16,
    COMPLEX_HALF = 2,
    FLOAT8 = 4,
    BOOL = 8,
    INTEGER = 16,
    SUMS = 32,
    DIVISION = 64,
    FIRST = 128
};

/* Operators whose CPU kernels lack types that their CUDA kernels take. A name stands for all
 * overloads and for the in-place form. */
struct widened_operator {
    std::string_view name;
    unsigned families;
};

constexpr auto widened = std::to_array<widened_operator>({
#include "widen.def"
});

constexpr bool before(const widened_operator &a, const widened_operator &b)
{
    return a.name < b.name;
}

static_assert(std::is_sorted(widened.begin(), widened.end(), before));

/* The complex type of two bfloat16, which older versions of torch do not have. */
template <typename types> constexpr at::ScalarType find_complex_bfloat16()
{
    if constexpr (requires { types::BComplex32; })
        return types::BComplex32;
    else
        return types::ComplexHalf;
}

constexpr at::ScalarType complex_bfloat16 = find_complex_bfloat16<at::ScalarType>();

family family_of(at::ScalarType type)
{
    if (type == complex_bfloat16)
        return COMPLEX_HALF;
    switch (type) {
    case at::kHalf:
        return FLOAT16;
    case at::kBFloat16:
        return BFLOAT16;
    case at::kComplexHalf:
        return COMPLEX_HALF;
    case at::kBool:
        return BOOL;
    case at::kByte:
    case at::kChar:
    case at::kShort:
    case at::kInt:
    case at::kLong:
    case at::kUInt16:
    case at::kUInt32:
    case at::kUInt64:
        return INTEGER;
    default:
        return at::isFloat8Type(type) ? FLOAT8 : family();
    }
}

/* The name without the namespace and without the underscore of an in-place form. */
std::string_view base_name(const c10::OperatorHandle &op)
{
    std::string_view name = op.operator_name().name;

    name.remove_prefix(name.find("::") + 2);
    if (name.back() == '_')
        name.remove_suffix(1);
    return name;
}

/* The families in which the operator may run on wider types. */
unsigned families_of(const c10::OperatorHandle &op)
{
    widened_operator wanted = {base_name(op), 0};
    auto found = std::lower_bound(widened.begin(), widened.end(), wanted, before);

    return found == widened.end() || found->name != wanted.name ? 0 : found->families;
}

/* The complex type of a type of half precision. */
at::ScalarType complex_of(at::ScalarType narrow)
{
    return narrow == at::kBFloat16 || narrow == complex_bfloat16 ? complex_bfloat16
                                                                 : at::kComplexHalf;
}

/* The real type of a type of half precision. */
at::ScalarType real_of(at::ScalarType narrow)
{
    bool is_half = narrow == at::kHalf || narrow == at::kComplexHalf;

    return is_half ? at::kHalf : at::kBFloat16;
}

/* How types change, and back. `step` 1 is for integer kernels that exist for floating types alone.
 */
struct widening {
    unsigned families = 0;
    int step = 0;
    at::ScalarType narrow = at::ScalarType::Undefined; /* of the first argument that is widened */

    at::ScalarType wide_of(at::ScalarType type) const
    {
        family group = family_of(type);

        if (!(group & families))
            return type;
        if (group & (HALF | FLOAT8))
            return at::kFloat;
        if (group == COMPLEX_HALF)
            return at::kComplexFloat;
        return step == 0 ? at::kLong : at::kDouble;
    }

    at::ScalarType narrow_of(at::ScalarType type) const
    {
        family group = family_of(narrow);
        bool half = group & (HALF | COMPLEX_HALF);

        if (half && type == at::kComplexFloat)
            return complex_of(narrow);
        if (half && type == at::kFloat)
            return real_of(narrow);
        if ((families & SUMS) && (group & (BOOL | INTEGER)))
            return type;
        return type == wide_of(narrow) ? narrow : type;
    }
};

bool is_narrow(const widening &way, const at::Tensor &tensor)
{
    return tensor.defined() && way.wide_of(tensor.scalar_type()) != tensor.scalar_type();
}

/* Whether an argument is a type, such as `dtype`. */
bool is_type(const c10::Argument &argument)
{
    c10::TypePtr type = argument.real_type();

    if (type->kind() == c10::TypeKind::OptionalType)
        type = type->castRaw<c10::OptionalType>()->getElementType();
    return type->kind() == c10::TypeKind::ScalarTypeType;
}

/* Arguments on wider types, with the pairs that the operator writes. */
class wider_call
{
  public:
    wider_call(const c10::OperatorHandle &op, widening way) : op(op), way(way)
    {
    }

    /* Returns false if neither a tensor nor an argument for a type has one that is widened. */
    bool widen(const torch::jit::Stack &given)
    {
        const auto &schema = op.schema().arguments();

        for (size_t i = 0; i < schema.size(); i++) {
            const auto *alias = schema[i].alias_info();

            call.push_back(
                widen_value(given[given.size() - schema.size() + i], alias && alias->isWrite()));
            if (call.back().isInt() && is_type(schema[i]))
                call.back() = (int64_t)widen_type((at::ScalarType)call.back().toInt());
        }
        return way.narrow != at::ScalarType::Undefined;
    }

    void run(c10::DispatchKeySet keys)
    {
        op.redispatchBoxed(keys, &call);
        for (auto &[narrow, wide] : written) {
            if (narrow.sizes() != wide.sizes())
                narrow.resize_(wide.sizes());
            narrow.copy_(wide);
        }
        for (c10::IValue &result : call)
            result = narrow_value(result);
    }

    torch::jit::Stack &results()
    {
        return call;
    }

  private:
    const c10::OperatorHandle &op;
    widening way;
    torch::jit::Stack call;
    std::vector<std::pair<at::Tensor, at::Tensor>> written; /* narrow, wide */

    at::ScalarType widen_type(at::ScalarType type)
    {
        at::ScalarType wide = way.wide_of(type);

        if (wide != type && way.narrow == at::ScalarType::Undefined)
            way.narrow = type;
        return wide;
    }

    at::Tensor widen_tensor(const at::Tensor &tensor, bool writes)
    {
        at::Tensor wide;

        if (!is_narrow(way, tensor))
            return tensor;
        wide = tensor.to(widen_type(tensor.scalar_type()));
        if (writes)
            written.emplace_back(tensor, wide);
        return wide;
    }

    c10::IValue widen_value(const c10::IValue &value, bool writes)
    {
        if (value.isTensor())
            return widen_tensor(value.toTensor(), writes);
        if (value.isTensorList()) {
            c10::List<at::Tensor> list;

            for (const at::Tensor &tensor : value.toTensorVector())
                list.push_back(widen_tensor(tensor, writes));
            return list;
        }
        if (value.isOptionalTensorList()) {
            c10::List<std::optional<at::Tensor>> list;

            for (const std::optional<at::Tensor> &tensor : value.toOptionalTensorVector())
                list.push_back(tensor ? std::optional(widen_tensor(*tensor, writes))
                                      : std::nullopt);
            return list;
        }
        return value;
    }

    at::Tensor narrow_tensor(const at::Tensor &tensor)
    {
        if (!tensor.defined())
            return tensor;
        for (auto &[narrow, wide] : written)
            if (wide.is_same(tensor))
                return narrow;
        return tensor.to(way.narrow_of(tensor.scalar_type()));
    }

    c10::IValue narrow_value(const c10::IValue &value)
    {
        c10::List<at::Tensor> list;

        if (value.isTensor())
            return narrow_tensor(value.toTensor());
        if (!value.isTensorList())
            return value;
        for (const at::Tensor &tensor : value.toTensorVector())
            list.push_back(narrow_tensor(tensor));
        return list;
    }
};

bool run_step(const c10::OperatorHandle &op, c10::DispatchKeySet keys, torch::jit::Stack *stack,
              unsigned families, int step)
{
    widening way;

    way.families = families;
    way.step = step;

    wider_call call(op, way);

    if (!call.widen(*stack))
        return false;
    call.run(keys);
    stack->resize(stack->size() - op.schema().arguments().size());
    stack->insert(stack->end(), call.results().begin(), call.results().end());
    return true;
}

/* Whether a tensor of the arguments has a type of these families, or an argument asks for one. */
bool has_type_of(const c10::OperatorHandle &op, const torch::jit::Stack &stack, unsigned families)
{
    auto matches = [=](const at::Tensor &tensor) {
        return tensor.defined() && (family_of(tensor.scalar_type()) & families);
    };

    const auto &schema = op.schema().arguments();
    size_t first = stack.size() - schema.size();

    for (size_t i = first; i < stack.size(); i++) {
        if (stack[i].isTensor() && matches(stack[i].toTensor()))
            return true;
        if (stack[i].isInt() && is_type(schema[i - first]) &&
            (family_of((at::ScalarType)stack[i].toInt()) & families))
            return true;
        if (stack[i].isTensorList())
            for (const at::Tensor &tensor : stack[i].toTensorVector())
                if (matches(tensor))
                    return true;
    }
    return false;
}

void divide_integers(const c10::OperatorHandle &op, c10::DispatchKeySet keys,
                     torch::jit::Stack *stack)
{
    torch::jit::Stack given(stack->end() - (ptrdiff_t)op.schema().arguments().size(), stack->end());
    size_t first = stack->size() - given.size();
    integer_division division(op, given);

    try {
        op.redispatchBoxed(keys, stack);
    } catch (const c10::Error &error) {
        if (!integer_division::raised(error))
            throw;
        stack->resize(first);
        stack->insert(stack->end(), given.begin(), given.end());
        division.run_as_card(keys, stack);
    }
}

} // namespace

bool widen_and_run(const c10::OperatorHandle &op, c10::DispatchKeySet keys,
                   torch::jit::Stack *stack)
{
    unsigned families = families_of(op);

    if (!families || !has_type_of(op, *stack, families))
        return false;
    if (!(families & (INTEGER | BOOL)))
        return run_step(op, keys, stack, families, 0);
    try {
        if (run_step(op, keys, stack, families, 0))
            return true;
    } catch (const c10::Error &) {
        /* There is no kernel for int64 either. */
    }
    return run_step(op, keys, stack, families, 1);
}

void call_or_widen(const c10::OperatorHandle &op, c10::DispatchKeySet keys,
                   torch::jit::Stack *stack)
{
    unsigned families = families_of(op);

    if (families & DIVISION && integer_division::is_one(op, *stack)) {
        divide_integers(op, keys, stack);
        return;
    }
    if (!families || !has_type_of(op, *stack, families)) {
        op.redispatchBoxed(keys, stack);
        return;
    }
    if (families & FIRST) {
        widen_and_run(op, keys, stack);
        return;
    }

    torch::jit::Stack given(stack->end() - (ptrdiff_t)op.schema().arguments().size(), stack->end());
    size_t first = stack->size() - given.size();

    try {
        op.redispatchBoxed(keys, stack);
    } catch (const c10::Error &) {
        stack->resize(first);
        stack->insert(stack->end(), given.begin(), given.end());
        if (!widen_and_run(op, keys, stack))
            throw;
    }
}

} // namespace cupipe

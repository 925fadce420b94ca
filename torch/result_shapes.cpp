/* SPDX-License-Identifier: MIT */
#include "result_shapes.h"

#include "card_strides.h"

#include <ATen/EmptyTensor.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <bit>
#include <mutex>
#include <unordered_set>

namespace cupipe
{
namespace
{

enum {
    CACHE_LIMIT = 20000, /* entries; a full cache is emptied */
    MANY = 16,           /* tensors; fewer are compared one by one */
};

struct key_hash {
    size_t operator()(const shape_key &key) const
    {
        return key.hash();
    }
};

std::mutex cache_lock;
std::unordered_map<shape_key, std::shared_ptr<const call_shapes>, key_hash> cache;

std::unordered_set<uint64_t> proven; /* hashes; guarded by cache_lock */

uint64_t kinds_hash(const c10::OperatorHandle &op, const torch::jit::Stack &stack)
{
    uint64_t sum = reinterpret_cast<uintptr_t>(&op.schema());

    each_tensor(op, stack, [&](const at::Tensor &tensor, bool) {
        uint64_t word = static_cast<uint64_t>(tensor.dtype().toScalarType()) << 16 |
                        static_cast<uint64_t>(tensor.dim()) << 1 | tensor.is_cuda();
        sum = (std::rotl(sum, 5) ^ word) * 0x9e3779b97f4a7c15;
    });
    return sum;
}

c10::SmallVector<int64_t, 5> copy_of(at::IntArrayRef list)
{
    return c10::SmallVector<int64_t, 5>(list.begin(), list.end());
}

bool describe_tensor(const at::Tensor &tensor, const operands &arguments, result_shape &shape)
{
    shape.kind = result_shape::UNDEFINED;
    if (!tensor.defined())
        return true;
    for (size_t i = 0; i < arguments.all.size(); i++)
        if (arguments.all[i].image.is_same(tensor)) {
            shape.kind = result_shape::ARGUMENT;
            shape.argument = i;
            return true;
        }
    if (tensor.layout() != at::kStrided || tensor.is_conj() || tensor.is_neg() ||
        tensor.is_quantized())
        return false;
    shape.kind = result_shape::NEW;
    shape.sizes = copy_of(tensor.sizes());
    shape.strides = copy_of(tensor.strides());
    shape.dtype = tensor.dtype();
    shape.bytes =
        at::detail::computeStorageNbytes(tensor.sizes(), tensor.strides(), tensor.itemsize());
    return true;
}

bool describe_value(const c10::IValue &value, const operands &arguments, result_shape &shape)
{
    if (value.isTensor())
        return describe_tensor(value.toTensor(), arguments, shape);
    if (value.isTensorList()) {
        shape.kind = result_shape::LIST;
        for (const at::Tensor &tensor : value.toTensorVector())
            if (!describe_tensor(tensor, arguments, shape.elements.emplace_back()))
                return false;
        return true;
    }
    shape.kind = result_shape::VALUE;
    shape.value = value;
    return value.isInt() || value.isBool() || value.isDouble() || value.isNone();
}

} // namespace

shape_key::shape_key(const c10::OperatorHandle &op, const torch::jit::Stack &stack)
    : sum(0xcbf29ce484222325), complete(true), numbers(true)
{
    size_t count = op.schema().arguments().size();

    each_tensor(op, stack, [&](const at::Tensor &, bool written) { numbers &= written; });

    add(reinterpret_cast<uintptr_t>(&op.schema()));
    for (size_t i = stack.size() - count; i < stack.size() && complete; i++)
        add_value(stack[i]);
    std::unordered_map<const c10::TensorImpl *, size_t> places;
    for (size_t i = 0; i < tensors.size(); i++) {
        size_t first = 0;
        if (tensors.size() > MANY)
            first = places.emplace(tensors[i], i).first->second;
        else
            while (tensors[first] != tensors[i])
                first++;
        if (first != i)
            add(static_cast<uint64_t>(first) << 32 | i);
    }
    tensors.clear();
}

void shape_key::add(uint64_t word)
{
    words.push_back(word);
    sum = (std::rotl(sum, 5) ^ word) * 0x9e3779b97f4a7c15;
}

void shape_key::add_tensor(const at::Tensor &tensor)
{
    enum { CONJUGATED = 1, NEGATED = 2, NUMBER = 4, HOST = 8 };

    if (!tensor.defined()) {
        add(~UINT64_C(0));
        return;
    }
    if (tensor.layout() != at::kStrided || tensor.is_quantized()) {
        complete = false;
        return;
    }
    uint64_t flags = (tensor.is_conj() ? CONJUGATED : 0) | (tensor.is_neg() ? NEGATED : 0) |
                     (tensor.unsafeGetTensorImpl()->is_wrapped_number() ? NUMBER : 0) |
                     (tensor.is_cuda() ? 0 : HOST);
    tensors.push_back(tensor.unsafeGetTensorImpl());
    add(static_cast<uint64_t>(tensor.dtype().toScalarType()) << 32 | flags << 16 |
        static_cast<uint64_t>(tensor.dim()));
    for (int64_t size : tensor.sizes())
        add(static_cast<uint64_t>(size));
    for (int64_t stride : tensor.strides())
        add(static_cast<uint64_t>(stride));
}

void shape_key::add_value(const c10::IValue &value)
{
    if (value.isTensor()) {
        add_tensor(value.toTensor());
    } else if (value.isNone()) {
        add(1);
    } else if (value.isInt()) {
        add(2);
        add(static_cast<uint64_t>(value.toInt()));
    } else if (value.isDouble()) {
        add(3);
        if (numbers)
            add(std::bit_cast<uint64_t>(value.toDouble()));
    } else if (value.isBool()) {
        add(value.toBool() ? 5 : 4);
    } else if (value.isIntList()) {
        std::vector<int64_t> list = value.toIntVector();
        add(6 + (static_cast<uint64_t>(list.size()) << 8));
        for (int64_t element : list)
            add(static_cast<uint64_t>(element));
    } else if (value.isTensorList()) {
        std::vector<at::Tensor> list = value.toTensorVector();
        add(7 + (static_cast<uint64_t>(list.size()) << 8));
        for (const at::Tensor &tensor : list)
            add_tensor(tensor);
    } else if (value.isOptionalTensorList()) {
        auto list = value.toOptionalTensorVector();
        add(8 + (static_cast<uint64_t>(list.size()) << 8));
        for (const auto &tensor : list)
            add_tensor(tensor ? *tensor : at::Tensor());
    } else if (value.isString()) {
        add(9);
        add(std::hash<std::string>()(value.toStringRef()));
    } else if (value.isDevice()) {
        add(10);
    } else if (value.isDoubleList()) {
        std::vector<double> list = value.toDoubleVector();
        add(11 + (static_cast<uint64_t>(list.size()) << 8));
        for (double element : list)
            add(std::bit_cast<uint64_t>(element));
    } else if (value.isBoolList()) {
        c10::List<bool> list = value.toBoolList();
        add(12 + (static_cast<uint64_t>(list.size()) << 8));
        for (bool element : list)
            add(element);
    } else if (value.isComplexDouble()) {
        add(13);
        if (numbers)
            complete = false;
    } else if (value.isList()) {
        add(14 + (static_cast<uint64_t>(value.toListRef().size()) << 8));
        for (const c10::IValue &element : value.toListRef())
            add_value(element);
    } else {
        complete = false;
    }
}

bool shape_key::operator==(const shape_key &other) const
{
    return sum == other.sum && words == other.words;
}

std::shared_ptr<const call_shapes> cached_shapes(const shape_key &key)
{
    if (!key.is_complete())
        return nullptr;
    std::lock_guard<std::mutex> guard(cache_lock);
    auto found = cache.find(key);
    return found == cache.end() ? nullptr : found->second;
}

void cache_shapes(const shape_key &key, std::shared_ptr<const call_shapes> shapes)
{
    if (!key.is_complete() || shapes->warns)
        return;
    std::lock_guard<std::mutex> guard(cache_lock);
    if (cache.size() >= CACHE_LIMIT)
        cache.clear();
    cache.insert_or_assign(key, std::move(shapes));
}

bool is_proven(const c10::OperatorHandle &op, const torch::jit::Stack &stack)
{
    uint64_t hash = kinds_hash(op, stack);
    std::lock_guard<std::mutex> guard(cache_lock);

    return proven.count(hash) != 0;
}

void note_proven(const c10::OperatorHandle &op, const torch::jit::Stack &stack)
{
    uint64_t hash = kinds_hash(op, stack);
    std::lock_guard<std::mutex> guard(cache_lock);

    proven.insert(hash);
}

/* Whether a kernel has put the elements of an operand in another order. Meta kernels give some a
 * new order where kernels keep the one that the tensor has. */
static bool has_other_order(const operand &each)
{
    return !each.image.is_meta() && each.tensor.numel() != 0 &&
           each.tensor.strides() != each.image.strides();
}

std::shared_ptr<const call_shapes> describe_results(const c10::OperatorHandle &op,
                                                    const torch::jit::Stack &results,
                                                    const operands &arguments)
{
    auto shapes = std::make_shared<call_shapes>();
    size_t count = op.schema().returns().size();

    shapes->results.resize(count);
    for (size_t i = 0; i < count; i++) {
        result_shape &shape = shapes->results[i];
        if (!describe_value(results[results.size() - count + i], arguments, shape))
            return nullptr;
        if (shape.kind != result_shape::NEW)
            continue;
        if (auto strides = strides_on_card(op, i, arguments, shape.sizes))
            shape.strides = *strides;
    }
    for (size_t i = 0; i < arguments.all.size(); i++) {
        const operand &each = arguments.all[i];
        if (each.tensor.layout() != at::kStrided || each.tensor.is_conj() != each.image.is_conj())
            return nullptr;
        bool reshaped = each.tensor.sizes() != each.image.sizes();
        if (each.written && (reshaped || has_other_order(each)))
            shapes->resized.push_back(
                {i, copy_of(each.image.sizes()), copy_of(each.image.strides())});
        shapes->warns |= each.written && reshaped && each.tensor.numel() != 0;
    }
    return shapes;
}

std::shared_ptr<const call_shapes> shapes_by_meta_kernel(const c10::OperatorHandle &op,
                                                         const torch::jit::Stack &stack)
{
    size_t count = op.schema().arguments().size();
    torch::jit::Stack call(stack.end() - static_cast<std::ptrdiff_t>(count), stack.end());
    operands arguments(c10::DispatchKey::Meta);
    at::AutoDispatchBelowADInplaceOrView guard;

    if (!op.hasComputedKernelForDispatchKey(c10::DispatchKey::Meta))
        return nullptr;
    arguments.replace(op, call);
    op.redispatchBoxed(c10::DispatchKeySet(c10::DispatchKey::Meta), &call);
    return describe_results(op, call, arguments);
}

} // namespace cupipe

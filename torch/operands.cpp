/* SPDX-License-Identifier: MIT */
#include "operands.h"

#include "host_view.h"

#include <ATen/Functions.h>
#include <string_view>
#include <unordered_set>

namespace cupipe
{
namespace
{

enum { FEW = 16 }; /* so many are searched one by one */

bool is_sparse(const at::Tensor &tensor)
{
    return tensor.layout() != at::kStrided && tensor.layout() != at::kMkldnn &&
           tensor.layout() != at::kJagged;
}

bool has_rows(const at::Tensor &tensor)
{
    return tensor.layout() == at::kSparseCsr || tensor.layout() == at::kSparseBsr;
}

/* Operators whose CUDA kernels take tensors of the host beside those of the device. */
bool allows_host_tensors(std::string_view name)
{
    static const std::string_view beginnings[] = {
        "aten::copy_",         "aten::_copy_from", "aten::index",     "aten::_index",
        "aten::_unsafe_index", "aten::_foreach",   "aten::_fused_",   "aten::_amp_",
        "aten::_to_copy",      "aten::set_",       "aten::_ctc_loss", "aten::_unsafe_masked_index",
    };

    for (std::string_view beginning : beginnings)
        if (name.substr(0, beginning.size()) == beginning)
            return true;
    return false;
}

std::string wrapper_name(const c10::OperatorHandle &op)
{
    const std::string &name = op.schema().name();
    const std::string &overload = op.schema().overload_name();
    std::string base = name.substr(name.find("::") + 2);

    return "wrapper_CUDA_" + (overload.empty() ? "" : overload + "_") + base;
}

/* Torch's generated function finds it, or the kernel, which has other words for it. */
[[noreturn]] void refuse_devices(const c10::OperatorHandle &op, const std::string &argument,
                                 c10::Device other, c10::Device device, bool in_wrapper)
{
    if (op.schema().name().substr(0, 17) == "aten::masked_fill")
        TORCH_CHECK(false, "masked_fill_: Expected inputs to be on same device");
    if (!in_wrapper)
        TORCH_CHECK(false,
                    "Expected all tensors to be on the same device, but found at least two "
                    "devices, ",
                    device, " and ", other, "!");
    TORCH_CHECK(false, "Expected all tensors to be on the same device, but got ", argument,
                " is on ", other, ", different from other tensors on ", device,
                " (when checking argument in method ", wrapper_name(op), ")");
}

} // namespace

operands::operands(c10::DispatchKey image_key) : key(image_key)
{
}

size_t operands::find(const c10::TensorImpl *impl) const
{
    if (all.size() > FEW) {
        auto found = index.find(impl);
        return found == index.end() ? all.size() : found->second;
    }
    for (size_t i = 0; i < all.size(); i++)
        if (all[i].tensor.unsafeGetTensorImpl() == impl)
            return i;
    return all.size();
}

const operand *operands::find_image(const at::Tensor &image) const
{
    for (const operand &each : all)
        if (each.image.is_same(image))
            return &each;
    return nullptr;
}

const c10::Storage &operands::storage_image(const c10::Storage &storage)
{
    c10::StorageImpl *impl = storage.unsafeGetStorageImpl();

    if (storages.size() > FEW) {
        auto found = storage_index.find(impl);
        if (found != storage_index.end())
            return storages[found->second].second;
    } else {
        for (const auto &each : storages)
            if (each.first == impl)
                return each.second;
    }
    if (key == c10::DispatchKey::CPU)
        storages.emplace_back(impl, host_storage(storage));
    else
        storages.emplace_back(impl, c10::Storage(c10::Storage::use_byte_size_t(), storage.nbytes(),
                                                 c10::DataPtr(nullptr, c10::Device(c10::kMeta)),
                                                 c10::GetAllocator(c10::DeviceType::Meta),
                                                 /*resizable=*/true));
    if (storages.size() == FEW + 1)
        for (size_t i = 0; i < FEW; i++)
            storage_index.emplace(storages[i].first, i);
    if (storages.size() > FEW)
        storage_index.emplace(impl, storages.size() - 1);
    return storages.back().second;
}

at::Tensor operands::make_sparse_image(const at::Tensor &tensor)
{
    c10::Device device(key == c10::DispatchKey::CPU ? c10::kCPU : c10::kMeta);
    at::TensorOptions options = tensor.options().device(device);

    if (tensor.layout() == at::kSparse)
        return at::_sparse_coo_tensor_with_dims_and_tensors(
            tensor.sparse_dim(), tensor.dense_dim(), tensor.sizes(), make_image(tensor._indices()),
            make_image(tensor._values()), options, tensor.is_coalesced());
    return at::_sparse_compressed_tensor_unsafe(
        make_image(has_rows(tensor) ? tensor.crow_indices() : tensor.ccol_indices()),
        make_image(has_rows(tensor) ? tensor.col_indices() : tensor.row_indices()),
        make_image(tensor.values()), tensor.sizes(), options);
}

at::Tensor operands::make_image(const at::Tensor &tensor)
{
    if (tensor.is_cuda() && is_sparse(tensor))
        return make_sparse_image(tensor);
    /* Meta kernels take numbers of the host beside Meta tensors. */
    bool is_host_number = tensor.is_cpu() && tensor.dim() == 0;
    if (key == c10::DispatchKey::Meta && !is_sparse(tensor) && !is_host_number)
        return tensor_like(tensor, storage_image(tensor.storage()), key);
    if (!tensor.is_cuda())
        return tensor;
    TORCH_CHECK_NOT_IMPLEMENTED(tensor.layout() == at::kStrided, "cupipe: a CUDA tensor of layout ",
                                tensor.layout(), " is not supported");
    return tensor_like(tensor, storage_image(tensor.storage()), key);
}

at::Tensor operands::image_of(const at::Tensor &tensor, bool written)
{
    if (!tensor.defined())
        return tensor;
    size_t place = find(tensor.unsafeGetTensorImpl());
    if (place < all.size()) {
        all[place].written |= written;
        return all[place].image;
    }
    at::Tensor image = make_image(tensor);
    all.push_back({tensor, image, written});
    if (all.size() == FEW + 1)
        for (size_t i = 0; i < FEW; i++)
            index.emplace(all[i].tensor.unsafeGetTensorImpl(), i);
    if (all.size() > FEW)
        index.emplace(tensor.unsafeGetTensorImpl(), all.size() - 1);
    return image;
}

c10::IValue operands::image_of_value(const c10::IValue &value, bool written)
{
    if (value.isTensor())
        return image_of(value.toTensor(), written);
    if (value.isTensorList()) {
        c10::List<at::Tensor> images;
        for (const at::Tensor &tensor : value.toTensorVector())
            images.push_back(image_of(tensor, written));
        return images;
    }
    if (value.isOptionalTensorList()) {
        c10::List<std::optional<at::Tensor>> images;
        for (const auto &tensor : value.toOptionalTensorVector())
            images.push_back(tensor ? std::optional<at::Tensor>(image_of(*tensor, written))
                                    : std::nullopt);
        return images;
    }
    if (value.isDevice() && value.toDevice().is_cuda())
        return c10::Device(key == c10::DispatchKey::CPU ? c10::kCPU : c10::kMeta);
    return value;
}

void operands::replace(const c10::OperatorHandle &op, torch::jit::Stack &stack)
{
    const auto &arguments = op.schema().arguments();
    size_t first = stack.size() - arguments.size();

    for (size_t i = 0; i < arguments.size(); i++) {
        c10::IValue &value = stack[first + i];
        const c10::AliasInfo *alias = arguments[i].alias_info();
        if (value.isTensor() || value.isList() || value.isDevice())
            value = image_of_value(value, alias && alias->isWrite());
    }
}

static bool is_tensor_type(const c10::Type &type)
{
    return type.kind() == c10::TypeKind::TensorType;
}

static bool is_optional_tensor_type(const c10::Type &type)
{
    return type.kind() == c10::TypeKind::OptionalType &&
           is_tensor_type(*type.expectRef<c10::OptionalType>().getElementType());
}

void unify_lists(const c10::OperatorHandle &op, torch::jit::Stack &stack)
{
    const auto &arguments = op.schema().arguments();
    size_t first = stack.size() - arguments.size();

    for (size_t i = 0; i < arguments.size(); i++) {
        c10::IValue &value = stack[first + i];
        const c10::Type &declared = *arguments[i].real_type();
        if (!value.isList() || declared.kind() != c10::TypeKind::ListType)
            continue;
        const c10::Type &element = *declared.expectRef<c10::ListType>().getElementType();
        if (is_tensor_type(element) && !value.isTensorList()) {
            c10::List<at::Tensor> list;
            for (const c10::IValue &each : value.toListRef())
                list.push_back(each.toTensor());
            value = list;
        } else if (is_optional_tensor_type(element) && !value.isOptionalTensorList()) {
            c10::List<std::optional<at::Tensor>> list;
            for (const c10::IValue &each : value.toListRef())
                list.push_back(each.toOptional<at::Tensor>());
            value = list;
        }
    }
}

const c10::IValue &argument(const c10::OperatorHandle &op, const torch::jit::Stack &stack,
                            const char *name)
{
    auto index = op.schema().argumentIndexWithName(name);

    TORCH_INTERNAL_ASSERT(index, "cupipe: ", op.schema().name(), " has no argument ", name);
    return stack[stack.size() - op.schema().arguments().size() + static_cast<size_t>(*index)];
}

void own_written_memory(const c10::OperatorHandle &op, const torch::jit::Stack &stack)
{
    const auto &arguments = op.schema().arguments();
    size_t first = stack.size() - arguments.size();

    for (size_t i = 0; i < arguments.size(); i++) {
        const c10::AliasInfo *alias = arguments[i].alias_info();
        const c10::IValue &value = stack[first + i];
        if (!(alias && alias->isWrite()) && arguments[i].name().compare(0, 8, "running_") != 0)
            continue;
        if (value.isTensor())
            own_memory(value.toTensor());
        else if (value.isTensorList())
            for (const at::Tensor &tensor : value.toTensorVector())
                own_memory(tensor);
    }
}

/* The card's kernels for medians take fewer dimensions than tensors have. */
static void check_dimensions(const c10::OperatorHandle &op, const at::Tensor &tensor)
{
    enum { TOO_MANY_DIMENSIONS = 25 };
    std::string_view name = op.schema().name();

    TORCH_CHECK(tensor.dim() < TOO_MANY_DIMENSIONS || name.find("median") == name.npos,
                "CUDA Tensors cannot have more than 25 dimensions");
}

/* Numbers of the host, which most operators take beside tensors of the device, and these do not. */
static void check_host_number(const c10::OperatorHandle &op, const std::string &argument,
                              const at::Tensor &number, c10::Device device)
{
    static const std::unordered_set<std::string_view> refusing = {
        "bucketize", "clamp",        "dot",          "gather", "gcd",       "igamma",
        "igammac",   "index_select", "isin",         "lcm",    "logaddexp", "logaddexp2",
        "nextafter", "put",          "searchsorted", "take",
    };
    std::string_view name = op.schema().name();

    name.remove_prefix(name.find("::") + 2);
    if (name.back() == '_')
        name.remove_suffix(1);
    if (refusing.count(name) || name == "addcdiv")
        refuse_devices(op, argument, number.device(), device, name != "addcdiv");
    TORCH_CHECK(name != "addcmul" || argument == "tensor2", "CPU Scalar support for ", argument,
                " argument is not supported when calling addcmul on CUDA tensors.",
                argument == "tensor1" ? " However, CPU Scalar support for tensor2 is supported, "
                                        "please swap your tensor1 and tensor2 terms."
                                      : "");
}

/* A tensor of the host is not indexed by one of a device, nor that of a device by one of another.
 */
static void check_indices(const c10::OperatorHandle &op, const torch::jit::Stack &stack)
{
    size_t first = stack.size() - op.schema().arguments().size();

    if (stack.size() < first + 2 || !stack[first].isTensor() ||
        !stack[first + 1].isOptionalTensorList())
        return;
    c10::Device device = stack[first].toTensor().device();
    for (const auto &index : stack[first + 1].toOptionalTensorVector())
        TORCH_CHECK(!index || !index->defined() || index->is_cpu() || index->device() == device,
                    "indices should be either on cpu or on the same device as the indexed tensor (",
                    device, ")");
}

/* Calls `visit` with each tensor, which may be undefined, and its argument. */
template <typename visitor>
static void visit_arguments(const c10::OperatorHandle &op, const torch::jit::Stack &stack,
                            const visitor &visit)
{
    const auto &arguments = op.schema().arguments();
    size_t first = stack.size() - arguments.size();

    for (size_t i = 0; i < arguments.size(); i++) {
        const c10::IValue &value = stack[first + i];
        if (value.isTensor())
            visit(value.toTensor(), arguments[i]);
        else if (value.isTensorList())
            for (const at::Tensor &tensor : value.toTensorVector())
                visit(tensor, arguments[i]);
        else if (value.isOptionalTensorList())
            for (const auto &tensor : value.toOptionalTensorVector())
                visit(tensor ? *tensor : at::Tensor(), arguments[i]);
    }
}

std::optional<c10::Device> device_of_call(const c10::OperatorHandle &op,
                                          const torch::jit::Stack &stack)
{
    const auto &arguments = op.schema().arguments();
    size_t first = stack.size() - arguments.size();
    std::optional<c10::Device> device;
    std::string other_name, number_name;
    std::optional<c10::Device> other;
    at::Tensor number;

    auto visit = [&](const at::Tensor &tensor, const c10::Argument &of) {
        if (!tensor.defined())
            return;
        if (tensor.is_cuda() && !device)
            device = tensor.device();
        check_dimensions(op, tensor);
        bool written = of.alias_info() && of.alias_info()->isWrite();
        bool scalar = tensor.is_cpu() && tensor.dim() == 0 && !written;
        if (scalar && !number.defined()) {
            number = tensor;
            number_name = of.name();
        }
        if (!other && !scalar && (!tensor.is_cuda() || tensor.device() != *device)) {
            other = tensor.device();
            other_name = of.name();
        }
    };
    visit_arguments(op, stack, visit);
    if (other && device && !allows_host_tensors(op.schema().name()))
        refuse_devices(op, other_name, *other, *device, !op.hasTag(at::Tag::pointwise));
    if (number.defined() && device)
        check_host_number(op, number_name, number, *device);
    if (other && device)
        check_indices(op, stack);
    for (size_t i = 0; i < arguments.size() && !device; i++)
        if (stack[first + i].isDevice() && stack[first + i].toDevice().is_cuda())
            device = stack[first + i].toDevice();
    return device;
}

} // namespace cupipe

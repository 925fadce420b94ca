/* SPDX-License-Identifier: MIT */
/* An operator is computed in one of three ways:
 *
 *  - enqueued: the shapes of its results are known, so these are allocated, and the CPU kernel
 *    becomes work of the stream;
 *  - at once: the same for small work and an idle stream, in the calling thread;
 *  - waiting: shapes depend on values, or nothing tells them, or the kernel has not run yet with
 *    tensors of these types. The calling thread waits for the stream and runs the kernel. If values
 *    do not matter, the shapes of these results are remembered. */
#include "redirect.h"

#include "card_strides.h"
#include "device_assertion.h"
#include "driver.h"
#include "host_view.h"
#include "nondeterministic.h"
#include "operator_work.h"
#include "result_memory.h"
#include "sync_debug.h"

#include <ATen/Functions.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/grad_mode.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>
#include <unordered_set>

namespace cupipe
{
namespace
{

/* One call of an operator, while it is in the redirection. */
struct redirected_call {
    const c10::OperatorHandle &op;
    c10::DispatchKey key;
    torch::jit::Stack *stack;
    c10::Device device;
};

/* A copy of the arguments on the stack. */
torch::jit::Stack arguments_of(const redirected_call &call)
{
    size_t count = call.op.schema().arguments().size();

    return torch::jit::Stack(call.stack->end() - static_cast<std::ptrdiff_t>(count),
                             call.stack->end());
}

/* Tells whether a tensor among the indices is a mask: then the result has as many rows as it has
 * true elements. */
bool has_mask(const c10::OperatorHandle &op, const torch::jit::Stack &stack)
{
    for (const auto &each : argument(op, stack, "indices").toOptionalTensorVector())
        if (each && each->defined() && is_mask(*each))
            return true;
    return false;
}

/* Shapes of results that depend on the values of tensors: torch's tags do not name all. */
bool depends_on_values(const c10::OperatorHandle &op, const torch::jit::Stack &stack)
{
    static const std::unordered_map<std::string_view, bool> untagged = {
        {"aten::_local_scalar_dense", true},
        {"aten::equal", true},
        {"aten::is_nonzero", true},
        {"aten::_unique2", true},
        {"aten::unique_dim", true},
        {"aten::unique_consecutive", true},
        {"aten::unique_dim_consecutive", true},
        {"aten::_unique", true},
        {"aten::nonzero_static", false},
        {"aten::bincount", true},
        {"aten::masked_select", true},
        {"aten::nonzero", true},
        {"aten::repeat_interleave", true},
        {"aten::histogram", true},
        {"aten::_histogramdd_bin_edges", true},
        {"aten::_embedding_bag", true},
        {"aten::_embedding_bag_forward_only", true},
        {"aten::_ctc_loss", true},
        {"aten::_assert_async", false},
        {"aten::segment_reduce", true},
    };
    auto found = untagged.find(op.schema().name());

    if (found != untagged.end())
        return found->second;
    if (op.schema().name() == "aten::index")
        return has_mask(op, stack);
    return op.hasTag(at::Tag::data_dependent_output) || op.hasTag(at::Tag::dynamic_output_shape);
}

/* Whether what one call made tells what the next one makes of arguments of the same shapes. Of
 * torch's own operators the exceptions are known (depends_on_values); those of other packages have
 * no tags, and a number of boxes or of outliers that depends on values: only a Meta kernel tells.
 */
bool repeats_shapes(const c10::OperatorHandle &op, const torch::jit::Stack &stack)
{
    static const std::unordered_set<std::string_view> of_torch = {"aten", "prims", "quantized",
                                                                  "_quantized"};
    std::string_view name = op.schema().name();

    return of_torch.count(name.substr(0, name.find("::"))) && !depends_on_values(op, stack);
}

/* Operators whose Meta kernel tells other shapes than the CPU kernel makes. */
bool meta_kernel_differs(const c10::OperatorHandle &op)
{
    static const std::unordered_set<std::string_view> names = {
        "aten::native_batch_norm",
        "aten::_native_batch_norm_legit",
        "aten::_native_batch_norm_legit_no_training",
        "aten::_batch_norm_with_update",
    };

    return names.count(op.schema().name()) != 0;
}

/* Copies have kernels for all types, so that they need not run once in the calling thread. */
bool is_copy(const c10::OperatorHandle &op)
{
    return op.schema().name() == "aten::copy_";
}

bool is_small(const redirected_call &call)
{
    size_t bytes = 0;

    each_tensor(call.op, *call.stack, [&](const at::Tensor &tensor, bool) {
        if (tensor.layout() == at::kStrided)
            bytes += tensor.nbytes();
    });
    return bytes <= SMALL_BYTES ||
           (bytes <= SMALL_POINTWISE_BYTES && call.op.hasTag(at::Tag::pointwise));
}

/* The CUDA tensor of a result that the CPU kernel made. Results that share a storage go on doing
 * so. */
at::Tensor tensor_to_device(const at::Tensor &result, const operands &arguments, c10::Device device,
                            std::vector<std::pair<c10::Storage, c10::Storage>> &moved)
{
    if (!result.defined() || !result.is_cpu())
        return result;
    if (const operand *found = arguments.find_image(result))
        return found->tensor;
    auto part = [&](const at::Tensor &each) {
        return tensor_to_device(each, arguments, device, moved);
    };
    at::TensorOptions options = result.options().device(device);
    if (result.layout() == at::kSparse)
        return at::_sparse_coo_tensor_with_dims_and_tensors(
            result.sparse_dim(), result.dense_dim(), result.sizes(), part(result._indices()),
            part(result._values()), options, result.is_coalesced());
    if (result.layout() == at::kSparseCsr || result.layout() == at::kSparseBsr)
        return at::_sparse_compressed_tensor_unsafe(part(result.crow_indices()),
                                                    part(result.col_indices()),
                                                    part(result.values()), result.sizes(), options);
    if (result.layout() == at::kSparseCsc || result.layout() == at::kSparseBsc)
        return at::_sparse_compressed_tensor_unsafe(part(result.ccol_indices()),
                                                    part(result.row_indices()),
                                                    part(result.values()), result.sizes(), options);
    if (result.layout() != at::kStrided)
        return result;
    for (const operand &each : arguments.all) /* a view of an argument */
        if (each.tensor.is_cuda() && each.image.layout() == at::kStrided &&
            each.image.storage().is_alias_of(result.storage()))
            return tensor_like(result, each.tensor.storage(), c10::DispatchKey::CUDA);
    for (const auto &each : moved)
        if (each.first.is_alias_of(result.storage()))
            return tensor_like(result, each.second, c10::DispatchKey::CUDA);
    moved.emplace_back(result.storage(), take_device_memory(result.storage(), device));
    return tensor_like(result, moved.back().second, c10::DispatchKey::CUDA);
}

c10::IValue to_device(const c10::IValue &value, const operands &arguments, c10::Device device,
                      std::vector<std::pair<c10::Storage, c10::Storage>> &moved)
{
    if (value.isTensor())
        return tensor_to_device(value.toTensor(), arguments, device, moved);
    if (!value.isTensorList())
        return value;
    c10::List<at::Tensor> list;
    for (const at::Tensor &tensor : value.toTensorVector())
        list.push_back(tensor_to_device(tensor, arguments, device, moved));
    return list;
}

/* Gives a CUDA tensor the shape, and if it has grown the memory, that the kernel gave its image. */
void take_shape(const operand &each)
{
    c10::TensorImpl *impl = each.tensor.unsafeGetTensorImpl();

    if (each.tensor.layout() != at::kStrided || each.image.is_same(each.tensor))
        return;
    c10::StorageImpl *storage = each.tensor.storage().unsafeGetStorageImpl();
    const c10::Storage &image = each.image.storage();
    if (image.data() != storage->data() || image.nbytes() != storage->nbytes()) {
        c10::Storage grown = take_device_memory(image, each.tensor.device());
        storage->set_data_ptr_noswap(grown.unsafeGetStorageImpl()->set_data_ptr(
            c10::DataPtr(nullptr, each.tensor.device())));
        storage->set_nbytes(image.nbytes());
    }
    if (each.tensor.sizes() != each.image.sizes() ||
        (each.tensor.strides() != each.image.strides() && each.tensor.numel() != 0))
        impl->set_sizes_and_strides(each.image.sizes(), each.image.strides(),
                                    each.image.storage_offset());
    if (each.tensor.is_conj() != each.image.is_conj())
        impl->_set_conj(each.image.is_conj());
}

/* A sparse tensor that the kernel has changed in place gets the new indices and values. */
void take_sparse_parts(const operand &each, const operands &arguments,
                       std::vector<std::pair<c10::Storage, c10::Storage>> &moved)
{
    if (!each.written || !each.tensor.is_cuda() || each.tensor.layout() == at::kStrided)
        return;
    /* Another tensor with the same parts: the image itself would stand for the CUDA tensor. */
    at::Tensor parts(each.image.unsafeGetTensorImpl()->shallow_copy_and_detach(
        c10::VariableVersion(0), /*allow_tensor_metadata_change=*/true));
    at::Tensor changed = tensor_to_device(parts, arguments, each.tensor.device(), moved);
    each.tensor.unsafeGetTensorImpl()->shallow_copy_from(changed.getIntrusivePtr());
}

/* Replaces new results that have other strides on a card. */
void take_card_strides(const redirected_call &call, const operands &arguments,
                       torch::jit::Stack &stack)
{
    size_t count = call.op.schema().returns().size();

    for (size_t i = 0; i < count; i++) {
        c10::IValue &value = stack[stack.size() - count + i];
        if (!value.isTensor() || !value.toTensor().defined() ||
            value.toTensor().layout() != at::kStrided || arguments.find_image(value.toTensor()))
            continue;
        const at::Tensor &result = value.toTensor();
        auto strides = strides_on_card(call.op, i, arguments, result.sizes());
        if (!strides || result.strides() == *strides)
            continue;
        at::Tensor other = at::empty_strided(result.sizes(), *strides, result.options());
        value = other.copy_(result);
    }
}

/* Runs the CPU kernel in the calling thread; the stream has nothing else to do. */
std::shared_ptr<const call_shapes> run_in_caller(const redirected_call &call)
{
    torch::jit::Stack stack = arguments_of(call);
    operands arguments(c10::DispatchKey::CPU);
    std::vector<std::pair<c10::Storage, c10::Storage>> moved;

    at::NoGradGuard no_grad;
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    arguments.replace(call.op, stack);
    {
        allocate_on_device scope;
        call_host_kernel(call.op, call.key, &stack);
        take_card_strides(call, arguments, stack);
    }
    std::shared_ptr<const call_shapes> shapes = describe_results(call.op, stack, arguments);
    for (const operand &each : arguments.all) {
        take_sparse_parts(each, arguments, moved);
        take_shape(each);
    }
    size_t first = stack.size() - call.op.schema().returns().size();
    call.stack->resize(call.stack->size() - call.op.schema().arguments().size());
    for (size_t i = first; i < stack.size(); i++)
        call.stack->push_back(to_device(stack[i], arguments, call.device, moved));
    return shapes;
}

/* Gives tensors for out= the shapes that the operator will give them. */
void resize_operands(const redirected_call &call, const call_shapes &shapes)
{
    if (shapes.resized.empty())
        return;
    operands arguments(c10::DispatchKey::Meta);
    torch::jit::Stack stack = arguments_of(call);
    arguments.replace(call.op, stack);
    for (const resized_operand &each : shapes.resized) {
        const at::Tensor &tensor = arguments.all[each.argument].tensor;
        tensor.resize_(each.sizes);
        tensor.unsafeGetTensorImpl()->set_sizes_and_strides(each.sizes, each.strides);
    }
}

void run_with_shapes(const redirected_call &call, std::shared_ptr<const call_shapes> shapes,
                     bool small)
{
    std::exception_ptr thrown;

    resize_operands(call, *shapes);
    auto work =
        std::make_unique<operator_work>(call.op, std::move(shapes), call.device, call.stack);
    if (!small || !run_at_once(*work, call.device, thrown)) {
        launch(std::move(work), call.device);
    } else if (thrown) {
        if (!asserts_on_device(call.op, thrown))
            std::rethrow_exception(thrown);
        fail_on_device(work->name, thrown, call.device);
    }
}

/* Runs the kernel on copies of what it writes, for the shapes of its results alone: nothing else
 * tells these. The values may be wrong ones, because earlier work has not run yet. */
std::shared_ptr<const call_shapes> shapes_by_trial(const redirected_call &call)
{
    torch::jit::Stack stack = arguments_of(call);
    operands arguments(c10::DispatchKey::CPU);

    at::NoGradGuard no_grad;
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    arguments.replace(call.op, stack);
    for (operand &each : arguments.all)
        if (each.written) {
            at::Tensor copy = each.image.clone();
            each.image.unsafeGetTensorImpl()->shallow_copy_from(copy.getIntrusivePtr());
        }
    call_host_kernel(call.op, call.key, &stack);
    return describe_results(call.op, stack, arguments);
}

/* The shapes that the Meta kernel tells. NULL: it does not, or it objects to the arguments, which
 * the CPU kernel will do with torch's own words. */
std::shared_ptr<const call_shapes> ask_meta_kernel(const redirected_call &call)
{
    try {
        if (meta_kernel_differs(call.op))
            return shapes_by_trial(call);
        return shapes_by_meta_kernel(call.op, *call.stack);
    } catch (const std::exception &) {
        return nullptr;
    }
}

/* Tells whether the calling thread may run a kernel for the stream, unseen by the driver. */
bool is_idle(c10::Device device)
{
    class nothing final : public stream_work
    {
      public:
        nothing() : stream_work("idle")
        {
        }
        void run() override
        {
        }
    } work;
    std::exception_ptr thrown;

    return !driver().table->wants_ranges() && run_at_once(work, device, thrown);
}

void run_waiting(const redirected_call &call, const shape_key &key, bool idle)
{
    if (!idle) {
        c10::SmallVector<at::Tensor, 8> reads;
        each_tensor(call.op, *call.stack,
                    [&](const at::Tensor &tensor, bool) { reads.push_back(tensor); });
        wait_for_stream(name_of(call.op), reads, call.device);
    }
    try {
        torch::jit::Stack arguments = arguments_of(call);
        std::shared_ptr<const call_shapes> shapes = run_in_caller(call);
        note_proven(call.op, arguments);
        if (shapes && repeats_shapes(call.op, arguments))
            cache_shapes(key, std::move(shapes));
    } catch (const c10::NotImplementedError &) {
        throw;
    } catch (const c10::Error &) {
        std::exception_ptr thrown = std::current_exception();
        if (!asserts_on_device(call.op, thrown))
            throw;
        std::shared_ptr<const call_shapes> shapes = ask_meta_kernel(call);
        if (!shapes)
            std::rethrow_exception(thrown);
        operator_work results(call.op, shapes, call.device, call.stack);
        fail_on_device(results.name, thrown, call.device);
    }
}

void run(const redirected_call &call)
{
    shape_key key(call.op, *call.stack);
    std::shared_ptr<const call_shapes> shapes = cached_shapes(key);
    bool small = is_small(call);

    if (shapes) {
        run_with_shapes(call, std::move(shapes), small);
        return;
    }
    if (call.key != c10::DispatchKey::CPU || depends_on_values(call.op, *call.stack)) {
        run_waiting(call, key, false);
        return;
    }
    if (small && is_idle(call.device)) {
        run_waiting(call, key, true);
        return;
    }
    bool capturing = is_capturing(call.device);
    bool must_enqueue = capturing || defers_work() || driver().table->wants_ranges();
    if (!must_enqueue && !is_copy(call.op) && !is_proven(call.op, *call.stack)) {
        run_waiting(call, key, false);
        return;
    }
    shapes = ask_meta_kernel(call);
    if (!shapes && capturing)
        shapes = shapes_by_trial(call);
    if (!shapes) {
        run_waiting(call, key, false);
        return;
    }
    cache_shapes(key, shapes);
    run_with_shapes(call, std::move(shapes), small);
}

} // namespace

void redirect(const c10::OperatorHandle &op, c10::DispatchKey key, torch::jit::Stack *stack)
{
    unify_lists(op, *stack);
    std::optional<c10::Device> device = device_of_call(op, *stack);
    alert_nondeterministic(op, *stack);
    note_waits(op, *stack);
    c10::DeviceIndex current = c10::cuda::current_device();

    if (!device || !device->has_index())
        device = c10::Device(c10::kCUDA, current);
    c10::cuda::OptionalCUDAGuard guard;
    if (device->index() != current)
        guard.set_device(*device);
    own_written_memory(op, *stack);
    run({op, key, stack, *device});
}

} // namespace cupipe

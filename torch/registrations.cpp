/* SPDX-License-Identifier: MIT */
/* Which operators are redirected. Torch's dispatcher has a table of kernels for each operator, by
 * backend; the last registration counts. Operators that only make tensors or views of them stay as
 * they are: they run no kernels. */
#include "copy.h"
#include "driver.h"
#include "enqueue.h"
#include "operators/operators.h"
#include "random/random.h"
#include "redirect.h"
#include "refused_types.h"
#include "result_memory.h"
#include "signals.h"
#include "sleep.h"

#include <ATen/Context.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/library.h>
#include <unordered_map>
#include <unordered_set>

namespace cupipe
{
namespace
{

enum outcome { REDIRECTED, KEPT, WITHOUT_HOST_KERNEL, OUTCOMES };

std::vector<std::string> outcomes[OUTCOMES]; /* names of operators */
std::vector<std::unique_ptr<torch::Library>> libraries;

/* These run no kernel of the card. */
const std::unordered_set<std::string_view> kept_names = {
    "aten::empty.memory_format",
    "aten::empty_strided",
    "aten::resize_",
    "aten::set_",
    "aten::set_.source_Storage",
    "aten::set_.source_Storage_storage_offset",
    "aten::set_.source_Tensor",
    "aten::record_stream",
    "aten::is_pinned",
    "aten::_pin_memory",
    "aten::is_set_to",
    "aten::_efficientzerotensor",
    "aten::_lazy_clone",
    "aten::_unsafe_view",
    "aten::_cudnn_init_dropout_state",
    "aten::sparse_dim",
    "aten::dense_dim",
    "aten::_nnz",
    "aten::is_coalesced",
    "aten::_coalesced_",
    "aten::_sparse_coo_tensor_with_dims",
    "aten::_sparse_coo_tensor_with_dims_and_tensors",
    "aten::_dimI",
    "aten::_dimV",
    "aten::_sparse_compressed_tensor_unsafe",
};

/* Nor do these of quantized tensors. */
const std::unordered_set<std::string_view> kept_quantized_names = {
    "aten::empty_like",
    "aten::empty_quantized",
    "aten::_empty_affine_quantized",
    "aten::_empty_per_channel_affine_quantized",
    "aten::q_scale",
    "aten::q_zero_point",
    "aten::q_per_channel_axis",
    "aten::q_per_channel_scales",
    "aten::q_per_channel_zero_points",
    "aten::qscheme",
};

/* Torch composes these from kernels of the card that are no operators, or from worse ones than the
 * CPU has for the whole. */
const std::unordered_set<std::string_view> composed_names = {
    "aten::convolution",
    "aten::convolution_backward",
    "aten::conj_physical_",
    "aten::mode.values",
};

template <c10::DispatchKey key>
void redirect_to(const c10::OperatorHandle &op, c10::DispatchKeySet, torch::jit::Stack *stack)
{
    redirect(op, key, stack);
}

template <c10::DispatchKey key>
void check_and_redirect(const c10::OperatorHandle &op, c10::DispatchKeySet,
                        torch::jit::Stack *stack)
{
    check_types_of_card(op, *stack);
    redirect(op, key, stack);
}

std::string_view namespace_of(std::string_view name)
{
    return name.substr(0, name.find("::"));
}

bool is_view(const c10::OperatorHandle &op)
{
    for (const c10::Argument &result : op.schema().returns())
        if (result.alias_info() && !result.alias_info()->isWrite())
            return true;
    return false;
}

outcome outcome_of(const c10::OperatorHandle &op, const std::string &name, c10::DispatchKey host)
{
    if (kept_names.count(name) || is_view(op))
        return KEPT;
    if (host == c10::DispatchKey::QuantizedCPU && kept_quantized_names.count(name))
        return KEPT;
    return op.hasComputedKernelForDispatchKey(host) ? REDIRECTED : WITHOUT_HOST_KERNEL;
}

template <c10::DispatchKey card, c10::DispatchKey host>
void redirect_backend(const std::unordered_set<std::string_view> &namespaces)
{
    std::unordered_map<std::string, torch::Library *> by_namespace;
    c10::Dispatcher &dispatcher = c10::Dispatcher::singleton();

    for (const c10::OperatorName &each : dispatcher.getAllOpNames()) {
        if (!namespaces.count(namespace_of(each.name)))
            continue;
        auto op = dispatcher.findSchema(each);
        std::string name = c10::toString(each);
        if (!op)
            continue;
        if (!op->hasKernelForDispatchKey(card) &&
            !(card == c10::DispatchKey::CUDA && composed_names.count(name)))
            continue;
        outcome outcome = outcome_of(*op, name, host);
        outcomes[outcome].push_back(name);
        if (outcome != REDIRECTED)
            continue;
        std::string space(namespace_of(name));
        torch::Library *&library = by_namespace[space];
        if (!library)
            library = libraries
                          .emplace_back(std::make_unique<torch::Library>(
                              torch::Library::IMPL, space, card, __FILE__, __LINE__))
                          .get();
        bool checks = card == c10::DispatchKey::CUDA && refuses_types(*op);
        library->impl(name.substr(space.size() + 2).c_str(),
                      checks
                          ? torch::CppFunction::makeFromBoxedFunction<&check_and_redirect<host>>()
                          : torch::CppFunction::makeFromBoxedFunction<&redirect_to<host>>());
    }
}

/* Torch warns of a kernel that replaces another one. */
class no_warnings final : public c10::WarningHandler
{
    void process(const c10::Warning &) override
    {
    }
};

/* Redirects the operators of a package that was loaded later. Those of the user's own libraries
 * stay: their kernels run as PTX. */
void redirect_namespace(const std::string &name)
{
    const std::unordered_set<std::string_view> namespaces = {name};

    if (!driver().table)
        return;
    no_warnings handler;
    c10::WarningUtils::WarningHandlerGuard guard(&handler);
    redirect_backend<c10::DispatchKey::CUDA, c10::DispatchKey::CPU>(namespaces);
}

/* Where kernels of our own for torch's operators are registered. */
torch::Library &library_for(c10::DispatchKey key)
{
    return *libraries.emplace_back(
        std::make_unique<torch::Library>(torch::Library::IMPL, "aten", key, __FILE__, __LINE__));
}

void install()
{
    static const std::unordered_set<std::string_view> namespaces = {"aten", "prims", "quantized",
                                                                    "_quantized"};
    static bool installed;

    if (installed || !driver().table)
        return;
    installed = true;
    no_warnings handler;
    c10::WarningUtils::WarningHandlerGuard guard(&handler);
    install_result_allocator();
    end_work_at_exit();
    redirect_backend<c10::DispatchKey::CUDA, c10::DispatchKey::CPU>(namespaces);
    redirect_backend<c10::DispatchKey::SparseCUDA, c10::DispatchKey::SparseCPU>(namespaces);
    redirect_backend<c10::DispatchKey::SparseCsrCUDA, c10::DispatchKey::SparseCsrCPU>(namespaces);
    redirect_backend<c10::DispatchKey::QuantizedCUDA, c10::DispatchKey::QuantizedCPU>(namespaces);
    register_copy(library_for(c10::DispatchKey::QuantizedCUDA));
    torch::Library &written_out = library_for(c10::DispatchKey::CUDA);
    register_copy(written_out);
    register_random(written_out);
    register_operators(written_out);
}

std::vector<std::string> operators_of(int64_t which)
{
    TORCH_CHECK(which >= 0 && which < OUTCOMES, "cupipe: there is no list ", which);
    return outcomes[which];
}

} // namespace

TORCH_LIBRARY(cupipe, library)
{
    library.def("install() -> ()", [] { install(); });
    library.def("redirect_namespace(str name) -> ()",
                [](const std::string &name) { redirect_namespace(name); });
    library.def("sleep(int cycles) -> ()", [](int64_t cycles) { sleep_on_device(cycles); });
    library.def("exchange_signals(int[] put, int[] wait, int rank, int timeout_ms) -> ()",
                [](c10::IntArrayRef put, c10::IntArrayRef wait, int64_t rank, int64_t timeout_ms) {
                    exchange_signals(put, wait, rank, timeout_ms);
                });
    /* 0: redirected, 1: kept, 2: without a CPU kernel */
    library.def("operators(int which) -> str[]", [](int64_t which) { return operators_of(which); });
}

} // namespace cupipe

/* What the Python package calls after it has loaded the object. Returns NULL, or why torch runs
 * without its operators on cupipe. */
extern "C" __attribute__((visibility("default"))) const char *cupipe_torch_install(void)
{
    static std::string refusal;

    try {
        if (!cupipe::driver().table)
            return "libcuda.so.1 is not cupipe's, or is older than this package";
        cupipe::install();
        return nullptr;
    } catch (const std::exception &error) {
        refusal = error.what();
        return refusal.c_str();
    }
}

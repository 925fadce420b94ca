/* SPDX-License-Identifier: MIT */
/* The operators whose parameters are tensors: bernoulli, poisson, binomial, _standard_gamma and
 * _sample_dirichlet. */
#include "enqueue.h"
#include "generator.h"
#include "host_view.h"
#include "random.h"
#include "sample.h"

#include <ATen/ATen.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/op_registration/adaption.h>
#include <ATen/native/DistributionTemplates.h>
#include <atomic>

namespace cupipe
{
namespace
{

using at::Generator;
using at::Tensor;
using maybe_generator = std::optional<Generator>;

enum { GRAIN = 1024 };

/* Whether it serves the strides of both tensors, and harms neither, that dimension `j` comes before
 * the dimension `i`. */
bool should_swap(const Tensor &a, const Tensor &b, int64_t i, int64_t j)
{
    return a.stride(i) <= a.stride(j) && b.stride(i) <= b.stride(j) &&
           (a.stride(i) < a.stride(j) || b.stride(i) < b.stride(j));
}

/* The order of dimensions, the slowest first, in which the kernels for two tensors of one size
 * count their elements. */
at::DimVector order_of(const Tensor &a, const Tensor &b)
{
    at::DimVector order(static_cast<size_t>(a.dim()));

    std::iota(order.begin(), order.end(), 0);
    for (size_t i = 0; i + 1 < order.size(); i++) {
        if (a.size(order[i]) == 1)
            continue;
        for (size_t j = i + 1; j < order.size(); j++)
            if (a.size(order[j]) != 1 && should_swap(a, b, order[i], order[j]))
                std::swap(order[i], order[j]);
    }
    return order;
}

/* Makes the values of contiguous tensors. Tells whether the parameters are valid. */
using sampler = std::function<bool(const cup_philox &, const void *parameter, uint64_t first,
                                   uint64_t last, void *out)>;

/* Submits work that samples `out` by `parameter`, which has its size. */
void sample(const char *name, const Tensor &parameter, const Tensor &out, philox_input input,
            sampler make, const char *assertion)
{
    at::DimVector order = order_of(out, parameter);
    Tensor in_view = host_view(parameter).permute(order);
    Tensor out_view = writable_host_view(out).permute(order);

    enqueue(name, {parameter}, {out}, [=] {
        at::AutoDispatchBelowADInplaceOrView below_autograd;
        Tensor in = in_view.contiguous();
        Tensor row =
            out_view.is_contiguous() ? out_view : at::empty(out_view.sizes(), out_view.options());
        const void *from = in.const_data_ptr();
        void *to = row.mutable_data_ptr();
        uint64_t count = static_cast<uint64_t>(row.numel());
        cup_philox generator = input.read();
        std::atomic<bool> valid = true;

        in_parallel((count + 3) / 4, GRAIN / 4, [&](uint64_t first, uint64_t last) {
            if (!make(generator, from, first * 4, std::min(last * 4, count), to))
                valid = false;
        });
        if (!row.is_same(out_view))
            out_view.copy_(row);
        TORCH_CHECK(valid, assertion);
    });
}

template <typename RNG> struct bernoulli_kernel {
    void operator()(Tensor &self, const Tensor &p, maybe_generator g)
    {
        at::ScalarType type = self.scalar_type();
        philox_input input(g, 10);

        TORCH_CHECK(at::isFloatingType(p.scalar_type()),
                    "expected probabilities tensor to have floating type, got ", p.scalar_type());
        check_type(is_usual(type) || type == at::kBool, "bernoulli_tensor_cuda_self_", type);
        Tensor probability = p.to(self.device(), type == at::kDouble ? at::kDouble : at::kFloat)
                                 .expand(self.sizes());
        cup_element element = element_of(type);

        sample(
            "aten::bernoulli_", probability, self, input,
            [=](const cup_philox &generator, const void *in, uint64_t first, uint64_t last,
                void *out) {
                return cup_sample_bernoulli(&generator, element, in, first, last, out) != 0;
            },
            "0 <= p && p <= 1");
    }
};

Tensor &bernoulli_(Tensor &self, const Tensor &p, maybe_generator g)
{
    at::OptionalDeviceGuard guard(at::device_of(self));

    return at::native::templates::bernoulli_impl_<bernoulli_kernel, Generator>(self, p,
                                                                               std::move(g));
}

Tensor &bernoulli_out(const Tensor &self, maybe_generator g, Tensor &out)
{
    at::OptionalDeviceGuard guard(at::device_of(out));
    std::optional<at::Device> common;

    c10::impl::check_and_update_common_device(common, out, "bernoulli_out", "out");
    c10::impl::check_and_update_common_device(common, self, "bernoulli_out", "self");
    return at::native::templates::bernoulli_out_impl<bernoulli_kernel, Generator>(out, self,
                                                                                  std::move(g));
}

Tensor gamma_of(const char *name, const char *kernel, const Tensor &shape, const maybe_generator &g)
{
    philox_input input(g, 10);
    Tensor result = at::empty(shape.sizes(), shape.options());

    check_type(is_floating(shape.scalar_type()), kernel, shape.scalar_type());
    cup_element element = element_of(shape.scalar_type());
    if (shape.numel() > 0)
        sample(
            name, shape, result, input,
            [=](const cup_philox &generator, const void *in, uint64_t first, uint64_t last,
                void *out) {
                cup_sample_gamma(&generator, element, in, first, last, out);
                return true;
            },
            "");
    return result;
}

Tensor standard_gamma(const Tensor &shape, maybe_generator g)
{
    at::OptionalDeviceGuard guard(at::device_of(shape));

    return gamma_of("aten::_standard_gamma", "gamma_cuda", shape, g);
}

/* Divides rows by their sums. Long rows are added by another operator, whose order is not the
 * device's. */
void share_rows(const Tensor &gamma)
{
    uint64_t columns = static_cast<uint64_t>(gamma.size(-1));
    uint64_t rows = static_cast<uint64_t>(gamma.numel()) / columns;
    cup_element element = element_of(gamma.scalar_type());
    void *memory = gamma.mutable_data_ptr();

    enqueue("aten::_sample_dirichlet", {}, {gamma}, [=] {
        in_parallel(rows, GRAIN / CUP_MOST_COLUMNS, [&](uint64_t first, uint64_t last) {
            cup_share_rows(element, rows, columns, first, last, memory);
        });
    });
}

/* Gamma numbers over their sum, at least the smallest normal number and below 1. */
Tensor sample_dirichlet(const Tensor &shape, maybe_generator g)
{
    at::OptionalDeviceGuard guard(at::device_of(shape));
    Tensor result = gamma_of("aten::_sample_dirichlet", "dirichlet", shape, g);

    if (result.numel() > 0 && result.dim() > 0 && result.size(-1) <= CUP_MOST_COLUMNS) {
        share_rows(result);
        return result;
    }
    result.div_(result.sum(-1, /*keepdim=*/true));
    AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, shape.scalar_type(), "dirichlet",
                                    [&] {
                                        using limits = std::numeric_limits<scalar_t>;
                                        result.clamp_(static_cast<double>(limits::min()),
                                                      1 - static_cast<double>(limits::epsilon()));
                                    });
    return result;
}

Tensor poisson(const Tensor &rate, maybe_generator g)
{
    at::OptionalDeviceGuard guard(at::device_of(rate));
    philox_input input(g, 20);
    Tensor result = at::empty(rate.sizes(), rate.options());

    check_type(is_floating(rate.scalar_type()), "poisson_cuda", rate.scalar_type());
    cup_element element = element_of(rate.scalar_type());
    if (rate.numel() > 0)
        sample(
            "aten::poisson", rate, result, input,
            [=](const cup_philox &generator, const void *in, uint64_t first, uint64_t last,
                void *out) {
                return cup_sample_poisson(&generator, element, in, first, last, out) != 0;
            },
            "invalid Poisson rate, expected rate to be non-negative");
    return result;
}

void sample_binomial(const Tensor &trials, const Tensor &probability, const Tensor &out,
                     philox_input input)
{
    Tensor trials_view = host_view(trials), out_view = writable_host_view(out);
    Tensor probability_view = host_view(probability);
    cup_element element = element_of(out.scalar_type());

    enqueue("aten::binomial", {trials, probability}, {out}, [=] {
        at::AutoDispatchBelowADInplaceOrView below_autograd;
        Tensor n = trials_view.expand(out_view.sizes()).contiguous();
        Tensor p = probability_view.expand(out_view.sizes()).contiguous();
        const void *n_data = n.const_data_ptr(), *p_data = p.const_data_ptr();
        uint64_t count = static_cast<uint64_t>(out_view.numel());
        cup_philox generator = input.read();

        in_parallel(cup_binomial_threads(count), GRAIN / 8, [&](uint64_t first, uint64_t last) {
            cup_sample_binomial(&generator, element, n_data, p_data, count, first, last,
                                out_view.mutable_data_ptr());
        });
    });
}

Tensor binomial(const Tensor &trials, const Tensor &probability, maybe_generator g)
{
    at::OptionalDeviceGuard guard(at::device_of(trials));
    std::optional<at::Device> common;

    c10::impl::check_and_update_common_device(common, trials, "binomial", "count");
    c10::impl::check_and_update_common_device(common, probability, "binomial", "prob");
    philox_input input(g, 42);
    Tensor result = at::empty(trials.sizes(), trials.options());
    auto iterator = at::TensorIteratorConfig()
                        .add_output(result)
                        .add_const_input(trials)
                        .add_const_input(probability)
                        .build();

    check_type(is_floating(iterator.dtype()), "binomial_cuda", iterator.dtype());
    if (result.numel() > 0)
        sample_binomial(trials, probability, result, input);
    return result;
}

} // namespace

void register_samples(torch::Library &aten_cuda)
{
    aten_cuda.impl("bernoulli_.Tensor", TORCH_FN(bernoulli_));
    aten_cuda.impl("bernoulli.out", TORCH_FN(bernoulli_out));
    aten_cuda.impl("_standard_gamma", TORCH_FN(standard_gamma));
    aten_cuda.impl("_sample_dirichlet", TORCH_FN(sample_dirichlet));
    aten_cuda.impl("poisson", TORCH_FN(poisson));
    aten_cuda.impl("binomial", TORCH_FN(binomial));
}

} // namespace cupipe

/* SPDX-License-Identifier: MIT */
/* Dropout and the leaky ReLU with a random slope. */
#include "dropout.h"
#include "enqueue.h"
#include "generator.h"
#include "host_view.h"
#include "random.h"

#include <ATen/ATen.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/op_registration/adaption.h>
#include <ATen/native/Resize.h>

namespace cupipe
{
namespace
{

using at::Tensor;
using maybe_generator = std::optional<at::Generator>;

enum { GRAIN = 4096 }; /* blocks */

cup_element floating_element(const char *kernel, at::ScalarType type)
{
    check_type(is_floating(type), kernel, type);
    return element_of(type);
}

/* How many elements a thread loads together: 16 bytes, or less if that divides the tensor and its
 * address. */
unsigned vector_of(const Tensor &self, const Tensor &result)
{
    uintptr_t address = reinterpret_cast<uintptr_t>(self.const_data_ptr());

    if (!self.is_non_overlapping_and_dense() || !result.is_non_overlapping_and_dense())
        return 1;
    for (size_t vector = 16 / self.itemsize(); vector > 1; vector /= 2)
        if (address % (vector * self.itemsize()) == 0 && self.numel() % vector == 0)
            return static_cast<unsigned>(vector);
    return 1;
}

void run_dropout(cup_dropout dropout, const cup_grid &grid, const philox_input &input)
{
    cup_philox generator = input.read();

    in_parallel(cup_dropout_steps(&dropout, &grid), GRAIN, [&](uint64_t first, uint64_t last) {
        cup_dropout_fill(&dropout, &generator, &grid, first, last);
    });
}

/* Vectors are counted in memory; single elements as the dimensions are. */
std::tuple<Tensor, Tensor> dropout(const char *name, const Tensor &self, double keep,
                                   at::ScalarType mask_type, const maybe_generator &g)
{
    Tensor mask = at::empty_like(self, self.options().dtype(mask_type));
    Tensor result = at::empty_like(self);

    if (self.numel() == 0)
        return {self.clone(), mask};
    cup_grid grid = grid_of(self.numel(), 4);
    philox_input input(g, words_of(grid));
    cup_dropout work = {floating_element("fused_dropout", self.scalar_type()),
                        keep,
                        vector_of(self, result),
                        nullptr,
                        nullptr,
                        nullptr};
    Tensor in_view = host_view(self), out_view = host_view(result), mask_view = host_view(mask);

    enqueue(name, {self}, {result, mask}, [=] {
        at::AutoDispatchBelowADInplaceOrView below_autograd;
        bool in_memory = work.vector > 1;
        Tensor in = in_memory ? in_view : in_view.contiguous();
        Tensor out = in_memory ? out_view : out_view.contiguous();
        Tensor bits = in_memory ? mask_view : mask_view.contiguous();
        cup_dropout here = work;

        here.in = in.const_data_ptr();
        here.out = out.mutable_data_ptr();
        here.mask = static_cast<uint8_t *>(bits.mutable_data_ptr());
        run_dropout(here, grid, input);
        if (!out.is_same(out_view))
            out_view.copy_(out);
        if (!bits.is_same(mask_view))
            mask_view.copy_(bits);
    });
    return {result, mask};
}

std::tuple<Tensor, Tensor> native_dropout(const Tensor &input, double p, std::optional<bool> train)
{
    at::OptionalDeviceGuard guard(at::device_of(input));
    auto bits = input.options().dtype(at::kBool);

    if (train && !*train)
        return {input.clone(), at::ones_like(input, bits)};
    if (p == 1)
        return {at::zeros_like(input), at::zeros_like(input, bits)};
    return dropout("aten::native_dropout", input, 1 - p, at::kBool, std::nullopt);
}

std::tuple<Tensor, Tensor> fused_dropout(const Tensor &self, double p, maybe_generator g)
{
    at::OptionalDeviceGuard guard(at::device_of(self));

    return dropout("aten::_fused_dropout", self, p, at::kByte, g);
}

void train_rrelu(const Tensor &self, const Tensor &noise, const Tensor &out, double lower,
                 double upper, const maybe_generator &g)
{
    cup_element element = floating_element("rrelu_with_noise_out_cuda", self.scalar_type());
    cup_grid grid = grid_of(self.numel(), element == CUP_DOUBLE ? 2 : 4);
    philox_input input(g, words_of(grid));
    Tensor noise_view = writable_host_view(noise), out_view = writable_host_view(out);
    Tensor in_view = host_view(self);

    enqueue("aten::rrelu_with_noise", {self}, {noise, out}, [=] {
        at::AutoDispatchBelowADInplaceOrView below_autograd;
        Tensor in = in_view.contiguous(), slopes = noise_view.contiguous();
        Tensor row = out_view.contiguous();
        cup_rrelu work = {element,
                          lower,
                          upper,
                          in.const_data_ptr(),
                          row.mutable_data_ptr(),
                          slopes.mutable_data_ptr()};
        cup_philox generator = input.read();

        in_parallel(grid.threads * grid.blocks, GRAIN, [&](uint64_t first, uint64_t last) {
            cup_rrelu_fill(&work, &generator, &grid, first, last);
        });
        if (!slopes.is_same(noise_view))
            noise_view.copy_(slopes);
        if (!row.is_same(out_view))
            out_view.copy_(row);
    });
}

Tensor &rrelu_out(const Tensor &self, Tensor &noise, const at::Scalar &lower,
                  const at::Scalar &upper, bool training, maybe_generator g, Tensor &out)
{
    at::OptionalDeviceGuard guard(at::device_of(self));
    std::optional<at::Device> common;

    c10::impl::check_and_update_common_device(common, out, "rrelu_with_noise_out", "out");
    c10::impl::check_and_update_common_device(common, self, "rrelu_with_noise_out", "self");
    c10::impl::check_and_update_common_device(common, noise, "rrelu_with_noise_out", "noise");
    at::native::resize_output(out, self.sizes());
    if (self.numel() == 0)
        return out;
    if (training)
        train_rrelu(self, noise, out, lower.to<double>(), upper.to<double>(), g);
    else
        at::leaky_relu_out(out, self, (lower.to<double>() + upper.to<double>()) / 2);
    return out;
}

Tensor rrelu(const Tensor &self, Tensor &noise, const at::Scalar &lower, const at::Scalar &upper,
             bool training, maybe_generator g)
{
    Tensor out = at::empty_like(self, at::MemoryFormat::Contiguous);

    return rrelu_out(self, noise, lower, upper, training, std::move(g), out);
}

Tensor &rrelu_(Tensor &self, Tensor &noise, const at::Scalar &lower, const at::Scalar &upper,
               bool training, maybe_generator g)
{
    return rrelu_out(self, noise, lower, upper, training, std::move(g), self);
}

} // namespace

void register_masks(torch::Library &aten_cuda)
{
    aten_cuda.impl("native_dropout", TORCH_FN(native_dropout));
    aten_cuda.impl("_fused_dropout", TORCH_FN(fused_dropout));
    aten_cuda.impl("rrelu_with_noise", TORCH_FN(rrelu));
    aten_cuda.impl("rrelu_with_noise.out", TORCH_FN(rrelu_out));
    aten_cuda.impl("rrelu_with_noise_", TORCH_FN(rrelu_));
}

} // namespace cupipe

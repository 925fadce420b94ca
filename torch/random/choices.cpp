/* SPDX-License-Identifier: MIT */
/* randperm and multinomial. */
#include "driver.h"
#include "enqueue.h"
#include "generator.h"
#include "host_view.h"
#include "multinomial.h"
#include "permutation.h"
#include "random.h"

#include <ATen/ATen.h>
#include <ATen/NativeFunctions.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/op_registration/adaption.h>
#include <ATen/native/TensorFactories.h>
#include <atomic>

namespace cupipe
{
namespace
{

using at::Tensor;
using maybe_generator = std::optional<at::Generator>;

enum { GRAIN = 4096 }; /* blocks */

/* Random keys of as many bits as a permutation takes. */
std::vector<uint64_t> make_keys(int64_t count, int bits, const cup_grid &grid,
                                const philox_input &input)
{
    bool narrow = bits <= 32;
    cup_distribution distribution = {CUP_INTEGERS,
                                     CUP_INT64,
                                     0,
                                     0,
                                     narrow ? UINT32_MAX : UINT64_MAX,
                                     narrow ? INT32_MIN : INT64_MIN};
    std::vector<uint64_t> keys(static_cast<size_t>(count));
    cup_philox generator = input.read();

    in_parallel(grid.threads * grid.blocks, GRAIN, [&](uint64_t first, uint64_t last) {
        cup_distribution_fill(&distribution, &generator, &grid, first, last, keys.data());
    });
    return keys;
}

Tensor &randperm_out(int64_t count, maybe_generator g, Tensor &out)
{
    at::OptionalDeviceGuard guard(at::device_of(out));

    TORCH_CHECK(count >= 0, "n must be non-negative, got", count);
    at::native::check_supported_max_int_with_precision(count, out);
    out.resize_({count});
    if (count == 0)
        return out;
    at::ScalarType type = out.scalar_type();
    check_type(is_usual(type) && type != at::kBFloat16, "randperm_out_cuda", type);
    int bits = cup_permutation_bits(count);
    cup_grid grid = grid_of(count, 2);
    philox_input key_input(g, words_of(grid)), tie_input(g, static_cast<uint64_t>(count));
    Tensor view = writable_host_view(out);

    enqueue("aten::randperm", {}, {out}, [=] {
        at::AutoDispatchBelowADInplaceOrView below_autograd;
        std::vector<uint64_t> keys = make_keys(count, bits, grid, key_input);
        Tensor order = at::empty({count}, at::kLong);
        cup_philox ties = tie_input.read();

        TORCH_CHECK(cup_permutation_make(&ties, bits, count, keys.data(),
                                         order.mutable_data_ptr<int64_t>()),
                    "no memory for a permutation of ", count, " numbers");
        view.copy_(order);
    });
    return out;
}

const char *complaint(cup_multinomial_result result)
{
    switch (result) {
    case CUP_MULTINOMIAL_NEGATIVE:
        return "probability tensor contains an element < 0";
    case CUP_MULTINOMIAL_EMPTY:
        return "invalid multinomial distribution (sum of probabilities <= 0)";
    default:
        return "no memory for the sums of a multinomial distribution";
    }
}

void sample_with_replacement(const Tensor &self, int64_t samples, Tensor &out,
                             const maybe_generator &g)
{
    uint64_t rows = static_cast<uint64_t>(self.dim() == 1 ? 1 : self.size(0));
    int most = device_attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y);
    unsigned most_rows =
        static_cast<unsigned>(std::min<uint64_t>(rows, static_cast<uint64_t>(most)));
    philox_input input(g, ((rows - 1) / most_rows + 1) * 4);
    cup_multinomial work = {element_of(self.scalar_type()),
                            rows,
                            static_cast<uint64_t>(self.size(-1)),
                            static_cast<uint64_t>(samples),
                            most_rows,
                            nullptr,
                            nullptr};
    Tensor in_view = host_view(self), out_view = writable_host_view(out);

    enqueue("aten::multinomial", {self}, {out}, [=] {
        at::AutoDispatchBelowADInplaceOrView below_autograd;
        Tensor in = in_view.contiguous(), row = out_view.contiguous();
        std::atomic<int> result = CUP_MULTINOMIAL_DONE;
        cup_philox generator = input.read();
        cup_multinomial here = work;

        here.weights = in.const_data_ptr();
        here.out = row.mutable_data_ptr<int64_t>();
        in_parallel(here.rows, 1, [&](uint64_t first, uint64_t last) {
            int made = cup_multinomial_fill(&here, &generator, first, last);

            if (made != CUP_MULTINOMIAL_DONE)
                result = made;
        });
        TORCH_CHECK(result == CUP_MULTINOMIAL_DONE,
                    complaint(static_cast<cup_multinomial_result>(result.load())));
        if (!row.is_same(out_view))
            out_view.copy_(row);
    });
}

/* Without replacement, and for one sample, PyTorch's own function is made of other operators; it
 * also checks the arguments. */
Tensor &multinomial_out(const Tensor &self, int64_t samples, bool replacement, maybe_generator g,
                        Tensor &out)
{
    TORCH_CHECK(out.device() == self.device(),
                "Expected all tensors to be on the same device, but got self is on ", self.device(),
                ", different from other tensors on ", out.device(),
                " (when checking argument in method wrapper_CUDA_out_multinomial_out)");
    at::OptionalDeviceGuard guard(at::device_of(self));
    bool fills = replacement && samples > 1 && (self.dim() == 1 || self.dim() == 2) &&
                 at::isFloatingType(self.scalar_type()) && out.scalar_type() == at::kLong &&
                 self.size(-1) <= 1 << 24;

    if (!fills || self.numel() == 0)
        return at::native::multinomial_out(self, samples, replacement, std::move(g), out);
    if (self.dim() == 1)
        out.resize_({samples});
    else
        out.resize_({self.size(0), samples});
    sample_with_replacement(self, samples, out, g);
    return out;
}

Tensor multinomial(const Tensor &self, int64_t samples, bool replacement, maybe_generator g)
{
    Tensor out = at::empty({0}, self.options().dtype(at::kLong));

    multinomial_out(self, samples, replacement, std::move(g), out);
    return out;
}

} // namespace

void register_choices(torch::Library &aten_cuda)
{
    aten_cuda.impl("randperm.generator_out", TORCH_FN(randperm_out));
    aten_cuda.impl("multinomial", TORCH_FN(multinomial));
    aten_cuda.impl("multinomial.out", TORCH_FN(multinomial_out));
}

} // namespace cupipe

/* SPDX-License-Identifier: MIT */
/* The operators that fill a tensor with numbers of one distribution: uniform_, normal_, random_ and
 * their like. PyTorch's templates check arguments and call a kernel with an iterator, whose order
 * is that of the kernel's threads. */
#include "enqueue.h"
#include "generator.h"
#include "random.h"

#include <ATen/ExpandUtils.h>
#include <ATen/NativeFunctions.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/op_registration/adaption.h>
#include <ATen/native/DistributionTemplates.h>
#include <ATen/ops/from_blob.h>

namespace cupipe
{
namespace
{

using at::Generator;
using at::Tensor;
using at::TensorIteratorBase;
using maybe_generator = std::optional<Generator>;

enum { GRAIN = 4096 }; /* blocks */

/* What one kernel writes: memory with the dimensions of an iterator, the fastest first. */
struct piece {
    char *memory;
    at::DimVector sizes, strides; /* in bytes */
    cup_grid grid;
    philox_input input;
};

bool is_contiguous(const piece &p, size_t element_size)
{
    return p.grid.count == 1 ||
           (p.sizes.size() == 1 && p.strides[0] == static_cast<int64_t>(element_size));
}

void fill_memory(const cup_distribution &distribution, const piece &p, void *memory)
{
    cup_philox generator = p.input.read();

    in_parallel(p.grid.threads * p.grid.blocks, GRAIN, [&](uint64_t first, uint64_t last) {
        cup_distribution_fill(&distribution, &generator, &p.grid, first, last, memory);
    });
}

/* Numbers for strided memory are made in a row and then copied. */
void fill_strided(const cup_distribution &distribution, const piece &p, at::ScalarType type)
{
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    at::DimVector sizes(p.sizes.rbegin(), p.sizes.rend()), strides;
    Tensor row = at::empty({static_cast<int64_t>(p.grid.count)}, at::TensorOptions(type));

    for (size_t i = p.strides.size(); i-- > 0;)
        strides.push_back(p.strides[i] / static_cast<int64_t>(row.itemsize()));
    fill_memory(distribution, p, row.mutable_data_ptr());
    at::from_blob(p.memory, sizes, strides, at::TensorOptions(type)).copy_(row.view(sizes));
}

/* Takes of the generator as the kernels do: a tensor of more than 2^31 bytes takes words first,
 * then again for each of the parts that it is cut into. */
void collect(TensorIteratorBase &iterator, unsigned values, const maybe_generator &generator,
             std::vector<piece> &pieces)
{
    cup_grid grid = grid_of(iterator.numel(), values);
    philox_input input(generator, words_of(grid));

    if (!iterator.can_use_32bit_indexing()) {
        for (auto &part : iterator.with_32bit_indexing())
            collect(part, values, generator, pieces);
        return;
    }
    pieces.push_back({static_cast<char *>(iterator.data_ptr(0)), at::DimVector(iterator.shape()),
                      at::DimVector(iterator.strides(0)), grid, input});
}

void fill(const char *name, TensorIteratorBase &iterator, cup_distribution distribution,
          const maybe_generator &generator)
{
    at::ScalarType type = iterator.dtype();
    std::vector<piece> pieces;

    if (iterator.numel() == 0)
        return;
    distribution.element = element_of(type);
    collect(iterator, cup_distribution_values(&distribution), generator, pieces);
    enqueue(name, {}, {iterator.tensor(0)}, [=, pieces = std::move(pieces)] {
        for (const piece &p : pieces) {
            if (is_contiguous(p, cup_element_size(distribution.element)))
                fill_memory(distribution, p, p.memory);
            else
                fill_strided(distribution, p, type);
        }
    });
}

cup_distribution distribution_of(cup_distribution_name name, double a, double b = 0)
{
    return {name, CUP_FLOAT, a, b, 0, 0};
}

template <cup_distribution_name NAME> struct kernel_name;
#define KERNEL(distribution, operator_name, message)                                               \
    template <> struct kernel_name<distribution> {                                                 \
        static constexpr const char *work = "aten::" operator_name, *kernel = message;             \
    }
KERNEL(CUP_UNIFORM, "uniform_", "uniform_kernel_cuda");
KERNEL(CUP_NORMAL, "normal_", "normal_kernel_cuda");
KERNEL(CUP_LOG_NORMAL, "log_normal_", "log_normal_cuda");
KERNEL(CUP_EXPONENTIAL, "exponential_", "exponential_cuda");
KERNEL(CUP_CAUCHY, "cauchy_", "cauchy_cuda");
#undef KERNEL

template <cup_distribution_name NAME>
void fill_floating(TensorIteratorBase &iterator, double a, double b, const maybe_generator &g)
{
    check_type(is_floating(iterator.dtype()), kernel_name<NAME>::kernel, iterator.dtype());
    fill(kernel_name<NAME>::work, iterator, distribution_of(NAME, a, b), g);
}

/* The kernels that PyTorch's templates call. RNG is a parameter that the templates need. */
template <typename RNG> struct uniform_kernel {
    void operator()(TensorIteratorBase &iterator, double from, double to, maybe_generator g)
    {
        fill_floating<CUP_UNIFORM>(iterator, from, to, g);
    }
};

template <typename RNG> struct normal_kernel {
    void operator()(const at::TensorBase &self, double mean, double deviation, maybe_generator g)
    {
        auto iterator = at::TensorIterator::borrowing_nullary_op(self);

        fill_floating<CUP_NORMAL>(iterator, mean, deviation, g);
    }
};

template <typename RNG> struct log_normal_kernel {
    void operator()(TensorIteratorBase &iterator, double mean, double deviation, maybe_generator g)
    {
        fill_floating<CUP_LOG_NORMAL>(iterator, mean, deviation, g);
    }
};

template <typename RNG> struct exponential_kernel {
    void operator()(TensorIteratorBase &iterator, double rate, maybe_generator g)
    {
        TORCH_CHECK(at::isFloatingType(iterator.dtype()),
                    "Exponential distribution is a continuous probability distribution. dtype must "
                    "be a floating point but you specified ",
                    iterator.dtype());
        fill_floating<CUP_EXPONENTIAL>(iterator, rate, 0, g);
    }
};

template <typename RNG> struct cauchy_kernel {
    void operator()(TensorIteratorBase &iterator, double median, double scale, maybe_generator g)
    {
        fill_floating<CUP_CAUCHY>(iterator, median, scale, g);
    }
};

template <typename RNG> struct geometric_kernel {
    void operator()(TensorIteratorBase &iterator, double p, maybe_generator g)
    {
        check_type(is_usual(iterator.dtype()), "geometric_cuda", iterator.dtype());
        fill("aten::geometric_", iterator, distribution_of(CUP_GEOMETRIC, p), g);
    }
};

template <typename RNG> struct bernoulli_kernel {
    void operator()(const at::TensorBase &self, double p, maybe_generator g)
    {
        auto iterator = at::TensorIterator::borrowing_nullary_op(self);
        at::ScalarType type = iterator.dtype();

        check_type(is_usual(type) || type == at::kBool, "bernoulli_scalar_cuda_", type);
        fill("aten::bernoulli_", iterator, distribution_of(CUP_BERNOULLI, p), g);
    }
};

template <typename RNG> struct random_kernel {
    void operator()(TensorIteratorBase &iterator, maybe_generator g)
    {
        at::ScalarType type = iterator.dtype();

        check_type(is_usual(type) || type == at::kBool, "random_kernel_cuda", type);
        fill("aten::random_", iterator, distribution_of(CUP_POSITIVE, 0), g);
    }
};

template <typename RNG> struct random_from_to_kernel {
    void operator()(TensorIteratorBase &iterator, uint64_t range, int64_t base, maybe_generator g)
    {
        fill("aten::random_", iterator, {CUP_INTEGERS, CUP_INT64, 0, 0, range, base}, g);
    }

    void operator()(TensorIteratorBase &iterator, maybe_generator g)
    {
        at::ScalarType type = iterator.dtype();

        check_type(is_usual(type) && type != at::kHalf, "random_full_64_bits_range_kernel_cuda",
                   type);
        TORCH_CHECK(type == at::kLong || type == at::kDouble || type == at::kFloat ||
                        type == at::kBFloat16,
                    "random_full_64_bits_range_kernel_cuda handles only int64, double, float and "
                    "bfloat16");
        fill("aten::random_", iterator, {CUP_INTEGERS, CUP_INT64, 0, 0, 0, 0}, g);
    }
};

namespace templates = at::native::templates;

Tensor &uniform_(Tensor &self, double from, double to, maybe_generator g)
{
    at::OptionalDeviceGuard guard(at::device_of(self));

    return templates::uniform_impl_<uniform_kernel, Generator>(self, from, to, std::move(g));
}

Tensor &normal_(Tensor &self, double mean, double deviation, maybe_generator g)
{
    at::OptionalDeviceGuard guard(at::device_of(self));

    return templates::normal_impl_<normal_kernel, Generator>(self, mean, deviation, std::move(g));
}

Tensor &log_normal_(Tensor &self, double mean, double deviation, maybe_generator g)
{
    at::OptionalDeviceGuard guard(at::device_of(self));

    return templates::log_normal_impl_<log_normal_kernel, Generator>(self, mean, deviation,
                                                                     std::move(g));
}

Tensor &exponential_(Tensor &self, double rate, maybe_generator g)
{
    at::OptionalDeviceGuard guard(at::device_of(self));

    return templates::exponential_impl_<exponential_kernel, Generator>(self, rate, std::move(g));
}

Tensor &cauchy_(Tensor &self, double median, double scale, maybe_generator g)
{
    at::OptionalDeviceGuard guard(at::device_of(self));

    return templates::cauchy_impl_<cauchy_kernel, Generator>(self, median, scale, std::move(g));
}

Tensor &geometric_(Tensor &self, double p, maybe_generator g)
{
    at::OptionalDeviceGuard guard(at::device_of(self));

    return templates::geometric_impl_<geometric_kernel, Generator>(self, p, std::move(g));
}

Tensor &bernoulli_(Tensor &self, double p, maybe_generator g)
{
    at::OptionalDeviceGuard guard(at::device_of(self));

    return templates::bernoulli_impl_<bernoulli_kernel, Generator>(self, p, std::move(g));
}

Tensor &random_(Tensor &self, maybe_generator g)
{
    at::OptionalDeviceGuard guard(at::device_of(self));

    return templates::random_impl<random_kernel, Generator>(self, std::move(g));
}

Tensor &random_from_to(Tensor &self, int64_t from, std::optional<int64_t> to, maybe_generator g)
{
    at::OptionalDeviceGuard guard(at::device_of(self));

    return templates::random_from_to_impl<random_from_to_kernel, Generator>(self, from, to,
                                                                            std::move(g));
}

Tensor &random_to(Tensor &self, int64_t to, maybe_generator g)
{
    return random_from_to(self, 0, to, std::move(g));
}

/* normal() of tensors: normal numbers, then operators with the tensors. */
void check_same_device(const Tensor &a, const char *a_name, const Tensor &b, const char *b_name)
{
    std::optional<at::Device> common;

    c10::impl::check_and_update_common_device(common, a, "normal", a_name);
    c10::impl::check_and_update_common_device(common, b, "normal", b_name);
}

Tensor normal_of_means(const Tensor &mean, double deviation, maybe_generator g)
{
    at::OptionalDeviceGuard guard(at::device_of(mean));

    return templates::normal_impl<normal_kernel, Generator>(mean, deviation, std::move(g));
}

Tensor &normal_of_means_out(const Tensor &mean, double deviation, maybe_generator g, Tensor &out)
{
    at::OptionalDeviceGuard guard(at::device_of(out));

    check_same_device(out, "out", mean, "mean");
    return templates::normal_out_impl<normal_kernel, Generator>(out, mean, deviation, std::move(g));
}

Tensor normal_of_deviations(double mean, const Tensor &deviation, maybe_generator g)
{
    at::OptionalDeviceGuard guard(at::device_of(deviation));

    return templates::normal_impl<normal_kernel, Generator>(mean, deviation, std::move(g));
}

Tensor &normal_of_deviations_out(double mean, const Tensor &deviation, maybe_generator g,
                                 Tensor &out)
{
    at::OptionalDeviceGuard guard(at::device_of(out));

    check_same_device(out, "out", deviation, "std");
    return templates::normal_out_impl<normal_kernel, Generator>(out, mean, deviation, std::move(g));
}

Tensor normal_of_both(const Tensor &mean, const Tensor &deviation, maybe_generator g)
{
    at::OptionalDeviceGuard guard(at::device_of(mean));

    check_same_device(mean, "mean", deviation, "std");
    return templates::normal_impl<normal_kernel, Generator>(mean, deviation, std::move(g));
}

Tensor &normal_of_both_out(const Tensor &mean, const Tensor &deviation, maybe_generator g,
                           Tensor &out)
{
    at::OptionalDeviceGuard guard(at::device_of(out));

    check_same_device(out, "out", mean, "mean");
    check_same_device(out, "out", deviation, "std");
    return templates::normal_out_impl<normal_kernel, Generator>(out, mean, deviation, std::move(g));
}

} // namespace

void register_fills(torch::Library &aten_cuda)
{
    aten_cuda.impl("uniform_", TORCH_FN(uniform_));
    aten_cuda.impl("normal_", TORCH_FN(normal_));
    aten_cuda.impl("log_normal_", TORCH_FN(log_normal_));
    aten_cuda.impl("exponential_", TORCH_FN(exponential_));
    aten_cuda.impl("cauchy_", TORCH_FN(cauchy_));
    aten_cuda.impl("geometric_", TORCH_FN(geometric_));
    aten_cuda.impl("bernoulli_.float", TORCH_FN(bernoulli_));
    aten_cuda.impl("random_", TORCH_FN(random_));
    aten_cuda.impl("random_.to", TORCH_FN(random_to));
    aten_cuda.impl("random_.from", TORCH_FN(random_from_to));
    aten_cuda.impl("normal.Tensor_float", TORCH_FN(normal_of_means));
    aten_cuda.impl("normal.Tensor_float_out", TORCH_FN(normal_of_means_out));
    aten_cuda.impl("normal.float_Tensor", TORCH_FN(normal_of_deviations));
    aten_cuda.impl("normal.float_Tensor_out", TORCH_FN(normal_of_deviations_out));
    aten_cuda.impl("normal.Tensor_Tensor", TORCH_FN(normal_of_both));
    aten_cuda.impl("normal.Tensor_Tensor_out", TORCH_FN(normal_of_both_out));
}

} // namespace cupipe

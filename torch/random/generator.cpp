/* SPDX-License-Identifier: MIT */
#include "generator.h"

#include "driver.h"

#include <ATen/Parallel.h>

namespace cupipe
{

namespace
{

at::PhiloxCudaState take(at::CUDAGeneratorImpl *source, uint64_t words)
{
    std::lock_guard<std::mutex> lock(source->mutex_);

    return source->philox_cuda_state(words);
}

} // namespace

philox_input::philox_input(const std::optional<at::Generator> &generator, uint64_t words)
    : state(take(at::get_generator_or_default<at::CUDAGeneratorImpl>(
                     generator, at::cuda::detail::getDefaultCUDAGenerator()),
                 words))
{
}

philox_input::philox_input(c10::Device device, uint64_t words)
    : state(take(at::get_generator_or_default<at::CUDAGeneratorImpl>(
                     std::nullopt, at::cuda::detail::getDefaultCUDAGenerator(device.index())),
                 words))
{
}

cup_philox philox_input::read() const
{
    if (!state.captured_)
        return {state.seed_.val, state.offset_.val};
    return {static_cast<uint64_t>(*state.seed_.ptr),
            static_cast<uint64_t>(*state.offset_.ptr) + state.offset_intragraph_};
}

cup_grid grid_of(int64_t count, unsigned values)
{
    int multiprocessors = device_attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    int threads = device_attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);

    return cup_grid_of(static_cast<uint64_t>(count), values, static_cast<unsigned>(multiprocessors),
                       static_cast<unsigned>(threads));
}

uint64_t words_of(const cup_grid &grid)
{
    return grid.blocks * 4;
}

cup_element element_of(at::ScalarType type)
{
    switch (type) {
    case at::kFloat:
        return CUP_FLOAT;
    case at::kDouble:
        return CUP_DOUBLE;
    case at::kHalf:
        return CUP_HALF;
    case at::kBFloat16:
        return CUP_BFLOAT16;
    case at::kChar:
        return CUP_INT8;
    case at::kShort:
        return CUP_INT16;
    case at::kInt:
        return CUP_INT32;
    case at::kLong:
        return CUP_INT64;
    case at::kByte:
        return CUP_UINT8;
    case at::kUInt16:
        return CUP_UINT16;
    case at::kUInt32:
        return CUP_UINT32;
    case at::kUInt64:
        return CUP_UINT64;
    case at::kBool:
        return CUP_BOOL;
    default:
        TORCH_CHECK_NOT_IMPLEMENTED(false, "random numbers of type ", type, " are not implemented");
    }
}

bool is_floating(at::ScalarType type)
{
    return type == at::kFloat || type == at::kDouble || type == at::kHalf || type == at::kBFloat16;
}

bool is_usual(at::ScalarType type)
{
    return is_floating(type) || type == at::kByte || type == at::kChar || type == at::kShort ||
           type == at::kInt || type == at::kLong;
}

void check_type(bool supported, const char *kernel, at::ScalarType type)
{
    TORCH_CHECK_NOT_IMPLEMENTED(supported, '"', kernel, "\" not implemented for '",
                                c10::toString(type), "'");
}

void in_parallel(uint64_t count, uint64_t grain, c10::function_ref<void(uint64_t, uint64_t)> part)
{
    at::parallel_for(0, static_cast<int64_t>(count), static_cast<int64_t>(grain),
                     [&](int64_t first, int64_t last) {
                         part(static_cast<uint64_t>(first), static_cast<uint64_t>(last));
                     });
}

} // namespace cupipe

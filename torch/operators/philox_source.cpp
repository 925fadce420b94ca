/* SPDX-License-Identifier: MIT */
/* Random numbers for dropout from the CUDA generator. See philox_source.h. */
#include "philox_source.h"

#include <ATen/ATen.h>

namespace cupipe
{

philox_source::philox_source(c10::Device device, int64_t count)
{
    auto *generator = at::get_generator_or_default<at::CUDAGeneratorImpl>(
        std::nullopt, at::cuda::detail::getDefaultCUDAGenerator(device.index()));
    std::lock_guard<std::mutex> lock(generator->mutex_);

    state = generator->philox_cuda_state(count);
}

philox_start philox_source::read() const
{
    philox_start start;

    if (!state.captured_)
        return {static_cast<uint64_t>(state.seed_.val), static_cast<uint64_t>(state.offset_.val)};
    start.seed = static_cast<uint64_t>(*state.seed_.ptr);
    start.offset = static_cast<uint64_t>(*state.offset_.ptr) + state.offset_intragraph_;
    return start;
}

philox_start philox_start_of(const at::Tensor &seed, const at::Tensor &offset)
{
    const auto *words = static_cast<const uint64_t *>(seed.const_data_ptr());

    if (seed.numel() == 2)
        return {words[0], words[1]};
    return {words[0], *static_cast<const uint64_t *>(offset.const_data_ptr())};
}

} // namespace cupipe

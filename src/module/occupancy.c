/* SPDX-License-Identifier: MIT */
/* Occupancy: the minimum of what the multiprocessor's threads, blocks, registers and shared memory
 * allow. */
#include "core/align.h"
#include "module/launch.h"

#include "core/error.h"

/* Registers are allocated in units of 256 per warp. */
enum { WARP = 32, REGISTER_GRANULE = 256 };

/* Returns the shared memory of a multiprocessor; the rest is cache. It is one of a few sizes: the
 * first that satisfies the carveout and holds a block. Without a preference it is all memory, but
 * for clusters the smallest that suffices. */
static uint64_t shared_capacity(const struct CUfunc_st *function, uint64_t block_bytes,
                                bool clustered)
{
    const struct cup_profile *profile = cup_function_profile(function);
    const uint16_t *sizes_kib = profile->capability->carveouts_kib;
    uint64_t most = (uint64_t)cup_profile_value(
        profile, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
    int percent = cup_setting_get(&function->settings, CUP_SETTING_CARVEOUT);
    uint64_t wanted = percent > 0 ? most * (uint64_t)percent / 100 : 0;

    if (percent < 0 && !clustered)
        return most;
    if (wanted < block_bytes)
        wanted = block_bytes;
    for (unsigned i = 0; i < CUP_GPU_CARVEOUTS; i++)
        if (sizes_kib[i] * UINT64_C(1024) >= wanted)
            return cup_min(sizes_kib[i] * UINT64_C(1024), most);
    return most;
}

CUresult cup_occupancy_blocks(const struct CUfunc_st *function, uint64_t block_threads,
                              uint64_t dynamic_shared_bytes, CUsharedMemoryMode mode,
                              bool clustered, unsigned *blocks)
{
    const struct cup_profile *profile = cup_function_profile(function);
    uint64_t warps = cup_align_to_step(block_threads, WARP) / WARP;
    uint64_t shared =
        cup_align_to_step(function->resources.shared_bytes + dynamic_shared_bytes,
                          profile->capability->shared_granule_bytes) +
        (uint64_t)cup_profile_value(profile, CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK);
    uint64_t registers =
        cup_align_to_step((uint64_t)function->resources.registers * WARP, REGISTER_GRANULE) * warps;

    *blocks = 0;
    if (block_threads == 0)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the block has no threads");
    if (block_threads >
            (uint64_t)cup_profile_value(profile, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK) ||
        dynamic_shared_bytes > cup_launch_shared_max(function, mode))
        return CUDA_SUCCESS;
    uint64_t most =
        (uint64_t)cup_profile_value(profile, CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR);
    most = cup_min(most, (uint64_t)cup_profile_value(
                             profile, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR) /
                             (warps * WARP));
    if (registers > 0) { /* an estimate: a block that may be launched has enough */
        uint64_t fit = (uint64_t)cup_profile_value(
                           profile, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR) /
                       registers;
        most = cup_min(most, fit ? fit : block_threads <= function->resources.allowed_threads);
    }
    if (shared > 0)
        most = cup_min(most, shared_capacity(function, shared, clustered) / shared);
    *blocks = (unsigned)most;
    return CUDA_SUCCESS;
}

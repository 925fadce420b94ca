/* SPDX-License-Identifier: MIT */
/* How many blocks a multiprocessor of the device we answer for would hold: the smallest of what its
 * threads, blocks, registers and shared memory allow. */
#include "module/launch.h"

#include "core/error.h"
#include "device/profile.h"

/* Registers are given to warps in pieces of 256, shared memory to blocks in pieces of 128 bytes. */
enum { WARP = 32, REGISTER_PIECE = 256, SHARED_PIECE = 128 };

static uint64_t device_value(CUdevice_attribute attribute)
{
    int value = 0;

    cup_profile_attribute(attribute, &value);
    return (uint64_t)value;
}

static uint64_t round_up(uint64_t value, uint64_t piece)
{
    return (value + piece - 1) / piece * piece;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

CUresult cup_occupancy_blocks(const struct CUfunc_st *function, uint64_t block_threads,
                              uint64_t dynamic_shared_bytes, unsigned *blocks)
{
    uint64_t warps = round_up(block_threads, WARP) / WARP;
    uint64_t shared = round_up(function->facts.shared_bytes + dynamic_shared_bytes, SHARED_PIECE) +
                      device_value(CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK);
    uint64_t registers =
        round_up((uint64_t)function->facts.registers * WARP, REGISTER_PIECE) * warps;

    *blocks = 0;
    if (block_threads == 0)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "a block without threads");
    if (block_threads > device_value(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK) ||
        dynamic_shared_bytes > (uint64_t)cup_function_dynamic_shared(function))
        return CUDA_SUCCESS;
    uint64_t most = device_value(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR);
    most = smaller(most, device_value(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR) /
                             (warps * WARP));
    if (registers > 0)
        most = smaller(most, device_value(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR) /
                                 registers);
    if (shared > 0)
        most = smaller(
            most, device_value(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR) / shared);
    *blocks = (unsigned)most;
    return CUDA_SUCCESS;
}

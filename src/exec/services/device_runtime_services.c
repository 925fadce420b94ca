/* SPDX-License-Identifier: MIT */
/* The services of abi/services.h that use the device runtime: malloc, free, printf and assert. Each
 * works for the lanes of a warp that are set in `mask`. */
#include "abi/launch.h"
#include "core/checks.h"
#include "core/error.h"
#include "exec/sched/fault.h"
#include "exec/sched/grid.h"
#include "exec/services/device_runtime.h"
#include "exec/services/malloc_heap.h"
#include "exec/services/output.h"

#include <stdio.h>
#include <unistd.h>

static struct cup_malloc_heap *heap_of(struct cup_abi_block *block)
{
    struct cup_devrt *devrt = cup_grid_of(block)->devrt;

    return devrt ? cup_devrt_heap(devrt) : NULL;
}

void cup_devrt_allocate(struct cup_abi_block *block, uint32_t mask, const uint64_t *sizes,
                        uint64_t *results)
{
    struct cup_malloc_heap *heap = heap_of(block);

    cup_check_device_heap_used(block);
    for (; mask; mask &= mask - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(mask);
        results[lane] = heap ? cup_malloc_heap_alloc(heap, sizes[lane]) : 0;
    }
}

/* Freeing an address outside the heap does nothing, unless reading it faults: a device reads the
 * header before the address. */
void cup_devrt_free(struct cup_abi_block *block, uint32_t mask, const uint64_t *pointers)
{
    struct cup_malloc_heap *heap = heap_of(block);

    cup_check_device_heap_used(block);
    for (; mask && heap; mask &= mask - 1) {
        uint64_t address = pointers[__builtin_ctz(mask)];
        if (!address)
            continue;
        enum cup_malloc_heap_result result = cup_malloc_heap_free(heap, address);
        if (result == CUP_MALLOC_HEAP_NOT_ALLOCATED)
            cup_fault_double_free(block, address);
        else if (result == CUP_MALLOC_HEAP_ELSEWHERE)
            (void)*(const volatile uint8_t *)(uintptr_t)address;
    }
}

void cup_devrt_print(struct cup_abi_block *block, uint32_t warp, uint32_t mask,
                     const uint64_t *formats, const uint64_t *arguments, int32_t *results)
{
    struct cup_devrt *devrt = cup_grid_of(block)->devrt;
    struct cup_output *output = devrt ? cup_devrt_output(devrt) : NULL;

    (void)warp;
    for (; mask; mask &= mask - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(mask);
        results[lane] = output ? cup_output_print(output, formats[lane], arguments[lane]) : -1;
    }
}

static const char *text_of(uint64_t address)
{
    return address ? (const char *)(uintptr_t)address : "";
}

/* One line per thread in CUDA's wording, written at once so that other output does not
 * interleave. */
void cup_devrt_assert(struct cup_abi_block *block, uint32_t warp, uint32_t mask,
                      const uint64_t *messages, const uint64_t *files, const uint32_t *lines,
                      const uint64_t *functions)
{
    struct cup_grid *grid = cup_grid_of(block);
    uint32_t width = block->launch->block[0], height = block->launch->block[1];
    char line[2048];

    for (uint32_t left = mask; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left), thread = warp * CUP_ABI_WARP_LANES + lane;
        int length =
            snprintf(line, sizeof(line),
                     "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n",
                     text_of(files[lane]), lines[lane], text_of(functions[lane]), block->index[0],
                     block->index[1], block->index[2], thread % width, thread / width % height,
                     thread / width / height, text_of(messages[lane]));
        if (length >= (int)sizeof(line))
            length = (int)sizeof(line) - 1;
        if (length > 0 && write(STDERR_FILENO, line, (size_t)length) < 0)
            break;
    }
    if (cup_grid_fail(grid, CUDA_ERROR_ASSERT))
        cup_log(CUP_LOG_INFO,
                "kernel %s, block (%u,%u,%u), warp %u, lanes 0x%08x: an assertion failed",
                grid->kernel_name, block->index[0], block->index[1], block->index[2], warp, mask);
    cup_grid_abandon(block);
}

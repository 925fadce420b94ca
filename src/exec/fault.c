/* SPDX-License-Identifier: MIT */
/* The first error of a launch is logged in full; what other threads of it do until they are stopped
 * is of no interest. */
#include "exec/fault.h"

#include "core/check.h"
#include "core/error.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

struct position {
    char text[160];
};

static struct position position_of(const struct cup_block *block, int warp)
{
    const struct cup_launch *launch = block->launch;
    struct position position;
    int length = snprintf(position.text, sizeof(position.text), "block (%u,%u,%u)", block->index[0],
                          block->index[1], block->index[2]);

    if (warp >= 0) {
        uint32_t first = (uint32_t)warp * CUP_WARP_LANES;
        uint32_t x = launch->block[0], y = launch->block[1];
        snprintf(position.text + length, sizeof(position.text) - (size_t)length,
                 ", warp %d from thread (%u,%u,%u) on", warp, first % x, first / x % y,
                 first / x / y);
    }
    return position;
}

void cup_fault_report(struct cup_grid *grid, const struct cup_block *block, int warp,
                      const struct cup_frame *frame, const struct cup_guard_fault *fault)
{
    const char *what = "touched memory that is not there";
    CUresult error = CUDA_ERROR_ILLEGAL_ADDRESS;

    if (fault->signal == SIGFPE || fault->signal == SIGILL) {
        what = "ran an instruction the processor refuses";
        error = CUDA_ERROR_ILLEGAL_INSTRUCTION;
    } else if (frame && cup_frame_is_stack_end(frame, fault->address)) {
        what = "needs more stack than it has";
    }
    if (!cup_grid_fail(grid, error))
        return;
    if (cup_check_enabled() && error == CUDA_ERROR_ILLEGAL_ADDRESS)
        cup_check_explain("a kernel touched", fault->address, 1);
    cup_log(CUP_LOG_ERROR, "kernel %s, %s: %s (%s at address 0x%" PRIx64 "): %s", grid->kernel_name,
            position_of(block, warp).text, what, strsignal(fault->signal), fault->address,
            cup_result_name(error));
}

void cup_fault_report_deadlock(struct cup_grid *grid, const struct cup_resident *resident)
{
    /* What a device with a watchdog answers; others hang. */
    if (cup_grid_fail(grid, CUDA_ERROR_LAUNCH_TIMEOUT))
        cup_log(CUP_LOG_ERROR,
                "kernel %s, %s: its warps wait at barriers that not all of them will reach: %s",
                grid->kernel_name, position_of(&resident->block, (int)resident->warp).text,
                cup_result_name(CUDA_ERROR_LAUNCH_TIMEOUT));
}

void cup_fault_trap(struct cup_block *block, uint32_t warp, uint32_t mask, uint32_t reason,
                    uint32_t instruction_line)
{
    static const struct {
        CUresult error;
        const char *what;
    } reasons[] = {
        [0] = {CUDA_ERROR_LAUNCH_FAILED, "failed"},
        [CUP_TRAP_INSTRUCTION] = {CUDA_ERROR_LAUNCH_FAILED, "trapped"},
        [CUP_TRAP_STACK] = {CUDA_ERROR_ILLEGAL_ADDRESS, "needs more stack than it has"},
        [CUP_TRAP_BAD_CALL] = {CUDA_ERROR_ILLEGAL_ADDRESS, "called what is no function"},
        [CUP_TRAP_MISALIGNED] = {CUDA_ERROR_MISALIGNED_ADDRESS,
                                 "used an address that is not a multiple of the access"},
        [CUP_TRAP_ADDRESS] = {CUDA_ERROR_ILLEGAL_ADDRESS, "left its shared or local memory"},
        [CUP_TRAP_TEXTURE] = {CUDA_ERROR_ILLEGAL_ADDRESS, "used what is no texture or surface"},
        [CUP_TRAP_SURFACE] = {CUDA_ERROR_ILLEGAL_ADDRESS, "left its surface"},
    };
    struct cup_grid *grid = cup_grid_of(block);
    uint32_t row = reason < CUP_ARRAY_COUNT(reasons) ? reason : 0;

    if (cup_grid_fail(grid, reasons[row].error))
        cup_log(CUP_LOG_ERROR, "kernel %s, %s, lanes 0x%08x: %s (line %u of its PTX): %s",
                grid->kernel_name, position_of(block, (int)warp).text, mask, reasons[row].what,
                instruction_line, cup_result_name(reasons[row].error));
    cup_grid_abandon(block);
}

void cup_fault_double_free(struct cup_block *block, uint64_t address)
{
    struct cup_grid *grid = cup_grid_of(block);

    if (cup_grid_fail(grid, CUDA_ERROR_LAUNCH_FAILED))
        cup_log(CUP_LOG_ERROR, "kernel %s, %s: freed 0x%" PRIx64 ", which is not allocated: %s",
                grid->kernel_name, position_of(block, -1).text, address,
                cup_result_name(CUDA_ERROR_LAUNCH_FAILED));
    cup_grid_abandon(block);
}

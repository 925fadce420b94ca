/* SPDX-License-Identifier: MIT */
/* Only the first error of a launch is logged; errors of other threads until the launch has stopped
 * are ignored. */
#include "exec/sched/divergent_stack.h"
#include "exec/sched/fault.h"
#include "exec/services/sync_table.h"

#include "device/context.h"
#include "device/coredump.h"

#include "abi/launch.h"
#include "abi/services.h"
#include "core/checks.h"
#include "core/error.h"
#include "core/thread.h"
#include "os/registers.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct position {
    char text[160];
};

static struct position position_of(const struct cup_abi_block *block, int warp)
{
    const struct cup_abi_launch *launch = block->launch;
    struct position position;
    int length = snprintf(position.text, sizeof(position.text), "block (%u,%u,%u)", block->index[0],
                          block->index[1], block->index[2]);

    if (warp >= 0) {
        uint32_t first = (uint32_t)warp * CUP_ABI_WARP_LANES;
        uint32_t x = launch->block[0], y = launch->block[1];
        snprintf(position.text + length, sizeof(position.text) - (size_t)length,
                 ", warp %d from thread (%u,%u,%u) on", warp, first % x, first / x % y,
                 first / x / y);
    }
    return position;
}

/* Finds the statement at a line of the program's text, "line 12 of its PTX: ld.global.u32 %r1,
 * [%rd1]". The kernel is searched first, because line numbers are ambiguous in a program linked
 * from several texts. */
struct statement {
    char text[400];
};

static const struct ptx_instruction *instruction_at(const struct ptx_function *function,
                                                    uint32_t line)
{
    const struct ptx_instruction *found = NULL;

    for (uint32_t i = 0; i < function->instruction_count; i++) {
        const struct ptx_instruction *instruction = &function->instructions[i];

        if (instruction->line != line)
            continue;
        if (instruction->source_count && instruction->src[0].kind == PTX_OPERAND_ADDRESS)
            return instruction; /* if a line has several, prefer one that accesses memory */
        found = found ? found : instruction;
    }
    return found;
}

static struct statement statement_at(const struct cup_grid *grid, uint32_t line)
{
    const struct ptx_program *program = grid->program;
    const struct ptx_function *function = &program->functions[grid->function];
    const struct ptx_instruction *found = instruction_at(function, line);
    struct statement statement;
    int length =
        snprintf(statement.text, sizeof(statement.text), "line %u of its PTX", (unsigned)line);

    for (uint32_t f = 0; !found && f < program->function_count; f++) {
        function = &program->functions[f];
        found = instruction_at(function, line);
    }
    if (found) {
        length += snprintf(statement.text + length, sizeof(statement.text) - (size_t)length, ": ");
        ptx_print_instruction(program, function, found, statement.text + length,
                              sizeof(statement.text) - (size_t)length);
    }
    return statement;
}

/* A device has a window of 16 MiB for shared addresses. It reports an access behind a block's
 * shared memory as an illegal address, and one behind the window as an illegal instruction. */
enum { DEVICE_SHARED_WINDOW_BYTES = 16 << 20 };

static void explain(const struct cup_grid *grid, const struct cup_abi_block *block, int warp,
                    const struct cup_guard_fault *fault)
{
    char where[512];

    snprintf(where, sizeof(where), "kernel %s, %s", grid->kernel_name,
             position_of(block, warp).text);
    cup_checks.kernel_faulted(grid, block, where, fault);
}

/* A failed launch, for the log and the core dump. */
struct failure {
    CUresult error;
    char where[320]; /* the block, and what is known of warp and lanes */
    char what[640];  /* a clause that the kernel is the subject of */
};

/* Prints the parameters of the kernel in words of 32 bits. */
static size_t print_parameters(const struct cup_grid *grid, char *text, size_t size)
{
    const struct ptx_function *function = &grid->program->functions[grid->function];
    size_t length = 0;

    for (uint32_t i = 0; i < function->parameter_count && length < size; i++) {
        const struct ptx_parameter *parameter = &function->parameters[i];
        const uint8_t *value = (const uint8_t *)grid->launch.params + parameter->offset;

        length += (size_t)snprintf(text + length, size - length, "param:   %s =", parameter->name);
        for (uint64_t at = 0; at < parameter->size_bytes && length < size; at += 4) {
            uint32_t word = 0;
            uint64_t left = parameter->size_bytes - at;

            memcpy(&word, value + at, left < 4 ? left : 4);
            length += (size_t)snprintf(text + length, size - length, " %08x", word);
        }
        if (length < size)
            length += (size_t)snprintf(text + length, size - length, "\n");
    }
    return length < size ? length : size - 1;
}

/* Writes the core dump of a failed launch if the context wants one. Registers are those of the
 * thread that ran the warp, at a hardware fault. */
static void write_dump(const struct cup_grid *grid, const struct failure *failure,
                       const struct cup_registers *registers)
{
    const struct cup_abi_launch *launch = &grid->launch;
    enum { TEXT_BYTES = 1 << 16 };
    bool with_registers;
    char *text;

    if (!cup_coredump_wanted(grid->context->coredump, &with_registers) ||
        !(text = malloc(TEXT_BYTES)))
        return;
    cup_coredump_begin(grid->context->coredump, grid->context->device->ordinal);
    size_t length = (size_t)snprintf(
        text, TEXT_BYTES,
        "device:  %d\nresult:  %s\nkernel:  %s\ngrid:    %u x %u x %u\nblock:   %u x %u x %u\n"
        "shared:  %u bytes static, %u dynamic\nwhere:   %s\nwhat:    %s\n",
        grid->context->device->ordinal, cup_result_name(failure->error), grid->kernel_name,
        launch->grid[0], launch->grid[1], launch->grid[2], launch->block[0], launch->block[1],
        launch->block[2], launch->shared_static_bytes, launch->shared_dynamic_bytes, failure->where,
        failure->what);
    length += print_parameters(grid, text + length, TEXT_BYTES - length);
    if (registers && with_registers)
        cup_registers_print(registers, text + length, TEXT_BYTES - length);
    cup_coredump_write(grid->context->coredump, grid->context->device->ordinal, text);
    free(text);
}

/* Fails the launch, unless it has failed already, with one line in the log. */
static void report(struct cup_grid *grid, const struct failure *failure,
                   const struct cup_registers *registers)
{
    if (!cup_grid_fail(grid, failure->error))
        return;
    cup_log(CUP_LOG_ERROR, "kernel %s, %s: %s: %s", grid->kernel_name, failure->where,
            failure->what, cup_result_name(failure->error));
    write_dump(grid, failure, registers);
}

void cup_fault_report(struct cup_grid *grid, const struct cup_abi_block *block, int warp,
                      const struct cup_frame *frame, const struct cup_guard_fault *fault)
{
    const char *what = "accessed memory that is not mapped";
    CUresult error = CUDA_ERROR_ILLEGAL_ADDRESS;
    uint64_t shared_offset = fault->address - (uint64_t)(uintptr_t)block->window;
    uint64_t cluster_blocks = grid->cluster_blocks ? grid->cluster_blocks : 1;
    bool is_instruction = fault->signal == SIGFPE || fault->signal == SIGILL;

    if (is_instruction) {
        what = "executed an illegal instruction";
        error = CUDA_ERROR_ILLEGAL_INSTRUCTION;
    } else if ((frame && cup_frame_is_stack_end(frame, fault->address)) ||
               (block->state && cup_divergent_stack_overflowed(block->state, fault->address))) {
        what = "overflowed its stack";
    } else if (shared_offset < CUP_FRAME_WINDOW_BYTES) {
        what = "accessed memory outside its shared memory";
        /* Without shared memory x86_64 does not tell the address, so the offset is not known. */
        if (block->window != CUP_FRAME_NO_SHARED &&
            shared_offset >= DEVICE_SHARED_WINDOW_BYTES * cluster_blocks)
            error = CUDA_ERROR_ILLEGAL_INSTRUCTION;
    }
    if (cup_checks.kernel_faulted && !is_instruction && !cup_grid_failed(grid))
        explain(grid, block, warp, fault);
    struct failure failure = {.error = error};
    snprintf(failure.where, sizeof(failure.where), "%s", position_of(block, warp).text);
    snprintf(failure.what, sizeof(failure.what), "%s (%s at address 0x%" PRIx64 ")", what,
             strsignal(fault->signal), fault->address);
    report(grid, &failure, cup_guard_fault_registers());
}

/* Describes where the lanes of a warp wait: "warp 1: lanes 0x0000ffff at barrier 2". */
static size_t describe_warp(const struct cup_resident *resident, uint32_t warp, char *text,
                            size_t size)
{
    uint32_t live = resident->live[warp], bit = 1u << warp;
    uint32_t at_sync = cup_sync_waiting(&resident->block, warp);
    int length = snprintf(text, size, "; warp %u:", warp);
    const char *separator = "";

    for (uint32_t used = resident->used_barriers; used; used &= used - 1) {
        uint32_t id = (uint32_t)__builtin_ctz(used);
        const struct cup_barrier *barrier = &resident->barriers[id];
        uint32_t lanes = barrier->waiting & bit         ? live
                         : barrier->partial_warps & bit ? resident->partial[id][warp]
                                                        : 0;

        if (!lanes || (size_t)length >= size)
            continue;
        length += snprintf(text + length, size - (size_t)length,
                           "%s lanes 0x%08x at barrier %u, where %u of %u threads have come",
                           separator, lanes, id, barrier->arrived,
                           barrier->expected ? barrier->expected
                                             : resident->live_warps * CUP_ABI_WARP_LANES);
        separator = ",";
    }
    if (at_sync && (size_t)length < size)
        length += snprintf(text + length, size - (size_t)length,
                           "%s lanes 0x%08x at an instruction with .sync", separator, at_sync);
    return (size_t)length < size ? (size_t)length : size - 1;
}

void cup_fault_report_deadlock(struct cup_grid *grid, struct cup_resident *resident)
{
    /* The result of a device with a watchdog; other devices hang. */
    struct failure failure = {.error = CUDA_ERROR_LAUNCH_TIMEOUT};
    char text[400] = "";
    size_t length = 0;

    for (uint32_t left = resident->all & ~resident->finished; left && length + 1 < sizeof(text);
         left &= left - 1)
        length += describe_warp(resident, (uint32_t)__builtin_ctz(left), text + length,
                                sizeof(text) - length);
    if (!cup_grid_failed(grid))
        cup_check_deadlocked(&resident->block);
    snprintf(failure.where, sizeof(failure.where), "%s", position_of(&resident->block, -1).text);
    snprintf(failure.what, sizeof(failure.what),
             "its threads wait for each other and none can continue%s", text);
    report(grid, &failure, NULL);
}

/* A failure that a service reports, of lanes of a warp at a statement. */
static struct failure failure_at(const struct cup_abi_block *block, uint32_t warp, uint32_t mask,
                                 CUresult error)
{
    struct failure failure = {.error = error};

    snprintf(failure.where, sizeof(failure.where), "%s, lanes 0x%08x",
             position_of(block, (int)warp).text, mask);
    return failure;
}

_Noreturn void cup_fault_trap(struct cup_abi_block *block, uint32_t warp, uint32_t mask,
                              uint32_t reason, uint32_t instruction_line)
{
    static const struct {
        CUresult error;
        const char *what;
    } reasons[] = {
        [0] = {CUDA_ERROR_LAUNCH_FAILED, "failed"},
        [CUP_ABI_TRAP_INSTRUCTION] = {CUDA_ERROR_LAUNCH_FAILED, "trapped"},
        [CUP_ABI_TRAP_STACK] = {CUDA_ERROR_ILLEGAL_ADDRESS, "overflowed its stack"},
        [CUP_ABI_TRAP_BAD_CALL] = {CUDA_ERROR_ILLEGAL_ADDRESS,
                                   "called an address that is not a function"},
        [CUP_ABI_TRAP_MISALIGNED] = {CUDA_ERROR_MISALIGNED_ADDRESS,
                                     "used an address that is not a multiple of the access"},
        [CUP_ABI_TRAP_ADDRESS] = {CUDA_ERROR_ILLEGAL_ADDRESS,
                                  "accessed memory outside its shared or local memory"},
        [CUP_ABI_TRAP_TEXTURE] = {CUDA_ERROR_ILLEGAL_ADDRESS, "used an invalid texture or surface"},
        [CUP_ABI_TRAP_SURFACE] = {CUDA_ERROR_ILLEGAL_ADDRESS,
                                  "accessed texels outside its surface"},
        [CUP_ABI_TRAP_MEMORY] = {CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, "ran out of host memory"},
        [CUP_ABI_TRAP_TENSOR_MAP] = {CUDA_ERROR_ILLEGAL_INSTRUCTION,
                                     "used a tensor map that is invalid or does not fit the "
                                     "instruction"},
        [CUP_ABI_TRAP_TENSOR_POSITION] = {CUDA_ERROR_ILLEGAL_INSTRUCTION,
                                          "copied a box whose rows do not begin at a multiple of "
                                          "16 bytes, or stored one at negative coordinates"},
        [CUP_ABI_TRAP_MULTICAST] = {CUDA_ERROR_ILLEGAL_ADDRESS,
                                    "used multimem at an address without a multicast object"},
        [CUP_ABI_TRAP_NO_CLUSTER] = {CUDA_ERROR_ILLEGAL_INSTRUCTION,
                                     "wrote to the memory of a cluster in a launch without "
                                     "clusters"},
    };
    struct cup_grid *grid = cup_grid_of(block);
    uint32_t row = reason < CUP_ARRAY_COUNT(reasons) ? reason : 0;

    struct failure failure = failure_at(block, warp, mask, reasons[row].error);

    snprintf(failure.what, sizeof(failure.what), "%s (%s)", reasons[row].what,
             statement_at(grid, instruction_line).text);
    report(grid, &failure, NULL);
    cup_grid_abandon(block);
}

void cup_fault_forbidden(struct cup_abi_block *block, uint32_t warp, uint32_t mask,
                         uint64_t address, const char *why, uint32_t instruction_line)
{
    struct cup_grid *grid = cup_grid_of(block);
    struct failure failure = failure_at(block, warp, mask, CUDA_ERROR_ILLEGAL_ADDRESS);

    snprintf(failure.what, sizeof(failure.what), "touched address 0x%" PRIx64 ": %s (%s)", address,
             why, statement_at(grid, instruction_line).text);
    report(grid, &failure, NULL);
    cup_grid_abandon(block);
}

void cup_fault_misaligned(struct cup_abi_block *block, uint32_t warp, uint32_t mask,
                          uint64_t address, uint32_t bytes, uint32_t instruction_line)
{
    struct cup_grid *grid = cup_grid_of(block);
    struct failure failure = failure_at(block, warp, mask, CUDA_ERROR_MISALIGNED_ADDRESS);

    snprintf(failure.what, sizeof(failure.what),
             "accessed %u bytes at address 0x%" PRIx64 ", which is not a multiple of that (%s)",
             bytes, address, statement_at(grid, instruction_line).text);
    report(grid, &failure, NULL);
    cup_grid_abandon(block);
}

void cup_fault_double_free(struct cup_abi_block *block, uint64_t address)
{
    struct failure failure = {.error = CUDA_ERROR_LAUNCH_FAILED};

    snprintf(failure.where, sizeof(failure.where), "%s", position_of(block, -1).text);
    snprintf(failure.what, sizeof(failure.what), "freed 0x%" PRIx64 ", which is not allocated",
             address);
    report(cup_grid_of(block), &failure, NULL);
    cup_grid_abandon(block);
}

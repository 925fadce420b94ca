/* SPDX-License-Identifier: MIT */
/* The info log of a compilation, in the form of ptxas, which programs search for registers, spills
 * and times. Nothing is compiled when a module is loaded, so the times are those of reading it. */
#include "module/program.h"

#include "module/log.h"
#include "os/clock.h"

#include <stdio.h>

enum { REGISTERS_MAX = 255, OPTION_MIN = 24 };

static void warn(uint32_t registers, const char *target, struct ptx_log *log)
{
    if (registers > REGISTERS_MAX)
        cup_module_log(log,
                       "ptxas warning : Too big maxrregcount value specified %u, will be ignored",
                       registers);
    else if (registers > 0 && registers < OPTION_MIN)
        cup_module_log(log,
                       "ptxas warning : For profile %s adjusting per thread register count of %u "
                       "to lower bound of %d",
                       target, registers, OPTION_MIN);
}

static uint64_t global_bytes(const struct ptx_program *ptx)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < ptx->variable_count; i++)
        if (ptx->variables[i].space == PTX_GLOBAL)
            bytes = cup_program_align(bytes, &ptx->variables[i]) + ptx->variables[i].size_bytes;
    return bytes;
}

/* Barriers that the kernel itself names; one number in a register may be any. */
static unsigned count_barriers(const struct ptx_function *kernel)
{
    unsigned used = 0;

    for (uint32_t i = 0; i < kernel->instruction_count; i++) {
        const struct ptx_instruction *instruction = &kernel->instructions[i];
        if (instruction->op != PTX_OP_bar && instruction->op != PTX_OP_barrier)
            continue;
        if (instruction->source_count == 0 || instruction->src[0].kind != PTX_OPERAND_IMMEDIATE)
            return 16;
        used |= 1u << (instruction->src[0].value & 15);
    }
    return (unsigned)__builtin_popcount(used);
}

static void describe_kernel(const struct cup_program *program, uint32_t index, const char *target,
                            double ms, struct ptx_log *log)
{
    const struct ptx_function *kernel = &program->ptx->functions[program->kernels[index]];
    const struct cup_code_resources *resources = &program->resources[index];
    char stack[48] = "", shared[48] = "";

    if (resources->local_bytes)
        snprintf(stack, sizeof stack, ", %u bytes cumulative stack size", resources->local_bytes);
    if (resources->shared_bytes)
        snprintf(shared, sizeof shared, ", %u bytes smem", resources->shared_bytes);
    cup_module_log(log, "ptxas info    : Compiling entry function '%s' for '%s'", kernel->name,
                   target);
    cup_module_log(log, "ptxas info    : Function properties for %s", kernel->name);
    cup_module_log(log,
                   "ptxas         .     %u bytes stack frame, 0 bytes spill stores, 0 bytes spill "
                   "loads",
                   resources->local_bytes);
    cup_module_log(log, "ptxas info    : Used %u registers, used %u barriers%s%s",
                   resources->registers, count_barriers(kernel), stack, shared);
    cup_module_log(log, "ptxas info    : Compile time = %.3f ms", ms);
}

void cup_program_describe(const struct cup_program *program, const struct cup_build *build,
                          bool verbose, struct ptx_log *log)
{
    unsigned capability = cup_profile_capability(build->profile);
    double ms = (double)(cup_clock_ns() - build->start_ns) / 1e6;
    char target[16];

    snprintf(target, sizeof target, "sm_%u%s", capability, capability >= 90 ? "a" : "");
    warn(build->max_registers, target, log);
    if (!verbose)
        return;
    cup_module_log(log, "ptxas info    : %llu bytes gmem",
                   (unsigned long long)global_bytes(program->ptx));
    for (uint32_t i = 0; i < program->kernel_count; i++)
        describe_kernel(program, i, target, ms, log);
}

/* SPDX-License-Identifier: MIT */
/* Properties of a kernel without compiling it. The kernel and all functions it may call are walked
 * for the variables they use. The number of registers is an estimate: the largest number of live
 * values, plus a few that NVIDIA's compiler always uses. */
#include "core/align.h"
#include "core/compiler.h"
#include "exec/code/register_pressure.h"
#include "exec/exec.h"
#include "ptx/device_call.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
    THREADS_MAX = 1024,
    DYNAMIC_ALIGN = 16, /* minimum alignment of dynamic shared memory */
    REGISTERS_MIN = 4,
    REGISTERS_MAX = 255,
    OPTION_MIN = 24, /* the least to which the compiler's option can set the limit */
    REGISTER_FILE = 65536,
};

/* The kernels of a program are walked one after the other. Marks are the number of a walk, so that
 * nothing needs to be cleared between walks: a program may have thousands of kernels. */
struct resource_walk {
    const struct ptx_program *program;
    uint32_t number;     /* of this walk, from 1 on */
    uint32_t *variables; /* marks of the program's variables that are used */
    uint32_t *functions; /* marks of the functions that are reached */
    uint32_t *reached;   /* these functions; the first `visited` are visited */
    uint32_t reached_count, visited;
    uint32_t *pressure;  /* per function: the words of its registers plus 1; 0: not known yet */
    uint32_t *in_shared; /* the program's variables in shared memory */
    uint32_t in_shared_count;
    uint64_t const_bytes; /* of the program */
    uint64_t shared, local, words;
    uint64_t dynamic_align; /* alignment of dynamic shared memory; 0: none */
    bool lacks_query;
};

static void reach_function(struct resource_walk *walk, uint32_t index)
{
    if (index < walk->program->function_count && walk->functions[index] != walk->number) {
        walk->functions[index] = walk->number;
        walk->reached[walk->reached_count++] = index;
    }
}

/* Any function whose address is taken may be called; kernels whose address is taken are launched.
 */
static void visit_operand(struct resource_walk *walk, const struct ptx_operand *operand)
{
    bool is_variable = operand->kind == PTX_OPERAND_SYMBOL ||
                       (operand->kind == PTX_OPERAND_ADDRESS && operand->base == PTX_BASE_VARIABLE);

    if (operand->kind == PTX_OPERAND_FUNCTION) {
        if (operand->index < walk->program->function_count &&
            !walk->program->functions[operand->index].is_kernel)
            reach_function(walk, operand->index);
    } else if (is_variable && !operand->local && operand->index < walk->program->variable_count)
        walk->variables[operand->index] = walk->number;
}

static void visit_call(struct resource_walk *walk, const struct ptx_instruction *instruction)
{
    const struct ptx_call *call = instruction->call;

    if (!call)
        return;
    visit_operand(walk, &call->target);
    for (uint32_t i = 0; i < call->argument_count; i++)
        visit_operand(walk, &call->arguments[i]);
    for (uint32_t i = 0; instruction->op == PTX_OP_call && i < call->target_count; i++)
        reach_function(walk, call->targets[i]);
}

/* Static shared memory has the variables in order, each at its alignment, without padding at the
 * end. Dynamic shared memory follows directly, so every kernel of a program that declares some is
 * padded to its alignment. */
static void add_shared(struct resource_walk *walk, const struct ptx_variable *variable)
{
    uint64_t align = variable->align > DYNAMIC_ALIGN ? variable->align : DYNAMIC_ALIGN;

    if (!variable->unsized)
        walk->shared = cup_align_up(walk->shared, variable->align) + variable->size_bytes;
    else if (align > walk->dynamic_align)
        walk->dynamic_align = align;
}

static void add_own_variables(struct resource_walk *walk, const struct ptx_function *function)
{
    for (uint32_t i = 0; i < function->variable_count; i++) {
        const struct ptx_variable *variable = &function->variables[i];
        if (variable->space == PTX_SHARED)
            add_shared(walk, variable);
        else if (variable->space == PTX_LOCAL)
            walk->local = cup_align_up(walk->local, variable->align) + variable->size_bytes;
    }
}

/* NVIDIA's driver supports only the extent queries of textures. */
static bool lacks_query(const struct ptx_instruction *instruction)
{
    return instruction->op == PTX_OP_txq && !ptx_has(instruction, PTX_MOD_WIDTH) &&
           !ptx_has(instruction, PTX_MOD_HEIGHT) && !ptx_has(instruction, PTX_MOD_DEPTH);
}

static void visit_function(struct resource_walk *walk, uint32_t index)
{
    const struct ptx_function *function = &walk->program->functions[index];
    uint64_t words;

    if (!walk->pressure[index])
        walk->pressure[index] = cup_pressure_registers(function) + 1;
    words = walk->pressure[index] - 1;
    walk->words = words > walk->words ? words : walk->words;
    for (uint32_t i = 0; i < function->instruction_count; i++) {
        const struct ptx_instruction *instruction = &function->instructions[i];
        visit_operand(walk, &instruction->dst[0]);
        for (uint32_t k = 0; k < instruction->source_count && k < PTX_MAX_SOURCES; k++)
            visit_operand(walk, &instruction->src[k]);
        visit_call(walk, instruction);
        walk->lacks_query |= lacks_query(instruction);
    }
}

static void add_program_variables(struct resource_walk *walk)
{
    for (uint32_t i = 0; i < walk->in_shared_count; i++) {
        uint32_t index = walk->in_shared[i];
        const struct ptx_variable *variable = &walk->program->variables[index];

        if (walk->variables[index] == walk->number || variable->unsized)
            add_shared(walk, variable);
    }
}

/* The limit from a kernel's directives, or from the option of the compiler, which gives way to
 * them; the hardware's where there is none, or where the option is beyond it. */
static uint64_t most_registers(const struct ptx_function *kernel, uint32_t option)
{
    const uint32_t *limits =
        kernel->max_threads[0] ? kernel->max_threads : kernel->required_threads;
    uint64_t threads = kernel->min_blocks ? kernel->min_blocks : 1, most = REGISTERS_MAX;

    for (int i = 0; i < 3; i++)
        threads *= limits[i] ? limits[i] : 1;
    if (limits[0] && REGISTER_FILE / threads < most)
        most = REGISTER_FILE / threads / 8 * 8;
    if (kernel->max_registers && kernel->max_registers < most)
        most = kernel->max_registers;
    if (!limits[0] && !kernel->max_registers && option != 0 && option < most)
        most = option < OPTION_MIN ? OPTION_MIN : option;
    return most;
}

/* Returns an even number within the limits. */
static uint32_t estimate_registers(const struct ptx_function *kernel, uint64_t words,
                                   uint32_t option)
{
    uint64_t estimate = cup_align_up(REGISTERS_MIN + words, 2);
    uint64_t most = most_registers(kernel, option);

    if (estimate > REGISTERS_MAX)
        estimate = REGISTERS_MAX;
    return (uint32_t)(estimate > most && most >= REGISTERS_MIN ? most : estimate);
}

static uint32_t allowed_threads(const struct ptx_function *kernel)
{
    const uint32_t *limits = kernel->max_threads; /* .reqntid is exact, not a maximum */
    uint64_t threads = limits[0];

    for (int i = 1; i < 3; i++)
        threads *= limits[i] ? limits[i] : 1;
    return threads == 0 || threads > THREADS_MAX ? THREADS_MAX : (uint32_t)threads;
}

/* Registers are allocated in units of 8 per thread, per warp. */
static uint32_t fitting_threads(uint32_t allowed, uint32_t registers)
{
    uint32_t fit = REGISTER_FILE / ((registers + 7) / 8 * 8) / 32 * 32;

    return allowed < fit ? allowed : fit;
}

static int by_index(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;

    return (left > right) - (left < right);
}

static bool fixes_limits(const struct ptx_function *function)
{
    static const char *const names[] = {"vprintf", "malloc", "free"};

    for (size_t i = 0; i < CUP_ARRAY_COUNT(names) && function->is_prototype; i++) {
        if (strcmp(function->name, names[i]) == 0)
            return true;
    }
    return !function->is_kernel && ptx_device_call_of(function->name) != PTX_CALL_NONE;
}

static void walk_kernel(struct resource_walk *walk, uint32_t function, uint32_t max_registers,
                        struct cup_code_resources *resources)
{
    const struct ptx_function *kernel = &walk->program->functions[function];

    walk->number++;
    walk->reached_count = walk->visited = 0;
    walk->shared = walk->local = walk->words = walk->dynamic_align = 0;
    walk->lacks_query = false;
    reach_function(walk, function);
    while (walk->visited < walk->reached_count)
        visit_function(walk, walk->reached[walk->visited++]);
    qsort(walk->reached, walk->reached_count, sizeof(*walk->reached), by_index);
    resources->fixes_limits = false;
    for (uint32_t f = 0; f < walk->reached_count; f++) {
        const struct ptx_function *reached = &walk->program->functions[walk->reached[f]];
        add_own_variables(walk, reached);
        resources->fixes_limits |= fixes_limits(reached);
    }
    add_program_variables(walk);
    resources->shared_bytes = (uint32_t)cup_align_up(walk->shared, walk->dynamic_align);
    resources->local_bytes = (uint32_t)cup_align_up(walk->local, 8);
    resources->const_bytes = (uint32_t)walk->const_bytes;
    resources->registers = estimate_registers(kernel, walk->words, max_registers);
    resources->allowed_threads = allowed_threads(kernel);
    resources->max_threads = fitting_threads(resources->allowed_threads, resources->registers);
    resources->lacks_query = walk->lacks_query;
}

static void find_variables(struct resource_walk *walk)
{
    for (uint32_t i = 0; i < walk->program->variable_count; i++) {
        const struct ptx_variable *variable = &walk->program->variables[i];

        if (variable->space == PTX_CONST)
            walk->const_bytes =
                cup_align_up(walk->const_bytes, variable->align) + variable->size_bytes;
        if (variable->space == PTX_SHARED)
            walk->in_shared[walk->in_shared_count++] = i;
    }
}

bool cup_code_resources_estimate(const struct ptx_program *program, const uint32_t *kernels,
                                 uint32_t kernel_count, uint32_t max_registers,
                                 struct cup_code_resources *resources)
{
    size_t variables = (size_t)program->variable_count + 1,
           functions = (size_t)program->function_count + 1;
    struct resource_walk walk = {.program = program,
                                 .variables = calloc(variables, sizeof(*walk.variables)),
                                 .in_shared = calloc(variables, sizeof(*walk.in_shared)),
                                 .functions = calloc(functions, sizeof(*walk.functions)),
                                 .reached = calloc(functions, sizeof(*walk.reached)),
                                 .pressure = calloc(functions, sizeof(*walk.pressure))};
    bool fine = walk.variables && walk.in_shared && walk.functions && walk.reached && walk.pressure;

    if (fine) {
        find_variables(&walk);
        for (uint32_t k = 0; k < kernel_count; k++)
            walk_kernel(&walk, kernels[k], max_registers, &resources[k]);
    }
    free(walk.variables);
    free(walk.in_shared);
    free(walk.functions);
    free(walk.reached);
    free(walk.pressure);
    return fine;
}

/* SPDX-License-Identifier: MIT */
/* A search from the kernels and the variables along calls and addresses of functions. */
#include "module/device_functions.h"

#include <stdlib.h>

struct function_search {
    const struct ptx_program *program;
    bool *reached;
    uint32_t *waiting; /* reached, but their bodies are not looked at yet; each once */
    uint32_t waiting_count;
};

static void reach(struct function_search *search, uint32_t function)
{
    if (search->reached[function])
        return;
    search->reached[function] = true;
    search->waiting[search->waiting_count++] = function;
}

static void reach_operand(struct function_search *search, const struct ptx_operand *operand)
{
    if (operand->kind == PTX_OPERAND_FUNCTION)
        reach(search, operand->index);
}

static void reach_instruction(struct function_search *search,
                              const struct ptx_instruction *instruction)
{
    const struct ptx_call *call = instruction->call;

    for (unsigned i = 0; i < instruction->source_count; i++)
        reach_operand(search, &instruction->src[i]);
    if (!call || instruction->op != PTX_OP_call)
        return;
    reach_operand(search, &call->target);
    for (uint32_t i = 0; i < call->argument_count; i++)
        reach_operand(search, &call->arguments[i]);
    for (uint32_t i = 0; i < call->target_count; i++)
        reach(search, call->targets[i]);
}

static void run(struct function_search *search)
{
    const struct ptx_program *program = search->program;

    for (uint32_t i = 0; i < program->function_count; i++)
        if (program->functions[i].is_kernel)
            reach(search, i);
    for (uint32_t i = 0; i < program->variable_count; i++)
        for (uint32_t j = 0; j < program->variables[i].relocation_count; j++)
            if (program->variables[i].relocations[j].is_function)
                reach(search, program->variables[i].relocations[j].index);
    while (search->waiting_count > 0) {
        const struct ptx_function *function =
            &program->functions[search->waiting[--search->waiting_count]];
        for (uint32_t i = 0; i < function->instruction_count; i++)
            reach_instruction(search, &function->instructions[i]);
    }
}

bool cup_program_device_functions(const struct ptx_program *program, uint32_t *indices,
                                  uint32_t *count)
{
    size_t functions = (size_t)program->function_count + 1;
    struct function_search search = {.program = program,
                                     .reached = calloc(functions, sizeof *search.reached),
                                     .waiting = calloc(functions, sizeof *search.waiting)};
    bool good = search.reached && search.waiting;

    *count = 0;
    if (good)
        run(&search);
    for (uint32_t i = 0; good && i < program->function_count; i++)
        if (search.reached[i] && !program->functions[i].is_kernel &&
            !program->functions[i].is_prototype)
            indices[(*count)++] = i;
    free(search.reached);
    free(search.waiting);
    return good;
}

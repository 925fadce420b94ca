/* SPDX-License-Identifier: MIT */
/* Fills places of reports. */
#include "exec/check_where.h"

#include "exec/sched/grid.h"

#include <stdio.h>
#include <string.h>

void cup_kcheck_where_set(struct cup_kcheck_where *where, const struct cup_grid *grid,
                          uint32_t site, const uint32_t block[3], uint32_t thread, const char *role)
{
    const uint32_t *shape = grid->launch.block;

    cup_kcheck_place_find(grid, site, &where->place);
    snprintf(where->detail, sizeof(where->detail), ": %s", where->place.text);
    where->report = (struct cup_report_place){
        .role = role,
        .kernel = grid->kernel_name,
        .function = where->place.function,
        .file = where->place.source_line ? where->place.file : NULL,
        .line = where->place.source_line,
        .ptx_line = where->place.line,
        .thread = {thread % shape[0], thread / shape[0] % shape[1], thread / shape[0] / shape[1]},
        .has_block = true,
        .has_thread = true,
        .detail = where->place.text[0] ? where->detail : NULL,
    };
    memcpy(where->report.block, block, sizeof(where->report.block));
}

const struct ptx_instruction *cup_kcheck_instruction(const struct cup_grid *grid, uint32_t site,
                                                     const struct ptx_function **function)
{
    const struct ptx_program *program = grid->program;
    uint32_t f = 0;

    for (; f < program->function_count && site >= program->functions[f].instruction_count; f++)
        site -= program->functions[f].instruction_count;
    if (f == program->function_count)
        return NULL;
    *function = &program->functions[f];
    return &program->functions[f].instructions[site];
}

const char *cup_kcheck_variable_name(const struct cup_grid *grid, uint32_t site)
{
    const struct ptx_function *function;
    const struct ptx_instruction *instruction = cup_kcheck_instruction(grid, site, &function);
    const struct ptx_operand *address = instruction ? &instruction->src[0] : NULL;

    if (!address || !instruction->source_count || address->kind != PTX_OPERAND_ADDRESS ||
        address->base != PTX_BASE_VARIABLE)
        return NULL;
    return address->local ? function->variables[address->index].name
                          : grid->program->variables[address->index].name;
}

struct memory_search {
    uint64_t address;
    struct cup_check_record *record;
    bool found;
};

static void look(const struct cup_check_record *record, void *argument)
{
    struct memory_search *search = argument;

    if (!record->freed.call && search->address - record->base < record->size_bytes) {
        *search->record = *record;
        search->found = true;
    }
}

bool cup_kcheck_find_memory(uint64_t address, struct cup_check_record *record)
{
    struct memory_search search = {address, record, false};

    cup_check_search(look, &search);
    return search.found;
}

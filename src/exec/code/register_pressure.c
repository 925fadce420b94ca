/* SPDX-License-Identifier: MIT */
/* A register is live from the first instruction that names it to the last. If it is defined before
 * a loop and used in it, it is live to the end of the loop. Overlapping and nested loops are
 * merged, which keeps the algorithm linear and is accurate enough for an estimate. */
#include "exec/code/register_pressure.h"

#include <stdbool.h>
#include <stdlib.h>

struct live_range {
    uint32_t first, last;
    bool named;
};

struct pressure {
    const struct ptx_function *function;
    struct live_range *ranges; /* live ranges of the registers */
    /* per instruction: the last instruction that branches back to it; 0: none */
    uint32_t *reach;
    /* per instruction: the first instruction of its loop plus 1; 0: not in a loop */
    uint32_t *start;
    uint32_t *end;   /* per first instruction of a loop: its end */
    int64_t *change; /* per instruction: the change of the number of live words */
};

static uint32_t words_of(uint8_t type)
{
    return type == PTX_PRED ? 0 : (ptx_type_bits(type) + 31) / 32;
}

static void use_register(struct pressure *pressure, uint32_t reg, uint32_t at)
{
    if (reg >= pressure->function->register_count)
        return;
    struct live_range *live_range = &pressure->ranges[reg];
    if (!live_range->named)
        *live_range = (struct live_range){at, at, true};
    live_range->last = at;
}

static void visit_operand(struct pressure *pressure, const struct ptx_operand *operand, uint32_t at)
{
    if (operand->kind == PTX_OPERAND_REGISTER ||
        (operand->kind == PTX_OPERAND_ADDRESS && operand->base == PTX_BASE_REGISTER))
        use_register(pressure, operand->index, at);
    for (uint32_t i = 0; operand->kind == PTX_OPERAND_VECTOR && i < operand->count; i++) {
        const struct ptx_operand *part = &pressure->function->elements[operand->index + i];
        if (part->kind == PTX_OPERAND_REGISTER)
            use_register(pressure, part->index, at);
    }
}

static void visit_branch(struct pressure *pressure, uint32_t target, uint32_t at)
{
    if (target <= at && pressure->reach[target] < at)
        pressure->reach[target] = at;
}

static void visit(struct pressure *pressure, const struct ptx_instruction *instruction, uint32_t at)
{
    const struct ptx_call *call = instruction->call;

    if (instruction->guard != PTX_NO_REGISTER)
        use_register(pressure, instruction->guard, at);
    for (unsigned i = 0; i < PTX_MAX_DESTINATIONS; i++)
        visit_operand(pressure, &instruction->dst[i], at);
    for (unsigned i = 0; i < instruction->source_count && i < PTX_MAX_SOURCES; i++)
        visit_operand(pressure, &instruction->src[i], at);
    if (instruction->op == PTX_OP_bra)
        visit_branch(pressure, instruction->src[0].index, at);
    for (uint32_t i = 0; call && instruction->op != PTX_OP_call && i < call->target_count; i++)
        visit_branch(pressure, call->targets[i], at);
    if (!call || instruction->op != PTX_OP_call)
        return;
    visit_operand(pressure, &call->target, at);
    for (uint32_t i = 0; i < call->argument_count; i++)
        visit_operand(pressure, &call->arguments[i], at);
    for (uint32_t i = 0; i < call->result_count; i++)
        visit_operand(pressure, &call->results[i], at);
}

/* Merges overlapping loops. */
static void find_loops(struct pressure *pressure)
{
    uint32_t start = 0, end = 0;
    bool inside = false;

    for (uint32_t at = 0; at < pressure->function->instruction_count; at++) {
        inside = inside && at <= end;
        if (pressure->reach[at] && !inside) {
            start = at;
            end = at;
            inside = true;
        }
        if (inside && pressure->reach[at] > end)
            end = pressure->reach[at];
        if (inside) {
            pressure->start[at] = start + 1;
            pressure->end[start] = end;
        }
    }
}

static uint32_t most_words(struct pressure *pressure)
{
    const struct ptx_function *function = pressure->function;
    int64_t words = 0, most = 0;

    for (uint32_t i = 0; i < function->register_count; i++) {
        struct live_range live_range = pressure->ranges[i];
        if (!live_range.named)
            continue;
        uint32_t start = pressure->start[live_range.last];
        if (start && live_range.first < start - 1)
            live_range.last = pressure->end[start - 1];
        if (live_range.last == live_range.first)
            live_range.last++;
        pressure->change[live_range.first] += words_of(function->registers[i].type);
        pressure->change[live_range.last] -= words_of(function->registers[i].type);
    }
    for (uint32_t at = 0; at < function->instruction_count; at++) {
        words += pressure->change[at];
        most = words > most ? words : most;
    }
    return most > UINT32_MAX ? UINT32_MAX : (uint32_t)most;
}

uint32_t cup_pressure_registers(const struct ptx_function *function)
{
    size_t count = (size_t)function->instruction_count + 1,
           registers = (size_t)function->register_count + 1;
    struct pressure pressure = {.function = function};
    size_t each = sizeof(*pressure.change) + sizeof(*pressure.reach) + sizeof(*pressure.start) +
                  sizeof(*pressure.end);
    void *memory = calloc(1, count * each + registers * sizeof(*pressure.ranges));
    uint32_t words = 0;

    if (memory) {
        pressure.change = memory;
        pressure.reach = (uint32_t *)(pressure.change + count);
        pressure.start = pressure.reach + count;
        pressure.end = pressure.start + count;
        pressure.ranges = (struct live_range *)(pressure.end + count);
        for (uint32_t i = 0; i < function->instruction_count; i++)
            visit(&pressure, &function->instructions[i], i);
        find_loops(&pressure);
        words = most_words(&pressure);
    }
    free(memory);
    return words;
}

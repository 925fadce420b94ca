/* SPDX-License-Identifier: MIT */
/* A register lives from the first instruction that names it to the last; one that came from before
 * a loop and is named in it, to the loop's end. Loops are taken whole, the inner ones with the
 * outer: that keeps this linear in the length of the text, and near enough for an estimate. */
#include "exec/register_pressure.h"

#include <stdbool.h>
#include <stdlib.h>

struct life {
    uint32_t first, last;
    bool named;
};

struct pressure {
    const struct ptx_function *function;
    struct life *lives; /* of the registers */
    uint32_t *reach;    /* of an instruction: the last that branches back to it; 0: none */
    uint32_t *start;    /* of an instruction: the loop it is in begins there, plus 1; 0: in none */
    uint32_t *end;      /* of an instruction that begins a loop: where that ends */
    int64_t *change;    /* of an instruction: how many more words live from it on */
};

static uint32_t words_of(uint8_t type)
{
    return type == PTX_PRED ? 0 : (ptx_type_bits(type) + 31) / 32;
}

static void name(struct pressure *pressure, uint32_t reg, uint32_t at)
{
    if (reg >= pressure->function->register_count)
        return;
    struct life *life = &pressure->lives[reg];
    if (!life->named)
        *life = (struct life){at, at, true};
    life->last = at;
}

static void visit_operand(struct pressure *pressure, const struct ptx_operand *operand, uint32_t at)
{
    if (operand->kind == PTX_OPERAND_REGISTER ||
        (operand->kind == PTX_OPERAND_ADDRESS && operand->base == PTX_BASE_REGISTER))
        name(pressure, operand->index, at);
    for (uint32_t i = 0; operand->kind == PTX_OPERAND_VECTOR && i < operand->count; i++) {
        const struct ptx_operand *part = &pressure->function->elements[operand->index + i];
        if (part->kind == PTX_OPERAND_REGISTER)
            name(pressure, part->index, at);
    }
}

static void branch(struct pressure *pressure, uint32_t target, uint32_t at)
{
    if (target <= at && pressure->reach[target] < at)
        pressure->reach[target] = at;
}

static void visit(struct pressure *pressure, const struct ptx_instruction *instruction, uint32_t at)
{
    const struct ptx_call *call = instruction->call;

    if (instruction->guard != PTX_NO_REGISTER)
        name(pressure, instruction->guard, at);
    for (unsigned i = 0; i < 2; i++)
        visit_operand(pressure, &instruction->dst[i], at);
    for (unsigned i = 0; i < instruction->source_count && i < PTX_MAX_SOURCES; i++)
        visit_operand(pressure, &instruction->src[i], at);
    if (instruction->op == PTX_OP_bra)
        branch(pressure, instruction->src[0].index, at);
    for (uint32_t i = 0; call && instruction->op != PTX_OP_call && i < call->target_count; i++)
        branch(pressure, call->targets[i], at);
    if (!call || instruction->op != PTX_OP_call)
        return;
    visit_operand(pressure, &call->target, at);
    for (uint32_t i = 0; i < call->argument_count; i++)
        visit_operand(pressure, &call->arguments[i], at);
    for (uint32_t i = 0; i < call->result_count; i++)
        visit_operand(pressure, &call->results[i], at);
}

/* Joins loops that overlap. */
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
        struct life life = pressure->lives[i];
        if (!life.named)
            continue;
        uint32_t start = pressure->start[life.last];
        if (start && life.first < start - 1)
            life.last = pressure->end[start - 1];
        if (life.last == life.first)
            life.last++;
        pressure->change[life.first] += words_of(function->registers[i].type);
        pressure->change[life.last] -= words_of(function->registers[i].type);
    }
    for (uint32_t at = 0; at < function->instruction_count; at++) {
        words += pressure->change[at];
        most = words > most ? words : most;
    }
    return most > UINT32_MAX ? UINT32_MAX : (uint32_t)most;
}

uint32_t cup_pressure_registers(const struct ptx_function *function)
{
    size_t count = (size_t)function->instruction_count + 1;
    struct pressure pressure = {
        .function = function,
        .lives = calloc((size_t)function->register_count + 1, sizeof *pressure.lives),
        .reach = calloc(count, sizeof *pressure.reach),
        .start = calloc(count, sizeof *pressure.start),
        .end = calloc(count, sizeof *pressure.end),
        .change = calloc(count, sizeof *pressure.change)};
    uint32_t words = 0;

    if (pressure.lives && pressure.reach && pressure.start && pressure.end && pressure.change) {
        for (uint32_t i = 0; i < function->instruction_count; i++)
            visit(&pressure, &function->instructions[i], i);
        find_loops(&pressure);
        words = most_words(&pressure);
    }
    free(pressure.lives);
    free(pressure.reach);
    free(pressure.start);
    free(pressure.end);
    free(pressure.change);
    return words;
}

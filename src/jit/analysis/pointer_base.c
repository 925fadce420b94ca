/* SPDX-License-Identifier: MIT */
/* The address of a variable plus or minus numbers keeps its base; any other result computed from it
 * has an unknown base. A register has one base for all of its definitions, found by iteration: a
 * base only changes from unset towards unknown. */
#include "jit/analysis/pointer_base.h"

#include "jit/analysis/instruction.h"
#include "jit/workspace.h"

struct base_search {
    const struct jit_cfg *cfg;
    const struct ptx_program *program;
    uint32_t *bases;
    uint32_t found; /* of the instruction's result */
    bool changed;
};

static bool is_variable(uint32_t base)
{
    return base >= JIT_BASE_VARIABLE;
}

uint32_t jit_pointer_base_of(const uint32_t *bases, const struct ptx_program *program,
                             const struct ptx_function *function, const struct ptx_operand *operand)
{
    const struct ptx_variable *variable;
    bool named = operand->kind == PTX_OPERAND_SYMBOL ||
                 (operand->kind == PTX_OPERAND_ADDRESS && operand->base == PTX_BASE_VARIABLE);

    if (operand->kind == PTX_OPERAND_REGISTER ||
        (operand->kind == PTX_OPERAND_ADDRESS && operand->base == PTX_BASE_REGISTER))
        return bases[operand->index];
    if (!named)
        return JIT_BASE_NONE;
    variable =
        operand->local ? &function->variables[operand->index] : &program->variables[operand->index];
    if (variable->space != PTX_SHARED && variable->space != PTX_LOCAL)
        return JIT_BASE_NONE;
    return JIT_BASE_VARIABLE + 2 * operand->index + operand->local;
}

static uint32_t source(const struct base_search *s, const struct ptx_instruction *i, unsigned which)
{
    return jit_pointer_base_of(s->bases, s->program, s->cfg->function, &i->src[which]);
}

/* A sum of which at most one term is a pointer. */
static uint32_t sum(uint32_t a, uint32_t b)
{
    if (a == JIT_BASE_UNKNOWN || b == JIT_BASE_UNKNOWN || (is_variable(a) && is_variable(b)))
        return JIT_BASE_UNKNOWN;
    return is_variable(a) ? a : is_variable(b) ? b : JIT_BASE_NONE;
}

static uint32_t difference(uint32_t a, uint32_t b)
{
    if (is_variable(b))
        return is_variable(a) ? JIT_BASE_NONE : JIT_BASE_UNKNOWN;
    return sum(a, b);
}

/* Either of two. */
static uint32_t join(uint32_t a, uint32_t b)
{
    if (a == b || b == JIT_BASE_UNSET)
        return a;
    return a == JIT_BASE_UNSET ? b : JIT_BASE_UNKNOWN;
}

static uint32_t mixed(const struct base_search *s, const struct ptx_instruction *i)
{
    for (unsigned which = 0; which < i->source_count; which++)
        if (source(s, i, which) >= JIT_BASE_UNKNOWN)
            return JIT_BASE_UNKNOWN;
    return JIT_BASE_NONE;
}

static uint32_t product_and_sum(const struct base_search *s, const struct ptx_instruction *i)
{
    bool plain = source(s, i, 0) < JIT_BASE_UNKNOWN && source(s, i, 1) < JIT_BASE_UNKNOWN;

    return plain ? source(s, i, 2) : JIT_BASE_UNKNOWN;
}

static uint32_t result_of(const struct base_search *s, const struct ptx_instruction *i)
{
    switch (i->op) {
    case PTX_OP_mov:
    case PTX_OP_cvta:
    case PTX_OP_cvt:
        return i->src[0].kind == PTX_OPERAND_VECTOR ? JIT_BASE_UNKNOWN : source(s, i, 0);
    case PTX_OP_add:
        return sum(source(s, i, 0), source(s, i, 1));
    case PTX_OP_sub:
        return difference(source(s, i, 0), source(s, i, 1));
    case PTX_OP_mad:
        return product_and_sum(s, i);
    case PTX_OP_selp:
        return join(source(s, i, 0), source(s, i, 1));
    /* what is loaded or exchanged may be any pointer, and is no number that is added to one */
    case PTX_OP_shfl:
        return mixed(s, i);
    default:
        return jit_instruction_is_pure(i) ? mixed(s, i) : JIT_BASE_NONE;
    }
}

static void define(void *context, uint32_t reg)
{
    struct base_search *s = context;
    uint32_t base;

    if (reg >= s->cfg->function->register_count)
        return;
    base = join(s->bases[reg], s->found);
    s->changed |= base != s->bases[reg];
    s->bases[reg] = base;
}

uint32_t *jit_pointer_bases_find(const struct jit_cfg *cfg, struct jit_workspace *workspace,
                                 const struct ptx_program *program)
{
    const struct ptx_function *function = cfg->function;
    struct base_search s = {.cfg = cfg, .program = program, .changed = true};

    s.bases = jit_workspace_zeros(workspace, function->register_count + 1, sizeof(*s.bases));
    while (s.changed) {
        s.changed = false;
        for (uint32_t at = 0; at < function->instruction_count; at++) {
            const struct ptx_instruction *i = &function->instructions[at];

            s.found = result_of(&s, i);
            jit_instruction_defines(cfg, i, define, &s);
        }
    }
    return s.bases;
}

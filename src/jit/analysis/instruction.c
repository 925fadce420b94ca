/* SPDX-License-Identifier: MIT */
/* Properties of single instructions. */
#include "jit/analysis/instruction.h"

#include "jit/analysis/cfg.h"
#include "jit/lower/lower.h"

bool jit_instruction_is_pure(const struct ptx_instruction *instruction)
{
    enum ptx_type sources[JIT_LOWER_MAX_OPERANDS + 2], results[JIT_LOWER_MAX_OPERANDS + 2];
    unsigned source_count, result_count;

    switch (instruction->op) {
    case PTX_OP_mov:
    case PTX_OP_cvta:
    case PTX_OP_mapa:
    case PTX_OP_getctarank:
        return true;
    default:
        return jit_lower_shape(instruction, sources, &source_count, results, &result_count);
    }
}

bool jit_instruction_waits(const struct ptx_instruction *instruction)
{
    if (instruction->op == PTX_OP_wgmma)
        return ptx_has(instruction, PTX_MOD_WAIT_GROUP);
    if (instruction->op != PTX_OP_bar && instruction->op != PTX_OP_barrier)
        return false;
    if (ptx_has(instruction, PTX_MOD_WARP))
        return false;
    if (ptx_has(instruction, PTX_MOD_SCOPE_CLUSTER))
        return ptx_has(instruction, PTX_MOD_WAIT);
    return !ptx_has(instruction, PTX_MOD_ARRIVE);
}

bool jit_instruction_uses_clusters(const struct ptx_instruction *instruction)
{
    switch (instruction->op) {
    case PTX_OP_mapa:
    case PTX_OP_getctarank:
        return true;
    case PTX_OP_barrier:
        return ptx_has(instruction, PTX_MOD_SCOPE_CLUSTER);
    default:
        return ptx_has(instruction, PTX_MOD_MULTICAST) ||
               ptx_has(instruction, PTX_MOD_MULTICAST_16B);
    }
}

bool jit_access_is_strong(const struct ptx_instruction *instruction)
{
    return ptx_has(instruction, PTX_MOD_VOLATILE) || ptx_has(instruction, PTX_MOD_RELAXED) ||
           ptx_has(instruction, PTX_MOD_ACQUIRE) || ptx_has(instruction, PTX_MOD_RELEASE) ||
           ptx_has(instruction, PTX_MOD_MMIO) || ptx_has(instruction, PTX_MOD_CV);
}

bool jit_access_is_word(const struct ptx_instruction *i)
{
    return i->width > 1 && jit_access_is_strong(i) &&
           i->width * ptx_type_bits(i->types[i->type_count - 1]) <= 128;
}

bool jit_instruction_syncs(const struct ptx_instruction *instruction)
{
    switch (instruction->op) {
    case PTX_OP_shfl:
    case PTX_OP_vote:
    case PTX_OP_match:
    case PTX_OP_redux:
    case PTX_OP_elect:
        return ptx_has(instruction, PTX_MOD_SYNC);
    case PTX_OP_bar:
        return ptx_has(instruction, PTX_MOD_WARP);
    case PTX_OP_wgmma: /* a fence comes before the products, so lanes that meet there are together
                        */
        return ptx_has(instruction, PTX_MOD_FENCE);
    default:
        return false;
    }
}

int jit_sync_member_source(const struct ptx_instruction *i)
{
    if (!jit_instruction_syncs(i) || i->op == PTX_OP_wgmma)
        return -1;
    return i->source_count - 1;
}

/* Whether a load must stay even if its value is unused. Loads of variables cannot fault; strong
 * accesses are kept anyway, because they are volatile. */
bool jit_load_is_demanded(const struct ptx_instruction *i)
{
    const struct ptx_operand *address = &i->src[0];

    return (i->op == PTX_OP_ld || i->op == PTX_OP_ldu) && !jit_access_is_strong(i) &&
           (address->kind != PTX_OPERAND_ADDRESS || address->base != PTX_BASE_VARIABLE);
}

struct visitor {
    const struct jit_cfg *cfg;
    jit_register_visit *visit;
    void *context;
};

static void visit_operand(const struct visitor *v, const struct ptx_operand *operand, bool write)
{
    const struct ptx_operand *elements = v->cfg->function->elements;

    switch (operand->kind) {
    case PTX_OPERAND_REGISTER:
        v->visit(v->context, operand->index);
        break;
    case PTX_OPERAND_ADDRESS:
        if (!write && operand->base == PTX_BASE_REGISTER)
            v->visit(v->context, operand->index);
        break;
    case PTX_OPERAND_VECTOR:
        for (unsigned e = 0; e < operand->count; e++)
            if (elements[operand->index + e].kind == PTX_OPERAND_REGISTER)
                v->visit(v->context, elements[operand->index + e].index);
        break;
    default:
        break;
    }
}

void jit_instruction_uses(const struct jit_cfg *cfg, const struct ptx_instruction *instruction,
                          jit_register_visit *visit, void *context)
{
    struct visitor v = {cfg, visit, context};

    if (instruction->guard != PTX_NO_REGISTER) {
        visit(context, instruction->guard);
        /* Where the guard is false, the old value of the result is used. */
        if (jit_instruction_is_pure(instruction))
            jit_instruction_defines(cfg, instruction, visit, context);
    }
    for (unsigned s = 0; s < instruction->source_count; s++)
        visit_operand(&v, &instruction->src[s], false);
    if (instruction->op == PTX_OP_addc || instruction->op == PTX_OP_subc ||
        instruction->op == PTX_OP_madc)
        visit(context, cfg->carry);
    if (instruction->call && instruction->op == PTX_OP_call) {
        visit_operand(&v, &instruction->call->target, false);
        for (uint32_t a = 0; a < instruction->call->argument_count; a++)
            visit_operand(&v, &instruction->call->arguments[a], false);
    }
}

void jit_instruction_defines(const struct jit_cfg *cfg, const struct ptx_instruction *instruction,
                             jit_register_visit *visit, void *context)
{
    struct visitor v = {cfg, visit, context};

    for (unsigned d = 0; d < PTX_MAX_DESTINATIONS; d++)
        visit_operand(&v, &instruction->dst[d], true);
    if (ptx_has(instruction, PTX_MOD_CC))
        visit(context, cfg->carry);
    if (instruction->call && instruction->op == PTX_OP_call)
        for (uint32_t r = 0; r < instruction->call->result_count; r++)
            visit_operand(&v, &instruction->call->results[r], true);
}

static void clear_if_equal(void *context, uint32_t reg)
{
    uint32_t *wanted = context;

    if (*wanted == reg)
        *wanted = PTX_NO_REGISTER;
}

bool jit_instruction_defines_register(const struct jit_cfg *cfg,
                                      const struct ptx_instruction *instruction, uint32_t reg)
{
    uint32_t wanted = reg;

    jit_instruction_defines(cfg, instruction, clear_if_equal, &wanted);
    return wanted != reg;
}

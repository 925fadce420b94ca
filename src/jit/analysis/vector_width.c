/* SPDX-License-Identifier: MIT */
/* Chooses vectors of two registers each. Each iteration of a sum waits for the one before, as in a
 * product of matrices. The processor could begin several operations meanwhile, but a vector of one
 * register has only one. With a whole warp there are two, and what is uniform is computed once for
 * both. That is of no use where lanes leave a loop one by one, or have addresses of their own, or
 * where there are too few registers. */
#include "jit/analysis/plan.h"

#include "abi/launch.h"
#include "jit/analysis/function.h"
#include "jit/analysis/uniformity.h"
#include "jit/unit.h"

enum {
    VECTOR_BITS = 512,
    VECTORS_MAX = 24, /* live ones, of 32 registers */
};

static bool is_varying(const struct jit_uniformity *uniformity)
{
    return uniformity->kind == JIT_VARYING || uniformity->jump;
}

/* Whether the instruction computes in registers, or accesses memory at one distance from lane to
 * lane. */
static bool is_regular(const struct jit_function *function, const struct ptx_instruction *i)
{
    const struct jit_uniformity *uniformities = function->uniformity[0];
    struct jit_uniformity uniformity;

    switch (i->op) {
    case PTX_OP_ld:
    case PTX_OP_ldu:
    case PTX_OP_st:
        uniformity = jit_uniformity_of_address(function, uniformities, &i->src[0]);
        return !is_varying(&uniformity) && i->space != PTX_LOCAL;
    case PTX_OP_atom:
    case PTX_OP_red:
    case PTX_OP_call:
    case PTX_OP_suld:
    case PTX_OP_sust:
        return false;
    default:
        return true;
    }
}

/* Whether all lanes leave the node in the same way. */
static bool is_uniform(const struct jit_function *function, const struct jit_node *node)
{
    return node->kind == JIT_END_JUMP ||
           (node->kind == JIT_END_BRANCH &&
            function->uniformity[0][node->predicate].kind == JIT_UNIFORM);
}

/* Registers of the processor that values of whole warps take at the beginning of the node. */
static unsigned count_vectors(const struct jit_function *function, const struct jit_node *node)
{
    const struct jit_uniformity *uniformities = function->uniformity[0];
    unsigned count = 0;

    for (uint32_t reg = 0; reg < function->cfg.carry; reg++) {
        unsigned bits = ptx_type_bits(function->ptx->registers[reg].type);

        if ((node->live_in[reg / 64] >> reg % 64 & 1) && is_varying(&uniformities[reg]) && bits > 1)
            count += CUP_ABI_WARP_LANES * bits / VECTOR_BITS + (bits < 16);
    }
    return count;
}

static bool suits(const struct jit_function *function, const struct jit_node *node)
{
    for (uint32_t at = node->first; at < node->end; at++)
        if (!is_regular(function, &function->ptx->instructions[at]))
            return false;
    return is_uniform(function, node) && count_vectors(function, node) <= VECTORS_MAX;
}

static bool is_alone(const struct jit_unit *unit)
{
    for (uint32_t f = 0; f < unit->program->function_count; f++)
        if (unit->reached[f] && f != unit->request->function)
            return false;
    return true;
}

bool jit_width_is_warp(struct jit_unit *unit)
{
    struct jit_function *function;

    if (unit->width != 16 || !unit->mask_registers || unit->single_lane || unit->one_variant ||
        (unit->request->shape != CUP_SHAPE_ROWS && unit->request->shape != CUP_SHAPE_LINE) ||
        unit->graphs[unit->request->function].component_count == 0 || !is_alone(unit))
        return false;
    function = jit_function_make(unit, unit->request->function);
    jit_uniformity_analyse(function, function->uniformity[0], false);
    for (uint32_t n = 0; n < function->cfg.node_count; n++)
        if (function->cfg.nodes[n].component != JIT_NO_BLOCK &&
            !suits(function, &function->cfg.nodes[n]))
            return false;
    return true;
}

/* SPDX-License-Identifier: MIT */
/* A register is a basic induction variable of a loop if it is defined once in each iteration, as
 * the sum of its value before and of loop-invariant values. Sums of induction variables, and
 * products of one with loop-invariant values, are derived induction variables.
 *
 * Only definitions in nodes that every iteration executes are considered. Of two of them it is
 * known which one comes first, so a use either always sees the value of its own iteration or always
 * that of the previous one. */
#include "jit/analysis/induction.h"

#include "jit/analysis/function.h"
#include "jit/analysis/instruction.h"
#include "jit/analysis/uniformity.h"
#include "jit/unit.h"

/* An instruction, of a node that every iteration executes. */
struct code_place {
    uint32_t node, at;
};

/* The definition of a register in the loop. */
struct definition {
    uint32_t count;
    struct code_place place; /* if it is the only one */
};

struct jit_induction_loop {
    const struct jit_function *function;
    const struct jit_component *component;
    struct definition *definitions; /* per register */
    uint32_t assumed;               /* the register that is being proved, or PTX_NO_REGISTER */
    unsigned depth;
};

enum { DEPTH_MAX = 32, NODES_MAX = 256 };

enum kind {
    KIND_OTHER,
    KIND_INVARIANT,
    KIND_INDUCTION,
};

struct advance {
    enum kind kind;
    bool same; /* invariant: the same value in all lanes; induction: the same step in all lanes */
    /* induction: the register whose value at the loop's head it is, plus loop-invariant values; or
     * PTX_NO_REGISTER */
    uint32_t header_register;
    struct jit_induction_address address;
    struct code_place widened; /* where the index became a part of the address */
};

static const struct advance other = {.kind = KIND_OTHER};

static bool is_in(const struct jit_cfg *cfg, const struct jit_component *loop, uint32_t node)
{
    return cfg->nodes[node].position >= loop->first && cfg->nodes[node].position < loop->end;
}

static bool is_always_executed(const struct jit_induction_loop *loop, uint32_t node)
{
    return jit_dataflow_is_in_each_iteration(&loop->function->cfg, node, loop->component);
}

/* Whether an iteration executes the first before the second. */
static bool comes_before(const struct jit_induction_loop *loop, struct code_place first,
                         struct code_place second)
{
    return first.node == second.node
               ? first.at < second.at
               : jit_dataflow_dominates(&loop->function->cfg, first.node, second.node);
}

static bool synchronises(const struct ptx_instruction *i)
{
    switch (i->op) {
    case PTX_OP_bar:
    case PTX_OP_barrier:
    case PTX_OP_membar:
    case PTX_OP_fence:
    case PTX_OP_mbarrier:
    case PTX_OP_cp:
    case PTX_OP_nanosleep:
        return true;
    default:
        return jit_instruction_syncs(i) || jit_instruction_waits(i);
    }
}

static bool is_entered_at_head(const struct jit_cfg *cfg, const struct jit_component *loop)
{
    for (uint32_t p = 0; p < cfg->order_count; p++) {
        const struct jit_node *node = &cfg->nodes[cfg->order[p]];

        if (p >= loop->first && p < loop->end)
            continue;
        for (uint32_t e = 0; e < jit_node_next_count(node); e++) {
            uint32_t to = jit_node_next(node, e);

            if (to != JIT_NO_BLOCK && to != loop->head && is_in(cfg, loop, to))
                return false;
        }
    }
    return true;
}

static bool is_plain(const struct jit_cfg *cfg, uint32_t component)
{
    const struct jit_component *loop = &cfg->components[component];

    if (loop->spins || loop->end - loop->first > NODES_MAX)
        return false;
    for (uint32_t p = loop->first; p < loop->end; p++) {
        const struct jit_node *node = &cfg->nodes[cfg->order[p]];

        if (node->component != component ||
            (node->kind != JIT_END_JUMP && node->kind != JIT_END_BRANCH))
            return false;
        for (uint32_t i = node->first; i < node->end; i++)
            if (synchronises(&cfg->function->instructions[i]))
                return false;
    }
    return is_entered_at_head(cfg, loop);
}

struct defining {
    struct definition *definitions;
    struct code_place place;
};

static void add_definition(void *context, uint32_t reg)
{
    const struct defining *now = context;
    struct definition *definition = &now->definitions[reg];

    definition->count++;
    definition->place = now->place;
}

struct jit_induction_loop *jit_induction_analyse(const struct jit_function *function,
                                                 uint32_t component)
{
    const struct jit_cfg *cfg = &function->cfg;
    struct jit_workspace *workspace = &function->unit->workspace;
    struct jit_induction_loop *loop;

    if (!is_plain(cfg, component))
        return NULL;
    loop = jit_workspace_zeros(workspace, 1, sizeof(*loop));
    loop->function = function;
    loop->component = &cfg->components[component];
    loop->assumed = PTX_NO_REGISTER;
    loop->definitions =
        jit_workspace_zeros(workspace, cfg->register_count, sizeof(*loop->definitions));
    for (uint32_t p = loop->component->first; p < loop->component->end; p++) {
        const struct jit_node *node = &cfg->nodes[cfg->order[p]];

        for (uint32_t i = node->first; i < node->end; i++) {
            struct defining now = {loop->definitions, {cfg->order[p], i}};

            jit_instruction_defines(cfg, &cfg->function->instructions[i], add_definition, &now);
        }
    }
    return loop;
}

static struct advance find_instruction(struct jit_induction_loop *loop, struct code_place place);

static struct advance invariant(bool same)
{
    return (struct advance){
        .kind = KIND_INVARIANT,
        .same = same,
        .header_register = PTX_NO_REGISTER,
        .address = {PTX_NO_REGISTER, false},
    };
}

static bool is_same_in_lanes(const struct jit_induction_loop *loop,
                             const struct ptx_operand *operand)
{
    return jit_uniformity_of_operand(loop->function, loop->function->uniformity[0], operand).kind ==
           JIT_UNIFORM;
}

/* The value of a register that the iteration before has defined, or the code before the loop. */
static struct advance find_carried(struct jit_induction_loop *loop, uint32_t reg,
                                   const struct definition *definition)
{
    struct advance found;

    if (loop->assumed == PTX_NO_REGISTER) {
        loop->assumed = reg;
        found = find_instruction(loop, definition->place);
        loop->assumed = PTX_NO_REGISTER;
        if (found.kind != KIND_INDUCTION || found.header_register != reg)
            return other;
        return found;
    }
    if (loop->assumed != reg)
        return other;
    found = invariant(true);
    found.kind = KIND_INDUCTION;
    found.header_register = reg;
    return found;
}

/* The value of a register before an instruction. */
static struct advance find_register(struct jit_induction_loop *loop, uint32_t reg,
                                    struct code_place place)
{
    const struct jit_cfg *cfg = &loop->function->cfg;
    const struct definition *definition = &loop->definitions[reg];
    struct advance found = other;

    if (definition->count == 0)
        return invariant(loop->function->uniformity[0][reg].kind == JIT_UNIFORM);
    if (definition->count > 1 || loop->depth == DEPTH_MAX ||
        cfg->function->instructions[definition->place.at].guard != PTX_NO_REGISTER ||
        !is_always_executed(loop, definition->place.node))
        return other;
    loop->depth++;
    found = comes_before(loop, definition->place, place) ? find_instruction(loop, definition->place)
                                                         : find_carried(loop, reg, definition);
    loop->depth--;
    return found;
}

static struct advance find_operand(struct jit_induction_loop *loop,
                                   const struct ptx_operand *operand, struct code_place place)
{
    switch (operand->kind) {
    case PTX_OPERAND_REGISTER:
        return find_register(loop, operand->index, place);
    case PTX_OPERAND_IMMEDIATE:
    case PTX_OPERAND_SYMBOL:
        return invariant(is_same_in_lanes(loop, operand));
    default:
        return other;
    }
}

static bool has_index(const struct advance *finding)
{
    return finding->address.index != PTX_NO_REGISTER;
}

static struct advance sum(const struct jit_induction_loop *loop, struct advance a, struct advance b,
                          bool negative)
{
    struct advance result = a;

    if (a.kind == KIND_OTHER || b.kind == KIND_OTHER)
        return other;
    if (a.kind == KIND_INDUCTION && b.kind == KIND_INDUCTION) {
        if (has_index(&a) || has_index(&b))
            return other;
        result.header_register = PTX_NO_REGISTER;
        result.same = a.same && b.same;
        return result;
    }
    if (a.kind == KIND_INVARIANT && b.kind == KIND_INVARIANT) {
        result.same = a.same && b.same;
        return result;
    }
    if (a.kind == KIND_INVARIANT) {
        result = b;
        result.header_register = negative ? PTX_NO_REGISTER : b.header_register;
    }
    /* What is added to the register that is being proved is its step. */
    if (loop->assumed != PTX_NO_REGISTER)
        result.same = a.same && b.same;
    return result;
}

static struct advance product(struct advance a, struct advance b)
{
    struct advance result = a.kind == KIND_INDUCTION ? a : b;

    if (a.kind == KIND_OTHER || b.kind == KIND_OTHER ||
        (a.kind == KIND_INDUCTION && b.kind == KIND_INDUCTION))
        return other;
    result.same = a.same && b.same;
    result.header_register = PTX_NO_REGISTER;
    return result;
}

/* Extends an induction variable of 32 bits to 64. */
static struct advance widen(const struct jit_induction_loop *loop, struct advance found,
                            const struct ptx_operand *operand, uint8_t type,
                            struct code_place place)
{
    if (found.kind != KIND_INDUCTION)
        return found;
    if (operand->kind != PTX_OPERAND_REGISTER ||
        loop->function->uniformity[0][operand->index].kind == JIT_VARYING)
        return other;
    found.header_register = PTX_NO_REGISTER;
    found.address = (struct jit_induction_address){operand->index, ptx_type_is_signed(type)};
    found.widened = place;
    return found;
}

static struct advance find_product(struct jit_induction_loop *loop, const struct ptx_instruction *i,
                                   struct code_place place)
{
    struct advance factors[2], result;

    if (!jit_type_is_word(i->types[0]) || ptx_has(i, PTX_MOD_HI) || ptx_has(i, PTX_MOD_CC) ||
        ptx_has(i, PTX_MOD_SAT))
        return other;
    for (unsigned k = 0; k < 2; k++) {
        factors[k] = find_operand(loop, &i->src[k], place);
        if (ptx_has(i, PTX_MOD_WIDE))
            factors[k] = widen(loop, factors[k], &i->src[k], i->types[0], place);
    }
    result = product(factors[0], factors[1]);
    if (i->op == PTX_OP_mad)
        result = sum(loop, result, find_operand(loop, &i->src[2], place), false);
    return result;
}

static struct advance find_conversion(struct jit_induction_loop *loop,
                                      const struct ptx_instruction *i, struct code_place place)
{
    struct advance found = find_operand(loop, &i->src[0], place);

    if (i->type_count != 2 || !jit_type_is_word(i->types[0]) || !jit_type_is_word(i->types[1]) ||
        ptx_has(i, PTX_MOD_SAT))
        return other;
    if (jit_type_is_integer(i->types[0], 64) && jit_type_is_integer(i->types[1], 32))
        return widen(loop, found, &i->src[0], i->types[1], place);
    if (jit_type_is_integer(i->types[0], 32) &&
        jit_type_is_integer(i->types[1], 64)) { /* cut off: wraps as it should */
        found.header_register = PTX_NO_REGISTER;
        found.address.index = PTX_NO_REGISTER;
    }
    return found;
}

/* The result of an instruction that is always executed. */
static struct advance find_instruction(struct jit_induction_loop *loop, struct code_place place)
{
    const struct ptx_instruction *i = &loop->function->ptx->instructions[place.at];

    if (i->dst[0].kind != PTX_OPERAND_REGISTER || i->dst[1].kind != PTX_OPERAND_NONE)
        return other;
    switch (i->op) {
    case PTX_OP_mov:
    case PTX_OP_cvta:
        return jit_type_is_word(i->types[0]) ? find_operand(loop, &i->src[0], place) : other;
    case PTX_OP_add:
    case PTX_OP_sub:
        if (!jit_type_is_word(i->types[0]) || ptx_has(i, PTX_MOD_CC) || ptx_has(i, PTX_MOD_SAT))
            return other;
        return sum(loop, find_operand(loop, &i->src[0], place),
                   find_operand(loop, &i->src[1], place), i->op == PTX_OP_sub);
    case PTX_OP_mul:
    case PTX_OP_mad:
        return find_product(loop, i, place);
    case PTX_OP_shl: {
        struct advance count = find_operand(loop, &i->src[1], place);

        return jit_type_is_word(i->types[0]) && count.kind == KIND_INVARIANT
                   ? product(find_operand(loop, &i->src[0], place), count)
                   : other;
    }
    case PTX_OP_cvt:
        return find_conversion(loop, i, place);
    default:
        return other;
    }
}

/* Whether the register still has, at the access, the value that became a part of the address. */
static bool is_current(const struct jit_induction_loop *loop, const struct advance *found,
                       struct code_place access)
{
    struct code_place definition = loop->definitions[found->address.index].place;

    return !comes_before(loop, definition, access) ||
           comes_before(loop, definition, found->widened);
}

bool jit_induction_is_address(struct jit_induction_loop *loop, uint32_t node,
                              const struct ptx_instruction *i,
                              struct jit_induction_address *address)
{
    const struct ptx_operand *operand = &i->src[0];
    struct code_place place = {node, (uint32_t)(i - loop->function->ptx->instructions)};
    bool based = operand->kind == PTX_OPERAND_REGISTER ||
                 (operand->kind == PTX_OPERAND_ADDRESS && operand->base == PTX_BASE_REGISTER);
    struct advance found;

    if (!based || i->guard != PTX_NO_REGISTER || !is_always_executed(loop, node) ||
        ptx_type_bits(loop->function->ptx->registers[operand->index].type) != 64)
        return false;
    found = find_register(loop, operand->index, place);
    if (found.kind == KIND_OTHER || (found.kind == KIND_INDUCTION && !found.same))
        return false;
    *address = found.address;
    return !has_index(&found) || is_current(loop, &found, place);
}

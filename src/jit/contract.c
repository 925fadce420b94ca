/* SPDX-License-Identifier: MIT */
/* PTX lets a compiler make mul and add or sub without a rounding modifier one fma. Results tell the
 * difference, so this is done where ptxas was seen to do it: the product, or its negative, is used
 * by nothing but such sums, in its own basic block, and none of them is guarded. If both operands
 * of a sum are such products, the one that is computed first is taken. */
#include "jit/contract.h"

#include "jit/cfg.h"
#include "jit/instruction.h"
#include "jit/unit.h"

#include <string.h>

enum { SUMS_MAX = 16 };

struct contraction {
    struct jit_cfg cfg; /* as far as jit_instruction_uses needs it */
    struct ptx_instruction *instructions;
    uint32_t count;
    bool *leaders;                /* per instruction: a basic block begins there */
    bool *dropped;                /* per instruction: it is not needed any more */
    uint32_t *origins;            /* per instruction that is left: where it was */
    uint32_t *uses, *definitions; /* per register: how often instructions use or define it */
};

/* The sums that use a product, and the negations between them. */
struct sums {
    struct {
        uint32_t at;
        bool negated, second; /* of the product; the product is the second operand */
    } list[SUMS_MAX];
    uint32_t count, negation_count;
    uint32_t negations[SUMS_MAX];
};

static bool is_plain(const struct ptx_instruction *i)
{
    static const enum ptx_modifier others[] = {PTX_MOD_RN, PTX_MOD_RZ, PTX_MOD_RM, PTX_MOD_RP,
                                               PTX_MOD_SAT};

    for (size_t k = 0; k < sizeof(others) / sizeof(others[0]); k++)
        if (ptx_has(i, others[k]))
            return false;
    return i->guard == PTX_NO_REGISTER && i->dst[0].kind == PTX_OPERAND_REGISTER &&
           i->type_count == 1;
}

static bool is_product(const struct ptx_instruction *i)
{
    switch (i->types[0]) {
    case PTX_F16:
    case PTX_F16X2:
    case PTX_BF16:
    case PTX_BF16X2:
    case PTX_F32:
    case PTX_F64:
        return i->op == PTX_OP_mul && is_plain(i);
    default:
        return false;
    }
}

static bool is_alike(const struct ptx_instruction *i, const struct ptx_instruction *product)
{
    return is_plain(i) && i->types[0] == product->types[0] &&
           ptx_has(i, PTX_MOD_FTZ) == ptx_has(product, PTX_MOD_FTZ);
}

static bool is_register(const struct ptx_operand *operand, uint32_t reg)
{
    return operand->kind == PTX_OPERAND_REGISTER && operand->index == reg;
}

struct register_count {
    uint32_t reg, times;
};

static void count_register(void *context, uint32_t reg)
{
    struct register_count *counted = context;

    counted->times += reg == counted->reg;
}

static uint32_t times_used(const struct contraction *c, uint32_t at, uint32_t reg)
{
    struct register_count counted = {.reg = reg};

    jit_instruction_uses(&c->cfg, &c->instructions[at], count_register, &counted);
    return counted.times;
}

static bool defines(const struct contraction *c, uint32_t at, const struct ptx_operand *operand)
{
    return operand->kind == PTX_OPERAND_REGISTER &&
           jit_instruction_defines_register(&c->cfg, &c->instructions[at], operand->index);
}

static bool find_sums(const struct contraction *c, const struct ptx_instruction *product,
                      uint32_t from, uint32_t reg, bool negated, struct sums *sums);

/* Whether the instruction can take the product in register `reg`. */
static bool take_use(const struct contraction *c, const struct ptx_instruction *product,
                     uint32_t at, uint32_t reg, bool negated, struct sums *sums)
{
    const struct ptx_instruction *i = &c->instructions[at];
    bool second = is_register(&i->src[1], reg);

    if (!is_alike(i, product) || sums->count == SUMS_MAX)
        return false;
    if (i->op == PTX_OP_neg && !negated && product->types[0] != PTX_BF16X2 &&
        product->types[0] != PTX_BF16) {
        if (sums->negation_count == SUMS_MAX)
            return false;
        sums->negations[sums->negation_count++] = at;
        return find_sums(c, product, at, i->dst[0].index, true, sums);
    }
    if ((i->op != PTX_OP_add && i->op != PTX_OP_sub) || is_register(&i->src[!second], reg))
        return false;
    sums->list[sums->count].at = at;
    sums->list[sums->count].negated = negated != (second && i->op == PTX_OP_sub);
    sums->list[sums->count++].second = second;
    return true;
}

/* Finds the uses of the product that instruction `from` leaves in `reg`; false: one of them is no
 * sum of this basic block, or a factor has changed before it. */
static bool find_sums(const struct contraction *c, const struct ptx_instruction *product,
                      uint32_t from, uint32_t reg, bool negated, struct sums *sums)
{
    struct ptx_operand target = {.kind = PTX_OPERAND_REGISTER, .index = reg};
    uint32_t found = 0;
    bool changed = false;

    for (uint32_t at = from + 1; at < c->count && !c->leaders[at]; at++) {
        uint32_t times = times_used(c, at, reg);

        if (c->dropped[at])
            continue;
        found += times;
        if (times && (changed || !take_use(c, product, at, reg, negated, sums)))
            return false;
        changed |= defines(c, at, &product->src[0]) || defines(c, at, &product->src[1]);
        if (defines(c, at, &target))
            return c->instructions[at].guard == PTX_NO_REGISTER;
        if (found == c->uses[reg] && c->definitions[reg] == 1)
            return true; /* looking at the rest of the block would change nothing */
    }
    return found == c->uses[reg];
}

static void fuse(struct ptx_instruction *sum, const struct ptx_instruction *product, bool negated,
                 bool second)
{
    struct ptx_operand addend = sum->src[!second];

    addend.negated = sum->op == PTX_OP_sub && !second;
    sum->op = PTX_OP_fma;
    sum->modifiers[PTX_MOD_RN / 64] |= UINT64_C(1) << PTX_MOD_RN % 64;
    sum->src[0] = product->src[0];
    sum->src[0].negated = negated;
    sum->src[1] = product->src[1];
    sum->src[2] = addend;
    sum->source_count = 3;
}

struct counter {
    uint32_t *counts;
    int step;
};

static void count_one(void *context, uint32_t reg)
{
    struct counter *counter = context;

    counter->counts[reg] += (uint32_t)counter->step;
}

/* Adds what the instruction uses and defines to the counts, or takes it away. */
static void count_registers(struct contraction *c, int step, uint32_t at)
{
    if (c->dropped[at])
        return;
    jit_instruction_uses(&c->cfg, &c->instructions[at], count_one,
                         &(struct counter){c->uses, step});
    jit_instruction_defines(&c->cfg, &c->instructions[at], count_one,
                            &(struct counter){c->definitions, step});
}

static void count_all(struct contraction *c, int step, uint32_t product, const struct sums *sums)
{
    count_registers(c, step, product);
    for (uint32_t k = 0; k < sums->negation_count; k++)
        count_registers(c, step, sums->negations[k]);
    for (uint32_t k = 0; k < sums->count; k++)
        count_registers(c, step, sums->list[k].at);
}

static bool contract_product(struct contraction *c, uint32_t at)
{
    struct ptx_instruction product = c->instructions[at];
    struct sums sums = {.count = 0};

    if (!find_sums(c, &product, at, product.dst[0].index, false, &sums) || !sums.count)
        return false;
    count_all(c, -1, at, &sums);
    for (uint32_t k = 0; k < sums.count; k++)
        fuse(&c->instructions[sums.list[k].at], &product, sums.list[k].negated,
             sums.list[k].second);
    for (uint32_t k = 0; k < sums.negation_count; k++)
        c->dropped[sums.negations[k]] = true;
    c->dropped[at] = true;
    count_all(c, 1, at, &sums);
    return true;
}

static void find_leaders(struct contraction *c)
{
    for (uint32_t k = 0; k < c->count; k++) {
        const struct ptx_instruction *i = &c->instructions[k];

        if (i->op == PTX_OP_bra && i->src[0].kind == PTX_OPERAND_LABEL)
            c->leaders[i->src[0].index] = true;
        for (uint32_t t = 0; i->op == PTX_OP_brx && i->call && t < i->call->target_count; t++)
            c->leaders[i->call->targets[t]] = true;
        if (i->op == PTX_OP_bra || i->op == PTX_OP_brx || i->op == PTX_OP_ret ||
            i->op == PTX_OP_exit)
            c->leaders[k + 1] = true;
    }
}

static const struct ptx_call *moved_targets(struct contraction *c, const struct ptx_call *call,
                                            const uint32_t *places)
{
    struct ptx_call *moved = jit_workspace_zeros(c->cfg.workspace, 1, sizeof(*moved));
    uint32_t *targets = jit_workspace_zeros(c->cfg.workspace, call->target_count, sizeof(*targets));

    for (uint32_t t = 0; t < call->target_count; t++)
        targets[t] = places[call->targets[t]];
    *moved = *call;
    moved->targets = targets;
    return moved;
}

/* Removes the instructions that were dropped; branches follow their targets. */
static void compact(struct contraction *c)
{
    uint32_t *places = jit_workspace_zeros(c->cfg.workspace, c->count, sizeof(*places)), kept = 0;

    for (uint32_t k = 0; k < c->count; k++) {
        places[k] = kept;
        c->origins[kept] = k;
        kept += !c->dropped[k];
    }
    for (uint32_t k = 0; k < c->count; k++) {
        struct ptx_instruction *i = &c->instructions[k];

        if (c->dropped[k])
            continue;
        if (i->op == PTX_OP_bra && i->src[0].kind == PTX_OPERAND_LABEL)
            i->src[0].index = places[i->src[0].index];
        if (i->op == PTX_OP_brx && i->call)
            i->call = moved_targets(c, i->call, places);
        c->instructions[places[k]] = *i;
    }
    c->count = kept;
}

static bool has_products(const struct ptx_function *function)
{
    for (uint32_t k = 0; k < function->instruction_count; k++)
        if (is_product(&function->instructions[k]))
            return true;
    return false;
}

/* Changes a copy of the instructions. Returns where they were, or NULL: nothing changed. */
static uint32_t *contract_function(struct jit_unit *unit, struct ptx_function *function)
{
    struct jit_workspace *workspace = &unit->workspace;
    uint32_t count = function->instruction_count, registers = function->register_count + 1;
    struct contraction c = {.cfg = {.workspace = workspace,
                                    .program = unit->program,
                                    .function = function,
                                    .register_count = registers,
                                    .carry = function->register_count},
                            .count = count};
    bool changed = false;

    c.instructions = jit_workspace_zeros(workspace, count, sizeof(*c.instructions));
    memcpy(c.instructions, function->instructions, count * sizeof(*c.instructions));
    c.leaders = jit_workspace_zeros(workspace, count + 1, sizeof(*c.leaders));
    c.dropped = jit_workspace_zeros(workspace, count, sizeof(*c.dropped));
    c.uses = jit_workspace_zeros(workspace, registers, sizeof(*c.uses));
    c.definitions = jit_workspace_zeros(workspace, registers, sizeof(*c.definitions));
    find_leaders(&c);
    for (uint32_t k = 0; k < count; k++)
        count_registers(&c, 1, k);
    for (uint32_t k = 0; k < count; k++)
        if (is_product(&c.instructions[k]) && contract_product(&c, k))
            changed = true;
    if (!changed)
        return NULL;
    c.origins = jit_workspace_zeros(workspace, count, sizeof(*c.origins));
    compact(&c);
    function->instructions = c.instructions;
    function->instruction_count = c.count;
    return c.origins;
}

void jit_unit_contract(struct jit_unit *unit)
{
    const struct ptx_program *program = unit->program;
    struct ptx_program *own = NULL;
    struct ptx_function *functions = NULL;

    for (uint32_t f = 0; f < program->function_count; f++) {
        if (!has_products(&program->functions[f]))
            continue;
        if (!own) {
            own = jit_workspace_zeros(&unit->workspace, 1, sizeof(*own));
            functions =
                jit_workspace_zeros(&unit->workspace, program->function_count, sizeof(*functions));
            memcpy(functions, program->functions, program->function_count * sizeof(*functions));
            *own = *program;
            own->functions = functions;
            unit->origins = jit_workspace_zeros(&unit->workspace, program->function_count,
                                                sizeof(*unit->origins));
        }
        unit->origins[f] = contract_function(unit, &functions[f]);
    }
    if (own)
        unit->program = own;
}

uint32_t jit_unit_origin(const struct jit_unit *unit, uint32_t function, uint32_t index)
{
    const uint32_t *origins = unit->origins ? unit->origins[function] : NULL;

    return origins ? origins[index] : index;
}

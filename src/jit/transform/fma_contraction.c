/* SPDX-License-Identifier: MIT */
/* PTX lets a compiler make mul and add or sub without a rounding modifier one fma. The
 * results differ, so this is done where ptxas was seen to do it: the product, or its negative, is
 * used by nothing but such sums, in its own basic block. Uses by instructions whose results are
 * unused do not count. A sum may be guarded if it writes another register. With .ftz two signs do
 * not cancel: a product that was negated is not added as it was. If both operands of a sum are such
 * products, the one that is computed first is taken. */
#include "jit/transform/fma_contraction.h"

#include "jit/analysis/cfg.h"
#include "jit/analysis/instruction.h"
#include "jit/unit.h"

#include <string.h>

enum {
    SUMS_MAX = 16,
    VISITS_MAX = 1 << 20, /* instructions to look at for what is live, in a function */
    FACTORS_MAX = 1024,   /* registers to add, in a function */
};

struct contraction {
    struct jit_cfg cfg; /* as far as jit_instruction_uses needs it */
    struct ptx_instruction *instructions;
    uint32_t count;
    bool *leaders;                /* per instruction: a basic block begins there */
    bool *dropped;                /* per instruction: it is not needed any more */
    uint32_t *origins;            /* per instruction that is left: where it was */
    uint32_t *uses, *definitions; /* per register: how often instructions use or define it */
    uint32_t *seen, *stack;       /* per instruction: of a walk over basic blocks */
    uint32_t walks, visits;
    uint8_t *factors; /* types of the registers that are added: factors that change before a sum */
    uint32_t factor_count;
};

/* The sums that use a product, and the negations between them. */
struct sums {
    struct {
        uint32_t at;
        bool negated, second; /* of the product; the product is the second operand */
    } list[SUMS_MAX];
    uint32_t count, negation_count;
    uint32_t negations[SUMS_MAX];
    bool changed[2]; /* the factor has changed before one of the sums */
};

static bool is_plain(const struct ptx_instruction *i)
{
    static const enum ptx_modifier others[] = {PTX_MOD_RN, PTX_MOD_RZ, PTX_MOD_RM, PTX_MOD_RP,
                                               PTX_MOD_SAT};

    for (size_t k = 0; k < sizeof(others) / sizeof(others[0]); k++)
        if (ptx_has(i, others[k]))
            return false;
    return i->dst[0].kind == PTX_OPERAND_REGISTER && i->type_count == 1;
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
        return i->op == PTX_OP_mul && i->guard == PTX_NO_REGISTER && is_plain(i);
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

static void push(struct contraction *c, uint32_t at, uint32_t *depth)
{
    if (at >= c->count || c->seen[at] == c->walks)
        return;
    c->seen[at] = c->walks;
    c->stack[(*depth)++] = at;
}

/* Where control may go from an instruction: to its targets, and to the next one. */
static void push_next(struct contraction *c, uint32_t at, uint32_t *depth)
{
    const struct ptx_instruction *i = &c->instructions[at];
    bool leaves =
        i->op == PTX_OP_bra || i->op == PTX_OP_brx || i->op == PTX_OP_ret || i->op == PTX_OP_exit;

    if (i->op == PTX_OP_bra && i->src[0].kind == PTX_OPERAND_LABEL)
        push(c, i->src[0].index, depth);
    for (uint32_t t = 0; i->op == PTX_OP_brx && i->call && t < i->call->target_count; t++)
        push(c, i->call->targets[t], depth);
    if (!leaves || i->guard != PTX_NO_REGISTER)
        push(c, at + 1, depth);
}

/* Walks from one basic block; the walk goes on with the blocks behind it. Returns whether the
 * register is used. */
static bool uses_in_block(struct contraction *c, uint32_t at, uint32_t reg, uint32_t *depth)
{
    struct ptx_operand target = {.kind = PTX_OPERAND_REGISTER, .index = reg};

    for (; at < c->count; at++) {
        if (c->visits++ > VISITS_MAX)
            return true;
        if (!c->dropped[at] && times_used(c, at, reg))
            return true;
        if (!c->dropped[at] && defines(c, at, &target))
            return false;
        if (c->leaders[at + 1]) {
            push_next(c, at, depth);
            return false;
        }
    }
    return false;
}

/* Whether the register may be used behind the basic block that ends with this instruction. */
static bool is_live_behind(struct contraction *c, uint32_t last, uint32_t reg)
{
    uint32_t depth = 0;

    c->walks++;
    push_next(c, last, &depth);
    while (depth)
        if (uses_in_block(c, c->stack[--depth], reg, &depth))
            return true;
    return false;
}

static bool find_sums(struct contraction *c, const struct ptx_instruction *product, uint32_t from,
                      uint32_t reg, unsigned negations, struct sums *sums);

/* Whether the instruction can take the product in register `reg`. */
static bool take_use(struct contraction *c, const struct ptx_instruction *product, uint32_t at,
                     uint32_t reg, unsigned negations, struct sums *sums)
{
    const struct ptx_instruction *i = &c->instructions[at];
    bool second = is_register(&i->src[1], reg), negated;

    if (!is_alike(i, product) || sums->count == SUMS_MAX)
        return false;
    if (i->guard != PTX_NO_REGISTER && (i->op == PTX_OP_neg || is_register(&i->dst[0], reg)))
        return false;
    if (i->op == PTX_OP_neg && product->types[0] != PTX_BF16X2) {
        if (sums->negation_count == SUMS_MAX)
            return false;
        sums->negations[sums->negation_count++] = at;
        return find_sums(c, product, at, i->dst[0].index, negations + 1, sums);
    }
    if ((i->op != PTX_OP_add && i->op != PTX_OP_sub) || is_register(&i->src[!second], reg))
        return false;
    negated = (negations % 2 != 0) != (second && i->op == PTX_OP_sub);
    if (ptx_has(product, PTX_MOD_FTZ) && negations && !negated)
        return false;
    sums->list[sums->count].at = at;
    sums->list[sums->count].negated = negated;
    sums->list[sums->count++].second = second;
    return true;
}

/* Finds the uses of the product that instruction `from` leaves in `reg`; false: one of them is no
 * sum of this basic block. */
static bool find_sums(struct contraction *c, const struct ptx_instruction *product, uint32_t from,
                      uint32_t reg, unsigned negations, struct sums *sums)
{
    struct ptx_operand target = {.kind = PTX_OPERAND_REGISTER, .index = reg};
    uint32_t found = 0, at;
    bool changed[2] = {false, false};

    for (at = from + 1; at < c->count && !c->leaders[at]; at++) {
        uint32_t times = times_used(c, at, reg);

        if (c->dropped[at])
            continue;
        found += times;
        if (times && !take_use(c, product, at, reg, negations, sums))
            return false;
        for (unsigned f = 0; f < 2; f++) {
            sums->changed[f] |= times && changed[f];
            changed[f] |= defines(c, at, &product->src[f]);
        }
        if (defines(c, at, &target))
            return c->instructions[at].guard == PTX_NO_REGISTER;
        if (found == c->uses[reg] && c->definitions[reg] == 1)
            return true; /* looking at the rest of the block would change nothing */
    }
    return found == c->uses[reg] || !is_live_behind(c, at - 1, reg);
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

/* Makes the product a copy of a factor that changes before a sum, to a register of its own. */
static void keep_factor(struct contraction *c, struct ptx_instruction *product, uint32_t at,
                        unsigned factor)
{
    static const uint8_t types[] = {[16] = PTX_B16, [32] = PTX_B32, [64] = PTX_B64};
    struct ptx_instruction *move = &c->instructions[at];
    struct ptx_operand kept = product->src[factor];
    uint8_t type = types[ptx_type_bits(product->types[0])];

    kept.index = c->cfg.function->register_count + c->factor_count;
    c->factors[c->factor_count++] = type;
    *move = (struct ptx_instruction){.op = PTX_OP_mov,
                                     .guard = PTX_NO_REGISTER,
                                     .line = product->line,
                                     .type_count = 1,
                                     .types = {type},
                                     .source_count = 1,
                                     .width = 1};
    move->dst[0] = kept;
    move->src[0] = product->src[factor];
    for (unsigned f = 2; f-- > 0;)
        if (f == factor || is_register(&product->src[f], product->src[factor].index))
            product->src[f] = kept;
}

/* Whether at most one factor changes, and there is a register to keep it in. */
static bool can_keep(const struct contraction *c, const struct ptx_instruction *product,
                     const struct sums *sums)
{
    bool both = sums->changed[0] && sums->changed[1] &&
                !is_register(&product->src[1], product->src[0].index);

    return !both && (!(sums->changed[0] || sums->changed[1]) || c->factor_count < FACTORS_MAX);
}

static bool contract_product(struct contraction *c, uint32_t at)
{
    struct ptx_instruction product = c->instructions[at];
    struct sums sums = {.count = 0};
    bool kept;

    if (!find_sums(c, &product, at, product.dst[0].index, 0, &sums) || !sums.count ||
        !can_keep(c, &product, &sums))
        return false;
    count_all(c, -1, at, &sums);
    kept = sums.changed[0] || sums.changed[1];
    if (kept)
        keep_factor(c, &product, at, sums.changed[0] ? 0 : 1);
    for (uint32_t k = 0; k < sums.count; k++)
        fuse(&c->instructions[sums.list[k].at], &product, sums.list[k].negated,
             sums.list[k].second);
    for (uint32_t k = 0; k < sums.negation_count; k++)
        c->dropped[sums.negations[k]] = true;
    c->dropped[at] = !kept;
    count_all(c, 1, at, &sums);
    return true;
}

struct unused {
    const struct contraction *c;
    bool any, all;
};

static void look_if_unused(void *context, uint32_t reg)
{
    struct unused *unused = context;

    unused->any = true;
    unused->all &= unused->c->uses[reg] == 0;
}

/* Drops instructions whose results are unused. */
static void drop_unused(struct contraction *c)
{
    for (uint32_t k = c->count; k-- > 0;) {
        struct unused unused = {.c = c, .all = true};

        if (!jit_instruction_is_pure(&c->instructions[k]))
            continue;
        jit_instruction_defines(&c->cfg, &c->instructions[k], look_if_unused, &unused);
        if (!unused.any || !unused.all)
            continue;
        count_registers(c, -1, k);
        c->dropped[k] = true;
    }
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

/* Adds registers for the factors that are kept. */
static void add_registers(struct contraction *c, struct ptx_function *function)
{
    uint32_t count = function->register_count;
    struct ptx_register *registers =
        jit_workspace_zeros(c->cfg.workspace, count + c->factor_count, sizeof(*registers));

    memcpy(registers, function->registers, count * sizeof(*registers));
    for (uint32_t r = 0; r < c->factor_count; r++)
        registers[count + r] =
            (struct ptx_register){.name = "factor", .type = c->factors[r], .width = 1};
    function->registers = registers;
    function->register_count = count + c->factor_count;
}

/* Changes a copy of the instructions. Returns where they were, or NULL: nothing changed. */
static uint32_t *contract_function(struct jit_unit *unit, struct ptx_function *function)
{
    struct jit_workspace *workspace = &unit->workspace;
    uint32_t count = function->instruction_count,
             registers = function->register_count + FACTORS_MAX + 1;
    struct contraction c = {.cfg = {.workspace = workspace,
                                    .program = unit->program,
                                    .function = function,
                                    .register_count = registers,
                                    .carry = registers - 1},
                            .count = count};
    bool changed = false;

    c.instructions = jit_workspace_zeros(workspace, count, sizeof(*c.instructions));
    memcpy(c.instructions, function->instructions, count * sizeof(*c.instructions));
    c.leaders = jit_workspace_zeros(workspace, count + 1, sizeof(*c.leaders));
    c.dropped = jit_workspace_zeros(workspace, count, sizeof(*c.dropped));
    c.uses = jit_workspace_zeros(workspace, registers, sizeof(*c.uses));
    c.definitions = jit_workspace_zeros(workspace, registers, sizeof(*c.definitions));
    c.factors = jit_workspace_zeros(workspace, FACTORS_MAX, sizeof(*c.factors));
    c.seen = jit_workspace_zeros(workspace, count + 1, sizeof(*c.seen));
    c.stack = jit_workspace_zeros(workspace, count + 1, sizeof(*c.stack));
    find_leaders(&c);
    for (uint32_t k = 0; k < count; k++)
        count_registers(&c, 1, k);
    drop_unused(&c);
    for (uint32_t k = 0; k < count; k++)
        if (!c.dropped[k] && is_product(&c.instructions[k]) && contract_product(&c, k))
            changed = true;
    if (!changed)
        return NULL;
    c.origins = jit_workspace_zeros(workspace, count, sizeof(*c.origins));
    compact(&c);
    if (c.factor_count)
        add_registers(&c, function);
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

/* SPDX-License-Identifier: MIT */
/* Demanded loads. A load from an invalid address ends the launch even if its value is unused; but
 * NVIDIA's compiler removes loads that have no effect, and then the address does not matter. So
 * loads whose values reach no store, branch, call or the like are not emitted. All others are
 * demanded: LLVM must not remove them (emit/fake_uses.h).
 *
 * Compiling kernels with and without such loads showed the rules: a load is removed if its
 * register is overwritten or only accumulated, and-ed with 0, or-ed with ones, multiplied by 0,
 * xor-ed with itself, or shifted by its width or more. It stays for x - x, minimum and maximum,
 * comparisons that always hold, remainders by 1, and all float operations. */
#include "jit/analysis/cfg.h"

#include "jit/analysis/instruction.h"

#include <string.h>

struct demand_search {
    const struct jit_cfg *cfg;
    uint32_t *definer; /* per register, an instruction that writes it */
    uint64_t **live;   /* per node, the demanded registers where it begins */
    uint64_t *set;     /* demanded registers at the current instruction */
    bool hit;
};

static void look(void *context, uint32_t reg)
{
    struct demand_search *search = context;

    search->hit |= search->set[reg / 64] >> (reg % 64) & 1;
}

static void add(void *context, uint32_t reg)
{
    ((struct demand_search *)context)->set[reg / 64] |= UINT64_C(1) << (reg % 64);
}

static void take(void *context, uint32_t reg)
{
    ((struct demand_search *)context)->set[reg / 64] &= ~(UINT64_C(1) << (reg % 64));
}

static bool is_load(const struct ptx_instruction *i)
{
    return (i->op == PTX_OP_ld || i->op == PTX_OP_ldu) && !ptx_has(i, PTX_MOD_VOLATILE) &&
           !ptx_has(i, PTX_MOD_ACQUIRE) && !ptx_has(i, PTX_MOD_MMIO);
}

/* Whether the instruction can be omitted if its results are not demanded. Where lanes of a warp may
 * be diverged, an instruction with .sync gives its operands to lanes elsewhere. */
static bool is_free(const struct jit_cfg *cfg, const struct ptx_instruction *i)
{
    switch (i->op) {
    case PTX_OP_shfl:
    case PTX_OP_vote:
    case PTX_OP_match:
    case PTX_OP_redux:
        return !cfg->parking || !cfg->parking[i - cfg->function->instructions];
    default:
        return is_load(i) || jit_instruction_is_pure(i);
    }
}

/* Whether the operand is an immediate, or a register whose only definition sets it to one. */
static bool is_number(const struct demand_search *search, const struct ptx_operand *operand,
                      uint64_t *value)
{
    const struct ptx_instruction *from;

    *value = operand->value;
    if (operand->kind == PTX_OPERAND_IMMEDIATE)
        return true;
    if (operand->kind != PTX_OPERAND_REGISTER || search->cfg->definitions[operand->index] != 1)
        return false;
    from = &search->cfg->function->instructions[search->definer[operand->index]];
    *value = from->src[0].value;
    return from->op == PTX_OP_mov && from->guard == PTX_NO_REGISTER && from->width <= 1 &&
           from->src[0].kind == PTX_OPERAND_IMMEDIATE;
}

static bool is_same(const struct demand_search *search, const struct ptx_operand *a,
                    const struct ptx_operand *b)
{
    uint64_t left, right;

    if (a->kind == PTX_OPERAND_REGISTER && b->kind == PTX_OPERAND_REGISTER &&
        a->index == b->index && a->negated == b->negated)
        return true;
    return is_number(search, a, &left) && is_number(search, b, &right) && left == right;
}

/* Whether one of the first two sources is `wanted`, in the bits of the type. */
static bool has_number(const struct demand_search *search, const struct ptx_instruction *i,
                       uint64_t wanted)
{
    unsigned bits = ptx_type_bits(i->types[0]);
    uint64_t mask = bits >= 64 || bits == 0 ? UINT64_MAX : (UINT64_C(1) << bits) - 1, value;

    for (unsigned s = 0; s < 2; s++)
        if (is_number(search, &i->src[s], &value) && ((value ^ wanted) & mask) == 0)
            return true;
    return false;
}

/* The sources that do not affect the result, a bit for each. */
static unsigned idle_sources(const struct demand_search *search, const struct ptx_instruction *i)
{
    enum { FIRST_TWO = 3 };
    bool is_float = i->type_count > 0 && ptx_type_is_float(i->types[0]);
    uint64_t amount;

    if (i->type_count == 0 || i->types[0] == PTX_PRED)
        return 0;
    switch (i->op) {
    case PTX_OP_and:
        return has_number(search, i, 0) ? FIRST_TWO : 0;
    case PTX_OP_or:
        return has_number(search, i, UINT64_MAX) ? FIRST_TWO : 0;
    case PTX_OP_xor:
        return is_same(search, &i->src[0], &i->src[1]) ? FIRST_TWO : 0;
    case PTX_OP_mul:
    case PTX_OP_mad:
        return !is_float && has_number(search, i, 0) ? FIRST_TWO : 0;
    case PTX_OP_shl:
    case PTX_OP_shr:
        return !ptx_type_is_signed(i->types[0]) && is_number(search, &i->src[1], &amount) &&
                       (uint32_t)amount >= ptx_type_bits(i->types[0])
                   ? FIRST_TWO
                   : 0;
    case PTX_OP_bfe:
        return is_number(search, &i->src[2], &amount) && (amount & 255) == 0 ? FIRST_TWO | 1 << 2
                                                                             : 0;
    case PTX_OP_selp:
        return is_same(search, &i->src[0], &i->src[1]) ? 1 << 2 : 0; /* the predicate */
    default:
        return 0;
    }
}

/* Steps backwards over an instruction: from the registers demanded after it to those demanded
 * before it. Returns whether the instruction is demanded. */
static bool step_over(struct demand_search *search, const struct ptx_instruction *i)
{
    struct ptx_instruction plain = *i;

    search->hit = !is_free(search->cfg, i);
    jit_instruction_defines(search->cfg, i, look, search);
    if (!search->hit)
        return false;
    jit_instruction_defines(search->cfg, i, take, search);
    for (unsigned s = 0, idle = idle_sources(search, i); s < PTX_MAX_SOURCES; s++)
        if (idle >> s & 1)
            plain.src[s].kind = PTX_OPERAND_NONE;
    jit_instruction_uses(search->cfg, &plain, add, search);
    return true;
}

/* The elements of a load's vector that are not demanded after it, a bit for each. */
static uint8_t idle_parts(const struct demand_search *search, const struct ptx_instruction *i)
{
    const struct ptx_operand *elements = search->cfg->function->elements + i->dst[0].index;
    uint8_t idle = 0;

    if (!is_load(i) || i->dst[0].kind != PTX_OPERAND_VECTOR)
        return 0;
    for (unsigned e = 0; e < i->dst[0].count; e++) {
        uint32_t reg = elements[e].index;

        if (elements[e].kind != PTX_OPERAND_REGISTER || !(search->set[reg / 64] >> reg % 64 & 1))
            idle |= (uint8_t)(1u << e);
    }
    return idle;
}

static void demanded_after(struct demand_search *search, const struct jit_node *node)
{
    uint32_t count = node->kind == JIT_END_TABLE ? node->table_count : 2;

    memset(search->set, 0, search->cfg->words * sizeof(*search->set));
    for (uint32_t e = 0; e < count; e++) {
        uint32_t next = node->kind == JIT_END_TABLE ? node->table[e] : node->next[e];

        for (uint32_t w = 0; next != JIT_NO_BLOCK && w < search->cfg->words; w++)
            search->set[w] |= search->live[next][w];
    }
    if (node->last != JIT_NO_BLOCK)
        step_over(search, &search->cfg->function->instructions[node->last]);
    if (node->kind == JIT_END_BRANCH)
        add(search, node->predicate);
}

struct definer {
    uint32_t *of, instruction;
};

static void note_definer(void *context, uint32_t reg)
{
    const struct definer *definer = context;

    definer->of[reg] = definer->instruction;
}

void jit_demanded_loads_find(struct jit_cfg *cfg)
{
    struct jit_workspace *workspace = cfg->workspace;
    struct demand_search search = {
        .cfg = cfg,
        .definer = jit_workspace_zeros(workspace, cfg->register_count, sizeof(uint32_t)),
        .live = jit_workspace_zeros(workspace, cfg->node_count, sizeof(uint64_t *)),
        .set = jit_workspace_zeros(workspace, cfg->words, sizeof(uint64_t))};
    size_t bytes = cfg->words * sizeof(uint64_t);
    bool changed = true;

    cfg->undemanded = jit_workspace_zeros(workspace, cfg->function->instruction_count + 1u, 1);
    cfg->undemanded_parts =
        jit_workspace_zeros(workspace, cfg->function->instruction_count + 1u, 1);
    for (uint32_t i = 0; i < cfg->function->instruction_count; i++) {
        struct definer definer = {search.definer, i};

        jit_instruction_defines(cfg, &cfg->function->instructions[i], note_definer, &definer);
    }
    for (uint32_t n = 0; n < cfg->node_count; n++)
        search.live[n] = jit_workspace_zeros(workspace, cfg->words, sizeof(uint64_t));
    while (changed) {
        changed = false;
        for (uint32_t p = cfg->order_count; p-- > 0;) {
            uint32_t n = cfg->order[p];

            /* Find the registers demanded where the node begins, and its loads without effect. */
            demanded_after(&search, &cfg->nodes[n]);
            for (uint32_t i = cfg->nodes[n].end; i-- > cfg->nodes[n].first;) {
                const struct ptx_instruction *instruction = &cfg->function->instructions[i];
                bool demanded;

                cfg->undemanded_parts[i] = idle_parts(&search, instruction);
                demanded = step_over(&search, instruction);
                cfg->undemanded[i] = !demanded && is_load(instruction);
            }
            changed |= memcmp(search.set, search.live[n], bytes) != 0;
            memcpy(search.live[n], search.set, bytes);
        }
    }
}

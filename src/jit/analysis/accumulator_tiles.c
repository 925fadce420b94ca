/* SPDX-License-Identifier: MIT */
/* The registers of C and D of a product in tiles share a place: they form a congruence class, with
 * those of all products that have one of them. A class of which two registers are live at the same
 * time is dissolved: its products are left out, unless their C and D are the same registers. Then
 * the classes are made again. */
#include "jit/analysis/accumulator_tiles.h"

#include "jit/analysis/function.h"
#include "jit/analysis/instruction.h"
#include "jit/analysis/uniformity.h"
#include "jit/unit.h"
#include "ptx/matrix.h"

#include <string.h>

enum { TILE_REGISTERS = 4, MOST_ROUNDS = 4 };

struct tile_places {
    struct jit_function *function;
    unsigned most;
    uint32_t *parents; /* per register: another one of its class, plus one; 0: it stands for it */
    bool *dissolved;   /* per register */
    bool has_classes;  /* some registers share a place that are not the same */
    /* While the function is read backwards, per place: */
    uint32_t *live;    /* the register that is live, plus one */
    uint32_t *defined; /* the last instruction that defined a register, counted from 1 on */
    uint32_t now;
    bool has_conflict;
};

bool jit_tiles_suit(const struct ptx_instruction *i)
{
    struct ptx_matrices m;
    bool group = i->op == PTX_OP_wgmma && ptx_has(i, PTX_MOD_MMA_ASYNC);
    bool small = i->op == PTX_OP_wmma && ptx_has(i, PTX_MOD_MMA);

    if ((i->op != PTX_OP_mma && !group && !small) || ptx_matrix_is_sparse(i) ||
        i->guard != PTX_NO_REGISTER || !ptx_matrices_of(i, &m))
        return false;
    if (small)
        m = ptx_matrix_tile_of(i, 0).matrices;
    return m.k == 16 && (group || (m.m == 16 && m.n == 8)) &&
           (m.types[PTX_MATRIX_A] == PTX_F16 || m.types[PTX_MATRIX_A] == PTX_BF16) &&
           m.types[PTX_MATRIX_B] == m.types[PTX_MATRIX_A] && m.types[PTX_MATRIX_C] == PTX_F32 &&
           m.types[PTX_MATRIX_D] == PTX_F32;
}

const struct ptx_operand *jit_tiles_c_of(const struct ptx_instruction *i)
{
    return &i->src[i->op == PTX_OP_wgmma ? i->source_count - 1 : 2];
}

static uint32_t root_of(struct tile_places *p, uint32_t reg)
{
    while (p->parents[reg])
        reg = p->parents[reg] - 1;
    return reg;
}

static uint32_t register_at(const struct tile_places *p, const struct ptx_operand *sums, unsigned e)
{
    return p->function->ptx->elements[sums->index + e].index;
}

/* Whether the operand is registers of 32 bits that differ from lane to lane, each once. */
static bool is_sums(const struct tile_places *p, const struct ptx_operand *sums)
{
    const struct jit_function *function = p->function;

    if (sums->kind != PTX_OPERAND_VECTOR || sums->count % TILE_REGISTERS != 0)
        return false;
    for (unsigned e = 0; e < sums->count; e++) {
        uint32_t reg = register_at(p, sums, e);

        if (function->ptx->elements[sums->index + e].kind != PTX_OPERAND_REGISTER ||
            ptx_type_bits(function->ptx->registers[reg].type) != 32 ||
            function->uniformity[0][reg].kind != JIT_VARYING)
            return false;
        for (unsigned other = 0; other < e; other++)
            if (register_at(p, sums, other) == reg)
                return false;
    }
    return true;
}

static bool is_candidate(const struct tile_places *p, const struct ptx_instruction *i)
{
    const struct ptx_operand *d = &i->dst[0], *c;

    if (!jit_tiles_suit(i)) /* others may have no C */
        return false;
    c = jit_tiles_c_of(i);
    if (d->count != c->count || !is_sums(p, d) || !is_sums(p, c))
        return false;
    for (unsigned e = 0; e < d->count; e++)
        if (register_at(p, d, e) != register_at(p, c, e) &&
            (p->dissolved[register_at(p, d, e)] || p->dissolved[register_at(p, c, e)]))
            return false;
    return true;
}

static void unite(struct tile_places *p, const struct ptx_instruction *i)
{
    for (unsigned e = 0; e < i->dst[0].count; e++) {
        uint32_t d = root_of(p, register_at(p, &i->dst[0], e)),
                 c = root_of(p, register_at(p, jit_tiles_c_of(i), e));

        if (d == c)
            continue;
        p->parents[d] = c + 1;
        p->has_classes = true;
    }
}

/* Gives the classes of the registers places one behind the other, if none has one. */
static void give_places(struct tile_places *p, const struct ptx_operand *sums)
{
    struct jit_function *function = p->function;
    uint32_t next = function->tile_count * TILE_REGISTERS + 1;

    if (function->tile_count + sums->count / TILE_REGISTERS > p->most)
        return;
    for (unsigned e = 0; e < sums->count; e++)
        if (function->tile_places[root_of(p, register_at(p, sums, e))])
            return;
    for (unsigned e = 0; e < sums->count; e++) {
        uint32_t root = root_of(p, register_at(p, sums, e));

        if (!function->tile_places[root]) /* a class may have two of the registers: not in tiles */
            function->tile_places[root] = next + e;
    }
    function->tile_count += sums->count / TILE_REGISTERS;
}

static void make_classes(struct tile_places *p)
{
    struct jit_function *function = p->function;
    const struct ptx_function *ptx = function->ptx;

    p->has_classes = false;
    function->tile_count = 0;
    memset(p->parents, 0, function->cfg.register_count * sizeof(*p->parents));
    memset(function->tile_places, 0, function->cfg.register_count * sizeof(*function->tile_places));
    for (uint32_t k = 0; k < ptx->instruction_count; k++)
        if (is_candidate(p, &ptx->instructions[k]))
            unite(p, &ptx->instructions[k]);
    for (uint32_t k = 0; k < ptx->instruction_count; k++)
        if (is_candidate(p, &ptx->instructions[k]))
            give_places(p, &ptx->instructions[k].dst[0]);
    for (uint32_t reg = 0; reg < function->cfg.register_count; reg++)
        function->tile_places[reg] = function->tile_places[root_of(p, reg)];
}

static void dissolve(struct tile_places *p, uint32_t one)
{
    for (uint32_t reg = 0; reg < p->function->cfg.register_count; reg++)
        if (root_of(p, reg) == root_of(p, one))
            p->dissolved[reg] = true;
    p->has_conflict = true;
}

static void becomes_live(void *context, uint32_t reg)
{
    struct tile_places *p = context;
    uint32_t place = p->function->tile_places[reg];

    if (!place)
        return;
    if (p->live[place] && p->live[place] != reg + 1)
        dissolve(p, reg);
    p->live[place] = reg + 1;
}

static void is_defined(void *context, uint32_t reg)
{
    struct tile_places *p = context;
    uint32_t place = p->function->tile_places[reg];

    if (!place)
        return;
    if ((p->live[place] && p->live[place] != reg + 1) || p->defined[place] == p->now)
        dissolve(p, reg);
    p->live[place] = 0;
    p->defined[place] = p->now;
}

/* By the instruction that ends a node: what is live behind it depends on the way taken. */
static void is_defined_last(void *context, uint32_t reg)
{
    struct tile_places *p = context;

    if (p->function->tile_places[reg] && !p->dissolved[reg])
        dissolve(p, reg);
}

/* Dissolves the classes that have two registers with values at the same time. */
static void find_conflicts(struct tile_places *p, uint64_t *live)
{
    const struct jit_cfg *cfg = &p->function->cfg;

    p->has_conflict = false;
    p->now = 0;
    memset(p->defined, 0, (p->most * TILE_REGISTERS + 1) * sizeof(*p->defined));
    for (uint32_t n = 0; n < cfg->node_count; n++) {
        const struct jit_node *node = &cfg->nodes[n];

        memset(p->live, 0, (p->most * TILE_REGISTERS + 1) * sizeof(*p->live));
        if (node->last != JIT_NO_BLOCK)
            jit_instruction_defines(cfg, &cfg->function->instructions[node->last], is_defined_last,
                                    p);
        jit_dataflow_live_at(cfg, n, node->end, live);
        for (uint32_t reg = 0; reg < cfg->register_count; reg++)
            if (jit_set_has(live, reg))
                becomes_live(p, reg);
        for (uint32_t k = node->end; k > node->first; k--) {
            const struct ptx_instruction *i = &cfg->function->instructions[k - 1];

            p->now++;
            jit_instruction_defines(cfg, i, is_defined, p);
            jit_instruction_uses(cfg, i, becomes_live, p);
        }
    }
}

static bool has_product(const struct ptx_function *function)
{
    for (uint32_t k = 0; k < function->instruction_count; k++)
        if (jit_tiles_suit(&function->instructions[k]))
            return true;
    return false;
}

void jit_tiles_assign(struct jit_function *function, unsigned most)
{
    struct jit_workspace *workspace = &function->unit->workspace;
    struct tile_places p = {.function = function, .most = most};
    uint32_t count = function->cfg.register_count;
    uint64_t *live;

    if (!has_product(function->ptx))
        return;
    function->tile_places = jit_workspace_zeros(workspace, count, sizeof(*function->tile_places));
    p.parents = jit_workspace_zeros(workspace, count, sizeof(*p.parents));
    p.dissolved = jit_workspace_zeros(workspace, count, sizeof(*p.dissolved));
    p.live = jit_workspace_zeros(workspace, most * TILE_REGISTERS + 1, sizeof(*p.live));
    p.defined = jit_workspace_zeros(workspace, most * TILE_REGISTERS + 1, sizeof(*p.defined));
    live = jit_workspace_zeros(workspace, function->cfg.words, sizeof(*live));
    for (unsigned round = 0; round < MOST_ROUNDS; round++) {
        make_classes(&p);
        if (!p.has_classes)
            return;
        find_conflicts(&p, live);
        if (!p.has_conflict)
            return;
    }
    memset(p.dissolved, true, count * sizeof(*p.dissolved));
    make_classes(&p);
}

/* SPDX-License-Identifier: MIT */
/* Data flow: liveness of registers, dominators, the loops that may wait for other threads, and
 * from these, where a write under a partial mask may overwrite inactive lanes. */
#include "jit/analysis/cfg.h"

#include "jit/analysis/instruction.h"
#include "jit/workspace.h"

#include <string.h>

static void count_one(void *context, uint32_t reg)
{
    ((uint32_t *)context)[reg]++;
}

static void live_out(const struct jit_cfg *cfg, const struct jit_node *node, uint64_t *live)
{
    memset(live, 0, cfg->words * sizeof(*live));
    for (uint32_t e = 0; e < jit_node_next_count(node); e++)
        if (jit_node_next(node, e) != JIT_NO_BLOCK)
            for (uint32_t w = 0; w < cfg->words; w++)
                live[w] |= cfg->nodes[jit_node_next(node, e)].live_in[w];
    if (node->last != JIT_NO_BLOCK) {
        const struct ptx_instruction *last = &cfg->function->instructions[node->last];

        jit_instruction_defines(cfg, last, jit_set_remove, live);
        jit_instruction_uses(cfg, last, jit_set_add, live);
    }
    if (node->kind == JIT_END_BRANCH)
        jit_set_add(live, node->predicate);
}

void jit_dataflow_live_at(const struct jit_cfg *cfg, uint32_t node, uint32_t at, uint64_t *live)
{
    const struct jit_node *n = &cfg->nodes[node];

    live_out(cfg, n, live);
    for (uint32_t i = n->end; i > at && i > n->first; i--) {
        const struct ptx_instruction *instruction = &cfg->function->instructions[i - 1];

        jit_instruction_defines(cfg, instruction, jit_set_remove, live);
        jit_instruction_uses(cfg, instruction, jit_set_add, live);
    }
}

static void make_liveness(struct jit_cfg *cfg)
{
    uint64_t *live = jit_workspace_zeros(cfg->workspace, cfg->words, sizeof(*live));
    bool changed = true;

    for (uint32_t n = 0; n < cfg->node_count; n++)
        cfg->nodes[n].live_in = jit_workspace_zeros(cfg->workspace, cfg->words, sizeof(*live));
    while (changed) {
        changed = false;
        for (uint32_t p = cfg->order_count; p-- > 0;) {
            struct jit_node *node = &cfg->nodes[cfg->order[p]];

            jit_dataflow_live_at(cfg, cfg->order[p], node->first, live);
            if (memcmp(live, node->live_in, cfg->words * sizeof(*live)) != 0) {
                memcpy(node->live_in, live, cfg->words * sizeof(*live));
                changed = true;
            }
        }
    }
}

static uint32_t meet(const struct jit_cfg *cfg, uint32_t a, uint32_t b)
{
    while (a != b) {
        if (cfg->nodes[a].position > cfg->nodes[b].position)
            a = cfg->dominator[a];
        else
            b = cfg->dominator[b];
    }
    return a;
}

static void make_dominators(struct jit_cfg *cfg)
{
    bool changed = true;

    cfg->dominator = jit_workspace_zeros(cfg->workspace, cfg->node_count, sizeof(*cfg->dominator));
    for (uint32_t n = 1; n < cfg->node_count; n++)
        cfg->dominator[n] = JIT_NO_BLOCK;
    while (changed) {
        changed = false;
        for (uint32_t p = 0; p < cfg->order_count; p++) {
            uint32_t from = cfg->order[p];
            const struct jit_node *node = &cfg->nodes[from];

            for (uint32_t e = 0; e < jit_node_next_count(node); e++) {
                uint32_t to = jit_node_next(node, e), found;

                if (to == JIT_NO_BLOCK || to == 0)
                    continue;
                found =
                    cfg->dominator[to] == JIT_NO_BLOCK ? from : meet(cfg, cfg->dominator[to], from);
                if (found != cfg->dominator[to]) {
                    cfg->dominator[to] = found;
                    changed = true;
                }
            }
        }
    }
}

bool jit_dataflow_dominates(const struct jit_cfg *cfg, uint32_t a, uint32_t b)
{
    while (b != a && b != 0 && cfg->dominator[b] != JIT_NO_BLOCK)
        b = cfg->dominator[b];
    return b == a;
}

struct taint {
    uint64_t *set;
    bool hit;
};

static void test_bit(void *context, uint32_t bit)
{
    struct taint *taint = context;

    taint->hit |= jit_set_has(taint->set, bit);
}

/* Whether the instruction reads a clock: who waits for a time needs no processor meanwhile. */
static bool reads_clock(const struct ptx_instruction *instruction)
{
    const struct ptx_operand *from = &instruction->src[0];

    if (instruction->op != PTX_OP_mov || from->kind != PTX_OPERAND_SPECIAL)
        return false;
    switch (from->index) {
    case PTX_SR_CLOCK:
    case PTX_SR_CLOCK_HI:
    case PTX_SR_CLOCK64:
    case PTX_SR_GLOBALTIMER:
    case PTX_SR_GLOBALTIMER_LO:
    case PTX_SR_GLOBALTIMER_HI:
        return true;
    default:
        return false;
    }
}

static bool reads_others(const struct ptx_instruction *instruction)
{
    if (instruction->op == PTX_OP_atom || instruction->op == PTX_OP_mbarrier ||
        reads_clock(instruction))
        return true;
    return instruction->op == PTX_OP_ld && jit_access_is_strong(instruction) &&
           instruction->space != PTX_LOCAL && instruction->space != PTX_PARAM;
}

/* Propagates the set of registers that depend on what other threads write through the instructions
 * of a component, once; true if a register was added. */
static bool spread(const struct jit_cfg *cfg, const struct jit_component *component, uint64_t *set,
                   uint64_t *before)
{
    memcpy(before, set, cfg->words * sizeof(*set));
    for (uint32_t p = component->first; p < component->end; p++) {
        const struct jit_node *node = &cfg->nodes[cfg->order[p]];

        for (uint32_t i = node->first; i < node->end; i++) {
            const struct ptx_instruction *instruction = &cfg->function->instructions[i];
            struct taint taint = {set, reads_others(instruction)};

            if (!taint.hit)
                jit_instruction_uses(cfg, instruction, test_bit, &taint);
            if (taint.hit)
                jit_instruction_defines(cfg, instruction, jit_set_add, set);
        }
    }
    return memcmp(before, set, cfg->words * sizeof(*set)) != 0;
}

/* Lanes may wait in a component if one of its branches depends on a value that other threads write,
 * or on a clock. */
static bool may_spin(const struct jit_cfg *cfg, const struct jit_component *component)
{
    uint64_t *set = jit_workspace_zeros(cfg->workspace, cfg->words * 2u, sizeof(*set));
    bool spins = false;

    while (spread(cfg, component, set, set + cfg->words))
        ;
    for (uint32_t p = component->first; p < component->end; p++) {
        const struct jit_node *node = &cfg->nodes[cfg->order[p]];

        spins |= node->kind == JIT_END_BRANCH && jit_set_has(set, node->predicate);
        for (uint32_t i = node->first; i < node->end; i++)
            spins |= cfg->function->instructions[i].op == PTX_OP_nanosleep;
    }
    return spins;
}

static void keep(struct jit_cfg *cfg, uint32_t node)
{
    cfg->parks = true;
    for (uint32_t w = 0; w < cfg->words; w++)
        cfg->live_parked[w] |= cfg->nodes[node].live_in[w];
}

static void find_parking(struct jit_cfg *cfg)
{
    cfg->live_parked = jit_workspace_zeros(cfg->workspace, cfg->words, sizeof(*cfg->live_parked));
    for (uint32_t p = 0; p < cfg->order_count; p++) {
        const struct jit_node *node = &cfg->nodes[cfg->order[p]];
        bool call = node->kind == JIT_END_CALL && cfg->parking && cfg->parking[node->last];

        cfg->waits |= call || node->kind == JIT_END_BARRIER;
        if (call || node->kind == JIT_END_BARRIER || node->kind == JIT_END_SYNC)
            keep(cfg, node->next[0]);
    }
    for (uint32_t c = 0; c < cfg->component_count; c++) {
        cfg->components[c].spins = may_spin(cfg, &cfg->components[c]);
        cfg->waits |= cfg->components[c].spins;
        if (cfg->components[c].spins)
            keep(cfg, cfg->components[c].head);
    }
}

static void count_predecessors(struct jit_cfg *cfg)
{
    cfg->predecessors =
        jit_workspace_zeros(cfg->workspace, cfg->node_count, sizeof(*cfg->predecessors));
    for (uint32_t p = 0; p < cfg->order_count; p++) {
        const struct jit_node *node = &cfg->nodes[cfg->order[p]];

        for (uint32_t edge = 0; edge < jit_node_next_count(node); edge++)
            if (jit_node_next(node, edge) != JIT_NO_BLOCK)
                cfg->predecessors[jit_node_next(node, edge)]++;
    }
}

void jit_dataflow_analyse(struct jit_cfg *cfg)
{
    cfg->definitions =
        jit_workspace_zeros(cfg->workspace, cfg->register_count, sizeof(*cfg->definitions));
    cfg->uses = jit_workspace_zeros(cfg->workspace, cfg->register_count, sizeof(*cfg->uses));
    for (uint32_t i = 0; i < cfg->function->instruction_count; i++) {
        jit_instruction_defines(cfg, &cfg->function->instructions[i], count_one, cfg->definitions);
        jit_instruction_uses(cfg, &cfg->function->instructions[i], count_one, cfg->uses);
    }
    count_predecessors(cfg);
    make_liveness(cfg);
    make_dominators(cfg);
    find_parking(cfg);

    cfg->live_anywhere =
        jit_workspace_zeros(cfg->workspace, cfg->words, sizeof(*cfg->live_anywhere));
    cfg->live_outside =
        jit_workspace_zeros(cfg->workspace, cfg->component_count, sizeof(*cfg->live_outside));
    for (uint32_t c = 0; c < cfg->component_count; c++)
        cfg->live_outside[c] =
            jit_workspace_zeros(cfg->workspace, cfg->words, sizeof(**cfg->live_outside));
    for (uint32_t p = 0; p < cfg->order_count; p++) {
        const uint64_t *live = cfg->nodes[cfg->order[p]].live_in;

        for (uint32_t w = 0; w < cfg->words; w++)
            cfg->live_anywhere[w] |= live[w];
        for (uint32_t c = 0; c < cfg->component_count; c++)
            if (p < cfg->components[c].first || p >= cfg->components[c].end)
                for (uint32_t w = 0; w < cfg->words; w++)
                    cfg->live_outside[c][w] |= live[w];
    }
}

bool jit_dataflow_is_in_each_iteration(const struct jit_cfg *cfg, uint32_t node,
                                       const struct jit_component *component)
{
    for (uint32_t p = component->first; p < component->end; p++) {
        const struct jit_node *n = &cfg->nodes[cfg->order[p]];

        for (uint32_t e = 0; e < jit_node_next_count(n); e++)
            if (jit_node_next(n, e) == component->head &&
                !jit_dataflow_dominates(cfg, node, cfg->order[p]))
                return false;
    }
    return true;
}

/* Without parking, a node runs once per iteration of its component, for all lanes that reach it. So
 * lanes that are elsewhere have not reached it yet, or will not reach it before the next
 * iteration. */
bool jit_dataflow_must_blend(const struct jit_cfg *cfg, uint32_t node, uint32_t reg)
{
    uint32_t c = cfg->nodes[node].component;
    bool single = cfg->definitions[reg] == 1;

    if (!jit_set_has(cfg->live_anywhere, reg))
        return false;
    if (jit_set_has(cfg->live_parked, reg))
        return true;
    if (c == JIT_NO_BLOCK)
        return !single;
    if (jit_set_has(cfg->live_outside[c], reg))
        return true;
    if (single && !jit_set_has(cfg->nodes[cfg->components[c].head].live_in, reg))
        return false;
    return !jit_dataflow_is_in_each_iteration(cfg, node, &cfg->components[c]);
}

bool jit_node_is_streaming_loop(const struct jit_cfg *cfg, uint32_t n)
{
    enum { SHORT_NODE = 16 };
    const struct jit_node *node = &cfg->nodes[n];
    const struct jit_component *loop;

    if (node->component == JIT_NO_BLOCK || node->kind != JIT_END_BRANCH ||
        node->end - node->first > SHORT_NODE)
        return false;
    loop = &cfg->components[node->component];
    if (loop->end - loop->first != 1)
        return false;
    for (uint32_t i = node->first; i < node->end; i++) {
        const struct ptx_instruction *instruction = &cfg->function->instructions[i];

        if (instruction->op == PTX_OP_ld && !jit_access_is_strong(instruction) &&
            (instruction->space == PTX_GLOBAL || instruction->space == PTX_SPACE_NONE))
            return true;
    }
    return false;
}

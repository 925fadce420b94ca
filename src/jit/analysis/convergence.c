/* SPDX-License-Identifier: MIT */
/* Where lanes of a warp may be diverged. The lanes of a member mask wait for each other, so an
 * instruction with .sync must test which members have arrived, unless all lanes that are still in
 * the kernel reach it together. Likewise, a call of a function that waits needs a stack of its own
 * only where some lanes are elsewhere.
 *
 * Lanes diverge at branches whose condition is not uniform, and reconverge at the first node that
 * is on all paths from there; lanes that exit are not waited for. Behind a place where lanes may
 * wait, they may arrive one after the other. The analysis is conservative: in doubt, lanes are
 * diverged. */
#include "jit/analysis/convergence.h"

#include "jit/analysis/cfg.h"
#include "jit/analysis/instruction.h"
#include "jit/unit.h"
#include "jit/workspace.h"

#include <string.h>

enum { MAX_NODES = 4096 };

/* The analysis of one function: its inputs, and buffers that each run reuses. */
struct jit_convergence {
    struct jit_unit *unit;
    const struct jit_cfg *cfg;
    const bool *could_wait;    /* functions */
    const bool *splits;        /* functions from which lanes may return one after the other */
    uint64_t *varying;         /* registers */
    uint64_t *post_dominators; /* per node, the set of its post-dominators */
    uint32_t words;            /* in a set of nodes */
    bool *ends;                /* nodes from which lanes reach the end other than by a plain exit */
    bool *diverged;            /* nodes */
    uint32_t *stack;
    bool *seen; /* nodes visited while walking from one of them */
    bool changed;
    bool hit; /* set by a visitor of operands */
};

static bool has(const uint64_t *set, uint32_t bit)
{
    return set[bit / 64] >> (bit % 64) & 1;
}

/* The node that an edge leads to; JIT_NO_BLOCK if that node only exits. */
static uint32_t next_at(const struct jit_cfg *cfg, const struct jit_node *node, uint32_t edge)
{
    uint32_t next = node->kind == JIT_END_TABLE ? node->table[edge] : node->next[edge];

    return next != JIT_NO_BLOCK && jit_node_is_exit(cfg, next) ? JIT_NO_BLOCK : next;
}

static bool special_varies(uint32_t special)
{
    switch (special) {
    case PTX_SR_NTID_X:
    case PTX_SR_NTID_Y:
    case PTX_SR_NTID_Z:
    case PTX_SR_CTAID_X:
    case PTX_SR_CTAID_Y:
    case PTX_SR_CTAID_Z:
    case PTX_SR_NCTAID_X:
    case PTX_SR_NCTAID_Y:
    case PTX_SR_NCTAID_Z:
    case PTX_SR_WARPID:
    case PTX_SR_NWARPID:
        return false;
    default:
        return true;
    }
}

static void look_at_operand(struct jit_convergence *c, const struct ptx_operand *operand)
{
    switch (operand->kind) {
    case PTX_OPERAND_SPECIAL:
        c->hit |= special_varies(operand->index);
        break;
    case PTX_OPERAND_SYMBOL:
    case PTX_OPERAND_ADDRESS:
        if (operand->kind == PTX_OPERAND_SYMBOL || operand->base == PTX_BASE_VARIABLE)
            c->hit |=
                operand->local && c->cfg->function->variables[operand->index].space == PTX_LOCAL;
        break;
    default:
        break;
    }
}

static void look_at_register(void *context, uint32_t reg)
{
    struct jit_convergence *c = context;

    c->hit |= has(c->varying, reg);
}

static void add_varying(void *context, uint32_t reg)
{
    struct jit_convergence *c = context;

    if (has(c->varying, reg))
        return;
    c->varying[reg / 64] |= UINT64_C(1) << (reg % 64);
    c->changed = true;
}

static void add_if_not_single(void *context, uint32_t reg)
{
    struct jit_convergence *c = context;

    if (c->cfg->definitions[reg] != 1)
        add_varying(context, reg);
}

/* Whether lanes may name different members. */
static bool members_vary(const struct jit_convergence *c, const struct ptx_instruction *i)
{
    int source = jit_sync_member_source(i);

    return source >= 0 && i->src[source].kind == PTX_OPERAND_REGISTER &&
           has(c->varying, i->src[source].index);
}

static bool may_differ(struct jit_convergence *c, const struct ptx_instruction *i, bool diverged)
{
    bool kernel = c->cfg->function->is_kernel;

    switch (i->op) {
    case PTX_OP_ld:
    case PTX_OP_ldu:
        if (i->space != PTX_CONST && !(i->space == PTX_PARAM && kernel))
            return true;
        break;
    case PTX_OP_vote:
    case PTX_OP_redux:
        return diverged || members_vary(c, i);
    case PTX_OP_bar:
    case PTX_OP_barrier:
    case PTX_OP_activemask:
        return diverged;
    default:
        if (!jit_instruction_is_pure(i))
            return true;
    }
    c->hit = false;
    for (unsigned s = 0; s < i->source_count; s++)
        look_at_operand(c, &i->src[s]);
    jit_instruction_uses(c->cfg, i, look_at_register, c);
    return c->hit;
}

static void spread_values(struct jit_convergence *c)
{
    const struct jit_cfg *cfg = c->cfg;

    for (uint32_t p = 0; p < cfg->order_count; p++) {
        const struct jit_node *node = &cfg->nodes[cfg->order[p]];
        bool diverged = c->diverged[cfg->order[p]];
        uint32_t end = node->last == JIT_NO_BLOCK ? node->end : node->last + 1;

        for (uint32_t i = node->first; i < end; i++) {
            const struct ptx_instruction *instruction = &cfg->function->instructions[i];

            if (may_differ(c, instruction, diverged))
                jit_instruction_defines(cfg, instruction, add_varying, c);
            else if (diverged)
                jit_instruction_defines(cfg, instruction, add_if_not_single, c);
        }
    }
}

/* Finds the nodes from which lanes can reach the end of the function on a way that is no plain
 * exit. */
static void find_ends(struct jit_convergence *c)
{
    const struct jit_cfg *cfg = c->cfg;
    bool changed = true;

    c->ends = jit_workspace_zeros(cfg->workspace, cfg->node_count, sizeof(*c->ends));
    while (changed) {
        changed = false;
        for (uint32_t p = cfg->order_count; p-- > 0;) {
            uint32_t n = cfg->order[p], edges = 0;
            bool ends = false;

            for (uint32_t e = 0; e < jit_node_next_count(&cfg->nodes[n]); e++) {
                uint32_t next = next_at(cfg, &cfg->nodes[n], e);

                edges += next != JIT_NO_BLOCK;
                ends |= next != JIT_NO_BLOCK && c->ends[next];
            }
            ends |= edges == 0;
            changed |= ends != c->ends[n];
            c->ends[n] = ends;
        }
    }
}

/* The component of which the edge is a back edge, or JIT_NO_BLOCK. */
static uint32_t back_edge_component(const struct jit_cfg *cfg, uint32_t from, uint32_t to)
{
    uint32_t position = cfg->nodes[from].position;

    for (uint32_t k = cfg->nodes[to].component; k != JIT_NO_BLOCK; k = cfg->components[k].parent)
        if (cfg->components[k].head == to && position >= cfg->components[k].first &&
            position < cfg->components[k].end)
            return k;
    return JIT_NO_BLOCK;
}

/* Whether the edge closes a loop that lanes leave by exiting only. Lanes that stay in it never get
 * to another node outside, so nothing there is on their way. */
static bool is_endless_back_edge(const struct jit_convergence *c, uint32_t from, uint32_t to)
{
    uint32_t component = c->ends[to] ? JIT_NO_BLOCK : back_edge_component(c->cfg, from, to);

    return component != JIT_NO_BLOCK && c->cfg->components[component].parent == JIT_NO_BLOCK;
}

/* Intersects the set with the post-dominators of a successor. */
static void meet_post_dominators(const struct jit_convergence *c, uint32_t from, uint32_t next,
                                 uint64_t *set)
{
    const uint64_t *theirs = c->post_dominators + (size_t)next * c->words;
    bool endless = is_endless_back_edge(c, from, next);

    for (uint32_t w = 0; w < c->words; w++) {
        uint64_t head = next / 64 == w ? UINT64_C(1) << (next % 64) : 0;

        set[w] &= endless ? head : theirs[w];
    }
}

/* Computes the post-dominators of each node: the node itself and those that all its successors
 * have. */
static void find_post_dominators(struct jit_convergence *c)
{
    const struct jit_cfg *cfg = c->cfg;
    uint64_t *set;
    bool changed = true;

    c->words = (cfg->node_count + 63) / 64;
    c->post_dominators = jit_workspace_zeros(cfg->workspace, cfg->node_count,
                                             c->words * sizeof(*c->post_dominators));
    set = jit_workspace_zeros(cfg->workspace, c->words, sizeof(*set));
    memset(c->post_dominators, 0xff,
           (size_t)cfg->node_count * c->words * sizeof(*c->post_dominators));
    while (changed) {
        changed = false;
        for (uint32_t p = cfg->order_count; p-- > 0;) {
            uint32_t n = cfg->order[p], edges = 0;
            uint64_t *mine = c->post_dominators + (size_t)n * c->words;

            memset(set, 0xff, c->words * sizeof(*set));
            for (uint32_t e = 0; e < jit_node_next_count(&cfg->nodes[n]); e++) {
                uint32_t next = next_at(cfg, &cfg->nodes[n], e);

                if (next == JIT_NO_BLOCK)
                    continue;
                edges++;
                meet_post_dominators(c, n, next, set);
            }
            if (!edges)
                memset(set, 0, c->words * sizeof(*set));
            set[n / 64] |= UINT64_C(1) << (n % 64);
            if (memcmp(set, mine, c->words * sizeof(*set)) != 0) {
                memcpy(mine, set, c->words * sizeof(*set));
                changed = true;
            }
        }
    }
}

static void mark(struct jit_convergence *c, uint32_t node)
{
    c->changed |= !c->diverged[node];
    c->diverged[node] = true;
}

/* If some lanes take the back edge while others continue to a node of the same loop, the former
 * reach that node later: all nodes of the loop may be diverged. */
static void mark_loop(struct jit_convergence *c, uint32_t from, uint32_t index)
{
    const struct jit_component *component = &c->cfg->components[index];
    const uint64_t *post_dominators = c->post_dominators + (size_t)from * c->words;
    uint32_t position = c->cfg->nodes[from].position;
    bool inside = false;

    if (position < component->first || position >= component->end)
        return;
    for (uint32_t p = component->first; p < component->end; p++)
        inside |= c->cfg->order[p] != from && has(post_dominators, c->cfg->order[p]);
    for (uint32_t p = component->first; inside && p < component->end; p++)
        mark(c, c->cfg->order[p]);
}

/* Marks all nodes reachable from a node; until: stops at its post-dominators. */
static void mark_from(struct jit_convergence *c, uint32_t from, bool until)
{
    const struct jit_cfg *cfg = c->cfg;
    const uint64_t *post_dominators = c->post_dominators + (size_t)from * c->words;
    uint32_t depth = 0;

    memset(c->seen, 0, cfg->node_count * sizeof(*c->seen));
    c->stack[depth++] = from;
    while (depth) {
        uint32_t n = c->stack[--depth];

        for (uint32_t e = 0; e < jit_node_next_count(&cfg->nodes[n]); e++) {
            uint32_t next = next_at(cfg, &cfg->nodes[n], e), component;

            component = next == JIT_NO_BLOCK ? JIT_NO_BLOCK : back_edge_component(cfg, n, next);
            if (until && component != JIT_NO_BLOCK)
                mark_loop(c, from, component);
            if (next == JIT_NO_BLOCK || c->seen[next] ||
                (until && next != from && has(post_dominators, next)))
                continue;
            c->seen[next] = true;
            mark(c, next);
            if (next != from)
                c->stack[depth++] = next;
        }
    }
}

static bool may_wait(const struct jit_convergence *c, const struct jit_node *node)
{
    const struct ptx_instruction *last;

    if (node->kind == JIT_END_BARRIER)
        return true;
    if (node->kind != JIT_END_CALL)
        return false;
    last = &c->cfg->function->instructions[node->last];
    return last->call->target.kind != PTX_OPERAND_FUNCTION ||
           c->could_wait[last->call->target.index];
}

static bool is_splitting_call(const struct jit_convergence *c, const struct jit_node *node)
{
    const struct ptx_call *call;

    if (node->kind != JIT_END_CALL)
        return false;
    call = c->cfg->function->instructions[node->last].call;
    return call->target.kind != PTX_OPERAND_FUNCTION || c->splits[call->target.index];
}

static void spread_nodes(struct jit_convergence *c)
{
    const struct jit_cfg *cfg = c->cfg;

    for (uint32_t p = 0; p < cfg->order_count; p++) {
        uint32_t n = cfg->order[p];
        const struct jit_node *node = &cfg->nodes[n];
        bool parts = false;

        if (node->kind == JIT_END_BRANCH) {
            parts = has(c->varying, node->predicate);
        } else if (node->kind == JIT_END_TABLE) {
            c->hit = false;
            jit_instruction_uses(cfg, &cfg->function->instructions[node->last], look_at_register,
                                 c);
            parts = c->hit;
        }
        if (parts)
            mark_from(c, n, true);
        if ((c->diverged[n] && may_wait(c, node)) || is_splitting_call(c, node))
            mark_from(c, n, false);
        for (uint32_t i = node->first; c->diverged[n] && i < node->end; i++)
            if (jit_instruction_syncs(&cfg->function->instructions[i])) {
                mark_from(c, n, false);
                break;
            }
    }
    for (uint32_t k = 0; k < cfg->component_count; k++)
        if (cfg->components[k].spins) {
            c->diverged[cfg->components[k].head] = true;
            mark_from(c, cfg->components[k].head, false);
        }
}

static struct jit_convergence *make(struct jit_unit *unit, uint32_t f,
                                    const struct jit_convergence_summary *summary, bool *diverged)
{
    const struct jit_cfg *cfg = &unit->graphs[f];
    struct jit_convergence *c = jit_workspace_zeros(cfg->workspace, 1, sizeof(*c));

    *c = (struct jit_convergence){
        .unit = unit,
        .cfg = cfg,
        .could_wait = summary->could_wait,
        .splits = summary->splits,
        .diverged = diverged,
        .varying = jit_workspace_zeros(cfg->workspace, cfg->words, sizeof(*c->varying)),
        .stack = jit_workspace_zeros(cfg->workspace, cfg->node_count + 1u, sizeof(*c->stack)),
        .seen = jit_workspace_zeros(cfg->workspace, cfg->node_count, sizeof(*c->seen))};
    find_ends(c);
    find_post_dominators(c);
    return c;
}

void jit_convergence_find_diverged(struct jit_unit *unit, uint32_t f,
                                   const struct jit_convergence_summary *summary, bool *diverged)
{
    bool converged = summary->converged[f];
    const struct jit_cfg *cfg = &unit->graphs[f];
    struct jit_convergence *c = summary->functions[f];

    memset(diverged, !converged || cfg->node_count > MAX_NODES,
           cfg->node_count * sizeof(*diverged));
    if (cfg->node_count > MAX_NODES || !converged)
        return;
    if (!c)
        c = summary->functions[f] = make(unit, f, summary, diverged);
    memset(c->varying, 0, cfg->words * sizeof(*c->varying));
    do {
        c->changed = false;
        spread_values(c);
        spread_nodes(c);
    } while (c->changed);
}

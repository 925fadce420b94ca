/* SPDX-License-Identifier: MIT */
/* The order in which the divergent variant visits the nodes: a weak topological order
 * (Bourdoncle). Every edge leads forward, or back to the head of a component that encloses it; a
 * component is contiguous. Such an order exists for any graph, reducible or not. */
#include "jit/analysis/cfg.h"

#include "jit/workspace.h"

#include <string.h>

struct order_search {
    struct jit_cfg *cfg;
    uint32_t *number; /* 0: not seen; NODE_DONE: placed */
    uint32_t *stack, depth;
    uint32_t count;
    uint32_t out;     /* the order is filled from its end */
    uint32_t current; /* component */
};

enum { NODE_DONE = 0xffffffff };

static uint32_t edge_count(const struct jit_node *node)
{
    if (node->kind == JIT_END_TABLE)
        return node->table_count;
    if (node->kind == JIT_END_BRANCH)
        return 2;
    return node->next[0] == JIT_NO_BLOCK ? 0 : 1;
}

static uint32_t visit(struct order_search *w, uint32_t node);

/* Orders the nodes of a component after its head, recursively. */
static void visit_component(struct order_search *w, uint32_t node)
{
    struct jit_cfg *cfg = w->cfg;
    uint32_t me = cfg->component_count++, outer = w->current, end = w->out;
    const struct jit_node *n = &cfg->nodes[node];

    cfg->components[me] = (struct jit_component){.head = node, .parent = outer, .end = end};
    w->current = me;
    for (uint32_t e = 0; e < edge_count(n); e++)
        if (w->number[jit_node_next(n, e)] == 0)
            visit(w, jit_node_next(n, e));
    cfg->order[--w->out] = node;
    cfg->nodes[node].component = me;
    cfg->components[me].first = w->out;
    w->current = outer;
}

static uint32_t visit(struct order_search *w, uint32_t node)
{
    const struct jit_node *n = &w->cfg->nodes[node];
    uint32_t head = w->number[node] = ++w->count, lowest;
    bool loop = false;

    w->stack[w->depth++] = node;
    for (uint32_t e = 0; e < edge_count(n); e++) {
        uint32_t target = jit_node_next(n, e);

        lowest = w->number[target] == 0 ? visit(w, target) : w->number[target];
        if (lowest <= head) {
            head = lowest;
            loop = true;
        }
    }
    if (head != w->number[node])
        return head;
    w->number[node] = NODE_DONE;
    uint32_t element = w->stack[--w->depth];
    if (!loop) {
        w->cfg->order[--w->out] = node;
        w->cfg->nodes[node].component = w->current;
        return head;
    }
    while (element != node) {
        w->number[element] = 0;
        element = w->stack[--w->depth];
    }
    visit_component(w, node);
    return head;
}

void jit_cfg_make_order(struct jit_cfg *cfg)
{
    uint32_t count = cfg->node_count;
    struct order_search w = {.cfg = cfg, .out = count, .current = JIT_NO_BLOCK};

    cfg->order = jit_workspace_zeros(cfg->workspace, count, sizeof(*cfg->order));
    cfg->components = jit_workspace_zeros(cfg->workspace, count, sizeof(*cfg->components));
    w.number = jit_workspace_zeros(cfg->workspace, count, sizeof(*w.number));
    w.stack = jit_workspace_zeros(cfg->workspace, count, sizeof(*w.stack));
    for (uint32_t n = 0; n < count; n++)
        cfg->nodes[n].component = cfg->nodes[n].position = JIT_NO_BLOCK;
    visit(&w, 0);

    /* Unreachable nodes are not in the order. */
    cfg->order_count = count - w.out;
    memmove(cfg->order, cfg->order + w.out, cfg->order_count * sizeof(*cfg->order));
    for (uint32_t c = 0; c < cfg->component_count; c++) {
        cfg->components[c].first -= w.out;
        cfg->components[c].end -= w.out;
    }
    for (uint32_t p = 0; p < cfg->order_count; p++)
        cfg->nodes[cfg->order[p]].position = p;
}

/* SPDX-License-Identifier: MIT */
/* The control-flow graph of a PTX function: its nodes, which are basic blocks; their weak
 * topological order (weak_topological_order.c); liveness and dominators (dataflow.c); and the loads
 * that have no effect (demanded_loads.c). */
#ifndef CUP_JIT_ANALYSIS_CFG_H
#define CUP_JIT_ANALYSIS_CFG_H

#include "jit/workspace.h"
#include "ptx/program.h"

enum { JIT_NO_BLOCK = 0xffffffff };

/* How a node ends. */
enum jit_end {
    JIT_END_JUMP,    /* to next[0] */
    JIT_END_BRANCH,  /* to next[0] where the predicate holds, else to next[1] */
    JIT_END_TABLE,   /* brx.idx: table, table_count */
    JIT_END_RETURN,  /* ret; of a kernel: exit */
    JIT_END_EXIT,    /* exit */
    JIT_END_BARRIER, /* a barrier that waits, then next[0] */
    JIT_END_CALL,    /* a call, then next[0] */
    JIT_END_SYNC,    /* a .sync instruction that its members may reach one after the other, then
                        next[0] */
    JIT_END_TRAP,
};

struct jit_node {
    uint32_t first, end; /* instructions, without the one that ends the node */
    enum jit_end kind;
    uint32_t last; /* the instruction that ends the node, or JIT_NO_BLOCK */
    uint32_t predicate;
    bool negated;
    uint32_t next[2];
    uint32_t *table;
    uint32_t table_count;
    uint32_t component; /* the innermost one, or JIT_NO_BLOCK */
    uint32_t position;  /* in the order */
    uint64_t *live_in;
};

/* A component of the weak topological order is a loop, entered at its head: a range of the order.
 */
struct jit_component {
    uint32_t head;
    uint32_t parent; /* or JIT_NO_BLOCK */
    uint32_t first, end;
    bool spins; /* lanes may wait in it for other threads */
};

/* A set of registers is an array of `words` 64-bit words. */
struct jit_cfg {
    struct jit_workspace *workspace;
    const struct ptx_program *program;
    const struct ptx_function *function;
    uint32_t register_count; /* the last one is the carry */
    uint32_t carry;
    uint32_t words;
    struct jit_node *nodes;
    uint32_t node_count;
    uint32_t *order; /* nodes, in a weak topological order */
    uint32_t order_count;
    struct jit_component *components;
    uint32_t component_count;
    uint32_t *definitions; /* per register: how many instructions define it */
    uint32_t *uses;        /* per register: how many instructions use it */
    bool *undemanded;      /* per instruction: a load whose value has no effect */
    /* Per instruction: the elements of a loaded vector that have no effect, a bit for each.
     * Compilers widen loads over elements that the program does not use. */
    uint8_t *undemanded_parts;
    uint32_t *predecessors;  /* per node: the number of edges that lead to it */
    uint32_t *dominator;     /* per node: its immediate dominator */
    uint64_t *live_parked;   /* registers that are live where lanes may be parked */
    const bool *parking;     /* as given to jit_cfg_make, or NULL */
    uint64_t *live_anywhere; /* registers that are live at the beginning of any node */
    uint64_t **live_outside; /* per component: registers that are live at nodes outside of it */
    bool parks;              /* lanes may be parked */
    bool waits;              /* lanes may be parked until other warps, or lanes in other functions,
                                have made progress */
};

/* Makes the graph. `parking` has one entry per instruction: whether lanes may have to wait there
 * for other lanes of their warp, at .sync instructions and calls. NULL: nowhere. The graph keeps
 * the pointer. Returns false if there are too many instructions. */
bool jit_cfg_make(struct jit_cfg *cfg, struct jit_workspace *workspace,
                  const struct ptx_program *program, const struct ptx_function *function,
                  const bool *parking);
void jit_cfg_make_order(struct jit_cfg *cfg);
void jit_dataflow_analyse(struct jit_cfg *cfg);
/* Finds the loads that have no effect (demanded_loads.c); runs after jit_dataflow_analyse. */
void jit_demanded_loads_find(struct jit_cfg *cfg);

/* The registers that are live before instruction `at` of a node; node->end: before the instruction
 * that ends it. */
void jit_dataflow_live_at(const struct jit_cfg *cfg, uint32_t node, uint32_t at, uint64_t *live);
bool jit_dataflow_dominates(const struct jit_cfg *cfg, uint32_t a, uint32_t b);
/* Whether every iteration of the loop executes the node. */
bool jit_dataflow_is_in_each_iteration(const struct jit_cfg *cfg, uint32_t node,
                                       const struct jit_component *component);
/* Whether a write of the register in this node must keep the old value of inactive lanes. */
bool jit_dataflow_must_blend(const struct jit_cfg *cfg, uint32_t node, uint32_t reg);
/* Whether the node is a short loop by itself that reads global memory. */
bool jit_node_is_streaming_loop(const struct jit_cfg *cfg, uint32_t node);
/* Whether lanes of a kernel do nothing in the node but exit. */
bool jit_node_is_exit(const struct jit_cfg *cfg, uint32_t node);

/* The edges that leave a node, and where they lead. */
static inline uint32_t jit_node_next_count(const struct jit_node *node)
{
    return node->kind == JIT_END_TABLE ? node->table_count : 2;
}

static inline uint32_t jit_node_next(const struct jit_node *node, uint32_t edge)
{
    return node->kind == JIT_END_TABLE ? node->table[edge] : node->next[edge];
}

static inline bool jit_set_has(const uint64_t *set, uint32_t reg)
{
    return set[reg / 64] >> (reg % 64) & 1;
}

/* Both are visitors of registers (jit_register_visit). */
static inline void jit_set_add(void *set, uint32_t reg)
{
    ((uint64_t *)set)[reg / 64] |= UINT64_C(1) << (reg % 64);
}

static inline void jit_set_remove(void *set, uint32_t reg)
{
    ((uint64_t *)set)[reg / 64] &= ~(UINT64_C(1) << (reg % 64));
}

#endif

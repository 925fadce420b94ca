/* SPDX-License-Identifier: MIT */
/* Pairing the nodes of an executable graph with those of a graph that it is updated from. */
#ifndef CUP_GRAPH_EXEC_PAIR_H
#define CUP_GRAPH_EXEC_PAIR_H

#include "core/dynarray.h"
#include "graph/exec.h"
#include "graph/plan.h"

#include <stdint.h>

struct cup_pair {
    uint64_t node_id; /* of the graph's node */
    struct cup_plan_node *planned;
};

struct cup_pairs {
    CUP_DYNARRAY(struct cup_pair, list);
};

/* Pairs all nodes, with those of children and bodies. If that cannot be done, or a pair differs in
 * what an update may not change, returns GRAPH_EXEC_UPDATE_FAILURE and says why in *update. The
 * caller frees pairs->list. */
CUresult cup_graph_exec_pair_locked(struct cup_plan *plan, struct CUgraph_st *graph,
                                    struct cup_graph_update *update, struct cup_pairs *pairs);

/* Sorts the pairs, so that they can be found. */
void cup_pairs_sort(struct cup_pairs *pairs);

/* The partner of the graph's node, or NULL. */
struct cup_plan_node *cup_pairs_find(const struct cup_pairs *pairs, uint64_t node_id);

#endif

/* SPDX-License-Identifier: MIT */
/* Handles of conditional nodes. A handle names a value that kernels set and a conditional node
 * reads. It is created for a graph and used by one node of it. */
#ifndef CUP_GRAPH_CONDITION_H
#define CUP_GRAPH_CONDITION_H

#include "graph/graph.h"

#include <cuda.h>
#include <stdatomic.h>
#include <stdbool.h>

struct cup_condition {
    struct cup_condition *next; /* next of the same graph; guarded by cup_graph_lock */
    CUgraphConditionalHandle handle;
    struct CUgraph_st *graph;    /* NULL: the graph was destroyed; guarded by cup_graph_lock */
    struct CUgraphNode_st *node; /* the node that uses it, or NULL; guarded by cup_graph_lock */
    struct CUctx_st *context;
    unsigned default_value;
    bool assigns_default; /* every launch resets the value */
    _Atomic(unsigned) value;
    _Atomic(unsigned) refs; /* the graph's, and one for each executable graph */
};

CUresult cup_condition_create(struct CUgraph_st *graph, struct CUctx_st *context,
                              unsigned default_value, bool assigns_default,
                              CUgraphConditionalHandle *handle);

/* Finds a handle of the graph or of a graph that encloses it; NULL: invalid. */
struct cup_condition *cup_condition_find_locked(struct CUgraph_st *graph,
                                                CUgraphConditionalHandle handle);
void cup_conditions_end_locked(struct CUgraph_st *graph);

/* Whether every handle of the graph is used by a node. */
bool cup_conditions_are_used_locked(const struct CUgraph_st *graph);

/* Sets the value from a kernel; an invalid handle is ignored, as on a device. */
void cup_condition_set(CUgraphConditionalHandle handle, unsigned value);

void cup_condition_ref(struct cup_condition *condition);
void cup_condition_unref(struct cup_condition *condition);

#endif

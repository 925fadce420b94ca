/* SPDX-License-Identifier: MIT */
/* Handles of conditional nodes. A handle names a value that kernels set and a conditional node
 * reads; it is made for a graph and used by one node of it. */
#ifndef CUP_GRAPH_CONDITION_H
#define CUP_GRAPH_CONDITION_H

#include "graph/graph.h"

#include <cuda.h>
#include <stdatomic.h>
#include <stdbool.h>

struct cup_condition {
    struct cup_condition *next; /* of the same graph; guarded by cup_graph_lock */
    CUgraphConditionalHandle handle;
    struct CUgraph_st *graph;    /* NULL: the graph is gone; guarded by cup_graph_lock */
    struct CUgraphNode_st *node; /* who uses it; NULL: nobody yet; guarded by cup_graph_lock */
    struct CUctx_st *context;
    unsigned default_value;
    bool assigns_default; /* at every launch */
    _Atomic(unsigned) value;
    _Atomic(unsigned) refs; /* the graph's, and one for each executable graph */
};

CUresult cup_condition_create(struct CUgraph_st *graph, struct CUctx_st *context,
                              unsigned default_value, bool assigns_default,
                              CUgraphConditionalHandle *handle);

/* A handle of the graph, or of one that the graph is inside of; NULL: it is none. */
struct cup_condition *cup_condition_find_locked(struct CUgraph_st *graph,
                                                CUgraphConditionalHandle handle);
void cup_conditions_end_locked(struct CUgraph_st *graph);

/* Does every handle of the graph have its node? */
bool cup_conditions_are_used_locked(const struct CUgraph_st *graph);

/* Sets the value from a kernel; a handle that is none is ignored, as on a device. */
void cup_condition_set(CUgraphConditionalHandle handle, unsigned value);

void cup_condition_ref(struct cup_condition *condition);
void cup_condition_unref(struct cup_condition *condition);

#endif

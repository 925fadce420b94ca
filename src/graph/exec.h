/* SPDX-License-Identifier: MIT */
/* An executable graph: a plan, and the state for launching it. Its launches run one after the
 * other, whatever their streams are. */
#ifndef CUP_GRAPH_EXEC_H
#define CUP_GRAPH_EXEC_H

#include "core/lock.h"
#include "core/object.h"
#include "graph/plan.h"
#include "stream/job.h"

#include <cuda.h>
#include <stdint.h>

struct CUstream_st;

/* An allocation that a launch makes or frees. */
struct cup_graph_exec_allocation {
    struct cup_graphmem_block *block; /* a reference on its memory is held */
    uint64_t size_bytes;              /* 0: allocated by another graph and freed by this one */
    bool is_freed;                    /* when the launch ends */
};

struct CUgraphExec_st {
    struct cup_object base;
    uint64_t flags;
    unsigned number; /* among all graphs and executable graphs, from 1 on */
    struct cup_lock lock;
    /* All guarded by lock. */
    struct cup_plan *plan;
    struct cup_point last; /* the end of the last launch; a reference on its stream is held */
    struct cup_graph_exec_allocation *allocations;
    size_t allocation_count;
    struct cup_user_references users;
    /* The graph whose only executable graph this is, with a reference, or NULL. Guarded by
     * cup_graph_lock, not by lock. */
    struct CUgraph_st *graph;
};

void cup_graph_exec_register(void);

/* refusal (plan.h) is set if the graph itself is the reason for the failure. */
CUresult cup_graph_exec_create(struct CUgraph_st *graph, uint64_t flags,
                               struct CUgraphExec_st **exec, struct cup_plan_refusal *refusal);

/* Takes a reference; INVALID_VALUE if the handle is not that of an executable graph. */
CUresult cup_graph_exec_find(CUgraphExec handle, struct CUgraphExec_st **exec);
void cup_graph_exec_destroy(struct CUgraphExec_st *exec);
bool cup_graph_exec_was_launched(struct CUgraphExec_st *exec);

/* The context of its work, with a reference; NULL: no particular one. */
struct CUctx_st *cup_graph_exec_context(struct CUgraphExec_st *exec);

/* exec_launch.c */
CUresult cup_graph_exec_launch(struct CUgraphExec_st *exec, struct CUstream_st *stream);
CUresult cup_graph_exec_upload(struct CUgraphExec_st *exec);

/* exec_update.c: changes single nodes. INVALID_VALUE for nodes that are not in the graph and for
 * changes that are not allowed. */
CUresult cup_graph_exec_set(struct CUgraphExec_st *exec, struct CUgraphNode_st *node,
                            const CUgraphNodeParams *given, enum cup_node_form form);
CUresult cup_graph_exec_set_enabled(struct CUgraphExec_st *exec, struct CUgraphNode_st *node,
                                    bool enabled);
CUresult cup_graph_exec_get_enabled(struct CUgraphExec_st *exec, struct CUgraphNode_st *node,
                                    bool *enabled);

/* Updates the executable graph from a whole graph. GRAPH_EXEC_UPDATE_FAILURE changes nothing. */
struct cup_graph_update {
    CUgraphExecUpdateResult result;
    struct CUgraphNode_st *node, *from; /* nodes of the graph that differ, or NULL */
    bool count_differs;                 /* cuGraphExecUpdate v1 reports this differently */
    struct CUgraphNode_st *older_node;  /* the node that v1 reports where v2 reports none */
};
CUresult cup_graph_exec_update(struct CUgraphExec_st *exec, struct CUgraph_st *graph,
                               struct cup_graph_update *update);

/* Lists the allocations and frees of a graph's nodes for an executable graph. */
CUresult cup_graph_exec_allocations_note(struct CUgraph_st *graph,
                                         struct cup_graph_exec_allocation **list, size_t *count);
void cup_graph_exec_allocations_drop(struct cup_graph_exec_allocation *list, size_t count);

/* A graph that allocates or has conditional nodes can have only one executable graph at a time:
 * NOT_SUPPORTED if there is another. Updating rebinds the executable graph to the other graph if
 * that allocates; with conditional nodes only, it stays bound to its original graph. */
CUresult cup_graph_exec_bind(struct CUgraphExec_st *exec, struct CUgraph_st *graph, bool is_update);

static inline void cup_graph_exec_unref(struct CUgraphExec_st *exec)
{
    cup_object_unref(&exec->base);
}

#endif

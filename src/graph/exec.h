/* SPDX-License-Identifier: MIT */
/* An executable graph: a plan, and what goes with launching it. Its launches come one behind the
 * other, in whatever streams they are. */
#ifndef CUP_GRAPH_EXEC_H
#define CUP_GRAPH_EXEC_H

#include "core/lock.h"
#include "core/object.h"
#include "graph/plan.h"
#include "stream/job.h"

#include <cuda.h>
#include <stdint.h>

struct CUstream_st;

/* What a launch allocates and frees. */
struct cup_graph_exec_allocation {
    struct cup_graphmem_block *block; /* a reference on its memory is held */
    uint64_t size_bytes;              /* 0: allocated by another graph, and freed here */
    bool is_freed;                    /* by the end of the launch */
};

struct CUgraphExec_st {
    struct cup_object base;
    uint64_t flags;
    struct cup_lock lock;
    /* All guarded by lock. */
    struct cup_plan *plan;
    struct cup_point last; /* the end of the last launch, with a reference on its stream */
    struct cup_graph_exec_allocation *allocations;
    size_t allocation_count;
    struct cup_user_references users;
    struct CUgraph_st *graph; /* whose only executable graph this is, with a reference; NULL: no
                                 such graph. Guarded by cup_graph_lock */
};

void cup_graph_exec_register(void);

/* A kernel calls cudaGraphSetConditional. */
void cup_graph_exec_set_condition(uint64_t handle, uint32_t value);

/* refusal: see plan.h; it is filled in when the graph itself is the reason. */
CUresult cup_graph_exec_create(struct CUgraph_st *graph, uint64_t flags,
                               struct CUgraphExec_st **exec, struct cup_plan_refusal *refusal);

/* Takes a reference; INVALID_VALUE for whatever is no executable graph. */
CUresult cup_graph_exec_find(CUgraphExec handle, struct CUgraphExec_st **exec);
void cup_graph_exec_destroy(struct CUgraphExec_st *exec);

/* The context in which it works, with a reference; NULL: in none in particular. */
struct CUctx_st *cup_graph_exec_context(struct CUgraphExec_st *exec);

/* exec_launch.c */
CUresult cup_graph_exec_launch(struct CUgraphExec_st *exec, struct CUstream_st *stream);
CUresult cup_graph_exec_upload(struct CUgraphExec_st *exec);

/* exec_update.c: single nodes. INVALID_VALUE for what is not of the graph, or may not become so. */
CUresult cup_graph_exec_set(struct CUgraphExec_st *exec, struct CUgraphNode_st *node,
                            const CUgraphNodeParams *given);
CUresult cup_graph_exec_set_enabled(struct CUgraphExec_st *exec, struct CUgraphNode_st *node,
                                    bool enabled);
CUresult cup_graph_exec_get_enabled(struct CUgraphExec_st *exec, struct CUgraphNode_st *node,
                                    bool *enabled);

/* The whole. GRAPH_EXEC_UPDATE_FAILURE changes nothing. */
struct cup_graph_update {
    CUgraphExecUpdateResult result;
    struct CUgraphNode_st *node, *from; /* nodes of the graph, where there are such */
    bool count_differs;                 /* the older call has another answer for that */
    struct CUgraphNode_st *older_node;  /* and names a node where the newer one does not */
};
CUresult cup_graph_exec_update(struct CUgraphExec_st *exec, struct CUgraph_st *graph,
                               struct cup_graph_update *update);

/* What a graph's nodes allocate and free, noted for an executable graph. */
CUresult cup_graph_exec_allocations_note(struct CUgraph_st *graph,
                                         struct cup_graph_exec_allocation **list, size_t *count);
void cup_graph_exec_allocations_drop(struct cup_graph_exec_allocation *list, size_t count);

/* Only one executable graph at a time can be made of a graph that allocates or has conditions:
 * NOT_SUPPORTED if there is another. One that is updated changes over to the other graph if that
 * allocates; for conditions it stays with the one it was made from. */
CUresult cup_graph_exec_bind(struct CUgraphExec_st *exec, struct CUgraph_st *graph, bool is_update);

static inline void cup_graph_exec_unref(struct CUgraphExec_st *exec)
{
    cup_object_unref(&exec->base);
}

#endif

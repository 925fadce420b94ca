/* SPDX-License-Identifier: MIT */
/* What an executable graph does: all nodes in one array, children and all, each with the job that a
 * stream would run and the list of nodes that wait for it. A launch resets nothing and allocates
 * nothing: roots are pushed, and whoever finishes a node counts down those behind it and pushes the
 * ones that are ready. A counter that has come to 0 is wound up again when its node begins.
 *
 * Work that may wait (host functions, kernels that spin, values, events, semaphores) runs in a
 * lane: a hidden stream of the node's own, so that no worker is kept. The deferred schedules run
 * every node that way, and so reorder branches as they reorder streams.
 *
 * One launch of a plan is under way at a time; those of one executable graph come one behind the
 * other. A plan that is to be changed while launches of it are pending is replaced by a new one. */
#ifndef CUP_GRAPH_PLAN_H
#define CUP_GRAPH_PLAN_H

#include "graph/graph.h"
#include "graph/node.h"
#include "stream/engine.h"
#include "stream/event.h"
#include "stream/job.h"

#include <cuda.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct CUstream_st;
struct cup_condition;
struct cup_graphmem_block;
struct cup_graphmem;

#define CUP_PLAN_NONE UINT32_MAX

struct cup_plan_node {
    struct cup_job *job;       /* NULL: nothing to do */
    void *place;               /* memory for it in the plan's block; NULL: none */
    _Atomic(uint32_t) waiting; /* dependencies that are not done in this run */
    uint32_t dependencies;
    uint32_t successors, successor_count; /* in the plan's list */
    bool is_enabled;
    bool has_edge_data; /* an edge behind it carries data */
    bool may_wait;      /* runs in its lane */
    uint8_t ring;       /* of the queue: 0 unless the plan goes by priorities */
    struct cup_plan *plan;
    struct cup_node_params *params; /* a reference is held; NULL: the end of a child */
    uint64_t node_id;               /* whose it is; 0: the end of a child */
    struct CUgraphNode_st *node;    /* the same, while the graph is looked at */
    struct CUstream_st *lane;       /* NULL until it is needed; a reference is held */
    struct CUstream_st *promises;   /* of an event record: where its point is; likewise */
    struct cup_plan_node *pending_next, *pending_previous; /* in their lanes; deferred schedules */
    uint32_t child_end; /* of a child: where what is inside ends; and all of it lies between */
    uint32_t event;     /* of an event record or wait: which of the plan's */
    /* Of a conditional node. */
    struct cup_condition *condition; /* a reference is held */
    struct cup_plan **bodies;
};

struct cup_plan {
    struct cup_task_queue queue; /* first: the engine knows a plan by it */
    _Atomic(uint32_t) refs;      /* the executable graph's and one a launch */
    uint32_t count, root_count, successor_count;
    uint32_t event_count, wait_count; /* events that are recorded, and waited for */
    struct cup_plan_node *nodes;
    uint32_t *successors, *roots;
    _Atomic(uint32_t) *slots;     /* of the queue's rings, one behind the other */
    unsigned char *jobs;          /* one block for the jobs of all nodes */
    struct cup_plan_node *parent; /* of a body: the conditional node */
    /* The run under way. */
    struct CUstream_st *stream;
    struct cup_graph_launch *launch;
    struct cup_plan_node *pending; /* nodes in their lanes; of deferred schedules (plan_run.c) */
    uint64_t start_ns;
    bool has_conditions, has_batches;
};

/* A launch: a job of its stream. */
struct cup_graph_launch {
    struct cup_job base;
    struct cup_plan *plan; /* a reference is held */
    struct CUstream_st *stream;
    struct CUgraphExec_st *exec;    /* a reference is held */
    struct cup_graphmem **memories; /* in use; a reference is held on each */
    size_t memory_count;
    struct cup_point *waits;          /* what each wait for an event is for; references are held */
    struct cup_event_ticket events[]; /* one for each event that the plan records */
};

/* Why a graph cannot be instantiated. */
struct cup_plan_refusal {
    CUgraphInstantiateResult reason;
    struct CUgraphNode_st *node; /* NULL: no one in particular */
};

/* plan.c. Takes the graph as it is now; compiles its kernels. Of the flags of instantiation,
 * DEVICE_LAUNCH and USE_NODE_PRIORITY matter here. */
CUresult cup_plan_create(struct CUgraph_st *graph, uint64_t flags, struct cup_plan **plan,
                         struct cup_plan_refusal *refusal);

/* Another plan with the same work. */
CUresult cup_plan_copy(const struct cup_plan *plan, struct cup_plan **copy);
void cup_plan_ref(struct cup_plan *plan);
void cup_plan_unref(struct cup_plan *plan);

/* The node of the plan, or of a body in it, that was made from a node; NULL: there is none. */
struct cup_plan_node *cup_plan_find(struct cup_plan *plan, uint64_t node_id);

/* Puts other parameters in the place of a node's, which must be of the same type. On failure all is
 * as before. */
CUresult cup_plan_node_replace(struct cup_plan_node *node, struct cup_node_params *params);

/* Memory for the job of a node: its part of the plan's block, or memory of its own if the node got
 * other parameters afterwards. Aligned to 64 bytes. NULL if there is none. */
void *cup_plan_job_place(const struct cup_plan_node *node, size_t size_bytes);
void cup_plan_job_free(const struct cup_plan_node *node, void *place);

/* Ends a hidden stream of a node; NULL is none. */
void cup_plan_lane_end(struct CUstream_st *stream);

/* plan_run.c. The job of a launch begins with it. */
CUresult cup_plan_launch_run(struct cup_job *job, CUresult failed);

#endif

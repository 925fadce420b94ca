/* SPDX-License-Identifier: MIT */
/* The work of an executable graph: all nodes, including those of children, in one array, each with
 * its job and the list of its successors. A launch allocates and resets nothing: the roots are
 * pushed to the queue, and the thread that finishes a node decrements the counters of its
 * successors and pushes those that become ready. A node's counter is set back when the node begins.
 *
 * Work that may wait (host functions, spinning kernels, values in memory, events, semaphores) runs
 * in a lane: a hidden stream of the node, so that it does not occupy a worker. The deferred
 * schedules run every node in a lane, and so reorder branches as they reorder streams.
 *
 * A plan runs one launch at a time; the launches of an executable graph run one after the other. A
 * plan that must change while launches of it are pending is replaced by a new one. */
#ifndef CUP_GRAPH_PLAN_H
#define CUP_GRAPH_PLAN_H

#include "core/error.h"
#include "core/list.h"
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
struct cup_graph_noted;
struct cup_graphmem_block;
struct cup_graphmem;

#define CUP_PLAN_NONE UINT32_MAX

struct cup_plan_node {
    struct cup_job *job;       /* NULL: nothing to do */
    void *place;               /* memory for it in the plan's block; NULL: none */
    _Atomic(uint32_t) waiting; /* dependencies that are not done yet */
    uint32_t dependencies;
    uint32_t next_kept;                   /* of the list of a thread that runs nodes (plan_run.c) */
    uint32_t successors, successor_count; /* range of plan->successors */
    bool is_enabled;
    bool has_edge_data; /* an outgoing edge has data that is not default */
    bool may_wait;      /* runs in its lane */
    bool is_awaited;    /* the call that launches the graph waits for it */
    uint8_t ring;       /* of the queue; 0 unless the plan uses priorities */
    struct cup_plan *plan;
    struct cup_node_params *params; /* a reference is held; NULL: the end of a child */
    uint64_t node_id;               /* of the graph's node; 0: the end of a child */
    struct CUgraphNode_st *node;    /* the same; valid only while the plan is built */
    struct CUstream_st *lane;       /* created when needed; a reference is held */
    struct CUstream_st *promises;   /* event record: the stream of its points, with a reference */
    struct cup_list pending_link;   /* list of plan->pending */
    uint32_t child_end;             /* child: the index of its end; its content lies between */
    uint32_t event;                 /* event record or wait: its index among the plan's */
    /* Conditional nodes only. */
    struct cup_condition *condition; /* a reference is held */
    struct cup_plan **bodies;
};

/* Where a node stands in its graph, for comparing the graph with another one (exec_pair.c). */
struct cup_plan_place {
    uint32_t before, before_count; /* range of plan->befores: the dependencies in their order */
    uint64_t exit_number;          /* of a node that nothing depends on; 0: something does */
};

struct cup_plan_before {
    uint32_t index; /* of the node; of a child, not of its end */
    CUgraphEdgeData data;
};

struct cup_plan {
    struct cup_task_queue queue; /* first: the engine casts it to the plan */
    _Atomic(uint32_t) refs;      /* one of the executable graph and one per launch */
    uint32_t count, root_count, successor_count;
    uint32_t event_count, wait_count; /* event records and event waits */
    struct cup_plan_node *nodes;
    uint32_t *successors, *roots;
    struct cup_plan_place *places; /* one for each node */
    struct {
        CUP_DYNARRAY(struct cup_plan_before, list);
    } befores;
    _Atomic(uint32_t) *slots;     /* of all the queue's rings, consecutively */
    unsigned char *jobs;          /* one block for the jobs of all nodes */
    struct cup_plan_node *parent; /* of a body: its conditional node */
    /* The current run. */
    struct CUstream_st *stream;
    struct cup_graph_launch *launch;
    struct cup_list pending; /* deferred schedules: nodes in their lanes (plan_run.c) */
    uint64_t start_ns;
    bool has_conditions;
    bool checks_launches; /* the type's check_launch is called for each node before a launch */
    bool has_awaited;     /* some node is awaited */
    bool has_host_work;   /* some node, of a body too, is CUP_JOB_HOST_WORK */
    /* For each node, a bit for each node that comes after it; made when first needed. Too large
     * plans have none. */
    _Atomic(uint64_t *) after;
};

/* A launch, which is a job of its stream. */
struct cup_graph_launch {
    struct cup_job base;
    struct cup_plan *plan; /* a reference is held */
    struct CUstream_st *stream;
    struct CUgraphExec_st *exec; /* a reference is held */
    /* Graphs that kernels have launched (device_launch.c): noted by the one that runs, and left to
     * run. `running`: the executable graph whose nodes run now. */
    _Atomic(struct cup_graph_noted *) noted;
    struct cup_graph_noted *next;
    struct CUgraphExec_st *running;
    struct cup_graphmem **memories; /* in use; a reference is held on each */
    size_t memory_count;
    struct CUstream_st *awaited; /* an awaited node fulfils a point of it (awaited.h); NULL: none */
    struct cup_point *waits;     /* the point of each event wait; references are held */
    struct cup_event_ticket events[]; /* one per event record of the plan */
};

/* The reason why a graph cannot be instantiated. */
struct cup_plan_refusal {
    CUgraphInstantiateResult reason;
    struct CUgraphNode_st *node; /* NULL: no particular node */
};

/* plan_build.c. Makes a plan of the graph's current state and compiles its kernels. flags: those of
 * instantiation; DEVICE_LAUNCH and USE_NODE_PRIORITY matter here. */
CUresult cup_plan_create(struct CUgraph_st *graph, uint64_t flags, struct cup_plan **plan,
                         struct cup_plan_refusal *refusal);

/* For plan_build.c. Divide_slots divides the slots among the rings: each has as many as nodes
 * belong to it. Make_jobs makes the jobs of all nodes; on failure, refusal->node is the node that
 * failed. */
void cup_plan_divide_slots(struct cup_plan *plan);
CUresult cup_plan_make_jobs(struct cup_plan *plan, struct cup_plan_refusal *refusal);

/* plan.c. Copies a plan. */
CUresult cup_plan_copy(const struct cup_plan *plan, struct cup_plan **copy);
void cup_plan_ref(struct cup_plan *plan);
void cup_plan_unref(struct cup_plan *plan);

/* Finds the node of the plan, or of a body in it, that was made from a node; NULL: none. */
struct cup_plan_node *cup_plan_find(struct cup_plan *plan, uint64_t node_id);

/* Replaces a node's parameters by others of the same type. On failure nothing changes. */
CUresult cup_plan_node_replace(struct cup_plan_node *node, struct cup_node_params *params);

/* Memory for the job of a node: its part of the plan's block, or memory of its own if the node got
 * other parameters afterwards. Aligned to 64 bytes. NULL if there is none. */
void *cup_plan_job_place(const struct cup_plan_node *node, size_t size_bytes);
void cup_plan_job_free(const struct cup_plan_node *node, void *place);

static inline CUresult cup_plan_out_of_memory(void)
{
    return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for an executable graph");
}

/* Destroys a node's hidden stream; NULL is ignored. */
void cup_plan_lane_end(struct CUstream_st *stream);

/* plan_order.c: whether a node comes before another; true if the plan is too large to know. */
bool cup_plan_precedes(const void *plan, uint32_t first, uint32_t second);
/* device_launch.c. Notes the launch of a graph by a kernel; `launched` is the launch that the
 * kernel belongs to, or NULL. */
CUresult cup_graph_launch_from_kernel(void *launched, uint64_t handle, uint64_t stream);

/* A plan of the graph that a kernel has launched and that runs next, with a reference; NULL: none.
 * Called when all nodes of the graph before it have run. */
struct cup_plan *cup_graph_launch_next(struct cup_graph_launch *launch);

/* plan_run.c: the `run` function of a launch's job. */
CUresult cup_plan_launch_run(struct cup_job *job, CUresult failed);

#endif

/* SPDX-License-Identifier: MIT */
/* A graph: nodes and edges that describe work. Nothing here runs; exec.h makes an executable graph
 * from it.
 *
 * One lock, cup_graph_lock, guards the structure of all graphs: building a graph is not a hot path,
 * and clones, children and conditional bodies reach across graphs. No callback, no compilation and
 * no work of a stream happens under it. */
#ifndef CUP_GRAPH_GRAPH_H
#define CUP_GRAPH_GRAPH_H

#include "core/dynarray.h"
#include "core/lock.h"
#include "core/object.h"

#include <cuda.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cup_graph_allocations;
struct cup_node_params;
struct cup_node_type;

/* One end of an edge: the node at the other end, and what the edge carries. */
struct cup_edge {
    struct CUgraphNode_st *node;
    CUgraphEdgeData data;
};

struct cup_edge_list {
    CUP_DYNARRAY(struct cup_edge, edges);
};

/* References that a graph holds on a user object. */
struct cup_user_reference {
    struct CUuserObject_st *object;
    unsigned count;
};

struct cup_user_references {
    CUP_DYNARRAY(struct cup_user_reference, list);
};

struct CUgraphNode_st {
    struct cup_object base;
    uint64_t id;          /* unique, never reused */
    uint64_t original_id; /* the node it was cloned from; 0: none */
    uint32_t ordinal;     /* how many nodes its graph had got before */
    /* All guarded by cup_graph_lock. */
    struct CUgraph_st *graph;                         /* NULL: the node was removed */
    struct CUgraphNode_st *next, *previous;           /* in the order of creation */
    struct CUgraphNode_st *next_root, *previous_root; /* the latest root first */
    bool is_root;
    uint32_t mark; /* scratch for the holder of the lock */
    struct cup_edge_list in, out;
    uint64_t exit_number; /* larger than that of nodes without dependents since earlier (order.c) */
    struct cup_node_params *params; /* a reference is held */
    /* Former parameters that the application may still read, with references. */
    struct {
        CUP_DYNARRAY(struct cup_node_params *, list);
    } lent;
    /* The number of the branch of a capture that must be joined because of this node; 0: none
     * (capture.c). */
    uint64_t unjoined_in;
};

struct CUgraph_st {
    struct cup_object base;
    uint64_t id;
    unsigned number; /* among all graphs and executable graphs, from 1 on */
    /* All guarded by cup_graph_lock. */
    bool is_gone;          /* destroyed, but references remain */
    bool is_captured_into; /* a stream captures into it */
    struct CUgraphNode_st
        *owner; /* the child or conditional node that the graph belongs to, or NULL */
    struct CUgraphNode_st *first, *last, *first_root;
    size_t node_count, edge_count;
    uint32_t next_ordinal;
    /* Allocations and frees. Nodes and edges of such a graph cannot be removed. */
    size_t memory_node_count;
    size_t conditional_count;                  /* conditional nodes */
    struct cup_condition *conditions;          /* its conditional handles (condition.h) */
    struct CUgraphExec_st *only_exec;          /* of a graph that can have only one */
    struct cup_graph_allocations *allocations; /* NULL: none (graph_allocation.h) */
    struct cup_user_references users;
};

/* handle.c. The functions take a reference; INVALID_VALUE if the handle is not that of a graph or
 * node, or if the node was removed from its graph. */
extern struct cup_lock cup_graph_lock;
CUresult cup_graph_find(CUgraph handle, struct CUgraph_st **graph);
CUresult cup_node_find(CUgraphNode handle, struct CUgraphNode_st **node);
CUresult cup_node_graph(struct CUgraphNode_st *node, struct CUgraph_st **graph);

void cup_graph_register(void);

/* The number of a new graph or executable graph, never used before. */
unsigned cup_graph_next_number(void);

CUresult cup_graph_create(struct CUgraph_st **graph);

/* Destroys the handles of the graph and its nodes. INVALID_VALUE for a graph inside a node,
 * ILLEGAL_STATE for one that a stream captures into. */
CUresult cup_graph_destroy(struct CUgraph_st *graph);

/* The same for a graph without other users, with the lock held. */
void cup_graph_clear_locked(struct CUgraph_st *graph);

/* Graphs with memory or conditional nodes cannot be cloned: NOT_SUPPORTED. */
CUresult cup_graph_clone(struct CUgraph_st *original, struct CUgraph_st **clone);
CUresult cup_graph_clone_locked(struct CUgraph_st *original, struct CUgraph_st **clone);

/* Finds the node of the clone that was cloned from `original`, or NULL. */
struct CUgraphNode_st *cup_graph_find_in_clone(struct CUgraph_st *clone,
                                               const struct CUgraphNode_st *original);

/* Whether a kernel of a device can update a node of the graph; nodes of graphs inside do not count.
 * Such a graph has one executable graph at a time, and is neither cloned nor the source of an
 * update. */
bool cup_graph_is_updatable_locked(const struct CUgraph_st *graph);

/* Whether the graph or one inside has allocations or frees. */
bool cup_graph_has_memory_locked(const struct CUgraph_st *graph);

/* Adds a node; on success it owns the reference on params. dependencies: handles from the
 * application; edges may be NULL. */
CUresult cup_graph_add_node(struct CUgraph_st *graph, const CUgraphNode *dependencies,
                            const CUgraphEdgeData *edges, size_t count,
                            struct cup_node_params *params, struct CUgraphNode_st **node);

/* The same with the lock held; the dependencies are nodes of the graph. */
CUresult cup_graph_add_node_locked(struct CUgraph_st *graph, const struct cup_edge *dependencies,
                                   size_t count, struct cup_node_params *params,
                                   struct CUgraphNode_st **node);

/* The same for a node that a capture adds, whose edges are already validated. */
CUresult cup_graph_add_captured_locked(struct CUgraph_st *graph,
                                       const struct cup_edge *dependencies, size_t count,
                                       struct cup_node_params *params,
                                       struct CUgraphNode_st **node);

/* Whether the node is in the body of a conditional node, or in a graph inside one. */
bool cup_node_is_in_body(const struct CUgraphNode_st *node);

/* Removes a node with its edges. NOT_SUPPORTED in a graph with memory nodes, ILLEGAL_STATE in one
 * that a stream captures into. */
CUresult cup_graph_remove_node(struct CUgraphNode_st *node);

/* edges.c: validating edges, and the edge lists of a node. */
bool cup_edge_data_is_default(const CUgraphEdgeData *data);
CUresult cup_edge_check(const struct CUgraphNode_st *from, const struct CUgraphNode_st *to,
                        const CUgraphEdgeData *data);
/* The same for an edge whose other end is not known yet. */
CUresult cup_edge_check_from(const struct CUgraphNode_st *from, const CUgraphEdgeData *data);
CUresult cup_edge_add_locked(struct CUgraphNode_st *from, struct CUgraphNode_st *to,
                             const CUgraphEdgeData *data);
void cup_edges_cut_locked(struct CUgraphNode_st *node);
CUresult cup_graph_add_dependencies(struct CUgraph_st *graph, const CUgraphNode *from,
                                    const CUgraphNode *to, const CUgraphEdgeData *edges,
                                    size_t count);
CUresult cup_graph_remove_dependencies(struct CUgraph_st *graph, const CUgraphNode *from,
                                       const CUgraphNode *to, size_t count);
void cup_root_link_locked(struct CUgraphNode_st *node);
void cup_root_unlink_locked(struct CUgraphNode_st *node);

/* Nothing depends on the node any more, or yet. */
void cup_node_exits_locked(struct CUgraphNode_st *node);

/* order.c. Exits: the nodes that nothing depends on, the latest first; returns how many. Order: all
 * nodes; their index becomes their mark. `nodes` has room for all nodes of the graph. */
size_t cup_graph_exits_locked(const struct CUgraph_st *graph, struct CUgraphNode_st **nodes);
void cup_graph_order_locked(const struct CUgraph_st *graph, struct CUgraphNode_st **nodes);

/* user_object.c: references of graphs. */
CUresult cup_user_references_copy(struct cup_user_references *to,
                                  const struct cup_user_references *from);
/* The same for a graph with all graphs in its nodes. */
CUresult cup_user_references_collect_locked(struct cup_user_references *to,
                                            const struct CUgraph_st *graph);
void cup_user_references_drop(struct cup_user_references *references);

/* dot.c: writes the graph as a DOT file; OPERATING_SYSTEM if the file cannot be written. */
CUresult cup_graph_write_dot(struct CUgraph_st *graph, const char *path, unsigned flags);

static inline void cup_graph_ref(struct CUgraph_st *graph)
{
    cup_object_ref(&graph->base);
}

static inline void cup_graph_unref(struct CUgraph_st *graph)
{
    cup_object_unref(&graph->base);
}

static inline void cup_node_unref(struct CUgraphNode_st *node)
{
    cup_object_unref(&node->base);
}

#endif

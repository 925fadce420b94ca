/* SPDX-License-Identifier: MIT */
/* The allocations of a graph: which addresses its nodes allocate and free. */
#ifndef CUP_GRAPH_GRAPH_ALLOCATION_H
#define CUP_GRAPH_GRAPH_ALLOCATION_H

#include "graph/graph.h"

#include <cuda.h>
#include <stdint.h>

struct cup_device;
struct cup_graphmem_block;
struct cup_graphmem;

/* One for each allocation node, and for each free node of another graph's allocation. */
struct cup_graph_allocation {
    struct cup_graphmem_block *block; /* a reference on its memory is held */
    uint64_t size_bytes;              /* 0: allocated elsewhere, and freed here */
    struct CUgraphNode_st *freed_by;  /* NULL: it outlives a launch */
};

struct cup_graph_allocations {
    struct cup_graph_allocation *list;
    size_t count, room;
};

/* An address for a node that has just been linked. */
CUresult cup_graph_allocation_add_locked(struct CUgraphNode_st *node, struct cup_device *device,
                                         uint64_t size_bytes, CUdeviceptr *address);

/* The node frees what an allocation node of this or another graph allocates, which nobody of this
 * graph frees already: INVALID_VALUE if not. */
CUresult cup_graph_allocation_free_locked(struct CUgraphNode_st *node, CUdeviceptr address);

void cup_graph_allocations_drop(struct cup_graph_allocations *allocations);

#endif

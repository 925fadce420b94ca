/* SPDX-License-Identifier: MIT */
/* The allocations of a graph: which addresses its nodes allocate and free. */
#ifndef CUP_GRAPH_GRAPH_ALLOCATION_H
#define CUP_GRAPH_GRAPH_ALLOCATION_H

#include "core/dynarray.h"
#include "graph/graph.h"

#include <cuda.h>
#include <stdint.h>

struct cup_device;
struct cup_graphmem_block;
struct cup_graphmem;

/* One per allocation node, and per node that frees another graph's allocation. */
struct cup_graph_allocation {
    struct cup_graphmem_block *block; /* a reference on its memory is held */
    uint64_t size_bytes;              /* 0: allocated by another graph and freed by this one */
    struct CUgraphNode_st *freed_by;  /* NULL: it outlives a launch */
};

struct cup_graph_allocations {
    CUP_DYNARRAY(struct cup_graph_allocation, list);
};

/* Allocates the address of a node that has just been linked. */
CUresult cup_graph_allocation_add_locked(struct CUgraphNode_st *node, struct cup_device *device,
                                         uint64_t size_bytes, CUdeviceptr *address);

/* Records that the node frees an allocation of this or another graph. INVALID_VALUE if it is not
 * such an allocation, or another node of this graph frees it. */
CUresult cup_graph_allocation_free_locked(struct CUgraphNode_st *node, CUdeviceptr address);

void cup_graph_allocations_drop(struct cup_graph_allocations *allocations);

#endif

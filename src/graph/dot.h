/* SPDX-License-Identifier: MIT */
/* Shared by the files that write DOT files. */
#ifndef CUP_GRAPH_DOT_H
#define CUP_GRAPH_DOT_H

#include "core/compiler.h"
#include "core/dynarray.h"
#include "graph/graph.h"
#include "graph/node.h"

#include <stdbool.h>
#include <stdio.h>

struct cup_dot {
    FILE *file;
    unsigned flags;
    /* The graphs that are written, in this order: each adds those in its nodes. */
    struct {
        CUP_DYNARRAY(struct CUgraph_st *, list);
    } graphs;
};

static inline bool cup_dot_asks(const struct cup_dot *dot, unsigned flag)
{
    return dot->flags & (flag | CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE);
}

/* dot_node.c: writes the attributes of a node, which end with its label. `mark` of the node is its
 * place in the graph's order. */
void cup_dot_write_node_locked(const struct cup_dot *dot, const struct CUgraphNode_st *node);

/* dot_memcpy.c: writes the rows of a copy's record after its identity. */
void cup_dot_write_memcpy(const struct cup_dot *dot, const CUDA_MEMCPY3D *copy);

/* Returns "HtoD" and the like, or "default" if an end is unified and the runtime's words are asked
 * for. The buffer has room for 8 characters. */
const char *cup_dot_memcpy_kind(const CUDA_MEMCPY3D *copy, char *buffer);

#endif

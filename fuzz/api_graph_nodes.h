/* SPDX-License-Identifier: MIT */
/* Parameters of nodes of graphs, drawn: arrays are there and as long as they say, handles may be
 * anything. */
#ifndef API_GRAPH_NODES_H
#define API_GRAPH_NODES_H

#include "draw.h"

enum { NODE_ARGUMENTS = 8, NODE_ARRAY = 2 };

/* What the parameters of a node point to. */
struct node_storage {
    uint64_t words[NODE_ARGUMENTS];
    void *arguments[NODE_ARGUMENTS];
    CUexternalSemaphore semaphores[NODE_ARRAY];
    CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS signals[NODE_ARRAY];
    CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS waits[NODE_ARRAY];
    CUstreamBatchMemOpParams ops[NODE_ARRAY];
    CUmemAccessDesc access;
};

/* Draws the parameters of a node of the type; `node` points into `storage`. */
void draw_node_parameters(struct draw *draw, CUgraphNodeParams *node, unsigned type,
                          struct node_storage *storage);

/* A function of the host that does nothing. */
void CUDA_CB node_host_function(void *counter);

#endif

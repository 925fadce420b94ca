/* SPDX-License-Identifier: MIT */
/* Pointwise operations that run as one chain (engine/chain.h). */
#ifndef DNN_GRAPH_CHAINS_H
#define DNN_GRAPH_CHAINS_H

#include "frame.h"
#include "program.h"

/* How many operations from `first` on form a chain; 1: it runs by itself. */
int graph_chain_length(const struct graph_program *program, int first);

/* The tensors that a pointwise operation reads (x, b, t; or y and dy of a backward mode), NULL
 * where it has none, and the one that it writes. */
void graph_pointwise_tensors(const struct graph_content *operation,
                             const struct graph_tensor *read[3], const struct graph_tensor **y);

/* True if only operations of one chain use the tensor, which then needs no memory. */
bool graph_is_inside_chain(const struct graph_program *program, const struct graph_tensor *tensor);

CUresult graph_run_chain(struct graph_frame *frame, int first, int count);

#endif

/* SPDX-License-Identifier: MIT */
/* Graphs whose batches do not touch one another run batch by batch, so that the virtual tensors of
 * an attention fit into memory and caches. */
#ifndef DNN_GRAPH_SLICES_H
#define DNN_GRAPH_SLICES_H

#include "program.h"

/* The number of batches if each batch can be computed alone; 0 if not. */
int64_t graph_batches_of(const struct graph_program *program);

/* How many batches to compute at once: as many as keep virtual tensors small. */
int64_t graph_batches_at_once(const struct graph_program *program);

#endif

/* SPDX-License-Identifier: MIT */
/* Batch normalisation over several devices: each runs a graph of its own with the same buffers, one
 * in the memory of each device, and they exchange their statistics through these. A device lists
 * its own buffer first, then those of the others in the same cyclic order (graph_peers_turn()).
 *
 * A buffer has a slot for each device, counted from its owner on, of two numbers for each channel.
 * A number is a pair of words: the f32 and a flag, 1 when it is there. The owner's own slot counts
 * what it has posted, and what the others have taken: nothing is posted before all have taken what
 * came before. A buffer begins with zeros, or with what is there already. */
#ifndef DNN_GRAPH_PEERS_H
#define DNN_GRAPH_PEERS_H

#include "frame.h"

/* Waits for the numbers of all devices. `numbers` has `count` for each device, the own ones first;
 * those of the others follow in the order of the buffers. */
void graph_peers_exchange(const struct dnn_tensor *buffers, int64_t devices, float *numbers,
                          int64_t count);

/* The normalisation of an operation with buffers of several devices. */
CUresult graph_run_norm_of_devices(struct graph_frame *frame,
                                   const struct graph_content *operation);

/* The attribute with the buffers of several devices; 0: the operation has none. */
int graph_peers_attribute(const struct graph_content *operation);

/* True if the program waits for other devices. */
bool graph_has_peers(const struct graph_program *program);

/* Turns the addresses of the buffers so that the one in the current device's memory is the first.
 */
void graph_peers_turn(const struct graph_program *program, struct graph_binding *bindings);

#endif

/* SPDX-License-Identifier: MIT */
/* The tensors of a graph while it runs: those of the program at their addresses, virtual ones in
 * buffers that live from the operation that writes them to the last that reads them. */
#ifndef DNN_GRAPH_FRAME_H
#define DNN_GRAPH_FRAME_H

#include "program.h"

/* Memory of a virtual tensor. */
struct graph_buffer {
    void *memory;
    size_t bytes;
};

struct graph_frame {
    const struct graph_program *program;
    const struct graph_binding *bindings; /* one for each tensor of the program */
    struct dnn_tensor *views;             /* likewise; address NULL: not there yet */
    struct graph_buffer *buffers;         /* likewise */
    struct graph_buffer *idle;            /* buffers to be used again; as many at most */
    int number;                           /* of the operation that runs */
    int64_t first, batches;               /* the batches that are computed; 0: all, uncut */
};

/* The tensor that an attribute of an operation names: its element `index`. It is absent if the
 * attribute is not set. */
struct dnn_tensor graph_operand(const struct graph_frame *frame,
                                const struct graph_content *operation, int name, int64_t index);

/* One element of a tensor that has one; `otherwise` if the attribute is not set. */
double graph_scalar(const struct graph_frame *frame, const struct graph_content *operation,
                    int name, double otherwise);

/* Runs all operations of a program. */
CUresult graph_frame_run(const struct graph_program *program, const struct graph_binding *bindings);

#endif

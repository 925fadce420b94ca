/* SPDX-License-Identifier: MIT */
/* The tensors of a graph while it runs: those of the program at their addresses, virtual ones in
 * buffers that live from the operation that writes them to the last that reads them. */
#ifndef DNN_GRAPH_FRAME_H
#define DNN_GRAPH_FRAME_H

#include "program.h"

struct graph_frame {
    const struct graph_program *program;
    const struct graph_binding *bindings; /* one for each tensor of the program */
    struct dnn_tensor *views;             /* likewise; address NULL: not there yet */
    void **buffers;                       /* likewise; what free() is to be called with */
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

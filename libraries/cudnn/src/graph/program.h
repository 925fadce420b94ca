/* SPDX-License-Identifier: MIT */
/* A finalised operation graph: its operations in an order in which each reads what others have
 * written, and its tensors by unique id. */
#ifndef DNN_GRAPH_PROGRAM_H
#define DNN_GRAPH_PROGRAM_H

#include "tensor.h"

enum { GRAPH_NOBODY = -1 };

struct graph_slot {
    const struct graph_tensor *tensor;
    int writer;                  /* the operation that writes it, or GRAPH_NOBODY */
    int last_use;                /* the last operation that reads or writes it */
    int64_t dims[DNN_RANK_MOST]; /* those of the tensor; of a virtual one, as large as operands */
};

struct graph_program {
    size_t slot_count;
    struct graph_slot *slots; /* by growing unique id */
    size_t operation_count;
    const struct graph_content **operations; /* in the order in which they run */
    int *rules;                              /* of each: enum graph_rule */
    int *chains; /* how many operations run as one from this on; 0: it is part of a chain */
    uint64_t nanoseconds; /* a guess */
    int64_t batches;      /* if they can be computed one after another; otherwise 0 */
    int64_t at_once;      /* so many of them at once */
};

/* Where a tensor lies in a run: an address of the program's; or, for one by value, a copy. */
struct graph_binding {
    void *address;
    char value[16];
};

static inline const struct graph_program *graph_program_of(const struct graph_content *graph)
{
    return graph->derived;
}

/* The index of the slot with this unique id, or GRAPH_NOBODY. */
int graph_slot_of(const struct graph_program *program, int64_t uid);

#endif

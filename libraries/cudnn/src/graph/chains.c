/* SPDX-License-Identifier: MIT */
/* Operations are sorted, so a chain is a run of neighbours: pointwise operations in f32 whose
 * results all have the same dimensions. */
#include "chains.h"

#include "chain.h"

#include <string.h>

void graph_pointwise_tensors(const struct graph_content *operation,
                             const struct graph_tensor *read[3], const struct graph_tensor **y)
{
    const struct graph_tensor *dx =
        graph_tensor_at(operation, CUDNN_ATTR_OPERATION_POINTWISE_DXDESC);

    read[0] = graph_tensor_at(operation, CUDNN_ATTR_OPERATION_POINTWISE_XDESC);
    read[1] = graph_tensor_at(operation, CUDNN_ATTR_OPERATION_POINTWISE_BDESC);
    read[2] = graph_tensor_at(operation, CUDNN_ATTR_OPERATION_POINTWISE_TDESC);
    *y = graph_tensor_at(operation, CUDNN_ATTR_OPERATION_POINTWISE_YDESC);
    if (!dx)
        return;
    read[0] = read[0] ? read[0] : *y;
    read[1] = graph_tensor_at(operation, CUDNN_ATTR_OPERATION_POINTWISE_DYDESC);
    *y = dx;
}

static bool is_single(const struct graph_tensor *tensor)
{
    switch ((int)tensor->view.type) {
    case CUDNN_DATA_DOUBLE:
    case CUDNN_DATA_INT32:
    case CUDNN_DATA_INT64:
    case CUDNN_DATA_UINT32:
        return false;
    default:
        return tensor->is_virtual || tensor->storage == GRAPH_PLAIN;
    }
}

static const int64_t *dims_of(const struct graph_program *program,
                              const struct graph_tensor *tensor)
{
    return program->slots[graph_slot_of(program, tensor->uid)].dims;
}

/* True if the operation may be part of a chain whose results have the dimensions of `shape`. */
static bool joins(const struct graph_program *program, const struct graph_content *operation,
                  const struct graph_tensor *shape)
{
    const struct graph_content *how =
        graph_child(operation, CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, 0);
    const struct graph_tensor *read[3], *y;

    if (operation->kind->type != CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR ||
        graph_integer(how, CUDNN_ATTR_POINTWISE_MODE, 0, 0) == CUDNN_POINTWISE_GEN_INDEX ||
        graph_integer(how, CUDNN_ATTR_POINTWISE_MATH_PREC, 0, 0) == CUDNN_DATA_DOUBLE)
        return false;
    graph_pointwise_tensors(operation, read, &y);
    for (int i = 0; i < 3; i++)
        if (read[i] && !is_single(read[i]))
            return false;
    return y && is_single(y) && y->view.vector <= 1 &&
           (!shape || (shape->view.rank == y->view.rank &&
                       memcmp(dims_of(program, shape), dims_of(program, y),
                              (size_t)y->view.rank * sizeof(int64_t)) == 0));
}

int graph_chain_length(const struct graph_program *program, int first)
{
    const struct graph_tensor *read[3], *shape;
    int count = 1;

    if (!joins(program, program->operations[first], NULL))
        return 1;
    graph_pointwise_tensors(program->operations[first], read, &shape);
    while (count < DNN_CHAIN_STEPS && first + count < (int)program->operation_count &&
           joins(program, program->operations[first + count], shape))
        count++;
    return count;
}

bool graph_is_inside_chain(const struct graph_program *program, const struct graph_tensor *tensor)
{
    const struct graph_slot *slot = &program->slots[graph_slot_of(program, tensor->uid)];
    int first = slot->writer;

    if (!tensor->is_virtual || first == GRAPH_NOBODY)
        return false;
    while (first > 0 && program->chains[first] == 0)
        first--;
    return program->chains[first] > 1 && slot->last_use < first + program->chains[first];
}

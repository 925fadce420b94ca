/* SPDX-License-Identifier: MIT */
/* Recognises the two steps of a softmax that a masked row would spoil. */
#include "softmax.h"

static int64_t mode_of(const struct graph_content *operation)
{
    if (operation->kind->type != CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR)
        return -1;
    return graph_integer(graph_child(operation, CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, 0),
                         CUDNN_ATTR_POINTWISE_MODE, 0, -1);
}

static bool is_row(const struct graph_tensor *tensor)
{
    return tensor->view.rank > 1 && tensor->view.dims[tensor->view.rank - 1] == 1;
}

static bool feeds_exponential(const struct graph_program *program,
                              const struct graph_tensor *tensor)
{
    for (size_t i = 0; i < program->operation_count; i++) {
        const struct graph_tensor *x =
            mode_of(program->operations[i]) == CUDNN_POINTWISE_EXP
                ? graph_tensor_at(program->operations[i], CUDNN_ATTR_OPERATION_POINTWISE_XDESC)
                : NULL;

        if (x && x->uid == tensor->uid)
            return true;
    }
    return false;
}

static bool sums(const struct graph_program *program, const struct graph_tensor *sum,
                 const struct graph_tensor *x)
{
    int writer = program->slots[graph_slot_of(program, sum->uid)].writer;
    const struct graph_content *operation =
        writer == GRAPH_NOBODY ? NULL : program->operations[writer];

    return operation && operation->kind->type == CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR &&
           graph_tensor_at(operation, CUDNN_ATTR_OPERATION_REDUCTION_XDESC)->uid == x->uid;
}

enum graph_rule graph_softmax_rule(const struct graph_program *program, int number)
{
    const struct graph_content *operation = program->operations[number];
    int64_t mode = mode_of(operation);
    const struct graph_tensor *x, *b, *y;

    if (mode != CUDNN_POINTWISE_SUB && mode != CUDNN_POINTWISE_DIV)
        return GRAPH_NO_RULE;
    x = graph_tensor_at(operation, CUDNN_ATTR_OPERATION_POINTWISE_XDESC);
    b = graph_tensor_at(operation, CUDNN_ATTR_OPERATION_POINTWISE_BDESC);
    y = graph_tensor_at(operation, CUDNN_ATTR_OPERATION_POINTWISE_YDESC);
    if (!x || !b || !y || !is_row(b) || x->view.type == CUDNN_DATA_DOUBLE)
        return GRAPH_NO_RULE; /* the rules are about attention, which has no f64 */
    if (mode == CUDNN_POINTWISE_SUB)
        return y->is_virtual && feeds_exponential(program, y) ? GRAPH_SHIFT : GRAPH_NO_RULE;
    return sums(program, b, x) ? GRAPH_SHARE : GRAPH_NO_RULE;
}

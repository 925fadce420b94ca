/* SPDX-License-Identifier: MIT */
/* A graph can be cut along dimension 0 if every operation computes element b of its result from
 * elements b of its operands, and from tensors that have one element there and that nobody writes.
 */
#include "slices.h"

#include "operation.h"

/* A virtual tensor of a slice has about so many bytes at most. */
enum { SLICE_BYTES = 16 << 20 };

static bool is_index(const struct graph_content *operation)
{
    const struct graph_content *how =
        graph_child(operation, CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, 0);

    return graph_integer(how, CUDNN_ATTR_POINTWISE_MODE, 0, 0) == CUDNN_POINTWISE_GEN_INDEX &&
           graph_integer(how, CUDNN_ATTR_POINTWISE_AXIS, 0, 0) == 0;
}

static bool keeps_batches(const struct graph_content *operation)
{
    switch (operation->kind->type) {
    case CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR:
        return !is_index(operation);
    case CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR:
        return graph_tensor_at(operation, CUDNN_ATTR_OPERATION_MATMUL_CDESC)->view.rank > 2;
    case CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR:
        return graph_tensor_at(operation, CUDNN_ATTR_OPERATION_REDUCTION_XDESC)->view.dims[0] ==
               graph_tensor_at(operation, CUDNN_ATTR_OPERATION_REDUCTION_YDESC)->view.dims[0];
    default:
        return false;
    }
}

static bool is_offsets(const struct graph_program *program, const struct graph_tensor *tensor)
{
    for (size_t i = 0; i < program->slot_count; i++)
        if (program->slots[i].tensor->offsets &&
            program->slots[i].tensor->offsets->uid == tensor->uid)
            return true;
    return false;
}

int64_t graph_batches_of(const struct graph_program *program)
{
    int64_t batches = 1;
    int rank = 0;

    for (size_t i = 0; i < program->operation_count; i++)
        if (!keeps_batches(program->operations[i]))
            return 0;
    for (size_t i = 0; i < program->slot_count; i++) {
        const struct graph_tensor *tensor = program->slots[i].tensor;
        int64_t dim = program->slots[i].dims[0];

        if (is_offsets(program, tensor))
            continue;
        if ((tensor->storage != GRAPH_PLAIN && tensor->storage != GRAPH_RAGGED) ||
            tensor->view.vector > 1 || (rank && rank != tensor->view.rank))
            return 0;
        rank = tensor->view.rank;
        if (dim != 1 && batches != 1 && dim != batches)
            return 0;
        batches = dim == 1 ? batches : dim;
    }
    for (size_t i = 0; i < program->slot_count; i++)
        if (program->slots[i].writer != GRAPH_NOBODY && program->slots[i].dims[0] != batches)
            return 0;
    return batches > 1 ? batches : 0;
}

int64_t graph_batches_at_once(const struct graph_program *program)
{
    int64_t most = 1, at_once;

    for (size_t i = 0; i < program->slot_count; i++) {
        const struct dnn_tensor *view = &program->slots[i].tensor->view;

        if (program->slots[i].tensor->is_virtual && view->dims[0]) {
            int64_t bytes = dnn_count(view) / view->dims[0] * 4;

            most = bytes > most ? bytes : most;
        }
    }
    at_once = SLICE_BYTES / most;
    return at_once > 1 ? at_once : 1;
}

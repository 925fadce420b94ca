/* SPDX-License-Identifier: MIT */
/* Operations run one after another. Before each, its tensors are there: those of the program that
 * are not plain are copied into buffers, and virtual ones get theirs. After it, what it wrote for
 * the program is copied back, and buffers that nobody reads any more are freed. */
#include "frame.h"

#include "operation.h"

#include <stdlib.h>

static void *alloc_buffer(const struct dnn_tensor *view)
{
    size_t bytes = (size_t)dnn_count(view) * dnn_type_bytes(view->type);

    return aligned_alloc(64, (bytes + 64) & ~(size_t)63);
}

static const struct dnn_tensor *offsets_of(const struct graph_frame *frame,
                                           const struct graph_tensor *tensor)
{
    return tensor->offsets ? &frame->views[graph_slot_of(frame->program, tensor->offsets->uid)]
                           : NULL;
}

/* Makes a tensor accessible to the engine. */
static CUresult prepare(struct graph_frame *frame, const struct graph_tensor *tensor, bool written)
{
    int at = graph_slot_of(frame->program, tensor->uid);
    const struct graph_binding *binding = &frame->bindings[at];
    struct dnn_tensor *view = &frame->views[at];

    if (view->address)
        return CUDA_SUCCESS;
    if (!tensor->is_virtual && tensor->storage == GRAPH_PLAIN) {
        *view = tensor->view;
        view->address = tensor->by_value ? (void *)binding->value : binding->address;
        return CUDA_SUCCESS;
    }
    *view = graph_tensor_buffer(tensor);
    frame->buffers[at] = alloc_buffer(view);
    view->address = frame->buffers[at];
    if (!view->address)
        return CUDA_ERROR_OUT_OF_MEMORY;
    if (!tensor->is_virtual && !written)
        graph_storage_load(tensor, binding->address, offsets_of(frame, tensor), view);
    return CUDA_SUCCESS;
}

/* Takes a tensor out of the engine's hands after operation `number`. */
static CUresult settle(struct graph_frame *frame, const struct graph_tensor *tensor, int number,
                       bool written)
{
    int at = graph_slot_of(frame->program, tensor->uid);

    if (written && !tensor->is_virtual && tensor->storage != GRAPH_PLAIN)
        graph_storage_store(tensor, frame->bindings[at].address, offsets_of(frame, tensor),
                            &frame->views[at]);
    if (frame->program->slots[at].last_use == number && frame->buffers[at]) {
        free(frame->buffers[at]);
        frame->buffers[at] = NULL;
        frame->views[at].address = NULL;
    }
    return CUDA_SUCCESS;
}

static CUresult each_tensor(struct graph_frame *frame, int number, bool after)
{
    const struct graph_content *operation = frame->program->operations[number];
    CUresult result = CUDA_SUCCESS;

    for (size_t i = 0; i < operation->kind->attribute_count; i++) {
        const struct graph_attribute *attribute = &operation->kind->attributes[i];

        if (!graph_names_tensors(attribute))
            continue;
        for (int64_t k = 0; k < operation->values[i].count && result == CUDA_SUCCESS; k++) {
            const struct graph_tensor *tensor =
                graph_tensor_of(graph_child(operation, attribute->name, k));
            bool written = graph_writes(operation, attribute);

            if (!tensor)
                continue;
            if (tensor->offsets && !after)
                result = prepare(frame, tensor->offsets, false);
            if (result == CUDA_SUCCESS)
                result = after ? settle(frame, tensor, number, written)
                               : prepare(frame, tensor, written);
        }
    }
    return result;
}

struct dnn_tensor graph_operand(const struct graph_frame *frame,
                                const struct graph_content *operation, int name, int64_t index)
{
    const struct graph_tensor *tensor = graph_tensor_of(graph_child(operation, name, index));

    if (!tensor)
        return (struct dnn_tensor){0};
    return frame->views[graph_slot_of(frame->program, tensor->uid)];
}

double graph_scalar(const struct graph_frame *frame, const struct graph_content *operation,
                    int name, double otherwise)
{
    const struct dnn_tensor tensor = graph_operand(frame, operation, name, 0);

    return tensor.address ? dnn_get(tensor.type, tensor.address) : otherwise;
}

CUresult graph_frame_run(const struct graph_program *program, const struct graph_binding *bindings)
{
    struct graph_frame frame = {
        .program = program,
        .bindings = bindings,
        .views = calloc(program->slot_count, sizeof(*frame.views)),
        .buffers = calloc(program->slot_count, sizeof(*frame.buffers)),
    };
    CUresult result = frame.views && frame.buffers ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;

    for (size_t i = 0; i < program->operation_count && result == CUDA_SUCCESS; i++) {
        const struct graph_content *operation = program->operations[i];

        result = each_tensor(&frame, (int)i, false);
        if (result == CUDA_SUCCESS)
            result = graph_operation_of(operation->kind->type)->run(&frame, operation);
        if (result == CUDA_SUCCESS)
            result = each_tensor(&frame, (int)i, true);
    }
    for (size_t i = 0; i < program->slot_count && frame.buffers; i++)
        free(frame.buffers[i]);
    free(frame.buffers);
    free(frame.views);
    return result;
}

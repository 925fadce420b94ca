/* SPDX-License-Identifier: MIT */
/* Operations run one after another. Before each, its tensors are there: those of the program that
 * are not plain are copied into buffers, and virtual ones get theirs. After it, what it wrote for
 * the program is copied back, and buffers that nobody reads any more are freed. */
#include "frame.h"

#include "chains.h"
#include "operation.h"

#include <stdlib.h>

/* Large blocks of malloc() are new pages each time; a buffer that is free and not much too large
 * saves the system's work. */
static struct graph_buffer take_buffer(struct graph_frame *frame, const struct dnn_tensor *view)
{
    size_t bytes = ((size_t)dnn_count(view) * dnn_type_bytes(view->type) + 64) & ~(size_t)63;
    struct graph_buffer buffer;

    for (size_t i = 0; i < frame->program->slot_count; i++) {
        buffer = frame->idle[i];
        if (buffer.memory && buffer.bytes >= bytes && buffer.bytes / 2 <= bytes) {
            frame->idle[i].memory = NULL;
            return buffer;
        }
    }
    return (struct graph_buffer){aligned_alloc(64, bytes), bytes};
}

static void give_buffer(struct graph_frame *frame, struct graph_buffer *buffer)
{
    for (size_t i = 0; i < frame->program->slot_count; i++) {
        if (!frame->idle[i].memory) {
            frame->idle[i] = *buffer;
            buffer->memory = NULL;
            return;
        }
    }
    free(buffer->memory);
    buffer->memory = NULL;
}

/* Cuts the batches of the frame out of a view of all. */
static void cut(const struct graph_frame *frame, struct dnn_tensor *view)
{
    if (!frame->batches || view->dims[0] == 1)
        return;
    if (view->address)
        view->address = (char *)view->address +
                        (size_t)(frame->first * view->strides[0]) * dnn_type_bytes(view->type);
    view->dims[0] = frame->batches;
}

/* The offsets of a ragged tensor, from the first batch of the frame on. */
static struct dnn_tensor offsets_of(const struct graph_frame *frame,
                                    const struct graph_tensor *tensor)
{
    struct dnn_tensor offsets = {0};

    if (!tensor->offsets)
        return offsets;
    offsets = tensor->offsets->view;
    offsets.address =
        (char *)frame->bindings[graph_slot_of(frame->program, tensor->offsets->uid)].address +
        (size_t)(frame->first * offsets.strides[0]) * dnn_type_bytes(offsets.type);
    return offsets;
}

/* A ragged tensor, or another that is not plain, moves between its memory and its buffer. */
static void move(const struct graph_frame *frame, const struct graph_tensor *tensor, int slot,
                 bool store)
{
    struct dnn_tensor offsets = offsets_of(frame, tensor);
    struct graph_tensor part = *tensor;
    void *memory = frame->bindings[slot].address;

    cut(frame, &part.view);
    if (store)
        graph_storage_store(&part, memory, &offsets, &frame->views[slot]);
    else
        graph_storage_load(&part, memory, &offsets, &frame->views[slot]);
}

/* Makes a tensor accessible to the engine. */
static CUresult prepare(struct graph_frame *frame, const struct graph_tensor *tensor, int number,
                        bool written)
{
    int slot = graph_slot_of(frame->program, tensor->uid);
    const struct graph_binding *binding = &frame->bindings[slot];
    struct dnn_tensor *view = &frame->views[slot];

    (void)number;
    if (view->address)
        return CUDA_SUCCESS;
    if (!tensor->is_virtual && tensor->storage == GRAPH_PLAIN) {
        *view = tensor->view;
        view->address = tensor->by_value ? (void *)binding->value : binding->address;
        cut(frame, view);
        return CUDA_SUCCESS;
    }
    *view = graph_tensor_buffer(tensor, frame->program->slots[slot].dims, frame->batches);
    frame->buffers[slot] = take_buffer(frame, view);
    view->address = frame->buffers[slot].memory;
    if (!view->address)
        return CUDA_ERROR_OUT_OF_MEMORY;
    if (!tensor->is_virtual && !written)
        move(frame, tensor, slot, false);
    return CUDA_SUCCESS;
}

/* Copies what is not plain back to the program's memory. */
static CUresult store(struct graph_frame *frame, const struct graph_tensor *tensor, int number,
                      bool written)
{
    (void)number;
    if (written && !tensor->is_virtual && tensor->storage != GRAPH_PLAIN)
        move(frame, tensor, graph_slot_of(frame->program, tensor->uid), true);
    return CUDA_SUCCESS;
}

/* Takes a tensor out of the engine's hands after the last operation that uses it. */
static CUresult settle(struct graph_frame *frame, const struct graph_tensor *tensor, int number,
                       bool written)
{
    int slot = graph_slot_of(frame->program, tensor->uid);

    (void)written;
    if (frame->program->slots[slot].last_use != number)
        return CUDA_SUCCESS;
    if (frame->buffers[slot].memory)
        give_buffer(frame, &frame->buffers[slot]);
    frame->views[slot].address = NULL;
    return CUDA_SUCCESS;
}

typedef CUresult visit_operand(struct graph_frame *frame, const struct graph_tensor *tensor,
                               int number, bool written);

/* A tensor that an operation names twice is visited twice. */
static CUresult each_tensor(struct graph_frame *frame, int number, visit_operand *visit)
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

            if (tensor && !graph_is_inside_chain(frame->program, tensor))
                result = visit(frame, tensor, number, written);
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

static CUresult run_operations(struct graph_frame *frame)
{
    const struct graph_program *program = frame->program;
    CUresult result = CUDA_SUCCESS;

    for (int i = 0; i < (int)program->operation_count && result == CUDA_SUCCESS;) {
        const struct graph_content *operation = program->operations[i];
        int count = program->chains[i];

        frame->number = i;
        for (int k = 0; k < count && result == CUDA_SUCCESS; k++)
            result = each_tensor(frame, i + k, prepare);
        if (result == CUDA_SUCCESS)
            result = count > 1 ? graph_run_chain(frame, i, count)
                               : graph_operation_of(operation->kind->type)->run(frame, operation);
        for (int k = 0; k < count && result == CUDA_SUCCESS; k++)
            result = each_tensor(frame, i + k, store);
        for (int k = 0; k < count && result == CUDA_SUCCESS; k++)
            result = each_tensor(frame, i + k, settle);
        i += count;
    }
    return result;
}

static CUresult run_batches(struct graph_frame *frame)
{
    int64_t all = frame->program->batches, at_once = frame->program->at_once;
    CUresult result = CUDA_SUCCESS;

    if (all <= at_once)
        return run_operations(frame);
    for (; frame->first < all && result == CUDA_SUCCESS; frame->first += at_once) {
        frame->batches = all - frame->first < at_once ? all - frame->first : at_once;
        result = run_operations(frame);
    }
    return result;
}

CUresult graph_frame_run(const struct graph_program *program, const struct graph_binding *bindings)
{
    struct graph_frame frame = {
        .program = program,
        .bindings = bindings,
        .views = calloc(program->slot_count, sizeof(*frame.views)),
        .buffers = calloc(program->slot_count, sizeof(*frame.buffers)),
        .idle = calloc(program->slot_count, sizeof(*frame.idle)),
    };
    bool made = frame.views && frame.buffers && frame.idle;
    CUresult result = made ? run_batches(&frame) : CUDA_ERROR_OUT_OF_MEMORY;

    for (size_t i = 0; i < program->slot_count && made; i++) {
        free(frame.buffers[i].memory);
        free(frame.idle[i].memory);
    }
    free(frame.idle);
    free(frame.buffers);
    free(frame.views);
    return result;
}

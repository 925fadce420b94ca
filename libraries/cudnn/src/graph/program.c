/* SPDX-License-Identifier: MIT */
/* Operation graphs become programs. Operations are sorted by what they read and write; a graph with
 * a cycle, with two writers of a tensor, or with a virtual tensor that nobody writes is refused. */
#include "program.h"

#include "kinds.h"
#include "chains.h"
#include "operation.h"
#include "slices.h"
#include "softmax.h"

#include <stdlib.h>
#include <string.h>

enum { PROGRAM_OPERATION_MOST = 4096 };

/* Calls `visit` for each tensor of an operation, and for the offsets of ragged ones. */
typedef cudnnStatus_t visit_tensor(void *data, const struct graph_tensor *tensor, bool written);

static cudnnStatus_t visit_tensors(const struct graph_content *operation, visit_tensor *visit,
                                   void *data)
{
    for (size_t i = 0; i < operation->kind->attribute_count; i++) {
        const struct graph_attribute *attribute = &operation->kind->attributes[i];
        bool written = graph_names_tensors(attribute) && graph_writes(operation, attribute);

        if (!graph_names_tensors(attribute))
            continue;
        for (int64_t k = 0; k < operation->values[i].count; k++) {
            const struct graph_tensor *tensor =
                graph_tensor_of(graph_child(operation, attribute->name, k));
            cudnnStatus_t status = CUDNN_STATUS_SUCCESS;

            if (tensor && tensor->offsets)
                status = visit(data, tensor->offsets, false);
            if (tensor && status == CUDNN_STATUS_SUCCESS)
                status = visit(data, tensor, written);
            if (status != CUDNN_STATUS_SUCCESS)
                return status;
        }
    }
    return CUDNN_STATUS_SUCCESS;
}

int graph_slot_of(const struct graph_program *program, int64_t uid)
{
    size_t low = 0, high = program->slot_count;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (program->slots[middle].tensor->uid < uid)
            low = middle + 1;
        else
            high = middle;
    }
    return low < program->slot_count && program->slots[low].tensor->uid == uid ? (int)low
                                                                               : GRAPH_NOBODY;
}

/* Two descriptors of the same tensor, as programs make them that finalise one for each use. */
static bool is_alike(const struct graph_tensor *a, const struct graph_tensor *b)
{
    return a->view.rank == b->view.rank && a->view.type == b->view.type &&
           a->view.vector == b->view.vector && a->view.vector_dim == b->view.vector_dim &&
           a->storage == b->storage && a->is_virtual == b->is_virtual &&
           a->by_value == b->by_value && a->is_complex == b->is_complex &&
           !memcmp(a->view.dims, b->view.dims, sizeof(a->view.dims)) &&
           !memcmp(a->view.strides, b->view.strides, sizeof(a->view.strides));
}

static cudnnStatus_t collect(void *data, const struct graph_tensor *tensor, bool written)
{
    struct graph_program *program = data;
    size_t at = program->slot_count;
    int known = graph_slot_of(program, tensor->uid);
    struct graph_slot *slots;

    (void)written;
    if (known != GRAPH_NOBODY) {
        const struct graph_tensor *other = program->slots[known].tensor;

        if (other != tensor && !is_alike(other, tensor))
            return dnn_error(CUDNN_STATUS_BAD_PARAM_DUPLICATED_ENTRIES,
                             "two tensors have the unique id %lld", (long long)tensor->uid);
        return CUDNN_STATUS_SUCCESS;
    }
    slots = realloc(program->slots, (at + 1) * sizeof(*slots));
    if (!slots)
        return CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED;
    program->slots = slots;
    for (; at > 0 && slots[at - 1].tensor->uid > tensor->uid; at--)
        slots[at] = slots[at - 1];
    slots[at] = (struct graph_slot){tensor, GRAPH_NOBODY, GRAPH_NOBODY, {0}};
    memcpy(slots[at].dims, tensor->view.dims, sizeof(slots[at].dims));
    program->slot_count++;
    return CUDNN_STATUS_SUCCESS;
}

/* Notes the writers of tensors; the operations are still in the order of the program. */
struct numbering {
    struct graph_program *program;
    int operation;
    bool ready;
    const bool *done;
};

static cudnnStatus_t note_writer(void *data, const struct graph_tensor *tensor, bool written)
{
    struct numbering *numbering = data;
    struct graph_slot *slot =
        &numbering->program->slots[graph_slot_of(numbering->program, tensor->uid)];

    if (!written)
        return CUDNN_STATUS_SUCCESS;
    if (slot->writer != GRAPH_NOBODY)
        return dnn_error(CUDNN_STATUS_BAD_PARAM, "two operations write the tensor %lld",
                         (long long)tensor->uid);
    slot->writer = numbering->operation;
    return CUDNN_STATUS_SUCCESS;
}

static cudnnStatus_t note_ready(void *data, const struct graph_tensor *tensor, bool written)
{
    struct numbering *numbering = data;
    int writer = numbering->program->slots[graph_slot_of(numbering->program, tensor->uid)].writer;

    if (!written && writer != GRAPH_NOBODY && writer != numbering->operation &&
        !numbering->done[writer])
        numbering->ready = false;
    if (!written && tensor->is_virtual && writer == GRAPH_NOBODY)
        return dnn_error(CUDNN_STATUS_NOT_SUPPORTED_GRAPH_PATTERN,
                         "nobody writes the virtual tensor %lld", (long long)tensor->uid);
    return CUDNN_STATUS_SUCCESS;
}

static cudnnStatus_t note_use(void *data, const struct graph_tensor *tensor, bool written)
{
    struct numbering *numbering = data;
    struct graph_slot *slot =
        &numbering->program->slots[graph_slot_of(numbering->program, tensor->uid)];

    slot->last_use = numbering->operation;
    if (written)
        slot->writer = numbering->operation;
    return CUDNN_STATUS_SUCCESS;
}

/* Takes, again and again, the first operation whose operands are there. */
static cudnnStatus_t sort(struct graph_program *program, const struct graph_content **given,
                          bool *done)
{
    struct numbering numbering = {.program = program, .done = done};

    for (size_t sorted = 0; sorted < program->operation_count;) {
        size_t before = sorted;

        for (size_t i = 0; i < program->operation_count; i++) {
            cudnnStatus_t status;

            if (done[i])
                continue;
            numbering.operation = (int)i;
            numbering.ready = true;
            status = visit_tensors(given[i], note_ready, &numbering);
            if (status != CUDNN_STATUS_SUCCESS)
                return status;
            if (!numbering.ready)
                continue;
            done[i] = true;
            program->operations[sorted++] = given[i];
        }
        if (sorted == before)
            return dnn_error(CUDNN_STATUS_BAD_PARAM, "the operations form a cycle");
    }
    for (size_t i = 0; i < program->operation_count; i++) {
        numbering.operation = (int)i;
        visit_tensors(program->operations[i], note_use, &numbering);
    }
    return CUDNN_STATUS_SUCCESS;
}

/* A guess at the time: elements at one a nanosecond, products by their depth. */
static uint64_t guess_nanoseconds(const struct graph_program *program)
{
    uint64_t total = 2000;

    for (size_t i = 0; i < program->slot_count; i++)
        total += (uint64_t)dnn_count(&program->slots[i].tensor->view);
    for (size_t i = 0; i < program->operation_count; i++) {
        const struct graph_content *operation = program->operations[i];

        if (operation->kind->type == CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR ||
            (operation->kind->type >= CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR &&
             operation->kind->type <= CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR))
            total += 100000;
    }
    return total;
}

/* Frontends describe the virtual result of a pointwise operation by its first operand, also where
 * another is larger. It gets the dimensions of all. */
static void widen(struct graph_program *program, const struct graph_content *operation)
{
    static const int names[] = {CUDNN_ATTR_OPERATION_POINTWISE_XDESC,
                                CUDNN_ATTR_OPERATION_POINTWISE_BDESC,
                                CUDNN_ATTR_OPERATION_POINTWISE_TDESC};
    const struct graph_tensor *y = graph_tensor_at(operation, CUDNN_ATTR_OPERATION_POINTWISE_YDESC);
    struct graph_slot *slot = y ? &program->slots[graph_slot_of(program, y->uid)] : NULL;

    for (size_t i = 0; y && y->is_virtual && i < sizeof(names) / sizeof(*names); i++) {
        const struct graph_tensor *operand = graph_tensor_at(operation, names[i]);
        const int64_t *dims =
            operand ? program->slots[graph_slot_of(program, operand->uid)].dims : NULL;

        for (int k = 0; operand && operand->view.rank == y->view.rank && k < y->view.rank; k++)
            if (dims[k] > slot->dims[k] && slot->dims[k] == 1)
                slot->dims[k] = dims[k];
    }
}

static void destroy_program(struct graph_program *program)
{
    if (!program)
        return;
    free(program->slots);
    free(program->operations);
    free(program->rules);
    free(program->chains);
    free(program);
}

static cudnnStatus_t fill_program(struct graph_program *program, const struct graph_content **given,
                                  bool *done)
{
    struct numbering numbering = {.program = program};
    cudnnStatus_t status = CUDNN_STATUS_SUCCESS;

    for (size_t i = 0; i < program->operation_count && status == CUDNN_STATUS_SUCCESS; i++) {
        if (!graph_operation_of(given[i]->kind->type))
            status = dnn_error(CUDNN_STATUS_BAD_PARAM, "%s is no operation", given[i]->kind->text);
        else if (!graph_operation_of(given[i]->kind->type)->run)
            status = dnn_error(CUDNN_STATUS_NOT_SUPPORTED_GRAPH_PATTERN, "%s is not supported",
                               given[i]->kind->text);
        else
            status = visit_tensors(given[i], collect, program);
    }
    for (size_t i = 0; i < program->operation_count && status == CUDNN_STATUS_SUCCESS; i++) {
        numbering.operation = (int)i;
        status = visit_tensors(given[i], note_writer, &numbering);
    }
    return status == CUDNN_STATUS_SUCCESS ? sort(program, given, done) : status;
}

cudnnStatus_t graph_program_finalize(struct graph_content *content)
{
    struct graph_value *value = graph_value_of(content, CUDNN_ATTR_OPERATIONGRAPH_OPS);
    struct graph_program *program = calloc(1, sizeof(*program));
    bool *done = calloc((size_t)value->count, sizeof(*done));
    static const int64_t engines = 1;
    static const char same = 0;
    cudnnStatus_t status = CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED;

    if (program)
        program->operations = calloc((size_t)value->count, sizeof(*program->operations));
    if (program)
        program->rules = calloc((size_t)value->count, sizeof(*program->rules));
    if (program)
        program->chains = calloc((size_t)value->count, sizeof(*program->chains));
    if (program && done && program->operations && program->rules && program->chains) {
        program->operation_count = (size_t)value->count;
        status = value->count > PROGRAM_OPERATION_MOST
                     ? dnn_error(CUDNN_STATUS_NOT_SUPPORTED, "a graph has too many operations")
                     : fill_program(program, value->elements, done);
    }
    free(done);
    if (status == CUDNN_STATUS_SUCCESS &&
        (!graph_value_set(content, CUDNN_ATTR_OPERATIONGRAPH_ENGINE_GLOBAL_COUNT, CUDNN_TYPE_INT64,
                          1, &engines) ||
         !graph_value_set(content, CUDNN_ATTR_OPERATIONGRAPH_IS_SAME_TOPOLOGY, CUDNN_TYPE_BOOLEAN,
                          1, &same)))
        status = CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED;
    if (status != CUDNN_STATUS_SUCCESS) {
        destroy_program(program);
        return status;
    }
    for (int i = 0; i < (int)program->operation_count; i++) {
        widen(program, program->operations[i]);
        program->rules[i] = (int)graph_softmax_rule(program, i);
    }
    for (int i = 0; i < (int)program->operation_count; i += program->chains[i])
        program->chains[i] = graph_chain_length(program, i);
    program->nanoseconds = guess_nanoseconds(program);
    program->batches = graph_batches_of(program);
    program->at_once = graph_batches_at_once(program);
    content->derived = program;
    return CUDNN_STATUS_SUCCESS;
}

void graph_program_finish(struct graph_content *content)
{
    destroy_program(content->derived);
}

/* SPDX-License-Identifier: MIT */
/* The loop goes over all tensors of the chain at once. The result of each step stays in an array of
 * its own until the line is done. */
#include "chain.h"

#include "kernels.h"
#include "line.h"
#include "loop.h"

#include <string.h>

enum { OPERANDS = 3 };

_Static_assert(1 + DNN_CHAIN_STEPS * (OPERANDS + 1) <= DNN_LOOP_TENSORS,
               "a loop has room for the tensors of every chain");

struct step {
    const struct dnn_tensor *tensors[OPERANDS + 1]; /* what is read, and y; NULL: absent */
    int places[OPERANDS + 1];                       /* of the tensors in the loop */
    float factors[OPERANDS];
    const int *from;
    dnn_pointwise_line *line;
    struct dnn_pointwise_factors constants;
    enum dnn_chain_rule rule;
    cudnnDataType_t type; /* of the result */
};

struct chain {
    struct step steps[DNN_CHAIN_STEPS];
    int count, tensor_count;
    const struct dnn_tensor *tensors[DNN_LOOP_TENSORS];
};

struct line {
    const struct dnn_loop *loop;
    const int64_t *offsets;
    size_t count;
    float results[DNN_CHAIN_STEPS][DNN_LINE_MOST], loaded[OPERANDS][DNN_LINE_MOST];
};

static void apply_rule(enum dnn_chain_rule rule, float *numbers, size_t count)
{
    if (rule == DNN_CHAIN_MASKED_IS_ZERO)
        for (size_t i = 0; i < count; i++)
            numbers[i] = numbers[i] < (float)DNN_MASKED_SCORE ? 0 : numbers[i];
    if (rule == DNN_CHAIN_ZERO_IS_ONE)
        for (size_t i = 0; i < count; i++)
            numbers[i] = numbers[i] == 0 ? 1 : numbers[i];
}

/* Operand `i` of a step as numbers: where they lie already, or converted. */
static const float *operand(struct line *line, const struct step *step, int i)
{
    const struct dnn_tensor *tensor = step->tensors[i];
    const float *numbers = line->loaded[i];

    if (step->from[i] != DNN_CHAIN_NONE) {
        numbers = line->results[step->from[i]];
    } else if (tensor) {
        int64_t stride = line->loop->strides[step->places[i]][line->loop->rank - 1];
        const void *address = dnn_at(tensor, line->offsets[step->places[i]]);

        if (tensor->type == CUDNN_DATA_FLOAT && stride == 1)
            numbers = address;
        else
            dnn_line_load(false, line->loaded[i], tensor->type, address, stride, line->count);
    }
    if (step->factors[i] != 1 || (i == 1 && step->rule != DNN_CHAIN_AS_IS)) {
        dnn_kernels()->scale(line->loaded[i], numbers, step->factors[i], 0, line->count);
        numbers = line->loaded[i];
    }
    if (i == 1)
        apply_rule(step->rule, line->loaded[i], line->count);
    return numbers;
}

/* A result of a narrower type is seen by later steps as it is stored. */
static void finish(struct line *line, const struct step *step, float *result)
{
    const struct dnn_tensor *y = step->tensors[OPERANDS];
    double narrow[DNN_LINE_MOST];
    int64_t stride = 1;
    void *address = narrow;

    if (y) {
        stride = line->loop->strides[step->places[OPERANDS]][line->loop->rank - 1];
        address = dnn_at(y, line->offsets[step->places[OPERANDS]]);
    }
    if (y || step->type != CUDNN_DATA_FLOAT)
        dnn_line_store(false, address, step->type, stride, result, line->count);
    if (step->type != CUDNN_DATA_FLOAT)
        dnn_line_load(false, result, step->type, address, stride, line->count);
}

static void run_line(void *argument, const struct dnn_loop *loop, const int64_t *offsets,
                     size_t count)
{
    const struct chain *chain = argument;
    struct line line;

    line.loop = loop;
    line.offsets = offsets;
    line.count = count;
    for (int s = 0; s < chain->count; s++) {
        const struct step *step = &chain->steps[s];
        const float *x = operand(&line, step, 0), *b = operand(&line, step, 1);
        const float *t = operand(&line, step, 2);

        step->line(&step->constants, line.results[s], x, b, t, count);
        finish(&line, step, line.results[s]);
    }
}

static bool is_same(const struct dnn_tensor *a, const struct dnn_tensor *b)
{
    return a->address == b->address && a->type == b->type && a->rank == b->rank &&
           a->vector == b->vector && a->vector_dim == b->vector_dim &&
           memcmp(a->dims, b->dims, (size_t)a->rank * sizeof(*a->dims)) == 0 &&
           memcmp(a->strides, b->strides, (size_t)a->rank * sizeof(*a->strides)) == 0;
}

/* The place of a tensor in the loop. */
static int place_of(struct chain *chain, const struct dnn_tensor *tensor)
{
    for (int i = 0; i < chain->tensor_count; i++)
        if (is_same(chain->tensors[i], tensor))
            return i;
    chain->tensors[chain->tensor_count] = tensor;
    return chain->tensor_count++;
}

static bool add_step(struct chain *chain, const struct dnn_chain_step *given)
{
    const struct dnn_pointwise *op = &given->op;
    const struct dnn_tensor *tensors[] = {&op->x, &op->b, &op->t, &op->y};
    struct step *step = &chain->steps[chain->count++];

    *step = (struct step){.from = given->from,
                          .factors = {op->has_alphas ? (float)op->alpha1 : 1,
                                      op->has_alphas ? (float)op->alpha2 : 1, 1},
                          .line = dnn_kernels()->pointwise(op->mode),
                          .constants = dnn_pointwise_constants(op),
                          .rule = given->rule,
                          .type = op->y.type};
    for (int i = 0; i <= OPERANDS; i++) {
        if (!tensors[i]->address || (i < OPERANDS && given->from[i] != DNN_CHAIN_NONE))
            continue;
        step->tensors[i] = tensors[i];
        step->places[i] = place_of(chain, tensors[i]);
        if (!dnn_type_bytes(tensors[i]->type))
            return false;
    }
    return step->line != NULL;
}

CUresult dnn_chain_run(const struct dnn_chain_step *steps, int count)
{
    struct chain chain = {.count = 0};
    struct dnn_loop loop;

    /* The last result has the dimensions of all, and the loop follows its order in memory. */
    chain.tensors[chain.tensor_count++] = &steps[count - 1].op.y;
    for (int i = 0; i < count; i++)
        if (!add_step(&chain, &steps[i]))
            return CUDA_ERROR_NOT_SUPPORTED;
    dnn_loop_init(&loop, chain.tensors, chain.tensor_count);
    dnn_loop_run(&loop, run_line, &chain);
    return CUDA_SUCCESS;
}

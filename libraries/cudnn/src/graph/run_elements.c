/* SPDX-License-Identifier: MIT */
/* Operations on elements: pointwise functions, reductions, resampling, random numbers, and copies.
 */
#include "chain.h"
#include "chains.h"
#include "operation.h"
#include "softmax.h"

#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

static bool is_backward(cudnnPointwiseMode_t mode)
{
    return mode >= CUDNN_POINTWISE_RELU_BWD && mode <= CUDNN_POINTWISE_GELU_APPROX_TANH_BWD;
}

/* The operation with its tensors as the frame has them; y is the result, also of backward modes. */
static struct dnn_pointwise pointwise_of(const struct graph_frame *frame,
                                         const struct graph_content *operation)
{
    const struct graph_content *how =
        graph_child(operation, CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, 0);
    struct dnn_pointwise pointwise = {
        .mode = (cudnnPointwiseMode_t)graph_integer(how, CUDNN_ATTR_POINTWISE_MODE, 0, 0),
        .x = graph_operand(frame, operation, CUDNN_ATTR_OPERATION_POINTWISE_XDESC, 0),
        .b = graph_operand(frame, operation, CUDNN_ATTR_OPERATION_POINTWISE_BDESC, 0),
        .t = graph_operand(frame, operation, CUDNN_ATTR_OPERATION_POINTWISE_TDESC, 0),
        .y = graph_operand(frame, operation, CUDNN_ATTR_OPERATION_POINTWISE_YDESC, 0),
        .alpha1 = graph_number(operation, CUDNN_ATTR_OPERATION_POINTWISE_ALPHA1, 1),
        .alpha2 = graph_number(operation, CUDNN_ATTR_OPERATION_POINTWISE_ALPHA2, 1),
        .has_alphas = true,
        .relu_lower = graph_number(how, CUDNN_ATTR_POINTWISE_RELU_LOWER_CLIP, 0),
        .relu_upper = graph_number(how, CUDNN_ATTR_POINTWISE_RELU_UPPER_CLIP, INFINITY),
        .relu_slope = graph_number(how, CUDNN_ATTR_POINTWISE_RELU_LOWER_CLIP_SLOPE, 0),
        .has_relu = true,
        .elu_alpha = graph_number(how, CUDNN_ATTR_POINTWISE_ELU_ALPHA, 1),
        .softplus_beta = graph_number(how, CUDNN_ATTR_POINTWISE_SOFTPLUS_BETA, 1),
        .swish_beta = graph_number(how, CUDNN_ATTR_POINTWISE_SWISH_BETA, 1),
        .axis = (int)graph_integer(how, CUDNN_ATTR_POINTWISE_AXIS, 0, 0),
        .compute = (cudnnDataType_t)graph_integer(how, CUDNN_ATTR_POINTWISE_MATH_PREC, 0, 0),
    };

    if (is_backward(pointwise.mode)) {
        if (!graph_count(operation, CUDNN_ATTR_OPERATION_POINTWISE_XDESC))
            pointwise.x = pointwise.y;
        pointwise.y = graph_operand(frame, operation, CUDNN_ATTR_OPERATION_POINTWISE_DXDESC, 0);
        pointwise.b = graph_operand(frame, operation, CUDNN_ATTR_OPERATION_POINTWISE_DYDESC, 0);
    }
    return pointwise;
}

static enum dnn_chain_rule rule_of(const struct graph_program *program, int number)
{
    switch (program->rules[number]) {
    case GRAPH_SHIFT:
        return DNN_CHAIN_MASKED_IS_ZERO;
    case GRAPH_SHARE:
        return DNN_CHAIN_ZERO_IS_ONE;
    default:
        return DNN_CHAIN_AS_IS;
    }
}

/* The step of the chain from operation `first` on that writes a tensor; DNN_CHAIN_NONE: none. */
static int step_of(const struct graph_frame *frame, int first, int before,
                   const struct graph_tensor *tensor)
{
    int writer =
        tensor ? frame->program->slots[graph_slot_of(frame->program, tensor->uid)].writer : -1;

    return writer >= first && writer < before ? writer - first : DNN_CHAIN_NONE;
}

CUresult graph_run_chain(struct graph_frame *frame, int first, int count)
{
    struct dnn_chain_step steps[DNN_CHAIN_STEPS];

    for (int i = 0; i < count; i++) {
        const struct graph_content *operation = frame->program->operations[first + i];
        const struct graph_tensor *read[3], *y;

        graph_pointwise_tensors(operation, read, &y);
        steps[i] = (struct dnn_chain_step){.op = pointwise_of(frame, operation),
                                           .rule = rule_of(frame->program, first + i)};
        for (int k = 0; k < 3; k++)
            steps[i].from[k] = step_of(frame, first, first + i, read[k]);
        if (!steps[i].op.y.address)
            steps[i].op.y = graph_tensor_buffer(
                y, frame->program->slots[graph_slot_of(frame->program, y->uid)].dims,
                frame->batches);
    }
    return dnn_chain_run(steps, count);
}

/* A step of a softmax is a chain of one, which knows its rule. */
CUresult graph_run_pointwise(struct graph_frame *frame, const struct graph_content *operation)
{
    const struct dnn_pointwise pointwise = pointwise_of(frame, operation);

    if (frame->program->rules[frame->number] != GRAPH_NO_RULE)
        return graph_run_chain(frame, frame->number, 1);
    return dnn_pointwise_run(&pointwise);
}

/* A dimension of which the result has a part, as the heads that a group of queries shares, is cut
 * in two: the parts, and what each reduces. */
static void cut_groups(struct dnn_tensor *x, struct dnn_tensor *y)
{
    for (int i = 0; i < x->rank; i++) {
        int64_t parts = y->dims[i], each = parts ? x->dims[i] / parts : 1;

        if (parts == 1 || each == 1 || x->rank == DNN_RANK_MOST)
            continue;
        for (int k = x->rank; k > i + 1; k--) {
            x->dims[k] = x->dims[k - 1];
            x->strides[k] = x->strides[k - 1];
            y->dims[k] = y->dims[k - 1];
            y->strides[k] = y->strides[k - 1];
        }
        x->dims[i] = parts;
        x->dims[i + 1] = each;
        x->strides[i + 1] = x->strides[i];
        x->strides[i] *= each;
        y->dims[i + 1] = 1;
        y->strides[i + 1] = y->strides[i];
        x->rank++;
        y->rank++;
        i++;
    }
}

CUresult graph_run_reduction(struct graph_frame *frame, const struct graph_content *operation)
{
    const struct graph_content *how =
        graph_child(operation, CUDNN_ATTR_OPERATION_REDUCTION_DESC, 0);
    struct dnn_reduction reduction = {
        .op = (cudnnReduceTensorOp_t)graph_integer(how, CUDNN_ATTR_REDUCTION_OPERATOR, 0, 0),
        .x = graph_operand(frame, operation, CUDNN_ATTR_OPERATION_REDUCTION_XDESC, 0),
        .y = graph_operand(frame, operation, CUDNN_ATTR_OPERATION_REDUCTION_YDESC, 0),
        .propagate_nan = true,
        .compute = (cudnnDataType_t)graph_integer(how, CUDNN_ATTR_REDUCTION_COMP_TYPE, 0, 0),
    };

    cut_groups(&reduction.x, &reduction.y);
    return dnn_reduction_run(&reduction);
}

/* An attribute of a resampling: integers, or fractions of which element `part` is asked. */
static int64_t fraction(const struct graph_content *how, int name, int64_t index, int part,
                        int64_t otherwise)
{
    struct graph_value *value = graph_value_of((struct graph_content *)how, name);
    const cudnnFraction_t *fractions = value->elements;

    if (index >= value->count)
        return part ? 1 : otherwise;
    if (value->type == CUDNN_TYPE_FRACTION)
        return part ? fractions[index].denominator : fractions[index].numerator;
    return part ? 1 : graph_integer(how, name, index, otherwise);
}

static int64_t whole(const struct graph_content *how, int name, int64_t index, int64_t otherwise)
{
    int64_t denominator = fraction(how, name, index, 1, 1);

    return fraction(how, name, index, 0, otherwise) / (denominator ? denominator : 1);
}

CUresult graph_run_resample(struct graph_frame *frame, const struct graph_content *operation)
{
    bool backward = operation->kind->type == CUDNN_BACKEND_OPERATION_RESAMPLE_BWD_DESCRIPTOR;
#define OPERAND(name) graph_operand(frame, operation, CUDNN_ATTR_OPERATION_RESAMPLE_##name, 0)
    const struct graph_content *how = graph_child(operation,
                                                  backward ? CUDNN_ATTR_OPERATION_RESAMPLE_BWD_DESC
                                                           : CUDNN_ATTR_OPERATION_RESAMPLE_FWD_DESC,
                                                  0);
    struct dnn_resample resample = {
        .mode = (cudnnResampleMode_t)graph_integer(how, CUDNN_ATTR_RESAMPLE_MODE, 0, 0),
        .backward = backward,
        .x = backward ? OPERAND(BWD_XDESC) : OPERAND(FWD_XDESC),
        .y = backward ? OPERAND(BWD_YDESC) : OPERAND(FWD_YDESC),
        .dy = OPERAND(BWD_DYDESC),
        .dx = OPERAND(BWD_DXDESC),
        .index = backward ? OPERAND(BWD_IDXDESC) : OPERAND(FWD_IDXDESC),
        .spatial = (int)graph_integer(how, CUDNN_ATTR_RESAMPLE_SPATIAL_DIMS, 0, 0),
        .padding = (enum dnn_padding)graph_integer(how, CUDNN_ATTR_RESAMPLE_PADDING_MODE, 0, 0),
        .propagate_nan = graph_integer(how, CUDNN_ATTR_RESAMPLE_NAN_PROPAGATION, 0, 0),
        .compute = (cudnnDataType_t)graph_integer(how, CUDNN_ATTR_RESAMPLE_COMP_TYPE, 0, 0),
    };
#undef OPERAND

    for (int i = 0; i < resample.spatial; i++) {
        resample.window[i] = whole(how, CUDNN_ATTR_RESAMPLE_WINDOW_DIMS, i, 1);
        resample.pre[i] = whole(how, CUDNN_ATTR_RESAMPLE_PRE_PADDINGS, i, 0);
        resample.post[i] = whole(how, CUDNN_ATTR_RESAMPLE_POST_PADDINGS, i, 0);
        resample.stride[i] = fraction(how, CUDNN_ATTR_RESAMPLE_STRIDES, i, 0, 1);
        resample.stride_denominator[i] = fraction(how, CUDNN_ATTR_RESAMPLE_STRIDES, i, 1, 1);
    }
    return dnn_resample_run(&resample);
}

/* Seeds have 64 bits, more than a double holds. */
static uint64_t integer_of(const struct dnn_tensor *tensor)
{
    int64_t wide;

    if (!tensor->address)
        return 0;
    if (tensor->type != CUDNN_DATA_INT64)
        return (uint64_t)(int64_t)dnn_get(tensor->type, tensor->address);
    memcpy(&wide, tensor->address, sizeof(wide));
    return (uint64_t)wide;
}

CUresult graph_run_rng(struct graph_frame *frame, const struct graph_content *operation)
{
    const struct graph_content *how = graph_child(operation, CUDNN_ATTR_OPERATION_RNG_DESC, 0);
    const struct dnn_tensor seed =
        graph_operand(frame, operation, CUDNN_ATTR_OPERATION_RNG_SEED, 0);
    const struct dnn_tensor offset =
        graph_operand(frame, operation, CUDNN_ATTR_OPERATION_RNG_OFFSET_DESC, 0);
    const struct dnn_random random = {
        .distribution =
            (cudnnRngDistribution_t)graph_integer(how, CUDNN_ATTR_RNG_DISTRIBUTION, 0, 0),
        .y = graph_operand(frame, operation, CUDNN_ATTR_OPERATION_RNG_YDESC, 0),
        .probability = graph_number(how, CUDNN_ATTR_RNG_BERNOULLI_DIST_PROBABILITY, 0.5),
        .lower = graph_number(how, CUDNN_ATTR_RNG_UNIFORM_DIST_MINIMUM, 0),
        .upper = graph_number(how, CUDNN_ATTR_RNG_UNIFORM_DIST_MAXIMUM, 1),
        .mean = graph_number(how, CUDNN_ATTR_RNG_NORMAL_DIST_MEAN, 0),
        .deviation = graph_number(how, CUDNN_ATTR_RNG_NORMAL_DIST_STANDARD_DEVIATION, 1),
        .seed_value = seed.address
                          ? integer_of(&seed)
                          : (uint64_t)graph_integer(operation, CUDNN_ATTR_OPERATION_RNG_SEED, 0, 0),
        .offset_value = integer_of(&offset),
    };

    return dnn_random_run(&random);
}

CUresult graph_run_reshape(struct graph_frame *frame, const struct graph_content *operation)
{
    const struct dnn_transform transform = {
        .x = graph_operand(frame, operation, CUDNN_ATTR_OPERATION_RESHAPE_XDESC, 0),
        .y = graph_operand(frame, operation, CUDNN_ATTR_OPERATION_RESHAPE_YDESC, 0),
    };

    return dnn_reshape_run(&transform);
}

CUresult graph_run_concat(struct graph_frame *frame, const struct graph_content *operation)
{
    size_t count = (size_t)graph_count(operation, CUDNN_ATTR_OPERATION_CONCAT_INPUT_DESCS);
    struct dnn_tensor *inputs = calloc(count, sizeof(*inputs));
    struct dnn_concat concat = {
        .inputs = inputs,
        .count = count,
        .axis = (int)graph_integer(operation, CUDNN_ATTR_OPERATION_CONCAT_AXIS, 0, 0),
        .y = graph_operand(frame, operation, CUDNN_ATTR_OPERATION_CONCAT_OUTPUT_DESC, 0),
    };
    CUresult result = CUDA_ERROR_OUT_OF_MEMORY;

    if (inputs) {
        for (size_t i = 0; i < count; i++)
            inputs[i] = graph_operand(frame, operation, CUDNN_ATTR_OPERATION_CONCAT_INPUT_DESCS,
                                      (int64_t)i);
        result = dnn_concat_run(&concat);
    }
    free(inputs);
    return result;
}

/* A flag in memory is set, or waited for: another stream sets it. */
CUresult graph_run_signal(struct graph_frame *frame, const struct graph_content *operation)
{
    struct dnn_tensor flag =
        graph_operand(frame, operation, CUDNN_ATTR_OPERATION_SIGNAL_FLAGDESC, 0);
    const struct dnn_transform copy = {
        .x = graph_operand(frame, operation, CUDNN_ATTR_OPERATION_SIGNAL_XDESC, 0),
        .y = graph_operand(frame, operation, CUDNN_ATTR_OPERATION_SIGNAL_YDESC, 0),
    };
    int64_t value = graph_integer(operation, CUDNN_ATTR_OPERATION_SIGNAL_VALUE, 0, 0);

    if (graph_integer(operation, CUDNN_ATTR_OPERATION_SIGNAL_MODE, 0, 0) == CUDNN_SIGNAL_WAIT) {
        while (__atomic_load_n((int32_t *)flag.address, __ATOMIC_ACQUIRE) != (int32_t)value)
            sched_yield();
    } else {
        __atomic_store_n((int32_t *)flag.address, (int32_t)value, __ATOMIC_RELEASE);
    }
    return copy.x.address && copy.y.address ? dnn_transform_run(&copy) : CUDA_SUCCESS;
}

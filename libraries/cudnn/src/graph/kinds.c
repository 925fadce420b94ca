/* SPDX-License-Identifier: MIT */
/* The functions of the kinds, and checks of descriptors that only hold settings. */
#include "kinds.h"

#include "operation.h"

/* True if all elements are numbers of 32 bits, so that places computed with them have 64; and
 * fractions are some. */
static bool is_moderate(const struct graph_value *value)
{
    const cudnnFraction_t *fractions = value->elements;
    const int64_t *integers = value->elements;

    for (int64_t i = 0; i < value->count; i++) {
        bool is_fraction = value->type == CUDNN_TYPE_FRACTION;
        int64_t number = is_fraction ? fractions[i].numerator : integers[i];

        if (number < INT32_MIN || number > INT32_MAX ||
            (is_fraction && (fractions[i].denominator < 1 || fractions[i].denominator > INT32_MAX)))
            return false;
    }
    return true;
}

static cudnnStatus_t finalize_spatial(struct graph_content *content, int dims_name,
                                      const int *names, size_t name_count)
{
    int64_t dims = graph_integer(content, dims_name, 0, 0);

    if (dims < 1 || dims > DNN_RANK_MOST - 2)
        return dnn_error(CUDNN_STATUS_BAD_PARAM, "%s: %lld spatial dimensions", content->kind->text,
                         (long long)dims);
    for (size_t i = 0; i < name_count; i++) {
        if (graph_count(content, names[i]) && graph_count(content, names[i]) < dims)
            return dnn_error(CUDNN_STATUS_BAD_PARAM, "%s: an attribute has too few elements",
                             content->kind->text);
        if (!is_moderate(graph_value_of(content, names[i])))
            return dnn_error(CUDNN_STATUS_BAD_PARAM, "%s: a number is out of range",
                             content->kind->text);
    }
    return CUDNN_STATUS_SUCCESS;
}

static cudnnStatus_t finalize_convolution(struct graph_content *content)
{
    static const int names[] = {
        CUDNN_ATTR_CONVOLUTION_DILATIONS, CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES,
        CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS};
    cudnnStatus_t status = finalize_spatial(content, CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, names,
                                            sizeof(names) / sizeof(*names));

    if (status != CUDNN_STATUS_SUCCESS)
        return status;
    for (int64_t i = 0; i < graph_count(content, names[0]); i++)
        if (graph_integer(content, names[0], i, 1) < 1)
            return dnn_error(CUDNN_STATUS_BAD_PARAM, "a dilation is less than 1");
    for (int64_t i = 0; i < graph_count(content, names[1]); i++)
        if (graph_integer(content, names[1], i, 1) < 1)
            return dnn_error(CUDNN_STATUS_BAD_PARAM, "a stride is less than 1");
    return CUDNN_STATUS_SUCCESS;
}

static cudnnStatus_t finalize_resample(struct graph_content *content)
{
    static const int names[] = {CUDNN_ATTR_RESAMPLE_POST_PADDINGS, CUDNN_ATTR_RESAMPLE_PRE_PADDINGS,
                                CUDNN_ATTR_RESAMPLE_STRIDES, CUDNN_ATTR_RESAMPLE_WINDOW_DIMS};

    return finalize_spatial(content, CUDNN_ATTR_RESAMPLE_SPATIAL_DIMS, names,
                            sizeof(names) / sizeof(*names));
}

void graph_kind_behaviour(struct graph_kind *kind)
{
    static const struct graph_kind behaviours[] = {
        {.type = CUDNN_BACKEND_TENSOR_DESCRIPTOR,
         .finalize = graph_tensor_finalize,
         .finish = graph_tensor_finish},
        {.type = CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR, .finalize = finalize_convolution},
        {.type = CUDNN_BACKEND_RESAMPLE_DESCRIPTOR, .finalize = finalize_resample},
        {.type = CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR,
         .finalize = graph_program_finalize,
         .finish = graph_program_finish},
        {.type = CUDNN_BACKEND_ENGINE_DESCRIPTOR, .finalize = graph_engine_finalize},
        {.type = CUDNN_BACKEND_ENGINECFG_DESCRIPTOR, .finalize = graph_config_finalize},
        {.type = CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR, .finalize = graph_heuristics_finalize},
        {.type = CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR, .finalize = graph_plan_finalize},
        {.type = CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR, .finalize = graph_pack_finalize},
        {.type = CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR, .finalize = graph_device_finalize},
        {.type = CUDNN_BACKEND_KERNEL_CACHE_DESCRIPTOR, .finalize = graph_cache_finalize},
    };

    if (graph_operation_of(kind->type))
        kind->finalize = graph_operation_finalize;
    for (size_t i = 0; i < sizeof(behaviours) / sizeof(*behaviours); i++) {
        if (behaviours[i].type == kind->type) {
            kind->finalize = behaviours[i].finalize;
            kind->finish = behaviours[i].finish;
        }
    }
}

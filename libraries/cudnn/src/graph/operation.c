/* SPDX-License-Identifier: MIT */
/* The table of operations. */
#include "operation.h"

#include "kinds.h"

static const struct graph_operation operations[] = {
    {CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR, graph_run_convolution,
     graph_check_convolution},
    {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR, graph_run_convolution,
     graph_check_convolution},
    {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR, graph_run_convolution,
     graph_check_convolution},
    {CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR, graph_run_pointwise, graph_check_pointwise},
    {CUDNN_BACKEND_OPERATION_GEN_STATS_DESCRIPTOR, graph_run_genstats, graph_check_statistics},
    {CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR, graph_run_matmul, graph_check_matmul},
    {CUDNN_BACKEND_OPERATION_BN_FINALIZE_STATISTICS_DESCRIPTOR, graph_run_bn_finalize,
     graph_check_statistics},
    {CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR, graph_run_reduction, graph_check_reduction},
    {CUDNN_BACKEND_OPERATION_BN_BWD_WEIGHTS_DESCRIPTOR, graph_run_bn_weights,
     graph_check_statistics},
    {CUDNN_BACKEND_OPERATION_RESAMPLE_FWD_DESCRIPTOR, graph_run_resample, graph_check_resample},
    {CUDNN_BACKEND_OPERATION_RESAMPLE_BWD_DESCRIPTOR, graph_run_resample, graph_check_resample},
    {CUDNN_BACKEND_OPERATION_CONCAT_DESCRIPTOR, graph_run_concat, graph_check_concat},
    {CUDNN_BACKEND_OPERATION_SIGNAL_DESCRIPTOR, graph_run_signal, graph_check_signal},
    {CUDNN_BACKEND_OPERATION_NORM_FORWARD_DESCRIPTOR, graph_run_norm, graph_check_norm},
    {CUDNN_BACKEND_OPERATION_NORM_BACKWARD_DESCRIPTOR, graph_run_norm, graph_check_norm},
    {CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR, graph_run_reshape, graph_check_reshape},
    {CUDNN_BACKEND_OPERATION_RNG_DESCRIPTOR, graph_run_rng, graph_check_rng},
    {CUDNN_BACKEND_OPERATION_PAGED_CACHE_LOAD_DESCRIPTOR, graph_run_paged_load,
     graph_check_paged_load},
    {CUDNN_BACKEND_OPERATION_BLOCK_SCALE_QUANTIZE_DESCRIPTOR, graph_run_quantize,
     graph_check_block_scale},
    {CUDNN_BACKEND_OPERATION_BLOCK_SCALE_DEQUANTIZE_DESCRIPTOR, graph_run_dequantize,
     graph_check_block_scale},
    {CUDNN_BACKEND_OPERATION_EXPAND_BAND_MATRIX_DESCRIPTOR, NULL, NULL},
    {CUDNN_BACKEND_OPERATION_CONTRACT_BAND_MATRIX_DESCRIPTOR, NULL, NULL},
    {CUDNN_BACKEND_OPERATION_SDPA_FWD_DESCRIPTOR, graph_run_attention, graph_check_attention},
    {CUDNN_BACKEND_OPERATION_SDPA_BWD_DESCRIPTOR, graph_run_attention, graph_check_attention},
    {CUDNN_BACKEND_OPERATION_MOE_GROUPED_MATMUL_DESCRIPTOR, graph_run_grouped_matmul,
     graph_check_grouped_matmul},
};

const struct graph_operation *graph_operation_of(int descriptor_type)
{
    for (size_t i = 0; i < sizeof(operations) / sizeof(*operations); i++)
        if (operations[i].type == descriptor_type)
            return &operations[i];
    return NULL;
}

/* The statistics of a forward normalisation are read in the inference of a batch normalisation, and
 * the result of an activation in its gradient. */
bool graph_writes(const struct graph_content *operation, const struct graph_attribute *attribute)
{
    if (attribute->name == CUDNN_ATTR_OPERATION_POINTWISE_YDESC)
        return !graph_count(operation, CUDNN_ATTR_OPERATION_POINTWISE_DXDESC);
    if (attribute->use == GRAPH_EITHER)
        return graph_integer(operation, CUDNN_ATTR_OPERATION_NORM_FWD_PHASE, 0, 0) ==
               CUDNN_NORM_FWD_TRAINING;
    return attribute->use == GRAPH_WRITTEN || attribute->use == GRAPH_WRITTEN_OPTIONAL;
}

static bool is_computable(const struct graph_tensor *tensor, const struct graph_content *operation)
{
    if (tensor->is_complex)
        return operation->kind->type == CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR &&
               tensor->storage == GRAPH_PLAIN && !tensor->is_virtual && !tensor->by_value;
    return tensor->storage == GRAPH_NIBBLES || tensor->is_virtual ||
           dnn_type_bytes(tensor->view.type);
}

/* The other operations walk along strides. */
static bool takes_vectors(const struct graph_content *operation)
{
    switch (operation->kind->type) {
    case CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR:
    case CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR:
    case CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR:
    case CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR:
    case CUDNN_BACKEND_OPERATION_RESAMPLE_FWD_DESCRIPTOR:
    case CUDNN_BACKEND_OPERATION_RESAMPLE_BWD_DESCRIPTOR:
        return true;
    default:
        return false;
    }
}

/* Only products have complex types; four-bit types are unpacked. */
static cudnnStatus_t check_types(const struct graph_content *operation)
{
    for (size_t i = 0; i < operation->kind->attribute_count; i++) {
        const struct graph_attribute *attribute = &operation->kind->attributes[i];

        for (int64_t k = 0; graph_names_tensors(attribute) && k < operation->values[i].count; k++) {
            const struct graph_tensor *tensor =
                graph_tensor_of(graph_child(operation, attribute->name, k));

            if (tensor && !is_computable(tensor, operation))
                return dnn_error(CUDNN_STATUS_NOT_SUPPORTED_DATA_TYPE,
                                 "%s has a type that is not supported", attribute->text);
            if (tensor && tensor->view.vector > 1 && !takes_vectors(operation))
                return dnn_error(CUDNN_STATUS_NOT_SUPPORTED_LAYOUT,
                                 "%s has vectors, which this operation does not take",
                                 attribute->text);
        }
    }
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t graph_operation_finalize(struct graph_content *content)
{
    const struct graph_operation *operation = graph_operation_of(content->kind->type);
    cudnnStatus_t status = check_types(content);

    if (status != CUDNN_STATUS_SUCCESS || !operation->check)
        return status;
    return operation->check(content);
}

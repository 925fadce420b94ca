/* SPDX-License-Identifier: MIT */
/* Checks of normalisations and of the parts of batch normalisations. */
#include "checks.h"
#include "peers.h"

/* Operands that have x's shape, the statistics' shape, and 1 or x's dimensions. */
struct roles {
    int x, alike[2], statistics[6], factors[4], numbers[2], mode, peers;
};

static const struct roles forward = {
    .x = CUDNN_ATTR_OPERATION_NORM_FWD_XDESC,
    .alike = {CUDNN_ATTR_OPERATION_NORM_FWD_YDESC},
    .statistics = {CUDNN_ATTR_OPERATION_NORM_FWD_MEAN_DESC,
                   CUDNN_ATTR_OPERATION_NORM_FWD_INV_VARIANCE_DESC,
                   CUDNN_ATTR_OPERATION_NORM_FWD_INPUT_RUNNING_MEAN_DESC,
                   CUDNN_ATTR_OPERATION_NORM_FWD_INPUT_RUNNING_VAR_DESC,
                   CUDNN_ATTR_OPERATION_NORM_FWD_OUTPUT_RUNNING_MEAN_DESC,
                   CUDNN_ATTR_OPERATION_NORM_FWD_OUTPUT_RUNNING_VAR_DESC},
    .factors = {CUDNN_ATTR_OPERATION_NORM_FWD_SCALE_DESC, CUDNN_ATTR_OPERATION_NORM_FWD_BIAS_DESC},
    .numbers = {CUDNN_ATTR_OPERATION_NORM_FWD_EPSILON_DESC,
                CUDNN_ATTR_OPERATION_NORM_FWD_EXP_AVG_FACTOR_DESC},
    .mode = CUDNN_ATTR_OPERATION_NORM_FWD_MODE,
    .peers = CUDNN_ATTR_OPERATION_NORM_FWD_PEER_STAT_DESCS,
};

static const struct roles backward = {
    .x = CUDNN_ATTR_OPERATION_NORM_BWD_XDESC,
    .alike = {CUDNN_ATTR_OPERATION_NORM_BWD_DXDESC, CUDNN_ATTR_OPERATION_NORM_BWD_DYDESC},
    .statistics = {CUDNN_ATTR_OPERATION_NORM_BWD_MEAN_DESC,
                   CUDNN_ATTR_OPERATION_NORM_BWD_INV_VARIANCE_DESC},
    .factors = {CUDNN_ATTR_OPERATION_NORM_BWD_SCALE_DESC, CUDNN_ATTR_OPERATION_NORM_BWD_DSCALE_DESC,
                CUDNN_ATTR_OPERATION_NORM_BWD_DBIAS_DESC},
    .numbers = {CUDNN_ATTR_OPERATION_NORM_BWD_EPSILON_DESC},
    .mode = CUDNN_ATTR_OPERATION_NORM_BWD_MODE,
    .peers = CUDNN_ATTR_OPERATION_NORM_BWD_PEER_STAT_DESCS,
};

/* No attribute has the number 0 among those of operations. */
static const struct graph_tensor *operand(const struct graph_content *operation, int name)
{
    return name ? graph_tensor_at(operation, name) : NULL;
}

static bool fits_shapes(const struct graph_content *operation, const struct roles *roles)
{
    const struct graph_tensor *x = graph_tensor_at(operation, roles->x), *first = NULL;
    bool fits = true;

    for (int i = 0; i < 2; i++)
        fits = fits && graph_same_shape(x, operand(operation, roles->alike[i]));
    for (int i = 0; i < 6; i++) {
        const struct graph_tensor *statistic = operand(operation, roles->statistics[i]);

        fits = fits && graph_broadcasts(statistic, x) && graph_same_shape(first, statistic) &&
               (!statistic || statistic->view.rank == x->view.rank);
        first = first ? first : statistic;
    }
    for (int i = 0; i < 4; i++) {
        const struct graph_tensor *factor = operand(operation, roles->factors[i]);

        fits =
            fits && graph_broadcasts(factor, x) && (!factor || factor->view.rank == x->view.rank);
    }
    for (int i = 0; i < 2; i++)
        fits = fits && graph_is_number(operand(operation, roles->numbers[i]));
    return fits;
}

/* True if the tensor has one element for each channel, or is not there. */
static bool is_by_channel(const struct graph_tensor *tensor, int64_t channels)
{
    if (!tensor)
        return true;
    for (int i = 0; i < tensor->view.rank; i++)
        if (tensor->view.dims[i] != (i == (tensor->view.rank > 1) ? channels : 1))
            return false;
    return tensor->storage == GRAPH_PLAIN;
}

/* Buffers of several devices, each with four words for each channel and device. */
static cudnnStatus_t check_peers(const struct graph_content *operation, const struct roles *roles)
{
    const struct graph_tensor *x = graph_tensor_at(operation, roles->x);
    int64_t devices = graph_count(operation, roles->peers);
    bool trains =
        roles == &backward || graph_integer(operation, CUDNN_ATTR_OPERATION_NORM_FWD_PHASE, 0, 0) ==
                                  CUDNN_NORM_FWD_TRAINING;

    if (graph_integer(operation, roles->mode, 0, 0) != CUDNN_BATCH_NORM || !trains)
        return dnn_error(CUDNN_STATUS_NOT_SUPPORTED,
                         "several devices take part only in the training of a batch normalisation");
    if (x->view.rank < 2 || x->view.vector > 1 || !x->view.dims[1])
        return graph_misfit(operation, "x has no channels");
    if (roles == &backward &&
        (!operand(operation, roles->statistics[0]) || !operand(operation, roles->statistics[1])))
        return graph_misfit(operation, "the mean or the inverse of the variance is not set");
    for (int i = 0; i < 6; i++)
        if (!is_by_channel(operand(operation, roles->statistics[i]), x->view.dims[1]))
            return graph_misfit(operation, "statistics have not one element for each channel");
    for (int i = 0; i < 4; i++)
        if (!is_by_channel(operand(operation, roles->factors[i]), x->view.dims[1]))
            return graph_misfit(operation, "scale or bias has not one element for each channel");
    for (int64_t i = 0; i < devices; i++) {
        const struct graph_tensor *buffer =
            graph_tensor_of(graph_child(operation, roles->peers, i));
        int64_t words = buffer ? dnn_count(&buffer->view) : 0;

        if (!words || buffer->view.type != CUDNN_DATA_FLOAT || buffer->is_virtual ||
            buffer->by_value || buffer->storage != GRAPH_PLAIN ||
            words < devices * 4 * x->view.dims[1] || devices > 2 * x->view.dims[1] ||
            dnn_span_bytes(&buffer->view) < (size_t)words * sizeof(float))
            return graph_misfit(operation, "a buffer of the devices is no dense FLOAT of four "
                                           "numbers for each channel and device");
    }
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t graph_check_norm(const struct graph_content *operation)
{
    const struct roles *roles =
        operation->kind->type == CUDNN_BACKEND_OPERATION_NORM_BACKWARD_DESCRIPTOR ? &backward
                                                                                  : &forward;

    if (graph_integer(operation, roles->mode, 0, 0) == CUDNN_GROUP_NORM)
        return dnn_error(CUDNN_STATUS_NOT_SUPPORTED, "group normalisation is not supported");
    if (!fits_shapes(operation, roles))
        return graph_misfit(operation, "a tensor has other dimensions than x or the statistics");
    return graph_peers_attribute(operation) ? check_peers(operation, roles) : CUDNN_STATUS_SUCCESS;
}

/* All tensors but x, dy and three numbers have one element for each channel. */
cudnnStatus_t graph_check_statistics(const struct graph_content *operation)
{
    bool sums = operation->kind->type == CUDNN_BACKEND_OPERATION_GEN_STATS_DESCRIPTOR;
    bool gradient = operation->kind->type == CUDNN_BACKEND_OPERATION_BN_BWD_WEIGHTS_DESCRIPTOR;
    const struct graph_tensor *x = sums       ? TENSOR(GENSTATS_XDESC)
                                   : gradient ? TENSOR(BN_BWD_WEIGHTS_X_DESC)
                                              : TENSOR(BN_FINALIZE_SCALE_DESC);
    int64_t channels = x->view.dims[x->view.rank > 1];

    if (!graph_same_shape(x, gradient ? TENSOR(BN_BWD_WEIGHTS_DY_DESC) : NULL))
        return graph_misfit(operation, "the gradient has other dimensions than x");
    for (size_t i = 0; i < operation->kind->attribute_count; i++) {
        const struct graph_attribute *attribute = &operation->kind->attributes[i];
        const struct graph_tensor *tensor =
            graph_names_tensors(attribute) ? graph_tensor_at(operation, attribute->name) : NULL;

        switch (attribute->name) {
        case CUDNN_ATTR_OPERATION_GENSTATS_XDESC:
        case CUDNN_ATTR_OPERATION_BN_BWD_WEIGHTS_X_DESC:
        case CUDNN_ATTR_OPERATION_BN_BWD_WEIGHTS_DY_DESC:
            break;
        case CUDNN_ATTR_OPERATION_BN_FINALIZE_ACCUM_COUNT_DESC:
        case CUDNN_ATTR_OPERATION_BN_FINALIZE_EPSILON_DESC:
        case CUDNN_ATTR_OPERATION_BN_FINALIZE_EXP_AVERATE_FACTOR_DESC:
            if (!graph_is_number(tensor))
                return graph_misfit(operation, "a number has no element");
            break;
        default:
            if (!is_by_channel(tensor, channels))
                return graph_misfit(operation, "a tensor has not one element for each channel");
        }
    }
    return CUDNN_STATUS_SUCCESS;
}

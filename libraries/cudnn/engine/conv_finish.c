/* SPDX-License-Identifier: MIT */
/* Bias, addition and activation behind a convolution, as pointwise operations. */
#include "conv.h"

#include "activation.h"
#include "array.h"

CUresult dnn_conv_finish(const struct dnn_conv *op, void *sums, bool wide)
{
    struct dnn_tensor array =
        dnn_packed(sums, wide ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT, op->y.rank, op->y.dims);
    double alpha = dnn_blend_of(op->blend).alpha;
    struct dnn_pointwise add = {.mode = CUDNN_POINTWISE_ADD,
                                .x = array,
                                .b = op->z,
                                .y = array,
                                .has_alphas = true,
                                .alpha1 = alpha,
                                .alpha2 = op->z_scale};
    struct dnn_activation activation = {.mode = op->activate ? op->activation
                                                             : CUDNN_ACTIVATION_IDENTITY,
                                        .limit = op->activation_limit,
                                        .x = array,
                                        .y = op->y};
    CUresult result;

    if (!op->z.address)
        add.mode = CUDNN_POINTWISE_IDENTITY;
    result = dnn_pointwise_run(&add);
    if (result == CUDA_SUCCESS && op->bias.address) {
        add = (struct dnn_pointwise){
            .mode = CUDNN_POINTWISE_ADD, .x = array, .b = op->bias, .y = array};
        result = dnn_pointwise_run(&add);
    }
    return result == CUDA_SUCCESS ? dnn_activation_run(&activation) : result;
}

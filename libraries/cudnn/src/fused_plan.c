/* SPDX-License-Identifier: MIT */
/* Plans of fused operations: a plan keeps a copy of the pack that it was made from, and work is
 * described when it is executed. A card has no plans for the operations from
 * CUDNN_FUSED_CONV_SCALE_BIAS_ADD_ACTIVATION on, and neither is one made here. */
#include "conv.h"
#include "fused.h"
#include "fused_conv.h"

#include <string.h>

const struct lib_object_type dnn_fused_plan_type = {.bytes =
                                                        sizeof(struct cudnnFusedOpsPlanStruct)};

cudnnStatus_t cudnnCreateFusedOpsPlan(cudnnFusedOpsPlan_t *plan, cudnnFusedOps_t ops)
{
    if (!plan || (unsigned)ops >= FUSED_OPERATIONS)
        return DNN_BAD_PARAM();
    *plan = lib_object_create(&dnn_fused_plan_type);
    if (!*plan)
        return CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED;
    (*plan)->operation = ops;
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnDestroyFusedOpsPlan(cudnnFusedOpsPlan_t plan)
{
    return !plan || lib_object_destroy(plan, &dnn_fused_plan_type) ? CUDNN_STATUS_SUCCESS
                                                                   : DNN_BAD_PARAM();
}

/* The tensor of a label at a pointer of the variant pack. Absent if the pack's holder says that
 * there is no pointer; `missing` is set if there ought to be one. */
static struct dnn_tensor operand(const struct cudnnFusedOpsConstParamStruct *pack,
                                 const struct cudnnFusedOpsVariantParamStruct *variant,
                                 cudnnFusedOpsConstParamLabel_t label,
                                 cudnnFusedOpsConstParamLabel_t holder,
                                 cudnnFusedOpsVariantParamLabel_t pointer, bool *missing)
{
    bool is_filter = label == CUDNN_PARAM_WDESC || label == CUDNN_PARAM_DWDESC;
    struct dnn_tensor tensor = {0};

    if (!pack->has[label] || pack->holders[holder] == CUDNN_PTR_NULL)
        return tensor;
    tensor = is_filter ? pack->filter.shape : pack->tensors[label].shape;
    tensor.address = variant ? variant->pointers[pointer] : NULL;
    *missing |= variant && !tensor.address;
    return tensor;
}

#define OPERAND(name, label, holder)                                                               \
    operand(pack, variant, CUDNN_PARAM_##label, CUDNN_PARAM_##holder##_PLACEHOLDER,                \
            CUDNN_PTR_##name, missing)

/* Without a variant pack, shapes alone. */
static cudnnStatus_t describe_conv(const struct cudnnFusedOpsConstParamStruct *pack,
                                   const struct cudnnFusedOpsVariantParamStruct *variant,
                                   struct dnn_fused_conv *op, bool *missing)
{
    bool forward = pack->operation == CUDNN_FUSED_SCALE_BIAS_ACTIVATION_CONV_BNSTATS;
    struct dnn_tensor x = OPERAND(XDATA, XDESC, XDATA);
    struct dnn_tensor w = forward ? OPERAND(WDATA, WDESC, WDATA) : OPERAND(DWDATA, DWDESC, DWDATA);
    struct dnn_tensor y = forward ? OPERAND(YDATA, YDESC, YDATA) : OPERAND(DYDATA, DYDESC, DYDATA);
    struct cudnnConvolutionStruct conv = pack->convolution;
    cudnnStatus_t status;

    memset(op, 0, sizeof(*op));
    if (!x.rank || !w.rank || !y.rank || !pack->has[CUDNN_PARAM_CONV_DESC])
        return CUDNN_STATUS_BAD_PARAM;
    status = dnn_conv_describe(&op->conv, forward ? DNN_CONV_FORWARD : DNN_CONV_FILTER, &conv, &x,
                               &w, &y);
    if (status != CUDNN_STATUS_SUCCESS)
        return status;
    op->scale = OPERAND(BN_EQSCALE, BN_EQSCALEBIAS_DESC, BN_EQSCALE);
    op->bias = OPERAND(BN_EQBIAS, BN_EQSCALEBIAS_DESC, BN_EQBIAS);
    if (forward) {
        op->sum = OPERAND(YSUM, YSTATS_DESC, YSUM);
        op->sqsum = OPERAND(YSQSUM, YSTATS_DESC, YSQSUM);
    }
    if (pack->has[CUDNN_PARAM_ACTIVATION_DESC]) {
        op->relu = pack->activation.mode == CUDNN_ACTIVATION_RELU;
        if (!op->relu && pack->activation.mode != CUDNN_ACTIVATION_IDENTITY)
            return CUDNN_STATUS_NOT_SUPPORTED;
    }
    return CUDNN_STATUS_SUCCESS;
}

/* One element for each of so many channels, or absent. */
static bool is_channels(const struct dnn_tensor *tensor, int64_t channels)
{
    return !tensor->rank ||
           (tensor->rank > 1 && tensor->dims[1] == channels && dnn_count(tensor) == channels);
}

static cudnnStatus_t describe_finalize(const struct cudnnFusedOpsConstParamStruct *pack,
                                       const struct cudnnFusedOpsVariantParamStruct *variant,
                                       struct dnn_bn_finalize *op, bool *missing)
{
    const struct dnn_tensor *all[] = {&op->sum,          &op->sqsum,         &op->bias,
                                      &op->running_mean, &op->saved_inverse, &op->eq_scale,
                                      &op->eq_bias};

    memset(op, 0, sizeof(*op));
    op->inference = pack->operation == CUDNN_FUSED_BN_FINALIZE_STATISTICS_INFERENCE;
    op->scale = OPERAND(BN_SCALE, BN_SCALEBIAS_MEANVAR_DESC, BN_SCALE);
    op->bias = OPERAND(BN_BIAS, BN_SCALEBIAS_MEANVAR_DESC, BN_BIAS);
    op->running_mean = OPERAND(BN_RUNNING_MEAN, BN_SCALEBIAS_MEANVAR_DESC, BN_RUNNING_MEAN);
    op->running_variance = OPERAND(BN_RUNNING_VAR, BN_SCALEBIAS_MEANVAR_DESC, BN_RUNNING_VAR);
    op->eq_scale = OPERAND(BN_EQSCALE, BN_EQSCALEBIAS_DESC, BN_EQSCALE);
    op->eq_bias = OPERAND(BN_EQBIAS, BN_EQSCALEBIAS_DESC, BN_EQBIAS);
    if (!op->inference) {
        op->sum = OPERAND(YSUM, YSTATS_DESC, YSUM);
        op->sqsum = OPERAND(YSQSUM, YSTATS_DESC, YSQSUM);
        op->saved_mean = OPERAND(BN_SAVED_MEAN, BN_SCALEBIAS_MEANVAR_DESC, BN_SAVED_MEAN);
        op->saved_inverse = OPERAND(BN_SAVED_INVSTD, BN_SCALEBIAS_MEANVAR_DESC, BN_SAVED_INVSTD);
        op->next_running_mean = op->running_mean;
        op->next_running_variance = op->running_variance;
    }
    if (!op->scale.rank || !op->bias.rank || (op->inference && !op->running_mean.rank) ||
        (!op->inference && (!op->sum.rank || !op->sqsum.rank)))
        return CUDNN_STATUS_BAD_PARAM;
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
        if (!is_channels(all[i], op->scale.dims[1]))
            return CUDNN_STATUS_BAD_PARAM;
    if (variant) {
        op->count = (double)variant->count;
        op->epsilon = variant->epsilon;
        op->factor = variant->factor;
    }
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnMakeFusedOpsPlan(cudnnHandle_t handle, cudnnFusedOpsPlan_t plan,
                                    const cudnnFusedOpsConstParamPack_t constPack,
                                    size_t *workspaceSizeInBytes)
{
    union {
        struct dnn_fused_conv conv;
        struct dnn_bn_finalize finalize;
    } op;
    cudnnStatus_t status;
    bool missing = false;

    if (!dnn_is_handle(handle) || !lib_object_is(plan, &dnn_fused_plan_type) ||
        !lib_object_is(constPack, &dnn_fused_const_type) ||
        plan->operation != constPack->operation || !workspaceSizeInBytes)
        return DNN_BAD_PARAM();
    if (plan->operation <= CUDNN_FUSED_SCALE_BIAS_ACTIVATION_WGRAD)
        status = describe_conv(constPack, NULL, &op.conv, &missing);
    else if (plan->operation <= CUDNN_FUSED_BN_FINALIZE_STATISTICS_INFERENCE)
        status = describe_finalize(constPack, NULL, &op.finalize, &missing);
    else
        status =
            constPack->has[CUDNN_PARAM_XDESC] ? CUDNN_STATUS_NOT_SUPPORTED : CUDNN_STATUS_BAD_PARAM;
    if (status != CUDNN_STATUS_SUCCESS)
        return dnn_error(status, "%s: no plan of operation %d", __func__, (int)plan->operation);
    plan->pack = *constPack;
    plan->is_made = true;
    *workspaceSizeInBytes = 0;
    return CUDNN_STATUS_SUCCESS;
}

static CUresult run_conv(void *arguments)
{
    return dnn_fused_conv_run(arguments);
}

static CUresult run_finalize(void *arguments)
{
    return dnn_bn_finalize_run(arguments);
}

static cudnnStatus_t execute_conv(cudnnHandle_t handle, const char *name,
                                  const struct dnn_fused_conv *op)
{
    const struct dnn_blend none = {.alpha = 1};
    bool forward = op->conv.direction == DNN_CONV_FORWARD;
    struct dnn_operands operands = {.count = 0};

    dnn_reads(&operands, &op->conv.x);
    dnn_reads(&operands, &op->scale);
    dnn_reads(&operands, &op->bias);
    dnn_reads(&operands, forward ? &op->conv.w : &op->conv.y);
    dnn_writes(&operands, forward ? &op->conv.y : &op->conv.w, none);
    dnn_writes(&operands, &op->sum, none);
    dnn_writes(&operands, &op->sqsum, none);
    return dnn_submit(handle, name, dnn_conv_estimate_ns(&op->conv), operands.list, operands.count,
                      run_conv, op, sizeof(*op));
}

static cudnnStatus_t execute_finalize(cudnnHandle_t handle, const char *name,
                                      const struct dnn_bn_finalize *op)
{
    const struct dnn_tensor *reads[] = {&op->sum,  &op->sqsum,        &op->scale,
                                        &op->bias, &op->running_mean, &op->running_variance};
    const struct dnn_tensor *writes[] = {&op->next_running_mean, &op->next_running_variance,
                                         &op->saved_mean,        &op->saved_inverse,
                                         &op->eq_scale,          &op->eq_bias};
    struct dnn_operands operands = {.count = 0};

    for (size_t i = 0; i < sizeof(reads) / sizeof(*reads); i++)
        dnn_reads(&operands, reads[i]);
    for (size_t i = 0; i < sizeof(writes) / sizeof(*writes); i++)
        dnn_writes(&operands, writes[i], (struct dnn_blend){.alpha = 1});
    return dnn_submit_operands(handle, name, &operands, run_finalize, op, sizeof(*op));
}

cudnnStatus_t cudnnFusedOpsExecute(cudnnHandle_t handle, const cudnnFusedOpsPlan_t plan,
                                   cudnnFusedOpsVariantParamPack_t varPack)
{
    struct dnn_fused_conv conv;
    struct dnn_bn_finalize finalize;
    cudnnStatus_t status;
    bool missing = false, convolves;

    if (!dnn_is_handle(handle) || !lib_object_is(plan, &dnn_fused_plan_type) ||
        !lib_object_is(varPack, &dnn_fused_variant_type))
        return DNN_BAD_PARAM();
    if (!plan->is_made)
        return dnn_error(CUDNN_STATUS_NOT_INITIALIZED, "%s: no plan is made", __func__);
    if (varPack->operation != plan->operation)
        return DNN_BAD_PARAM();
    convolves = plan->operation <= CUDNN_FUSED_SCALE_BIAS_ACTIVATION_WGRAD;
    status = convolves ? describe_conv(&plan->pack, varPack, &conv, &missing)
                       : describe_finalize(&plan->pack, varPack, &finalize, &missing);
    if (status == CUDNN_STATUS_SUCCESS && missing)
        status = CUDNN_STATUS_BAD_PARAM;
    if (status != CUDNN_STATUS_SUCCESS)
        return dnn_error(status, "%s: refused", __func__);
    return convolves ? execute_conv(handle, __func__, &conv)
                     : execute_finalize(handle, __func__, &finalize);
}

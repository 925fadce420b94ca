/* SPDX-License-Identifier: MIT */
/* Attributes of fused operations. Descriptors are set by themselves, everything else by a pointer
 * to the value; pointers to data are values of their own. */
#include "fused.h"

#include <stdlib.h>
#include <string.h>

const struct lib_object_type dnn_fused_const_type = {
    .bytes = sizeof(struct cudnnFusedOpsConstParamStruct)};
const struct lib_object_type dnn_fused_variant_type = {
    .bytes = sizeof(struct cudnnFusedOpsVariantParamStruct)};

enum kind { NONE, TENSOR, FILTER, ACTIVATION, CONVOLUTION, MODE, HOLDER };

#define OP(operation) (1u << (operation))
enum {
    CONV = OP(CUDNN_FUSED_SCALE_BIAS_ACTIVATION_CONV_BNSTATS),
    WGRAD = OP(CUDNN_FUSED_SCALE_BIAS_ACTIVATION_WGRAD),
    TRAINING = OP(CUDNN_FUSED_BN_FINALIZE_STATISTICS_TRAINING),
    INFERENCE = OP(CUDNN_FUSED_BN_FINALIZE_STATISTICS_INFERENCE),
    ADD = OP(CUDNN_FUSED_CONV_SCALE_BIAS_ADD_ACTIVATION),
    BITMASK = OP(CUDNN_FUSED_SCALE_BIAS_ADD_ACTIVATION_GEN_BITMASK),
    FORK = OP(CUDNN_FUSED_DACTIVATION_FORK_DBATCHNORM),
    FINALIZE = TRAINING | INFERENCE,
};

/* Which operations know a label, and what it is. */
static const struct {
    enum kind kind;
    unsigned operations;
} labels[FUSED_LABELS] = {
    [CUDNN_PARAM_XDESC] = {TENSOR, CONV | WGRAD | ADD | BITMASK | FORK},
    [CUDNN_PARAM_XDATA_PLACEHOLDER] = {HOLDER, CONV | WGRAD | ADD | BITMASK | FORK},
    [CUDNN_PARAM_BN_MODE] = {MODE, CONV | WGRAD | FINALIZE | BITMASK | FORK},
    [CUDNN_PARAM_BN_EQSCALEBIAS_DESC] = {TENSOR, CONV | WGRAD | FINALIZE | ADD | BITMASK},
    [CUDNN_PARAM_BN_EQSCALE_PLACEHOLDER] = {HOLDER, CONV | WGRAD | FINALIZE | ADD | BITMASK},
    [CUDNN_PARAM_BN_EQBIAS_PLACEHOLDER] = {HOLDER, CONV | WGRAD | FINALIZE | BITMASK},
    [CUDNN_PARAM_ACTIVATION_DESC] = {ACTIVATION, CONV | WGRAD | ADD | BITMASK | FORK},
    [CUDNN_PARAM_CONV_DESC] = {CONVOLUTION, CONV | WGRAD | ADD},
    [CUDNN_PARAM_WDESC] = {FILTER, CONV | ADD},
    [CUDNN_PARAM_WDATA_PLACEHOLDER] = {HOLDER, CONV | ADD},
    [CUDNN_PARAM_DWDESC] = {FILTER, WGRAD},
    [CUDNN_PARAM_DWDATA_PLACEHOLDER] = {HOLDER, WGRAD},
    [CUDNN_PARAM_YDESC] = {TENSOR, CONV | ADD | BITMASK},
    [CUDNN_PARAM_YDATA_PLACEHOLDER] = {HOLDER, CONV | ADD | BITMASK},
    [CUDNN_PARAM_DYDESC] = {TENSOR, WGRAD | FORK},
    [CUDNN_PARAM_DYDATA_PLACEHOLDER] = {HOLDER, WGRAD | FORK},
    [CUDNN_PARAM_YSTATS_DESC] = {TENSOR, CONV | TRAINING},
    [CUDNN_PARAM_YSUM_PLACEHOLDER] = {HOLDER, CONV | TRAINING},
    [CUDNN_PARAM_YSQSUM_PLACEHOLDER] = {HOLDER, CONV | TRAINING},
    [CUDNN_PARAM_BN_SCALEBIAS_MEANVAR_DESC] = {TENSOR, FINALIZE | FORK},
    [CUDNN_PARAM_BN_SCALE_PLACEHOLDER] = {HOLDER, FINALIZE | FORK},
    [CUDNN_PARAM_BN_BIAS_PLACEHOLDER] = {HOLDER, FINALIZE | FORK},
    [CUDNN_PARAM_BN_SAVED_MEAN_PLACEHOLDER] = {HOLDER, TRAINING | FORK},
    [CUDNN_PARAM_BN_SAVED_INVSTD_PLACEHOLDER] = {HOLDER, TRAINING | FORK},
    [CUDNN_PARAM_BN_RUNNING_MEAN_PLACEHOLDER] = {HOLDER, FINALIZE},
    [CUDNN_PARAM_BN_RUNNING_VAR_PLACEHOLDER] = {HOLDER, FINALIZE},
    [CUDNN_PARAM_ZDESC] = {TENSOR, ADD | BITMASK},
    [CUDNN_PARAM_ZDATA_PLACEHOLDER] = {HOLDER, ADD | BITMASK},
    [CUDNN_PARAM_BN_Z_EQSCALEBIAS_DESC] = {TENSOR, ADD | BITMASK},
    [CUDNN_PARAM_BN_Z_EQSCALE_PLACEHOLDER] = {HOLDER, ADD | BITMASK},
    [CUDNN_PARAM_BN_Z_EQBIAS_PLACEHOLDER] = {HOLDER, ADD | BITMASK},
    [CUDNN_PARAM_ACTIVATION_BITMASK_DESC] = {TENSOR, BITMASK | FORK},
    [CUDNN_PARAM_ACTIVATION_BITMASK_PLACEHOLDER] = {HOLDER, BITMASK | FORK},
    [CUDNN_PARAM_DXDESC] = {TENSOR, FORK},
    [CUDNN_PARAM_DXDATA_PLACEHOLDER] = {HOLDER, FORK},
    [CUDNN_PARAM_DZDESC] = {TENSOR, FORK},
    [CUDNN_PARAM_DZDATA_PLACEHOLDER] = {HOLDER, FORK},
    [CUDNN_PARAM_BN_DSCALE_PLACEHOLDER] = {HOLDER, FORK},
    [CUDNN_PARAM_BN_DBIAS_PLACEHOLDER] = {HOLDER, FORK},
};

static const unsigned pointers[FUSED_POINTERS] = {
    [CUDNN_PTR_XDATA] = CONV | WGRAD | ADD | BITMASK | FORK,
    [CUDNN_PTR_BN_EQSCALE] = CONV | WGRAD | FINALIZE | ADD | BITMASK,
    [CUDNN_PTR_BN_EQBIAS] = CONV | WGRAD | FINALIZE | BITMASK,
    [CUDNN_PTR_WDATA] = CONV | ADD,
    [CUDNN_PTR_DWDATA] = WGRAD,
    [CUDNN_PTR_YDATA] = CONV | ADD | BITMASK,
    [CUDNN_PTR_DYDATA] = WGRAD | FORK,
    [CUDNN_PTR_YSUM] = CONV | TRAINING,
    [CUDNN_PTR_YSQSUM] = CONV | TRAINING,
    [CUDNN_PTR_WORKSPACE] = CONV | WGRAD | FINALIZE | ADD | BITMASK | FORK,
    [CUDNN_PTR_BN_SCALE] = FINALIZE | FORK,
    [CUDNN_PTR_BN_BIAS] = FINALIZE | FORK,
    [CUDNN_PTR_BN_SAVED_MEAN] = TRAINING | FORK,
    [CUDNN_PTR_BN_SAVED_INVSTD] = TRAINING | FORK,
    [CUDNN_PTR_BN_RUNNING_MEAN] = FINALIZE,
    [CUDNN_PTR_BN_RUNNING_VAR] = FINALIZE,
    [CUDNN_PTR_ZDATA] = ADD | BITMASK,
    [CUDNN_PTR_BN_Z_EQSCALE] = ADD | BITMASK,
    [CUDNN_PTR_BN_Z_EQBIAS] = ADD | BITMASK,
    [CUDNN_PTR_ACTIVATION_BITMASK] = BITMASK | FORK,
    [CUDNN_PTR_DXDATA] = FORK,
    [CUDNN_PTR_DZDATA] = FORK,
    [CUDNN_PTR_BN_DSCALE] = FORK,
    [CUDNN_PTR_BN_DBIAS] = FORK,
};

cudnnStatus_t cudnnCreateFusedOpsConstParamPack(cudnnFusedOpsConstParamPack_t *constPack,
                                                cudnnFusedOps_t ops)
{
    if (!constPack || (unsigned)ops >= FUSED_OPERATIONS)
        return DNN_BAD_PARAM();
    *constPack = lib_object_create(&dnn_fused_const_type);
    if (!*constPack)
        return CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED;
    (*constPack)->operation = ops;
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnDestroyFusedOpsConstParamPack(cudnnFusedOpsConstParamPack_t constPack)
{
    return !constPack || lib_object_destroy(constPack, &dnn_fused_const_type) ? CUDNN_STATUS_SUCCESS
                                                                              : DNN_BAD_PARAM();
}

/* The slot of a label, its bytes, and the type of a descriptor (NULL: a plain value). */
static void *slot_of(cudnnFusedOpsConstParamPack_t pack, int label, size_t *bytes,
                     const struct lib_object_type **type)
{
    *type = NULL;
    *bytes = sizeof(int);
    switch (labels[label].kind) {
    case TENSOR:
        *type = &dnn_tensor_type;
        *bytes = sizeof(pack->tensors[label]);
        return &pack->tensors[label];
    case FILTER:
        *type = &dnn_filter_type;
        *bytes = sizeof(pack->filter);
        return &pack->filter;
    case ACTIVATION:
        *type = &dnn_activation_type;
        *bytes = sizeof(pack->activation);
        return &pack->activation;
    case CONVOLUTION:
        *type = &dnn_convolution_type;
        *bytes = sizeof(pack->convolution);
        return &pack->convolution;
    case MODE:
        return &pack->mode;
    default:
        return &pack->holders[label];
    }
}

static bool knows(cudnnFusedOpsConstParamPack_t pack, cudnnFusedOpsConstParamLabel_t label)
{
    return lib_object_is(pack, &dnn_fused_const_type) && (unsigned)label < FUSED_LABELS &&
           labels[label].operations & OP(pack->operation);
}

/* Everything of a descriptor but its head, which says whose it is. */
static void copy_content(void *to, const void *from, size_t bytes)
{
    const size_t head = sizeof(struct lib_object);

    memcpy((char *)to + head, (const char *)from + head, bytes - head);
}

cudnnStatus_t cudnnSetFusedOpsConstParamPackAttribute(cudnnFusedOpsConstParamPack_t constPack,
                                                      cudnnFusedOpsConstParamLabel_t paramLabel,
                                                      const void *param)
{
    const struct lib_object_type *type;
    size_t bytes;
    void *slot;

    if (!knows(constPack, paramLabel))
        return DNN_BAD_PARAM();
    slot = slot_of(constPack, (int)paramLabel, &bytes, &type);
    if (type) {
        if (param && !lib_object_is(param, type))
            return DNN_BAD_PARAM();
        constPack->has[paramLabel] = param != NULL;
        if (param)
            copy_content(slot, param, bytes);
        return CUDNN_STATUS_SUCCESS;
    }
    if (!param)
        return DNN_BAD_PARAM();
    memcpy(slot, param, bytes);
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetFusedOpsConstParamPackAttribute(const cudnnFusedOpsConstParamPack_t constPack,
                                                      cudnnFusedOpsConstParamLabel_t paramLabel,
                                                      void *param, int *isNULL)
{
    const struct lib_object_type *type;
    size_t bytes;
    void *slot;

    if (isNULL)
        *isNULL = 0;
    if (!knows(constPack, paramLabel) || !param || !isNULL)
        return DNN_BAD_PARAM();
    slot = slot_of(constPack, (int)paramLabel, &bytes, &type);
    if (!type) {
        memcpy(param, slot, bytes);
        return CUDNN_STATUS_SUCCESS;
    }
    *isNULL = !constPack->has[paramLabel];
    if (*isNULL)
        return CUDNN_STATUS_SUCCESS;
    if (!lib_object_is(param, type))
        return DNN_BAD_PARAM();
    copy_content(param, slot, bytes);
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnCreateFusedOpsVariantParamPack(cudnnFusedOpsVariantParamPack_t *varPack,
                                                  cudnnFusedOps_t ops)
{
    if (!varPack || (unsigned)ops >= FUSED_OPERATIONS)
        return DNN_BAD_PARAM();
    *varPack = lib_object_create(&dnn_fused_variant_type);
    if (!*varPack)
        return CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED;
    (*varPack)->operation = ops;
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnDestroyFusedOpsVariantParamPack(cudnnFusedOpsVariantParamPack_t varPack)
{
    return !varPack || lib_object_destroy(varPack, &dnn_fused_variant_type) ? CUDNN_STATUS_SUCCESS
                                                                            : DNN_BAD_PARAM();
}

/* Where a value of the pack lies, and its bytes; NULL: a pointer, or nothing that it knows. */
static void *value_of(cudnnFusedOpsVariantParamPack_t pack, cudnnFusedOpsVariantParamLabel_t label,
                      size_t *bytes)
{
    unsigned operation = OP(pack->operation);

    *bytes = 8;
    switch ((int)label) {
    case CUDNN_SCALAR_SIZE_T_WORKSPACE_SIZE_IN_BYTES:
        return &pack->workspace_bytes;
    case CUDNN_SCALAR_INT64_T_BN_ACCUMULATION_COUNT:
        return operation & TRAINING ? &pack->count : NULL;
    case CUDNN_SCALAR_DOUBLE_BN_EXP_AVG_FACTOR:
        return operation & TRAINING ? &pack->factor : NULL;
    case CUDNN_SCALAR_DOUBLE_BN_EPSILON:
        return operation & (FINALIZE | FORK) ? &pack->epsilon : NULL;
    default:
        return NULL;
    }
}

static bool is_pointer(cudnnFusedOpsVariantParamPack_t pack, cudnnFusedOpsVariantParamLabel_t label)
{
    return (unsigned)label < FUSED_POINTERS && pointers[label] & OP(pack->operation);
}

cudnnStatus_t cudnnSetFusedOpsVariantParamPackAttribute(cudnnFusedOpsVariantParamPack_t varPack,
                                                        cudnnFusedOpsVariantParamLabel_t paramLabel,
                                                        void *ptr)
{
    size_t bytes;
    void *value;

    if (!lib_object_is(varPack, &dnn_fused_variant_type))
        return DNN_BAD_PARAM();
    if (is_pointer(varPack, paramLabel)) {
        varPack->pointers[paramLabel] = ptr;
        return CUDNN_STATUS_SUCCESS;
    }
    value = value_of(varPack, paramLabel, &bytes);
    if (!value || !ptr)
        return DNN_BAD_PARAM();
    memcpy(value, ptr, bytes);
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t
cudnnGetFusedOpsVariantParamPackAttribute(const cudnnFusedOpsVariantParamPack_t varPack,
                                          cudnnFusedOpsVariantParamLabel_t paramLabel, void *ptr)
{
    size_t bytes;
    void *value;

    if (!lib_object_is(varPack, &dnn_fused_variant_type) || !ptr)
        return DNN_BAD_PARAM();
    if (is_pointer(varPack, paramLabel)) {
        memcpy(ptr, &varPack->pointers[paramLabel], sizeof(void *));
        return CUDNN_STATUS_SUCCESS;
    }
    value = value_of(varPack, paramLabel, &bytes);
    if (!value)
        return DNN_BAD_PARAM();
    memcpy(ptr, value, bytes);
    return CUDNN_STATUS_SUCCESS;
}

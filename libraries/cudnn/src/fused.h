/* SPDX-License-Identifier: MIT */
/* Packs and plans of fused operations. A pack has a slot for each label of the public enumerations;
 * fused_pack.c has a row for each, with the operations that know it. */
#ifndef DNN_FUSED_H
#define DNN_FUSED_H

#include "descriptor.h"

#include <cudnn_cnn.h>

enum {
    FUSED_OPERATIONS = CUDNN_FUSED_DACTIVATION_FORK_DBATCHNORM + 1,
    FUSED_LABELS = CUDNN_PARAM_BN_DBIAS_PLACEHOLDER + 1,
    FUSED_POINTERS = CUDNN_PTR_BN_DBIAS + 1,
};

/* What is fixed when a plan is made. Descriptors are copied. */
struct cudnnFusedOpsConstParamStruct {
    struct lib_object base;
    cudnnFusedOps_t operation;
    bool has[FUSED_LABELS]; /* of descriptors */
    struct cudnnTensorStruct tensors[FUSED_LABELS];
    struct cudnnFilterStruct filter; /* of w, or dw */
    struct cudnnActivationStruct activation;
    struct cudnnConvolutionStruct convolution;
    cudnnBatchNormMode_t mode;
    cudnnFusedOpsPointerPlaceHolder_t holders[FUSED_LABELS];
};

struct cudnnFusedOpsVariantParamStruct {
    struct lib_object base;
    cudnnFusedOps_t operation;
    void *pointers[FUSED_POINTERS];
    size_t workspace_bytes;
    int64_t count;
    double factor, epsilon;
};

struct cudnnFusedOpsPlanStruct {
    struct lib_object base;
    cudnnFusedOps_t operation;
    bool is_made;
    struct cudnnFusedOpsConstParamStruct pack; /* a copy */
};

extern const struct lib_object_type dnn_fused_const_type, dnn_fused_variant_type,
    dnn_fused_plan_type;

#endif

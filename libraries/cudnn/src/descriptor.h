/* SPDX-License-Identifier: MIT */
/* The descriptors of the older interface. */
#ifndef DNN_DESCRIPTOR_H
#define DNN_DESCRIPTOR_H

#include "dnn.h"

enum { SPATIAL_MOST = CUDNN_DIM_MAX - 2 };

/* `type` is the type as it was given, which may be one of vectors; `shape` has single elements. */
struct cudnnTensorStruct {
    struct lib_object base;
    cudnnDataType_t type;
    struct dnn_tensor shape; /* rank 0: not set */
};

struct cudnnFilterStruct {
    struct lib_object base;
    cudnnDataType_t type;
    cudnnTensorFormat_t format;
    struct dnn_tensor shape;
};

struct cudnnConvolutionStruct {
    struct lib_object base;
    int spatial;
    int pad[SPATIAL_MOST], stride[SPATIAL_MOST], dilation[SPATIAL_MOST];
    cudnnConvolutionMode_t mode;
    cudnnDataType_t compute;
    cudnnMathType_t math;
    cudnnReorderType_t reorder;
    int groups;
};

struct cudnnPoolingStruct {
    struct lib_object base;
    cudnnPoolingMode_t mode;
    cudnnNanPropagation_t nan;
    int spatial;
    int window[SPATIAL_MOST], pad[SPATIAL_MOST], stride[SPATIAL_MOST];
};

struct cudnnActivationStruct {
    struct lib_object base;
    cudnnActivationMode_t mode;
    cudnnNanPropagation_t nan;
    double coef, swish_beta;
};

struct cudnnLRNStruct {
    struct lib_object base;
    unsigned n;
    double alpha, beta, k;
};

struct cudnnOpTensorStruct {
    struct lib_object base;
    cudnnOpTensorOp_t op;
    cudnnDataType_t compute;
    cudnnNanPropagation_t nan;
};

struct cudnnReduceTensorStruct {
    struct lib_object base;
    cudnnReduceTensorOp_t op;
    cudnnDataType_t compute;
    cudnnNanPropagation_t nan;
    cudnnReduceTensorIndices_t indices;
    cudnnIndicesType_t indices_type;
};

struct cudnnTensorTransformStruct {
    struct lib_object base;
    uint32_t rank;
    cudnnTensorFormat_t format;
    int32_t before[CUDNN_DIM_MAX], after[CUDNN_DIM_MAX];
    uint32_t fold[CUDNN_DIM_MAX];
    cudnnFoldingDirection_t direction;
};

struct cudnnDropoutStruct {
    struct lib_object base;
    float dropout;
    void *states;
    size_t states_bytes;
    int64_t threads; /* generators in states */
    unsigned long long seed;
};

struct dnn_generators dnn_dropout_generators(cudnnDropoutDescriptor_t dropout);

struct cudnnSpatialTransformerStruct {
    struct lib_object base;
    cudnnSamplerType_t sampler;
    cudnnDataType_t type;
    int rank;
    int dims[CUDNN_DIM_MAX];
};

extern const struct lib_object_type dnn_tensor_type, dnn_filter_type, dnn_convolution_type,
    dnn_pooling_type, dnn_activation_type, dnn_lrn_type, dnn_op_tensor_type, dnn_reduce_type,
    dnn_transform_type, dnn_dropout_type, dnn_spatial_type;

/* True if it is a tensor descriptor that has been set. */
bool dnn_is_tensor(const void *descriptor);
bool dnn_is_filter(const void *descriptor);

/* The tensor at an address. */
struct dnn_tensor dnn_tensor_of(cudnnTensorDescriptor_t descriptor, const void *address);
struct dnn_tensor dnn_filter_of(cudnnFilterDescriptor_t descriptor, const void *address);

/* A type of single elements, and how many of them an element of a vector type has; false: no such
 * type. */
bool dnn_split_type(cudnnDataType_t type, cudnnDataType_t *element, int *vector);

/* Scaling factors are double for tensors of f64, and float for all others. */
double dnn_scalar(cudnnDataType_t type, const void *pointer);
struct dnn_blend dnn_blend(cudnnDataType_t type, const void *alpha, const void *beta);

bool dnn_same_dims(const struct dnn_tensor *a, const struct dnn_tensor *b);

/* y = work of an operation with up to 16 operands. Outputs that are blended are read as well. */
struct dnn_operands {
    struct cupipe_range list[16];
    size_t count;
    uint64_t elements;
};
void dnn_reads(struct dnn_operands *operands, const struct dnn_tensor *tensor);
void dnn_writes(struct dnn_operands *operands, const struct dnn_tensor *tensor,
                struct dnn_blend blend);
cudnnStatus_t dnn_submit_operands(cudnnHandle_t handle, const char *name,
                                  const struct dnn_operands *operands, lib_work *run,
                                  const void *arguments, size_t bytes);

#define DNN_BAD_PARAM() dnn_error(CUDNN_STATUS_BAD_PARAM, "%s: bad parameter", __func__)
#define DNN_UNSUPPORTED() dnn_error(CUDNN_STATUS_NOT_SUPPORTED, "%s: not supported", __func__)

#endif

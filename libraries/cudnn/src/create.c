/* SPDX-License-Identifier: MIT */
/* Creation and destruction of the descriptors, all alike. */
#include "descriptor.h"

static cudnnStatus_t create(void *pointer, const struct lib_object_type *type)
{
    void *object;

    if (!pointer)
        return dnn_error(CUDNN_STATUS_BAD_PARAM, "a descriptor is created at NULL");
    object = lib_object_create(type);
    if (!object)
        return CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED;
    *(void **)pointer = object;
    return CUDNN_STATUS_SUCCESS;
}

static cudnnStatus_t destroy(void *object, const struct lib_object_type *type)
{
    if (!object || lib_object_destroy(object, type))
        return CUDNN_STATUS_SUCCESS;
    return dnn_error(CUDNN_STATUS_BAD_PARAM, "not a descriptor");
}

/* The type of a descriptor, and the two functions. */
#define DESCRIPTOR(name, object_type, structure)                                                   \
    const struct lib_object_type object_type = {.bytes = sizeof(struct structure)};                \
    cudnnStatus_t cudnnCreate##name##Descriptor(cudnn##name##Descriptor_t *descriptor)             \
    {                                                                                              \
        return create(descriptor, &object_type);                                                   \
    }                                                                                              \
    cudnnStatus_t cudnnDestroy##name##Descriptor(cudnn##name##Descriptor_t descriptor)             \
    {                                                                                              \
        return destroy(descriptor, &object_type);                                                  \
    }

DESCRIPTOR(Tensor, dnn_tensor_type, cudnnTensorStruct)
DESCRIPTOR(Filter, dnn_filter_type, cudnnFilterStruct)
DESCRIPTOR(Pooling, dnn_pooling_type, cudnnPoolingStruct)
DESCRIPTOR(Activation, dnn_activation_type, cudnnActivationStruct)
DESCRIPTOR(OpTensor, dnn_op_tensor_type, cudnnOpTensorStruct)
DESCRIPTOR(ReduceTensor, dnn_reduce_type, cudnnReduceTensorStruct)
DESCRIPTOR(TensorTransform, dnn_transform_type, cudnnTensorTransformStruct)
DESCRIPTOR(Dropout, dnn_dropout_type, cudnnDropoutStruct)
DESCRIPTOR(SpatialTransformer, dnn_spatial_type, cudnnSpatialTransformerStruct)

const struct lib_object_type dnn_convolution_type = {.bytes =
                                                         sizeof(struct cudnnConvolutionStruct)};
const struct lib_object_type dnn_lrn_type = {.bytes = sizeof(struct cudnnLRNStruct)};

/* A new convolution has one group; a new LRN the constants of the paper that it comes from. */
cudnnStatus_t cudnnCreateConvolutionDescriptor(cudnnConvolutionDescriptor_t *convDesc)
{
    cudnnStatus_t status = create(convDesc, &dnn_convolution_type);

    if (status == CUDNN_STATUS_SUCCESS)
        (*convDesc)->groups = 1;
    return status;
}

cudnnStatus_t cudnnDestroyConvolutionDescriptor(cudnnConvolutionDescriptor_t convDesc)
{
    return destroy(convDesc, &dnn_convolution_type);
}

cudnnStatus_t cudnnCreateLRNDescriptor(cudnnLRNDescriptor_t *normDesc)
{
    cudnnStatus_t status = create(normDesc, &dnn_lrn_type);

    if (status == CUDNN_STATUS_SUCCESS) {
        (*normDesc)->n = 5;
        (*normDesc)->alpha = 1e-4;
        (*normDesc)->beta = 0.75;
        (*normDesc)->k = 2;
    }
    return status;
}

cudnnStatus_t cudnnDestroyLRNDescriptor(cudnnLRNDescriptor_t lrnDesc)
{
    return destroy(lrnDesc, &dnn_lrn_type);
}

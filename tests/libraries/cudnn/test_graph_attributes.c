/* SPDX-License-Identifier: MIT */
/* Attributes of descriptors: their types, their numbers of elements, and when they may be set. */
#include "graph_test.h"

static const int64_t four[4] = {2, 3, 4, 5}, strides[4] = {60, 20, 5, 1}, one = 1;

static descriptor unfinished(void)
{
    descriptor made = create(CUDNN_BACKEND_TENSOR_DESCRIPTOR);

    set(made, CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, 4, four);
    set(made, CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, 4, strides);
    set(made, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64, 1, &(int64_t){16});
    return made;
}

TEST(types_and_counts_are_checked)
{
    descriptor made = create(CUDNN_BACKEND_TENSOR_DESCRIPTOR);

    check_status(
        cudnnBackendSetAttribute(made, CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_FLOAT, 4, four),
        CUDNN_STATUS_BAD_PARAM_ATTRIBUTE_TYPE);
    check_status(
        cudnnBackendSetAttribute(made, CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, 0, four),
        CUDNN_STATUS_BAD_PARAM);
    check_status(
        cudnnBackendSetAttribute(made, CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, -1, four),
        CUDNN_STATUS_BAD_PARAM);
    check_status(
        cudnnBackendSetAttribute(made, CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, 2, four),
        CUDNN_STATUS_BAD_PARAM);
    check_status(
        cudnnBackendSetAttribute(made, CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, 4, NULL),
        CUDNN_STATUS_BAD_PARAM);
    check_status(cudnnBackendSetAttribute(made, CUDNN_ATTR_CONVOLUTION_COMP_TYPE,
                                          CUDNN_TYPE_DATA_TYPE, 1, four),
                 CUDNN_STATUS_BAD_PARAM);
    check_status(
        cudnnBackendSetAttribute(NULL, CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, 1, &one),
        CUDNN_STATUS_BAD_PARAM_NULL_POINTER);
    check_done(cudnnBackendDestroyDescriptor(made));
}

TEST(wrong_type_of_a_pointwise_mode_is_a_bad_parameter)
{
    descriptor made = create(CUDNN_BACKEND_POINTWISE_DESCRIPTOR);

    check_status(
        cudnnBackendSetAttribute(made, CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_INT64, 1, &one),
        CUDNN_STATUS_BAD_PARAM);
    check_done(cudnnBackendFinalize(made));
}

TEST(a_finalised_descriptor_does_not_change)
{
    descriptor made = unfinished();

    check_done(cudnnBackendFinalize(made));
    check_status(
        cudnnBackendSetAttribute(made, CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, 1, &one),
        CUDNN_STATUS_BAD_PARAM);
    check_status(cudnnBackendFinalize(made), CUDNN_STATUS_BAD_PARAM);
}

TEST(a_tensor_needs_dimensions_strides_and_alignment)
{
    descriptor made = create(CUDNN_BACKEND_TENSOR_DESCRIPTOR);

    set(made, CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, 4, four);
    check_status(cudnnBackendFinalize(made), CUDNN_STATUS_BAD_PARAM);
    set(made, CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, 3, strides);
    check_status(cudnnBackendFinalize(made), CUDNN_STATUS_BAD_PARAM);
    set(made, CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, 4, strides);
    check_status(cudnnBackendFinalize(made), CUDNN_STATUS_BAD_PARAM);
    set(made, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64, 1, &(int64_t){3});
    check_status(cudnnBackendFinalize(made), CUDNN_STATUS_BAD_PARAM);
    set(made, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64, 1, &(int64_t){4});
    check_done(cudnnBackendFinalize(made));
}

TEST(a_virtual_tensor_is_not_a_value)
{
    descriptor made = unfinished();
    const char yes = 1;

    set(made, CUDNN_ATTR_TENSOR_IS_VIRTUAL, CUDNN_TYPE_BOOLEAN, 1, &yes);
    set(made, CUDNN_ATTR_TENSOR_IS_BY_VALUE, CUDNN_TYPE_BOOLEAN, 1, &yes);
    check_status(cudnnBackendFinalize(made), CUDNN_STATUS_BAD_PARAM);
}

TEST(as_many_elements_are_read_as_are_asked_for)
{
    descriptor made = unfinished();
    int64_t got[8] = {0}, count = -7;

    check_done(cudnnBackendFinalize(made));
    check_done(cudnnBackendGetAttribute(made, CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, 8,
                                        &count, got));
    check(count == 4 && got[0] == 2 && got[3] == 5 && got[4] == 0);
    memset(got, 0, sizeof(got));
    check_done(cudnnBackendGetAttribute(made, CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, 2,
                                        &count, got));
    check(count == 2 && got[1] == 3 && got[2] == 0);
    check_done(cudnnBackendGetAttribute(made, CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, 0,
                                        &count, NULL));
    check(count == 4);
    check_done(cudnnBackendGetAttribute(made, CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, 4,
                                        NULL, got));
    check_status(cudnnBackendGetAttribute(made, CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, -1,
                                          &count, got),
                 CUDNN_STATUS_BAD_PARAM);
    check_status(cudnnBackendGetAttribute(made, CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_DATA_TYPE,
                                          4, &count, got),
                 CUDNN_STATUS_BAD_PARAM_ATTRIBUTE_TYPE);
}

TEST(unset_attributes_of_a_tensor_have_defaults)
{
    descriptor made = unfinished();
    int64_t value = -7, count;
    char flag = 9;

    check_done(cudnnBackendFinalize(made));
    check_done(cudnnBackendGetAttribute(made, CUDNN_ATTR_TENSOR_VECTOR_COUNT, CUDNN_TYPE_INT64, 1,
                                        &count, &value));
    check(value == 1);
    check_done(cudnnBackendGetAttribute(made, CUDNN_ATTR_TENSOR_VECTORIZED_DIMENSION,
                                        CUDNN_TYPE_INT64, 1, &count, &value));
    check(value == -1);
    check_done(cudnnBackendGetAttribute(made, CUDNN_ATTR_TENSOR_IS_VIRTUAL, CUDNN_TYPE_BOOLEAN, 1,
                                        &count, &flag));
    check(flag == 0);
}

TEST(there_is_no_descriptor_of_another_type)
{
    descriptor made;

    check_status(cudnnBackendCreateDescriptor((cudnnBackendDescriptorType_t)999, &made),
                 CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED);
    check_status(cudnnBackendCreateDescriptor(CUDNN_BACKEND_INTERMEDIATE_INFO_DESCRIPTOR, &made),
                 CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED);
    check_status(cudnnBackendDestroyDescriptor(NULL), CUDNN_STATUS_BAD_PARAM_NULL_POINTER);
    check_status(cudnnBackendFinalize(NULL), CUDNN_STATUS_BAD_PARAM_NULL_POINTER);
}

TEST(garbage_and_destroyed_descriptors_are_refused)
{
    descriptor operation, other;
    int64_t count;

    with_context();
    only_cupipe();
    operation = create(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
    other = create(CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
    check_status(cudnnBackendCreateDescriptor(CUDNN_BACKEND_TENSOR_DESCRIPTOR, NULL),
                 CUDNN_STATUS_BAD_PARAM_NULL_POINTER);
    check_status(cudnnBackendSetAttribute(operation, CUDNN_ATTR_OPERATION_POINTWISE_XDESC,
                                          CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &other),
                 CUDNN_STATUS_BAD_PARAM);
    check_status(cudnnBackendSetAttribute(operation, CUDNN_ATTR_OPERATION_POINTWISE_XDESC,
                                          CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &(void *){&count}),
                 CUDNN_STATUS_BAD_PARAM);
    check_done(cudnnBackendDestroyDescriptor(other));
    check_status(cudnnBackendDestroyDescriptor(other), CUDNN_STATUS_BAD_PARAM);
    check_status(cudnnBackendFinalize(other), CUDNN_STATUS_BAD_PARAM_NULL_POINTER);
    check_status(cudnnBackendGetAttribute(other, CUDNN_ATTR_POINTWISE_MODE,
                                          CUDNN_TYPE_POINTWISE_MODE, 1, &count, &count),
                 CUDNN_STATUS_BAD_PARAM);
}

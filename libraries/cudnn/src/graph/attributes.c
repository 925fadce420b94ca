/* SPDX-License-Identifier: MIT */
/* Attributes are set, read and finalised by the table alone. A kind adds what only it knows through
 * its functions (kinds.h). */
#include "descriptor.h"

#include "kinds.h"

#include <stdlib.h>
#include <string.h>

/* Handles of the program become the contents behind them. NULL stays NULL: an optional tensor. */
static cudnnStatus_t set_children(struct graph_content *content,
                                  const struct graph_attribute *attribute, int64_t count,
                                  const cudnnBackendDescriptor_t *handles)
{
    struct graph_content **children = calloc((size_t)count, sizeof(*children));
    cudnnStatus_t status = CUDNN_STATUS_SUCCESS;

    if (!children)
        return CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED;
    for (int64_t i = 0; i < count && status == CUDNN_STATUS_SUCCESS; i++) {
        struct graph_descriptor *child = graph_descriptor_of(handles[i]);

        if (!handles[i] && attribute->use != GRAPH_REQUIRED)
            continue;
        if (!handles[i])
            status = dnn_error(CUDNN_STATUS_BAD_PARAM_NULL_POINTER, "%s is NULL", attribute->text);
        else if (!child || (attribute->child != GRAPH_ANY_CHILD &&
                            child->content->kind->type != attribute->child))
            status = dnn_error(CUDNN_STATUS_BAD_PARAM, "%s is another descriptor", attribute->text);
        else if (child->content == content)
            status = dnn_error(CUDNN_STATUS_BAD_PARAM, "%s is its own owner", attribute->text);
        else if (attribute->child == GRAPH_ANY_CHILD && !child->content->finalized)
            status = dnn_error(CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED, "%s: one is not finalised",
                               attribute->text);
        else
            children[i] = child->content;
    }
    if (status == CUDNN_STATUS_SUCCESS &&
        !graph_value_set(content, attribute->name, CUDNN_TYPE_BACKEND_DESCRIPTOR, count, children))
        status = CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED;
    free(children);
    return status;
}

static cudnnStatus_t check_set(const struct graph_content *content,
                               const struct graph_attribute *attribute, int name,
                               cudnnBackendAttributeType_t type, int64_t count,
                               const void *elements)
{
    if (content->finalized)
        return dnn_error(CUDNN_STATUS_BAD_PARAM, "%s is finalised", content->kind->text);
    if (!attribute)
        return dnn_error(CUDNN_STATUS_BAD_PARAM, "%s has no attribute %d", content->kind->text,
                         name);
    if (attribute->use == GRAPH_GIVEN)
        return dnn_error(CUDNN_STATUS_NOT_SUPPORTED, "%s cannot be set", attribute->text);
    if (type != attribute->type && type != attribute->also)
        return dnn_error(attribute->wrong, "%s has another type than %d", attribute->text,
                         (int)type);
    if (attribute->most == GRAPH_MANY && count == 0)
        return CUDNN_STATUS_SUCCESS;
    if (count < 1 || count > attribute->most)
        return dnn_error(CUDNN_STATUS_BAD_PARAM, "%s cannot have %lld elements", attribute->text,
                         (long long)count);
    if (!elements)
        return dnn_error(CUDNN_STATUS_BAD_PARAM, "%s: the elements are NULL", attribute->text);
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendSetAttribute(cudnnBackendDescriptor_t descriptor,
                                       cudnnBackendAttributeName_t attributeName,
                                       cudnnBackendAttributeType_t attributeType,
                                       int64_t elementCount, const void *arrayOfElements)
{
    struct graph_descriptor *object = graph_descriptor_of(descriptor);
    const struct graph_attribute *attribute;
    cudnnStatus_t status;

    if (!object)
        return dnn_error(CUDNN_STATUS_BAD_PARAM_NULL_POINTER, "not a descriptor");
    attribute = graph_attribute_of(object->content->kind, (int)attributeName);
    status = check_set(object->content, attribute, (int)attributeName, attributeType, elementCount,
                       arrayOfElements);
    if (status != CUDNN_STATUS_SUCCESS)
        return status;
    if (attributeType == CUDNN_TYPE_BACKEND_DESCRIPTOR && elementCount)
        return set_children(object->content, attribute, elementCount, arrayOfElements);
    if (attributeType == CUDNN_TYPE_HANDLE && !dnn_is_handle(*(void *const *)arrayOfElements))
        return dnn_error(CUDNN_STATUS_BAD_PARAM_NULL_POINTER, "%s is not a handle",
                         attribute->text);
    if (!graph_value_set(object->content, attribute->name, attributeType, elementCount,
                         arrayOfElements))
        return CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED;
    return CUDNN_STATUS_SUCCESS;
}

/* The handles of the program come to lead to the contents of the attribute. */
static cudnnStatus_t get_children(const struct graph_attribute *attribute,
                                  const struct graph_value *value, int64_t count,
                                  const cudnnBackendDescriptor_t *handles)
{
    struct graph_content **children = value->elements;

    for (int64_t i = 0; i < count; i++) {
        struct graph_descriptor *handle = graph_descriptor_of(handles[i]);

        if (!children[i] || !handle || handle->content->kind != children[i]->kind)
            return dnn_error(CUDNN_STATUS_BAD_PARAM, "%s: element %lld is another descriptor",
                             attribute->text, (long long)i);
    }
    for (int64_t i = 0; i < count; i++) {
        struct graph_descriptor *handle = handles[i];
        struct graph_content *before = handle->content;

        handle->content = graph_content_ref(children[i]);
        graph_content_unref(before);
    }
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendGetAttribute(cudnnBackendDescriptor_t const descriptor,
                                       cudnnBackendAttributeName_t attributeName,
                                       cudnnBackendAttributeType_t attributeType,
                                       int64_t requestedElementCount, int64_t *elementCount,
                                       void *arrayOfElements)
{
    struct graph_descriptor *object = graph_descriptor_of(descriptor);
    const struct graph_attribute *attribute;
    const struct graph_value *value;
    int64_t count;

    if (!object || requestedElementCount < 0)
        return dnn_error(CUDNN_STATUS_BAD_PARAM, "not a descriptor, or a negative count");
    attribute = graph_attribute_of(object->content->kind, (int)attributeName);
    if (!attribute)
        return dnn_error(CUDNN_STATUS_BAD_PARAM, "%s has no attribute %d",
                         object->content->kind->text, (int)attributeName);
    if (attribute->use == GRAPH_GIVEN && !object->content->finalized)
        return dnn_error(CUDNN_STATUS_NOT_INITIALIZED, "%s is not finalised",
                         object->content->kind->text);
    value = graph_value_of(object->content, (int)attributeName);
    if (attributeType != attribute->type && attributeType != attribute->also)
        return dnn_error(CUDNN_STATUS_BAD_PARAM_ATTRIBUTE_TYPE, "%s has another type than %d",
                         attribute->text, (int)attributeType);
    if (value->count && attributeType != value->type)
        return dnn_error(CUDNN_STATUS_BAD_PARAM_ATTRIBUTE_TYPE, "%s was set with another type",
                         attribute->text);
    count = value->count;
    if (requestedElementCount && arrayOfElements) {
        count = count < requestedElementCount ? count : requestedElementCount;
        if (attributeType == CUDNN_TYPE_BACKEND_DESCRIPTOR) {
            cudnnStatus_t status = get_children(attribute, value, count, arrayOfElements);

            if (status != CUDNN_STATUS_SUCCESS)
                return status;
        } else if (count) {
            memcpy(arrayOfElements, value->elements, (size_t)count * graph_type_bytes(value->type));
        }
    }
    if (elementCount)
        *elementCount = count;
    return CUDNN_STATUS_SUCCESS;
}

static bool is_needed(enum graph_use use)
{
    return use == GRAPH_REQUIRED || use == GRAPH_READ || use == GRAPH_WRITTEN;
}

static cudnnStatus_t check_children(const struct graph_attribute *attribute,
                                    const struct graph_value *value)
{
    struct graph_content **children = value->elements;

    if (value->type != CUDNN_TYPE_BACKEND_DESCRIPTOR)
        return CUDNN_STATUS_SUCCESS;
    for (int64_t i = 0; i < value->count; i++) {
        if (!children[i] && is_needed(attribute->use))
            return dnn_error(CUDNN_STATUS_BAD_PARAM_NULL_POINTER, "%s is NULL", attribute->text);
        if (children[i] && !children[i]->finalized)
            return dnn_error(CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED, "%s is not finalised",
                             attribute->text);
    }
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t graph_content_finalize(struct graph_content *content)
{
    cudnnStatus_t status = CUDNN_STATUS_SUCCESS;

    if (content->finalized)
        return dnn_error(CUDNN_STATUS_BAD_PARAM, "%s is finalised", content->kind->text);
    for (size_t i = 0; i < content->kind->attribute_count && status == CUDNN_STATUS_SUCCESS; i++) {
        const struct graph_attribute *attribute = &content->kind->attributes[i];

        if (is_needed(attribute->use) && !content->values[i].count)
            return dnn_error(CUDNN_STATUS_BAD_PARAM, "%s is not set", attribute->text);
        status = check_children(attribute, &content->values[i]);
    }
    if (status == CUDNN_STATUS_SUCCESS && content->kind->finalize)
        status = content->kind->finalize(content);
    content->finalized = status == CUDNN_STATUS_SUCCESS;
    return status;
}

cudnnStatus_t cudnnBackendFinalize(cudnnBackendDescriptor_t descriptor)
{
    struct graph_descriptor *object = graph_descriptor_of(descriptor);

    if (!object)
        return dnn_error(CUDNN_STATUS_BAD_PARAM_NULL_POINTER, "not a descriptor");
    return graph_content_finalize(object->content);
}

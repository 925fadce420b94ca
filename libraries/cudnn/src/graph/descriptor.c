/* SPDX-License-Identifier: MIT */
/* Contents, the handles that lead to them, and the table of all attributes. */
#include "descriptor.h"

#include "kinds.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define DESCRIPTOR(descriptor)                                                                     \
    {.is_descriptor = true,                                                                        \
     .name = CUDNN_BACKEND_##descriptor##_DESCRIPTOR,                                              \
     .text = "CUDNN_BACKEND_" #descriptor "_DESCRIPTOR"},
#define ATTRIBUTE(attribute, first, second, limit, how, status)                                    \
    {.name = CUDNN_ATTR_##attribute,                                                               \
     .text = "CUDNN_ATTR_" #attribute,                                                             \
     .type = CUDNN_TYPE_##first,                                                                   \
     .also = CUDNN_TYPE_##second,                                                                  \
     .most = limit,                                                                                \
     .use = GRAPH_##how,                                                                           \
     .child = CUDNN_BACKEND_TENSOR_DESCRIPTOR,                                                     \
     .wrong = CUDNN_STATUS_##status},
#define CHILD(attribute, descriptor, limit, how, status)                                           \
    {.name = CUDNN_ATTR_##attribute,                                                               \
     .text = "CUDNN_ATTR_" #attribute,                                                             \
     .type = CUDNN_TYPE_BACKEND_DESCRIPTOR,                                                        \
     .also = CUDNN_TYPE_BACKEND_DESCRIPTOR,                                                        \
     .most = limit,                                                                                \
     .use = GRAPH_##how,                                                                           \
     .child = CUDNN_BACKEND_##descriptor##_DESCRIPTOR,                                             \
     .wrong = CUDNN_STATUS_##status},
#define MANY GRAPH_MANY
#define CUDNN_BACKEND_ANY_DESCRIPTOR GRAPH_ANY_CHILD

static const struct graph_attribute rows[] = {
#include "attributes.def"
};

#undef MANY

enum { KIND_MOST = 64, ROW_COUNT = sizeof(rows) / sizeof(*rows) };

static struct graph_kind kinds[KIND_MOST]; /* by the value of the type; made once */
static pthread_once_t kinds_made = PTHREAD_ONCE_INIT;

static void make_kinds(void)
{
    struct graph_kind *kind = NULL;

    for (size_t i = 0; i < ROW_COUNT; i++) {
        if (rows[i].is_descriptor) {
            kind = &kinds[rows[i].name];
            *kind = (struct graph_kind){
                .type = rows[i].name, .attributes = &rows[i + 1], .text = rows[i].text};
            graph_kind_behaviour(kind);
        } else {
            kind->attribute_count++;
        }
    }
}

const struct graph_kind *graph_kind_of(int descriptor_type)
{
    pthread_once(&kinds_made, make_kinds);
    if (descriptor_type < 0 || descriptor_type >= KIND_MOST || !kinds[descriptor_type].text)
        return NULL;
    return &kinds[descriptor_type];
}

size_t graph_type_bytes(cudnnBackendAttributeType_t type)
{
    switch (type) {
    case CUDNN_TYPE_BOOLEAN:
    case CUDNN_TYPE_CHAR:
        return 1;
    case CUDNN_TYPE_HANDLE:
    case CUDNN_TYPE_INT64:
    case CUDNN_TYPE_DOUBLE:
    case CUDNN_TYPE_VOID_PTR:
    case CUDNN_TYPE_BACKEND_DESCRIPTOR:
        return 8;
    case CUDNN_TYPE_FRACTION:
        return sizeof(cudnnFraction_t);
    default:
        return 4;
    }
}

struct graph_content *graph_content_create(const struct graph_kind *kind)
{
    struct graph_content *content =
        calloc(1, sizeof(*content) + kind->attribute_count * sizeof(content->values[0]));

    if (!content)
        return NULL;
    content->kind = kind;
    atomic_init(&content->references, 1);
    return content;
}

struct graph_content *graph_content_ref(struct graph_content *content)
{
    if (content)
        atomic_fetch_add(&content->references, 1);
    return content;
}

static void clear_value(struct graph_value *value)
{
    if (value->type == CUDNN_TYPE_BACKEND_DESCRIPTOR) {
        struct graph_content **children = value->elements;

        for (int64_t i = 0; i < value->count; i++)
            graph_content_unref(children[i]);
    }
    free(value->elements);
    *value = (struct graph_value){0};
}

void graph_content_unref(struct graph_content *content)
{
    if (!content || atomic_fetch_sub(&content->references, 1) > 1)
        return;
    if (content->kind->finish)
        content->kind->finish(content);
    for (size_t i = 0; i < content->kind->attribute_count; i++)
        clear_value(&content->values[i]);
    free(content);
}

const struct graph_attribute *graph_attribute_of(const struct graph_kind *kind, int name)
{
    for (size_t i = 0; i < kind->attribute_count; i++)
        if (kind->attributes[i].name == name)
            return &kind->attributes[i];
    return NULL;
}

struct graph_value *graph_value_of(struct graph_content *content, int name)
{
    const struct graph_attribute *attribute = graph_attribute_of(content->kind, name);

    return attribute ? &content->values[attribute - content->kind->attributes] : NULL;
}

static const struct graph_value *read_value(const struct graph_content *content, int name)
{
    static const struct graph_value none;
    const struct graph_value *value = graph_value_of((struct graph_content *)content, name);

    return value ? value : &none;
}

int64_t graph_count(const struct graph_content *content, int name)
{
    return read_value(content, name)->count;
}

int64_t graph_integer(const struct graph_content *content, int name, int64_t index,
                      int64_t otherwise)
{
    const struct graph_value *value = read_value(content, name);
    size_t bytes = graph_type_bytes(value->type);
    const char *element = value->elements;
    int64_t wide;
    int32_t narrow;

    if (index >= value->count)
        return otherwise;
    element += (size_t)index * bytes;
    if (bytes == 1)
        return *element;
    if (bytes == 4) {
        memcpy(&narrow, element, sizeof(narrow));
        return narrow;
    }
    memcpy(&wide, element, sizeof(wide));
    return wide;
}

double graph_number(const struct graph_content *content, int name, double otherwise)
{
    const struct graph_value *value = read_value(content, name);
    double wide;
    float narrow;

    if (!value->count)
        return otherwise;
    if (value->type == CUDNN_TYPE_FLOAT) {
        memcpy(&narrow, value->elements, sizeof(narrow));
        return narrow;
    }
    if (value->type != CUDNN_TYPE_DOUBLE)
        return (double)graph_integer(content, name, 0, 0);
    memcpy(&wide, value->elements, sizeof(wide));
    return wide;
}

struct graph_content *graph_child(const struct graph_content *content, int name, int64_t index)
{
    const struct graph_value *value = read_value(content, name);

    if (value->type != CUDNN_TYPE_BACKEND_DESCRIPTOR || index >= value->count)
        return NULL;
    return ((struct graph_content **)value->elements)[index];
}

bool graph_value_set(struct graph_content *content, int name, cudnnBackendAttributeType_t type,
                     int64_t count, const void *elements)
{
    struct graph_value *value = graph_value_of(content, name);
    size_t bytes = (size_t)count * graph_type_bytes(type);
    void *copy = malloc(bytes ? bytes : 1);

    if (!copy)
        return false;
    if (bytes)
        memcpy(copy, elements, bytes);
    if (type == CUDNN_TYPE_BACKEND_DESCRIPTOR)
        for (int64_t i = 0; i < count; i++)
            graph_content_ref(((struct graph_content **)copy)[i]);
    clear_value(value);
    *value = (struct graph_value){.type = type, .count = count, .elements = copy};
    return true;
}

static void finish_descriptor(void *object)
{
    struct graph_descriptor *descriptor = object;

    graph_content_unref(descriptor->content);
}

const struct lib_object_type graph_descriptor_type = {sizeof(struct graph_descriptor),
                                                      finish_descriptor};

struct graph_descriptor *graph_descriptor_of(cudnnBackendDescriptor_t handle)
{
    return lib_object_is(handle, &graph_descriptor_type) ? handle : NULL;
}

cudnnStatus_t cudnnBackendCreateDescriptor(cudnnBackendDescriptorType_t descriptorType,
                                           cudnnBackendDescriptor_t *descriptor)
{
    const struct graph_kind *kind = graph_kind_of((int)descriptorType);
    struct graph_descriptor *created;

    if (!descriptor)
        return dnn_error(CUDNN_STATUS_BAD_PARAM_NULL_POINTER, "descriptor is NULL");
    if (!kind)
        return dnn_error(CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED,
                         "there is no descriptor of type %d", (int)descriptorType);
    created = lib_object_create(&graph_descriptor_type);
    if (!created)
        return CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED;
    created->content = graph_content_create(kind);
    if (!created->content) {
        lib_object_destroy(created, &graph_descriptor_type);
        return CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED;
    }
    *descriptor = created;
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendDestroyDescriptor(cudnnBackendDescriptor_t descriptor)
{
    if (!descriptor)
        return dnn_error(CUDNN_STATUS_BAD_PARAM_NULL_POINTER, "descriptor is NULL");
    if (!lib_object_destroy(descriptor, &graph_descriptor_type))
        return dnn_error(CUDNN_STATUS_BAD_PARAM, "not a descriptor");
    return CUDNN_STATUS_SUCCESS;
}

/* Descriptors are initialised when they are created. */
cudnnStatus_t cudnnBackendInitialize(cudnnBackendDescriptor_t descriptor)
{
    if (!graph_descriptor_of(descriptor))
        return dnn_error(CUDNN_STATUS_BAD_PARAM, "not a descriptor");
    return CUDNN_STATUS_SUCCESS;
}

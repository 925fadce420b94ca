/* SPDX-License-Identifier: MIT */
/* Descriptors of the backend. A descriptor of the program is a handle that leads to a content: the
 * values of its attributes, as attributes.def lists them. Contents are counted, since the
 * attributes of one descriptor keep others alive that the program destroys, and since
 * cudnnBackendGetAttribute() makes a handle lead to a content of another. A finalised content does
 * not change. */
#ifndef DNN_GRAPH_DESCRIPTOR_H
#define DNN_GRAPH_DESCRIPTOR_H

#include "dnn.h"

#include <stdatomic.h>

enum graph_use {
    GRAPH_REQUIRED,
    GRAPH_OPTIONAL,
    GRAPH_READ,
    GRAPH_READ_OPTIONAL,
    GRAPH_WRITTEN,
    GRAPH_WRITTEN_OPTIONAL,
    GRAPH_EITHER,
    GRAPH_GIVEN,
};

enum { GRAPH_ANY_CHILD = -1, GRAPH_MANY = 1 << 20 };

struct graph_attribute {
    bool is_descriptor; /* this row opens a descriptor: only name and text count */
    int name;           /* of the attribute or descriptor */
    const char *text;
    cudnnBackendAttributeType_t type, also;
    int64_t most;
    enum graph_use use;
    int child; /* type of descriptor, or GRAPH_ANY_CHILD */
    cudnnStatus_t wrong;
};

/* `count` elements, one after another; contents where the type is BACKEND_DESCRIPTOR (which may be
 * NULL). A count of 0: the attribute is not set. */
struct graph_value {
    cudnnBackendAttributeType_t type;
    int64_t count;
    void *elements;
};

struct graph_content;

/* What a type of descriptor does besides keeping its attributes. */
struct graph_kind {
    int type;
    const struct graph_attribute *attributes;
    size_t attribute_count;
    const char *text;
    cudnnStatus_t (*finalize)(struct graph_content *content);
    void (*finish)(struct graph_content *content); /* frees `derived` */
};

struct graph_content {
    const struct graph_kind *kind;
    atomic_uint references;
    bool finalized;
    void *derived;               /* what finalize() made of the attributes */
    struct graph_value values[]; /* one for each attribute of the kind */
};

struct graph_descriptor {
    struct lib_object base;
    struct graph_content *content;
};

extern const struct lib_object_type graph_descriptor_type;

/* NULL: there is no such descriptor. */
const struct graph_kind *graph_kind_of(int descriptor_type);

/* A new content with one reference, or NULL. */
struct graph_content *graph_content_create(const struct graph_kind *kind);
struct graph_content *graph_content_ref(struct graph_content *content);
void graph_content_unref(struct graph_content *content); /* may be NULL */

/* The descriptor behind a handle, or NULL. */
struct graph_descriptor *graph_descriptor_of(cudnnBackendDescriptor_t handle);

/* Finalises a content: checks what the table demands, then asks the kind. */
cudnnStatus_t graph_content_finalize(struct graph_content *content);

/* Attributes by name. The content has to be of a kind that has the attribute. */
size_t graph_type_bytes(cudnnBackendAttributeType_t type);
const struct graph_attribute *graph_attribute_of(const struct graph_kind *kind, int name);
struct graph_value *graph_value_of(struct graph_content *content, int name);
int64_t graph_count(const struct graph_content *content, int name);
int64_t graph_integer(const struct graph_content *content, int name, int64_t index,
                      int64_t otherwise);
double graph_number(const struct graph_content *content, int name, double otherwise);
struct graph_content *graph_child(const struct graph_content *content, int name, int64_t index);

/* Replaces a value; elements that are contents gain a reference. False: no memory. */
bool graph_value_set(struct graph_content *content, int name, cudnnBackendAttributeType_t type,
                     int64_t count, const void *elements);

#endif

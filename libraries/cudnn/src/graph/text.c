/* SPDX-License-Identifier: MIT */
/* The text of a plan: JSON with every content that the operation graph leads to, children before
 * their owners, and all elements as integers.
 *
 *     {"cupipe_graph": [[17,[906,3,1],[901,1,0],...],...,[15,[801,15,4,7]]]}
 *
 * A content is its type of descriptor and its attributes: name, type, elements. Numbers are the
 * bits of floating ones; a child is its place in the list, or -1. GIVEN attributes and handles are
 * left out: they are made anew. */
#include "plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char head[] = "{\"cupipe_graph\": [";

struct list {
    struct graph_content **contents;
    size_t count;
};

static bool append(struct list *list, struct graph_content *content)
{
    struct graph_content **grown =
        realloc(list->contents, (list->count + 1) * sizeof(*list->contents));

    if (!grown)
        return false;
    list->contents = grown;
    grown[list->count++] = content;
    return true;
}

static int64_t place_of(const struct list *list, const struct graph_content *content)
{
    for (size_t i = 0; content && i < list->count; i++)
        if (list->contents[i] == content)
            return (int64_t)i;
    return -1;
}

/* Only graphs, operations, settings and tensors are reached, which nest in a few levels. */
static bool gather(struct list *list, struct graph_content *content)
{
    if (!content || place_of(list, content) >= 0)
        return true;
    for (size_t i = 0; i < content->kind->attribute_count; i++) {
        struct graph_content **children = content->values[i].elements;

        if (content->values[i].type != CUDNN_TYPE_BACKEND_DESCRIPTOR)
            continue;
        for (int64_t k = 0; k < content->values[i].count; k++)
            if (!gather(list, children[k]))
                return false;
    }
    return append(list, content);
}

static bool is_written(const struct graph_attribute *attribute, const struct graph_value *value)
{
    return value->count && attribute->use != GRAPH_GIVEN && value->type != CUDNN_TYPE_HANDLE &&
           value->type != CUDNN_TYPE_VOID_PTR;
}

static void write_value(FILE *file, const struct list *list,
                        const struct graph_attribute *attribute, const struct graph_value *value)
{
    size_t bytes = graph_type_bytes(value->type), parts = bytes > 8 ? bytes / 8 : 1;
    const char *element = value->elements;

    fprintf(file, ",[%d,%d", attribute->name, (int)value->type);
    for (int64_t i = 0; i < value->count * (int64_t)parts; i++) {
        int64_t bits = 0;

        memcpy(&bits, element + (size_t)i * (bytes / parts), bytes / parts);
        if (value->type == CUDNN_TYPE_BACKEND_DESCRIPTOR)
            bits = place_of(list, ((struct graph_content **)value->elements)[i]);
        fprintf(file, ",%" PRId64, bits);
    }
    fputc(']', file);
}

char *graph_text_write(const struct graph_content *graph)
{
    struct list list = {0};
    char *text = NULL;
    size_t bytes = 0;
    FILE *file = open_memstream(&text, &bytes);
    bool made = file && gather(&list, (struct graph_content *)graph);

    if (made)
        fputs(head, file);
    for (size_t i = 0; i < list.count && made; i++) {
        const struct graph_content *content = list.contents[i];

        fprintf(file, "%s[%d", i ? "," : "", content->kind->type);
        for (size_t k = 0; k < content->kind->attribute_count; k++)
            if (is_written(&content->kind->attributes[k], &content->values[k]))
                write_value(file, &list, &content->kind->attributes[k], &content->values[k]);
        fputc(']', file);
    }
    if (made)
        fputs("]}", file);
    free(list.contents);
    if (!file || fclose(file) || !made) {
        free(text);
        return NULL;
    }
    return text;
}

struct reader {
    const char *at, *end;
    struct list list;
};

static bool take(struct reader *reader, char sign)
{
    if (reader->at >= reader->end || *reader->at != sign)
        return false;
    reader->at++;
    return true;
}

static bool take_integer(struct reader *reader, int64_t *value)
{
    bool negative = take(reader, '-');
    const char *first = reader->at;
    uint64_t sum = 0;

    while (reader->at < reader->end && *reader->at >= '0' && *reader->at <= '9')
        sum = sum * 10 + (uint64_t)(*reader->at++ - '0');
    *value = (int64_t)(negative ? -sum : sum);
    return reader->at > first;
}

/* Elements of one attribute: as many as stand before the closing bracket. */
static bool read_elements(struct reader *reader, struct graph_content *content, int name,
                          cudnnBackendAttributeType_t type)
{
    size_t bytes = graph_type_bytes(type), part = bytes > 8 ? 8 : bytes, filled = 0, room = 0;
    char *elements = NULL;
    bool read = true;
    int64_t value;

    while (read && take(reader, ',')) {
        read = take_integer(reader, &value);
        if (read && filled + 8 > room) {
            char *grown = realloc(elements, room = room * 2 + 64);

            read = grown;
            elements = grown ? grown : elements;
        }
        if (read && type == CUDNN_TYPE_BACKEND_DESCRIPTOR) {
            read = value >= -1 && value < (int64_t)reader->list.count;
            value = read && value >= 0 ? (int64_t)(uintptr_t)reader->list.contents[value] : 0;
        }
        if (read)
            memcpy(elements + filled, &value, part);
        filled += part;
    }
    read = read && filled && filled % bytes == 0 && take(reader, ']') &&
           graph_value_set(content, name, type, (int64_t)(filled / bytes), elements);
    free(elements);
    return read;
}

static bool is_child(const struct graph_attribute *attribute, const struct graph_content *child)
{
    return !child || attribute->child == GRAPH_ANY_CHILD || child->kind->type == attribute->child;
}

static bool read_attribute(struct reader *reader, struct graph_content *content)
{
    const struct graph_attribute *attribute;
    int64_t name, type;

    if (!take_integer(reader, &name) || !take(reader, ',') || !take_integer(reader, &type))
        return false;
    attribute = graph_attribute_of(content->kind, (int)name);
    if (!attribute || (type != (int64_t)attribute->type && type != (int64_t)attribute->also) ||
        attribute->use == GRAPH_GIVEN ||
        !read_elements(reader, content, (int)name, (cudnnBackendAttributeType_t)type) ||
        graph_count(content, (int)name) > attribute->most)
        return false;
    for (int64_t i = 0;
         type == CUDNN_TYPE_BACKEND_DESCRIPTOR && i < graph_count(content, (int)name); i++)
        if (!is_child(attribute, graph_child(content, (int)name, i)))
            return false;
    return true;
}

static bool read_content(struct reader *reader)
{
    const struct graph_kind *kind;
    struct graph_content *content;
    int64_t type;

    if (!take(reader, '[') || !take_integer(reader, &type))
        return false;
    kind = type >= 0 && type < 1000 ? graph_kind_of((int)type) : NULL;
    content = kind ? graph_content_create(kind) : NULL;
    if (!content || !append(&reader->list, content)) {
        graph_content_unref(content);
        return false;
    }
    while (take(reader, ','))
        if (!take(reader, '[') || !read_attribute(reader, content))
            return false;
    return take(reader, ']') && graph_content_finalize(content) == CUDNN_STATUS_SUCCESS;
}

struct graph_content *graph_text_read(const char *text, size_t bytes)
{
    struct reader reader = {.at = text, .end = text + bytes};
    struct graph_content *graph = NULL;
    bool read = bytes > sizeof(head) && !memcmp(text, head, sizeof(head) - 1);

    reader.at += read ? sizeof(head) - 1 : 0;
    while (read && (read = read_content(&reader)) && take(&reader, ','))
        ;
    if (read && take(&reader, ']') && take(&reader, '}') && reader.list.count)
        graph = graph_content_ref(reader.list.contents[reader.list.count - 1]);
    for (size_t i = 0; i < reader.list.count; i++)
        graph_content_unref(reader.list.contents[i]);
    free(reader.list.contents);
    if (graph && graph->kind->type == CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR)
        return graph;
    graph_content_unref(graph);
    return NULL;
}

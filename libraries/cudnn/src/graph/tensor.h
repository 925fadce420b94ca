/* SPDX-License-Identifier: MIT */
/* A finalised tensor descriptor, as the engine and the program see it. */
#ifndef DNN_GRAPH_TENSOR_H
#define DNN_GRAPH_TENSOR_H

#include "descriptor.h"

/* How the elements of a tensor of the program lie in memory. All but plain ones are copied to and
 * from a plain buffer around the operations that use them. */
enum graph_storage {
    GRAPH_PLAIN,
    GRAPH_RAGGED,  /* each batch begins where an element of another tensor says */
    GRAPH_BITS,    /* booleans, eight in a byte */
    GRAPH_NIBBLES, /* four-bit types, two in a byte */
    GRAPH_TILES,   /* scales in tiles of 128 x 4 (CUDNN_TENSOR_REORDERING_F8_128x4) */
};

struct graph_tensor {
    struct dnn_tensor view; /* without an address */
    int64_t uid;
    bool is_virtual, by_value;
    bool is_complex; /* the view is that of the real parts; each has its imaginary part behind it */
    enum graph_storage storage;
    const struct graph_tensor *offsets; /* of a ragged tensor */
};

/* The tensor of a finalised content; NULL for NULL. */
static inline const struct graph_tensor *graph_tensor_of(const struct graph_content *content)
{
    return content ? content->derived : NULL;
}

/* The tensor that an attribute of an operation names; NULL if it is not set. */
static inline const struct graph_tensor *graph_tensor_at(const struct graph_content *operation,
                                                         int name)
{
    return graph_tensor_of(graph_child(operation, name, 0));
}

/* A buffer for the tensor: packed, in the order of the tensor's strides, of a type that the engine
 * computes with. It has the dimensions `dims`; with `batches`, dimension 0 has so many if it has
 * more than one. The address is not set. */
struct dnn_tensor graph_tensor_buffer(const struct graph_tensor *tensor, const int64_t *dims,
                                      int64_t batches);

/* Bytes of the tensor in the program's memory; for a ragged tensor those of one element. */
size_t graph_tensor_bytes(const struct graph_tensor *tensor);

/* Copies between the program's memory and a plain buffer. `offsets` is a ragged tensor's. */
void graph_storage_load(const struct graph_tensor *tensor, const void *memory,
                        const struct dnn_tensor *offsets, const struct dnn_tensor *buffer);
void graph_storage_store(const struct graph_tensor *tensor, void *memory,
                         const struct dnn_tensor *offsets, const struct dnn_tensor *buffer);

#endif

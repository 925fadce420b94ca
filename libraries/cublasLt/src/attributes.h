/* SPDX-License-Identifier: MIT */
/* Attributes of descriptors: a table of offsets, and one rule for all. A buffer has exactly the
 * attribute's size; a query with 0 bytes and no buffer asks for the size. */
#ifndef CUBLASLT_ATTRIBUTES_H
#define CUBLASLT_ATTRIBUTES_H

#include <cublasLt.h>
#include <stddef.h>

struct attribute {
    int id;
    size_t offset, bytes;
};

#define ATTRIBUTE(id, type, field)                                                                 \
    {                                                                                              \
        id, offsetof(struct type, field), sizeof(((struct type *)0)->field)                        \
    }

struct attribute_table {
    const struct attribute *attributes;
    size_t count;
};

cublasStatus_t attribute_get(const struct attribute_table *table, const void *object, int id,
                             void *buffer, size_t bytes, size_t *written);
cublasStatus_t attribute_set(const struct attribute_table *table, void *object, int id,
                             const void *buffer, size_t bytes);

#endif

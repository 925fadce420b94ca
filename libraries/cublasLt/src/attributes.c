/* SPDX-License-Identifier: MIT */
/* Attributes are copied as bytes. Their values are not looked at: a wrong one is refused when the
 * descriptor is used, as NVIDIA's library does. */
#include "attributes.h"

#include <string.h>

static const struct attribute *find(const struct attribute_table *table, int id)
{
    for (size_t i = 0; i < table->count; i++)
        if (table->attributes[i].id == id)
            return &table->attributes[i];
    return NULL;
}

cublasStatus_t attribute_get(const struct attribute_table *table, const void *object, int id,
                             void *buffer, size_t bytes, size_t *written)
{
    const struct attribute *attribute = object ? find(table, id) : NULL;

    if (!attribute)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (bytes == 0 && !buffer) {
        if (!written)
            return CUBLAS_STATUS_INVALID_VALUE;
        *written = attribute->bytes;
        return CUBLAS_STATUS_SUCCESS;
    }
    if (!buffer || bytes != attribute->bytes)
        return CUBLAS_STATUS_INVALID_VALUE;
    memcpy(buffer, (const char *)object + attribute->offset, bytes);
    if (written)
        *written = bytes;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t attribute_set(const struct attribute_table *table, void *object, int id,
                             const void *buffer, size_t bytes)
{
    const struct attribute *attribute = object ? find(table, id) : NULL;

    if (!attribute || !buffer || bytes != attribute->bytes)
        return CUBLAS_STATUS_INVALID_VALUE;
    memcpy((char *)object + attribute->offset, buffer, bytes);
    return CUBLAS_STATUS_SUCCESS;
}

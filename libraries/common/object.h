/* SPDX-License-Identifier: MIT */
/* Handles of a library: objects that begin with struct lib_object. A table of live objects tells
 * garbage and destroyed handles from live ones without touching them.
 *
 *     struct cublasContext { struct lib_object base; ... };
 *
 *     struct cublasContext *context = lib_object_create(&context_type);
 *     if (!lib_object_is(handle, &context_type)) return CUBLAS_STATUS_NOT_INITIALIZED; */
#ifndef LIBRARIES_OBJECT_H
#define LIBRARIES_OBJECT_H

#include <stdbool.h>
#include <stddef.h>

struct lib_object_type {
    size_t bytes;
    void (*finish)(void *object); /* frees what the object owns; may be NULL */
};

struct lib_object {
    const struct lib_object_type *type;
};

/* Returns a new object, zeroed but for its type, or NULL without memory. */
void *lib_object_create(const struct lib_object_type *type);

/* True if `handle` is a live object of the type. Any value may be asked about. */
bool lib_object_is(const void *handle, const struct lib_object_type *type);

/* Removes and frees an object. Returns false if it is not a live one of the type. No other thread
 * may use it, as the manuals demand. */
bool lib_object_destroy(void *handle, const struct lib_object_type *type);

#endif

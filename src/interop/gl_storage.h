/* SPDX-License-Identifier: MIT */
/* The memory of an OpenGL buffer as CUDA sees it: mapped by OpenGL, or a copy if OpenGL cannot map
 * it. There is one struct per buffer and context of OpenGL, however often the buffer is registered
 * there. */
#ifndef CUP_INTEROP_GL_STORAGE_H
#define CUP_INTEROP_GL_STORAGE_H

#include "core/lock.h"
#include "interop/gl.h"

#include <cuda.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/* A copy of a buffer's memory. Zero-initialised: none. */
struct cup_gl_shadow {
    void *memory;
    size_t size_bytes;
};

/* Resizes the copy. The contents survive only if the size does not change. */
bool cup_gl_shadow_resize(struct cup_gl_shadow *shadow, size_t size_bytes);
void cup_gl_shadow_free(struct cup_gl_shadow *shadow);

/* How a buffer is currently mapped. */
enum cup_gl_map_method {
    CUP_GL_BY_NAME, /* glMapNamedBufferRange */
    /* through our vertex array, or bound by name in a context that shares the buffer */
    CUP_GL_BY_BINDING,
    CUP_GL_BY_OTHERS, /* by the application (persistently), or by another cup_gl_storage */
    CUP_GL_BY_COPY,   /* not mapped: the shadow is used */
};

struct cup_gl_storage {
    struct cup_gl_storage *next; /* in the list of all storages */
    unsigned users;              /* number of resources; guarded by the list's lock */
    struct cup_gl_work work;     /* the context it was registered in */
    unsigned name, array;        /* the buffer's name, and the vertex array that keeps it alive */

    struct cup_lock *lock; /* the name's: that of every storage of the buffer */
    /* All guarded by lock; the atomic ones are also read without it. */
    _Atomic(unsigned) mappers;
    enum cup_gl_map_method method;
    _Atomic(void *) pointer; /* the memory while mapped, otherwise its last address */
    void *seen;              /* the memory that CUDA uses: `pointer` or the shadow */
    size_t size_bytes;       /* of the memory */
    struct cup_gl_shadow shadow;
};

/* Returns the storage of a buffer of the current context, with its user count incremented, and the
 * buffer's size. INVALID_HANDLE if there is no such buffer, OUT_OF_MEMORY if it is empty. */
CUresult cup_gl_storage_find(struct cup_gl_work *work, unsigned name, size_t *size_bytes,
                             struct cup_gl_storage **storage);
void cup_gl_storage_unref(struct cup_gl_storage *storage);

/* Increments the map count and maps the buffer on the first call. `read` says that a copy must hold
 * the buffer's contents. Returns INVALID_GRAPHICS_CONTEXT if the current context does not have the
 * buffer. */
CUresult cup_gl_storage_map_locked(struct cup_gl_work *work, struct cup_gl_storage *storage,
                                   bool read);

/* Decrements the map count and unmaps the buffer at zero. */
CUresult cup_gl_storage_unmap_locked(struct cup_gl_work *work, struct cup_gl_storage *storage);

/* The same for the common case only, without querying the current context. Return false if not
 * done. */
bool cup_gl_storage_map_fast_locked(struct cup_gl_storage *storage);
bool cup_gl_storage_unmap_fast_locked(struct cup_gl_storage *storage);

#endif

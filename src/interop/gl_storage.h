/* SPDX-License-Identifier: MIT */
/* The memory of an OpenGL buffer, as CUDA may use it: mapped by OpenGL, or a copy where OpenGL does
 * not map it. One struct for one buffer, however often it is registered. */
#ifndef CUP_INTEROP_GL_STORAGE_H
#define CUP_INTEROP_GL_STORAGE_H

#include "core/lock.h"
#include "interop/gl.h"

#include <cuda.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/* Memory of ours that stands for a buffer; all zero: none. */
struct cup_gl_shadow {
    void *memory;
    size_t size_bytes;
};

/* Of that size from here on; what was in it is kept only if it had that size. */
bool cup_gl_shadow_make(struct cup_gl_shadow *shadow, size_t size_bytes);
void cup_gl_shadow_free(struct cup_gl_shadow *shadow);

/* How a buffer is mapped now. */
enum cup_gl_way {
    CUP_GL_BY_NAME,    /* glMapNamedBufferRange */
    CUP_GL_BY_BINDING, /* through the vertex array, or bound by name in a context that shares it */
    CUP_GL_BY_OTHERS,  /* the application has it mapped for good, or another of our structs has */
    CUP_GL_BY_COPY,    /* not at all: there is a shadow */
};

struct cup_gl_storage {
    struct cup_gl_storage *next; /* in the list of all */
    unsigned users;              /* resources; guarded by the list's lock */
    struct cup_gl_work work;     /* where it was registered */
    unsigned name, array;        /* the buffer's name, and that of the vertex array that holds it */

    struct cup_lock lock;
    /* All guarded by lock; the atomic ones are looked at without. */
    _Atomic(unsigned) mappers;
    enum cup_gl_way way;
    _Atomic(void *) pointer; /* of the memory, while mapped; else where it was last */
    void *seen;              /* what CUDA is shown: that, or the shadow */
    size_t size_bytes;       /* of the memory */
    struct cup_gl_shadow shadow;
};

/* Of a buffer of the current context, with a user more, and the buffer's size. INVALID_HANDLE when
 * there is no such buffer, OUT_OF_MEMORY when it is empty. */
CUresult cup_gl_storage_find(struct cup_gl_work *work, unsigned name, size_t *size_bytes,
                             struct cup_gl_storage **storage);
void cup_gl_storage_unref(struct cup_gl_storage *storage);

/* One mapper more; `read` where a copy must hold what the buffer does. INVALID_GRAPHICS_CONTEXT
 * when the current context does not have the buffer. */
CUresult cup_gl_storage_map_locked(struct cup_gl_work *work, struct cup_gl_storage *storage,
                                   bool read);

/* One mapper less; the last one gives it back. */
CUresult cup_gl_storage_unmap_locked(struct cup_gl_work *work, struct cup_gl_storage *storage);

/* The same for the common case alone, without asking which context is current. False: not done. */
bool cup_gl_storage_map_quickly_locked(struct cup_gl_storage *storage);
bool cup_gl_storage_unmap_quickly_locked(struct cup_gl_storage *storage);

#endif

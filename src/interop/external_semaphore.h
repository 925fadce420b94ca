/* SPDX-License-Identifier: MIT */
/* External semaphores, imported from file descriptors: a Vulkan semaphore of this process or
 * another one. Streams signal and wait for them.
 *
 * struct cup_semaphore_type abstracts the kinds of semaphores; each has a file of its own. A wait
 * ends when the semaphore is signalled, and also when no signal can come any more: the handle was
 * destroyed, the context ended, or the process that owned the semaphore died. */
#ifndef CUP_INTEROP_EXTERNAL_SEMAPHORE_H
#define CUP_INTEROP_EXTERNAL_SEMAPHORE_H

#include "core/object.h"
#include "device/context.h"

#include <cuda.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct CUstream_st;

/* Operations of a kind of semaphore. No function blocks, except `signal` if `slow` is set. */
struct cup_semaphore_type {
    const char *name;
    /* Does not take the descriptor over. Returns NULL if the descriptor is not of this kind. */
    void *(*open)(int fd);
    void (*close)(void *payload);
    /* Returns true if a wait for the value is satisfied; this resets a binary semaphore. */
    bool (*acquire)(void *payload, uint64_t value);
    void (*signal)(void *payload, uint64_t value);
    bool slow; /* `signal` may block for a while, or forever */
    /* True if another process died and only this one could still signal. */
    bool (*is_abandoned)(void *payload);
    /* To sleep until the result of `acquire` may change: call enter, read the futex word, call
     * acquire, sleep on the futex word (in shared memory), call leave. NULL: the kind has no futex
     * word. */
    _Atomic(uint32_t) *(*futex_word)(void *payload);
    void (*enter)(void *payload);
    void (*leave)(void *payload);
};

extern const struct cup_semaphore_type cup_semaphore_type_file;        /* semaphore_file.h */
extern const struct cup_semaphore_type cup_semaphore_type_swiftshader; /* SwiftShader's format */

struct CUextSemaphore_st {
    struct cup_object base;
    struct CUctx_st *context; /* holds a reference */
    struct cup_context_child child;
    const struct cup_semaphore_type *type;
    void *payload;
    atomic_bool ended; /* the handle was destroyed: all waits end */
};

struct cup_semaphore_use {
    struct CUextSemaphore_st *semaphore;
    uint64_t value; /* for a timeline semaphore */
};

void cup_external_semaphore_register(void);

/* Closes the descriptor on success. Returns UNKNOWN if it is not a semaphore. */
CUresult cup_external_semaphore_import(struct CUctx_st *context, int fd,
                                       struct CUextSemaphore_st **semaphore);

/* Takes a reference. Returns INVALID_VALUE if the handle is not a live semaphore. */
CUresult cup_external_semaphore_find(CUexternalSemaphore handle,
                                     struct CUextSemaphore_st **semaphore);

/* Retires the handle and ends all of this process's waits that use it. */
bool cup_external_semaphore_destroy(struct CUextSemaphore_st *semaphore,
                                    enum cup_retire_reason reason);

/* Submit signals or waits in stream order, one after the other. The job takes its own
 * references. */
CUresult cup_external_semaphore_signal(struct CUstream_st *stream,
                                       const struct cup_semaphore_use *uses, unsigned count);
CUresult cup_external_semaphore_wait(struct CUstream_st *stream,
                                     const struct cup_semaphore_use *uses, unsigned count);

static inline void cup_external_semaphore_unref(struct CUextSemaphore_st *semaphore)
{
    cup_object_unref(&semaphore->base);
}

#endif

/* SPDX-License-Identifier: MIT */
/* A semaphore of somebody else's, imported from a file descriptor: of Vulkan, in this process or
 * another one. Streams signal it and wait for it.
 *
 * What kinds there are is known to struct cup_semaphore_type; each has a file of its own. A wait
 * ends when the semaphore is signalled, and also when it can no longer be: its handle was
 * destroyed, its context ended, or the process that had it died. */
#ifndef CUP_INTEROP_EXTERNAL_SEMAPHORE_H
#define CUP_INTEROP_EXTERNAL_SEMAPHORE_H

#include "core/object.h"
#include "device/context.h"

#include <cuda.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct CUstream_st;

/* What can be done with a kind of semaphore. No function blocks, unless `slow` says so. */
struct cup_semaphore_type {
    const char *name;
    /* Takes nothing over. NULL: the descriptor is not of this kind. */
    void *(*open)(int fd);
    void (*close)(void *payload);
    /* Is a wait for the value over? A binary semaphore is reset by that. */
    bool (*take)(void *payload, uint64_t value);
    void (*signal)(void *payload, uint64_t value);
    bool slow; /* `signal` may block for a while, or for ever */
    /* Can nobody signal it any more but this process, because another one died? */
    bool (*is_abandoned)(void *payload);
    /* To sleep until `take` may answer otherwise: enter, read the futex_word, take, sleep on the
     * futex_word in shared memory, leave. NULL: there is nothing to sleep on. */
    _Atomic(uint32_t) *(*futex_word)(void *payload);
    void (*enter)(void *payload);
    void (*leave)(void *payload);
};

extern const struct cup_semaphore_type cup_semaphore_type_file;        /* semaphore_file.h */
extern const struct cup_semaphore_type cup_semaphore_type_swiftshader; /* SwiftShader's own */

struct CUextSemaphore_st {
    struct cup_object base;
    struct CUctx_st *context; /* a reference is held */
    struct cup_context_child child;
    const struct cup_semaphore_type *type;
    void *payload;
    atomic_bool ended; /* the handle is gone: nobody is to wait any more */
};

struct cup_semaphore_use {
    struct CUextSemaphore_st *semaphore;
    uint64_t value; /* for a timeline semaphore */
};

void cup_external_semaphore_register(void);

/* The descriptor is closed when it succeeds. UNKNOWN: it is not that of a semaphore. */
CUresult cup_external_semaphore_import(struct CUctx_st *context, int fd,
                                       struct CUextSemaphore_st **semaphore);

/* Takes a reference; INVALID_VALUE for whatever is no semaphore. */
CUresult cup_external_semaphore_find(CUexternalSemaphore handle,
                                     struct CUextSemaphore_st **semaphore);

/* Ends the handle and every wait of this process that was begun with it. */
bool cup_external_semaphore_destroy(struct CUextSemaphore_st *semaphore,
                                    enum cup_retire_reason reason);

/* In stream order, one after the other. References of their own are taken. */
CUresult cup_external_semaphore_signal(struct CUstream_st *stream,
                                       const struct cup_semaphore_use *uses, unsigned count);
CUresult cup_external_semaphore_wait(struct CUstream_st *stream,
                                     const struct cup_semaphore_use *uses, unsigned count);

static inline void cup_external_semaphore_unref(struct CUextSemaphore_st *semaphore)
{
    cup_object_unref(&semaphore->base);
}

#endif

/* SPDX-License-Identifier: MIT */
/* The entry point: what every exported function does around its body. The functions themselves are
 * generated (entrypoints.c). Without hooks a call is counted (core/gate.h), costs one load and one
 * branch, then the precondition, then the body. With a hook it takes the slow path through
 * cup_entrypoint_enter and cup_entrypoint_leave. */
#ifndef CUP_API_ENTRYPOINT_H
#define CUP_API_ENTRYPOINT_H

#include "core/call.h"
#include "core/compiler.h"
#include "core/gate.h"
#include "core/observer.h"

#include <cuda.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define CUP_EXPORT __attribute__((visibility("default")))
#define CUP_COLD __attribute__((cold, noinline))

/* A local alias of an exported function, which no symbol of the program can interpose. */
#define CUP_LOCAL_ALIAS(symbol) __attribute__((alias(#symbol), visibility("hidden")))

static inline bool cup_entrypoint_hooked(void)
{
    return cup_call_hooks_load() != 0;
}

/* A call on the slow path. A refused call returns `result` and does nothing. */
struct cup_entrypoint_call {
    uint64_t start_ns;
    bool refused;
    bool counted;
    bool observed;
    CUresult result;
    struct cupipe_call told; /* to the observer */
};

/* `params` is a structure with the parameters, for an observer; NULL: there are none. The other
 * form takes what an observer is told of the call. Leave returns `result`. */
struct cup_entrypoint_call cup_entrypoint_enter(const struct cup_call_site *site,
                                                const uint64_t *values, const void *params);
struct cup_entrypoint_call cup_entrypoint_enter_as(const struct cup_call_site *site,
                                                   const uint64_t *values,
                                                   const struct cupipe_call *told);
/* Writes a failed call to the log that cuLogs* reads, and returns the result. Work that is not
 * ready, and calls before cuInit() or while the process exits, are no failures. */
CUP_COLD CUresult cup_entrypoint_failed(const char *function, CUresult result);

CUresult cup_entrypoint_leave(const struct cup_call_site *site, const uint64_t *values,
                              struct cup_entrypoint_call *call, CUresult result);

/* Returns the result of a function without a body. The first call of each is logged. */
CUresult cup_entrypoint_missing(const char *symbol, atomic_bool *said);

/* The answer of a function that came after the version of CUDA that CUPIPE_DRIVER chooses. */
CUP_COLD CUresult cup_entrypoint_too_new(const char *symbol, unsigned since);

/* The stream argument of a per-thread form, in which 0 means the thread's own default stream. */
static inline CUstream cup_entrypoint_stream(CUstream stream)
{
    return stream ? stream : CU_STREAM_PER_THREAD;
}

static inline uint64_t cup_entrypoint_float(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

#endif

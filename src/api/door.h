/* SPDX-License-Identifier: MIT */
/* The door: what every exported function does around its body. The functions themselves are
 * generated (doors.c): without hooks a call costs one load and one branch, then the gate, then the
 * body. With a hook the call goes the long way, through cup_door_enter and cup_door_leave. */
#ifndef CUP_API_DOOR_H
#define CUP_API_DOOR_H

#include "core/call.h"
#include "core/compiler.h"

#include <cuda.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define CUP_EXPORT __attribute__((visibility("default")))
#define CUP_COLD __attribute__((cold, noinline))

/* Another name for an exported function, which no symbol of the program can take the place of. */
#define CUP_LOCAL_ALIAS(symbol) __attribute__((alias(#symbol), visibility("hidden")))

static inline bool cup_door_hooked(void)
{
    return cup_call_hooks_load() != 0;
}

/* A call on the long way. One that is refused answers `result` and does nothing. */
struct cup_door_call {
    uint64_t start_ns;
    bool refused;
    bool counted;
    CUresult result;
};

/* Leave answers `result`. */
struct cup_door_call cup_door_enter(const struct cup_call_site *site, const uint64_t *values);
CUresult cup_door_leave(const struct cup_call_site *site, const uint64_t *values,
                        const struct cup_door_call *call, CUresult result);

/* Is this a name of an exported function, or, ending in *, the beginning of one? */
bool cup_door_knows(const char *name);

extern const char cup_door_names[];

/* What a function without a body answers. The first call of each says so in the log. */
CUresult cup_door_missing(const char *symbol, atomic_bool *said);

/* The stream argument of a per-thread form: there, 0 means the thread's own default stream. */
static inline CUstream cup_door_stream(CUstream stream)
{
    return stream ? stream : CU_STREAM_PER_THREAD;
}

static inline uint64_t cup_door_float(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

#endif

/* SPDX-License-Identifier: MIT */
/* Every function of a capability is a ladder: whatever fails, everything acquired is released from
 * `out` on. */
#ifndef LADDER_H
#define LADDER_H

#include "capabilities.h"

static inline bool succeeds(struct work *work, CUresult result, const char *call)
{
    if (result != CUDA_SUCCESS && work->result == CUDA_SUCCESS) {
        work->result = result;
        work->call = call;
    }
    return result == CUDA_SUCCESS;
}

static inline bool is_good(const struct work *work)
{
    return work->result == CUDA_SUCCESS && !work->wrong;
}

#define TRY(expression)                                                                            \
    do {                                                                                           \
        if (!succeeds(work, expression, #expression))                                              \
            goto out;                                                                              \
    } while (0)

/* Giving back may fail once, if the system is asked for something, but not twice. */
#define GIVE_BACK(expression)                                                                      \
    (void)(succeeds(work, expression, #expression) || succeeds(work, expression, #expression))

#endif

/* SPDX-License-Identifier: MIT */
/* Validates the flags of a context. */
#ifndef CUP_API_CONTEXT_FLAGS_H
#define CUP_API_CONTEXT_FLAGS_H

#include <cuda.h>
#include <stdbool.h>

/* True if all flags are known and at most one scheduling flag is set. */
static inline bool cup_api_context_flags_valid(unsigned flags)
{
    unsigned way = flags & CU_CTX_SCHED_MASK;

    return !(flags & ~(unsigned)CU_CTX_FLAGS_MASK) && !(way & (way - 1));
}

#endif

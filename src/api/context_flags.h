/* SPDX-License-Identifier: MIT */
/* Which flags a context may be given. */
#ifndef CUP_API_CONTEXT_FLAGS_H
#define CUP_API_CONTEXT_FLAGS_H

#include <cuda.h>
#include <stdbool.h>

/* Known flags, and no more than one way of waiting. */
static inline bool cup_api_context_flags_valid(unsigned flags)
{
    unsigned way = flags & CU_CTX_SCHED_MASK;

    return !(flags & ~(unsigned)CU_CTX_FLAGS_MASK) && !(way & (way - 1));
}

#endif

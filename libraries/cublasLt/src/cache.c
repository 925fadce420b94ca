/* SPDX-License-Identifier: MIT */
/* The cache of searches. A search costs less than looking it up would, so that the cache has a
 * capacity and nothing else. */
#include "lt.h"

#include <stdatomic.h>

enum { DEFAULT_CAPACITY = 8192, LINE = 32 };

static _Atomic(size_t) current = DEFAULT_CAPACITY;

cublasStatus_t cublasLtHeuristicsCacheGetCapacity(size_t *capacity)
{
    if (!capacity)
        return CUBLAS_STATUS_INVALID_VALUE;
    *capacity = atomic_load(&current);
    return CUBLAS_STATUS_SUCCESS;
}

/* Capacities are multiples of a line. */
cublasStatus_t cublasLtHeuristicsCacheSetCapacity(size_t capacity)
{
    size_t lines = capacity / LINE + (capacity % LINE != 0);

    atomic_store(&current, lines * LINE);
    return CUBLAS_STATUS_SUCCESS;
}

/* SPDX-License-Identifier: MIT */
/* Memory for signals. */
#include "memory.h"

#include <npps_support_functions.h>

#define ALLOCATE(type)                                                                             \
    Npp##type *nppsMalloc_##type(size_t size)                                                      \
    {                                                                                              \
        return npp_malloc(size, sizeof(Npp##type));                                                \
    }

ALLOCATE(16s)
ALLOCATE(16sc)
ALLOCATE(16u)
ALLOCATE(32f)
ALLOCATE(32fc)
ALLOCATE(32s)
ALLOCATE(32sc)
ALLOCATE(32u)
ALLOCATE(64f)
ALLOCATE(64fc)
ALLOCATE(64s)
ALLOCATE(64sc)
ALLOCATE(8s)
ALLOCATE(8u)

void nppsFree(void *data)
{
    npp_free(data);
}

/* SPDX-License-Identifier: MIT */
/* Memory for images. */
#include "memory.h"

#include <nppi_support_functions.h>

#define ALLOCATE(type, channels)                                                                   \
    Npp##type *nppiMalloc_##type##_C##channels(int width, int height, int *step)                   \
    {                                                                                              \
        return npp_malloc_rows(width, height, channels * sizeof(Npp##type), step);                 \
    }

ALLOCATE(16s, 1)
ALLOCATE(16s, 2)
ALLOCATE(16s, 4)
ALLOCATE(16sc, 1)
ALLOCATE(16sc, 2)
ALLOCATE(16sc, 3)
ALLOCATE(16sc, 4)
ALLOCATE(16u, 1)
ALLOCATE(16u, 2)
ALLOCATE(16u, 3)
ALLOCATE(16u, 4)
ALLOCATE(32f, 1)
ALLOCATE(32f, 2)
ALLOCATE(32f, 3)
ALLOCATE(32f, 4)
ALLOCATE(32fc, 1)
ALLOCATE(32fc, 2)
ALLOCATE(32fc, 3)
ALLOCATE(32fc, 4)
ALLOCATE(32s, 1)
ALLOCATE(32s, 3)
ALLOCATE(32s, 4)
ALLOCATE(32sc, 1)
ALLOCATE(32sc, 2)
ALLOCATE(32sc, 3)
ALLOCATE(32sc, 4)
ALLOCATE(8u, 1)
ALLOCATE(8u, 2)
ALLOCATE(8u, 3)
ALLOCATE(8u, 4)

void nppiFree(void *data)
{
    npp_free(data);
}

/* SPDX-License-Identifier: MIT */
/* The other file of offload.c: what its target regions use is linked on the device, too. */
#include "offload.h"

#pragma omp declare target
int offset = 5;

int add_offset(int value)
{
    return value + offset;
}
#pragma omp end declare target

/* SPDX-License-Identifier: MIT */
/* The interface between these tests and their kernels. */
#ifndef KERNELS_H
#define KERNELS_H

#include <stdint.h>

struct params {
    uint64_t *out;
    uint64_t count;
    volatile uint32_t *flag;
    uint64_t other;
};

#endif

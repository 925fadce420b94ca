/* SPDX-License-Identifier: MIT */
/* The names of special registers. */
#ifndef CUP_PTX_SPECIAL_H
#define CUP_PTX_SPECIAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ptx_special_register {
    const char *name;
    uint8_t special;
    uint8_t bits;
    bool triple;             /* .x, .y, .z, .w follow */
    uint8_t version, target; /* of the module: at least */
    bool block_memory;       /* for kernels with .minperctamemory */
};

/* Finds a name; *number is what follows it (%envreg3). NULL: there is none. */
const struct ptx_special_register *ptx_special_find(const char *name, size_t length,
                                                    unsigned *number);

#endif

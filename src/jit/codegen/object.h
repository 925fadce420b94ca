/* SPDX-License-Identifier: MIT */
/* From LLVM IR to an object file. */
#ifndef CUP_JIT_CODEGEN_OBJECT_H
#define CUP_JIT_CODEGEN_OBJECT_H

#include "jit/jit.h"

#include <time.h>

struct jit_unit;

bool jit_unit_optimize(struct jit_unit *unit, struct jit_result *result);
bool jit_unit_object(struct jit_unit *unit, struct jit_result *result);
/* Writes the IR to the folder that the request names, if it does (CUPIPE_DUMP). */
void jit_unit_dump(struct jit_unit *unit, const char *stage);

/* The time that jit_result counts in; the compiler is a library of its own. */
static inline uint64_t jit_clock_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

#endif

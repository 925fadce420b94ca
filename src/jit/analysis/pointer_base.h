/* SPDX-License-Identifier: MIT */
/* Which shared or local variable the address in a register points into: what it was computed from.
 * For CUPIPE_CHECK=memory. */
#ifndef CUP_JIT_ANALYSIS_POINTER_BASE_H
#define CUP_JIT_ANALYSIS_POINTER_BASE_H

#include "jit/analysis/cfg.h"

/* The root of a register or operand. A variable has a number: JIT_ROOT_VARIABLE, plus twice its
 * index, plus 1 if it is the function's own. */
enum {
    JIT_ROOT_UNSET,   /* never written */
    JIT_ROOT_NONE,    /* computed from no variable */
    JIT_ROOT_UNKNOWN, /* from several, or in a way that may leave them */
    JIT_ROOT_VARIABLE,
};

/* Returns an array over the registers of the function. */
uint32_t *jit_roots_find(const struct jit_cfg *cfg, struct jit_workspace *workspace,
                         const struct ptx_program *program);

/* The root of an operand that is an address. */
uint32_t jit_root_of(const uint32_t *roots, const struct ptx_program *program,
                     const struct ptx_function *function, const struct ptx_operand *operand);

static inline uint32_t jit_root_index(uint32_t root)
{
    return (root - JIT_ROOT_VARIABLE) / 2;
}

static inline bool jit_root_is_own(uint32_t root)
{
    return (root - JIT_ROOT_VARIABLE) % 2;
}

#endif

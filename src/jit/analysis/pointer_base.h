/* SPDX-License-Identifier: MIT */
/* Pointer base analysis: which shared or local variable the address in a register was computed
 * from. For CUPIPE_CHECK=memory. */
#ifndef CUP_JIT_ANALYSIS_POINTER_BASE_H
#define CUP_JIT_ANALYSIS_POINTER_BASE_H

#include "jit/analysis/cfg.h"

/* The base of a register or operand. A variable has the number JIT_BASE_VARIABLE, plus twice its
 * index, plus 1 if it is the function's own. */
enum {
    JIT_BASE_UNSET,   /* never written */
    JIT_BASE_NONE,    /* computed from no variable */
    JIT_BASE_UNKNOWN, /* from several, or in a way that may leave them */
    JIT_BASE_VARIABLE,
};

/* Returns an array of the bases of the function's registers. */
uint32_t *jit_pointer_bases_find(const struct jit_cfg *cfg, struct jit_workspace *workspace,
                                 const struct ptx_program *program);

/* The base of an operand that is an address. */
uint32_t jit_pointer_base_of(const uint32_t *bases, const struct ptx_program *program,
                             const struct ptx_function *function,
                             const struct ptx_operand *operand);

static inline uint32_t jit_pointer_base_variable(uint32_t base)
{
    return (base - JIT_BASE_VARIABLE) / 2;
}

static inline bool jit_pointer_base_is_own(uint32_t base)
{
    return (base - JIT_BASE_VARIABLE) % 2;
}

#endif

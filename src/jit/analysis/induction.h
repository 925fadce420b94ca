/* SPDX-License-Identifier: MIT */
/* Induction variables: addresses that advance by the same number of bytes in each iteration of a
 * loop. */
#ifndef CUP_JIT_ANALYSIS_INDUCTION_H
#define CUP_JIT_ANALYSIS_INDUCTION_H

#include "ptx/program.h"

struct jit_function;

/* An address that is an induction variable. If a 32-bit register, the index, was extended to
 * compute it, it is one until the index wraps. */
struct jit_induction_address {
    uint32_t index; /* the register, or PTX_NO_REGISTER */
    bool index_signed;
};

/* The analysis of one loop; opaque. */
struct jit_induction_loop;

/* Analyses a component. Returns NULL unless it is an innermost loop, is entered at its head only,
 * and neither calls, nor waits, nor synchronises. */
struct jit_induction_loop *jit_induction_analyse(const struct jit_function *function,
                                                 uint32_t component);

/* Whether all lanes in the loop execute the instruction of a node of the loop once in each
 * iteration, and its address is an induction variable with the same step in all lanes. For the
 * uniform variant. */
bool jit_induction_is_address(struct jit_induction_loop *loop, uint32_t node,
                              const struct ptx_instruction *instruction,
                              struct jit_induction_address *address);

#endif

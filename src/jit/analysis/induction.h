/* SPDX-License-Identifier: MIT */
/* Loops, and which addresses advance evenly in them: by the same number of bytes in each
 * iteration. */
#ifndef CUP_JIT_ANALYSIS_INDUCTION_H
#define CUP_JIT_ANALYSIS_INDUCTION_H

#include "ptx/program.h"

struct jit_body;

/* An address that advances evenly, if it is computed in 64 bits. If a part of it has 32 bits, it
 * advances evenly until that part, the index, wraps. */
struct jit_even_address {
    uint32_t index; /* the register, or PTX_NO_REGISTER */
    bool index_signed;
};

/* What is known of the loop that is looked at; opaque. */
struct jit_even_loop;

/* Looks at a component. Returns NULL unless it has no loop in it, is entered at its head only, and
 * neither calls, nor waits, nor synchronises. */
struct jit_even_loop *jit_even_look(const struct jit_body *body, uint32_t component);

/* Whether the instruction of a node of the loop is executed once in each iteration by all lanes
 * that are in the loop, and its address advances evenly, by the same number in all lanes. For the
 * uniform variant. */
bool jit_even_is_address(struct jit_even_loop *loop, uint32_t node,
                         const struct ptx_instruction *instruction,
                         struct jit_even_address *address);

#endif

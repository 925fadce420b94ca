/* SPDX-License-Identifier: MIT */
/* CUPIPE_CHECK=memory in shared and local memory. */
#ifndef CUP_JIT_INSTRUMENT_BOUNDS_H
#define CUP_JIT_INSTRUMENT_BOUNDS_H

#include "jit/emit/value.h"

/* Tests that an access (enum cup_abi_access) of `bytes` bytes a lane stays in its variable. */
void jit_check_bounds(struct jit_emitter *e, const struct ptx_instruction *instruction,
                      const struct ptx_operand *operand, struct jit_value address, unsigned bytes,
                      uint32_t access);

#endif

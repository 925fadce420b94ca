/* SPDX-License-Identifier: MIT */
/* The quick path of checks: consecutive lanes test their shadow without the service. */
#ifndef CUP_JIT_INSTRUMENT_UNINITIALISED_H
#define CUP_JIT_INSTRUMENT_UNINITIALISED_H

#include "jit/emit/value.h"

/* Whether lanes that access `bytes` bytes at these addresses access one run of memory. */
bool jit_check_is_run(const struct jit_emitter *e, const struct ptx_instruction *instruction,
                      struct jit_value address, unsigned bytes);
/* Emits the test of CUPIPE_CHECK=init for such an access (enum cup_abi_access). The code continues
 * in `done`, or in `service` if the service has to look. */
void jit_check_inline(struct jit_emitter *e, const struct ptx_instruction *instruction,
                      struct jit_value address, uint32_t access, unsigned bytes,
                      LLVMBasicBlockRef done, LLVMBasicBlockRef service);

#endif

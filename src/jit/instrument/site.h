/* SPDX-License-Identifier: MIT */
/* Used by all checks: the site of an instruction, a word of each lane in memory, and tests. */
#ifndef CUP_JIT_INSTRUMENT_SITE_H
#define CUP_JIT_INSTRUMENT_SITE_H

#include "abi/check.h"
#include "ptx/program.h"

#include <llvm-c/Core.h>

struct jit_body;

/* The site of an instruction, for accesses that the runtime reports; 0 without checks. */
uint32_t jit_check_site(const struct jit_body *body, const struct ptx_instruction *instruction);

enum cup_abi_order jit_check_order(const struct ptx_instruction *instruction);

/* Stores the words of all lanes for a service, and returns where. */
LLVMValueRef jit_check_words(struct jit_body *body, LLVMValueRef lanes);

/* Continues in a new block if the condition holds, which is `times` as likely as not, and elsewhere
 * otherwise. */
void jit_check_go_on_if(struct jit_body *body, LLVMValueRef condition, LLVMBasicBlockRef otherwise,
                        unsigned times);

#endif

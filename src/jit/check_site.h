/* SPDX-License-Identifier: MIT */
/* What all checks pass to their services: the site of the instruction, and a word of each lane. */
#ifndef CUP_JIT_CHECK_SITE_H
#define CUP_JIT_CHECK_SITE_H

#include "ptx/program.h"

#include <llvm-c/Core.h>

struct jit_body;

/* The site of an instruction, for accesses of which the runtime tells; 0 without checks. */
uint32_t jit_check_site(const struct jit_body *body, const struct ptx_instruction *instruction);

/* Stores the words of all lanes for a service, and returns where. */
LLVMValueRef jit_check_words(struct jit_body *body, LLVMValueRef lanes);

#endif

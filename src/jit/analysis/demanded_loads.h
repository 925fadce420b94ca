/* SPDX-License-Identifier: MIT */
/* Loads that must happen even if the optimiser finds their values unused: a load from an invalid
 * address ends the launch. */
#ifndef CUP_JIT_ANALYSIS_DEMANDED_LOADS_H
#define CUP_JIT_ANALYSIS_DEMANDED_LOADS_H

#include <llvm-c/Core.h>

struct jit_body;
struct jit_unit;

/* Keeps the load alive through the optimiser. */
void jit_needed_keep(struct jit_body *body, LLVMValueRef load);
/* Removes what keeps the loads alive; called before machine code is generated. */
void jit_needed_settle(struct jit_unit *unit);

#endif

/* SPDX-License-Identifier: MIT */
/* Code that counts itself, for profiles: how often each run of instructions is executed and by how
 * many lanes, and which memory is accessed. Does nothing unless the request asks for it. */
#ifndef CUP_JIT_INSTRUMENT_COUNTERS_H
#define CUP_JIT_INSTRUMENT_COUNTERS_H

#include "ptx/program.h"

#include <llvm-c/Core.h>

struct jit_emitter;
struct jit_unit;

/* Where lanes (i32) begin a node. */
void jit_count_node(struct jit_emitter *e, uint32_t node, LLVMValueRef lanes);
/* Before a load, store or atomic. */
void jit_count_access(struct jit_emitter *e, const struct ptx_instruction *instruction);
/* After the last function: adds the table of counters to the module. */
void jit_counters_end(struct jit_unit *unit);

#endif

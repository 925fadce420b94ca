/* SPDX-License-Identifier: MIT */
/* Debug information as DWARF: the source line of each instruction, from .loc or
 * else the line of the PTX text; the functions, those inlined by the CUDA compiler too; the PTX
 * registers as variables named without their %; threadIdx, blockIdx, blockDim and gridDim. A
 * register is an array over the lanes, unless lanes run one at a time.
 *
 * Variables are for code to step through only. All functions do nothing unless the request asks
 * for lines or is for a debugger. */
#ifndef CUP_JIT_DEBUGINFO_DWARF_H
#define CUP_JIT_DEBUGINFO_DWARF_H

#include "ptx/program.h"

#include <llvm-c/Core.h>

struct jit_emitter;
struct jit_unit;

void jit_debug_begin(struct jit_unit *unit);
/* Before passes run. */
void jit_debug_end(struct jit_unit *unit);
/* Frees what LLVM does not own; also after a failure. */
void jit_debug_dispose(struct jit_unit *unit);

/* The LLVM function of the emitter is the PTX function. What is emitted before its first
 * instruction has no line: so a breakpoint at the function is at that instruction. */
void jit_debug_function(struct jit_emitter *e);
/* Declares the variables that show which threads the vector runs; their memory is written here. */
void jit_debug_position(struct jit_emitter *e);
/* The code that follows is that of the instruction; NULL: of none. */
void jit_debug_instruction(struct jit_emitter *e, const struct ptx_instruction *instruction);
/* The register, of this type, is kept in this memory. */
void jit_debug_register(struct jit_emitter *e, uint32_t reg, enum ptx_type type, LLVMValueRef slot);

#endif

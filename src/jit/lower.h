/* SPDX-License-Identifier: MIT */
/* What one instruction computes, lane by lane. Everything here is the same for a scalar and for a
 * vector of lanes: LLVM's operations are. Who asks decides which of the two the values are; a
 * lowering never looks at masks, control flow or memory.
 *
 * Values are in the representation of the instruction's types, not of the registers: integers and
 * untyped bits of n bits are iN, .f32 float, .f64 double, .f16 and .bf16 i16 (the bits), packed
 * pairs i32, .pred i1, .b128 i128. The caller converts registers to and from that. */
#ifndef CUP_JIT_LOWER_H
#define CUP_JIT_LOWER_H

#include "ptx/program.h"

#include <llvm-c/Core.h>

struct jit_lower {
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMBuilderRef builder;
    unsigned lanes;        /* 1: scalars */
    LLVMValueRef services; /* pointer to struct cup_abi_services, for operations that need a call */
    LLVMValueRef entry_allocas; /* an instruction in the entry block: allocas go before it */
    bool raw_nan; /* leave the NaNs of .f32 and .f64 arithmetic as the CPU makes them: see below */
};

enum { JIT_LOWER_MAX_OPERANDS = 6 };

/* Is it an instruction that works lane by lane? Then operand_types gets the type of each source and
 * of the results, in order (PTX_TYPE_NONE beyond), and the counts. Carry chains: an instruction
 * that reads the carry has it as its last source (PRED), one that writes it as its last result
 * (PRED). A setp's or set's third source (PRED), and p|q, are sources and results like others. */
bool jit_lower_shape(const struct ptx_instruction *instruction, enum ptx_type *source_types,
                     unsigned *source_count, enum ptx_type *result_types, unsigned *result_count);

/* With raw_nan: can the result of it be a NaN with other bits than NVIDIA's? */
bool jit_lower_makes_nan(const struct ptx_instruction *instruction);
LLVMValueRef jit_lower_canonical_nan(struct jit_lower *lower, LLVMValueRef value);
/* Which registers of a function may hold such NaNs: raw has an entry for each register. Whoever
 * writes one of them sets raw_nan; whoever reads one for an instruction that sees the difference
 * makes it canonical, which is nothing for one of .f64 (lower_nan.c says why). depth and seen are
 * room for it, zeroed: one for each instruction and two more; one for each register. */
void jit_lower_raw_registers(const struct ptx_function *function, bool *raw, int *depth,
                             bool *seen);
bool jit_lower_sees_nan(const struct ptx_instruction *instruction, unsigned source,
                        const bool *raw);

/* Emits it. The "!" of a predicate operand has been applied by the caller; the "-" of vmad's
 * operands, selectors, masks and lop3's table are read from the instruction. False: not known after
 * all (the log says it at load, so this is a defect). */
bool jit_lower_emit(struct jit_lower *lower, const struct ptx_instruction *instruction,
                    const LLVMValueRef *sources, LLVMValueRef *results);

#endif

/* SPDX-License-Identifier: MIT */
/* Lowering: what one instruction computes, lane by lane. The code is the same for a scalar and for
 * a vector of lanes, as LLVM's operations are; the caller decides which of the two the values are.
 * A lowering knows nothing of masks, control flow or memory.
 *
 * Values are in the representation of the instruction's types, not of the registers: integers and
 * untyped bits of n bits are iN, .f32 is float, .f64 double, .f16 and .bf16 are i16 (the bits),
 * packed pairs i32, .pred i1, .b128 i128. The caller converts registers to and from that. */
#ifndef CUP_JIT_LOWER_LOWER_H
#define CUP_JIT_LOWER_LOWER_H

#include "ptx/program.h"

#include <llvm-c/Core.h>

struct jit_lower {
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMBuilderRef builder;
    unsigned lanes;        /* 1: scalars */
    LLVMValueRef services; /* pointer to struct cup_abi_services, for operations that need a call */
    LLVMValueRef entry_allocas; /* an instruction in the entry block: allocas go before it */
    bool first_tier;            /* compile time counts more than run time */
    bool fast_math;             /* approximate instructions need not have the device's bits */
    bool byte_products;         /* the processor has AVX-512's VBMI and VNNI */
    bool raw_nan; /* leave the NaNs of .f32 and .f64 arithmetic as the CPU makes them: see below */
};

enum { JIT_LOWER_MAX_OPERANDS = 6 };

/* Whether the instruction works lane by lane. If so, stores the types of its sources and results in
 * order (PTX_TYPE_NONE beyond) and their numbers. An instruction that reads the carry has it as its
 * last source (PRED), one that writes it as its last result (PRED). The third source of setp and
 * set (PRED), and p|q, are sources and results like others. */
bool jit_lower_shape(const struct ptx_instruction *instruction, enum ptx_type *source_types,
                     unsigned *source_count, enum ptx_type *result_types, unsigned *result_count);

/* Whether its result can be a NaN with other bits than NVIDIA's if raw_nan is set. */
bool jit_lower_makes_nan(const struct ptx_instruction *instruction);
LLVMValueRef jit_lower_canonical_nan(struct jit_lower *lower, LLVMValueRef value);
/* Finds the registers of a function that may hold such NaNs: raw has an entry for each register.
 * doubles: whether those of .f64 may, too.
 * Code that writes one of them sets raw_nan; code that reads one for an instruction that observes
 * the difference canonicalises it, which does nothing for .f64 (nan.c says why). depth and
 * seen are zeroed scratch memory: an entry for each instruction and two more; one for each
 * register. */
void jit_lower_raw_registers(const struct ptx_function *function, bool doubles, bool *raw,
                             int *depth, bool *seen);
bool jit_lower_sees_nan(const struct ptx_instruction *instruction, unsigned source,
                        const bool *raw);

/* Emits the instruction. The caller has applied the "!" of predicate operands; the "-" of vmad's
 * operands, selectors, masks and lop3's table are read from the instruction. False: the instruction
 * is not supported, which the parser should have reported. */
bool jit_lower_emit(struct jit_lower *lower, const struct ptx_instruction *instruction,
                    const LLVMValueRef *sources, LLVMValueRef *results);

#endif

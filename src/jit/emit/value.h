/* SPDX-License-Identifier: MIT */
/* A value of all lanes while code is emitted: a scalar with a stride, or a vector. */
#ifndef CUP_JIT_EMIT_VALUE_H
#define CUP_JIT_EMIT_VALUE_H

#include "ptx/program.h"

#include <llvm-c/Core.h>

struct jit_emitter;

struct jit_value {
    LLVMValueRef value; /* the scalar of lane 0, or a vector */
    int64_t stride;     /* of scalars: from lane to lane */
    bool vector;
    int64_t jump; /* of scalars: added in lanes 16 and up */
};

/* Whether it is the same in all lanes. */
static inline bool jit_value_is_uniform(const struct jit_value *value)
{
    return !value->vector && value->stride == 0 && value->jump == 0;
}

struct jit_value jit_scalar(LLVMValueRef value, int64_t stride);
struct jit_value jit_vector(LLVMValueRef value);
/* The value as a vector. */
LLVMValueRef jit_value_vector(struct jit_emitter *e, struct jit_value value);
/* Its first lane, of what is the same in all. */
LLVMValueRef jit_value_first(struct jit_emitter *e, struct jit_value value);
/* Converts between the representations of two types: the bits stay, and are extended or cut. */
struct jit_value jit_value_retype(struct jit_emitter *e, struct jit_value value, enum ptx_type from,
                                  enum ptx_type to);
/* Replaces the CPU's NaNs by NVIDIA's. */
struct jit_value jit_value_canonical(struct jit_emitter *e, struct jit_value value);

#endif

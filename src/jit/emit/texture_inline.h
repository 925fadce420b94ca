/* SPDX-License-Identifier: MIT */
/* Texture fetches and surface accesses in place: compiled code reads simple images itself, after
 * the runtime has filled struct cup_abi_texture_plain. */
#ifndef CUP_JIT_EMIT_TEXTURE_INLINE_H
#define CUP_JIT_EMIT_TEXTURE_INLINE_H

#include "jit/analysis/uniformity.h"
#include "jit/emit/image_op.h"

/* How a sample can be done in place, if the texture allows it: enum cup_abi_texture_inline. */
uint8_t jit_inline_sample_form(const struct jit_emitter *e, const struct jit_image_op *op);
void jit_inline_sample(struct jit_emitter *e, struct jit_image_op *op);

/* Loads a field of struct cup_abi_texture_plain. */
LLVMValueRef jit_inline_field(struct jit_emitter *e, const struct jit_image_op *op, size_t offset,
                              LLVMTypeRef type);
/* Continues in place if the handle is the known one; if the condition holds. Else the cold path
 * is taken. */
void jit_inline_begin(struct jit_emitter *e, const struct jit_image_op *op);
void jit_inline_require(struct jit_emitter *e, const struct jit_image_op *op,
                        LLVMValueRef condition);

/* A coordinate that is an integer converted to float, plus or minus a uniform value
 * (texture_coordinates.c). The integer is uniform or counts lanes. */
struct jit_counter {
    const struct ptx_instruction *from[2]; /* what computes it: cvt, then perhaps add or sub */
    unsigned count;
    const struct ptx_operand *by;     /* what is added or subtracted, or NULL */
    struct jit_uniformity uniformity; /* of the integer: uniform, or affine of stride 1 */
};

/* Finds it for an operand of instruction `at`; false: the coordinate is none. */
bool jit_counter_find(const struct jit_emitter *e, const struct ptx_operand *operand, uint32_t at,
                      struct jit_counter *counter);
/* Whether the texel's number is the integer plus *shift, without any rounding. */
bool jit_counter_is_exact(const struct jit_counter *counter, int32_t *shift);
/* The integer of lane 0, and the coordinate of the lane that has this integer. */
LLVMValueRef jit_counter_integer(struct jit_emitter *e, const struct jit_counter *counter);
LLVMValueRef jit_counter_coordinate(struct jit_emitter *e, const struct jit_counter *counter,
                                    LLVMValueRef integer);

#endif

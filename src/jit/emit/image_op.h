/* SPDX-License-Identifier: MIT */
/* A texture or surface instruction while it is emitted: its operands, and the call of the runtime.
 */
#ifndef CUP_JIT_EMIT_IMAGE_OP_H
#define CUP_JIT_EMIT_IMAGE_OP_H

#include "abi/texture.h"
#include "jit/emit/value.h"

struct jit_cold_path;

struct jit_image_op {
    const struct ptx_instruction *instruction;
    struct cup_abi_texture_call shape;
    struct jit_value handle;
    LLVMValueRef call;               /* the structure that the runtime gets */
    struct jit_cold_path *cold_path; /* of an instruction that is executed inline; else NULL */
    LLVMValueRef values[CUP_ABI_TEXTURE_ARRAYS]; /* vectors: the operands that were read */
};

/* An element of a vector operand, or the whole operand; NULL: there is none. */
const struct ptx_operand *jit_image_part(const struct jit_emitter *e,
                                         const struct ptx_operand *operand, unsigned part);
/* The number of enum cup_geometry; -1: the instruction names none. */
int jit_image_geometry(const struct ptx_instruction *i);
/* The variable whose address the operand of instruction `before` is; NULL: not known in the node.
 */
const struct ptx_variable *jit_image_variable(const struct jit_emitter *e,
                                              const struct ptx_operand *operand,
                                              const struct ptx_instruction *before);
/* Marks an array of the call as used, for operands or results. */
void jit_image_mark(struct jit_image_op *op, unsigned which);
/* Reads an operand, a vector of coordinates with its layer and sample, or a vector along the axes.
 */
void jit_image_read(struct jit_emitter *e, struct jit_image_op *op, unsigned which,
                    const struct ptx_operand *operand, enum ptx_type type);
void jit_image_read_coordinates(struct jit_emitter *e, struct jit_image_op *op,
                                const struct ptx_operand *operand);
void jit_image_read_axes(struct jit_emitter *e, struct jit_image_op *op, unsigned which,
                         const struct ptx_operand *operand);
/* Reads the handle and makes the structure of the call. */
void jit_image_prepare(struct jit_emitter *e, struct jit_image_op *op);
/* Stores the operands and calls the runtime. */
void jit_image_ask(struct jit_emitter *e, struct jit_image_op *op);
/* Loads result `part` of the call, a vector. */
LLVMValueRef jit_image_result(struct jit_emitter *e, unsigned part, LLVMTypeRef element);

#endif

/* SPDX-License-Identifier: MIT */
/* What the files about textures and surfaces share: an instruction with its operands, and how the
 * runtime is asked for it. */
#ifndef CUP_JIT_TEXTURE_H
#define CUP_JIT_TEXTURE_H

#include "jit/compile.h"

struct jit_image_op {
    const struct ptx_instruction *instruction;
    struct cup_abi_texture_call shape;
    struct jit_value handle;
    LLVMValueRef call;         /* the structure that the runtime gets */
    struct jit_detour *detour; /* done in place: where the rest of the node goes on
                                  if it cannot be; else NULL */
    LLVMValueRef values[CUP_ABI_TEXTURE_ARRAYS]; /* vectors, of what is read */
};

/* An element of a vector operand, or the whole; NULL: there is none. */
const struct ptx_operand *jit_image_part(const struct jit_body *body,
                                         const struct ptx_operand *operand, unsigned part);
/* The numbers of enum cup_geometry; -1: none that there is. */
int jit_image_geometry(const struct ptx_instruction *i);
/* The variable whose address the operand of an instruction is, if the node tells; else NULL. */
const struct ptx_variable *jit_image_variable(const struct jit_body *body,
                                              const struct ptx_operand *operand,
                                              const struct ptx_instruction *before);
/* The instruction has that array, for operands or results. */
void jit_image_mark(struct jit_image_op *op, unsigned which);
void jit_image_read(struct jit_body *body, struct jit_image_op *op, unsigned which,
                    const struct ptx_operand *operand, enum ptx_type type);
void jit_image_read_coordinates(struct jit_body *body, struct jit_image_op *op,
                                const struct ptx_operand *operand);
/* The handle is read and the call's structure made; then the operands go into its arrays and the
 * runtime does the lanes. */
void jit_image_prepare(struct jit_body *body, struct jit_image_op *op);
void jit_image_ask(struct jit_body *body, struct jit_image_op *op);
/* A vector of what the runtime answered. */
LLVMValueRef jit_image_result(struct jit_body *body, unsigned part, LLVMTypeRef element);

/* ---- In place: texture_place.c ---- */

/* How a sample may be done in place, if the texture allows it: enum cup_abi_texture_place. */
uint8_t jit_place_of_sample(const struct jit_body *body, const struct jit_image_op *op);
void jit_place_sample(struct jit_body *body, struct jit_image_op *op);

/* What compiled code knows of the image: a field of struct cup_abi_texture_plain. */
LLVMValueRef jit_place_field(struct jit_body *body, const struct jit_image_op *op, size_t offset,
                             LLVMTypeRef type);
/* Goes on in place if the handle is the one that is known, if the condition holds; else the runtime
 * is asked, and the rest of the node follows there. */
void jit_place_begin(struct jit_body *body, const struct jit_image_op *op);
void jit_place_only_if(struct jit_body *body, const struct jit_image_op *op,
                       LLVMValueRef condition);
/* ---- Others ---- */

void jit_emit_surface(struct jit_body *body, const struct ptx_instruction *i);
void jit_emit_image_query(struct jit_body *body, const struct ptx_instruction *i);
void jit_emit_image_type(struct jit_body *body, const struct ptx_instruction *i);

#endif

/* SPDX-License-Identifier: MIT */
/* What the files about textures and surfaces share: an instruction with its operands, and how the
 * runtime is asked for it. */
#ifndef CUP_JIT_TEXTURE_H
#define CUP_JIT_TEXTURE_H

#include "jit/compile.h"

struct cup_image_op {
    const struct ptx_instruction *instruction;
    struct cup_texture_call shape;
    struct cup_value handle;
    LLVMValueRef call;                       /* the structure that the runtime gets */
    struct cup_detour *detour;               /* done in place: where the rest of the node goes on
                                                if it cannot be; else NULL */
    LLVMValueRef values[CUP_TEXTURE_ARRAYS]; /* vectors, of what is read */
};

/* An element of a vector operand, or the whole; NULL: there is none. */
const struct ptx_operand *cup_image_part(const struct cup_body *body,
                                         const struct ptx_operand *operand, unsigned part);
/* The numbers of enum cup_geometry; -1: none that there is. */
int cup_image_geometry(const struct ptx_instruction *i);
/* The variable whose address the operand of an instruction is, if the node tells; else NULL. */
const struct ptx_variable *cup_image_variable(const struct cup_body *body,
                                              const struct ptx_operand *operand,
                                              const struct ptx_instruction *before);
/* The instruction has that array, for operands or results. */
void cup_image_mark(struct cup_image_op *op, unsigned which);
void cup_image_read(struct cup_body *body, struct cup_image_op *op, unsigned which,
                    const struct ptx_operand *operand, enum ptx_type type);
void cup_image_read_coordinates(struct cup_body *body, struct cup_image_op *op,
                                const struct ptx_operand *operand);
/* The handle is read and the call's structure made; then the operands go into its arrays and the
 * runtime does the lanes. */
void cup_image_prepare(struct cup_body *body, struct cup_image_op *op);
void cup_image_ask(struct cup_body *body, struct cup_image_op *op);
/* A vector of what the runtime answered. */
LLVMValueRef cup_image_result(struct cup_body *body, unsigned part, LLVMTypeRef element);

/* ---- In place: texture_place.c ---- */

/* How a sample may be done in place, if the texture allows it: enum cup_texture_place. */
uint8_t cup_place_of_sample(const struct cup_body *body, const struct cup_image_op *op);
void cup_place_sample(struct cup_body *body, struct cup_image_op *op);

/* What compiled code knows of the image: a field of struct cup_texture_plain. */
LLVMValueRef cup_place_field(struct cup_body *body, const struct cup_image_op *op, size_t offset,
                             LLVMTypeRef type);
/* Goes on in place if the handle is the one that is known, if the condition holds; else the runtime
 * is asked, and the rest of the node follows there. */
void cup_place_begin(struct cup_body *body, const struct cup_image_op *op);
void cup_place_only_if(struct cup_body *body, const struct cup_image_op *op,
                       LLVMValueRef condition);
/* ---- Others ---- */

void cup_emit_surface(struct cup_body *body, const struct ptx_instruction *i);
void cup_emit_image_query(struct cup_body *body, const struct ptx_instruction *i);
void cup_emit_image_type(struct cup_body *body, const struct ptx_instruction *i);

#endif

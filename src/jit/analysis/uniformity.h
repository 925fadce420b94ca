/* SPDX-License-Identifier: MIT */
/* The class of a register says how its lanes are kept: uniform is one scalar; affine is the scalar
 * of lane 0 and a constant stride from lane to lane; varying is a vector. */
#ifndef CUP_JIT_ANALYSIS_UNIFORMITY_H
#define CUP_JIT_ANALYSIS_UNIFORMITY_H

#include "ptx/program.h"

struct jit_body;

enum jit_class_kind { JIT_CLASS_NONE, JIT_CLASS_UNIFORM, JIT_CLASS_AFFINE, JIT_CLASS_VARYING };

struct jit_class {
    uint8_t kind;
    bool aligned; /* affine of stride 1; lane 0 is a multiple of the width and at most 1023 */
    int64_t stride;
    int64_t jump; /* added in lanes 16 and up: where a warp is two rows of 16 threads */
};

/* The class of an instruction's result, an operand or an address, given the registers' classes. */
struct jit_class jit_class_of_result(const struct jit_body *body, const struct jit_class *classes,
                                     bool divergent, const struct ptx_instruction *instruction);
struct jit_class jit_class_of_operand(const struct jit_body *body, const struct jit_class *classes,
                                      const struct ptx_operand *operand);
struct jit_class jit_class_of_address(const struct jit_body *body, const struct jit_class *classes,
                                      const struct ptx_operand *operand);
/* Computes the classes of all registers of a body, in one of its two variants. */
void jit_classes_make(const struct jit_body *body, struct jit_class *classes, bool divergent);
/* Whether the type is an integer of 32 or 64 bits, and of so many bits. */
bool jit_type_is_word(uint8_t type);
bool jit_type_is_integer(uint8_t type, unsigned bits);
/* The index of the 32-bit source whose lanes must not wrap for the scalar form to be right; -1:
 * there is none. */
int jit_class_widens(const struct jit_body *body, const struct jit_class *classes,
                     const struct ptx_instruction *instruction);

#endif

/* SPDX-License-Identifier: MIT */
/* Uniformity analysis: how the value of a register varies over the lanes. A uniform value is one
 * scalar; an affine value is the scalar of lane 0 and a constant stride from lane to lane; a
 * varying value is a vector. */
#ifndef CUP_JIT_ANALYSIS_UNIFORMITY_H
#define CUP_JIT_ANALYSIS_UNIFORMITY_H

#include "ptx/program.h"

struct jit_function;

enum jit_uniformity_kind {
    JIT_UNIFORMITY_NONE, /* not known yet */
    JIT_UNIFORM,
    JIT_AFFINE,
    JIT_VARYING,
};

struct jit_uniformity {
    uint8_t kind;
    bool aligned; /* affine of stride 1; lane 0 is a multiple of the width and at most 1023 */
    int64_t stride;
    int64_t jump; /* added in lanes 16 and up: where a warp is two rows of 16 threads */
};

/* The uniformity of an instruction's result, an operand or an address. `uniformities` has an entry
 * per register. */
struct jit_uniformity jit_uniformity_of_result(const struct jit_function *function,
                                               const struct jit_uniformity *uniformities,
                                               bool divergent,
                                               const struct ptx_instruction *instruction);
struct jit_uniformity jit_uniformity_of_operand(const struct jit_function *function,
                                                const struct jit_uniformity *uniformities,
                                                const struct ptx_operand *operand);
struct jit_uniformity jit_uniformity_of_address(const struct jit_function *function,
                                                const struct jit_uniformity *uniformities,
                                                const struct ptx_operand *operand);
/* Computes the uniformity of all registers of a function, in one of its two variants. */
void jit_uniformity_analyse(const struct jit_function *function,
                            struct jit_uniformity *uniformities, bool divergent);
/* Whether the type is an integer of 32 or 64 bits, and of so many bits. */
bool jit_type_is_word(uint8_t type);
bool jit_type_is_integer(uint8_t type, unsigned bits);
/* The index of the affine 32-bit source that the instruction extends to 64 bits; -1: there is none.
 * Its result is affine only while no lane of the source wraps. */
int jit_uniformity_widened_source(const struct jit_function *function,
                                  const struct jit_uniformity *uniformities,
                                  const struct ptx_instruction *instruction);

#endif

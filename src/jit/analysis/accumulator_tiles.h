/* SPDX-License-Identifier: MIT */
/* Which registers are kept in tiles, and where. C and D of a product share their places: they are
 * the same registers, or, where a compiler gives each sum a name of its own, C is not needed
 * after the product. */
#ifndef CUP_JIT_ANALYSIS_ACCUMULATOR_TILES_H
#define CUP_JIT_ANALYSIS_ACCUMULATOR_TILES_H

#include "ptx/program.h"

#include <stdbool.h>

struct jit_function;

/* Sets function->tile_places, which are counted from 1 on (0: the register is in no tile), and
 * function->tile_count, which is at most `most`. */
void jit_tiles_assign(struct jit_function *function, unsigned most);

/* Whether the runtime multiplies the instruction's matrices in tiles, and its operand C. */
bool jit_tiles_suit(const struct ptx_instruction *instruction);
const struct ptx_operand *jit_tiles_c_of(const struct ptx_instruction *instruction);

#endif

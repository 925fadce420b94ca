/* SPDX-License-Identifier: MIT */
/* Loads of vectors of which some elements are unused. */
#ifndef CUP_JIT_TRANSFORM_LOAD_NARROWING_H
#define CUP_JIT_TRANSFORM_LOAD_NARROWING_H

struct jit_unit;

/* Makes them loads of the elements that are used, where NVIDIA's compiler does: such a load needs
 * less alignment. The unit gets a program of its own if there are any. */
void jit_unit_narrow_loads(struct jit_unit *unit);

#endif

/* SPDX-License-Identifier: MIT */
/* Products and sums that the device computes as one operation. */
#ifndef CUP_JIT_TRANSFORM_FMA_CONTRACTION_H
#define CUP_JIT_TRANSFORM_FMA_CONTRACTION_H

#include <stdint.h>

struct jit_unit;

/* Makes products and sums without a rounding modifier one fma where NVIDIA's compiler does. The
 * unit gets a program of its own if there are any. */
void jit_unit_contract(struct jit_unit *unit);
/* The index that an instruction of the unit's program has in the program of the request, which has
 * the products as well. The driver gets indices of that program. */
uint32_t jit_unit_origin(const struct jit_unit *unit, uint32_t function, uint32_t index);

#endif

/* SPDX-License-Identifier: MIT */
/* Products and sums that the device computes as one operation. */
#ifndef CUP_JIT_CONTRACT_H
#define CUP_JIT_CONTRACT_H

struct jit_unit;

/* Makes products and sums without a rounding modifier one fma where NVIDIA's compiler does. The
 * unit gets a program of its own if there are any. */
void jit_unit_contract(struct jit_unit *unit);

#endif

/* SPDX-License-Identifier: MIT */
/* The parts of the special function unit of sm_90: its squarer and its quadratics. */
#ifndef CUP_JIT_LOWER_SFU_H
#define CUP_JIT_LOWER_SFU_H

#include "jit/lower/builder.h"
#include "jit/lower/sfu_tables.h"

/* Whether the processor's own operations on bytes are used (sfu_square.c). */
bool low_sfu_has_byte_products(const struct jit_lower *l);
/* If so, computes over the lanes of one register at a time; the functions below need that. */
typedef low_value low_sfu_part(struct jit_lower *l, enum jit_sfu_name name, low_value a,
                               low_value b);
low_value low_sfu_by_registers(struct jit_lower *l, low_sfu_part *compute, enum jit_sfu_name name,
                               low_value a, low_value b);
/* The square of 17 bits as the unit computes it, over 2^19; 15 bits. */
low_value low_sfu_square(struct jit_lower *l, low_value x);
/* The lower 16 bits of `pair`, signed, times a square. */
low_value low_sfu_times_square(struct jit_lower *l, low_value pair, low_value square);
/* Whether floats are not finite, not normal or not above 0: for each lane, or, of all lanes, for
 * some of them together. */
low_value low_sfu_not_positive(struct jit_lower *l, low_value a);

/* Both words of entry `index` of a constant of the module, in each lane (sfu_quadratic.c). */
void low_sfu_look_up(struct jit_lower *l, const char *name, const uint64_t *values, unsigned count,
                     low_value index, low_value halves[2]);
/* rcp, rsqrt and sqrt of a float above 0, normal and finite, as bits: rcp's may have a sign, and
 * where its result is not normal the exponent alone is out of range. ex2 of a number in 2^-23. */
low_value low_sfu_narrow(struct jit_lower *l, enum jit_sfu_name name, low_value bits);
/* All of P of a function that has no known binade, in 64 bits. */
low_value low_sfu_wide(struct jit_lower *l, enum jit_sfu_name name, low_value index, low_value x);

#endif

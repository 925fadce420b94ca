/* SPDX-License-Identifier: MIT */
/* Operands that are sums: r+4, x+4, x[r+4], and special registers within vectors. They become
 * instructions before the one that has them, which gets a register. */
#ifndef CUP_PTX_SUMS_H
#define CUP_PTX_SUMS_H

#include "ptx/operand.h"

struct ptx_parser;

/* Replaces r+4 by a register. The sum has the width of r and wraps there. */
bool ptx_lower_register_sum(struct ptx_parser *parser, struct ptx_raw *raw);

/* Replaces the address of a variable (x, x+4, x[r+4]) by a register with the lower `bits` of it:
 * 16, 32 or 64. */
void ptx_lower_symbol(struct ptx_parser *parser, struct ptx_raw *raw, unsigned bits);

/* Replaces a special register of `bits`, 32 or 64, by a register with its value. */
void ptx_lower_special(struct ptx_parser *parser, struct ptx_raw *raw, unsigned bits);

#endif

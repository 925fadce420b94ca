/* SPDX-License-Identifier: MIT */
/* What dot-words need of the module, whatever else the instruction has. Forms have the PTX version
 * and target of instructions (forms.def); these came to instructions that were there before. */
#ifndef CUP_PTX_NEEDS_H
#define CUP_PTX_NEEDS_H

#include "ptx/program.h"

struct ptx_parser;

bool ptx_check_needs(struct ptx_parser *parser, const struct ptx_instruction *instruction);
/* Reports an error if the module's version or target is older. `what` needs them. */
bool ptx_check_age(struct ptx_parser *parser, const char *what, unsigned version, unsigned target);

#endif

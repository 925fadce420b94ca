/* SPDX-License-Identifier: MIT */
/* Rules among the dot-words of an instruction, and between them and its operands. */
#ifndef CUP_PTX_RULES_H
#define CUP_PTX_RULES_H

#include "ptx/program.h"

struct ptx_parser;

/* Checks the dot-words; called once for each combination. */
bool ptx_check_words(struct ptx_parser *parser, const struct ptx_instruction *instruction);

/* Checks the instruction with its operands; removes an operand that has no effect. */
bool ptx_check_instruction(struct ptx_parser *parser, struct ptx_instruction *instruction);

#endif

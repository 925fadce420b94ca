/* SPDX-License-Identifier: MIT */
/* What must hold among an instruction's words, and between them and its operands. */
#ifndef CUP_PTX_RULES_H
#define CUP_PTX_RULES_H

#include "ptx/parser.h"

/* When the words are known: once for each combination. */
bool ptx_check_words(struct ptx_parser *parser, const struct ptx_instruction *instruction);

/* When the operands are known; one that has no effect is taken away. */
bool ptx_check_instruction(struct ptx_parser *parser, struct ptx_instruction *instruction);

#endif

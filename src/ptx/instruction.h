/* SPDX-License-Identifier: MIT */
/* Instructions: opcodes with their dot-words, operands, calls. */
#ifndef CUP_PTX_INSTRUCTION_H
#define CUP_PTX_INSTRUCTION_H

#include "ptx/forms.h"
#include "ptx/program.h"

struct ptx_parser;

/* An opcode with its dot-words, decoded. */
struct ptx_head {
    uint64_t hash;
    const char *text;
    uint32_t length;
    const struct ptx_form *form;
    struct ptx_instruction instruction; /* without operands */
};

bool ptx_parse_instruction(struct ptx_parser *parser, uint32_t guard, bool guard_negated);
bool ptx_decode_head(struct ptx_parser *parser, const char *text, size_t length,
                     struct ptx_head *head);
bool ptx_parse_call(struct ptx_parser *parser, struct ptx_instruction *instruction);

#endif

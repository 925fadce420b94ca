/* SPDX-License-Identifier: MIT */
/* Operands as they are written, before their types are known. */
#ifndef CUP_PTX_OPERAND_H
#define CUP_PTX_OPERAND_H

#include "ptx/constant.h"
#include "ptx/program.h"

enum { PTX_MAX_RAWS = 10, PTX_MAX_PARTS = 160, PTX_SHOWN_OPERAND = 60 };

struct ptx_raw {
    struct ptx_operand operand;
    struct ptx_constant constant; /* of an IMMEDIATE */
    const char *text;             /* in the source, for messages */
    uint32_t length;
    uint16_t first_part; /* of a VECTOR: its elements in parser->parts */
    bool has_pair;       /* |p follows: the next raw operand */
    bool is_image;       /* [t, c]: parser->image */
    bool is_indexed;     /* x[3]: an address even without brackets around it */
    bool is_component;   /* v.x */
    bool is_sum;         /* r+4: addend; x+4: the operand's value */
    uint64_t addend;
    bool has_index_register; /* x[r+4]: the address of x plus 4 elements is the operand */
    uint32_t index_register;
    uint32_t element_bytes;
};

bool ptx_parse_operand(struct ptx_parser *parser, struct ptx_raw *raw);

#endif

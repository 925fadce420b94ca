/* SPDX-License-Identifier: MIT */
/* Constant expressions of the text. */
#ifndef CUP_PTX_CONSTANT_H
#define CUP_PTX_CONSTANT_H

#include "ptx/program.h"

struct ptx_parser;

struct ptx_constant {
    bool is_float;
    bool is_single; /* 0f...: value has the bits of an f32; else of an f64 */
    bool is_unsigned;
    uint64_t value;
};

bool ptx_parse_constant(struct ptx_parser *parser, struct ptx_constant *constant);
bool ptx_parse_integer(struct ptx_parser *parser, uint64_t *value); /* no float */
bool ptx_parse_count(struct ptx_parser *parser, uint64_t largest, uint64_t *value);
/* The bits of a constant in a type; false: it has no value there. */
bool ptx_constant_bits(const struct ptx_constant *constant, enum ptx_type type, uint64_t *bits);

#endif

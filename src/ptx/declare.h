/* SPDX-License-Identifier: MIT */
/* Names and what is added to a function: declaring and finding names, adding registers and
 * instructions. */
#ifndef CUP_PTX_DECLARE_H
#define CUP_PTX_DECLARE_H

#include "ptx/program.h"
#include "ptx/symbols.h"

struct ptx_parser;
struct ptx_token;

struct ptx_symbol *ptx_find(struct ptx_parser *parser, const struct ptx_token *token);
/* Reports an error if the name cannot be declared. */
bool ptx_check_name(struct ptx_parser *parser, const struct ptx_token *name);
struct ptx_symbol *ptx_declare(struct ptx_parser *parser, const struct ptx_token *name,
                               enum ptx_symbol_kind kind);
/* Name `number` of the range x<count>: x followed by the number. */
struct ptx_token ptx_name_in_range(struct ptx_parser *parser, const struct ptx_token *range,
                                   uint32_t number);
uint32_t ptx_add_register(struct ptx_parser *parser, const char *name, size_t length, uint8_t type,
                          uint8_t width);
struct ptx_instruction *ptx_add_instruction(struct ptx_parser *parser);

#endif

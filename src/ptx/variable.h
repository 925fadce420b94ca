/* SPDX-License-Identifier: MIT */
/* Declarations of variables and registers, and the initialisers of variables. */
#ifndef CUP_PTX_VARIABLE_H
#define CUP_PTX_VARIABLE_H

#include "ptx/lexer.h"
#include "ptx/program.h"

struct ptx_parser;

struct ptx_declaration {
    uint8_t space, type, width, linkage;
    bool managed, unsized, is_pointer;
    uint32_t align, line;
    uint64_t count; /* elements of type and width */
    unsigned dimensions;
    uint64_t extents[8];
    struct ptx_token name;
};

bool ptx_parse_type(struct ptx_parser *parser, struct ptx_declaration *declaration);
bool ptx_parse_attribute(struct ptx_parser *parser, struct ptx_declaration *declaration);
bool ptx_parse_declarator(struct ptx_parser *parser, struct ptx_declaration *declaration);
bool ptx_parse_variables(struct ptx_parser *parser, uint8_t space, uint8_t linkage);
/* Parses the number of x<number> behind '<'. It is not an expression, in which '>' would be an
 * operator. */
bool ptx_parse_range(struct ptx_parser *parser, uint32_t *result);
bool ptx_parse_registers(struct ptx_parser *parser); /* behind .reg */
uint64_t ptx_declaration_bytes(const struct ptx_declaration *declaration);
struct ptx_variable ptx_declaration_variable(struct ptx_parser *parser,
                                             const struct ptx_declaration *declaration);
bool ptx_parse_initialiser(struct ptx_parser *parser, const struct ptx_declaration *declaration,
                           struct ptx_variable *variable);
uint8_t ptx_find_space(const struct ptx_token *token); /* PTX_SPACE_NONE: it names none */

#endif

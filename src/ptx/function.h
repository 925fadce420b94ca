/* SPDX-License-Identifier: MIT */
/* Functions: their signatures (signature.c), definitions (function.c) and statements (body.c). */
#ifndef CUP_PTX_FUNCTION_H
#define CUP_PTX_FUNCTION_H

#include "ptx/program.h"

struct ptx_parser;

bool ptx_parse_function(struct ptx_parser *parser, bool kernel, uint8_t linkage);
bool ptx_parse_alias(struct ptx_parser *parser);
bool ptx_parse_body(struct ptx_parser *parser);
bool ptx_parse_location(struct ptx_parser *parser); /* behind .loc */

bool ptx_parse_signature(struct ptx_parser *parser, struct ptx_function *function, bool named);
/* Add the instructions that load parameters that are declared as registers, at the beginning of the
 * body, and store such results, before each ret. */
void ptx_load_parameters(struct ptx_parser *parser);
void ptx_store_results(struct ptx_parser *parser);

#endif

/* SPDX-License-Identifier: MIT */
/* A module: its directives, and the hash of its text. */
#ifndef CUP_PTX_MODULE_H
#define CUP_PTX_MODULE_H

#include <stddef.h>
#include <stdint.h>

struct ptx_parser;

/* Parses the whole text; the result is in parser->failure. */
void ptx_parse_module(struct ptx_parser *parser);

/* A hash of 128 bits; not cryptographic. */
void ptx_hash_text(const char *text, size_t length, uint64_t hash[2]);

#endif

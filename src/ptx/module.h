/* SPDX-License-Identifier: MIT */
/* The text as a whole: its directives, and its hash. */
#ifndef CUP_PTX_MODULE_H
#define CUP_PTX_MODULE_H

#include <stddef.h>
#include <stdint.h>

struct ptx_parser;

/* Reads all of the text; parser->failure says how it went. */
void ptx_parse_module(struct ptx_parser *parser);

/* 128 bits that differ for texts that differ, as far as nobody tries to make them equal. */
void ptx_hash_text(const char *text, size_t length, uint64_t hash[2]);

#endif

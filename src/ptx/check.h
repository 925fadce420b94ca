/* SPDX-License-Identifier: MIT */
/* What the parts of the checker share: each judges operands of one kind, and reports what is wrong.
 */
#ifndef CUP_PTX_CHECK_H
#define CUP_PTX_CHECK_H

#include "ptx/parser.h"

struct ptx_check {
    struct ptx_parser *parser;
    struct ptx_instruction *instruction;
};

const struct ptx_register *ptx_register_of(const struct ptx_check *check,
                                           const struct ptx_raw *raw);
bool ptx_check_register(const struct ptx_check *check, const struct ptx_raw *raw,
                        enum ptx_type type, bool wider);
/* One source, or one element of a vector; a number gets its bits. */
bool ptx_check_scalar(const struct ptx_check *check, struct ptx_raw *raw, enum ptx_type type,
                      bool wider);
/* A vector of `count` elements of a type; 0: of as many as there are. */
bool ptx_check_vector(const struct ptx_check *check, struct ptx_raw *raw, enum ptx_type type,
                      unsigned count, bool destination, bool wider);
/* Puts the elements of a vector where the function keeps them. */
void ptx_keep_elements(const struct ptx_check *check, struct ptx_raw *raw);
bool ptx_add_source(struct ptx_instruction *instruction, const struct ptx_operand *operand);

/* check_image.c */
bool ptx_is_sampled(const struct ptx_check *check);                       /* tex, tld4 */
bool ptx_check_image(const struct ptx_check *check, struct ptx_raw *raw); /* adds its sources */

#endif

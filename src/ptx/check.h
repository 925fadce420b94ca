/* SPDX-License-Identifier: MIT */
/* Checks the operands of an instruction against the rules of its form: of one operand
 * (check_operand.c), of images (check_image.c), of the whole instruction (check.c). */
#ifndef CUP_PTX_CHECK_H
#define CUP_PTX_CHECK_H

#include "ptx/forms.h"
#include "ptx/operand.h"

struct ptx_check {
    struct ptx_parser *parser;
    struct ptx_instruction *instruction;
};

bool ptx_check_operands(struct ptx_parser *parser, const struct ptx_form *form,
                        struct ptx_instruction *instruction);
/* Whether a register of one type may stand for an operand of another; `wider`: also one that has
 * more bits. */
bool ptx_registers_fit(enum ptx_type reg, enum ptx_type type, bool wider);

const struct ptx_register *ptx_register_of(const struct ptx_check *check,
                                           const struct ptx_raw *raw);
bool ptx_check_register(const struct ptx_check *check, const struct ptx_raw *raw,
                        enum ptx_type type, bool wider);
/* Checks one source; a constant gets its bits. */
bool ptx_check_scalar(const struct ptx_check *check, struct ptx_raw *raw, enum ptx_type type,
                      bool wider);
/* The same of an element of a vector. */
bool ptx_check_element(const struct ptx_check *check, struct ptx_raw *raw, enum ptx_type type,
                       bool wider);
/* Checks a vector of `count` elements of a type; 0: of any number. */
bool ptx_check_vector(const struct ptx_check *check, struct ptx_raw *raw, enum ptx_type type,
                      unsigned count, bool destination, bool wider);
/* Reports that an operand does not have the type; returns false. */
bool ptx_fail_type(const struct ptx_check *check, const struct ptx_raw *raw, enum ptx_type type);
/* Stores the elements of a vector in the function. */
void ptx_keep_elements(const struct ptx_check *check, struct ptx_raw *raw);
bool ptx_add_source(struct ptx_instruction *instruction, const struct ptx_operand *operand);

bool ptx_is_sampled(const struct ptx_check *check); /* tex, tld4 */
/* [tensor map, coordinates]: adds both as sources. */
bool ptx_check_tensor(const struct ptx_check *check, struct ptx_raw *raw);
bool ptx_check_image(const struct ptx_check *check, struct ptx_raw *raw); /* adds its sources */

#endif

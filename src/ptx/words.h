/* SPDX-License-Identifier: MIT */
/* The dot-words of instructions. Every word has one number, whatever its kind is (modifier, type,
 * state space or vector width), so that a set of words is a set of bits. */
#ifndef CUP_PTX_WORDS_H
#define CUP_PTX_WORDS_H

#include "ptx/program.h"

enum ptx_word_kind { PTX_WORD_MODIFIER, PTX_WORD_TYPE, PTX_WORD_SPACE, PTX_WORD_WIDTH };

enum {
    PTX_WORD_TYPES = PTX_MODIFIER_COUNT, /* the first type's number */
    PTX_WORD_SPACES = PTX_WORD_TYPES + PTX_TYPE_COUNT,
    PTX_WORD_WIDTHS = PTX_WORD_SPACES + 16,
    PTX_WORD_COUNT = PTX_WORD_WIDTHS + 4,
    PTX_WORD_SET = 6, /* 64-bit words of a set */
    PTX_NO_WORD = 0xffff
};
_Static_assert(PTX_WORD_COUNT <= PTX_WORD_SET * 64, "a set of words has room for all");

struct ptx_word {
    const char *text;
    uint8_t kind;      /* enum ptx_word_kind */
    uint8_t value;     /* the type, space or width */
    uint16_t modifier; /* that it sets, or PTX_NO_WORD: shared::cluster sets one beside its space */
};

/* All of these may be called by any thread once ptx_words_prepare has returned. */
void ptx_words_prepare(void);
uint16_t ptx_word_find(const char *text, size_t length); /* PTX_NO_WORD: there is none such */
const struct ptx_word *ptx_find_word(uint16_t number);
uint16_t ptx_opcode_find(const char *text, size_t length); /* PTX_OPCODE_COUNT: none */
const char *ptx_modifier_name(enum ptx_modifier modifier);

#endif

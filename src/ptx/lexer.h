/* SPDX-License-Identifier: MIT */
/* PTX text as tokens, one at a time. A token points into the text; nothing is copied. A dot-word
 * (".global", ".L2::128B") is one token. An opcode with its dot-words ("ld.global.f32") can be
 * taken as one token (ptx_lexer_dotted), since the parser remembers those it has decoded. */
#ifndef CUP_PTX_LEXER_H
#define CUP_PTX_LEXER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Punctuation is its own character. */
enum ptx_token_kind {
    PTX_TOKEN_END = 0,
    PTX_TOKEN_WORD = 256, /* an identifier, with % or $ */
    PTX_TOKEN_DOT,        /* .word; the token's text is without the dot */
    PTX_TOKEN_NUMBER,
    PTX_TOKEN_STRING, /* with its quotes */
    PTX_TOKEN_SHIFT_LEFT,
    PTX_TOKEN_SHIFT_RIGHT,
    PTX_TOKEN_EQUAL,
    PTX_TOKEN_NOT_EQUAL,
    PTX_TOKEN_LESS_EQUAL,
    PTX_TOKEN_GREATER_EQUAL,
    PTX_TOKEN_AND_AND,
    PTX_TOKEN_OR_OR,
    PTX_TOKEN_BAD, /* a byte that no token begins with, a string or comment without end */
};

struct ptx_token {
    int kind;
    uint32_t length;
    const char *text;
    uint64_t hash; /* of a WORD or DOT */
    uint32_t line;
};

struct ptx_lexer {
    const char *at, *end;
    const char *behind; /* the end of the token before the current one */
    uint32_t line;
    struct ptx_token token; /* the current one */
};

void ptx_lexer_start(struct ptx_lexer *lexer, const char *text, size_t length);

/* Advances to the next token. At the end it stays at END. */
void ptx_lexer_next(struct ptx_lexer *lexer);

/* The current token is a WORD: extends it by the dot-words that follow it without white space. */
void ptx_lexer_dotted(struct ptx_lexer *lexer);

/* The first character behind the current token that is neither white space nor in a comment; 0 at
 * the end. The lexer does not advance. */
int ptx_lexer_peek(const struct ptx_lexer *lexer);

/* Advances to the first token behind the current line. */
void ptx_lexer_skip_line(struct ptx_lexer *lexer);

uint64_t ptx_hash_word(const char *text, size_t length);

static inline bool ptx_token_is(const struct ptx_token *token, int kind, const char *text)
{
    size_t i = 0;

    if (token->kind != kind)
        return false;
    for (; i < token->length; i++)
        if (text[i] != token->text[i]) /* differs at the terminator too */
            return false;
    return text[i] == 0;
}

#endif

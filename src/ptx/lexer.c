/* SPDX-License-Identifier: MIT */
/* The lexer classifies every character by one table. Words are hashed while they are scanned,
 * because almost every word is looked up next. */
#include "ptx/lexer.h"

#include "core/compiler.h"

#include <string.h>

enum {
    SPACE = 1,
    WORD_START = 2,
    WORD_PART = 4,
    DIGIT = 8,
    NUMBER_PART = 16,
    DOTTED_PART = 32,
    PUNCTUATION = 64,
    PAIR_START = 128, /* may be the first of two characters that are one token */
};

static const uint8_t classes[256] = {
    [' '] = SPACE,
    ['\t'] = SPACE,
    ['\n'] = SPACE,
    ['\v'] = SPACE,
    ['\f'] = SPACE,
    ['\r'] = SPACE,
    ['a' ... 'z'] = WORD_START | WORD_PART | NUMBER_PART | DOTTED_PART,
    ['A' ... 'Z'] = WORD_START | WORD_PART | NUMBER_PART | DOTTED_PART,
    ['0' ... '9'] = WORD_PART | DIGIT | NUMBER_PART | DOTTED_PART,
    ['_'] = WORD_START | WORD_PART | DOTTED_PART,
    ['$'] = WORD_START | WORD_PART,
    ['%'] = WORD_START | PUNCTUATION,
    ['.'] = DOTTED_PART,
    [','] = PUNCTUATION,
    [';'] = PUNCTUATION,
    ['['] = PUNCTUATION,
    [']'] = PUNCTUATION,
    ['{'] = PUNCTUATION,
    ['}'] = PUNCTUATION,
    ['('] = PUNCTUATION,
    [')'] = PUNCTUATION,
    ['+'] = PUNCTUATION,
    ['-'] = PUNCTUATION,
    ['~'] = PUNCTUATION,
    ['^'] = PUNCTUATION,
    ['*'] = PUNCTUATION,
    ['/'] = PUNCTUATION,
    [':'] = PUNCTUATION,
    ['?'] = PUNCTUATION,
    ['@'] = PUNCTUATION,
    ['#'] = PUNCTUATION,
    ['<'] = PUNCTUATION | PAIR_START,
    ['>'] = PUNCTUATION | PAIR_START,
    ['='] = PUNCTUATION | PAIR_START,
    ['!'] = PUNCTUATION | PAIR_START,
    ['|'] = PUNCTUATION | PAIR_START,
    ['&'] = PUNCTUATION | PAIR_START,
};

static const uint64_t hash_start = 0xcbf29ce484222325, hash_factor = 0x9e3779b97f4a7c15;

static uint8_t class_of(char c)
{
    return classes[(unsigned char)c];
}

static uint64_t hash_end(uint64_t hash)
{
    return hash ^ hash >> 32;
}

uint64_t ptx_hash_word(const char *text, size_t length)
{
    uint64_t hash = hash_start;

    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * hash_factor;
    return hash_end(hash);
}

void ptx_lexer_start(struct ptx_lexer *lexer, const char *text, size_t length)
{
    const char *end = memchr(text, 0, length);

    *lexer = (struct ptx_lexer){.at = text, .end = end ? end : text + length, .line = 1};
}

/* Returns the beginning of the next token, or NULL if a comment does not end; *line counts
 * newlines. */
static const char *skip_space(const char *at, const char *end, uint32_t *line)
{
    while (at < end) {
        if (*at == '\n') {
            ++*line;
            at++;
        } else if (class_of(*at) & SPACE) {
            at++;
        } else if (*at == '/' && at + 1 < end && at[1] == '/') {
            at = memchr(at, '\n', (size_t)(end - at));
            if (!at)
                return end;
        } else if (*at == '/' && at + 1 < end && at[1] == '*') {
            for (at += 2;; at++) {
                if (at + 1 >= end)
                    return NULL;
                if (*at == '\n')
                    ++*line;
                if (at[0] == '*' && at[1] == '/')
                    break;
            }
            at += 2;
        } else {
            break;
        }
    }
    return at;
}

static const char *scan_word(const char *at, const char *end, uint64_t *result)
{
    uint64_t hash = hash_start;

    do {
        hash = (hash ^ (unsigned char)*at++) * hash_factor;
    } while (at < end && class_of(*at) & WORD_PART);
    *result = hash_end(hash);
    return at;
}

/* A dot-word may contain "::". */
static const char *scan_dot_word(const char *at, const char *end)
{
    while (at < end) {
        if (class_of(*at) & WORD_PART)
            at++;
        else if (*at == ':' && end - at > 2 && at[1] == ':' && class_of(at[2]) & WORD_PART)
            at += 2;
        else
            break;
    }
    return at;
}

static bool is_hexadecimal_start(const char *at, const char *end)
{
    return end - at > 1 && *at == '0' && at[1] && strchr("xXfFdDbB", at[1]);
}

/* A number has one point at most: in ".version 7.3.target" the second begins a word. Letters that
 * do not belong to a number are taken along, for the message. */
static const char *scan_number(const char *at, const char *end)
{
    bool decimal = !is_hexadecimal_start(at, end), point = !decimal;

    while (at < end) {
        if (decimal && (*at == 'e' || *at == 'E') && end - at > 1 && (at[1] == '-' || at[1] == '+'))
            at += 2;
        else if (class_of(*at) & NUMBER_PART)
            at++;
        else if (*at == '.' && !point)
            at++, point = true;
        else
            break;
    }
    return at;
}

/* Scans a string, which must end on its line. */
static const char *scan_string(const char *at, const char *end)
{
    for (at++; at < end && *at != '\n'; at++) {
        if (*at == '"')
            return at + 1;
        if (*at == '\\' && end - at > 1 && at[1] != '\n')
            at++;
    }
    return NULL;
}

static const struct {
    char text[2];
    int kind;
} pairs[] = {
    {"<<", PTX_TOKEN_SHIFT_LEFT}, {">>", PTX_TOKEN_SHIFT_RIGHT},   {"==", PTX_TOKEN_EQUAL},
    {"!=", PTX_TOKEN_NOT_EQUAL},  {"<=", PTX_TOKEN_LESS_EQUAL},    {"&&", PTX_TOKEN_AND_AND},
    {"||", PTX_TOKEN_OR_OR},      {">=", PTX_TOKEN_GREATER_EQUAL},
};

static const char *scan_punctuation(struct ptx_token *token, const char *at, const char *end)
{
    if (!(class_of(*at) & PUNCTUATION)) {
        token->kind = PTX_TOKEN_BAD;
        return at + 1;
    }
    token->kind = (unsigned char)*at;
    if (end - at > 1 && class_of(*at) & PAIR_START)
        for (size_t i = 0; i < CUP_ARRAY_COUNT(pairs); i++)
            if (pairs[i].text[0] == at[0] && pairs[i].text[1] == at[1]) {
                token->kind = pairs[i].kind;
                return at + 2;
            }
    return at + 1;
}

static const char *scan_other(struct ptx_token *token, const char *at, const char *end)
{
    const char *after;

    if (class_of(*at) & DIGIT) {
        token->kind = PTX_TOKEN_NUMBER;
        return scan_number(at, end);
    }
    if (*at == '"') {
        after = scan_string(at, end);
        token->kind = after ? PTX_TOKEN_STRING : PTX_TOKEN_BAD;
        return after ? after : at + 1;
    }
    return scan_punctuation(token, at, end);
}

void ptx_lexer_next(struct ptx_lexer *lexer)
{
    struct ptx_token *token = &lexer->token;
    const char *at = skip_space(lexer->at, lexer->end, &lexer->line), *end = lexer->end, *after;

    lexer->behind = lexer->at;
    token->line = lexer->line;
    token->text = at;
    if (!at || at >= end) {
        token->kind = at ? PTX_TOKEN_END : PTX_TOKEN_BAD;
        token->text = at ? end : lexer->at;
        token->length = 0;
        lexer->at = end;
        return;
    }
    if (class_of(*at) & WORD_START &&
        (*at != '%' || (end - at > 1 && class_of(at[1]) & WORD_PART))) {
        token->kind = PTX_TOKEN_WORD;
        after = scan_word(at, end, &token->hash);
    } else if (*at == '.' && end - at > 1 && class_of(at[1]) & WORD_PART) {
        token->kind = PTX_TOKEN_DOT;
        token->text = ++at;
        after = scan_dot_word(at, end);
        token->hash = ptx_hash_word(at, (size_t)(after - at));
    } else {
        after = scan_other(token, at, end);
    }
    token->length = (uint32_t)(after - at);
    lexer->at = after;
}

void ptx_lexer_dotted(struct ptx_lexer *lexer)
{
    struct ptx_token *token = &lexer->token;
    const char *at = lexer->at, *end = lexer->end;

    if (at >= end || *at != '.')
        return;
    while (at < end && *at == '.')
        at = scan_dot_word(at + 1, end);
    lexer->at = at;
    token->length = (uint32_t)(at - token->text);
    token->hash = ptx_hash_word(token->text, token->length);
}

int ptx_lexer_peek(const struct ptx_lexer *lexer)
{
    uint32_t line = 0;
    const char *at = skip_space(lexer->at, lexer->end, &line);

    return at && at < lexer->end ? (unsigned char)*at : 0;
}

void ptx_lexer_skip_line(struct ptx_lexer *lexer)
{
    const char *newline = memchr(lexer->at, '\n', (size_t)(lexer->end - lexer->at));

    lexer->at = newline ? newline : lexer->end;
    ptx_lexer_next(lexer);
}

/* SPDX-License-Identifier: MIT */
/* Shared by all files of the parser: memory, tokens, recovery after errors. */
#include "ptx/parser.h"

#include "ptx/block.h"

#include <string.h>

void *ptx_parser_take(struct ptx_parser *parser, size_t size)
{
    void *piece = ptx_arena_take(parser->arena, size);

    if (!piece)
        longjmp(parser->out_of_memory, 1);
    return piece;
}

char *ptx_parser_name(struct ptx_parser *parser, const char *text, size_t length)
{
    char *name = ptx_parser_take(parser, length + 1);

    memcpy(name, text, length);
    return name;
}

static bool grow(struct cup_dynarray *vector, size_t element_size)
{
    size_t capacity = vector->capacity ? 2 * vector->capacity : (size_t)CUP_DYNARRAY_FIRST_CAPACITY;
    void *items = NULL;

    if (vector->count < UINT32_MAX / 2)
        items = ptx_block_resize(vector->items, vector->capacity * element_size,
                                 capacity * element_size);
    if (!items)
        return false;
    vector->items = items;
    vector->capacity = capacity;
    return true;
}

void *ptx_vector_add(struct ptx_parser *parser, struct cup_dynarray *vector, size_t element_size)
{
    void *element;

    if (vector->count == vector->capacity && !grow(vector, element_size))
        longjmp(parser->out_of_memory, 1);
    element = (char *)vector->items + vector->count++ * element_size;
    return memset(element, 0, element_size);
}

void ptx_vector_free(struct cup_dynarray *vector, size_t element_size)
{
    ptx_block_free(vector->items, vector->capacity * element_size);
}

void *ptx_vector_keep(struct ptx_parser *parser, struct cup_dynarray *vector, size_t element_size)
{
    void *copy;

    if (vector->count == 0)
        return NULL;
    copy = ptx_parser_take(parser, vector->count * element_size);
    memcpy(copy, vector->items, vector->count * element_size);
    vector->count = 0;
    return copy;
}

bool ptx_accept_dot(struct ptx_parser *parser, const char *word)
{
    if (!ptx_token_is(ptx_current_token(parser), PTX_TOKEN_DOT, word))
        return false;
    ptx_next(parser);
    return true;
}

bool ptx_expect(struct ptx_parser *parser, int kind, const char *after)
{
    int length;
    const char *text;

    if (ptx_accept(parser, kind))
        return true;
    text = ptx_token_text(parser, &length);
    if (kind == PTX_TOKEN_WORD)
        return ptx_fail(parser, "a name is expected %s, not '%.*s'", after, length, text);
    return ptx_fail(parser, "'%c' is expected %s, not '%.*s'", kind, after, length, text);
}

bool ptx_expect_end(struct ptx_parser *parser)
{
    return ptx_expect(parser, ';', "at the end of the statement");
}

void ptx_skip_braces(struct ptx_parser *parser)
{
    size_t depth = 0;

    do {
        if (ptx_current_token(parser)->kind == '{')
            depth++;
        else if (ptx_current_token(parser)->kind == '}')
            depth--;
        ptx_next(parser);
    } while (depth && ptx_current_token(parser)->kind != PTX_TOKEN_END);
}

/* Skips to after the statement's semicolon or, with_body, to after the braces of its body. Braces
 * of vectors and initialisers are skipped; the brace that closes the enclosing scope is not. */
void ptx_skip_statement(struct ptx_parser *parser, bool with_body)
{
    parser->lexer = parser->statement;
    for (;;) {
        switch (ptx_current_token(parser)->kind) {
        case PTX_TOKEN_END:
            return;
        case ';':
            ptx_next(parser);
            return;
        case '{':
            ptx_skip_braces(parser);
            if (with_body) {
                ptx_accept(parser, ';');
                return;
            }
            break;
        case '}':
            if (!with_body)
                return;
            ptx_next(parser);
            return;
        default:
            ptx_next(parser);
        }
    }
}

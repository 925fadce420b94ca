/* SPDX-License-Identifier: MIT */
/* Names: finding what one means and declaring one; and what is added to a function. */
#include "ptx/declare.h"

#include "core/compiler.h"
#include "ptx/parser.h"

#include <stdio.h>
#include <string.h>

struct ptx_token ptx_name_in_range(struct ptx_parser *parser, const struct ptx_token *range,
                                   uint32_t number)
{
    struct ptx_token name = *range;
    char *text = ptx_parser_take(parser, range->length + 11);

    memcpy(text, range->text, range->length);
    name.length += (uint32_t)snprintf(text + range->length, 11, "%u", number);
    name.text = text;
    name.hash = ptx_hash_word(name.text, name.length);
    return name;
}

uint32_t ptx_add_register(struct ptx_parser *parser, const char *name, size_t length, uint8_t type,
                          uint8_t width)
{
    uint32_t index = (uint32_t)parser->registers.count;
    struct ptx_register *reg =
        ptx_vector_add(parser, &parser->registers, sizeof(struct ptx_register));
    const char *kept = ptx_parser_name(parser, name, length);

    *reg = (struct ptx_register){kept, type, width};
    for (unsigned i = 0; width > 1 && i < width; i++) {
        char *part = ptx_parser_take(parser, length + 3);

        memcpy(part, name, length);
        part[length] = '.';
        part[length + 1] = "xyzw"[i % 4];
        reg = ptx_vector_add(parser, &parser->registers, sizeof(struct ptx_register));
        *reg = (struct ptx_register){part, type, 1};
    }
    return index;
}

struct ptx_instruction *ptx_add_instruction(struct ptx_parser *parser)
{
    struct ptx_instruction *instruction =
        ptx_vector_add(parser, &parser->instructions, sizeof(*instruction));

    instruction->guard = PTX_NO_REGISTER;
    instruction->width = 1;
    instruction->line = parser->statement.token.line;
    return instruction;
}

/* Creates the register of a range when it is named for the first time. */
static struct ptx_symbol *from_range(struct ptx_parser *parser, const struct ptx_token *token,
                                     int above)
{
    struct ptx_symbol *range = ptx_symbols_find_range(&parser->symbols, token->text, token->length,
                                                      above),
                      *symbol;

    if (!range)
        return NULL;
    symbol = ptx_symbols_add(&parser->symbols, token->text, token->length, token->hash,
                             PTX_SYMBOL_REGISTER, range->depth);
    if (!symbol)
        longjmp(parser->out_of_memory, 1);
    symbol->index = ptx_add_register(parser, token->text, token->length, range->type, range->width);
    return symbol;
}

struct ptx_symbol *ptx_find(struct ptx_parser *parser, const struct ptx_token *token)
{
    struct ptx_symbol *symbol = ptx_symbols_find(&parser->symbols, token->text, token->length,
                                                 token->hash, false),
                      *hiding;

    if (symbol && symbol->depth >= parser->symbols.deepest_range)
        return symbol;
    hiding = from_range(parser, token, symbol ? symbol->depth : -1);
    return hiding ? hiding : symbol;
}

bool ptx_check_name(struct ptx_parser *parser, const struct ptx_token *name)
{
    static const char *const taken[] = {"_", "WARP_SZ", "function_name", "inlined_at"};

    for (size_t i = 0; i < CUP_ARRAY_COUNT(taken); i++)
        if (ptx_token_is(name, PTX_TOKEN_WORD, taken[i]))
            return ptx_fail(parser, "'%s' is reserved and cannot be declared", taken[i]);
    return true;
}

struct ptx_symbol *ptx_declare(struct ptx_parser *parser, const struct ptx_token *name,
                               enum ptx_symbol_kind kind)
{
    struct ptx_symbol *symbol = ptx_symbols_find(&parser->symbols, name->text, name->length,
                                                 name->hash, kind == PTX_SYMBOL_RANGE);

    if (!ptx_check_name(parser, name))
        return NULL;
    if (symbol && symbol->depth == parser->symbols.depth) {
        ptx_fail(parser, "'%.*s' is already declared, in line %u", (int)name->length, name->text,
                 symbol->line);
        return NULL;
    }
    symbol = ptx_symbols_add(&parser->symbols, name->text, name->length, name->hash, kind,
                             parser->symbols.depth);
    if (!symbol)
        longjmp(parser->out_of_memory, 1);
    symbol->line = name->line;
    return symbol;
}

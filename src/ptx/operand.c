/* SPDX-License-Identifier: MIT */
/* Operands as they are written: names, constants, addresses, vectors. check.c checks their types.
 */
#include "ptx/operand.h"

#include "core/compiler.h"
#include "ptx/constant.h"
#include "ptx/declare.h"
#include "ptx/needs.h"
#include "ptx/parser.h"
#include "ptx/special.h"

#include <string.h>

static struct ptx_register *register_at(struct ptx_parser *parser, uint32_t index)
{
    return (struct ptx_register *)parser->registers.items + index;
}

/* The component .x to .w or .r to .a as 0 to 3; -1 if the token is not one. */
static int component_of(const struct ptx_token *token)
{
    static const char letters[] = "xyzwrgba";

    if (token->kind != PTX_TOKEN_DOT || token->length != 1)
        return -1;
    for (int i = 0; i < 8; i++)
        if (letters[i] == token->text[0])
            return i % 4;
    return -1;
}

/* Parses .b2, .h1, or the masks of SIMD instructions (.b3210, .h10): the digits as nibbles, the
 * last one lowest, and their number in `count`. check.c interprets them. */
static bool parse_selector(struct ptx_parser *parser, struct ptx_raw *raw)
{
    const struct ptx_token *token = ptx_current_token(parser);
    unsigned limit;

    if (token->kind != PTX_TOKEN_DOT)
        return true;
    limit = token->text[0] == 'b' ? 8 : token->text[0] == 'h' ? 4 : 0;
    for (uint32_t i = 1; i < token->length && i < 6; i++) {
        unsigned digit = (unsigned char)token->text[i] - (unsigned)'0';

        if (digit >= limit)
            limit = 0;
        raw->operand.value = raw->operand.value << 4 | digit;
    }
    if (limit == 0 || token->length < 2 || token->length > (limit == 8 ? 5 : 3))
        return ptx_fail(parser, "'.%.*s' is not allowed after a register",
                        token->length > 60 ? 60 : (int)token->length, token->text);
    raw->operand.selector = limit == 8 ? 1 : 5;
    raw->operand.count = (uint8_t)(token->length - 1);
    ptx_next(parser);
    return true;
}

/* Expands a vector register to the vector of its parts. */
static bool expand_vector(struct ptx_parser *parser, struct ptx_raw *raw, uint32_t index)
{
    unsigned width = register_at(parser, index)->width;

    if (parser->part_count + width > PTX_MAX_PARTS)
        return ptx_fail(parser, "too many elements in vectors");
    raw->operand.kind = PTX_OPERAND_VECTOR;
    raw->operand.count = (uint8_t)width;
    raw->first_part = (uint16_t)parser->part_count;
    for (unsigned i = 0; i < width; i++) {
        struct ptx_raw *part = &parser->parts[parser->part_count++];

        *part = (struct ptx_raw){.text = raw->text, .length = raw->length};
        part->operand.kind = PTX_OPERAND_REGISTER;
        part->operand.index = index + 1 + i;
    }
    return true;
}

static bool parse_register(struct ptx_parser *parser, struct ptx_raw *raw, uint32_t index)
{
    unsigned width = register_at(parser, index)->width;
    int component;

    raw->operand.kind = PTX_OPERAND_REGISTER;
    raw->operand.index = index;
    if (cup_likely(ptx_current_token(parser)->kind != PTX_TOKEN_DOT))
        return width == 1 || expand_vector(parser, raw, index);
    component = component_of(ptx_current_token(parser));
    if (component < 0)
        return parse_selector(parser, raw);
    if ((unsigned)component >= width || width == 1)
        return ptx_fail(parser, "'%.*s' has no component '.%.*s'", (int)raw->length, raw->text, 1,
                        ptx_current_token(parser)->text);
    raw->operand.index = index + 1 + (unsigned)component;
    raw->is_component = true;
    ptx_next(parser);
    return true;
}

static bool parse_special(struct ptx_parser *parser, struct ptx_raw *raw,
                          const struct ptx_special_register *special, unsigned number)
{
    int component;

    if (!ptx_check_age(parser, special->name, special->version, special->target))
        return false;
    if (special->block_memory && !parser->has_block_memory)
        return ptx_fail(parser, "'%s' needs .minperctamemory at the kernel", special->name);
    raw->operand.kind = PTX_OPERAND_SPECIAL;
    raw->operand.index = special->special;
    raw->operand.value = number;
    raw->operand.count = special->bits;
    if (!special->triple)
        return true;
    component = component_of(ptx_current_token(parser));
    if (component < 0) {
        raw->operand.special_component = 4;
        return true;
    }
    ptx_next(parser);
    if (component < 3) {
        raw->operand.index += (unsigned)component;
        return true;
    }
    /* The fourth component is always zero. */
    raw->operand = (struct ptx_operand){.kind = PTX_OPERAND_IMMEDIATE};
    return true;
}

/* Parses the index of x[3], x[r] or x[r+3] behind the bracket. */
static bool parse_index(struct ptx_parser *parser, struct ptx_raw *raw)
{
    struct ptx_token name = *ptx_current_token(parser);
    uint64_t number = 0;
    const struct ptx_symbol *symbol = NULL;

    if (name.kind == PTX_TOKEN_WORD)
        symbol = ptx_find(parser, &name);
    if (symbol && symbol->kind != PTX_SYMBOL_REGISTER)
        symbol = NULL;
    if (symbol) {
        const struct ptx_register *reg = register_at(parser, symbol->index);

        if (ptx_type_is_float(reg->type) || ptx_type_bits(reg->type) < 16 ||
            ptx_type_bits(reg->type) > 64 || reg->width > 1)
            return ptx_fail(parser, "register '%s' of type .%s cannot be the index of an array",
                            reg->name, ptx_type_name(reg->type));
        raw->has_index_register = true;
        raw->index_register = symbol->index;
        ptx_next(parser);
    }
    if ((!symbol || ptx_current_token(parser)->kind == '+') && !ptx_parse_integer(parser, &number))
        return false;
    raw->operand.value = number * raw->element_bytes;
    raw->is_indexed = true;
    return ptx_expect(parser, ']', "after an array's index");
}

/* x, x+4, x[3], x[r] */
static bool parse_symbol(struct ptx_parser *parser, struct ptx_raw *raw,
                         const struct ptx_symbol *symbol)
{
    bool local = symbol->kind == PTX_SYMBOL_LOCAL_VARIABLE;
    const struct ptx_variable *variable =
        (struct ptx_variable *)(local ? parser->locals : parser->variables).items + symbol->index;
    uint64_t number;

    raw->operand.kind = PTX_OPERAND_SYMBOL;
    raw->operand.index = symbol->index;
    raw->operand.local = local;
    raw->element_bytes = ptx_type_bits(variable->type) / 8 * variable->width;
    if (ptx_accept(parser, '[') && !parse_index(parser, raw))
        return false;
    if (ptx_current_token(parser)->kind == '+') {
        if (!ptx_parse_integer(parser, &number))
            return false;
        raw->operand.value += number;
        raw->is_sum = true;
    }
    return true;
}

static bool parse_name(struct ptx_parser *parser, struct ptx_raw *raw)
{
    struct ptx_token name = *ptx_current_token(parser);
    const struct ptx_special_register *special;
    const struct ptx_symbol *symbol = ptx_find(parser, &name);
    unsigned number;

    ptx_next(parser);
    if (cup_likely(symbol && symbol->kind == PTX_SYMBOL_REGISTER))
        return parse_register(parser, raw, symbol->index);
    if (name.length == 1 && name.text[0] == '_') {
        raw->operand.kind = PTX_OPERAND_SINK;
        return true;
    }
    special = symbol ? NULL : ptx_special_find(name.text, name.length, &number);
    if (special)
        return parse_special(parser, raw, special, number);
    if (!symbol)
        return ptx_fail(parser, "'%.*s' is not declared",
                        name.length > 100 ? 100 : (int)name.length, name.text);
    switch (symbol->kind) {
    case PTX_SYMBOL_VARIABLE:
    case PTX_SYMBOL_LOCAL_VARIABLE:
        return parse_symbol(parser, raw, symbol);
    case PTX_SYMBOL_FUNCTION:
        raw->operand.kind = PTX_OPERAND_FUNCTION;
        raw->operand.index = symbol->index;
        return true;
    case PTX_SYMBOL_BRANCH_TARGETS:
        raw->operand.kind = PTX_OPERAND_LABEL; /* temporary: check.c replaces it by the table */
        raw->operand.index = symbol->index;
        return true;
    default:
        return ptx_fail(parser, "'%.*s' cannot be an operand", (int)name.length, name.text);
    }
}

static bool parse_constant(struct ptx_parser *parser, struct ptx_raw *raw)
{
    raw->operand.kind = PTX_OPERAND_IMMEDIATE;
    return ptx_parse_constant(parser, &raw->constant);
}

/* Parses {a, b, …}; vectors do not nest. */
static bool parse_vector(struct ptx_parser *parser, struct ptx_raw *raw)
{
    raw->operand.kind = PTX_OPERAND_VECTOR;
    raw->first_part = (uint16_t)parser->part_count;
    ptx_next(parser);
    do {
        struct ptx_raw *part = &parser->parts[parser->part_count];

        if (parser->part_count == PTX_MAX_PARTS)
            return ptx_fail(parser, "too many elements in vectors");
        if (ptx_current_token(parser)->kind == '{' || ptx_current_token(parser)->kind == '[')
            return ptx_fail(parser, "the elements of a vector must be registers or numbers");
        parser->part_count++;
        if (!ptx_parse_operand(parser, part))
            return false;
        if (part->operand.kind == PTX_OPERAND_VECTOR)
            return ptx_fail(parser, "the elements of a vector must be registers or numbers");
        raw->operand.count++;
    } while (ptx_accept(parser, ','));
    return ptx_expect(parser, '}', "after a vector's elements");
}

/* Parses [t, c] or [t, s, c] from the first comma on; `raw` holds the operand before it. */
static bool parse_image(struct ptx_parser *parser, struct ptx_raw *raw)
{
    if (parser->image_count)
        return ptx_fail(parser, "only one texture or surface is expected");
    parser->image[parser->image_count++] = *raw;
    while (ptx_accept(parser, ',')) {
        if (parser->image_count == CUP_ARRAY_COUNT(parser->image))
            return ptx_fail(parser, "too many operands between '[' and ']'");
        if (ptx_current_token(parser)->kind == '[')
            return ptx_fail(parser, "an address is not allowed here");
        if (!ptx_parse_operand(parser, &parser->image[parser->image_count++]))
            return false;
    }
    raw->is_image = true;
    return ptx_expect(parser, ']', "after a texture or surface");
}

/* [base + offset] */
static bool parse_address(struct ptx_parser *parser, struct ptx_raw *raw)
{
    uint64_t offset = 0;

    ptx_next(parser);
    if (ptx_current_token(parser)->kind == PTX_TOKEN_WORD &&
        !ptx_token_is(ptx_current_token(parser), PTX_TOKEN_WORD, "WARP_SZ")) {
        if (!parse_name(parser, raw))
            return false;
    } else {
        if (!ptx_parse_integer(parser, &offset))
            return false;
        raw->operand.base = PTX_BASE_NONE;
        raw->operand.kind = PTX_OPERAND_ADDRESS;
        raw->operand.value = offset;
        return ptx_expect(parser, ']', "after an address");
    }
    if (ptx_current_token(parser)->kind == ',')
        return parse_image(parser, raw);
    if (raw->operand.kind == PTX_OPERAND_REGISTER) {
        raw->operand.base = PTX_BASE_REGISTER;
        if (ptx_current_token(parser)->kind == '+' && !ptx_parse_integer(parser, &offset))
            return false;
        raw->operand.value = offset;
    } else if (raw->operand.kind == PTX_OPERAND_SYMBOL) {
        raw->operand.base = PTX_BASE_VARIABLE;
    } else {
        return ptx_fail(parser, "'%.*s' cannot be the base of an address", (int)raw->length,
                        raw->text);
    }
    raw->operand.kind = PTX_OPERAND_ADDRESS;
    if (!ptx_expect(parser, ']', "after an address"))
        return false;
    ptx_accept_dot(parser, "unified"); /* .unified: the address is the same in all modules */
    return true;
}

/* Parses !p, or -r of a video instruction; a sign before a constant belongs to that. */
static bool parse_negated(struct ptx_parser *parser, struct ptx_raw *raw)
{
    int next = ptx_lexer_peek(&parser->lexer);

    if ((next >= '0' && next <= '9') || next == '(' || next == '-' || next == '~' || next == '.')
        return parse_constant(parser, raw);
    ptx_next(parser);
    if (ptx_current_token(parser)->kind != PTX_TOKEN_WORD)
        return ptx_expect(parser, PTX_TOKEN_WORD, "after the sign");
    raw->operand.negated = true;
    return parse_name(parser, raw);
}

static bool parse_kind(struct ptx_parser *parser, struct ptx_raw *raw)
{
    const struct ptx_token *token = ptx_current_token(parser);

    switch (token->kind) {
    case PTX_TOKEN_WORD:
        if (ptx_token_is(token, PTX_TOKEN_WORD, "WARP_SZ"))
            return parse_constant(parser, raw);
        return parse_name(parser, raw);
    case '[':
        return parse_address(parser, raw);
    case '{':
        return parse_vector(parser, raw);
    case '!':
    case '-':
        return parse_negated(parser, raw);
    default:
        return parse_constant(parser, raw);
    }
}

bool ptx_parse_operand(struct ptx_parser *parser, struct ptx_raw *raw)
{
    memset(raw, 0, sizeof(*raw));
    raw->text = ptx_current_token(parser)->text;
    raw->length = ptx_current_token(parser)->length;
    if (!parse_kind(parser, raw))
        return false;
    raw->length = (uint32_t)(parser->lexer.behind - raw->text);
    if (raw->length > PTX_SHOWN_OPERAND)
        raw->length = PTX_SHOWN_OPERAND;
    return true;
}

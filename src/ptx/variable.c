/* SPDX-License-Identifier: MIT */
/* Declarations of variables and registers: space, alignment, type, name, extents. */
#include "ptx/variable.h"

#include "core/compiler.h"
#include "ptx/constant.h"
#include "ptx/declare.h"
#include "ptx/parser.h"
#include "ptx/words.h"

static const uint64_t largest_variable = (uint64_t)1 << 46;
static const uint32_t most_variables = 1 << 16; /* of one range x<number> */

uint8_t ptx_find_space(const struct ptx_token *token)
{
    uint16_t word;

    if (token->kind != PTX_TOKEN_DOT)
        return PTX_SPACE_NONE;
    word = ptx_word_find(token->text, token->length);
    if (word == PTX_NO_WORD || ptx_find_word(word)->kind != PTX_WORD_SPACE)
        return PTX_SPACE_NONE;
    return ptx_find_word(word)->value;
}

static bool parse_align(struct ptx_parser *parser, uint32_t *align)
{
    uint64_t value;

    if (!ptx_parse_count(parser, 1u << 30, &value))
        return false;
    if (value == 0 || value & (value - 1))
        return ptx_fail(parser, "an alignment must be a power of two, not %llu",
                        (unsigned long long)value);
    *align = (uint32_t)value;
    return true;
}

/* Parses .attribute(.managed, .unified(1, 2)). .unified concerns addresses across modules and is
 * ignored. */
static bool parse_attributes(struct ptx_parser *parser, struct ptx_declaration *declaration)
{
    uint64_t ignored;

    if (!ptx_expect(parser, '(', "after .attribute"))
        return false;
    do {
        if (ptx_accept_dot(parser, "managed")) {
            if (declaration->space != PTX_GLOBAL)
                return ptx_fail(parser, ".managed is for .global variables only");
            declaration->managed = true;
        } else if (ptx_accept_dot(parser, "unified")) {
            if (!ptx_expect(parser, '(', "after .unified") ||
                !ptx_parse_integer(parser, &ignored) ||
                !ptx_expect(parser, ',', "between the two numbers of .unified") ||
                !ptx_parse_integer(parser, &ignored) ||
                !ptx_expect(parser, ')', "after the numbers of .unified"))
                return false;
        } else {
            return ptx_fail(parser, "an attribute must be .managed or .unified");
        }
    } while (ptx_accept(parser, ','));
    return ptx_expect(parser, ')', "after the attributes");
}

/* Parses .ptr .global .align 4, which describes what a kernel's parameter points to. */
static bool parse_pointer(struct ptx_parser *parser, struct ptx_declaration *declaration)
{
    uint32_t ignored;

    declaration->is_pointer = true;
    if (ptx_find_space(ptx_current_token(parser)) != PTX_SPACE_NONE)
        ptx_next(parser);
    return !ptx_accept_dot(parser, "align") || parse_align(parser, &ignored);
}

/* Parses one dot-word of a type. */
static bool parse_type_word(struct ptx_parser *parser, struct ptx_declaration *declaration)
{
    struct ptx_token token = *ptx_current_token(parser);
    uint16_t word;

    if (ptx_accept_dot(parser, "align"))
        return parse_align(parser, &declaration->align);
    if (ptx_accept_dot(parser, "attribute"))
        return parse_attributes(parser, declaration);
    if (ptx_accept_dot(parser, "ptr"))
        return parse_pointer(parser, declaration);
    word = ptx_word_find(token.text, token.length);
    if (word != PTX_NO_WORD && ptx_find_word(word)->kind == PTX_WORD_TYPE && !declaration->type)
        declaration->type = ptx_find_word(word)->value;
    else if (word != PTX_NO_WORD && ptx_find_word(word)->kind == PTX_WORD_WIDTH &&
             declaration->width == 1)
        declaration->width = ptx_find_word(word)->value;
    else
        return ptx_fail(parser, "'.%.*s' is not allowed in this declaration", (int)token.length,
                        token.text);
    ptx_next(parser);
    return true;
}

/* Whether variables may have the type. The others are types of instructions only; registers of bits
 * hold their values. */
static bool is_fundamental(enum ptx_type type)
{
    switch (type) {
    case PTX_F16:
    case PTX_F16X2:
    case PTX_F32:
    case PTX_F64:
    case PTX_PRED:
    case PTX_TEXREF:
    case PTX_SAMPLERREF:
    case PTX_SURFREF:
        return true;
    default:
        return !ptx_type_is_float(type) && ptx_type_bits(type) >= 8 && type != PTX_U16X2 &&
               type != PTX_S16X2;
    }
}

bool ptx_parse_attribute(struct ptx_parser *parser, struct ptx_declaration *declaration)
{
    ptx_next(parser);
    return parse_attributes(parser, declaration);
}

bool ptx_parse_type(struct ptx_parser *parser, struct ptx_declaration *declaration)
{
    unsigned bits;

    declaration->width = 1;
    while (ptx_current_token(parser)->kind == PTX_TOKEN_DOT)
        if (!parse_type_word(parser, declaration))
            return false;
    if (!declaration->type)
        return ptx_fail(parser, "the declaration has no type");
    if (declaration->type == PTX_SAMPLERREF && !parser->independent)
        return ptx_fail(parser, "a .samplerref needs .target …, texmode_independent");
    bits = ptx_type_bits(declaration->type);
    if (!is_fundamental(declaration->type) ||
        (declaration->type == PTX_PRED && declaration->space != PTX_REG))
        return ptx_fail(parser, "type .%s is not allowed for variables%s",
                        ptx_type_name(declaration->type),
                        declaration->type == PTX_PRED ? " outside .reg" : "");
    if (declaration->type == PTX_B128 && (parser->version < 83 || parser->target < 70))
        return ptx_fail(parser, "type .b128 needs .target sm_70 or higher and .version 8.3");
    if (bits * declaration->width > 128)
        return ptx_fail(parser, "a vector has at most 128 bits, not %u of .%s", declaration->width,
                        ptx_type_name(declaration->type));
    return true;
}

static bool parse_extent(struct ptx_parser *parser, struct ptx_declaration *declaration)
{
    uint64_t extent = 0;

    if (declaration->dimensions == CUP_ARRAY_COUNT(declaration->extents))
        return ptx_fail(parser, "an array has at most %zu dimensions",
                        CUP_ARRAY_COUNT(declaration->extents));
    if (ptx_current_token(parser)->kind == ']') {
        if (declaration->dimensions)
            return ptx_fail(parser, "only the first dimension of an array may be left open");
        declaration->unsized = true;
    } else {
        if (!ptx_parse_count(parser, largest_variable, &extent))
            return false;
        if (__builtin_mul_overflow(declaration->count, extent, &declaration->count) ||
            declaration->count > largest_variable)
            return ptx_fail(parser, "the array is too large");
    }
    declaration->extents[declaration->dimensions++] = extent;
    return ptx_expect(parser, ']', "after an array's extent");
}

bool ptx_parse_declarator(struct ptx_parser *parser, struct ptx_declaration *declaration)
{
    declaration->name = *ptx_current_token(parser);
    declaration->line = declaration->name.line;
    declaration->count = 1;
    declaration->dimensions = 0;
    declaration->unsized = false;
    if (!ptx_expect(parser, PTX_TOKEN_WORD, "after the type"))
        return false;
    while (ptx_accept(parser, '['))
        if (!parse_extent(parser, declaration))
            return false;
    return true;
}

static uint32_t element_bytes(const struct ptx_declaration *declaration)
{
    return ptx_type_bits(declaration->type) / 8 * declaration->width;
}

uint64_t ptx_declaration_bytes(const struct ptx_declaration *declaration)
{
    return declaration->unsized ? 0 : declaration->count * element_bytes(declaration);
}

struct ptx_variable ptx_declaration_variable(struct ptx_parser *parser,
                                             const struct ptx_declaration *declaration)
{
    return (struct ptx_variable){
        .name = ptx_parser_name(parser, declaration->name.text, declaration->name.length),
        .space = declaration->space,
        .type = declaration->type,
        .width = declaration->width,
        .linkage = declaration->linkage,
        .managed = declaration->managed,
        .unsized = declaration->unsized,
        .align = declaration->align ? declaration->align : element_bytes(declaration),
        .size_bytes = ptx_declaration_bytes(declaration),
        .line = declaration->line,
    };
}

/* Merges a repeated declaration of a module's variable: .extern before the definition, or two equal
 * declarations. */
static bool redeclare(struct ptx_parser *parser, const struct ptx_symbol *symbol,
                      const struct ptx_variable *variable)
{
    struct ptx_variable *old;

    if (symbol->kind != PTX_SYMBOL_VARIABLE)
        return ptx_fail(parser, "'%s' is already declared as something else, in line %u",
                        variable->name, symbol->line);
    old = (struct ptx_variable *)parser->variables.items + symbol->index;
    if (old->space != variable->space || old->type != variable->type ||
        (!old->unsized && !variable->unsized && old->size_bytes != variable->size_bytes))
        return ptx_fail(parser, "'%s' is declared differently in line %u", variable->name,
                        symbol->line);
    if (old->linkage != PTX_LINK_EXTERN && variable->linkage != PTX_LINK_EXTERN)
        return ptx_fail(parser, "'%s' is already defined, in line %u", variable->name,
                        symbol->line);
    if (old->linkage == PTX_LINK_EXTERN)
        *old = *variable;
    return true;
}

static bool add_module_variable(struct ptx_parser *parser,
                                const struct ptx_declaration *declaration,
                                const struct ptx_variable *variable)
{
    const struct ptx_token *name = &declaration->name;
    struct ptx_symbol *symbol =
        ptx_symbols_find(&parser->symbols, name->text, name->length, name->hash, false);

    if (symbol && symbol->depth == parser->symbols.depth)
        return redeclare(parser, symbol, variable);
    symbol = ptx_declare(parser, name, PTX_SYMBOL_VARIABLE);
    if (!symbol)
        return false;
    symbol->index = (uint32_t)parser->variables.count;
    *(struct ptx_variable *)ptx_vector_add(parser, &parser->variables,
                                           sizeof(struct ptx_variable)) = *variable;
    return true;
}

static bool add_local_variable(struct ptx_parser *parser, const struct ptx_declaration *declaration,
                               const struct ptx_variable *variable)
{
    struct ptx_symbol *symbol = ptx_declare(parser, &declaration->name, PTX_SYMBOL_LOCAL_VARIABLE);

    if (!symbol)
        return false;
    symbol->index = (uint32_t)parser->locals.count;
    *(struct ptx_variable *)ptx_vector_add(parser, &parser->locals, sizeof(struct ptx_variable)) =
        *variable;
    return true;
}

/* Adds a variable. In a function, .global and .const variables belong to the module, and their name
 * is valid in its scope. */
static bool add_variable(struct ptx_parser *parser, const struct ptx_declaration *declaration,
                         const struct ptx_variable *variable)
{
    bool local = parser->symbols.depth > 0 && declaration->space != PTX_GLOBAL &&
                 declaration->space != PTX_CONST;

    return local ? add_local_variable(parser, declaration, variable)
                 : add_module_variable(parser, declaration, variable);
}

static bool check_variable(struct ptx_parser *parser, const struct ptx_declaration *declaration,
                           bool initialised)
{
    const struct ptx_token *name = &declaration->name;

    if (initialised && declaration->space != PTX_GLOBAL && declaration->space != PTX_CONST)
        return ptx_fail(parser, "'%.*s' cannot be initialised: only .global and .const can",
                        (int)name->length, name->text);
    if (declaration->unsized && !initialised && declaration->linkage != PTX_LINK_EXTERN &&
        declaration->space != PTX_PARAM)
        return ptx_fail(parser, "array '%.*s' has no size: only .extern arrays may have none",
                        (int)name->length, name->text);
    if (!declaration->unsized && declaration->count == 0 && declaration->linkage != PTX_LINK_EXTERN)
        return ptx_fail(parser, "array '%.*s' has no elements", (int)name->length, name->text);
    return true;
}

bool ptx_parse_range(struct ptx_parser *parser, uint32_t *result)
{
    const struct ptx_token *token = ptx_current_token(parser);
    uint64_t count = 0;

    for (uint32_t i = 0; i < token->length && count <= UINT32_MAX; i++) {
        if (token->text[i] < '0' || token->text[i] > '9')
            count = UINT64_MAX / 16;
        count = count * 10 + (uint64_t)(token->text[i] - '0');
    }
    if (token->kind != PTX_TOKEN_NUMBER || count > UINT32_MAX)
        return ptx_fail(parser,
                        "the number between '<' and '>' must be a decimal number below 2^32");
    *result = (uint32_t)count;
    ptx_next(parser);
    return ptx_expect(parser, '>', "after the number of names");
}

/* Parses the rest of x<3>, which declares x0, x1 and x2. */
static bool parse_variable_range(struct ptx_parser *parser, struct ptx_declaration *declaration)
{
    struct ptx_token range = declaration->name;
    struct ptx_variable variable;
    uint32_t count = 0;

    if (!ptx_parse_range(parser, &count))
        return false;
    if (count > most_variables)
        return ptx_fail(parser, "%u variables are too many: at most %u", count, most_variables);
    for (uint32_t i = 0; i < count; i++) {
        declaration->name = ptx_name_in_range(parser, &range, i);
        variable = ptx_declaration_variable(parser, declaration);
        if (!add_variable(parser, declaration, &variable))
            return false;
    }
    return true;
}

static bool parse_one(struct ptx_parser *parser, struct ptx_declaration *declaration)
{
    struct ptx_variable variable;
    bool initialised;

    if (!ptx_parse_declarator(parser, declaration))
        return false;
    if (declaration->dimensions == 0 && ptx_accept(parser, '<'))
        return parse_variable_range(parser, declaration);
    initialised = ptx_accept(parser, '=');
    if (!check_variable(parser, declaration, initialised))
        return false;
    variable = ptx_declaration_variable(parser, declaration);
    if (initialised && !ptx_parse_initialiser(parser, declaration, &variable))
        return false;
    return add_variable(parser, declaration, &variable);
}

bool ptx_parse_variables(struct ptx_parser *parser, uint8_t space, uint8_t linkage)
{
    struct ptx_declaration declaration = {.space = space, .linkage = linkage};

    if (!ptx_parse_type(parser, &declaration))
        return false;
    do {
        if (!parse_one(parser, &declaration))
            return false;
    } while (ptx_accept(parser, ','));
    return ptx_expect_end(parser);
}

static bool declare_register(struct ptx_parser *parser, const struct ptx_declaration *type)
{
    struct ptx_token name = *ptx_current_token(parser);
    bool range;
    uint32_t count = 0;
    struct ptx_symbol *symbol;

    if (!ptx_expect(parser, PTX_TOKEN_WORD, "after .reg and its type"))
        return false;
    range = ptx_accept(parser, '<');
    if (range && !ptx_parse_range(parser, &count))
        return false;
    symbol = ptx_symbols_find_range(&parser->symbols, name.text, name.length,
                                    (int)parser->symbols.depth - 1);
    if (symbol && !range)
        return ptx_fail(parser, "'%.*s' is already declared, as one of '%.*s<%u>' in line %u",
                        (int)name.length, name.text, (int)symbol->length, symbol->name,
                        symbol->index, symbol->line);
    symbol = ptx_declare(parser, &name, range ? PTX_SYMBOL_RANGE : PTX_SYMBOL_REGISTER);
    if (!symbol)
        return false;
    symbol->type = type->type;
    symbol->width = type->width;
    symbol->index =
        range ? count : ptx_add_register(parser, name.text, name.length, type->type, type->width);
    return true;
}

bool ptx_parse_registers(struct ptx_parser *parser)
{
    struct ptx_declaration declaration = {.space = PTX_REG};

    if (!ptx_parse_type(parser, &declaration))
        return false;
    do {
        if (!declare_register(parser, &declaration))
            return false;
    } while (ptx_accept(parser, ','));
    return ptx_expect_end(parser);
}

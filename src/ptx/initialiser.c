/* SPDX-License-Identifier: MIT */
/* Initialisers: constants, and addresses of variables and functions, which become relocations.
 * Braces nest as the dimensions do; elements without a value are zero. */
#include "ptx/variable.h"

#include "ptx/constant.h"
#include "ptx/declare.h"
#include "ptx/parser.h"

#include <string.h>

enum { MAX_BRACES = 10 };
static const uint64_t largest_total = (uint64_t)1 << 30;

struct filling {
    const struct ptx_declaration *declaration;
    uint8_t *bytes;
    uint64_t capacity;    /* of bytes, when the array's size comes from its initialiser */
    uint64_t next, count; /* scalars */
    uint32_t scalar_bytes;
};

/* The number of scalars in an element of dimension `level`. */
static uint64_t stride(const struct filling *filling, unsigned level)
{
    uint64_t scalars = filling->declaration->width;

    for (unsigned i = level; i < filling->declaration->dimensions; i++)
        scalars *= filling->declaration->extents[i];
    return scalars;
}

static uint8_t *place(struct ptx_parser *parser, struct filling *filling)
{
    uint64_t at = filling->next * filling->scalar_bytes;

    if (!filling->declaration->unsized) {
        if (filling->next >= filling->count) {
            ptx_fail(parser, "there are more values than '%.*s' has elements",
                     (int)filling->declaration->name.length, filling->declaration->name.text);
            return NULL;
        }
        return filling->bytes + at;
    }
    if (filling->next > largest_total || at > largest_total) {
        ptx_fail(parser, "more than 1 GiB of initialised variables");
        return NULL;
    }
    while (at + filling->scalar_bytes > filling->capacity) {
        uint64_t capacity = filling->capacity ? filling->capacity * 2 : 256;
        uint8_t *bytes = ptx_parser_take(parser, capacity);

        if (filling->bytes)
            memcpy(bytes, filling->bytes, filling->capacity);
        filling->bytes = bytes;
        filling->capacity = capacity;
    }
    if (filling->next >= filling->count)
        filling->count = filling->next + 1;
    return filling->bytes + at;
}

static bool find_target(struct ptx_parser *parser, struct ptx_relocation *relocation)
{
    struct ptx_token name = *ptx_current_token(parser);
    const struct ptx_symbol *symbol;

    if (!ptx_expect(parser, PTX_TOKEN_WORD, "as an address"))
        return false;
    symbol = ptx_find(parser, &name);
    if (!symbol || (symbol->kind != PTX_SYMBOL_VARIABLE && symbol->kind != PTX_SYMBOL_FUNCTION))
        return ptx_fail(parser, "'%.*s' is %s", (int)name.length, name.text,
                        symbol ? "neither a variable of the module nor a function"
                               : "not declared");
    if (symbol->kind == PTX_SYMBOL_VARIABLE) {
        uint8_t space = ((const struct ptx_variable *)parser->variables.items)[symbol->index].space;

        if (space != PTX_GLOBAL && space != PTX_CONST)
            return ptx_fail(
                parser,
                "'%.*s' has no constant address: only .global and .const variables have one",
                (int)name.length, name.text);
    }
    relocation->index = symbol->index;
    relocation->is_function = symbol->kind == PTX_SYMBOL_FUNCTION;
    return true;
}

/* Parses "x", "x+4", "generic(x)-8"; after a mask these are in parentheses: "(x)",
 * "(generic(x)+4)". */
static bool parse_address(struct ptx_parser *parser, struct ptx_relocation *relocation)
{
    uint64_t addend = 0;

    if (ptx_token_is(ptx_current_token(parser), PTX_TOKEN_WORD, "generic") &&
        ptx_lexer_peek(&parser->lexer) == '(') {
        relocation->generic = true;
        ptx_next(parser);
        ptx_next(parser);
        if (!find_target(parser, relocation))
            return false;
        if ((ptx_current_token(parser)->kind == '+' || ptx_current_token(parser)->kind == '-') &&
            !ptx_parse_integer(parser, &addend))
            return false;
        relocation->addend = (int64_t)addend;
        if (!ptx_expect(parser, ')', "after generic(..."))
            return false;
    } else if (!find_target(parser, relocation)) {
        return false;
    }
    addend = 0;
    if ((ptx_current_token(parser)->kind == '+' || ptx_current_token(parser)->kind == '-') &&
        !ptx_parse_integer(parser, &addend))
        return false;
    relocation->addend = (int64_t)((uint64_t)relocation->addend + addend);
    return true;
}

static bool add_relocation(struct ptx_parser *parser, struct filling *filling,
                           const struct ptx_relocation *relocation)
{
    struct ptx_relocation *added;

    if (!place(parser, filling))
        return false;
    if (relocation->byte == 0xff && filling->scalar_bytes < 4)
        return ptx_fail(parser, "an address does not fit into an element of %u bits",
                        filling->scalar_bytes * 8);
    added = ptx_vector_add(parser, &parser->relocations, sizeof(*added));
    *added = *relocation;
    added->at = (uint32_t)(filling->next * filling->scalar_bytes);
    added->size_bytes = (uint8_t)filling->scalar_bytes;
    filling->next++;
    return true;
}

/* Parses 0xFF00(x), one byte of an address. */
static bool parse_masked(struct ptx_parser *parser, struct filling *filling, uint64_t mask)
{
    struct ptx_relocation relocation = {0};

    for (relocation.byte = 0; relocation.byte < 8; relocation.byte++)
        if (mask == (uint64_t)0xff << relocation.byte * 8)
            break;
    if (relocation.byte == 8)
        return ptx_fail(parser,
                        "a mask before an address must have eight bits set, those of one byte");
    if (filling->scalar_bytes != 1)
        return ptx_fail(parser, "a masked address needs elements of 8 bits");
    ptx_next(parser);
    return parse_address(parser, &relocation) &&
           ptx_expect(parser, ')', "after a masked address") &&
           add_relocation(parser, filling, &relocation);
}

/* The type in which a constant initialises an element: numbers with a point are floats as wide as
 * elements of bits. */
static enum ptx_type type_of_value(const struct ptx_constant *constant, enum ptx_type type)
{
    if (constant->is_float && constant->is_single && type == PTX_B64)
        return PTX_B32; /* the upper half is 0 */
    return constant->is_float && type == PTX_B32 ? PTX_F32 : type;
}

static bool parse_value(struct ptx_parser *parser, struct filling *filling)
{
    struct ptx_relocation relocation = {.byte = 0xff};
    struct ptx_constant constant;
    uint64_t bits;
    uint8_t *bytes;

    if (ptx_current_token(parser)->kind == PTX_TOKEN_WORD &&
        !ptx_token_is(ptx_current_token(parser), PTX_TOKEN_WORD, "WARP_SZ"))
        return parse_address(parser, &relocation) && add_relocation(parser, filling, &relocation);
    if (!ptx_parse_constant(parser, &constant))
        return false;
    if (ptx_current_token(parser)->kind == '(' && !constant.is_float)
        return parse_masked(parser, filling, constant.value);
    if (!ptx_constant_bits(&constant, type_of_value(&constant, filling->declaration->type), &bits))
        return ptx_fail(parser, "%s cannot initialise an element of type .%s",
                        constant.is_float ? "a float" : "an integer",
                        ptx_type_name(filling->declaration->type));
    bytes = place(parser, filling);
    if (!bytes)
        return false;
    memcpy(bytes, &bits, filling->scalar_bytes < 8 ? filling->scalar_bytes : 8);
    filling->next++;
    return true;
}

/* Parses the values of an array or vector from the first '{' on. */
static bool parse_braces(struct ptx_parser *parser, struct filling *filling)
{
    uint64_t starts[MAX_BRACES];
    unsigned depth = 0;

    for (;;) {
        if (ptx_current_token(parser)->kind == '{') {
            if (depth == MAX_BRACES || depth > filling->declaration->dimensions)
                return ptx_fail(parser, "braces are nested deeper than the array's dimensions");
            starts[depth++] = filling->next;
            ptx_next(parser);
            if (ptx_current_token(parser)->kind != '}')
                continue;
        } else if (!parse_value(parser, filling)) {
            return false;
        }
        while (ptx_current_token(parser)->kind == '}') {
            ptx_next(parser);
            if (--depth == 0)
                return true;
            filling->next = starts[depth] + stride(filling, depth);
        }
        if (!ptx_expect(parser, ',', "between values"))
            return false;
        /* also after a comma that follows the last value */
        while (ptx_current_token(parser)->kind == '}') {
            ptx_next(parser);
            if (--depth == 0)
                return true;
            filling->next = starts[depth] + stride(filling, depth);
            ptx_accept(parser, ',');
        }
    }
}

/* Sets the size of an array without a first extent: as many elements of that dimension as the
 * initialiser begins. */
static bool settle_size(struct ptx_parser *parser, struct filling *filling,
                        struct ptx_variable *variable)
{
    uint64_t part = stride(filling, 1);

    if (part == 0 || filling->count == 0)
        return ptx_fail(parser, "the array is empty");
    filling->next = (filling->count + part - 1) / part * part - 1;
    if (!place(parser, filling))
        return false;
    variable->unsized = false;
    variable->size_bytes = (filling->next + 1) * filling->scalar_bytes;
    return true;
}

/* Skips the fields of a sampler. They are not needed, because programs with a .samplerref are not
 * loaded. */
static bool skip_fields(struct ptx_parser *parser)
{
    if (!ptx_expect(parser, '{', "before the fields of a sampler"))
        return false;
    while (ptx_current_token(parser)->kind != '}') {
        if (ptx_current_token(parser)->kind == PTX_TOKEN_END ||
            ptx_current_token(parser)->kind == ';')
            return ptx_fail(parser, "'}' is expected after the fields of a sampler");
        ptx_next(parser);
    }
    ptx_next(parser);
    return true;
}

bool ptx_parse_initialiser(struct ptx_parser *parser, const struct ptx_declaration *declaration,
                           struct ptx_variable *variable)
{
    struct filling filling = {.declaration = declaration,
                              .scalar_bytes = ptx_type_bits(declaration->type) / 8,
                              .count = declaration->count * declaration->width};
    bool done;

    if (declaration->linkage == PTX_LINK_EXTERN)
        return ptx_fail(parser, "an .extern variable cannot be initialised");
    if (declaration->type == PTX_SAMPLERREF)
        return skip_fields(parser);
    if (declaration->type == PTX_TEXREF || declaration->type == PTX_SURFREF)
        return ptx_fail_as(parser, PTX_UNSUPPORTED, 0, "fields of .%s are not supported",
                           ptx_type_name(declaration->type));
    if (ptx_current_token(parser)->kind != '{' &&
        (declaration->dimensions || declaration->width > 1))
        return ptx_fail(parser, "an array or vector must be initialised by a list in braces");
    if (declaration->unsized)
        filling.count = 0;
    parser->initialised_bytes += variable->size_bytes;
    if (parser->initialised_bytes > largest_total)
        return ptx_fail(parser, "more than 1 GiB of initialised variables");
    if (!declaration->unsized)
        filling.bytes = ptx_parser_take(parser, variable->size_bytes);
    parser->relocations.count = 0;
    if (ptx_current_token(parser)->kind == '{')
        done = parse_braces(parser, &filling);
    else
        done = parse_value(parser, &filling);
    if (!done || (declaration->unsized && !settle_size(parser, &filling, variable)))
        return false;
    variable->init = filling.bytes;
    variable->relocation_count = (uint32_t)parser->relocations.count;
    variable->relocations =
        ptx_vector_keep(parser, &parser->relocations, sizeof(struct ptx_relocation));
    return true;
}

/* SPDX-License-Identifier: MIT */
/* The parameters and results of a function, and the instructions that load and store those that are
 * declared as registers. */
#include "ptx/function.h"

#include "core/align.h"
#include "ptx/declare.h"
#include "ptx/parser.h"
#include "ptx/variable.h"

#include <string.h>

static const uint64_t largest_buffer = (uint64_t)1 << 40;

/* Parses one parameter from .param or .reg on. In a prototype, names are _ or missing. */
static bool parse_parameter(struct ptx_parser *parser, bool named, struct ptx_declaration *result)
{
    *result = (struct ptx_declaration){.line = ptx_current_token(parser)->line};
    if (ptx_accept_dot(parser, "param"))
        result->space = PTX_PARAM;
    else if (ptx_accept_dot(parser, "reg"))
        result->space = PTX_REG;
    else
        return ptx_fail(parser, "a parameter must begin with .param or .reg");
    if (!ptx_parse_type(parser, result))
        return false;
    result->count = 1;
    if (!named && ptx_current_token(parser)->kind != PTX_TOKEN_WORD)
        return true;
    return ptx_parse_declarator(parser, result);
}

/* Lays out a parameter in the buffer after the previous ones. */
static bool place_parameter(struct ptx_parser *parser, const struct ptx_declaration *declaration,
                            uint64_t *bytes, struct ptx_parameter *parameter)
{
    uint64_t size = ptx_declaration_bytes(declaration);
    uint32_t align = declaration->align;

    if (!align)
        align = ptx_type_bits(declaration->type) / 8 * declaration->width;
    if (declaration->type == PTX_PRED) {
        size = 1;
        align = 1;
    }
    *bytes = cup_align_up(*bytes, align);
    *parameter = (struct ptx_parameter){
        .type = declaration->type,
        .align = align,
        .size_bytes = size,
        .offset = *bytes,
        .variable = PTX_NO_INDEX,
        .name = declaration->name.length
                    ? ptx_parser_name(parser, declaration->name.text, declaration->name.length)
                    : "_",
    };
    *bytes += size;
    if (*bytes > largest_buffer)
        return ptx_fail(parser, "the parameters are too large");
    return true;
}

/* Declares the variable and the name of a parameter. */
static bool declare_parameter(struct ptx_parser *parser, const struct ptx_declaration *declaration,
                              bool is_result, struct ptx_parameter *parameter)
{
    struct ptx_variable variable = ptx_declaration_variable(parser, declaration);
    bool in_register = declaration->space == PTX_REG;
    struct ptx_symbol *symbol;

    if (ptx_token_is(&declaration->name, PTX_TOKEN_WORD, "_"))
        return true; /* several parameters of a declaration may be named _ */
    symbol = ptx_declare(parser, &declaration->name,
                         in_register ? PTX_SYMBOL_REGISTER : PTX_SYMBOL_LOCAL_VARIABLE);
    if (!symbol)
        return false;
    parameter->variable = (uint32_t)parser->locals.count;
    variable.space = PTX_PARAM;
    variable.align = parameter->align;
    variable.size_bytes = parameter->size_bytes;
    *(struct ptx_variable *)ptx_vector_add(parser, &parser->locals, sizeof(variable)) = variable;
    symbol->index = parameter->variable;
    if (in_register) {
        uint32_t *pair = ptx_vector_add(
            parser, is_result ? &parser->register_results : &parser->register_parameters,
            2 * sizeof(uint32_t));

        symbol->index = ptx_add_register(parser, declaration->name.text, declaration->name.length,
                                         declaration->type, declaration->width);
        pair[0] = symbol->index;
        pair[1] = parameter->variable;
    }
    return true;
}

/* Parses the list in parentheses from '(' on. */
static bool parse_list(struct ptx_parser *parser, bool named, bool is_result, uint32_t *count,
                       const struct ptx_parameter **result, uint64_t *bytes)
{
    struct ptx_declaration declaration;
    struct ptx_parameter *parameter, *kept = NULL;
    size_t capacity = 0, used = 0;

    *bytes = 0;
    ptx_next(parser);
    while (ptx_current_token(parser)->kind != ')') {
        if (used && !ptx_expect(parser, ',', "between parameters"))
            return false;
        if (!parse_parameter(parser, named, &declaration))
            return false;
        if (used == capacity) {
            parameter = ptx_parser_take(parser, (capacity * 2 + 8) * sizeof(*parameter));
            if (used)
                memcpy(parameter, kept, used * sizeof(*parameter));
            capacity = capacity * 2 + 8;
            kept = parameter;
        }
        if (!place_parameter(parser, &declaration, bytes, &kept[used]))
            return false;
        if (named && !declare_parameter(parser, &declaration, is_result, &kept[used]))
            return false;
        used++;
    }
    ptx_next(parser);
    *count = (uint32_t)used;
    *result = kept;
    return true;
}

/* Parses "(results) name (parameters)"; results and parameters are optional. */
bool ptx_parse_signature(struct ptx_parser *parser, struct ptx_function *function, bool named)
{
    struct ptx_token name;
    uint64_t bytes;

    if (ptx_current_token(parser)->kind == '(' &&
        !parse_list(parser, named, true, &function->result_count, &function->results, &bytes))
        return false;
    name = *ptx_current_token(parser);
    if (!ptx_expect(parser, PTX_TOKEN_WORD, "as the function's name"))
        return false;
    function->name = ptx_parser_name(parser, name.text, name.length);
    if (ptx_current_token(parser)->kind == '(')
        return parse_list(parser, named, false, &function->parameter_count, &function->parameters,
                          &function->parameter_bytes);
    return true;
}

/* Emits the load or store of one register parameter. A predicate is passed as a byte. */
static void move_register(struct ptx_parser *parser, uint32_t index, uint32_t variable,
                          uint64_t offset, bool load)
{
    struct ptx_instruction *move = ptx_add_instruction(parser);
    struct ptx_operand reg = {.kind = PTX_OPERAND_REGISTER, .index = index},
                       address = {.kind = PTX_OPERAND_ADDRESS,
                                  .base = PTX_BASE_VARIABLE,
                                  .local = true,
                                  .index = variable,
                                  .value = offset};

    move->op = load ? PTX_OP_ld : PTX_OP_st;
    move->type_count = 1;
    move->types[0] = ((struct ptx_register *)parser->registers.items)[index].type;
    if (move->types[0] == PTX_PRED)
        move->types[0] = PTX_U8;
    move->space = PTX_PARAM;
    move->dst[0] = load ? reg : (struct ptx_operand){0};
    move->src[0] = address;
    move->src[1] = load ? (struct ptx_operand){0} : reg;
    move->source_count = load ? 1 : 2;
}

/* Emits loads of register parameters at the start, and stores of register results before each
 * return. The parts of a vector are the registers after it. */
static void move_registers(struct ptx_parser *parser, const struct cup_dynarray *pairs, bool load)
{
    for (size_t i = 0; i < pairs->count; i++) {
        const uint32_t *pair = (const uint32_t *)pairs->items + 2 * i;
        struct ptx_register reg = ((struct ptx_register *)parser->registers.items)[pair[0]];
        unsigned bytes = ptx_type_bits(reg.type) / 8;

        if (reg.width == 1)
            move_register(parser, pair[0], pair[1], 0, load);
        for (unsigned part = 0; reg.width > 1 && part < reg.width; part++)
            move_register(parser, pair[0] + 1 + part, pair[1], (uint64_t)part * bytes, load);
    }
}

void ptx_load_parameters(struct ptx_parser *parser)
{
    move_registers(parser, &parser->register_parameters, true);
}

void ptx_store_results(struct ptx_parser *parser)
{
    move_registers(parser, &parser->register_results, false);
}

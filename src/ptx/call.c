/* SPDX-License-Identifier: MIT */
/* call (results), function, (arguments), targets; all parts but the function are optional. */
#include "ptx/instruction.h"

#include "ptx/check.h"
#include "ptx/constant.h"
#include "ptx/declare.h"
#include "ptx/operand.h"
#include "ptx/parser.h"

#include <string.h>

/* Checks an argument or result: a local .param variable, a register, which may be a vector, or an
 * immediate, but not a list in braces. */
static bool check_argument(struct ptx_parser *parser, struct ptx_raw *raw, bool is_result)
{
    const struct ptx_operand *operand = &raw->operand;
    struct ptx_check check = {.parser = parser};

    if (operand->kind == PTX_OPERAND_SYMBOL && operand->local && operand->value == 0 &&
        ((struct ptx_variable *)parser->locals.items)[operand->index].space == PTX_PARAM)
        return true;
    if (operand->kind == PTX_OPERAND_REGISTER || (operand->kind == PTX_OPERAND_SINK && is_result))
        return true;
    if (operand->kind == PTX_OPERAND_IMMEDIATE && !is_result)
        return true;
    if (operand->kind == PTX_OPERAND_VECTOR && raw->text[0] != '{') {
        ptx_keep_elements(&check, raw);
        return true;
    }
    return ptx_fail(parser, "'%.*s' cannot be passed: a .param variable or a register is expected",
                    (int)raw->length, raw->text);
}

/* Parses "(a, b)" from '(' on. Immediates get their type when the function is known, in
 * type_arguments(). */
static bool parse_list(struct ptx_parser *parser, bool is_results, struct ptx_raw **result,
                       uint32_t *result_count)
{
    struct ptx_raw *list = NULL;
    uint32_t count = 0, capacity = 0;

    ptx_next(parser);
    while (ptx_current_token(parser)->kind != ')') {
        if (count && !ptx_expect(parser, ',', "between the operands of call"))
            return false;
        if (count == capacity) {
            struct ptx_raw *grown =
                ptx_parser_take(parser, (size_t)(capacity * 2 + 4) * sizeof(*list));

            if (count)
                memcpy(grown, list, count * sizeof(*list));
            list = grown;
            capacity = capacity * 2 + 4;
        }
        parser->part_count = parser->image_count = 0;
        if (!ptx_parse_operand(parser, &list[count]) ||
            !check_argument(parser, &list[count], is_results))
            return false;
        count++;
    }
    ptx_next(parser);
    *result = list;
    *result_count = count;
    return true;
}

static bool parse_target(struct ptx_parser *parser, struct ptx_call *call)
{
    struct ptx_token name = *ptx_current_token(parser);
    const struct ptx_symbol *symbol;

    if (!ptx_expect(parser, PTX_TOKEN_WORD, "as the function to call"))
        return false;
    symbol = ptx_find(parser, &name);
    if (symbol && symbol->kind == PTX_SYMBOL_FUNCTION) {
        if (((struct ptx_function *)parser->functions.items)[symbol->index].is_kernel)
            return ptx_fail(parser, "'%.*s' is a kernel and cannot be called", (int)name.length,
                            name.text);
        call->target.kind = PTX_OPERAND_FUNCTION;
    } else if (symbol && symbol->kind == PTX_SYMBOL_REGISTER) {
        if (!ptx_registers_fit(((struct ptx_register *)parser->registers.items)[symbol->index].type,
                               PTX_B64, false))
            return ptx_fail(parser, "register '%.*s' cannot hold the address of a function",
                            (int)name.length, name.text);
        call->target.kind = PTX_OPERAND_REGISTER;
    } else {
        return ptx_fail(parser, "'%.*s' is %s", (int)name.length, name.text,
                        symbol ? "not a function" : "not declared");
    }
    call->target.index = symbol->index;
    return true;
}

/* Parses the name of .calltargets or .callprototype at the end of an indirect call. */
static bool parse_signature_name(struct ptx_parser *parser, struct ptx_call *call)
{
    struct ptx_token name = *ptx_current_token(parser);
    const struct ptx_symbol *symbol;

    if (!ptx_expect(parser, PTX_TOKEN_WORD, "as the signature of an indirect call"))
        return false;
    symbol = ptx_find(parser, &name);
    if (symbol && symbol->kind == PTX_SYMBOL_CALL_PROTOTYPE) {
        call->prototype = symbol->index;
        return true;
    }
    if (symbol && symbol->kind == PTX_SYMBOL_CALL_TARGETS) {
        const struct ptx_table *table =
            (const struct ptx_table *)parser->tables.items + symbol->index;

        call->targets = table->targets;
        call->target_count = table->count;
        return true;
    }
    return ptx_fail(parser, "'%.*s' is neither a .callprototype nor a list of .calltargets",
                    (int)name.length, name.text);
}

static const struct ptx_function *signature_of(struct ptx_parser *parser,
                                               const struct ptx_call *call)
{
    const struct ptx_function *functions = parser->functions.items;

    if (call->target.kind == PTX_OPERAND_FUNCTION)
        return &functions[call->target.index];
    if (call->prototype != PTX_NO_INDEX)
        return (const struct ptx_function *)parser->prototypes.items + call->prototype;
    return call->target_count ? &functions[call->targets[0]] : NULL;
}

/* Checks that `count` registers fill the parameter and that their type fits its type. */
static bool type_registers(struct ptx_parser *parser, const struct ptx_raw *raw, uint32_t first,
                           unsigned count, const struct ptx_parameter *parameter)
{
    const struct ptx_register *reg = (struct ptx_register *)parser->registers.items + first;
    unsigned bytes = (ptx_type_bits(parameter->type) + 7) / 8;

    if (ptx_registers_fit(reg->type, parameter->type, false) &&
        parameter->size_bytes == (uint64_t)count * bytes)
        return true;
    return ptx_fail(parser,
                    "register '%.*s' of type .%s does not fit parameter '%s' of "
                    "type .%s",
                    (int)raw->length, raw->text, ptx_type_name(reg->type), parameter->name,
                    ptx_type_name(parameter->type));
}

/* Checks an argument against its parameter: the sizes must agree. Immediates take the parameter's
 * type. */
static bool type_argument(struct ptx_parser *parser, struct ptx_raw *raw,
                          const struct ptx_parameter *parameter)
{
    const struct ptx_operand *elements = parser->elements.items;
    uint64_t bits, size = 0;

    switch (raw->operand.kind) {
    case PTX_OPERAND_IMMEDIATE:
        if (!ptx_constant_bits(&raw->constant, parameter->type, &bits) ||
            parameter->size_bytes != (ptx_type_bits(parameter->type) + 7) / 8)
            return ptx_fail(parser, "'%.*s' does not fit parameter '%s' of type .%s",
                            (int)raw->length, raw->text, parameter->name,
                            ptx_type_name(parameter->type));
        raw->operand.value = bits;
        return true;
    case PTX_OPERAND_REGISTER:
        return type_registers(parser, raw, raw->operand.index, 1, parameter);
    case PTX_OPERAND_VECTOR:
        return type_registers(parser, raw, elements[raw->operand.index].index, raw->operand.count,
                              parameter);
    case PTX_OPERAND_SYMBOL:
        size = ((struct ptx_variable *)parser->locals.items)[raw->operand.index].size_bytes;
        if (size == parameter->size_bytes || parameter->size_bytes == 0)
            return true;
        return ptx_fail(parser, "'%.*s' has %llu bytes, parameter '%s' has %llu", (int)raw->length,
                        raw->text, (unsigned long long)size, parameter->name,
                        (unsigned long long)parameter->size_bytes);
    default:
        return true;
    }
}

static bool type_list(struct ptx_parser *parser, struct ptx_raw *list, uint32_t count,
                      const struct ptx_parameter *parameters, uint32_t parameter_count,
                      const char *what, const struct ptx_operand **result)
{
    struct ptx_operand *operands;

    if (count != parameter_count)
        return ptx_fail(parser, "the function has %u %s, the call %u", parameter_count, what,
                        count);
    if (count == 0)
        return true;
    operands = ptx_parser_take(parser, count * sizeof(*operands));
    for (uint32_t i = 0; i < count; i++) {
        if (!type_argument(parser, &list[i], &parameters[i]))
            return false;
        operands[i] = list[i].operand;
    }
    *result = operands;
    return true;
}

bool ptx_parse_call(struct ptx_parser *parser, struct ptx_instruction *instruction)
{
    struct ptx_call *call = ptx_parser_take(parser, sizeof(*call));
    struct ptx_raw *results = NULL, *arguments = NULL;
    const struct ptx_function *signature;

    call->prototype = PTX_NO_INDEX;
    if (ptx_current_token(parser)->kind == '(' &&
        (!parse_list(parser, true, &results, &call->result_count) ||
         !ptx_expect(parser, ',', "after the results of call")))
        return false;
    if (!parse_target(parser, call))
        return false;
    if (ptx_accept(parser, ',')) {
        if (ptx_current_token(parser)->kind == '(') {
            if (!parse_list(parser, false, &arguments, &call->argument_count))
                return false;
            if (ptx_accept(parser, ',') && !parse_signature_name(parser, call))
                return false;
        } else if (!parse_signature_name(parser, call)) {
            return false;
        }
    }
    signature = signature_of(parser, call);
    if (!signature)
        return ptx_fail(parser, "an indirect call needs a .callprototype or .calltargets");
    instruction->call = call;
    return type_list(parser, results, call->result_count, signature->results,
                     signature->result_count, "results", &call->results) &&
           type_list(parser, arguments, call->argument_count, signature->parameters,
                     signature->parameter_count, "parameters", &call->arguments);
}

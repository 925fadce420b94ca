/* SPDX-License-Identifier: MIT */
/* Checks one operand against a type. A register fits a type when both have the same size and kind,
 * where untyped bits fit every kind; ld, st and cvt also take wider registers. */
#include "ptx/check.h"

#include "core/compiler.h"
#include "ptx/constant.h"
#include "ptx/parser.h"
#include "ptx/sums.h"

#include <string.h>

bool ptx_registers_fit(enum ptx_type reg, enum ptx_type type, bool wider)
{
    unsigned reg_bits = ptx_type_bits(reg), bits = ptx_type_bits(type);
    bool reg_is_bits = ptx_type_is_bits(reg), is_bits = ptx_type_is_bits(type);

    if (reg == type)
        return true;
    if (reg == PTX_PRED || type == PTX_PRED)
        return false;
    if (reg_bits < bits || (reg_bits > bits && !wider))
        return false;
    if (reg_is_bits || is_bits)
        return true;
    if (reg == PTX_F16X2)
        return ptx_type_is_integer(type);
    if (type == PTX_U16X2 || type == PTX_S16X2)
        return false; /* registers have no such type */
    return ptx_type_is_integer(reg) && ptx_type_is_integer(type);
}

const struct ptx_register *ptx_register_of(const struct ptx_check *check, const struct ptx_raw *raw)
{
    return (struct ptx_register *)check->parser->registers.items + raw->operand.index;
}

bool ptx_fail_type(const struct ptx_check *check, const struct ptx_raw *raw, enum ptx_type type)
{
    if (raw->operand.kind == PTX_OPERAND_REGISTER)
        return ptx_fail(check->parser, "register '%.*s' of type .%s does not fit .%s",
                        (int)raw->length, raw->text,
                        ptx_type_name(ptx_register_of(check, raw)->type), ptx_type_name(type));
    return ptx_fail(check->parser, "operand '%.*s' does not fit type .%s", (int)raw->length,
                    raw->text, ptx_type_name(type));
}

bool ptx_check_register(const struct ptx_check *check, const struct ptx_raw *raw,
                        enum ptx_type type, bool wider)
{
    const struct ptx_register *reg = ptx_register_of(check, raw);

    if (cup_likely(ptx_registers_fit(reg->type, type, wider)))
        return true;
    if (check->instruction->op == PTX_OP_isspacep && ptx_registers_fit(reg->type, PTX_B32, false))
        return true; /* an address may have 32 bits here */
    return ptx_fail_type(check, raw, type);
}

static bool has_component(const struct ptx_check *check, const struct ptx_raw *raw)
{
    return !raw->operand.special_component ||
           ptx_fail(check->parser, "'%.*s' needs a component: .x, .y or .z", (int)raw->length,
                    raw->text);
}

static bool check_special(const struct ptx_check *check, struct ptx_raw *raw, enum ptx_type type)
{
    unsigned bits = raw->operand.count, wanted = ptx_type_bits(type);

    raw->operand.count = 0;
    if (!has_component(check, raw))
        return false;
    if (check->instruction->op != PTX_OP_mov && check->instruction->op != PTX_OP_cvt)
        return ptx_fail(check->parser, "'%.*s' can only be read by mov and cvt", (int)raw->length,
                        raw->text);
    /* Old PTX had narrower registers; cvt may read the lower bits of a wider one. */
    bool narrower =
        wanted < bits && wanted > 8 &&
        (bits == 32 || raw->operand.index == PTX_SR_GRIDID || check->instruction->op == PTX_OP_cvt);
    if (bits == 1 ? type == PTX_PRED : !ptx_type_is_float(type) && type != PTX_PRED)
        if (bits == wanted || narrower)
            return true;
    return ptx_fail_type(check, raw, type);
}

static bool check_immediate(const struct ptx_check *check, struct ptx_raw *raw, enum ptx_type type)
{
    uint64_t bits;

    if (!ptx_constant_bits(&raw->constant, type, &bits))
        return ptx_fail(check->parser, "%s where type .%s is expected",
                        raw->constant.is_float ? "a float" : "an integer", ptx_type_name(type));
    raw->operand.value = bits;
    return true;
}

/* Whether the address of a variable or function may be a source. */
static bool takes_symbols(const struct ptx_instruction *instruction)
{
    switch (instruction->op) {
    case PTX_OP_mov:
        return true;
    case PTX_OP_cvta:
        return !ptx_has(instruction, PTX_MOD_TO);
    case PTX_OP_mapa:
    case PTX_OP_getctarank:
        return instruction->space == PTX_SHARED;
    default:
        return false;
    }
}

/* Whether the address of a variable may be this source itself. Outside .global, 32 bits are enough.
 */
static bool fits_address(const struct ptx_instruction *instruction, unsigned space,
                         enum ptx_type type)
{
    unsigned bits = ptx_type_bits(type);

    return takes_symbols(instruction) && !ptx_type_is_float(type) &&
           (bits == 64 || (bits == 32 && space != PTX_GLOBAL));
}

/* Whether the source is x+4 and has a type in which ptxas takes the lower bits of such sums. */
static bool is_number(const struct ptx_raw *raw, enum ptx_type type)
{
    unsigned bits = ptx_type_bits(type);

    return raw->is_sum && raw->operand.kind == PTX_OPERAND_SYMBOL && !ptx_type_is_float(type) &&
           (bits == 16 || bits == 32 || bits == 64);
}

/* Checks the address of a variable or function as a value. */
static bool check_symbol(const struct ptx_check *check, struct ptx_raw *raw, enum ptx_type type)
{
    const struct cup_dynarray *variables =
        raw->operand.local ? &check->parser->locals : &check->parser->variables;
    unsigned bits = ptx_type_bits(type), space = PTX_GLOBAL;

    if (raw->operand.kind == PTX_OPERAND_SYMBOL)
        space = ((const struct ptx_variable *)variables->items)[raw->operand.index].space;
    if (check->instruction->op == PTX_OP_cvta && space != check->instruction->space)
        return ptx_fail(check->parser, "'%.*s' is not in this state space", (int)raw->length,
                        raw->text);
    if (fits_address(check->instruction, space, type)) {
        if (raw->has_index_register)
            ptx_lower_symbol(check->parser, raw, bits);
        return true;
    }
    if (is_number(raw, type)) {
        ptx_lower_symbol(check->parser, raw, bits);
        return true;
    }
    if (!takes_symbols(check->instruction))
        return ptx_fail(check->parser, "a register is expected, not the address of '%.*s'",
                        (int)raw->length, raw->text);
    return ptx_fail(check->parser, "the address of '%.*s' does not fit .%s", (int)raw->length,
                    raw->text, ptx_type_name(type));
}

/* Checks one source or one element of a vector. */
bool ptx_check_scalar(const struct ptx_check *check, struct ptx_raw *raw, enum ptx_type type,
                      bool wider)
{
    switch (raw->operand.kind) {
    case PTX_OPERAND_REGISTER:
        return ptx_check_register(check, raw, type, wider) &&
               (cup_likely(!raw->is_sum) || ptx_lower_register_sum(check->parser, raw));
    case PTX_OPERAND_IMMEDIATE:
        return check_immediate(check, raw, type);
    case PTX_OPERAND_SPECIAL:
        return check_special(check, raw, type);
    case PTX_OPERAND_SYMBOL:
    case PTX_OPERAND_FUNCTION:
        return check_symbol(check, raw, type);
    default:
        return ptx_fail_type(check, raw, type);
    }
}

/* Whether an element holds a float of a texture in a register of integers: results and coordinates
 * are bits to ptxas. */
static bool is_texel(const struct ptx_check *check, const struct ptx_raw *raw, enum ptx_type type)
{
    enum ptx_type reg;

    if ((check->instruction->op != PTX_OP_tex && check->instruction->op != PTX_OP_tld4) ||
        raw->operand.kind != PTX_OPERAND_REGISTER || raw->is_sum ||
        (type != PTX_F32 && type != PTX_F16))
        return false;
    reg = ptx_register_of(check, raw)->type;
    return ptx_type_is_integer(reg) && ptx_type_bits(reg) == ptx_type_bits(type);
}

/* Checks a special register as an element: ptxas takes it there for any instruction, and as untyped
 * bits. */
static bool check_special_element(const struct ptx_check *check, struct ptx_raw *raw,
                                  enum ptx_type type, bool wider)
{
    unsigned bits = raw->operand.count;

    if (!has_component(check, raw))
        return false;
    if (bits < 32 || !ptx_registers_fit(bits == 64 ? PTX_B64 : PTX_B32, type, wider))
        return ptx_fail_type(check, raw, type);
    ptx_lower_special(check->parser, raw, bits);
    return true;
}

bool ptx_check_element(const struct ptx_check *check, struct ptx_raw *raw, enum ptx_type type,
                       bool wider)
{
    if (raw->operand.kind == PTX_OPERAND_SPECIAL && check->instruction->op != PTX_OP_mov)
        return check_special_element(check, raw, type, wider);
    return is_texel(check, raw, type) || ptx_check_scalar(check, raw, type, wider);
}

/* Appends the elements of a vector to the function's elements. */
void ptx_keep_elements(const struct ptx_check *check, struct ptx_raw *raw)
{
    raw->operand.index = (uint32_t)check->parser->elements.count;
    for (unsigned i = 0; i < raw->operand.count; i++)
        *(struct ptx_operand *)ptx_vector_add(check->parser, &check->parser->elements,
                                              sizeof(struct ptx_operand)) =
            check->parser->parts[raw->first_part + i].operand;
}

/* Checks a vector of `count` elements of a type; 0: any number of elements. */
bool ptx_check_vector(const struct ptx_check *check, struct ptx_raw *raw, enum ptx_type type,
                      unsigned count, bool destination, bool wider)
{
    if (raw->operand.kind != PTX_OPERAND_VECTOR)
        return ptx_fail(check->parser, "a vector of %u elements is expected, not '%.*s'", count,
                        (int)raw->length, raw->text);
    if (count && raw->operand.count != count)
        return ptx_fail(check->parser, "a vector of %u elements is expected, not of %u", count,
                        raw->operand.count);
    for (unsigned i = 0; i < raw->operand.count; i++) {
        struct ptx_raw *part = &check->parser->parts[raw->first_part + i];

        if (destination && part->operand.kind == PTX_OPERAND_SINK)
            continue;
        if (destination && part->operand.kind != PTX_OPERAND_REGISTER)
            return ptx_fail(check->parser, "a destination is expected, not '%.*s'",
                            (int)part->length, part->text);
        if (!ptx_check_element(check, part, type, wider))
            return false;
    }
    ptx_keep_elements(check, raw);
    return true;
}

bool ptx_add_source(struct ptx_instruction *instruction, const struct ptx_operand *operand)
{
    if (instruction->source_count == PTX_MAX_SOURCES)
        return false;
    instruction->src[instruction->source_count++] = *operand;
    return true;
}

/* SPDX-License-Identifier: MIT */
/* The instructions that compute operands have no guard: they change nothing but registers
 * of their own. */
#include "ptx/sums.h"

#include "ptx/declare.h"
#include "ptx/parser.h"

#include <string.h>

static enum ptx_type type_of_bits(unsigned bits, bool is_signed)
{
    switch (bits) {
    case 16:
        return is_signed ? PTX_S16 : PTX_U16;
    case 32:
        return is_signed ? PTX_S32 : PTX_U32;
    default:
        return is_signed ? PTX_S64 : PTX_U64;
    }
}

static struct ptx_register register_at(const struct ptx_parser *parser, uint32_t index)
{
    return ((const struct ptx_register *)parser->registers.items)[index];
}

static struct ptx_operand register_operand(uint32_t index)
{
    return (struct ptx_operand){.kind = PTX_OPERAND_REGISTER, .index = index};
}

static struct ptx_operand number_operand(uint64_t value)
{
    return (struct ptx_operand){.kind = PTX_OPERAND_IMMEDIATE, .value = value};
}

/* Adds an instruction that writes a new register; valid until the next one is added. */
static struct ptx_instruction *add_step(struct ptx_parser *parser, enum ptx_opcode op,
                                        enum ptx_type type, const char *name,
                                        const struct ptx_operand *sources, unsigned count)
{
    uint32_t index = ptx_add_register(parser, name, strlen(name), type, 1);
    struct ptx_instruction *step = ptx_add_instruction(parser);

    step->op = op;
    step->type_count = 1;
    step->types[0] = type;
    step->source_count = (uint8_t)count;
    memcpy(step->src, sources, count * sizeof(*sources));
    step->dst[0] = register_operand(index);
    return step;
}

static struct ptx_operand convert(struct ptx_parser *parser, struct ptx_operand value,
                                  enum ptx_type from, enum ptx_type to, const char *name)
{
    struct ptx_instruction *step = add_step(parser, PTX_OP_cvt, to, name, &value, 1);

    step->types[step->type_count++] = from;
    return step->dst[0];
}

bool ptx_lower_register_sum(struct ptx_parser *parser, struct ptx_raw *raw)
{
    struct ptx_register reg = register_at(parser, raw->operand.index);
    unsigned bits = ptx_type_bits(reg.type);
    uint64_t mask = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
    struct ptx_operand sources[] = {raw->operand, number_operand(raw->addend & mask)};

    if (ptx_type_is_float(reg.type) || (bits != 16 && bits != 32 && bits != 64))
        return ptx_fail(parser,
                        "a number can be added to registers of integers or bits, not to .%s",
                        ptx_type_name(reg.type));
    sources[0].negated = false;
    raw->operand.index =
        add_step(parser, PTX_OP_add, type_of_bits(bits, true), reg.name, sources, 2)->dst[0].index;
    return true;
}

void ptx_lower_special(struct ptx_parser *parser, struct ptx_raw *raw, unsigned bits)
{
    raw->operand.count = 0;
    raw->operand =
        add_step(parser, PTX_OP_mov, type_of_bits(bits, false), "special", &raw->operand, 1)
            ->dst[0];
}

/* Adds the register between brackets times the size of an element to an address. */
static struct ptx_operand add_index(struct ptx_parser *parser, const struct ptx_raw *raw,
                                    struct ptx_operand address)
{
    struct ptx_register reg = register_at(parser, raw->index_register);
    unsigned bits = ptx_type_bits(reg.type);
    bool is_signed = ptx_type_is_signed(reg.type);
    struct ptx_operand sources[3] = {register_operand(raw->index_register),
                                     number_operand(raw->element_bytes), address};
    struct ptx_instruction *product;

    if (bits != 64)
        sources[0] = convert(parser, sources[0], type_of_bits(bits, is_signed),
                             type_of_bits(64, is_signed), reg.name);
    product = add_step(parser, PTX_OP_mad, PTX_U64, reg.name, sources, 3);
    product->modifiers[PTX_MOD_LO / 64] |= UINT64_C(1) << PTX_MOD_LO % 64;
    return product->dst[0];
}

void ptx_lower_symbol(struct ptx_parser *parser, struct ptx_raw *raw, unsigned bits)
{
    const struct cup_dynarray *variables =
        raw->operand.local ? &parser->locals : &parser->variables;
    const char *name = ((const struct ptx_variable *)variables->items)[raw->operand.index].name;
    struct ptx_operand symbol = raw->operand, address;

    symbol.kind = PTX_OPERAND_SYMBOL;
    symbol.base = PTX_BASE_NONE;
    symbol.negated = false;
    address = add_step(parser, PTX_OP_mov, PTX_U64, name, &symbol, 1)->dst[0];
    if (raw->has_index_register)
        address = add_index(parser, raw, address);
    if (bits != 64)
        address = convert(parser, address, PTX_U64, type_of_bits(bits, false), name);
    address.negated = raw->operand.negated;
    raw->operand = address;
}

/* SPDX-License-Identifier: MIT */
/* The operands between brackets that have coordinates: those of texture and surface instructions,
 * and tensors. */
#include "ptx/check.h"

#include "core/compiler.h"
#include "ptx/parser.h"

bool ptx_is_sampled(const struct ptx_check *check)
{
    switch (check->instruction->op) {
    case PTX_OP_tex:
    case PTX_OP_tld4:
        return true;
    default:
        return false;
    }
}

/* The kind of reference that an instruction takes. A query about sampling takes a sampler where
 * textures have none of their own. */
static enum ptx_type reference_of(const struct ptx_check *check)
{
    static const enum ptx_modifier sampling[] = {PTX_MOD_FILTER_MODE, PTX_MOD_ADDR_MODE_0,
                                                 PTX_MOD_ADDR_MODE_1, PTX_MOD_ADDR_MODE_2};
    const struct ptx_instruction *instruction = check->instruction;

    if (!ptx_is_sampled(check) && instruction->op != PTX_OP_txq)
        return PTX_SURFREF;
    if (ptx_has(instruction, PTX_MOD_FORCE_UNNORMALIZED_COORDS))
        return PTX_SAMPLERREF;
    for (size_t k = 0; check->parser->independent && k < CUP_ARRAY_COUNT(sampling); k++)
        if (ptx_has(instruction, sampling[k]))
            return PTX_SAMPLERREF;
    return PTX_TEXREF;
}

/* Checks a variable in place of a handle. */
static bool check_reference(const struct ptx_check *check, const struct ptx_raw *raw,
                            enum ptx_type wanted)
{
    const struct cup_dynarray *variables =
        raw->operand.local ? &check->parser->locals : &check->parser->variables;

    if (((const struct ptx_variable *)variables->items)[raw->operand.index].type == wanted)
        return true;
    return ptx_fail(check->parser, "a %s is expected, not '%.*s'",
                    wanted == PTX_SURFREF  ? ".surfref"
                    : wanted == PTX_TEXREF ? ".texref"
                                           : ".samplerref",
                    (int)raw->length, raw->text);
}

/* Checks a texture, sampler or surface operand: a variable, or a register that holds a handle.
 * wanted: PTX_TYPE_NONE for a variable of any kind. */
static bool check_handle(const struct ptx_check *check, struct ptx_raw *raw, enum ptx_type wanted)
{
    if (raw->operand.kind == PTX_OPERAND_ADDRESS && raw->operand.value == 0 &&
        raw->operand.base != PTX_BASE_NONE)
        raw->operand.kind =
            raw->operand.base == PTX_BASE_REGISTER ? PTX_OPERAND_REGISTER : PTX_OPERAND_SYMBOL;
    raw->operand.base = PTX_BASE_NONE;
    if (raw->operand.kind == PTX_OPERAND_REGISTER)
        return ptx_check_register(check, raw, PTX_B64, false);
    if (raw->operand.kind != PTX_OPERAND_SYMBOL)
        return ptx_fail(check->parser, "a texture or surface is expected, not '%.*s'",
                        (int)raw->length, raw->text);
    return wanted == PTX_TYPE_NONE || check_reference(check, raw, wanted);
}

/* A sampler beside a texture that has one of its own is ignored. */
static bool check_sampler(const struct ptx_check *check, struct ptx_raw *raw)
{
    return check_handle(check, raw, check->parser->independent ? PTX_SAMPLERREF : PTX_TYPE_NONE);
}

static bool check_coordinates(const struct ptx_check *check, struct ptx_raw *raw)
{
    const struct ptx_instruction *instruction = check->instruction;
    bool sampled = ptx_is_sampled(check);
    enum ptx_type type = sampled ? instruction->types[1] : PTX_S32;

    if (raw->operand.kind == PTX_OPERAND_VECTOR) {
        /* The first element of an array's coordinates is its layer, an integer. */
        bool layered = ptx_has(instruction, PTX_MOD_A1D) || ptx_has(instruction, PTX_MOD_A2D) ||
                       ptx_has(instruction, PTX_MOD_ACUBE) || ptx_has(instruction, PTX_MOD_A2DMS);

        if (layered && type != PTX_S32 && raw->operand.count) {
            struct ptx_raw *layer = &check->parser->parts[raw->first_part];

            if (!ptx_check_scalar(check, layer, PTX_U32, false))
                return false;
            for (unsigned i = 1; i < raw->operand.count; i++)
                if (!ptx_check_element(check, layer + i, type, false))
                    return false;
            ptx_keep_elements(check, raw);
            return true;
        }
        return ptx_check_vector(check, raw, type, 0, false, false);
    }
    return ptx_check_scalar(check, raw, type, false);
}

bool ptx_check_image(const struct ptx_check *check, struct ptx_raw *raw)
{
    struct ptx_raw *image = check->parser->image;
    unsigned count = check->parser->image_count;
    const struct ptx_operand none = {0};

    if (!raw->is_image) { /* txq and suq have a handle only */
        if (check->instruction->op != PTX_OP_txq && check->instruction->op != PTX_OP_suq)
            return ptx_fail(check->parser, "coordinates are expected between '[' and ']'");
        if (!check_handle(check, raw, reference_of(check)))
            return false;
        return ptx_add_source(check->instruction, &raw->operand);
    }
    if (count < 2 || (count == 3 && !ptx_is_sampled(check)))
        return ptx_fail(check->parser, "wrong number of operands between '[' and ']'");
    if (count == 2 && check->parser->independent && ptx_is_sampled(check))
        return ptx_fail(check->parser, "a sampler is expected after the texture");
    if (!check_handle(check, &image[0], reference_of(check)) ||
        (count == 3 && !check_sampler(check, &image[1])) ||
        !check_coordinates(check, &image[count - 1]))
        return false;
    ptx_add_source(check->instruction, &image[0].operand);
    if (ptx_is_sampled(check))
        ptx_add_source(check->instruction, count == 3 ? &image[1].operand : &none);
    ptx_add_source(check->instruction, &image[count - 1].operand);
    return true;
}

static unsigned tensor_rank(const struct ptx_instruction *instruction)
{
    static const enum ptx_modifier ranks[] = {PTX_MOD_G1D, PTX_MOD_G2D, PTX_MOD_G3D, PTX_MOD_G4D,
                                              PTX_MOD_G5D};
    unsigned rank = 0;

    while (rank < CUP_ARRAY_COUNT(ranks) && !ptx_has(instruction, ranks[rank]))
        rank++;
    return rank + 1;
}

bool ptx_check_tensor(const struct ptx_check *check, struct ptx_raw *raw)
{
    struct ptx_raw *map = &check->parser->image[0], *coordinates = &check->parser->image[1];

    if (!raw->is_image || check->parser->image_count != 2)
        return ptx_fail(check->parser,
                        "a tensor map and coordinates are expected between brackets");
    if (map->operand.kind == PTX_OPERAND_REGISTER) {
        if (!ptx_check_register(check, map, PTX_B64, false))
            return false;
        map->operand.base = PTX_BASE_REGISTER;
    } else if (map->operand.kind == PTX_OPERAND_SYMBOL) {
        map->operand.base = PTX_BASE_VARIABLE;
    } else {
        return ptx_fail(check->parser, "a tensor map is expected, not '%.*s'", (int)map->length,
                        map->text);
    }
    map->operand.kind = PTX_OPERAND_ADDRESS;
    if (!ptx_check_vector(check, coordinates, PTX_S32, tensor_rank(check->instruction), false,
                          false))
        return false;
    if (!ptx_add_source(check->instruction, &map->operand) ||
        !ptx_add_source(check->instruction, &coordinates->operand))
        return ptx_fail(check->parser, "too many operands");
    return true;
}

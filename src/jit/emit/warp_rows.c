/* SPDX-License-Identifier: MIT */
#include "jit/emit/warp_rows.h"

#include "abi/launch.h"
#include "abi/services.h"
#include "abi/warp.h"
#include "jit/emit/address.h"
#include "jit/emit/body.h"
#include "jit/emit/ir.h"
#include "jit/instrument/site.h"
#include "jit/emit/mask.h"
#include "jit/emit/operands.h"

#include <stddef.h>
#include <string.h>

enum { ROWS = 40, ROW_BYTES = CUP_ABI_WARP_LANES * 8 };

static LLVMValueRef row_at(struct jit_body *body, unsigned row)
{
    if (!body->scratch.warp_words)
        body->scratch.warp_words =
            jit_build_alloca(body, body->unit->i64, ROWS * CUP_ABI_WARP_LANES, "rows");
    return jit_build_offset(body, body->scratch.warp_words,
                            jit_i64(body->unit, (uint64_t)row * ROW_BYTES));
}

void jit_row_put(struct jit_body *body, unsigned *row, struct jit_value value)
{
    LLVMTypeRef words = jit_vector_type(body, body->unit->i64);
    LLVMValueRef lanes = jit_value_vector(body, value);

    if (LLVMTypeOf(lanes) != words)
        lanes = LLVMBuildZExt(body->builder, lanes, words, "");
    jit_build_store(body, lanes, row_at(body, (*row)++), 8);
}

struct jit_value jit_row_get(struct jit_body *body, unsigned row, enum ptx_type type)
{
    LLVMTypeRef words = jit_vector_type(body, body->unit->i64),
                wanted = jit_vector_type(body, jit_type_of(body->unit, type));
    LLVMValueRef lanes = jit_build_load(body, words, row_at(body, row), 8);

    if (type == PTX_PRED)
        return jit_vector(LLVMBuildICmp(body->builder, LLVMIntNE, lanes, LLVMConstNull(words), ""));
    return jit_vector(words == wanted ? lanes : LLVMBuildTrunc(body->builder, lanes, wanted, ""));
}

void jit_row_put_operand(struct jit_body *body, unsigned *row, const struct ptx_operand *operand,
                         enum ptx_type type)
{
    for (unsigned e = 0; e < jit_operand_part_count(operand); e++)
        jit_row_put(body, row, jit_operand_read(body, jit_operand_part(body, operand, e), type));
}

void jit_row_get_operand(struct jit_body *body, unsigned row, const struct ptx_operand *operand,
                         enum ptx_type type)
{
    for (unsigned e = 0; e < jit_operand_part_count(operand); e++)
        jit_operand_write(body, jit_operand_part(body, operand, e), type,
                          jit_row_get(body, row + e, type));
}

void jit_row_put_address(struct jit_body *body, unsigned *row, const struct ptx_operand *operand,
                         uint8_t space)
{
    struct jit_value address = jit_emit_address(body, operand, space);

    if (space == PTX_SHARED && (address.stride || address.jump))
        address = jit_vector(jit_shared_wrap(body, jit_value_vector(body, address)));
    jit_row_put(body, row, address);
}

void jit_row_call(struct jit_body *body, const struct ptx_instruction *i,
                  const struct cup_abi_warp_call *about)
{
    struct cup_abi_warp_call copy = *about;

    _Static_assert(sizeof(copy) % 8 == 0, "whole words");
    if (i) {
        copy.line = i->line;
        copy.site = jit_check_site(body, i);
    }
    jit_build_constant(body, &body->scratch.warp_call, &copy, sizeof(copy), "warp.call");
    LLVMValueRef arguments[] = {body->abi.block, body->vector.warp, jit_mask_bits(body),
                                body->scratch.warp_call, row_at(body, 0)};
    jit_build_service(body, offsetof(struct cup_abi_services, warp_call), body->unit->nothing,
                      arguments, 5);
}

void jit_row_put_number(struct jit_body *body, unsigned *row, uint64_t number)
{
    jit_row_put(body, row, jit_scalar(jit_i64(body->unit, number), 0));
}

/* SPDX-License-Identifier: MIT */
/* Rows of operands and results on the stack, and the call that gets them. */
#include "jit/emit/warp_rows.h"

#include "abi/launch.h"
#include "abi/services.h"
#include "abi/warp.h"
#include "jit/emit/address.h"
#include "jit/emit/emitter.h"
#include "jit/emit/ir.h"
#include "jit/emit/mask.h"
#include "jit/emit/operands.h"
#include "jit/instrument/site.h"

#include <stddef.h>
#include <string.h>

enum { ROWS = 40, ROW_BYTES = CUP_ABI_WARP_LANES * 8 };

static LLVMValueRef row_at(struct jit_emitter *e, unsigned row)
{
    if (!e->scratch[JIT_SCRATCH_WARP_WORDS])
        e->scratch[JIT_SCRATCH_WARP_WORDS] =
            jit_build_alloca(e, e->unit->i64, ROWS * CUP_ABI_WARP_LANES, "rows");
    return jit_build_offset(e, e->scratch[JIT_SCRATCH_WARP_WORDS],
                            jit_i64(e->unit, (uint64_t)row * ROW_BYTES));
}

void jit_row_put(struct jit_emitter *e, unsigned *row, struct jit_value value)
{
    LLVMTypeRef words = jit_vector_type(e, e->unit->i64);
    LLVMValueRef lanes = jit_value_vector(e, value);

    if (LLVMTypeOf(lanes) != words)
        lanes = LLVMBuildZExt(e->builder, lanes, words, "");
    jit_build_store(e, lanes, row_at(e, (*row)++), 8);
}

struct jit_value jit_row_get(struct jit_emitter *e, unsigned row, enum ptx_type type)
{
    LLVMTypeRef words = jit_vector_type(e, e->unit->i64),
                wanted = jit_vector_type(e, jit_type_of(e->unit, type));
    LLVMValueRef lanes = jit_build_load(e, words, row_at(e, row), 8);

    if (type == PTX_PRED)
        return jit_vector(LLVMBuildICmp(e->builder, LLVMIntNE, lanes, LLVMConstNull(words), ""));
    return jit_vector(words == wanted ? lanes : LLVMBuildTrunc(e->builder, lanes, wanted, ""));
}

void jit_row_put_operand(struct jit_emitter *e, unsigned *row, const struct ptx_operand *operand,
                         enum ptx_type type)
{
    for (unsigned k = 0; k < jit_operand_part_count(operand); k++)
        jit_row_put(e, row, jit_operand_read(e, jit_operand_part(e->function, operand, k), type));
}

void jit_row_get_operand(struct jit_emitter *e, unsigned row, const struct ptx_operand *operand,
                         enum ptx_type type)
{
    for (unsigned k = 0; k < jit_operand_part_count(operand); k++)
        jit_operand_write(e, jit_operand_part(e->function, operand, k), type,
                          jit_row_get(e, row + k, type));
}

void jit_row_put_address(struct jit_emitter *e, unsigned *row, const struct ptx_operand *operand,
                         uint8_t space)
{
    struct jit_value address = jit_emit_address(e, operand, space);

    if (space == PTX_SHARED && (address.stride || address.jump))
        address = jit_vector(jit_shared_wrap(e, jit_value_vector(e, address)));
    jit_row_put(e, row, address);
}

void jit_row_call(struct jit_emitter *e, const struct ptx_instruction *i,
                  const struct cup_abi_warp_call *about)
{
    struct cup_abi_warp_call copy = *about;

    _Static_assert(sizeof(copy) % 8 == 0, "whole words");
    if (i) {
        copy.line = i->line;
        copy.site = jit_check_site(e, i);
    }
    jit_build_constant(e, &e->scratch[JIT_SCRATCH_WARP_CALL], &copy, sizeof(copy), "warp.call");
    LLVMValueRef arguments[] = {e->abi.block, e->vector.warp, jit_mask_bits(e),
                                e->scratch[JIT_SCRATCH_WARP_CALL], row_at(e, 0)};
    jit_build_service(e, offsetof(struct cup_abi_services, warp_call), e->unit->nothing, arguments,
                      5);
}

void jit_row_put_number(struct jit_emitter *e, unsigned *row, uint64_t number)
{
    jit_row_put(e, row, jit_scalar(jit_i64(e->unit, number), 0));
}

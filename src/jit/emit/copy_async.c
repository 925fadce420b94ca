/* SPDX-License-Identifier: MIT */
/* cp.async: the bytes are copied at once, lane by lane, so that there is nothing to wait for. */
#include "jit/emit/memory.h"

#include "abi/check.h"
#include "abi/launch.h"
#include "jit/emit/address.h"
#include "jit/emit/alignment.h"
#include "jit/emit/emitter.h"
#include "jit/emit/ir.h"
#include "jit/emit/lanes.h"
#include "jit/emit/mask.h"
#include "jit/emit/operands.h"
#include "jit/emit/peer_access.h"
#include "jit/emit/warp_calls.h"
#include "jit/instrument/accesses.h"

struct jit_async_copy {
    const struct ptx_instruction *instruction;
    struct jit_value to, from, bytes, ignore;
    unsigned size;
    bool checked;
    uint32_t line;
};

static void copy_lane(struct jit_emitter *e, LLVMValueRef lane, void *context)
{
    struct jit_unit *unit = e->unit;
    LLVMBuilderRef b = e->builder;
    struct jit_async_copy *copy = context;
    LLVMValueRef to = jit_value_of_lane(e, copy->to, 0, lane).value;
    LLVMValueRef from = jit_value_of_lane(e, copy->from, 1, lane).value;
    LLVMValueRef bytes = jit_value_of_lane(e, copy->bytes, 2, lane).value;
    LLVMValueRef target;

    if (!copy->to.vector)
        to = jit_shared_wrap(e, to);
    target = LLVMBuildIntToPtr(b, to, unit->ptr, "");
    bytes = LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntUGT, bytes, jit_i32(unit, copy->size), ""),
                            jit_i32(unit, copy->size), bytes, "");
    jit_alignment_check_lane(e, lane, to, copy->size, copy->line);
    jit_alignment_check_lane(e, lane, from, copy->size, copy->line);
    if (copy->checked)
        jit_access_check_lane(e, lane, from, copy->size, CUP_MAY_READ, copy->line);
    jit_check_range(e, copy->instruction, lane, from, bytes, CUP_ABI_READS | CUP_ABI_ASYNC,
                    PTX_GLOBAL);
    jit_check_range(e, copy->instruction, lane, to, jit_i32(unit, copy->size),
                    CUP_ABI_WRITES | CUP_ABI_ASYNC, PTX_SHARED);
    LLVMBuildMemSet(b, target, LLVMConstInt(unit->i8, 0, false), jit_i64(unit, copy->size), 1);
    LLVMBuildMemCpy(b, target, 1, LLVMBuildIntToPtr(b, from, unit->ptr, ""), 1,
                    LLVMBuildZExt(b, bytes, unit->i64, ""));
}

/* The number of bytes to read; the rest of the destination is zeroed. The optional last operand is
 * a cache policy. */
static struct jit_value copied_bytes(struct jit_emitter *e, const struct ptx_instruction *i,
                                     unsigned size)
{
    unsigned given = i->source_count - (ptx_has(i, PTX_MOD_CACHE_HINT) ? 1u : 0u);
    const struct ptx_operand *operand = &i->src[3];
    struct jit_value ignored;

    if (given < 4)
        return jit_scalar(jit_i32(e->unit, size), 0);
    if (operand->kind != PTX_OPERAND_REGISTER ||
        e->function->ptx->registers[operand->index].type != PTX_PRED)
        return jit_operand_read(e, operand, PTX_U32);
    ignored = jit_operand_read(e, operand, PTX_PRED);
    ignored.value = LLVMBuildSelect(
        e->builder, ignored.value,
        LLVMConstNull(ignored.vector ? jit_vector_type(e, e->unit->i32) : e->unit->i32),
        ignored.vector ? jit_build_splat(e, jit_i32(e->unit, size)) : jit_i32(e->unit, size), "");
    return ignored;
}

void jit_emit_copy_async(struct jit_emitter *e, const struct ptx_instruction *i)
{
    struct jit_async_copy copy = {.instruction = i, .size = 16};

    if (ptx_has(i, PTX_MOD_MBARRIER)) {
        jit_emit_copies_arrive(e, i);
        return;
    }
    if (ptx_has(i, PTX_MOD_PREFETCH) || ptx_has(i, PTX_MOD_COMMIT_GROUP) ||
        ptx_has(i, PTX_MOD_WAIT_GROUP) || ptx_has(i, PTX_MOD_WAIT_ALL))
        return;
    if (ptx_has(i, PTX_MOD_BULK)) {
        jit_emit_copy_bulk(e, i);
        return;
    }
    copy.size = (unsigned)i->src[2].value & 31;
    copy.to = jit_emit_address(e, &i->src[0], PTX_SHARED);
    copy.from = jit_emit_address(e, &i->src[1], PTX_GLOBAL);
    copy.checked = jit_access_is_checked(e, &i->src[1], PTX_GLOBAL);
    copy.line = i->line;
    copy.bytes = copied_bytes(e, i, copy.size);
    if (copy.to.vector)
        jit_scratch_fill(e, 0, copy.to.value);
    if (copy.from.vector)
        jit_scratch_fill(e, 1, copy.from.value);
    if (copy.bytes.vector)
        jit_scratch_fill(e, 2, copy.bytes.value);
    jit_emit_lane_loop(e, jit_mask_bits(e), copy_lane, &copy);
}

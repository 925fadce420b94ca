/* SPDX-License-Identifier: MIT */
/* Dispatches an instruction to the file that emits its kind, and emits the few that have no file.
 */
#include "jit/emit/emit.h"

#include "abi/services.h"
#include "jit/emit/barriers.h"
#include "jit/emit/body.h"
#include "jit/emit/ir.h"
#include "jit/instrument/accesses.h"
#include "jit/instrument/counters.h"
#include "jit/debuginfo/dwarf.h"
#include "jit/debuginfo/variables.h"
#include "jit/analysis/instruction.h"
#include "jit/emit/mask.h"
#include "jit/emit/matrix.h"
#include "jit/emit/matrix_tiles.h"
#include "jit/emit/memory.h"
#include "jit/emit/operands.h"
#include "jit/emit/texture.h"
#include "jit/emit/warp_calls.h"
#include "jit/emit/warp_ops.h"

#include <stddef.h>

static void emit_arrive(struct jit_body *body, const struct ptx_instruction *i)
{
    struct jit_barrier_operands barrier;
    LLVMValueRef arguments[5];

    if (ptx_has(i, PTX_MOD_WARP))
        return;
    jit_barrier_read(body, i, &barrier);
    arguments[0] = body->abi.block;
    arguments[1] = body->vector.warp;
    arguments[2] = barrier.id;
    arguments[3] = barrier.threads;
    arguments[4] = jit_mask_bits(body);
    jit_build_service(body, offsetof(struct cup_abi_services, barrier_arrive), body->unit->nothing,
                      arguments, 5);
}

static void emit_zero(struct jit_body *body, const struct ptx_instruction *i, enum ptx_type type)
{
    jit_operand_write(body, &i->dst[0], type,
                      jit_scalar(LLVMConstNull(jit_type_of(body->unit, type)), 0));
}

static void emit_other(struct jit_body *body, const struct ptx_instruction *i)
{
    switch (i->op) {
    case PTX_OP_ld:
    case PTX_OP_ldu:
        jit_emit_load(body, i);
        break;
    case PTX_OP_st:
        if (ptx_has(i, PTX_MOD_ASYNC))
            jit_emit_store_async(body, i);
        else
            jit_emit_store(body, i);
        break;
    case PTX_OP_atom:
    case PTX_OP_red:
        if (ptx_has(i, PTX_MOD_ASYNC))
            jit_emit_store_async(body, i);
        else
            jit_emit_atomic(body, i);
        break;
    case PTX_OP_cp:
        jit_emit_copy_async(body, i);
        break;
    case PTX_OP_tensormap:
        jit_emit_tensor_map(body, i);
        break;
    case PTX_OP_isspacep:
        jit_emit_isspacep(body, i);
        break;
    case PTX_OP_membar:
    case PTX_OP_fence:
        jit_emit_fence(body, i);
        break;
    case PTX_OP_bar:
    case PTX_OP_barrier:
        emit_arrive(body, i);
        break;
    case PTX_OP_wgmma:
        if (ptx_has(i, PTX_MOD_COMMIT_GROUP) && body->unit->waiting)
            emit_arrive(body, i);
        else
            jit_emit_matrix(body, i);
        break;
    case PTX_OP_nanosleep:
        if (body->unit->waiting)
            jit_build_yield(body);
        break;
    case PTX_OP_brkpt:
        jit_build_trap(body, jit_mask_bits(body), CUP_ABI_TRAP_INSTRUCTION, i->line);
        break;
    case PTX_OP_createpolicy:
        emit_zero(body, i, PTX_B64);
        break;
    case PTX_OP_prefetch:
    case PTX_OP_prefetchu:
    case PTX_OP_applypriority:
    case PTX_OP_discard:
    case PTX_OP_pmevent:
    case PTX_OP_griddepcontrol:
    case PTX_OP_setmaxnreg:
        break;
    default:
        if (!jit_emit_warp_op(body, i) && !jit_emit_texture(body, i) && !jit_emit_matrix(body, i) &&
            !jit_emit_warp_call(body, i))
            jit_unit_fail(body->unit, i, "the instruction is not supported");
        break;
    }
}

void jit_emit_instruction(struct jit_body *body, const struct ptx_instruction *i)
{
    jit_debug_variables_update(body, i);
    jit_debug_instruction(body, i);
    if (jit_instruction_is_pure(i))
        jit_emit_pure(body, i);
    else if (!body->unit->failed) {
        jit_count_access(body, i);
        jit_check_access(body, i);
        jit_check_sync(body, i);
        emit_other(body, i);
        jit_tiles_count_write(body, i);
    }
}

/* SPDX-License-Identifier: MIT */
/* Dispatches an instruction to the file that emits its kind, and emits the few that have no file.
 */
#include "jit/emit/emit.h"

#include "abi/services.h"
#include "jit/analysis/instruction.h"
#include "jit/debuginfo/dwarf.h"
#include "jit/debuginfo/variables.h"
#include "jit/emit/barriers.h"
#include "jit/emit/emitter.h"
#include "jit/emit/ir.h"
#include "jit/emit/mask.h"
#include "jit/emit/matrix.h"
#include "jit/emit/matrix_tiles.h"
#include "jit/emit/memory.h"
#include "jit/emit/operands.h"
#include "jit/emit/texture.h"
#include "jit/emit/warp_calls.h"
#include "jit/emit/warp_ops.h"
#include "jit/instrument/accesses.h"
#include "jit/instrument/counters.h"

#include <stddef.h>

static void emit_arrive(struct jit_emitter *e, const struct ptx_instruction *i)
{
    struct jit_barrier_operands barrier;
    LLVMValueRef arguments[5];

    if (ptx_has(i, PTX_MOD_WARP))
        return;
    jit_barrier_read(e, i, &barrier);
    arguments[0] = e->abi.block;
    arguments[1] = e->vector.warp;
    arguments[2] = barrier.id;
    arguments[3] = barrier.threads;
    arguments[4] = jit_mask_bits(e);
    jit_build_service(e, offsetof(struct cup_abi_services, barrier_arrive), e->unit->nothing,
                      arguments, 5);
}

static void emit_zero(struct jit_emitter *e, const struct ptx_instruction *i, enum ptx_type type)
{
    jit_operand_write(e, &i->dst[0], type,
                      jit_scalar(LLVMConstNull(jit_type_of(e->unit, type)), 0));
}

static void emit_other(struct jit_emitter *e, const struct ptx_instruction *i)
{
    switch (i->op) {
    case PTX_OP_ld:
    case PTX_OP_ldu:
        jit_emit_load(e, i);
        break;
    case PTX_OP_st:
        if (ptx_has(i, PTX_MOD_ASYNC))
            jit_emit_store_async(e, i);
        else
            jit_emit_store(e, i);
        break;
    case PTX_OP_atom:
    case PTX_OP_red:
        if (ptx_has(i, PTX_MOD_ASYNC))
            jit_emit_store_async(e, i);
        else
            jit_emit_atomic(e, i);
        break;
    case PTX_OP_cp:
        jit_emit_copy_async(e, i);
        break;
    case PTX_OP_tensormap:
        jit_emit_tensor_map(e, i);
        break;
    case PTX_OP_isspacep:
        jit_emit_isspacep(e, i);
        break;
    case PTX_OP_membar:
    case PTX_OP_fence:
        jit_emit_fence(e, i);
        break;
    case PTX_OP_bar:
    case PTX_OP_barrier:
        emit_arrive(e, i);
        break;
    case PTX_OP_wgmma:
        if (ptx_has(i, PTX_MOD_COMMIT_GROUP) && e->unit->waiting)
            emit_arrive(e, i);
        else
            jit_emit_matrix(e, i);
        break;
    case PTX_OP_nanosleep:
        if (e->unit->waiting)
            jit_build_yield(e);
        break;
    case PTX_OP_brkpt:
        jit_build_trap(e, jit_mask_bits(e), CUP_ABI_TRAP_INSTRUCTION, i->line);
        break;
    case PTX_OP_createpolicy:
        emit_zero(e, i, PTX_B64);
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
        if (!jit_emit_warp_op(e, i) && !jit_emit_texture(e, i) && !jit_emit_matrix(e, i) &&
            !jit_emit_warp_call(e, i))
            jit_unit_fail(e->unit, i, "the instruction is not supported");
        break;
    }
}

void jit_emit_instruction(struct jit_emitter *e, const struct ptx_instruction *i)
{
    jit_debug_variables_update(e, i);
    jit_debug_instruction(e, i);
    if (jit_instruction_is_pure(i))
        jit_emit_pure(e, i);
    else if (!e->unit->failed) {
        jit_count_access(e, i);
        jit_check_access(e, i);
        jit_check_sync(e, i);
        emit_other(e, i);
        jit_tiles_count_write(e, i);
    }
}

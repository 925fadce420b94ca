/* SPDX-License-Identifier: MIT */
/* Special registers: the position of a thread in its warp, block and grid, and the size of the
 * launch. */
#include "jit/emit/special_registers.h"

#include "abi/launch.h"
#include "abi/services.h"
#include "jit/emit/emitter.h"
#include "jit/emit/ir.h"

#include <stddef.h>

#define LAUNCH(field) offsetof(struct cup_abi_launch, field)

/* n / d for n < 1024 and 0 < d <= 1024. inverse is 2^20 / d + 1, with which n * inverse >> 20 is
 * exact. */
static LLVMValueRef divide_lanes(struct jit_emitter *e, LLVMValueRef n, LLVMValueRef inverse)
{
    n = LLVMBuildMul(e->builder, n, jit_build_splat(e, inverse), "");
    return LLVMBuildLShr(e->builder, n, jit_build_splat(e, jit_i32(e->unit, 20)), "");
}

LLVMValueRef jit_thread_lanes(struct jit_emitter *e, unsigned axis)
{
    LLVMBuilderRef b = e->builder;
    LLVMValueRef linear = jit_value_vector(e, jit_scalar(e->vector.first, 1)), rows, slices;

    rows = divide_lanes(e, linear, e->abi.inverse[0]);
    if (axis == 0)
        return LLVMBuildSub(b, linear,
                            LLVMBuildMul(b, rows, jit_build_splat(e, e->abi.ntid[0]), ""), "");
    slices = divide_lanes(e, rows, e->abi.inverse[1]);
    if (axis == 1)
        return LLVMBuildSub(b, rows,
                            LLVMBuildMul(b, slices, jit_build_splat(e, e->abi.ntid[1]), ""), "");
    return slices;
}

static LLVMValueRef of_launch(struct jit_emitter *e, size_t offset, LLVMTypeRef type)
{
    return jit_build_field(e, e->abi.launch, offset, type, true, "");
}

static LLVMValueRef cluster_size(struct jit_emitter *e, unsigned axis)
{
    LLVMValueRef size = of_launch(e, LAUNCH(cluster) + 4u * axis, e->unit->i32);
    LLVMValueRef arguments[] = {size, jit_i32(e->unit, 1)};

    return jit_build_call(e, "llvm.umax", e->unit->i32, arguments, 2);
}

static LLVMValueRef cluster_rank(struct jit_emitter *e)
{
    LLVMBuilderRef b = e->builder;
    LLVMValueRef rank = jit_i32(e->unit, 0);

    for (unsigned axis = 3; axis-- > 0;) {
        LLVMValueRef size = cluster_size(e, axis);

        rank = LLVMBuildMul(b, rank, size, "");
        rank = LLVMBuildAdd(b, rank, LLVMBuildURem(b, e->vector.ctaid[axis], size, ""), "");
    }
    return rank;
}

static LLVMValueRef lane_id(struct jit_emitter *e)
{
    return LLVMBuildAnd(e->builder, e->vector.first, jit_i32(e->unit, 31), "laneid");
}

/* The masks %lanemask_lt, _le, _eq, _ge and _gt. */
static LLVMValueRef lane_mask(struct jit_emitter *e, uint32_t special)
{
    LLVMBuilderRef b = e->builder;
    LLVMValueRef lane = jit_value_vector(e, jit_scalar(lane_id(e), 1));
    LLVMValueRef one = jit_build_splat(e, jit_i32(e->unit, 1));
    LLVMValueRef own = LLVMBuildShl(b, one, lane, "");
    LLVMValueRef below = LLVMBuildSub(b, own, one, "");

    switch (special) {
    case PTX_SR_LANEMASK_EQ:
        return own;
    case PTX_SR_LANEMASK_LT:
        return below;
    case PTX_SR_LANEMASK_LE:
        return LLVMBuildOr(b, below, own, "");
    case PTX_SR_LANEMASK_GE:
        return LLVMBuildNot(b, below, "");
    default:
        return LLVMBuildNot(b, LLVMBuildOr(b, below, own, ""), "");
    }
}

static LLVMValueRef time_now(struct jit_emitter *e, uint32_t special)
{
    bool clock = special == PTX_SR_CLOCK || special == PTX_SR_CLOCK_HI || special == PTX_SR_CLOCK64;
    LLVMValueRef now = jit_build_service(e,
                                         clock ? offsetof(struct cup_abi_services, clock)
                                               : offsetof(struct cup_abi_services, global_timer),
                                         e->unit->i64, NULL, 0);

    if (special == PTX_SR_CLOCK_HI || special == PTX_SR_GLOBALTIMER_HI)
        now = LLVMBuildLShr(e->builder, now, jit_i64(e->unit, 32), "");
    return now;
}

static LLVMValueRef of_triple(struct jit_emitter *e, uint32_t special)
{
    LLVMBuilderRef b = e->builder;
    unsigned axis = (special - PTX_SR_TID_X) % 3;

    switch (special - axis) {
    case PTX_SR_NTID_X:
        return e->abi.ntid[axis];
    case PTX_SR_CTAID_X:
        return e->vector.ctaid[axis];
    case PTX_SR_NCTAID_X:
        return e->abi.nctaid[axis];
    case PTX_SR_CLUSTERID_X:
        return LLVMBuildUDiv(b, e->vector.ctaid[axis], cluster_size(e, axis), "");
    case PTX_SR_NCLUSTERID_X:
        return LLVMBuildUDiv(b, e->abi.nctaid[axis], cluster_size(e, axis), "");
    case PTX_SR_CLUSTER_CTAID_X:
        return LLVMBuildURem(b, e->vector.ctaid[axis], cluster_size(e, axis), "");
    default:
        return cluster_size(e, axis);
    }
}

/* Reads a special register that is uniform, of 32 or 64 bits. */
static LLVMValueRef read_scalar(struct jit_emitter *e, const struct ptx_operand *operand)
{
    struct jit_unit *unit = e->unit;
    LLVMBuilderRef b = e->builder;

    switch (operand->index) {
    case PTX_SR_CLUSTER_CTARANK:
        return cluster_rank(e);
    case PTX_SR_CLUSTER_NCTARANK:
        return LLVMBuildMul(b, LLVMBuildMul(b, cluster_size(e, 0), cluster_size(e, 1), ""),
                            cluster_size(e, 2), "");
    case PTX_SR_LANEID:
        return lane_id(e);
    case PTX_SR_WARPID:
        return LLVMBuildLShr(b, e->vector.first, jit_i32(unit, 5), "warpid");
    case PTX_SR_NWARPID:
        return jit_i32(unit, 64);
    case PTX_SR_SMID:
        return jit_build_field(e, e->abi.block, offsetof(struct cup_abi_block, sm), unit->i32, true,
                               "smid");
    case PTX_SR_NSMID:
        return of_launch(e, LAUNCH(device_sm_count), unit->i32);
    case PTX_SR_GRIDID:
        return of_launch(e, LAUNCH(grid_id), unit->i64);
    case PTX_SR_CURRENT_GRAPH_EXEC:
        return of_launch(e, LAUNCH(graph_exec), unit->i64);
    case PTX_SR_TOTAL_SMEM_SIZE:
    case PTX_SR_AGGR_SMEM_SIZE:
        return LLVMBuildAdd(b, of_launch(e, LAUNCH(shared_static_bytes), unit->i32),
                            of_launch(e, LAUNCH(shared_dynamic_bytes), unit->i32), "");
    case PTX_SR_DYNAMIC_SMEM_SIZE:
        return of_launch(e, LAUNCH(shared_dynamic_bytes), unit->i32);
    case PTX_SR_ENVREG:
        return of_launch(e, LAUNCH(envreg) + 8u * (operand->value & 31), unit->i64);
    case PTX_SR_WARP_SZ:
        return jit_i32(unit, 32);
    case PTX_SR_IS_EXPLICIT_CLUSTER:
        return LLVMBuildICmp(b, LLVMIntNE, of_launch(e, LAUNCH(cluster), unit->i32),
                             jit_i32(unit, 0), "");
    case PTX_SR_CLOCK:
    case PTX_SR_CLOCK_HI:
    case PTX_SR_CLOCK64:
    case PTX_SR_GLOBALTIMER:
    case PTX_SR_GLOBALTIMER_LO:
    case PTX_SR_GLOBALTIMER_HI:
        return time_now(e, operand->index);
    default:
        if (operand->index >= PTX_SR_NTID_X && operand->index <= PTX_SR_CLUSTER_NCTAID_Z)
            return of_triple(e, operand->index);
        return jit_i64(unit, 0);
    }
}

struct jit_value jit_special_read(struct jit_emitter *e, const struct ptx_operand *operand,
                                  enum ptx_type type)
{
    struct jit_value value;
    unsigned axis = operand->index - PTX_SR_TID_X;

    if (operand->index <= PTX_SR_TID_Z) {
        if (e->unit->shape == CUP_SHAPE_ANY)
            value = jit_vector(jit_thread_lanes(e, axis));
        else
            value = jit_scalar(e->vector.tid[axis], axis == 0 ? 1 : 0);
        if (e->unit->shape == CUP_SHAPE_SIXTEEN)
            value.jump = axis == 0 ? -16 : axis == 1 ? 1 : 0;
    } else if (operand->index >= PTX_SR_LANEMASK_EQ && operand->index <= PTX_SR_LANEMASK_GT) {
        value = jit_vector(lane_mask(e, operand->index));
    } else {
        value = jit_scalar(read_scalar(e, operand), operand->index == PTX_SR_LANEID ? 1 : 0);
    }
    if (e->width == 1)
        value = jit_scalar(jit_value_first(e, value), 0);
    if (type == PTX_PRED)
        type = PTX_B32;
    if (!value.vector && LLVMTypeOf(value.value) == e->unit->i64)
        return jit_value_retype(e, value, PTX_U64, type);
    return jit_value_retype(e, value, PTX_U32, type);
}

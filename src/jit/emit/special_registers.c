/* SPDX-License-Identifier: MIT */
/* Special registers: the position of a thread in its warp, block and grid, and the size of the
 * launch. */
#include "jit/emit/special_registers.h"

#include "abi/launch.h"
#include "abi/services.h"
#include "jit/emit/body.h"
#include "jit/emit/ir.h"

#include <stddef.h>

#define LAUNCH(field) offsetof(struct cup_abi_launch, field)

struct jit_uniformity jit_special_uniformity(const struct jit_body *body, uint32_t special,
                                             bool divergent)
{
    static const struct jit_uniformity uniform = {JIT_UNIFORM, false, 0, 0};
    static const struct jit_uniformity varying = {JIT_VARYING, false, 0, 0};
    static const struct jit_uniformity index = {JIT_AFFINE, true, 1, 0};
    static const struct jit_uniformity column = {JIT_AFFINE, false, 1, -16};
    static const struct jit_uniformity row = {JIT_AFFINE, false, 0, 1};
    bool two_rows = body->unit->shape == CUP_SHAPE_SIXTEEN;

    switch (special) {
    case PTX_SR_TID_X:
        if (two_rows)
            return column;
        return body->unit->shape == CUP_SHAPE_ANY ? varying : index;
    case PTX_SR_TID_Y:
        if (two_rows)
            return row;
        return body->unit->shape == CUP_SHAPE_ANY ? varying : uniform;
    case PTX_SR_TID_Z:
        return body->unit->shape == CUP_SHAPE_ANY ? varying : uniform;
    case PTX_SR_LANEID:
        return index;
    case PTX_SR_LANEMASK_EQ:
    case PTX_SR_LANEMASK_LE:
    case PTX_SR_LANEMASK_LT:
    case PTX_SR_LANEMASK_GE:
    case PTX_SR_LANEMASK_GT:
        return varying;
    case PTX_SR_CLOCK:
    case PTX_SR_CLOCK_HI:
    case PTX_SR_CLOCK64:
    case PTX_SR_GLOBALTIMER:
    case PTX_SR_GLOBALTIMER_LO:
    case PTX_SR_GLOBALTIMER_HI:
        return divergent ? varying : uniform;
    default:
        return uniform;
    }
}

/* n / d for n < 1024 and 0 < d <= 1024. inverse is 2^20 / d + 1, with which n * inverse >> 20 is
 * exact. */
static LLVMValueRef divide_lanes(struct jit_body *body, LLVMValueRef n, LLVMValueRef inverse)
{
    n = LLVMBuildMul(body->builder, n, jit_build_splat(body, inverse), "");
    return LLVMBuildLShr(body->builder, n, jit_build_splat(body, jit_i32(body->unit, 20)), "");
}

LLVMValueRef jit_thread_lanes(struct jit_body *body, unsigned axis)
{
    LLVMBuilderRef b = body->builder;
    LLVMValueRef linear = jit_value_vector(body, jit_scalar(body->vector.first, 1)), rows, slices;

    rows = divide_lanes(body, linear, body->abi.inverse[0]);
    if (axis == 0)
        return LLVMBuildSub(
            b, linear, LLVMBuildMul(b, rows, jit_build_splat(body, body->abi.ntid[0]), ""), "");
    slices = divide_lanes(body, rows, body->abi.inverse[1]);
    if (axis == 1)
        return LLVMBuildSub(
            b, rows, LLVMBuildMul(b, slices, jit_build_splat(body, body->abi.ntid[1]), ""), "");
    return slices;
}

static LLVMValueRef of_launch(struct jit_body *body, size_t offset, LLVMTypeRef type)
{
    return jit_build_field(body, body->abi.launch, offset, type, true, "");
}

static LLVMValueRef cluster_size(struct jit_body *body, unsigned axis)
{
    LLVMValueRef size = of_launch(body, LAUNCH(cluster) + 4u * axis, body->unit->i32);
    LLVMValueRef arguments[] = {size, jit_i32(body->unit, 1)};

    return jit_build_call(body, "llvm.umax", body->unit->i32, arguments, 2);
}

static LLVMValueRef cluster_rank(struct jit_body *body)
{
    LLVMBuilderRef b = body->builder;
    LLVMValueRef rank = jit_i32(body->unit, 0);

    for (unsigned axis = 3; axis-- > 0;) {
        LLVMValueRef size = cluster_size(body, axis);

        rank = LLVMBuildMul(b, rank, size, "");
        rank = LLVMBuildAdd(b, rank, LLVMBuildURem(b, body->vector.ctaid[axis], size, ""), "");
    }
    return rank;
}

static LLVMValueRef lane_id(struct jit_body *body)
{
    return LLVMBuildAnd(body->builder, body->vector.first, jit_i32(body->unit, 31), "laneid");
}

/* The masks %lanemask_lt, _le, _eq, _ge and _gt. */
static LLVMValueRef lane_mask(struct jit_body *body, uint32_t special)
{
    LLVMBuilderRef b = body->builder;
    LLVMValueRef lane = jit_value_vector(body, jit_scalar(lane_id(body), 1));
    LLVMValueRef one = jit_build_splat(body, jit_i32(body->unit, 1));
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

static LLVMValueRef time_now(struct jit_body *body, uint32_t special)
{
    bool clock = special == PTX_SR_CLOCK || special == PTX_SR_CLOCK_HI || special == PTX_SR_CLOCK64;
    LLVMValueRef now = jit_build_service(body,
                                         clock ? offsetof(struct cup_abi_services, clock)
                                               : offsetof(struct cup_abi_services, global_timer),
                                         body->unit->i64, NULL, 0);

    if (special == PTX_SR_CLOCK_HI || special == PTX_SR_GLOBALTIMER_HI)
        now = LLVMBuildLShr(body->builder, now, jit_i64(body->unit, 32), "");
    return now;
}

static LLVMValueRef of_triple(struct jit_body *body, uint32_t special)
{
    LLVMBuilderRef b = body->builder;
    unsigned axis = (special - PTX_SR_TID_X) % 3;

    switch (special - axis) {
    case PTX_SR_NTID_X:
        return body->abi.ntid[axis];
    case PTX_SR_CTAID_X:
        return body->vector.ctaid[axis];
    case PTX_SR_NCTAID_X:
        return body->abi.nctaid[axis];
    case PTX_SR_CLUSTERID_X:
        return LLVMBuildUDiv(b, body->vector.ctaid[axis], cluster_size(body, axis), "");
    case PTX_SR_NCLUSTERID_X:
        return LLVMBuildUDiv(b, body->abi.nctaid[axis], cluster_size(body, axis), "");
    case PTX_SR_CLUSTER_CTAID_X:
        return LLVMBuildURem(b, body->vector.ctaid[axis], cluster_size(body, axis), "");
    default:
        return cluster_size(body, axis);
    }
}

/* Reads a special register that is uniform, of 32 or 64 bits. */
static LLVMValueRef read_scalar(struct jit_body *body, const struct ptx_operand *operand)
{
    struct jit_unit *unit = body->unit;
    LLVMBuilderRef b = body->builder;

    switch (operand->index) {
    case PTX_SR_CLUSTER_CTARANK:
        return cluster_rank(body);
    case PTX_SR_CLUSTER_NCTARANK:
        return LLVMBuildMul(b, LLVMBuildMul(b, cluster_size(body, 0), cluster_size(body, 1), ""),
                            cluster_size(body, 2), "");
    case PTX_SR_LANEID:
        return lane_id(body);
    case PTX_SR_WARPID:
        return LLVMBuildLShr(b, body->vector.first, jit_i32(unit, 5), "warpid");
    case PTX_SR_NWARPID:
        return jit_i32(unit, 64);
    case PTX_SR_SMID:
        return jit_build_field(body, body->abi.block, offsetof(struct cup_abi_block, sm), unit->i32,
                               true, "smid");
    case PTX_SR_NSMID:
        return of_launch(body, LAUNCH(device_sm_count), unit->i32);
    case PTX_SR_GRIDID:
        return of_launch(body, LAUNCH(grid_id), unit->i64);
    case PTX_SR_CURRENT_GRAPH_EXEC:
        return of_launch(body, LAUNCH(graph_exec), unit->i64);
    case PTX_SR_TOTAL_SMEM_SIZE:
    case PTX_SR_AGGR_SMEM_SIZE:
        return LLVMBuildAdd(b, of_launch(body, LAUNCH(shared_static_bytes), unit->i32),
                            of_launch(body, LAUNCH(shared_dynamic_bytes), unit->i32), "");
    case PTX_SR_DYNAMIC_SMEM_SIZE:
        return of_launch(body, LAUNCH(shared_dynamic_bytes), unit->i32);
    case PTX_SR_ENVREG:
        return of_launch(body, LAUNCH(envreg) + 8u * (operand->value & 31), unit->i64);
    case PTX_SR_WARP_SZ:
        return jit_i32(unit, 32);
    case PTX_SR_IS_EXPLICIT_CLUSTER:
        return LLVMBuildICmp(b, LLVMIntNE, of_launch(body, LAUNCH(cluster), unit->i32),
                             jit_i32(unit, 0), "");
    case PTX_SR_CLOCK:
    case PTX_SR_CLOCK_HI:
    case PTX_SR_CLOCK64:
    case PTX_SR_GLOBALTIMER:
    case PTX_SR_GLOBALTIMER_LO:
    case PTX_SR_GLOBALTIMER_HI:
        return time_now(body, operand->index);
    default:
        if (operand->index >= PTX_SR_NTID_X && operand->index <= PTX_SR_CLUSTER_NCTAID_Z)
            return of_triple(body, operand->index);
        return jit_i64(unit, 0);
    }
}

struct jit_value jit_special_read(struct jit_body *body, const struct ptx_operand *operand,
                                  enum ptx_type type)
{
    struct jit_value value;
    unsigned axis = operand->index - PTX_SR_TID_X;

    if (operand->index <= PTX_SR_TID_Z) {
        if (body->unit->shape == CUP_SHAPE_ANY)
            value = jit_vector(jit_thread_lanes(body, axis));
        else
            value = jit_scalar(body->vector.tid[axis], axis == 0 ? 1 : 0);
        if (body->unit->shape == CUP_SHAPE_SIXTEEN)
            value.jump = axis == 0 ? -16 : axis == 1 ? 1 : 0;
    } else if (operand->index >= PTX_SR_LANEMASK_EQ && operand->index <= PTX_SR_LANEMASK_GT) {
        value = jit_vector(lane_mask(body, operand->index));
    } else {
        value = jit_scalar(read_scalar(body, operand), operand->index == PTX_SR_LANEID ? 1 : 0);
    }
    if (type == PTX_PRED)
        type = PTX_B32;
    if (!value.vector && LLVMTypeOf(value.value) == body->unit->i64)
        return jit_value_retype(body, value, PTX_U64, type);
    return jit_value_retype(body, value, PTX_U32, type);
}

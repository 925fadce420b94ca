/* SPDX-License-Identifier: MIT */
/* Values of all lanes: making vectors of scalars, and changing types. */
#include "jit/emit/value.h"

#include "jit/emit/chunks.h"
#include "jit/emit/emitter.h"
#include "jit/emit/ir.h"
#include "jit/lower/lower.h"
#include "jit/unit.h"

struct jit_value jit_scalar(LLVMValueRef value, int64_t stride)
{
    return (struct jit_value){value, stride, false, 0};
}

struct jit_value jit_vector(LLVMValueRef value)
{
    return (struct jit_value){value, 0, true, 0};
}

LLVMValueRef jit_value_first(struct jit_emitter *e, struct jit_value value)
{
    return value.vector ? LLVMBuildExtractElement(e->builder, value.value, jit_i32(e->unit, 0), "")
                        : value.value;
}

LLVMValueRef jit_value_vector(struct jit_emitter *e, struct jit_value value)
{
    LLVMValueRef steps[64], splat;
    LLVMTypeRef type;

    if (value.vector)
        return value.value;
    splat = jit_build_splat(e, value.value);
    if (jit_value_is_uniform(&value))
        return splat;
    type = LLVMTypeOf(value.value);
    for (unsigned lane = 0; lane < e->width; lane++)
        steps[lane] = LLVMConstInt(
            type, (uint64_t)(value.stride * (int64_t)lane + (lane >= 16 ? value.jump : 0)), true);
    if (e->chunks->first) {
        LLVMValueRef ahead = LLVMBuildZExtOrBitCast(e->builder, e->chunks->first, type, "");

        ahead =
            LLVMBuildMul(e->builder, ahead, LLVMConstInt(type, (uint64_t)value.stride, true), "");
        if (value.jump)
            ahead =
                LLVMBuildAdd(e->builder, ahead,
                             LLVMBuildSelect(e->builder,
                                             LLVMBuildICmp(e->builder, LLVMIntUGE, e->chunks->first,
                                                           jit_i32(e->unit, 16), ""),
                                             LLVMConstInt(type, (uint64_t)value.jump, true),
                                             LLVMConstNull(type), ""),
                             "");
        splat = LLVMBuildAdd(e->builder, splat, jit_build_splat(e, ahead), "");
    }
    return LLVMBuildAdd(e->builder, splat, LLVMConstVector(steps, e->width), "");
}

static LLVMTypeRef over(struct jit_emitter *e, bool vector, LLVMTypeRef type)
{
    return vector ? jit_vector_type(e, type) : type;
}

struct jit_value jit_value_retype(struct jit_emitter *e, struct jit_value value, enum ptx_type from,
                                  enum ptx_type to)
{
    struct jit_unit *unit = e->unit;
    LLVMTypeRef old = jit_type_of(unit, from), new = jit_type_of(unit, to);
    unsigned old_bits, new_bits;

    if (old == new)
        return value;
    if (!value.vector && !jit_value_is_uniform(&value) && !(old == unit->i64 && new == unit->i32))
        value = jit_vector(jit_value_vector(e, value));
    if (from == PTX_PRED || to == PTX_PRED) { /* a predicate converts to 0 or 1 */
        if (to == PTX_PRED)
            value.value = LLVMBuildICmp(e->builder, LLVMIntNE, value.value,
                                        LLVMConstNull(LLVMTypeOf(value.value)), "");
        else
            value.value = LLVMBuildZExt(e->builder, value.value, over(e, value.vector, new), "");
        return value;
    }
    old_bits = from == PTX_TEXREF || from == PTX_SURFREF || from == PTX_SAMPLERREF
                   ? 64
                   : ptx_type_bits(from);
    new_bits = ptx_type_bits(to);
    if (old == unit->f32 || old == unit->f64)
        value.value = LLVMBuildBitCast(
            e->builder, value.value,
            over(e, value.vector, LLVMIntTypeInContext(unit->context, old_bits)), "");
    if (old_bits != new_bits) {
        LLVMTypeRef bits = over(e, value.vector, LLVMIntTypeInContext(unit->context, new_bits));

        if (old_bits > new_bits)
            value.value = LLVMBuildTrunc(e->builder, value.value, bits, "");
        else if (ptx_type_is_signed(from))
            value.value = LLVMBuildSExt(e->builder, value.value, bits, "");
        else
            value.value = LLVMBuildZExt(e->builder, value.value, bits, "");
    }
    if (new == unit->f32 || new == unit->f64)
        value.value = LLVMBuildBitCast(e->builder, value.value, over(e, value.vector, new), "");
    return value;
}

/* Canonicalises the NaNs of a register that may hold any NaN, for a reader that observes their
 * bits. */
struct jit_value jit_value_canonical(struct jit_emitter *e, struct jit_value value)
{
    e->lower.lanes = value.vector ? e->width : 1;
    value.value = jit_lower_canonical_nan(&e->lower, value.value);
    return value;
}

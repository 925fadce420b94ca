/* SPDX-License-Identifier: MIT */
/* Gathers and scatters of AVX-512. Each lane moves one word of 32 or 64 bits, which is one element
 * or several small ones. Where two lanes store to one address, the last one's value stays, as in a
 * loop over the lanes. */
#include "jit/emit/gather.h"

#include "jit/emit/alignment.h"
#include "jit/emit/emitter.h"
#include "jit/emit/fake_uses.h"
#include "jit/emit/ir.h"
#include "jit/emit/mask.h"

bool jit_gathers_bytes(const struct jit_emitter *e, unsigned bytes)
{
    return e->unit->mask_registers && e->width > 1 &&
           (!e->unit->outlines || e->unit->outlined.is_library) && (bytes == 4 || bytes == 8);
}

bool jit_gathers(const struct jit_emitter *e, const struct jit_access *access)
{
    return jit_gathers_bytes(e, access->bytes * access->count) && !access->strong &&
           !access->checked;
}

static LLVMTypeRef word_type(struct jit_emitter *e, const struct jit_access *access)
{
    return access->bytes * access->count == 8 ? e->unit->i64 : e->unit->i32;
}

/* Offsets in shared memory, which are below 2^31 or lead to inaccessible memory: indices of 32
 * bits, of which the processor takes twice as many at a time. */
static LLVMValueRef shared_pointers(struct jit_emitter *e, LLVMValueRef addresses)
{
    LLVMBuilderRef b = e->builder;
    LLVMTypeRef narrow = jit_vector_type(e, e->unit->i32);
    LLVMValueRef base = LLVMBuildPtrToInt(b, e->abi.shared, e->unit->i64, ""), arguments[2],
                 offsets;

    offsets = LLVMBuildSub(b, addresses, jit_build_splat(e, base), "");
    arguments[0] = LLVMBuildTrunc(b, offsets, narrow, "");
    arguments[1] = jit_build_splat(e, jit_i32(e->unit, INT32_MAX));
    offsets = jit_build_call(e, "llvm.umin", narrow, arguments, 2);
    offsets = LLVMBuildZExt(b, offsets, LLVMTypeOf(addresses), "");
    return LLVMBuildGEP2(b, e->unit->i8, e->abi.shared, &offsets, 1, "");
}

static LLVMValueRef pointers_of(struct jit_emitter *e, const struct jit_access *access)
{
    LLVMValueRef addresses = jit_value_vector(e, access->address);

    if (access->each)
        jit_alignment_check(e, jit_vector(addresses), access->bytes * access->count, access->line);
    if (access->shared)
        return shared_pointers(e, addresses);
    return LLVMBuildIntToPtr(e->builder, addresses, jit_vector_type(e, e->unit->ptr), "");
}

static LLVMValueRef active_lanes(struct jit_emitter *e)
{
    LLVMValueRef lanes = jit_mask_lanes(e);

    return lanes ? lanes : LLVMConstAllOnes(jit_vector_type(e, e->unit->i1));
}

LLVMValueRef jit_gather(struct jit_emitter *e, const struct jit_access *access)
{
    LLVMTypeRef words = jit_vector_type(e, word_type(e, access)),
                overloads[] = {words, jit_vector_type(e, e->unit->ptr)};
    LLVMValueRef pointers = pointers_of(e, access);
    LLVMValueRef arguments[] = {pointers, jit_i32(e->unit, 1), active_lanes(e),
                                LLVMConstNull(words)};
    LLVMValueRef all = jit_build_overloaded(e, "llvm.masked.gather", overloads, 2, arguments, 4);

    if (access->demanded)
        jit_fake_use_add(e, all);
    return LLVMBuildBitCast(e->builder, all,
                            LLVMVectorType(access->element, e->width * access->count), "");
}

void jit_scatter(struct jit_emitter *e, const struct jit_access *access, LLVMValueRef all)
{
    LLVMTypeRef words = jit_vector_type(e, word_type(e, access)),
                overloads[] = {words, jit_vector_type(e, e->unit->ptr)};
    LLVMValueRef pointers = pointers_of(e, access);
    LLVMValueRef arguments[] = {LLVMBuildBitCast(e->builder, all, words, ""), pointers,
                                jit_i32(e->unit, 1), active_lanes(e)};

    jit_build_overloaded(e, "llvm.masked.scatter", overloads, 2, arguments, 4);
}

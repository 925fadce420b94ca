/* SPDX-License-Identifier: MIT */
/* The quick test of CUPIPE_CHECK=init (check/memory/uninitialised.h, check/kernel/uninitialised.c):
 * lanes that access consecutive memory, or one address, test or set a run of the shadow with a few
 * instructions. The service is called for all others, and for reads of memory that is not written.
 */
#include "jit/instrument/uninitialised.h"

#include "abi/check.h"
#include "abi/launch.h"
#include "jit/emit/emitter.h"
#include "jit/emit/ir.h"
#include "jit/emit/mask.h"
#include "jit/instrument/site.h"

#include <stddef.h>

enum { WORD = 4, WRITTEN = 0xf };

/* A run of bytes that lanes access together. */
struct run {
    LLVMValueRef address; /* i64: of the first byte */
    unsigned bytes;       /* of all lanes together */
    uint32_t access;      /* enum cup_abi_access */
};

/* Where the code of an access goes: `done` if there is nothing to report, `service` otherwise. */
struct check_ways {
    LLVMBasicBlockRef done, service;
};

static LLVMValueRef splat(struct jit_emitter *e, unsigned count)
{
    LLVMValueRef bytes[512];

    for (unsigned i = 0; i < count; i++)
        bytes[i] = LLVMConstInt(e->unit->i8, WRITTEN, false);
    return LLVMConstVector(bytes, count);
}

static void go_on_if(struct jit_emitter *e, LLVMValueRef condition, LLVMBasicBlockRef otherwise)
{
    jit_check_go_on_if(e, condition, otherwise, 1024);
}

/* Whole words: their shadow is a vector of bytes. */
static void test_words(struct jit_emitter *e, const struct run *run, LLVMValueRef shadow,
                       const struct check_ways *ways)
{
    LLVMBuilderRef b = e->builder;
    unsigned count = run->bytes / WORD;
    LLVMValueRef all = splat(e, count), wrong;

    if (run->access & CUP_ABI_READS) {
        wrong = jit_build_load(e, LLVMTypeOf(all), shadow, 1);
        wrong = LLVMBuildICmp(b, LLVMIntNE, wrong, all, "");
        wrong = jit_build_call(e, "llvm.vector.reduce.or", LLVMTypeOf(wrong), &wrong, 1);
        go_on_if(e, LLVMBuildNot(b, wrong, ""), ways->service);
    }
    if (run->access & CUP_ABI_WRITES)
        jit_build_store(e, all, shadow, 1);
    LLVMBuildBr(b, ways->done);
}

/* One or two bytes of a word. */
static void test_part(struct jit_emitter *e, const struct run *run, LLVMValueRef shadow,
                      const struct check_ways *ways)
{
    struct jit_unit *unit = e->unit;
    LLVMBuilderRef b = e->builder;
    LLVMValueRef at = LLVMBuildAnd(b, run->address, jit_i64(unit, WORD - 1), ""), bits;

    bits = LLVMBuildTrunc(b, LLVMBuildShl(b, jit_i64(unit, (1u << run->bytes) - 1), at, ""),
                          unit->i8, "");
    if (run->access & CUP_ABI_READS) {
        LLVMValueRef there = LLVMBuildAnd(b, jit_build_load(e, unit->i8, shadow, 1), bits, "");

        go_on_if(e, LLVMBuildICmp(b, LLVMIntEQ, there, bits, ""), ways->service);
    }
    if (run->access & CUP_ABI_WRITES)
        LLVMBuildAtomicRMW(b, LLVMAtomicRMWBinOpOr, shadow, bits, LLVMAtomicOrderingMonotonic,
                           false);
    LLVMBuildBr(b, ways->done);
}

static LLVMValueRef quarter(struct jit_emitter *e, LLVMValueRef number)
{
    return LLVMBuildLShr(e->builder, number, jit_i64(e->unit, 2), "");
}

/* The shadow of global memory; memory that has none is not tested. An address that is not known to
 * be global may be in shared memory. */
static LLVMValueRef global_shadow(struct jit_emitter *e, const struct run *run, bool generic,
                                  const struct check_ways *ways)
{
    struct jit_unit *unit = e->unit;
    LLVMBuilderRef b = e->builder;
    LLVMValueRef slot, table, distance, address;

    table = jit_build_field(e, e->abi.launch, offsetof(struct cup_abi_launch, written_slots),
                            unit->ptr, true, "slots");
    slot = LLVMBuildLShr(b, run->address, jit_i64(unit, CUP_WRITTEN_SLOT_SHIFT), "");
    slot = LLVMBuildAnd(b, slot, jit_i64(unit, CUP_WRITTEN_SLOTS - 1), "");
    distance = jit_build_load(
        e, unit->i64, jit_build_offset(e, table, LLVMBuildShl(b, slot, jit_i64(unit, 3), "")), 8);
    go_on_if(e, LLVMBuildICmp(b, LLVMIntNE, distance, jit_i64(unit, 0), ""),
             generic ? ways->service : ways->done);
    address = LLVMBuildAdd(b, distance, quarter(e, run->address), "");
    return LLVMBuildIntToPtr(b, address, unit->ptr, "");
}

/* The shadow of the block's shared memory; the service decides what to do with other addresses. */
static LLVMValueRef shared_shadow(struct jit_emitter *e, const struct run *run,
                                  const struct check_ways *ways)
{
    struct jit_unit *unit = e->unit;
    LLVMBuilderRef b = e->builder;
    LLVMValueRef base = LLVMBuildPtrToInt(b, e->abi.shared, unit->i64, ""), offset, limit;

    offset = LLVMBuildSub(b, run->address, base, "");
    limit = jit_build_field(e, e->abi.block, offsetof(struct cup_abi_block, shared_written_bytes),
                            unit->i64, false, "limit");
    go_on_if(e,
             LLVMBuildICmp(b, LLVMIntULE, LLVMBuildAdd(b, offset, jit_i64(unit, run->bytes), ""),
                           limit, ""),
             ways->service);
    return jit_build_offset(e,
                            jit_build_field(e, e->abi.block,
                                            offsetof(struct cup_abi_block, shared_written),
                                            unit->ptr, false, "written"),
                            quarter(e, offset));
}

/* Parts of words that several lanes access are one run of words only if it begins with one. */
static void go_on_if_aligned(struct jit_emitter *e, const struct run *run,
                             const struct check_ways *ways)
{
    LLVMBuilderRef b = e->builder;
    LLVMValueRef at = LLVMBuildAnd(b, run->address, jit_i64(e->unit, WORD - 1), "");

    go_on_if(e, LLVMBuildICmp(b, LLVMIntEQ, at, jit_i64(e->unit, 0), ""), ways->service);
}

bool jit_check_is_run(const struct jit_emitter *e, const struct ptx_instruction *i,
                      struct jit_value address, unsigned bytes)
{
    return !address.vector && !address.jump &&
           (address.stride == 0 || address.stride == (int64_t)bytes) &&
           !(i->space == PTX_SHARED && e->unit->clusters) && i->space != PTX_LOCAL;
}

void jit_check_inline(struct jit_emitter *e, const struct ptx_instruction *i,
                      struct jit_value address, uint32_t access, unsigned bytes,
                      LLVMBasicBlockRef done, LLVMBasicBlockRef service)
{
    struct check_ways ways = {done, service};
    struct run run = {address.value, bytes, access};
    bool uniform = jit_value_is_uniform(&address);
    LLVMValueRef shadow;

    if (!uniform) {
        run.bytes = bytes * e->width;
        if (e->divergent)
            go_on_if(e, LLVMBuildICmp(e->builder, LLVMIntEQ, jit_mask_bits(e), e->vector.full, ""),
                     service);
        if (bytes < WORD)
            go_on_if_aligned(e, &run, &ways);
    }
    shadow = i->space == PTX_SHARED ? shared_shadow(e, &run, &ways)
                                    : global_shadow(e, &run, i->space == PTX_SPACE_NONE, &ways);
    if (run.bytes < WORD)
        test_part(e, &run, shadow, &ways);
    else
        test_words(e, &run, shadow, &ways);
}

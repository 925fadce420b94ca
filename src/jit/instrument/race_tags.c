/* SPDX-License-Identifier: MIT */
/* Reads of memory that several warps have read, and none has written, since they synchronised are
 * the mass of accesses in loops. The detector gives lines of such memory a tag (check/race/line.c):
 * compiled code compares it with that of the warp, and reports all other reads. */
#include "jit/instrument/race_tags.h"

#include "abi/check.h"
#include "abi/launch.h"
#include "jit/emit/emitter.h"
#include "jit/emit/ir.h"
#include "jit/emit/mask.h"
#include "jit/instrument/grouped_reads.h"
#include "jit/instrument/site.h"

#include <stddef.h>

enum { LINE = 1 << CUP_ABI_RACE_LINE_SHIFT };

static void go_on_if(struct jit_emitter *e, LLVMValueRef condition, LLVMBasicBlockRef otherwise)
{
    jit_check_go_on_if(e, condition, otherwise, 16);
}

static LLVMValueRef field_of_warp(struct jit_emitter *e, size_t offset, LLVMTypeRef type)
{
    struct jit_unit *unit = e->unit;
    LLVMBuilderRef b = e->builder;
    LLVMValueRef warps =
        jit_build_field(e, e->abi.block, offsetof(struct cup_abi_block, race_warps), unit->ptr,
                        false, "race.warps");
    LLVMValueRef at = LLVMBuildMul(b, LLVMBuildZExt(b, e->vector.warp, unit->i64, ""),
                                   jit_i64(unit, sizeof(struct cup_abi_race_warp)), "");

    return jit_build_field(e, jit_build_offset(e, warps, at), offset, type, false, "");
}

/* The shadow of the line of an offset in memory whose lines begin somewhere. */
static LLVMValueRef line_at(struct jit_emitter *e, LLVMValueRef lines, LLVMValueRef offset)
{
    struct jit_unit *unit = e->unit;
    LLVMBuilderRef b = e->builder;
    LLVMValueRef at = LLVMBuildLShr(b, offset, jit_i64(unit, CUP_ABI_RACE_LINE_SHIFT), "");

    at = LLVMBuildMul(b, at, jit_i64(unit, CUP_ABI_RACE_LINE_BYTES), "");
    return jit_build_offset(e, lines, at);
}

/* Whether the line of an offset has the tag. */
static LLVMValueRef has_tag(struct jit_emitter *e, LLVMValueRef lines, LLVMValueRef offset,
                            uint64_t at, LLVMValueRef tag)
{
    LLVMBuilderRef b = e->builder;
    LLVMValueRef line = line_at(e, lines, LLVMBuildAdd(b, offset, jit_i64(e->unit, at), ""));

    return LLVMBuildICmp(b, LLVMIntEQ,
                         jit_build_field(e, line, CUP_ABI_RACE_TAG_OFFSET, e->unit->i32, false, ""),
                         tag, "");
}

/* All lanes read words of shared memory, and have read others of the line there: adds them. */
static void add_words(struct jit_emitter *e, LLVMValueRef lines, LLVMValueRef offset,
                      unsigned bytes, uint32_t site, LLVMBasicBlockRef done,
                      LLVMBasicBlockRef service)
{
    struct jit_unit *unit = e->unit;
    LLVMBuilderRef b = e->builder;
    LLVMValueRef line = line_at(e, lines, offset), read, same, words, bits, own;

    if (e->divergent)
        go_on_if(e, LLVMBuildICmp(b, LLVMIntEQ, jit_mask_bits(e), e->vector.full, ""), service);
    own = field_of_warp(e, offsetof(struct cup_abi_race_warp, own_read), unit->i64);
    own = LLVMBuildOr(b, own, jit_i64(unit, site & ((UINT64_C(1) << CUP_ABI_RACE_SITE_BITS) - 1)),
                      "");
    read = jit_build_field(e, line, CUP_ABI_RACE_READ_OFFSET, unit->i64, false, "");
    same = LLVMBuildICmp(b, LLVMIntEQ, read, own, "");
    read = LLVMBuildAnd(b, offset, jit_i64(unit, bytes - 1), "");
    same = LLVMBuildAnd(b, same, LLVMBuildICmp(b, LLVMIntEQ, read, jit_i64(unit, 0), ""), "");
    go_on_if(e, same, service);
    bits = LLVMBuildAnd(b, LLVMBuildLShr(b, offset, jit_i64(unit, 2), ""), jit_i64(unit, 31), "");
    bits = LLVMBuildShl(b, jit_i32(unit, (1u << bytes / 4) - 1),
                        LLVMBuildTrunc(b, bits, unit->i32, ""), "");
    words = jit_build_offset(e, line, jit_i64(unit, CUP_ABI_RACE_WORDS_OFFSET));
    jit_build_store(e, LLVMBuildOr(b, jit_build_load(e, unit->i32, words, 4), bits, ""), words, 4);
    LLVMBuildBr(b, done);
}

/* Where the lines of global memory are; all of the access must be in one part. */
static LLVMValueRef global_lines(struct jit_emitter *e, LLVMValueRef address, unsigned bytes,
                                 LLVMValueRef *offset, LLVMBasicBlockRef service)
{
    struct jit_unit *unit = e->unit;
    LLVMBuilderRef b = e->builder;
    const uint64_t chunk = UINT64_C(1) << CUP_ABI_RACE_CHUNK_SHIFT;
    LLVMValueRef table =
        jit_build_field(e, e->abi.launch, offsetof(struct cup_abi_launch, race_chunks), unit->ptr,
                        true, "race.chunks");
    LLVMValueRef index, lines, fits;

    go_on_if(e, LLVMBuildIsNotNull(b, table, ""), service);
    index = LLVMBuildAnd(b, address, jit_i64(unit, (UINT64_C(1) << 48) - 1), "");
    index = LLVMBuildLShr(b, index, jit_i64(unit, CUP_ABI_RACE_CHUNK_SHIFT), "");
    lines = jit_build_load(
        e, unit->ptr, jit_build_offset(e, table, LLVMBuildShl(b, index, jit_i64(unit, 3), "")), 8);
    *offset = LLVMBuildAnd(b, address, jit_i64(unit, chunk - 1), "");
    fits = LLVMBuildICmp(b, LLVMIntULE, *offset, jit_i64(unit, chunk - bytes), "");
    go_on_if(e, LLVMBuildAnd(b, fits, LLVMBuildIsNotNull(b, lines, ""), ""), service);
    return lines;
}

static LLVMValueRef shared_lines(struct jit_emitter *e, LLVMValueRef address, unsigned bytes,
                                 LLVMValueRef *offset, LLVMBasicBlockRef service)
{
    struct jit_unit *unit = e->unit;
    LLVMBuilderRef b = e->builder;
    LLVMValueRef limit =
        jit_build_field(e, e->abi.block, offsetof(struct cup_abi_block, race_lines_bytes),
                        unit->i64, false, "race.limit");

    *offset = LLVMBuildSub(b, address, LLVMBuildPtrToInt(b, e->abi.shared, unit->i64, ""), "");
    go_on_if(
        e,
        LLVMBuildICmp(b, LLVMIntULE, LLVMBuildAdd(b, *offset, jit_i64(unit, bytes), ""), limit, ""),
        service);
    return jit_build_field(e, e->abi.block, offsetof(struct cup_abi_block, race_lines), unit->ptr,
                           false, "race.lines");
}

bool jit_check_races_is_quick(const struct jit_emitter *e, const struct ptx_instruction *i,
                              struct jit_value address, unsigned bytes)
{
    return !address.vector && !address.jump &&
           (address.stride == 0 || address.stride == (int64_t)bytes) &&
           (i->space == PTX_GLOBAL || (i->space == PTX_SHARED && !e->unit->clusters));
}

/* The lines of the access, all of which have the tag of the warp. */
static LLVMValueRef have_tag(struct jit_emitter *e, LLVMValueRef lines, LLVMValueRef offset,
                             unsigned bytes, bool shared)
{
    LLVMBuilderRef b = e->builder;
    LLVMValueRef tag = field_of_warp(e,
                                     shared ? offsetof(struct cup_abi_race_warp, shared_tag)
                                            : offsetof(struct cup_abi_race_warp, global_tag),
                                     e->unit->i32);
    LLVMValueRef all = has_tag(e, lines, offset, bytes - 1, tag);

    for (unsigned at = 0; at + 1 < bytes; at += LINE)
        all = LLVMBuildAnd(b, all, has_tag(e, lines, offset, at, tag), "");
    return all;
}

/* Words that all lanes read, one behind the other, in two lines at most. */
bool jit_check_races_is_quick_group(const struct jit_check_group *group, struct jit_value address,
                                    unsigned bytes)
{
    return !address.stride && group->step == bytes && group->count * bytes <= LINE;
}

void jit_check_races(struct jit_emitter *e, const struct ptx_instruction *i,
                     struct jit_value address, unsigned bytes, const struct jit_check_group *group,
                     LLVMBasicBlockRef done, LLVMBasicBlockRef service)
{
    struct jit_unit *unit = e->unit;
    LLVMBuilderRef b = e->builder;
    bool shared = i->space == PTX_SHARED;
    unsigned all = group ? group->count * bytes : address.stride ? bytes * e->width : bytes;
    uint32_t site = group ? group->sites[group->count - 1] : jit_check_site(e, i);
    LLVMBasicBlockRef own = service;
    LLVMValueRef offset, lines, furthest;

    if (unit->checks & CUP_ABI_CHECK_SYNC && e->function->is_kernel) {
        furthest = field_of_warp(e, offsetof(struct cup_abi_race_warp, furthest), unit->i32);
        go_on_if(e, LLVMBuildICmp(b, LLVMIntUGT, furthest, jit_i32(unit, site), ""), service);
    }
    lines = shared ? shared_lines(e, address.value, all, &offset, service)
                   : global_lines(e, address.value, all, &offset, service);
    if (!group && shared && !address.stride && (bytes == 4 || bytes == 8 || bytes == 16))
        own = jit_build_block(e, "check.own");
    jit_build_likely(e, have_tag(e, lines, offset, all, shared), done, own, 1);
    if (own != service) {
        jit_build_at(e, own);
        add_words(e, lines, offset, bytes, site, done, service);
    }
}

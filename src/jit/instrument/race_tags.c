/* SPDX-License-Identifier: MIT */
/* Reads of memory that several warps have read, and none has written, since they synchronised are
 * the mass of accesses in loops. The detector gives lines of such memory a tag (check/race/line.c):
 * compiled code compares it with that of the warp, and reports all other reads. */
#include "jit/instrument/race_tags.h"

#include "abi/check.h"
#include "abi/launch.h"
#include "jit/emit/body.h"
#include "jit/emit/ir.h"
#include "jit/instrument/grouped_reads.h"
#include "jit/instrument/site.h"
#include "jit/emit/mask.h"

#include <stddef.h>

enum { LINE = 1 << CUP_ABI_RACE_LINE_SHIFT };

static void go_on_if(struct jit_body *body, LLVMValueRef condition, LLVMBasicBlockRef otherwise)
{
    jit_check_go_on_if(body, condition, otherwise, 16);
}

static LLVMValueRef field_of_warp(struct jit_body *body, size_t offset, LLVMTypeRef type)
{
    struct jit_unit *unit = body->unit;
    LLVMBuilderRef b = body->builder;
    LLVMValueRef warps =
        jit_build_field(body, body->abi.block, offsetof(struct cup_abi_block, race_warps),
                        unit->ptr, false, "race.warps");
    LLVMValueRef at = LLVMBuildMul(b, LLVMBuildZExt(b, body->vector.warp, unit->i64, ""),
                                   jit_i64(unit, sizeof(struct cup_abi_race_warp)), "");

    return jit_build_field(body, jit_build_offset(body, warps, at), offset, type, false, "");
}

/* The shadow of the line of an offset in memory whose lines begin somewhere. */
static LLVMValueRef line_at(struct jit_body *body, LLVMValueRef lines, LLVMValueRef offset)
{
    struct jit_unit *unit = body->unit;
    LLVMBuilderRef b = body->builder;
    LLVMValueRef at = LLVMBuildLShr(b, offset, jit_i64(unit, CUP_ABI_RACE_LINE_SHIFT), "");

    at = LLVMBuildMul(b, at, jit_i64(unit, CUP_ABI_RACE_LINE_BYTES), "");
    return jit_build_offset(body, lines, at);
}

/* Whether the line of an offset has the tag. */
static LLVMValueRef has_tag(struct jit_body *body, LLVMValueRef lines, LLVMValueRef offset,
                            uint64_t at, LLVMValueRef tag)
{
    LLVMBuilderRef b = body->builder;
    LLVMValueRef line = line_at(body, lines, LLVMBuildAdd(b, offset, jit_i64(body->unit, at), ""));

    return LLVMBuildICmp(
        b, LLVMIntEQ,
        jit_build_field(body, line, CUP_ABI_RACE_TAG_OFFSET, body->unit->i32, false, ""), tag, "");
}

/* All lanes read words of shared memory, and have read others of the line there: adds them. */
static void add_words(struct jit_body *body, LLVMValueRef lines, LLVMValueRef offset,
                      unsigned bytes, uint32_t site, LLVMBasicBlockRef done,
                      LLVMBasicBlockRef service)
{
    struct jit_unit *unit = body->unit;
    LLVMBuilderRef b = body->builder;
    LLVMValueRef line = line_at(body, lines, offset), read, same, words, bits, own;

    if (body->divergent)
        go_on_if(body, LLVMBuildICmp(b, LLVMIntEQ, jit_mask_bits(body), body->vector.full, ""),
                 service);
    own = field_of_warp(body, offsetof(struct cup_abi_race_warp, own_read), unit->i64);
    own = LLVMBuildOr(b, own, jit_i64(unit, site & ((UINT64_C(1) << CUP_ABI_RACE_SITE_BITS) - 1)),
                      "");
    read = jit_build_field(body, line, CUP_ABI_RACE_READ_OFFSET, unit->i64, false, "");
    same = LLVMBuildICmp(b, LLVMIntEQ, read, own, "");
    read = LLVMBuildAnd(b, offset, jit_i64(unit, bytes - 1), "");
    same = LLVMBuildAnd(b, same, LLVMBuildICmp(b, LLVMIntEQ, read, jit_i64(unit, 0), ""), "");
    go_on_if(body, same, service);
    bits = LLVMBuildAnd(b, LLVMBuildLShr(b, offset, jit_i64(unit, 2), ""), jit_i64(unit, 31), "");
    bits = LLVMBuildShl(b, jit_i32(unit, (1u << bytes / 4) - 1),
                        LLVMBuildTrunc(b, bits, unit->i32, ""), "");
    words = jit_build_offset(body, line, jit_i64(unit, CUP_ABI_RACE_WORDS_OFFSET));
    jit_build_store(body, LLVMBuildOr(b, jit_build_load(body, unit->i32, words, 4), bits, ""),
                    words, 4);
    LLVMBuildBr(b, done);
}

/* Where the lines of global memory are; all of the access must be in one part. */
static LLVMValueRef global_lines(struct jit_body *body, LLVMValueRef address, unsigned bytes,
                                 LLVMValueRef *offset, LLVMBasicBlockRef service)
{
    struct jit_unit *unit = body->unit;
    LLVMBuilderRef b = body->builder;
    const uint64_t chunk = UINT64_C(1) << CUP_ABI_RACE_CHUNK_SHIFT;
    LLVMValueRef table =
        jit_build_field(body, body->abi.launch, offsetof(struct cup_abi_launch, race_chunks),
                        unit->ptr, true, "race.chunks");
    LLVMValueRef index, lines, fits;

    go_on_if(body, LLVMBuildIsNotNull(b, table, ""), service);
    index = LLVMBuildAnd(b, address, jit_i64(unit, (UINT64_C(1) << 48) - 1), "");
    index = LLVMBuildLShr(b, index, jit_i64(unit, CUP_ABI_RACE_CHUNK_SHIFT), "");
    lines = jit_build_load(
        body, unit->ptr,
        jit_build_offset(body, table, LLVMBuildShl(b, index, jit_i64(unit, 3), "")), 8);
    *offset = LLVMBuildAnd(b, address, jit_i64(unit, chunk - 1), "");
    fits = LLVMBuildICmp(b, LLVMIntULE, *offset, jit_i64(unit, chunk - bytes), "");
    go_on_if(body, LLVMBuildAnd(b, fits, LLVMBuildIsNotNull(b, lines, ""), ""), service);
    return lines;
}

static LLVMValueRef shared_lines(struct jit_body *body, LLVMValueRef address, unsigned bytes,
                                 LLVMValueRef *offset, LLVMBasicBlockRef service)
{
    struct jit_unit *unit = body->unit;
    LLVMBuilderRef b = body->builder;
    LLVMValueRef limit =
        jit_build_field(body, body->abi.block, offsetof(struct cup_abi_block, race_lines_bytes),
                        unit->i64, false, "race.limit");

    *offset = LLVMBuildSub(b, address, LLVMBuildPtrToInt(b, body->abi.shared, unit->i64, ""), "");
    go_on_if(
        body,
        LLVMBuildICmp(b, LLVMIntULE, LLVMBuildAdd(b, *offset, jit_i64(unit, bytes), ""), limit, ""),
        service);
    return jit_build_field(body, body->abi.block, offsetof(struct cup_abi_block, race_lines),
                           unit->ptr, false, "race.lines");
}

bool jit_check_races_is_quick(const struct jit_body *body, const struct ptx_instruction *i,
                              struct jit_value address, unsigned bytes)
{
    return !address.vector && !address.jump &&
           (address.stride == 0 || address.stride == (int64_t)bytes) &&
           (i->space == PTX_GLOBAL || (i->space == PTX_SHARED && !body->unit->clusters));
}

/* The lines of the access, all of which have the tag of the warp. */
static LLVMValueRef have_tag(struct jit_body *body, LLVMValueRef lines, LLVMValueRef offset,
                             unsigned bytes, bool shared)
{
    LLVMBuilderRef b = body->builder;
    LLVMValueRef tag = field_of_warp(body,
                                     shared ? offsetof(struct cup_abi_race_warp, shared_tag)
                                            : offsetof(struct cup_abi_race_warp, global_tag),
                                     body->unit->i32);
    LLVMValueRef all = has_tag(body, lines, offset, bytes - 1, tag);

    for (unsigned at = 0; at + 1 < bytes; at += LINE)
        all = LLVMBuildAnd(b, all, has_tag(body, lines, offset, at, tag), "");
    return all;
}

/* Words that all lanes read, one behind the other, in two lines at most. */
bool jit_check_races_is_quick_group(const struct jit_check_group *group, struct jit_value address,
                                    unsigned bytes)
{
    return !address.stride && group->step == bytes && group->count * bytes <= LINE;
}

void jit_check_races(struct jit_body *body, const struct ptx_instruction *i,
                     struct jit_value address, unsigned bytes, const struct jit_check_group *group,
                     LLVMBasicBlockRef done, LLVMBasicBlockRef service)
{
    struct jit_unit *unit = body->unit;
    LLVMBuilderRef b = body->builder;
    bool shared = i->space == PTX_SHARED;
    unsigned all = group ? group->count * bytes : address.stride ? bytes * body->width : bytes;
    uint32_t site = group ? group->sites[group->count - 1] : jit_check_site(body, i);
    LLVMBasicBlockRef own = service;
    LLVMValueRef offset, lines, furthest;

    if (unit->checks & CUP_ABI_CHECK_SYNC && body->is_kernel) {
        furthest = field_of_warp(body, offsetof(struct cup_abi_race_warp, furthest), unit->i32);
        go_on_if(body, LLVMBuildICmp(b, LLVMIntUGT, furthest, jit_i32(unit, site), ""), service);
    }
    lines = shared ? shared_lines(body, address.value, all, &offset, service)
                   : global_lines(body, address.value, all, &offset, service);
    if (!group && shared && !address.stride && (bytes == 4 || bytes == 8 || bytes == 16))
        own = jit_build_block(body, "check.own");
    jit_build_likely(body, have_tag(body, lines, offset, all, shared), done, own, 1);
    if (own != service) {
        jit_build_at(body, own);
        add_words(body, lines, offset, bytes, site, done, service);
    }
}

/* SPDX-License-Identifier: MIT */
/* Loads, stores, atomics and cp.async are reported to the runtime here, with the addresses of all
 * lanes. The runtime itself reports what it executes (bulk copies, matrices in memory, mbarriers):
 * it gets the site of the instruction (struct cup_abi_warp_call). */
#include "jit/instrument/accesses.h"

#include "abi/check.h"
#include "abi/launch.h"
#include "abi/services.h"
#include "jit/analysis/instruction.h"
#include "jit/emit/address.h"
#include "jit/emit/barriers.h"
#include "jit/emit/emitter.h"
#include "jit/emit/ir.h"
#include "jit/emit/mask.h"
#include "jit/emit/operands.h"
#include "jit/instrument/bounds.h"
#include "jit/instrument/grouped_reads.h"
#include "jit/instrument/loops.h"
#include "jit/instrument/race_tags.h"
#include "jit/instrument/runs.h"
#include "jit/instrument/site.h"
#include "jit/instrument/uninitialised.h"

#include <stddef.h>

/* The checks to which synchronisation is reported, and those to which accesses are. */
enum {
    SYNC_CHECKS = CUP_ABI_CHECK_RACES | CUP_ABI_CHECK_SYNC | CUP_ABI_CHECK_STREAMS,
    REPORTING_CHECKS = CUP_ABI_CHECK_INIT | SYNC_CHECKS,
};

/* Whether CUPIPE_CHECK=memory looks at accesses to the space. Each is reported by itself, before
 * the access, which may fault. */
static bool memory_looks_at(const struct jit_emitter *e, uint8_t space)
{
    return (e->unit->checks & CUP_ABI_CHECK_MEMORY) &&
           (space == PTX_GLOBAL || space == PTX_SPACE_NONE);
}

static enum cup_abi_scope scope_of(const struct ptx_instruction *i)
{
    if (ptx_has(i, PTX_MOD_SCOPE_CTA))
        return CUP_ABI_SCOPE_CTA;
    if (ptx_has(i, PTX_MOD_SCOPE_CLUSTER))
        return CUP_ABI_SCOPE_CLUSTER;
    if (ptx_has(i, PTX_MOD_SCOPE_GPU) || ptx_has(i, PTX_MOD_GL))
        return CUP_ABI_SCOPE_GPU;
    return ptx_has(i, PTX_MOD_SCOPE_SYS) ? CUP_ABI_SCOPE_SYS : CUP_ABI_SCOPE_NONE;
}

static LLVMValueRef how_of(const struct jit_emitter *e, const struct ptx_instruction *i,
                           uint32_t access, uint8_t space)
{
    return jit_i32(e->unit, cup_abi_how(access, space, jit_check_order(i), scope_of(i)));
}

static LLVMValueRef site_of(const struct jit_emitter *e, const struct ptx_instruction *i)
{
    return jit_i32(e->unit, jit_check_site(e, i));
}

/* The access of an instruction that is reported here; 0: it is none. */
static uint32_t access_of(const struct ptx_instruction *i)
{
    switch (i->op) {
    case PTX_OP_ld:
    case PTX_OP_ldu:
    case PTX_OP_ldmatrix:
        return CUP_ABI_READS;
    case PTX_OP_st:
        return ptx_has(i, PTX_MOD_ASYNC) ? 0 : CUP_ABI_WRITES;
    case PTX_OP_stmatrix:
        return CUP_ABI_WRITES;
    case PTX_OP_atom:
    case PTX_OP_red:
        if (ptx_has(i, PTX_MOD_ASYNC))
            return 0;
        /* the old value of an exchange is rarely of interest */
        return (ptx_has(i, PTX_MOD_EXCH) ? 0u : CUP_ABI_READS) | CUP_ABI_WRITES | CUP_ABI_ATOMIC;
    default:
        return 0;
    }
}

/* Only accesses outside of variables concern local memory. */
static bool space_is_checked(const struct jit_emitter *e, uint8_t space)
{
    return space == PTX_GLOBAL || space == PTX_SPACE_NONE || space == PTX_SHARED ||
           (space == PTX_LOCAL && (e->unit->checks & CUP_ABI_CHECK_MEMORY));
}

/* Loads that ptxas would drop do not happen. */
static bool is_dropped(const struct jit_emitter *e, const struct ptx_instruction *i)
{
    return (i->op == PTX_OP_ld || i->op == PTX_OP_ldu) &&
           e->function->cfg.undemanded[i - e->function->ptx->instructions];
}

/* Each address of a small matrix is that of a row, and lanes behind the last row have none. */
static LLVMValueRef lanes_with_rows(struct jit_emitter *e, const struct ptx_instruction *i)
{
    unsigned count = jit_operand_part_count(i->op == PTX_OP_ldmatrix ? &i->dst[0] : &i->src[1]);
    LLVMValueRef lanes = jit_mask_bits(e);

    return count >= 4
               ? lanes
               : LLVMBuildAnd(e->builder, lanes, jit_i32(e->unit, (1u << 8 * count) - 1), "");
}

static bool is_small_matrix(const struct ptx_instruction *i)
{
    return i->op == PTX_OP_ldmatrix || i->op == PTX_OP_stmatrix;
}

/* The bytes that one address is for: a row of a small matrix, or an access. */
static unsigned bytes_at_address(const struct ptx_instruction *i)
{
    if (!is_small_matrix(i))
        return ptx_access_bytes(i);
    return i->types[i->type_count - 1] == PTX_S4 ? 8 : 16;
}

/* Whether init is the only check that looks at accesses. */
static bool is_quick(const struct jit_emitter *e)
{
    return (e->unit->checks & REPORTING_CHECKS) == CUP_ABI_CHECK_INIT;
}

/* Emits the quick test if there is one: the builder continues where the service is called; returns
 * the block behind that, or NULL. */
static LLVMBasicBlockRef emit_quick(struct jit_emitter *e, const struct ptx_instruction *i,
                                    struct jit_value address, uint32_t access)
{
    LLVMBasicBlockRef done, service;

    if (!jit_check_is_run(e, i, address, ptx_access_bytes(i)))
        return NULL;
    done = jit_build_block(e, "checked");
    service = jit_build_block(e, "check.service");
    jit_check_inline(e, i, address, access, ptx_access_bytes(i), done, service);
    jit_build_at(e, service);
    return done;
}

static bool are_only_streams(const struct jit_emitter *e)
{
    return (e->unit->checks & REPORTING_CHECKS) == CUP_ABI_CHECK_STREAMS;
}

/* Reports the access through its run. Returns whether that is all; otherwise the builder is where
 * the service is called, and *done is the block behind that, or NULL. */
static bool emit_run(struct jit_emitter *e, const struct ptx_instruction *i,
                     struct jit_value address, uint32_t access, LLVMBasicBlockRef *done)
{
    uint32_t how = cup_abi_how(access, i->space, jit_check_order(i), scope_of(i));
    LLVMBasicBlockRef others;

    if (!jit_check_runs_report(e, i, address, how, &others))
        return false;
    if (!others)
        return true;
    *done = jit_build_block(e, "checked");
    LLVMBuildBr(e->builder, *done);
    jit_build_at(e, others);
    return false;
}

/* Whether races and sync are the only checks that look at accesses, and the lanes are one stride
 * apart. */
static bool is_strided(const struct jit_emitter *e, const struct ptx_instruction *i,
                       const struct jit_value *address)
{
    return !(e->unit->checks & REPORTING_CHECKS & ~(CUP_ABI_CHECK_RACES | CUP_ABI_CHECK_SYNC)) &&
           !address->vector && !address->jump && address->stride == (int32_t)address->stride &&
           !(i->space == PTX_SHARED && e->unit->clusters) &&
           (address->stride || access_of(i) == CUP_ABI_READS);
}

static void report_strided(struct jit_emitter *e, const struct ptx_instruction *i,
                           struct jit_value address, uint32_t access)
{
    struct jit_unit *unit = e->unit;
    LLVMValueRef arguments[] = {
        e->abi.block,
        e->vector.warp,
        jit_mask_bits(e),
        address.value,
        jit_i32(unit, (uint32_t)address.stride),
        jit_i32(unit, ptx_access_bytes(i)),
        site_of(e, i),
        how_of(e, i, access, i->space),
    };

    jit_build_service(e, offsetof(struct cup_abi_services, check_lanes), unit->nothing, arguments,
                      8);
}

/* A struct cup_abi_reads. */
static LLVMValueRef reads_of(struct jit_emitter *e, const struct ptx_instruction *i,
                             struct jit_value address, const struct jit_check_group *group)
{
    struct jit_unit *unit = e->unit;
    LLVMValueRef words[5 + JIT_CHECK_GROUP_MAX] = {
        jit_i32(unit, (uint32_t)address.stride), jit_i32(unit, ptx_access_bytes(i)),
        jit_i32(unit, (uint32_t)group->step), jit_i32(unit, group->count),
        how_of(e, i, CUP_ABI_READS, i->space)};

    for (unsigned at = 0; at < group->count; at++)
        words[5 + at] = jit_i32(unit, group->sites[at]);
    return jit_build_words(e, words, 5 + group->count, "check.reads");
}

static void report_group(struct jit_emitter *e, const struct ptx_instruction *i,
                         struct jit_value address, const struct jit_check_group *group)
{
    LLVMValueRef arguments[] = {
        e->abi.block,
        e->vector.warp,
        jit_mask_bits(e),
        address.value,
        reads_of(e, i, address, group),
    };

    jit_build_service(e, offsetof(struct cup_abi_services, check_reads), e->unit->nothing,
                      arguments, 5);
}

/* Reports such an access, and the reads that follow it, unless a quick test shows that they need
 * not be reported. */
static void emit_strided(struct jit_emitter *e, const struct ptx_instruction *i,
                         struct jit_value address, uint32_t access)
{
    unsigned bytes = ptx_access_bytes(i);
    bool is_quick = access == CUP_ABI_READS && jit_check_order(i) == CUP_ABI_ORDER_WEAK &&
                    jit_check_races_is_quick(e, i, address, bytes);
    struct jit_check_group group = {.count = 0};
    LLVMBasicBlockRef done = NULL, service;

    if (is_quick)
        jit_check_group_make(e, i, &group);
    if (is_quick && (!group.count || jit_check_races_is_quick_group(&group, address, bytes))) {
        done = jit_build_block(e, "checked");
        service = jit_build_block(e, "check.service");
        jit_check_races(e, i, address, bytes, group.count ? &group : NULL, done, service);
        jit_build_at(e, service);
    }
    if (group.count)
        report_group(e, i, address, &group);
    else
        report_strided(e, i, address, access);
    if (done) {
        LLVMBuildBr(e->builder, done);
        jit_build_at(e, done);
    }
}

/* Whether lanes of a store may have the same address, so that its values matter for races. */
static bool may_collide(const struct jit_emitter *e, const struct ptx_instruction *i,
                        const struct jit_value *address)
{
    return (e->unit->checks & CUP_ABI_CHECK_RACES) && i->op == PTX_OP_st &&
           (address->vector || !address->stride);
}

/* The values that a store writes, as rows of the width, in memory. */
static LLVMValueRef values_of(struct jit_emitter *e, const struct ptx_instruction *i)
{
    enum { ROWS_MAX = 8 };
    struct jit_unit *unit = e->unit;
    unsigned width = i->width ? i->width : 1;
    uint8_t type = i->types[i->type_count - 1];

    if (!e->scratch[JIT_SCRATCH_CHECK_VALUES])
        e->scratch[JIT_SCRATCH_CHECK_VALUES] =
            jit_build_alloca(e, jit_vector_type(e, unit->i64), ROWS_MAX, "values");
    for (unsigned part = 0; part < width; part++) {
        LLVMValueRef row = jit_value_vector(
            e, jit_operand_read(e, jit_operand_part(e->function, &i->src[1], part), type));
        uint64_t at = (uint64_t)part * e->width * (ptx_access_bytes(i) / width);

        jit_build_store(
            e, row, jit_build_offset(e, e->scratch[JIT_SCRATCH_CHECK_VALUES], jit_i64(unit, at)),
            1);
    }
    return e->scratch[JIT_SCRATCH_CHECK_VALUES];
}

/* Calls the service with the addresses of all lanes. */
static void call_access(struct jit_emitter *e, const struct ptx_instruction *i,
                        struct jit_value address, unsigned bytes)
{
    struct jit_unit *unit = e->unit;

    if (i->space == PTX_SHARED && (address.stride || address.jump))
        address = jit_vector(jit_shared_wrap(e, jit_value_vector(e, address)));
    LLVMValueRef arguments[] = {
        e->abi.block,
        e->vector.warp,
        is_small_matrix(i) ? lanes_with_rows(e, i) : jit_mask_bits(e),
        jit_check_words(e, jit_value_vector(e, address)),
        jit_i32(unit, bytes),
        site_of(e, i),
        how_of(e, i, access_of(i), i->space),
        may_collide(e, i, &address) ? values_of(e, i) : LLVMConstNull(unit->ptr),
        jit_i32(unit, ptx_access_bytes(i) / (i->width ? i->width : 1)),
    };
    jit_build_service(e, offsetof(struct cup_abi_services, check_access), unit->nothing, arguments,
                      9);
}

static struct jit_value further(struct jit_emitter *e, struct jit_value address, uint64_t bytes)
{
    LLVMValueRef distance = jit_i64(e->unit, bytes);

    if (address.vector)
        distance = jit_build_splat(e, distance);
    address.value = LLVMBuildAdd(e->builder, address.value, distance, "");
    return address;
}

/* Reports the demanded elements of a load of a vector. Returns false if all are demanded. */
static bool report_demanded_parts(struct jit_emitter *e, const struct ptx_instruction *i,
                                  struct jit_value address)
{
    unsigned undemanded = e->function->cfg.undemanded_parts[i - e->function->ptx->instructions];
    unsigned count = i->dst[0].count, end;

    if (!undemanded)
        return false;
    for (unsigned part = 0; part < count; part = end) {
        unsigned bytes = ptx_access_bytes(i) / count;

        for (end = part + 1; end < count && (undemanded >> end & 1) == (undemanded >> part & 1);)
            end++;
        if (!(undemanded >> part & 1))
            call_access(e, i, further(e, address, (uint64_t)part * bytes), (end - part) * bytes);
    }
    return true;
}

void jit_check_access(struct jit_emitter *e, const struct ptx_instruction *i)
{
    struct jit_unit *unit = e->unit;
    uint32_t access = unit->checks ? access_of(i) : 0;
    bool rows = is_small_matrix(i);
    struct jit_value address;

    if (!access || !space_is_checked(e, i->space) || is_dropped(e, i))
        return;
    address = jit_emit_address(e, &i->src[0], i->space);
    if (unit->checks & CUP_ABI_CHECK_MEMORY)
        jit_check_bounds(e, i, &i->src[0], address, bytes_at_address(i), access);
    if (memory_looks_at(e, i->space)) {
        if (!report_demanded_parts(e, i, address))
            call_access(e, i, address, bytes_at_address(i));
        return;
    }
    if (!(unit->checks & REPORTING_CHECKS) || i->space == PTX_LOCAL)
        return;
    if (are_only_streams(e) && i->space == PTX_SHARED)
        return; /* no other stream sees it */
    if (jit_check_loops_note(e, i, address,
                             cup_abi_how(access, i->space, jit_check_order(i), scope_of(i))))
        return;
    if (jit_check_group_has(e, i))
        return;
    jit_check_group_drop(e, i);
    if (report_demanded_parts(e, i, address))
        return;
    if (!rows && is_strided(e, i, &address)) {
        emit_strided(e, i, address, access);
        return;
    }
    LLVMBasicBlockRef done = NULL;
    if (!rows && is_quick(e))
        done = emit_quick(e, i, address, access);
    else if (!rows && are_only_streams(e) && emit_run(e, i, address, access, &done))
        return;
    call_access(e, i, address, bytes_at_address(i));
    if (done) {
        LLVMBuildBr(e->builder, done);
        jit_build_at(e, done);
    }
}

void jit_check_block(struct jit_emitter *e)
{
    if (e->unit->checks & ~(uint32_t)(CUP_ABI_CHECK_MEMORY | CUP_ABI_CHECK_STREAMS))
        jit_build_service(e, offsetof(struct cup_abi_services, check_block), e->unit->nothing,
                          &e->abi.block, 1);
}

void jit_check_range(struct jit_emitter *e, const struct ptx_instruction *i, LLVMValueRef lane,
                     LLVMValueRef address, LLVMValueRef bytes, uint32_t access, uint8_t space)
{
    struct jit_unit *unit = e->unit;

    if (!(unit->checks & REPORTING_CHECKS) && !memory_looks_at(e, space))
        return;
    LLVMValueRef arguments[] = {
        e->abi.block,
        e->vector.warp,
        lane,
        address,
        LLVMBuildZExt(e->builder, bytes, unit->i64, ""),
        site_of(e, i),
        how_of(e, i, access, space),
    };
    jit_build_service(e, offsetof(struct cup_abi_services, check_range), unit->nothing, arguments,
                      7);
}

static bool is_copies_wait(const struct ptx_instruction *i)
{
    return i->op == PTX_OP_cp && !ptx_has(i, PTX_MOD_MBARRIER) &&
           (ptx_has(i, PTX_MOD_COMMIT_GROUP) || ptx_has(i, PTX_MOD_WAIT_GROUP) ||
            ptx_has(i, PTX_MOD_WAIT_ALL));
}

/* Returns whether the instruction synchronises, and how. */
static bool sync_kind_of(const struct ptx_instruction *i, enum cup_abi_sync_kind *kind)
{
    bool is_barrier = i->op == PTX_OP_bar || i->op == PTX_OP_barrier;

    if (i->op == PTX_OP_wgmma && jit_instruction_waits(i))
        *kind = CUP_ABI_SYNC_KIND_BARRIER;
    else if (i->op == PTX_OP_wgmma && ptx_has(i, PTX_MOD_COMMIT_GROUP))
        *kind = CUP_ABI_SYNC_KIND_ARRIVE;
    else if (is_barrier && !ptx_has(i, PTX_MOD_WARP))
        *kind = ptx_has(i, PTX_MOD_ARRIVE) ? CUP_ABI_SYNC_KIND_ARRIVE : CUP_ABI_SYNC_KIND_BARRIER;
    else if (jit_sync_member_source(i) >= 0)
        *kind = is_barrier ? CUP_ABI_SYNC_KIND_WARP : CUP_ABI_SYNC_KIND_EXCHANGE;
    else if (i->op == PTX_OP_fence || i->op == PTX_OP_membar)
        *kind = CUP_ABI_SYNC_KIND_FENCE;
    else if (i->op == PTX_OP_mbarrier || (i->op == PTX_OP_cp && ptx_has(i, PTX_MOD_MBARRIER)))
        *kind = CUP_ABI_SYNC_KIND_MBARRIER;
    else if (is_copies_wait(i))
        *kind = CUP_ABI_SYNC_KIND_COPIES;
    else
        return false;
    return true;
}

static LLVMValueRef barrier_value(struct jit_emitter *e, const struct ptx_instruction *i)
{
    LLVMBuilderRef b = e->builder;
    LLVMTypeRef wide = e->unit->i64;
    struct jit_barrier_operands barrier;

    jit_barrier_read(e, i, &barrier);
    return LLVMBuildOr(
        b, LLVMBuildZExt(b, barrier.id, wide, ""),
        LLVMBuildShl(b, LLVMBuildZExt(b, barrier.threads, wide, ""), jit_i64(e->unit, 32), ""), "");
}

static struct jit_value sync_value(struct jit_emitter *e, const struct ptx_instruction *i,
                                   enum cup_abi_sync_kind kind)
{
    switch (kind) {
    case CUP_ABI_SYNC_KIND_BARRIER:
    case CUP_ABI_SYNC_KIND_ARRIVE:
        return jit_scalar(barrier_value(e, i), 0);
    case CUP_ABI_SYNC_KIND_WARP:
    case CUP_ABI_SYNC_KIND_EXCHANGE:
        return jit_operand_read(e, &i->src[jit_sync_member_source(i)], PTX_B32);
    case CUP_ABI_SYNC_KIND_MBARRIER:
        if (!ptx_has(i, PTX_MOD_PENDING_COUNT))
            return jit_emit_address(e, &i->src[0], i->space);
        break;
    case CUP_ABI_SYNC_KIND_COPIES:
        if (i->source_count)
            return jit_operand_read(e, &i->src[0], PTX_B32);
        break;
    case CUP_ABI_SYNC_KIND_FENCE:
        break;
    }
    return jit_scalar(jit_i64(e->unit, 0), 0);
}

void jit_check_sync(struct jit_emitter *e, const struct ptx_instruction *i)
{
    struct jit_unit *unit = e->unit;
    enum cup_abi_sync_kind kind;
    struct jit_value value;

    if (!(unit->checks & SYNC_CHECKS) || !sync_kind_of(i, &kind))
        return;
    if ((unit->checks & SYNC_CHECKS) == CUP_ABI_CHECK_STREAMS && kind != CUP_ABI_SYNC_KIND_FENCE)
        return; /* waits for threads of the same launch */
    value = sync_value(e, i, kind);
    LLVMValueRef arguments[] = {
        e->abi.block,
        e->vector.warp,
        jit_mask_bits(e),
        jit_i32(unit, kind),
        jit_check_words(e, jit_value_vector(e, value)),
        site_of(e, i),
        how_of(e, i, 0, i->space),
    };
    jit_build_service(e, offsetof(struct cup_abi_services, check_sync), unit->nothing, arguments,
                      7);
}

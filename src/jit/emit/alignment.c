/* SPDX-License-Identifier: MIT */
/* Alignment checks. The device faults on misaligned accesses, host processors do not. So the low
 * bits of every address are tested before the access, with a branch that correct programs never
 * take. Accesses of a node at constant distances from one register are tested once. The report
 * does not return, so the optimiser knows the low bits after a test and removes further tests.
 *
 * All accesses of a node share one call that reports; an access only adds its values to the phis
 * of that call. */
#include "jit/emit/alignment.h"

#include "abi/services.h"
#include "jit/emit/chunks.h"
#include "jit/emit/emitter.h"
#include "jit/emit/immediates.h"
#include "jit/emit/ir.h"
#include "jit/emit/mask.h"
#include "jit/transform/load_coalescing.h"

#include <stddef.h>

void jit_alignment_init(struct jit_emitter *e)
{
    e->alignment = jit_emitter_zeros(e, 1, sizeof(*e->alignment));
    e->alignment->known =
        jit_emitter_zeros(e, e->function->cfg.register_count, sizeof(*e->alignment->known));
}

/* The mask of low address bits that must be zero for an access of so many bytes, up to 32. */
static uint64_t misaligned_bits(unsigned bytes)
{
    uint64_t size = 1;

    while (size < 32 && 2 * size <= bytes)
        size *= 2;
    return size - 1;
}

bool jit_alignment_is_common(struct jit_value address, unsigned bytes)
{
    return !address.vector && !((uint64_t)(address.stride | address.jump) & misaligned_bits(bytes));
}

/* Returns the block that reports misaligned accesses; the node's first access creates it. */
static struct jit_misaligned *report_of(struct jit_emitter *e)
{
    struct jit_misaligned *report = &e->alignment->report;
    struct jit_unit *unit = e->unit;
    LLVMBasicBlockRef here = jit_build_here(e);
    LLVMBuilderRef b = e->builder;
    LLVMValueRef lane;

    if (report->block)
        return report;
    report->block = jit_build_block(e, "misaligned");
    jit_build_at(e, report->block);
    report->lanes = LLVMBuildPhi(b, unit->i32, "");
    report->address = LLVMBuildPhi(b, unit->i64, "");
    report->bytes = LLVMBuildPhi(b, unit->i32, "");
    report->line = LLVMBuildPhi(b, unit->i32, "");
    lane = LLVMBuildAnd(b, e->vector.first, jit_i32(unit, 31), "");
    LLVMValueRef arguments[] = {
        e->abi.block,    e->vector.warp, LLVMBuildShl(b, report->lanes, lane, ""),
        report->address, report->bytes,  report->line};
    jit_build_service(e, offsetof(struct cup_abi_services, misaligned), unit->nothing, arguments,
                      6);
    LLVMBuildUnreachable(b);
    jit_build_at(e, here);
    return report;
}

void jit_alignment_new_node(struct jit_emitter *e)
{
    e->alignment->report.block = NULL;
    e->serial++;
}

static bool is_register(const struct ptx_operand *operand)
{
    return operand->kind == PTX_OPERAND_REGISTER ||
           (operand->kind == PTX_OPERAND_ADDRESS && operand->base == PTX_BASE_REGISTER);
}

bool jit_alignment_is_open(struct jit_emitter *e, const struct ptx_operand *operand, unsigned bytes)
{
    uint64_t low = misaligned_bits(bytes),
             offset = operand->kind == PTX_OPERAND_ADDRESS ? operand->value : 0;
    struct jit_aligned *known;

    if (low == 0 || (operand->kind == PTX_OPERAND_ADDRESS && operand->base == PTX_BASE_VARIABLE))
        return false;
    if (!is_register(operand))
        return true;
    known = &e->alignment->known[operand->index];
    if (known->serial == e->serial && known->low >= low && ((known->offset ^ offset) & low) == 0)
        return false;
    if (known->serial != e->serial || known->low < low)
        *known = (struct jit_aligned){e->serial, low, offset};
    return true;
}

void jit_alignment_forget(struct jit_emitter *e, uint32_t reg)
{
    e->alignment->known[reg].serial = 0;
    if (e->coalescing)
        e->coalescing[reg].serial = 0;
}

/* Branches on whether `bits` is zero. The builder continues in the block for misaligned addresses;
 * returns the block for aligned ones. */
static LLVMBasicBlockRef part_ways(struct jit_emitter *e, LLVMValueRef bits)
{
    LLVMBasicBlockRef fine = jit_build_block(e, "aligned"), off = jit_build_block(e, "off");
    LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(bits));

    jit_build_likely(e, LLVMBuildICmp(e->builder, LLVMIntEQ, bits, zero, ""), fine, off, 1 << 20);
    jit_build_at(e, off);
    return fine;
}

static void report(struct jit_emitter *e, LLVMValueRef lanes, LLVMValueRef address, unsigned bytes,
                   uint32_t line)
{
    const struct jit_misaligned *to = report_of(e);
    LLVMBasicBlockRef here = jit_build_here(e);
    LLVMValueRef size = jit_i32(e->unit, bytes), where = jit_line_of(e, line);

    LLVMBuildBr(e->builder, to->block);
    LLVMAddIncoming(to->lanes, &lanes, &here, 1);
    LLVMAddIncoming(to->address, &address, &here, 1);
    LLVMAddIncoming(to->bytes, &size, &here, 1);
    LLVMAddIncoming(to->line, &where, &here, 1);
}

void jit_alignment_check_lane(struct jit_emitter *e, LLVMValueRef lane, LLVMValueRef address,
                              unsigned bytes, uint32_t line)
{
    LLVMBuilderRef b = e->builder;
    uint64_t low = misaligned_bits(bytes);
    LLVMBasicBlockRef fine;

    if (low == 0)
        return;
    fine = part_ways(e, LLVMBuildAnd(b, address, jit_i64(e->unit, low), ""));
    report(e, LLVMBuildShl(b, jit_i32(e->unit, 1), lane, ""), address, bytes, line);
    jit_build_at(e, fine);
}

/* Checks a vector of addresses, those of the active lanes. The report gets the mask of misaligned
 * lanes and the address of the first of them. */
static void check_vector(struct jit_emitter *e, LLVMValueRef addresses, unsigned bytes,
                         uint32_t line)
{
    LLVMBuilderRef b = e->builder;
    LLVMValueRef active = jit_mask_lanes(e);
    LLVMValueRef low = jit_build_splat(e, jit_i64(e->unit, misaligned_bits(bytes)));
    LLVMValueRef off = LLVMBuildAnd(b, addresses, low, ""), first[2];
    LLVMBasicBlockRef fine;

    off = LLVMBuildICmp(b, LLVMIntNE, off, LLVMConstNull(LLVMTypeOf(off)), "");
    if (active)
        off = LLVMBuildAnd(b, off, active, "");
    off = jit_build_bits(e, off);
    fine = part_ways(e, off);
    first[0] = off;
    first[1] = LLVMConstInt(e->unit->i1, 1, false);
    first[0] = jit_build_call(e, "llvm.cttz", e->unit->i32, first, 2);
    if (e->chunks->first)
        off = LLVMBuildShl(b, off, e->chunks->first, "");
    report(e, off, LLVMBuildExtractElement(b, addresses, first[0], ""), bytes, line);
    jit_build_at(e, fine);
}

void jit_alignment_check(struct jit_emitter *e, struct jit_value address, unsigned bytes,
                         uint32_t line)
{
    LLVMBuilderRef b = e->builder;
    uint64_t low = misaligned_bits(bytes);
    LLVMBasicBlockRef fine;

    if (low == 0)
        return;
    if (!jit_alignment_is_common(address, bytes)) {
        check_vector(e, jit_value_vector(e, address), bytes, line);
        return;
    }
    fine = part_ways(e, LLVMBuildAnd(b, address.value, jit_i64(e->unit, low), ""));
    report(e, jit_mask_bits(e), address.value, bytes, line);
    jit_build_at(e, fine);
}

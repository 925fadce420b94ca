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
#include "jit/emit/body.h"
#include "jit/emit/ir.h"
#include "jit/emit/mask.h"

#include <stddef.h>

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
static struct jit_misaligned *report_of(struct jit_body *body)
{
    struct jit_misaligned *report = &body->alignment.report;
    struct jit_unit *unit = body->unit;
    LLVMBasicBlockRef here = jit_build_here(body);
    LLVMBuilderRef b = body->builder;
    LLVMValueRef lane;

    if (report->block)
        return report;
    report->block = jit_build_block(body, "misaligned");
    jit_build_at(body, report->block);
    report->lanes = LLVMBuildPhi(b, unit->i32, "");
    report->address = LLVMBuildPhi(b, unit->i64, "");
    report->bytes = LLVMBuildPhi(b, unit->i32, "");
    report->line = LLVMBuildPhi(b, unit->i32, "");
    lane = LLVMBuildAnd(b, body->vector.first, jit_i32(unit, 31), "");
    LLVMValueRef arguments[] = {
        body->abi.block, body->vector.warp, LLVMBuildShl(b, report->lanes, lane, ""),
        report->address, report->bytes,     report->line};
    jit_build_service(body, offsetof(struct cup_abi_services, misaligned), unit->nothing, arguments,
                      6);
    LLVMBuildUnreachable(b);
    jit_build_at(body, here);
    return report;
}

void jit_alignment_new_node(struct jit_body *body)
{
    body->alignment.report.block = NULL;
    body->alignment.report.node++;
}

static bool is_register(const struct ptx_operand *operand)
{
    return operand->kind == PTX_OPERAND_REGISTER ||
           (operand->kind == PTX_OPERAND_ADDRESS && operand->base == PTX_BASE_REGISTER);
}

bool jit_alignment_is_open(struct jit_body *body, const struct ptx_operand *operand, unsigned bytes)
{
    uint64_t low = misaligned_bits(bytes),
             offset = operand->kind == PTX_OPERAND_ADDRESS ? operand->value : 0;
    struct jit_aligned *known;

    if (low == 0 || (operand->kind == PTX_OPERAND_ADDRESS && operand->base == PTX_BASE_VARIABLE))
        return false;
    if (!is_register(operand))
        return true;
    known = &body->alignment.known[operand->index];
    if (known->node == body->alignment.report.node && known->low >= low &&
        ((known->offset ^ offset) & low) == 0)
        return false;
    if (known->node != body->alignment.report.node || known->low < low)
        *known = (struct jit_aligned){body->alignment.report.node, low, offset};
    return true;
}

void jit_alignment_forget(struct jit_body *body, uint32_t reg)
{
    body->alignment.known[reg].node = 0;
    if (body->coalescing)
        body->coalescing[reg].node = 0;
}

/* Branches on whether `bits` is zero. The builder continues in the block for misaligned addresses;
 * returns the block for aligned ones. */
static LLVMBasicBlockRef part_ways(struct jit_body *body, LLVMValueRef bits)
{
    LLVMBasicBlockRef fine = jit_build_block(body, "aligned"), off = jit_build_block(body, "off");
    LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(bits));

    jit_build_likely(body, LLVMBuildICmp(body->builder, LLVMIntEQ, bits, zero, ""), fine, off,
                     1 << 20);
    jit_build_at(body, off);
    return fine;
}

static void report(struct jit_body *body, LLVMValueRef lanes, LLVMValueRef address, unsigned bytes,
                   uint32_t line)
{
    const struct jit_misaligned *to = report_of(body);
    LLVMBasicBlockRef here = jit_build_here(body);
    LLVMValueRef size = jit_i32(body->unit, bytes), where = jit_body_line(body, line);

    LLVMBuildBr(body->builder, to->block);
    LLVMAddIncoming(to->lanes, &lanes, &here, 1);
    LLVMAddIncoming(to->address, &address, &here, 1);
    LLVMAddIncoming(to->bytes, &size, &here, 1);
    LLVMAddIncoming(to->line, &where, &here, 1);
}

void jit_alignment_check_lane(struct jit_body *body, LLVMValueRef lane, LLVMValueRef address,
                              unsigned bytes, uint32_t line)
{
    LLVMBuilderRef b = body->builder;
    uint64_t low = misaligned_bits(bytes);
    LLVMBasicBlockRef fine;

    if (low == 0)
        return;
    fine = part_ways(body, LLVMBuildAnd(b, address, jit_i64(body->unit, low), ""));
    report(body, LLVMBuildShl(b, jit_i32(body->unit, 1), lane, ""), address, bytes, line);
    jit_build_at(body, fine);
}

/* Checks a vector of addresses. The report gets the mask of misaligned lanes and the address of the
 * first of them. */
static void check_vector(struct jit_body *body, LLVMValueRef addresses, unsigned bytes,
                         uint32_t line)
{
    LLVMBuilderRef b = body->builder;
    LLVMValueRef low = jit_build_splat(body, jit_i64(body->unit, misaligned_bits(bytes)));
    LLVMValueRef off = LLVMBuildAnd(b, addresses, low, ""), first[2];
    LLVMBasicBlockRef fine;

    off = LLVMBuildICmp(b, LLVMIntNE, off, LLVMConstNull(LLVMTypeOf(off)), "");
    off = jit_build_bits(body, off);
    fine = part_ways(body, off);
    first[0] = off;
    first[1] = LLVMConstInt(body->unit->i1, 1, false);
    first[0] = jit_build_call(body, "llvm.cttz", body->unit->i32, first, 2);
    report(body, off, LLVMBuildExtractElement(b, addresses, first[0], ""), bytes, line);
    jit_build_at(body, fine);
}

void jit_alignment_check(struct jit_body *body, struct jit_value address, unsigned bytes,
                         uint32_t line)
{
    LLVMBuilderRef b = body->builder;
    uint64_t low = misaligned_bits(bytes);
    LLVMBasicBlockRef fine;

    if (low == 0)
        return;
    if (!jit_alignment_is_common(address, bytes)) {
        check_vector(body, jit_value_vector(body, address), bytes, line);
        return;
    }
    fine = part_ways(body, LLVMBuildAnd(b, address.value, jit_i64(body->unit, low), ""));
    report(body, jit_mask_bits(body), address.value, bytes, line);
    jit_build_at(body, fine);
}

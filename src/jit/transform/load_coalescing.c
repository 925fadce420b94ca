/* SPDX-License-Identifier: MIT */
/* Whether the lanes of the quads are consecutive is computed once for all loads of a node at
 * constant distances from one register. */
#include "jit/transform/load_coalescing.h"

#include "jit/emit/emitter.h"
#include "jit/emit/fake_uses.h"
#include "jit/emit/immediates.h"
#include "jit/emit/ir.h"
#include "jit/emit/lanes.h"
#include "jit/emit/registers.h"

enum { LANES = 32, EACH = LANES / JIT_QUADS };

/* Only programs that multiply matrices have such accesses. */
void jit_coalescing_init(struct jit_emitter *e)
{
    if (e->function->has_matrices)
        e->coalescing =
            jit_emitter_zeros(e, e->function->cfg.register_count, sizeof(*e->coalescing));
}

/* Whether the lanes of each quad of `addresses` are `bytes` apart: lane i is at the first plus i
 * times as much, or, crossed, at the first with the bits of that inverted. */
static LLVMValueRef are_consecutive(struct jit_emitter *e, LLVMValueRef addresses, unsigned bytes,
                                    bool crossed)
{
    LLVMBuilderRef b = e->builder;
    LLVMValueRef first[LANES], steps[LANES], wanted;

    for (unsigned lane = 0; lane < LANES; lane++) {
        first[lane] = jit_i32(e->unit, lane / EACH * EACH);
        steps[lane] = jit_i64(e->unit, (uint64_t)(lane % EACH) * bytes);
    }
    wanted = LLVMBuildShuffleVector(b, addresses, LLVMGetPoison(LLVMTypeOf(addresses)),
                                    LLVMConstVector(first, LANES), "");
    wanted = crossed ? LLVMBuildXor(b, wanted, LLVMConstVector(steps, LANES), "")
                     : LLVMBuildAdd(b, wanted, LLVMConstVector(steps, LANES), "");
    return LLVMBuildICmp(b, LLVMIntEQ,
                         jit_build_bits(e, LLVMBuildICmp(b, LLVMIntEQ, addresses, wanted, "")),
                         jit_i32(e->unit, UINT32_MAX), "");
}

/* What is known of the register that the operand is an offset from; NULL: it is none, or the load
 * cannot be coalesced. */
static const struct jit_coalescing *coalescing_of(struct jit_emitter *e,
                                                  const struct ptx_instruction *i,
                                                  const struct jit_access *access)
{
    const struct ptx_operand *operand = &i->src[0];
    struct jit_coalescing *coalescing;
    LLVMValueRef addresses;

    if (!e->coalescing || e->unit->outlines || jit_emitter_is_masked(e) || e->width != LANES ||
        access->strong || access->checked || !access->address.vector ||
        access->bytes * access->count > 16 || operand->kind != PTX_OPERAND_ADDRESS ||
        operand->base != PTX_BASE_REGISTER ||
        (i->space != PTX_GLOBAL && i->space != PTX_SPACE_NONE) ||
        ptx_type_bits(e->function->ptx->registers[operand->index].type) != 64)
        return NULL;
    coalescing = &e->coalescing[operand->index];
    if (coalescing->serial == e->serial && coalescing->bytes == access->bytes * access->count)
        return coalescing;
    coalescing->serial = e->serial;
    coalescing->bytes = access->bytes * access->count;
    addresses = jit_value_vector(e, jit_register_read(e, operand->index));
    coalescing->consecutive = are_consecutive(e, addresses, coalescing->bytes, false);
    for (unsigned q = 0; q < JIT_QUADS; q++)
        coalescing->starts[q] =
            LLVMBuildExtractElement(e->builder, addresses, jit_i32(e->unit, q * EACH), "");
    return coalescing;
}

static LLVMValueRef concatenated(struct jit_emitter *e, LLVMValueRef a, LLVMValueRef b)
{
    unsigned count = 2 * LLVMGetVectorSize(LLVMTypeOf(a));
    LLVMValueRef indices[8 * LANES];

    for (unsigned k = 0; k < count; k++)
        indices[k] = jit_i32(e->unit, k);
    return LLVMBuildShuffleVector(e->builder, a, b, LLVMConstVector(indices, count), "");
}

/* Rows of a matrix are read a piece after the other, often by as many loads as it has rows, which
 * hardware prefetchers do not follow: fetches the next piece of a row. Eight lanes of 16 bytes are
 * a piece. */
static void prefetch(struct jit_emitter *e, const struct jit_access *access, LLVMValueRef address)
{
    enum { LANE_BYTES = 16, PIECE_BYTES = 128 };
    LLVMValueRef next = LLVMBuildAdd(e->builder, address, jit_i64(e->unit, PIECE_BYTES), "");
    LLVMValueRef arguments[] = {LLVMBuildIntToPtr(e->builder, next, e->unit->ptr, ""),
                                jit_i32(e->unit, 0), jit_i32(e->unit, 2), jit_i32(e->unit, 1)};

    if (access->bytes * access->count == LANE_BYTES &&
        e->function->cfg.nodes[e->node].component != JIT_NO_BLOCK)
        jit_build_call(e, "llvm.prefetch", e->unit->ptr, arguments, 4);
}

/* What lane 0, lane 1 and so on load, one behind the other. */
static LLVMValueRef load(struct jit_emitter *e, const struct ptx_operand *operand,
                         const struct jit_coalescing *coalescing, const struct jit_access *access)
{
    LLVMTypeRef type = LLVMVectorType(access->element, EACH * access->count);
    LLVMValueRef offset = jit_immediate_of(e, operand, e->unit->i64), all[JIT_QUADS];

    for (unsigned q = 0; q < JIT_QUADS; q++) {
        LLVMValueRef address = LLVMBuildAdd(e->builder, coalescing->starts[q], offset, "");

        all[q] = LLVMBuildLoad2(e->builder, type,
                                LLVMBuildIntToPtr(e->builder, address, e->unit->ptr, ""), "");
        LLVMSetAlignment(all[q], 1);
        if (access->invariant)
            LLVMSetMetadata(all[q], e->unit->invariant_kind, e->unit->invariant);
        if (access->demanded)
            jit_fake_use_add(e, all[q]);
        prefetch(e, access, address);
    }
    for (unsigned count = JIT_QUADS; count > 1; count /= 2)
        for (unsigned q = 0; q < count; q += 2)
            all[q / 2] = concatenated(e, all[q], all[q + 1]);
    return all[0];
}

void jit_coalesced_gather(struct jit_emitter *e, const struct ptx_instruction *i,
                          struct jit_access *access, LLVMValueRef *values)
{
    const struct jit_coalescing *coalescing = coalescing_of(e, i, access);
    LLVMBasicBlockRef by_quad, each, after, from[2];
    LLVMValueRef both[2];

    if (!coalescing) {
        jit_emit_gather(e, access, values);
        return;
    }
    by_quad = jit_build_block(e, "load.quads");
    each = jit_build_block(e, "load.each");
    LLVMBuildCondBr(e->builder, coalescing->consecutive, by_quad, each);
    jit_build_at(e, by_quad);
    both[0] = load(e, &i->src[0], coalescing, access);
    if (!jit_lanes_are_whole(e, access)) {
        for (unsigned part = 0; part < access->count; part++)
            values[part] = jit_parts_take(e, both[0], part, access->count);
        jit_emit_gather_otherwise(e, access, each, values);
        return;
    }
    after = jit_build_block(e, "load.end");
    from[0] = jit_build_here(e);
    LLVMBuildBr(e->builder, after);
    jit_build_at(e, each);
    both[1] = jit_emit_whole_gather(e, access);
    from[1] = jit_build_here(e);
    LLVMBuildBr(e->builder, after);
    jit_build_at(e, after);
    access->all = LLVMBuildPhi(e->builder, LLVMTypeOf(both[0]), "");
    LLVMAddIncoming(access->all, both, from, 2);
    for (unsigned part = 0; part < access->count; part++)
        values[part] = jit_parts_take(e, access->all, part, access->count);
}

/* Stores each quad from the address of its first lane on. */
static void store_crossed(struct jit_emitter *e, const struct jit_access *access, LLVMValueRef all)
{
    unsigned count = access->count, bytes = access->bytes * count;

    for (unsigned lane = 0; lane < LANES; lane++) {
        LLVMValueRef parts[LANES], address, value;

        address = LLVMBuildExtractElement(e->builder, access->address.value,
                                          jit_i32(e->unit, lane / EACH * EACH), "");
        address = LLVMBuildXor(e->builder, address,
                               jit_i64(e->unit, (uint64_t)(lane % EACH) * bytes), "");
        for (unsigned part = 0; part < count; part++)
            parts[part] = jit_i32(e->unit, lane * count + part);
        value = LLVMBuildShuffleVector(e->builder, all, LLVMGetPoison(LLVMTypeOf(all)),
                                       LLVMConstVector(parts, count), "");
        LLVMSetAlignment(LLVMBuildStore(e->builder, value,
                                        LLVMBuildIntToPtr(e->builder, address, e->unit->ptr, "")),
                         1);
    }
}

void jit_coalesced_scatter(struct jit_emitter *e, const struct jit_access *access,
                           const LLVMValueRef *values)
{
    LLVMBasicBlockRef by_quad, each, after;
    LLVMValueRef crossed;

    if (!e->coalescing || jit_emitter_is_masked(e) || e->width != LANES || access->checked ||
        access->each || !access->all || !access->address.vector ||
        !jit_lanes_are_whole(e, access) || access->bytes * access->count != 16) {
        jit_emit_scatter(e, access, values);
        return;
    }
    by_quad = jit_build_block(e, "store.quads");
    each = jit_build_block(e, "store.each");
    after = jit_build_block(e, "store.end");
    crossed = are_consecutive(e, access->address.value, access->bytes * access->count, true);
    LLVMBuildCondBr(e->builder, crossed, by_quad, each);
    jit_build_at(e, by_quad);
    store_crossed(e, access, access->all);
    LLVMBuildBr(e->builder, after);
    jit_build_at(e, each);
    jit_emit_scatter(e, access, values);
    LLVMBuildBr(e->builder, after);
    jit_build_at(e, after);
}

/* SPDX-License-Identifier: MIT */
/* Registers. A register is an alloca of a scalar or a vector, depending on its uniformity; LLVM
 * promotes them to values. Predicates are kept as bytes: LLVM splits vectors of i1 that are live
 * across blocks into single bits on many processors. */
#include "jit/emit/registers.h"

#include "jit/analysis/uniformity.h"
#include "jit/debuginfo/dwarf.h"
#include "jit/emit/alignment.h"
#include "jit/emit/chunks.h"
#include "jit/emit/emitter.h"
#include "jit/emit/ir.h"
#include "jit/emit/mask.h"
#include "jit/emit/matrix_tiles.h"
#include "jit/transform/load_store_forwarding.h"
#include "jit/variants/barrier_regions.h"

#include <llvm-c/Target.h>
#include <string.h>

void jit_registers_init(struct jit_emitter *e)
{
    uint32_t count = e->function->cfg.register_count;

    e->registers = jit_emitter_zeros(e, 1, sizeof(*e->registers));
    for (unsigned s = 0; s < 2; s++)
        e->registers->allocas[s] = jit_emitter_zeros(e, count, sizeof(LLVMValueRef));
    e->registers->set = jit_emitter_zeros(e, e->function->cfg.words, sizeof(uint64_t));
    e->chunks = jit_emitter_zeros(e, 1, sizeof(*e->chunks));
    e->chunks->enabled = e->unit->width == 32;
    e->chunks->cache = jit_emitter_zeros(e, count, sizeof(LLVMValueRef));
    e->chunks->dirty = jit_emitter_zeros(e, count, sizeof(bool));
}

uint8_t jit_register_type(const struct jit_emitter *e, uint32_t reg)
{
    return reg == e->function->cfg.carry ? PTX_PRED : e->function->ptx->registers[reg].type;
}

static LLVMTypeRef stored_type(struct jit_emitter *e, uint32_t reg, bool divergent)
{
    LLVMTypeRef type = jit_type_of(e->unit, jit_register_type(e, reg));

    if (e->function->uniformity[divergent][reg].kind != JIT_VARYING)
        return type;
    return LLVMVectorType(type == e->unit->i1 ? e->unit->i8 : type, e->unit->width);
}

/* The register's memory, allocated at its first use: most declared registers are never used. */
static LLVMValueRef slot_of(struct jit_emitter *e, uint32_t reg, bool divergent)
{
    if (divergent && e->regions->frame.divergent_offsets &&
        e->regions->frame.divergent_offsets[reg])
        return jit_build_offset(e, e->regions->frame.base,
                                jit_i64(e->unit, e->regions->frame.divergent_offsets[reg]));
    if (!e->registers->allocas[divergent][reg]) {
        e->registers->allocas[divergent][reg] = jit_build_alloca(
            e, stored_type(e, reg, divergent), 1,
            reg == e->function->cfg.carry ? "carry" : e->function->ptx->registers[reg].name);
        jit_debug_register(e, reg, jit_register_type(e, reg),
                           e->registers->allocas[divergent][reg]);
    }
    return e->registers->allocas[divergent][reg];
}

LLVMValueRef jit_register_place(struct jit_emitter *e, uint32_t reg)
{
    return slot_of(e, reg, true);
}

static bool has(const uint64_t *set, uint32_t bit)
{
    return set && set[bit / 64] >> (bit % 64) & 1;
}

/* Loads and stores the whole register, in the form in which it is stored. */
static LLVMValueRef load(struct jit_emitter *e, uint32_t reg, bool divergent)
{
    if (!divergent && jit_tiles_have(e, reg))
        return jit_tiles_read(e, reg, jit_type_of(e->unit, jit_register_type(e, reg)));
    return LLVMBuildLoad2(e->builder, stored_type(e, reg, divergent), slot_of(e, reg, divergent),
                          "");
}

static void store(struct jit_emitter *e, uint32_t reg, bool divergent, LLVMValueRef value)
{
    if (!divergent && jit_tiles_have(e, reg))
        jit_tiles_write(e, reg, value);
    else
        LLVMBuildStore(e->builder, value, slot_of(e, reg, divergent));
}

/* Clears the registers that are live where nodes begin, so that no value of the previous vector is
 * read. Of registers in memory, only those that are read before they are written need it. */
void jit_registers_clear(struct jit_emitter *e, bool divergent, const uint64_t *except)
{
    const uint64_t *wanted = divergent && e->chunks->enabled ? e->function->cfg.nodes[0].live_in
                                                             : e->function->cfg.live_anywhere;

    for (uint32_t reg = 0; reg < e->function->cfg.register_count; reg++)
        if (has(wanted, reg) && !has(except, reg))
            store(e, reg, divergent, LLVMConstNull(stored_type(e, reg, divergent)));
}

LLVMTypeRef jit_register_element(struct jit_emitter *e, uint32_t reg)
{
    LLVMTypeRef type = jit_type_of(e->unit, jit_register_type(e, reg));

    return type == e->unit->i1 ? e->unit->i8 : type;
}

bool jit_register_is_array(const struct jit_emitter *e, uint32_t reg)
{
    return e->chunks->enabled && e->divergent &&
           e->function->uniformity[1][reg].kind == JIT_VARYING;
}

LLVMValueRef jit_register_lane(struct jit_emitter *e, uint32_t reg, LLVMValueRef lane)
{
    LLVMValueRef index = LLVMBuildZExt(e->builder, lane, e->unit->i64, "");

    return LLVMBuildGEP2(e->builder, jit_register_element(e, reg), slot_of(e, reg, true), &index, 1,
                         "");
}

void jit_chunks_begin(struct jit_emitter *e)
{
    struct jit_unit *unit = e->unit;
    LLVMBasicBlockRef before = jit_build_here(e);
    LLVMValueRef zero = jit_i32(unit, 0);

    e->chunks->head = jit_build_block(e, "chunk");
    LLVMBuildBr(e->builder, e->chunks->head);
    jit_build_at(e, e->chunks->head);
    e->chunks->first = LLVMBuildPhi(e->builder, unit->i32, "chunk");
    LLVMAddIncoming(e->chunks->first, &zero, &before, 1);
    e->width = unit->natural;
    memset(e->chunks->cache, 0, e->function->cfg.register_count * sizeof(*e->chunks->cache));
    memset(e->chunks->dirty, 0, e->function->cfg.register_count * sizeof(*e->chunks->dirty));
}

static void store_chunk(struct jit_emitter *e, uint32_t reg)
{
    LLVMValueRef value = e->chunks->cache[reg];
    LLVMTypeRef element = jit_register_element(e, reg);

    if (LLVMGetElementType(LLVMTypeOf(value)) == e->unit->i1)
        value = LLVMBuildSExt(e->builder, value, jit_vector_type(e, element), "");
    LLVMBuildStore(e->builder, value, jit_register_lane(e, reg, e->chunks->first));
}

/* The first lane of the next chunk; 0 after the last one. LLVM would reduce the strength of what is
 * computed from a counter that only grows, for loops of two rounds, thousands of which are in a
 * large kernel. It leaves one alone that wraps. */
static LLVMValueRef next_chunk(struct jit_emitter *e)
{
    LLVMValueRef first = e->chunks->first, step = jit_i32(e->unit, e->unit->natural);

    if (e->unit->width == 2 * e->unit->natural)
        return LLVMBuildXor(e->builder, first, step, "");
    return LLVMBuildAnd(e->builder, LLVMBuildAdd(e->builder, first, step, ""),
                        jit_i32(e->unit, e->unit->width - 1), "");
}

/* live: the registers that are live after the run; NULL: all. */
void jit_chunks_end(struct jit_emitter *e, const uint64_t *live)
{
    struct jit_unit *unit = e->unit;
    LLVMBasicBlockRef after, here;
    LLVMValueRef next;

    for (uint32_t reg = 0; reg < e->function->cfg.register_count; reg++)
        if (e->chunks->dirty[reg] && (!live || live[reg / 64] >> (reg % 64) & 1))
            store_chunk(e, reg);
    next = next_chunk(e);
    here = jit_build_here(e);
    LLVMAddIncoming(e->chunks->first, &next, &here, 1);
    after = jit_build_block(e, "chunk.end");
    LLVMBuildCondBr(e->builder, LLVMBuildICmp(e->builder, LLVMIntEQ, next, jit_i32(unit, 0), ""),
                    after, e->chunks->head);
    jit_build_at(e, after);
    e->chunks->first = NULL;
    e->width = unit->width;
}

static struct jit_value read_from(struct jit_emitter *e, uint32_t reg, bool divergent)
{
    const struct jit_uniformity *uniformity = &e->function->uniformity[divergent][reg];
    LLVMValueRef value;
    bool by_chunk = divergent && e->chunks->first && uniformity->kind == JIT_VARYING;

    if (by_chunk && e->chunks->cache[reg])
        return jit_vector(e->chunks->cache[reg]);
    if (by_chunk)
        value = LLVMBuildLoad2(e->builder, jit_vector_type(e, jit_register_element(e, reg)),
                               jit_register_lane(e, reg, e->chunks->first), "");
    else
        value = load(e, reg, divergent);
    if (uniformity->kind != JIT_VARYING)
        return (struct jit_value){value, uniformity->stride, false, uniformity->jump};
    if (jit_register_type(e, reg) == PTX_PRED)
        value = LLVMBuildICmp(e->builder, LLVMIntSLT, value, LLVMConstNull(LLVMTypeOf(value)), "");
    if (by_chunk)
        e->chunks->cache[reg] = value;
    return jit_vector(value);
}

struct jit_value jit_register_read(struct jit_emitter *e, uint32_t reg)
{
    return read_from(e, reg, e->divergent);
}

static void write_to(struct jit_emitter *e, uint32_t reg, bool divergent, struct jit_value value)
{
    LLVMValueRef stored;

    if (e->function->uniformity[divergent][reg].kind != JIT_VARYING) {
        stored = value.value;
        if (value.vector)
            stored = LLVMBuildExtractElement(e->builder, stored, jit_i32(e->unit, 0), "");
    } else {
        stored = jit_value_vector(e, value);
        if (divergent && e->chunks->first) {
            e->chunks->cache[reg] = stored;
            e->chunks->dirty[reg] = true;
            return;
        }
        if (jit_register_type(e, reg) == PTX_PRED)
            stored = LLVMBuildSExt(e->builder, stored, stored_type(e, reg, divergent), "");
    }
    store(e, reg, divergent, stored);
}

void jit_register_write(struct jit_emitter *e, uint32_t reg, struct jit_value value)
{
    LLVMValueRef keep = NULL;

    if (e->width == 1)
        value = jit_scalar(jit_value_first(e, value), 0);
    jit_alignment_forget(e, reg);
    jit_forwarding_forget(e, reg);
    if (e->function->uniformity[e->divergent][reg].kind != JIT_VARYING) {
        if (e->guard.value) {
            struct jit_value old = read_from(e, reg, e->divergent);

            value.value = LLVMBuildSelect(e->builder, e->guard.value, value.value, old.value, "");
        }
        write_to(e, reg, e->divergent, value);
        return;
    }
    if (jit_register_is_array(e, reg) && !e->chunks->first && !value.vector) {
        jit_chunks_begin(e);
        jit_register_write(e, reg, value);
        jit_chunks_end(e, NULL);
        return;
    }
    if (jit_emitter_is_masked(e) &&
        (e->guard.value || e->outlined || jit_dataflow_must_blend(&e->function->cfg, e->node, reg)))
        keep = jit_mask_lanes(e);
    if (e->guard.value) {
        LLVMValueRef guard = e->guard.value;

        if (keep) {
            guard = jit_value_vector(e, e->guard);
            keep = LLVMBuildAnd(e->builder, keep, guard, "");
        } else {
            keep = guard;
        }
    }
    if (keep) {
        LLVMValueRef old = read_from(e, reg, e->divergent).value;

        value = jit_vector(LLVMBuildSelect(e->builder, keep, jit_value_vector(e, value), old, ""));
    }
    write_to(e, reg, e->divergent, value);
}

void jit_registers_transfer(struct jit_emitter *e, uint32_t node, uint32_t at, uint32_t others)
{
    uint64_t *live = e->registers->set;

    jit_dataflow_live_at(&e->function->cfg, node, at, live);
    for (uint32_t word = 0; others != JIT_NO_BLOCK && word < e->function->cfg.words; word++)
        live[word] |= e->function->cfg.nodes[others].live_in[word];
    if (!e->chunks->enabled)
        jit_registers_clear(e, true, live);
    for (uint32_t reg = 0; reg < e->function->cfg.register_count; reg++)
        if (has(live, reg))
            write_to(e, reg, true, read_from(e, reg, false));
}

uint32_t jit_register_bytes(struct jit_emitter *e, uint32_t reg, bool divergent)
{
    return (uint32_t)LLVMABISizeOfType(LLVMGetModuleDataLayout(e->unit->module),
                                       stored_type(e, reg, divergent));
}

void jit_register_spill(struct jit_emitter *e, uint32_t reg, LLVMValueRef slot)
{
    LLVMBuildStore(e->builder, load(e, reg, false), slot);
}

void jit_register_fill(struct jit_emitter *e, uint32_t reg, LLVMValueRef slot)
{
    store(e, reg, false, LLVMBuildLoad2(e->builder, stored_type(e, reg, false), slot, ""));
}

/* Whether the bits of any lane differ. */
static LLVMValueRef differ(struct jit_emitter *e, LLVMValueRef a, LLVMValueRef b)
{
    LLVMTypeRef element = LLVMGetElementType(LLVMTypeOf(a)), bits;

    if (element == e->unit->f32 || element == e->unit->f64) {
        bits = jit_vector_type(e, element == e->unit->f32 ? e->unit->i32 : e->unit->i64);
        a = LLVMBuildBitCast(e->builder, a, bits, "");
        b = LLVMBuildBitCast(e->builder, b, bits, "");
    } else if (element == e->unit->i1) {
        bits = jit_vector_type(e, e->unit->i8);
        a = LLVMBuildSExt(e->builder, a, bits, "");
        b = LLVMBuildSExt(e->builder, b, bits, "");
    }
    a = LLVMBuildXor(e->builder, a, b, "");
    a = jit_build_call(e, "llvm.vector.reduce.or", LLVMTypeOf(a), &a, 1);
    return LLVMBuildICmp(e->builder, LLVMIntNE, a, LLVMConstNull(LLVMTypeOf(a)), "");
}

LLVMValueRef jit_register_move_to_uniform(struct jit_emitter *e, uint32_t reg, LLVMValueRef slot)
{
    const struct jit_uniformity *uniformity = &e->function->uniformity[0][reg];
    LLVMValueRef all = jit_value_vector(e, read_from(e, reg, true));
    LLVMValueRef first = LLVMBuildExtractElement(e->builder, all, jit_i32(e->unit, 0), "");
    struct jit_value one = {first, uniformity->stride, false, uniformity->jump};

    LLVMBuildStore(e->builder, first, slot);
    return differ(e, all, jit_value_vector(e, one));
}

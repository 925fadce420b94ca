/* SPDX-License-Identifier: MIT */
/* Registers. A register is an alloca of a scalar or a vector, depending on its uniformity; LLVM
 * promotes them to values. Predicates are kept as bytes: LLVM splits vectors of i1 that are live
 * across blocks into single bits on many processors. */
#include "jit/emit/registers.h"

#include "jit/emit/alignment.h"
#include "jit/emit/body.h"
#include "jit/emit/ir.h"
#include "jit/debuginfo/dwarf.h"
#include "jit/emit/mask.h"
#include "jit/transform/load_store_forwarding.h"
#include "jit/emit/matrix_tiles.h"

#include <llvm-c/Target.h>
#include <string.h>

uint8_t jit_register_type(const struct jit_body *body, uint32_t reg)
{
    return reg == body->cfg.carry ? PTX_PRED : body->function->registers[reg].type;
}

static LLVMTypeRef stored_type(struct jit_body *body, uint32_t reg, bool divergent)
{
    LLVMTypeRef type = jit_type_of(body->unit, jit_register_type(body, reg));

    if (body->registers.uniformity[divergent][reg].kind != JIT_VARYING)
        return type;
    return LLVMVectorType(type == body->unit->i1 ? body->unit->i8 : type, body->unit->width);
}

/* The register's memory, allocated at its first use: most declared registers are never used. */
static LLVMValueRef slot_of(struct jit_body *body, uint32_t reg, bool divergent)
{
    if (divergent && body->frame.divergent_offsets && body->frame.divergent_offsets[reg])
        return jit_build_offset(body, body->frame.base,
                                jit_i64(body->unit, body->frame.divergent_offsets[reg]));
    if (!body->registers.allocas[divergent][reg]) {
        body->registers.allocas[divergent][reg] = jit_build_alloca(
            body, stored_type(body, reg, divergent), 1,
            reg == body->cfg.carry ? "carry" : body->function->registers[reg].name);
        jit_debug_register(body, reg, jit_register_type(body, reg),
                           body->registers.allocas[divergent][reg]);
    }
    return body->registers.allocas[divergent][reg];
}

LLVMValueRef jit_register_place(struct jit_body *body, uint32_t reg)
{
    return slot_of(body, reg, true);
}

static bool has(const uint64_t *set, uint32_t bit)
{
    return set && set[bit / 64] >> (bit % 64) & 1;
}

/* Loads and stores the whole register, in the form in which it is stored. */
static LLVMValueRef load(struct jit_body *body, uint32_t reg, bool divergent)
{
    if (!divergent && jit_tiles_have(body, reg))
        return jit_tiles_read(body, reg, jit_type_of(body->unit, jit_register_type(body, reg)));
    return LLVMBuildLoad2(body->builder, stored_type(body, reg, divergent),
                          slot_of(body, reg, divergent), "");
}

static void store(struct jit_body *body, uint32_t reg, bool divergent, LLVMValueRef value)
{
    if (!divergent && jit_tiles_have(body, reg))
        jit_tiles_write(body, reg, value);
    else
        LLVMBuildStore(body->builder, value, slot_of(body, reg, divergent));
}

/* Clears the registers that are live where nodes begin, so that no value of the previous vector is
 * read. Of registers in memory, only those that are read before they are written need it. */
void jit_registers_clear(struct jit_body *body, bool divergent, const uint64_t *except)
{
    const uint64_t *wanted =
        divergent && body->chunks.enabled ? body->cfg.nodes[0].live_in : body->cfg.live_anywhere;

    for (uint32_t reg = 0; reg < body->cfg.register_count; reg++)
        if (has(wanted, reg) && !has(except, reg))
            store(body, reg, divergent, LLVMConstNull(stored_type(body, reg, divergent)));
}

LLVMTypeRef jit_register_element(struct jit_body *body, uint32_t reg)
{
    LLVMTypeRef type = jit_type_of(body->unit, jit_register_type(body, reg));

    return type == body->unit->i1 ? body->unit->i8 : type;
}

bool jit_register_is_array(const struct jit_body *body, uint32_t reg)
{
    return body->chunks.enabled && body->divergent &&
           body->registers.uniformity[1][reg].kind == JIT_VARYING;
}

LLVMValueRef jit_register_lane(struct jit_body *body, uint32_t reg, LLVMValueRef lane)
{
    LLVMValueRef index = LLVMBuildZExt(body->builder, lane, body->unit->i64, "");

    return LLVMBuildGEP2(body->builder, jit_register_element(body, reg), slot_of(body, reg, true),
                         &index, 1, "");
}

void jit_chunks_begin(struct jit_body *body)
{
    struct jit_unit *unit = body->unit;
    LLVMBasicBlockRef before = jit_build_here(body);
    LLVMValueRef zero = jit_i32(unit, 0);

    body->chunks.head = jit_build_block(body, "chunk");
    LLVMBuildBr(body->builder, body->chunks.head);
    jit_build_at(body, body->chunks.head);
    body->chunks.first = LLVMBuildPhi(body->builder, unit->i32, "chunk");
    LLVMAddIncoming(body->chunks.first, &zero, &before, 1);
    body->width = unit->natural;
    memset(body->chunks.cache, 0, body->cfg.register_count * sizeof(*body->chunks.cache));
    memset(body->chunks.dirty, 0, body->cfg.register_count * sizeof(*body->chunks.dirty));
}

static void store_chunk(struct jit_body *body, uint32_t reg)
{
    LLVMValueRef value = body->chunks.cache[reg];
    LLVMTypeRef element = jit_register_element(body, reg);

    if (LLVMGetElementType(LLVMTypeOf(value)) == body->unit->i1)
        value = LLVMBuildSExt(body->builder, value, jit_vector_type(body, element), "");
    LLVMBuildStore(body->builder, value, jit_register_lane(body, reg, body->chunks.first));
}

/* live: the registers that are live after the run; NULL: all. */
void jit_chunks_end(struct jit_body *body, const uint64_t *live)
{
    struct jit_unit *unit = body->unit;
    LLVMBasicBlockRef after, here;
    LLVMValueRef next;

    for (uint32_t reg = 0; reg < body->cfg.register_count; reg++)
        if (body->chunks.dirty[reg] && (!live || live[reg / 64] >> (reg % 64) & 1))
            store_chunk(body, reg);
    next = LLVMBuildAdd(body->builder, body->chunks.first, jit_i32(unit, unit->natural), "");
    here = jit_build_here(body);
    LLVMAddIncoming(body->chunks.first, &next, &here, 1);
    after = jit_build_block(body, "chunk.end");
    LLVMBuildCondBr(body->builder,
                    LLVMBuildICmp(body->builder, LLVMIntULT, next, jit_i32(unit, unit->width), ""),
                    body->chunks.head, after);
    jit_build_at(body, after);
    body->chunks.first = NULL;
    body->width = unit->width;
}

static struct jit_value read_from(struct jit_body *body, uint32_t reg, bool divergent)
{
    const struct jit_uniformity *uniformity = &body->registers.uniformity[divergent][reg];
    LLVMValueRef value;
    bool by_chunk = divergent && body->chunks.first && uniformity->kind == JIT_VARYING;

    if (by_chunk && body->chunks.cache[reg])
        return jit_vector(body->chunks.cache[reg]);
    if (by_chunk)
        value =
            LLVMBuildLoad2(body->builder, jit_vector_type(body, jit_register_element(body, reg)),
                           jit_register_lane(body, reg, body->chunks.first), "");
    else
        value = load(body, reg, divergent);
    if (uniformity->kind != JIT_VARYING)
        return (struct jit_value){value, uniformity->stride, false, uniformity->jump};
    if (jit_register_type(body, reg) == PTX_PRED)
        value =
            LLVMBuildICmp(body->builder, LLVMIntSLT, value, LLVMConstNull(LLVMTypeOf(value)), "");
    if (by_chunk)
        body->chunks.cache[reg] = value;
    return jit_vector(value);
}

struct jit_value jit_register_read(struct jit_body *body, uint32_t reg)
{
    return read_from(body, reg, body->divergent);
}

static void write_to(struct jit_body *body, uint32_t reg, bool divergent, struct jit_value value)
{
    LLVMValueRef stored;

    if (body->registers.uniformity[divergent][reg].kind != JIT_VARYING) {
        stored = value.value;
        if (value.vector)
            stored = LLVMBuildExtractElement(body->builder, stored, jit_i32(body->unit, 0), "");
    } else {
        stored = jit_value_vector(body, value);
        if (divergent && body->chunks.first) {
            body->chunks.cache[reg] = stored;
            body->chunks.dirty[reg] = true;
            return;
        }
        if (jit_register_type(body, reg) == PTX_PRED)
            stored = LLVMBuildSExt(body->builder, stored, stored_type(body, reg, divergent), "");
    }
    store(body, reg, divergent, stored);
}

void jit_register_write(struct jit_body *body, uint32_t reg, struct jit_value value)
{
    LLVMValueRef keep = NULL;

    jit_alignment_forget(body, reg);
    jit_forwarding_forget(body, reg);
    if (body->registers.uniformity[body->divergent][reg].kind != JIT_VARYING) {
        if (body->guard.value) {
            struct jit_value old = read_from(body, reg, body->divergent);

            value.value =
                LLVMBuildSelect(body->builder, body->guard.value, value.value, old.value, "");
        }
        write_to(body, reg, body->divergent, value);
        return;
    }
    if (jit_register_is_array(body, reg) && !body->chunks.first && !value.vector) {
        jit_chunks_begin(body);
        jit_register_write(body, reg, value);
        jit_chunks_end(body, NULL);
        return;
    }
    if (jit_body_is_masked(body) && (body->guard.value || body->outlined.line ||
                                     jit_dataflow_must_blend(&body->cfg, body->node, reg)))
        keep = jit_mask_lanes(body);
    if (body->guard.value) {
        LLVMValueRef guard = body->guard.value;

        if (keep) {
            guard = jit_value_vector(body, body->guard);
            keep = LLVMBuildAnd(body->builder, keep, guard, "");
        } else {
            keep = guard;
        }
    }
    if (keep) {
        LLVMValueRef old = read_from(body, reg, body->divergent).value;

        value = jit_vector(
            LLVMBuildSelect(body->builder, keep, jit_value_vector(body, value), old, ""));
    }
    write_to(body, reg, body->divergent, value);
}

void jit_registers_transfer(struct jit_body *body, uint32_t node, uint32_t at, uint32_t others)
{
    uint64_t *live = body->registers.set;

    jit_dataflow_live_at(&body->cfg, node, at, live);
    for (uint32_t word = 0; others != JIT_NO_BLOCK && word < body->cfg.words; word++)
        live[word] |= body->cfg.nodes[others].live_in[word];
    if (!body->chunks.enabled)
        jit_registers_clear(body, true, live);
    for (uint32_t reg = 0; reg < body->cfg.register_count; reg++)
        if (has(live, reg))
            write_to(body, reg, true, read_from(body, reg, false));
}

uint32_t jit_register_bytes(struct jit_body *body, uint32_t reg, bool divergent)
{
    return (uint32_t)LLVMABISizeOfType(LLVMGetModuleDataLayout(body->unit->module),
                                       stored_type(body, reg, divergent));
}

void jit_register_spill(struct jit_body *body, uint32_t reg, LLVMValueRef slot)
{
    LLVMBuildStore(body->builder, load(body, reg, false), slot);
}

void jit_register_fill(struct jit_body *body, uint32_t reg, LLVMValueRef slot)
{
    store(body, reg, false, LLVMBuildLoad2(body->builder, stored_type(body, reg, false), slot, ""));
}

/* Whether the bits of any lane differ. */
static LLVMValueRef differ(struct jit_body *body, LLVMValueRef a, LLVMValueRef b)
{
    LLVMTypeRef element = LLVMGetElementType(LLVMTypeOf(a)), bits;

    if (element == body->unit->f32 || element == body->unit->f64) {
        bits =
            jit_vector_type(body, element == body->unit->f32 ? body->unit->i32 : body->unit->i64);
        a = LLVMBuildBitCast(body->builder, a, bits, "");
        b = LLVMBuildBitCast(body->builder, b, bits, "");
    } else if (element == body->unit->i1) {
        bits = jit_vector_type(body, body->unit->i8);
        a = LLVMBuildSExt(body->builder, a, bits, "");
        b = LLVMBuildSExt(body->builder, b, bits, "");
    }
    a = LLVMBuildXor(body->builder, a, b, "");
    a = jit_build_call(body, "llvm.vector.reduce.or", LLVMTypeOf(a), &a, 1);
    return LLVMBuildICmp(body->builder, LLVMIntNE, a, LLVMConstNull(LLVMTypeOf(a)), "");
}

LLVMValueRef jit_register_move_to_uniform(struct jit_body *body, uint32_t reg, LLVMValueRef slot)
{
    const struct jit_uniformity *uniformity = &body->registers.uniformity[0][reg];
    LLVMValueRef all = jit_value_vector(body, read_from(body, reg, true));
    LLVMValueRef first = LLVMBuildExtractElement(body->builder, all, jit_i32(body->unit, 0), "");
    struct jit_value one = {first, uniformity->stride, false, uniformity->jump};

    LLVMBuildStore(body->builder, first, slot);
    return differ(body, all, jit_value_vector(body, one));
}

/* SPDX-License-Identifier: MIT */
/* Loads and stores. The uniformity of the address decides: a uniform address is one access,
 * consecutive lanes are one access of a vector, anything else is a gather or scatter. Memory of
 * inactive lanes is not accessed. */
#include "jit/emit/memory.h"

#include "abi/launch.h"
#include "jit/analysis/instruction.h"
#include "jit/analysis/uniformity.h"
#include "jit/emit/address.h"
#include "jit/emit/alignment.h"
#include "jit/emit/chunks.h"
#include "jit/emit/emitter.h"
#include "jit/emit/fake_uses.h"
#include "jit/emit/gather.h"
#include "jit/emit/ir.h"
#include "jit/emit/lanes.h"
#include "jit/emit/mask.h"
#include "jit/emit/operands.h"
#include "jit/emit/peer_access.h"
#include "jit/emit/registers.h"
#include "jit/transform/load_coalescing.h"
#include "jit/transform/load_store_forwarding.h"

/* The device issues a thread's accesses in order, and programs rely on that: a strong load is
 * followed by an acquire fence, a strong store is preceded by a release fence. */
static void fence(struct jit_emitter *e, LLVMAtomicOrdering order)
{
    LLVMBuildFence(e->builder, order, false, "");
}

static void describe(struct jit_emitter *e, const struct ptx_instruction *i,
                     struct jit_access *access)
{
    uint8_t type = i->types[i->type_count - 1];

    access->address = jit_emit_address(e, &i->src[0], i->space);
    access->element = jit_type_of(e->unit, type);
    access->bytes = ptx_type_bits(type) / 8;
    access->count = i->width ? i->width : 1;
    access->strong = jit_access_is_strong(i);
    access->own = i->src[0].kind == PTX_OPERAND_ADDRESS && i->src[0].base == PTX_BASE_VARIABLE &&
                  i->src[0].local && e->variable_arrays[i->src[0].index];
    access->invariant = !access->strong && (i->op == PTX_OP_ld || i->op == PTX_OP_ldu) &&
                        (i->space == PTX_CONST || ptx_has(i, PTX_MOD_NC) || i->op == PTX_OP_ldu ||
                         (i->space == PTX_PARAM && !access->own && e->function->is_kernel &&
                          jit_value_is_uniform(&access->address)));
    access->checked = jit_access_is_checked(e, &i->src[0], i->space);
    if (jit_access_is_word(i)) {
        access->bytes *= access->count;
        access->count = 1;
        access->element = jit_word_type(e, access->bytes);
    }
    access->line = i->line;
    access->shared = i->space == PTX_SHARED;
    access->demanded = jit_load_is_demanded(i);
    if (!jit_alignment_is_open(e, &i->src[0], access->bytes * access->count))
        return;
    access->each = jit_emitter_is_masked(e) &&
                   !jit_alignment_is_common(access->address, access->bytes * access->count);
    if (!access->each)
        jit_alignment_check(e, access->address, access->bytes * access->count, i->line);
}

static void qualify(struct jit_emitter *e, const struct jit_access *access, LLVMValueRef op,
                    unsigned align)
{
    LLVMSetAlignment(op, align);
    if (access->strong)
        LLVMSetVolatile(op, true);
    if (access->invariant)
        LLVMSetMetadata(op, e->unit->invariant_kind, e->unit->invariant);
}

/* The pointer to element `part` at the access's address. */
static LLVMValueRef pointer_to(struct jit_emitter *e, const struct jit_access *access,
                               unsigned part)
{
    LLVMValueRef address = access->address.value;

    if (part)
        address =
            LLVMBuildAdd(e->builder, address, jit_i64(e->unit, (uint64_t)part * access->bytes), "");
    return LLVMBuildIntToPtr(e->builder, address, e->unit->ptr, "");
}

static bool is_contiguous(const struct jit_access *access)
{
    return !access->address.vector && access->address.jump == 0 &&
           access->address.stride == (int64_t)access->bytes * access->count;
}

/* Whether the lanes are two rows of 16, each of them consecutive or at one address. */
static bool is_two_rows(const struct jit_access *access)
{
    return !access->address.vector && access->address.jump != 0 && access->count == 1 &&
           !access->strong &&
           (access->address.stride == (int64_t)access->bytes || access->address.stride == 0);
}

static LLVMValueRef pointer_to_row(struct jit_emitter *e, const struct jit_access *access,
                                   unsigned row)
{
    LLVMValueRef address = access->address.value;
    int64_t step = 16 * access->address.stride + access->address.jump;

    if (row)
        address = LLVMBuildAdd(e->builder, address, jit_i64(e->unit, (uint64_t)step), "");
    if (row && access->shared)
        address = jit_shared_wrap(e, address);
    return LLVMBuildIntToPtr(e->builder, address, e->unit->ptr, "");
}

/* Checks the access rights to `bytes` bytes from the address on. */
static void check_run(struct jit_emitter *e, const struct jit_access *access, LLVMValueRef address,
                      unsigned bytes, unsigned wanted)
{
    if (access->checked)
        jit_access_check(e, jit_mask_bits(e), address, bytes, wanted, access->line);
}

static void check_rows(struct jit_emitter *e, const struct jit_access *access, unsigned wanted)
{
    unsigned bytes = access->address.stride ? 16 * access->bytes : access->bytes;
    int64_t step = 16 * access->address.stride + access->address.jump;

    check_run(e, access, access->address.value, bytes, wanted);
    check_run(e, access,
              LLVMBuildAdd(e->builder, access->address.value, jit_i64(e->unit, (uint64_t)step), ""),
              bytes, wanted);
}

/* Concatenates two vectors of 16 lanes; spread: repeats element 0 of each 16 times. */
static LLVMValueRef join_rows(struct jit_emitter *e, const LLVMValueRef *rows, bool spread)
{
    LLVMValueRef indices[32];

    for (unsigned lane = 0; lane < 32; lane++)
        indices[lane] = jit_i32(e->unit, spread ? lane / 16 : lane);
    return LLVMBuildShuffleVector(e->builder, rows[0], rows[1], LLVMConstVector(indices, 32), "");
}

static LLVMValueRef load_rows(struct jit_emitter *e, const struct jit_access *access)
{
    bool same = access->address.stride == 0;
    LLVMTypeRef type = LLVMVectorType(access->element, same ? 1 : 16);
    LLVMValueRef rows[2];

    check_rows(e, access, CUP_MAY_READ);
    for (unsigned row = 0; row < 2; row++) {
        rows[row] = LLVMBuildLoad2(e->builder, type, pointer_to_row(e, access, row), "");
        LLVMSetAlignment(rows[row], 1);
        if (access->invariant)
            LLVMSetMetadata(rows[row], e->unit->invariant_kind, e->unit->invariant);
        if (access->demanded)
            jit_fake_use_add(e, rows[row]);
    }
    return join_rows(e, rows, same);
}

static void store_rows(struct jit_emitter *e, const struct jit_access *access, LLVMValueRef values)
{
    check_rows(e, access, CUP_MAY_WRITE);
    for (unsigned row = 0; row < 2; row++) {
        LLVMValueRef indices[16], half;

        for (unsigned lane = 0; lane < 16; lane++)
            indices[lane] = jit_i32(e->unit, 16 * row + lane);
        half = LLVMBuildShuffleVector(e->builder, values, LLVMGetPoison(LLVMTypeOf(values)),
                                      LLVMConstVector(indices, 16), "");
        LLVMSetAlignment(LLVMBuildStore(e->builder, half, pointer_to_row(e, access, row)), 1);
    }
}

static LLVMValueRef load_contiguous(struct jit_emitter *e, const struct jit_access *access,
                                    LLVMValueRef *values)
{
    LLVMTypeRef type = LLVMVectorType(access->element, e->width * access->count);
    LLVMValueRef all;

    check_run(e, access, access->address.value, e->width * access->bytes * access->count,
              CUP_MAY_READ);
    all = LLVMBuildLoad2(e->builder, type, pointer_to(e, access, 0), "");
    qualify(e, access, all, 1);
    if (access->demanded)
        jit_fake_use_add(e, all);
    for (unsigned part = 0; part < access->count; part++)
        values[part] = jit_parts_take(e, all, part, access->count);
    return all;
}

static void store_contiguous(struct jit_emitter *e, const struct jit_access *access,
                             const LLVMValueRef *values)
{
    LLVMValueRef all = access->all ? access->all : jit_parts_join(e, values, access->count);

    check_run(e, access, access->address.value, e->width * access->bytes * access->count,
              CUP_MAY_WRITE);
    qualify(e, access, LLVMBuildStore(e->builder, all, pointer_to(e, access, 0)), 1);
}

static LLVMValueRef all_on(struct jit_emitter *e)
{
    return LLVMBuildICmp(e->builder, LLVMIntEQ, jit_mask_bits(e), e->vector.full, "");
}

/* Whether an access of consecutive lanes is one instruction with a mask. In the divergent variant
 * it is not: there all lanes are often active. */
static bool takes_mask(const struct jit_emitter *e, const struct jit_access *access)
{
    return !e->divergent && !access->checked && !access->strong;
}

/* The active lanes, each as often as it has elements. */
static LLVMValueRef element_mask(struct jit_emitter *e, unsigned count)
{
    LLVMValueRef lanes[8];

    for (unsigned part = 0; part < count; part++)
        lanes[part] = jit_mask_lanes(e);
    return jit_parts_join(e, lanes, count);
}

static LLVMValueRef call_masked(struct jit_emitter *e, const char *intrinsic, LLVMTypeRef vector,
                                LLVMValueRef *arguments)
{
    LLVMTypeRef overloads[] = {vector, e->unit->ptr};

    return jit_build_overloaded(e, intrinsic, overloads, 2, arguments, 4);
}

static void load_some(struct jit_emitter *e, const struct jit_access *access, LLVMValueRef *values)
{
    LLVMTypeRef type = LLVMVectorType(access->element, e->width * access->count);
    LLVMValueRef arguments[] = {pointer_to(e, access, 0), jit_i32(e->unit, 1),
                                element_mask(e, access->count), LLVMConstNull(type)};
    LLVMValueRef all = call_masked(e, "llvm.masked.load", type, arguments);

    if (access->demanded)
        jit_fake_use_add(e, all);
    for (unsigned part = 0; part < access->count; part++)
        values[part] = jit_parts_take(e, all, part, access->count);
}

static void store_some(struct jit_emitter *e, const struct jit_access *access,
                       const LLVMValueRef *values)
{
    LLVMValueRef all = access->all ? access->all : jit_parts_join(e, values, access->count);
    LLVMValueRef arguments[] = {all, pointer_to(e, access, 0), jit_i32(e->unit, 1),
                                element_mask(e, access->count)};

    call_masked(e, "llvm.masked.store", LLVMTypeOf(all), arguments);
}

/* Loads consecutive lanes of which some may be inactive. */
static void load_masked(struct jit_emitter *e, const struct jit_access *access,
                        LLVMValueRef *values)
{
    LLVMBasicBlockRef whole, some;

    if (takes_mask(e, access)) {
        load_some(e, access, values);
        return;
    }
    whole = jit_build_block(e, "load.all");
    some = jit_build_block(e, "load.some");
    LLVMBuildCondBr(e->builder, all_on(e), whole, some);
    jit_build_at(e, whole);
    load_contiguous(e, access, values);
    jit_emit_gather_otherwise(e, access, some, values);
}

static void store_masked(struct jit_emitter *e, const struct jit_access *access,
                         const LLVMValueRef *values)
{
    LLVMBasicBlockRef whole, some, after;

    if (takes_mask(e, access)) {
        store_some(e, access, values);
        return;
    }
    whole = jit_build_block(e, "store.all");
    some = jit_build_block(e, "store.some");
    after = jit_build_block(e, "store.end");
    LLVMBuildCondBr(e->builder, all_on(e), whole, some);
    jit_build_at(e, whole);
    store_contiguous(e, access, values);
    LLVMBuildBr(e->builder, after);
    jit_build_at(e, some);
    jit_emit_scatter(e, access, values);
    LLVMBuildBr(e->builder, after);
    jit_build_at(e, after);
}

/* Whether the lanes of a chunk (chunks.h) are accessed at once. */
static bool is_by_chunk(struct jit_emitter *e, const struct ptx_instruction *i)
{
    unsigned bytes = ptx_type_bits(i->types[i->type_count - 1]) / 8 * (i->width ? i->width : 1);

    return jit_gathers_bytes(e, bytes) && !jit_access_is_strong(i) && !jit_access_is_word(i) &&
           !jit_access_is_checked(e, &i->src[0], i->space) &&
           jit_uniformity_of_address(e->function, e->function->uniformity[1], &i->src[0]).kind !=
               JIT_UNIFORM;
}

/* Describes the access of one chunk. Returns whether its lanes are consecutive. */
static bool describe_chunk(struct jit_emitter *e, const struct ptx_instruction *i,
                           struct jit_access *access)
{
    LLVMValueRef ahead;

    describe(e, i, access);
    if (!is_contiguous(access)) {
        /* an affine address is that of the warp's first lane, a vector that of the chunk's */
        access->address = jit_vector(jit_value_vector(e, access->address));
        return false;
    }
    ahead = LLVMBuildZExt(e->builder, e->chunks->first, e->unit->i64, "");
    ahead = LLVMBuildMul(e->builder, ahead, jit_i64(e->unit, (uint64_t)access->address.stride), "");
    access->address.value = LLVMBuildAdd(e->builder, access->address.value, ahead, "");
    return true;
}

static void load_by_chunk(struct jit_emitter *e, const struct ptx_instruction *i)
{
    uint8_t type = i->types[i->type_count - 1];
    struct jit_access access = {.bytes = 0};
    LLVMValueRef values[8];

    jit_chunks_begin(e);
    if (describe_chunk(e, i, &access))
        load_some(e, &access, values);
    else
        jit_emit_gather(e, &access, values);
    for (unsigned part = 0; part < access.count; part++) {
        if (access.own) /* see jit_emit_load */
            values[part] = LLVMBuildFreeze(e->builder, values[part], "");
        jit_operand_write(e, jit_operand_part(e->function, &i->dst[0], part), type,
                          jit_vector(values[part]));
    }
    jit_chunks_end(e, NULL);
}

static void store_by_chunk(struct jit_emitter *e, const struct ptx_instruction *i)
{
    uint8_t type = i->types[i->type_count - 1];
    struct jit_access access = {.bytes = 0};
    LLVMValueRef values[8];

    jit_chunks_begin(e);
    for (unsigned part = 0; part < (i->width ? i->width : 1); part++)
        values[part] = jit_value_vector(
            e, jit_operand_read(e, jit_operand_part(e->function, &i->src[1], part), type));
    if (describe_chunk(e, i, &access))
        store_some(e, &access, values);
    else
        jit_emit_scatter(e, &access, values);
    jit_chunks_end(e, NULL);
}

void jit_emit_load(struct jit_emitter *e, const struct ptx_instruction *i)
{
    uint8_t type = i->types[i->type_count - 1];
    struct jit_access access = {.bytes = 0};
    LLVMValueRef values[8];
    bool scalar;

    if (e->function->cfg.undemanded[i - e->function->ptx->instructions])
        return;
    if (e->chunks->enabled && e->divergent &&
        jit_uniformity_of_address(e->function, e->function->uniformity[1], &i->src[0]).kind !=
            JIT_UNIFORM) {
        if (is_by_chunk(e, i))
            load_by_chunk(e, i);
        else
            jit_chunked_load(e, i);
        return;
    }
    describe(e, i, &access);
    scalar = jit_value_is_uniform(&access.address);
    if (scalar) {
        check_run(e, &access, access.address.value, access.bytes * access.count, CUP_MAY_READ);
        for (unsigned part = 0; part < access.count; part++) {
            values[part] =
                LLVMBuildLoad2(e->builder, access.element, pointer_to(e, &access, part), "");
            qualify(e, &access, values[part], access.strong ? access.bytes : 1);
            if (access.strong && access.bytes == 16)
                LLVMSetOrdering(values[part], LLVMAtomicOrderingMonotonic);
            if (access.demanded)
                jit_fake_use_add(e, values[part]);
        }
    } else if (!jit_emitter_is_masked(e) && is_two_rows(&access)) {
        values[0] = load_rows(e, &access);
    } else if (!is_contiguous(&access) || (access.strong && access.bytes == 16)) {
        jit_coalesced_gather(e, i, &access, values);
    } else if (!jit_emitter_is_masked(e) || access.own) {
        jit_emit_prefetch(e, &access);
        access.all = load_contiguous(e, &access, values);
    } else {
        load_masked(e, &access, values);
    }
    if (access.strong)
        fence(e, LLVMAtomicOrderingAcquire);
    /* Local memory that was never written is undef; freeze makes it arbitrary but fixed, so that a
     * branch or a division on it is not undefined behaviour. */
    for (unsigned part = 0; access.own && part < access.count; part++)
        values[part] = LLVMBuildFreeze(e->builder, values[part], "");
    if (jit_access_is_word(i)) {
        access.count = i->width;
        jit_word_split(e, values[0], jit_type_of(e->unit, type), access.count, values);
    }
    for (unsigned part = 0; part < access.count; part++)
        jit_operand_write(e, jit_operand_part(e->function, &i->dst[0], part), type,
                          (struct jit_value){values[part], 0, !scalar, 0});
    if (access.all && !access.own && !jit_access_is_word(i))
        jit_forwarding_note(e, &i->dst[0], access.all, access.count);
}

/* The elements as one word: a scalar if all of them are the same for every lane. */
static struct jit_value join_values(struct jit_emitter *e, const struct jit_value *values,
                                    unsigned count, unsigned bytes)
{
    LLVMValueRef parts[8];
    bool uniform = true;

    for (unsigned part = 0; part < count; part++)
        uniform = uniform && jit_value_is_uniform(&values[part]);
    for (unsigned part = 0; part < count; part++)
        parts[part] = uniform ? values[part].value : jit_value_vector(e, values[part]);
    return (struct jit_value){jit_word_join(e, parts, count, bytes), 0, !uniform, 0};
}

/* All active lanes store to one address: the last one's value stays. */
static void store_once(struct jit_emitter *e, const struct jit_access *access,
                       const struct jit_value *values)
{
    struct jit_unit *unit = e->unit;
    LLVMValueRef lane = jit_i32(unit, e->width - 1);

    if (jit_emitter_is_masked(e)) {
        LLVMValueRef arguments[] = {jit_mask_bits(e), LLVMConstInt(unit->i1, 0, false)};

        lane = jit_build_call(e, "llvm.ctlz", unit->i32, arguments, 2);
        lane = LLVMBuildSub(e->builder, jit_i32(unit, 31), lane, "");
        lane = LLVMBuildAnd(e->builder, lane, jit_i32(unit, e->width - 1), "");
    }
    check_run(e, access, access->address.value, access->bytes * access->count, CUP_MAY_WRITE);
    for (unsigned part = 0; part < access->count; part++) {
        LLVMValueRef value = values[part].value, store;

        if (!jit_value_is_uniform(&values[part]))
            value =
                LLVMBuildExtractElement(e->builder, jit_value_vector(e, values[part]), lane, "");
        store = LLVMBuildStore(e->builder, value, pointer_to(e, access, part));
        qualify(e, access, store, access->strong ? access->bytes : 1);
        if (access->strong && access->bytes == 16)
            LLVMSetOrdering(store, LLVMAtomicOrderingMonotonic);
    }
}

/* Stores to memory that only these lanes access (local or parameters): loads, blends and stores the
 * whole vector, so inactive lanes keep their values. */
static void store_own(struct jit_emitter *e, const struct jit_access *access, LLVMValueRef *values)
{
    LLVMValueRef old[8], on = jit_mask_lanes(e);

    load_contiguous(e, access, old);
    for (unsigned part = 0; on && part < access->count; part++)
        values[part] = LLVMBuildSelect(e->builder, on, values[part], old[part], "");
    store_contiguous(e, access, values);
}

void jit_emit_store(struct jit_emitter *e, const struct ptx_instruction *i)
{
    uint8_t type = i->types[i->type_count - 1];
    struct jit_access access = {.bytes = 0};
    struct jit_value values[8];
    LLVMValueRef vectors[8];

    if (e->chunks->enabled && e->divergent) {
        if (is_by_chunk(e, i))
            store_by_chunk(e, i);
        else
            jit_chunked_store(e, i);
        return;
    }
    describe(e, i, &access);
    for (unsigned part = 0; part < (i->width ? i->width : 1); part++)
        values[part] = jit_operand_read(e, jit_operand_part(e->function, &i->src[1], part), type);
    if (jit_access_is_word(i))
        values[0] = join_values(e, values, i->width, access.bytes);
    else
        access.all = jit_forwarding_find(e, &i->src[1], access.count, access.element);
    if (access.strong)
        fence(e, LLVMAtomicOrderingRelease);
    if (jit_value_is_uniform(&access.address)) {
        store_once(e, &access, values);
        return;
    }
    for (unsigned part = 0; part < access.count; part++)
        vectors[part] = jit_value_vector(e, values[part]);
    if (!jit_emitter_is_masked(e) && is_two_rows(&access) && access.address.stride)
        store_rows(e, &access, vectors[0]);
    else if (!is_contiguous(&access) || (access.strong && access.bytes == 16))
        jit_coalesced_scatter(e, &access, vectors);
    else if (access.own)
        store_own(e, &access, vectors);
    else if (!jit_emitter_is_masked(e))
        store_contiguous(e, &access, vectors);
    else
        store_masked(e, &access, vectors);
}

/* There is one proxy, and copies are done when they are issued: a fence between proxies orders
 * nothing more. */
void jit_emit_fence(struct jit_emitter *e, const struct ptx_instruction *i)
{
    bool is_light =
        ptx_has(i, PTX_MOD_ACQ_REL) || ptx_has(i, PTX_MOD_PROXY) || ptx_has(i, PTX_MOD_PROXY_ASYNC);

    fence(e,
          is_light ? LLVMAtomicOrderingAcquireRelease : LLVMAtomicOrderingSequentiallyConsistent);
}

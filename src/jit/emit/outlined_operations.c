/* SPDX-License-Identifier: MIT */
/* An instruction of 32 lanes under a mask is tens of IR instructions, and LLVM's time follows their
 * number. Kernels repeat instructions with other registers. So the first tier, which keeps
 * registers in memory, outlines each different instruction to a function: its parameters are the
 * vector's state, the places of the registers, the immediates, and the line for messages. The
 * function is emitted by the same code as any other, with a copy of the emitter in which the places
 * of registers are the parameters.
 *
 * The other tiers outline in the divergent variant of large kernels, and only what the library has:
 * accesses and exchanges between lanes, which take much longer than a call. Registers there may
 * have a stride, or NaNs with the processor's bits; the library knows neither.
 *
 * The key of an operation holds everything that its code depends on: the instruction without its
 * registers' names, and what is known of each register. Equal keys mean equal code. */
#include "jit/emit/outlined_operations.h"

#include "core/hash.h"
#include "jit/analysis/instruction.h"
#include "jit/analysis/uniformity.h"
#include "jit/emit/alignment.h"
#include "jit/emit/chunks.h"
#include "jit/emit/emit.h"
#include "jit/emit/emitter.h"
#include "jit/emit/immediates.h"
#include "jit/emit/ir.h"
#include "jit/emit/mask.h"
#include "jit/emit/registers.h"
#include "jit/emit/warp_ops.h"
#include "jit/workspace.h"

#include <stdio.h>
#include <string.h>

enum { KEY_WORDS = 96, REGISTERS = 24, FIRST_SLOTS = 64, NAME_BYTES = 64 };

/* Which part of an instruction the operation is. */
enum operation_part { WHOLE, SYNC_BEGIN, SYNC_RESULTS, PREDICATE };

struct outlined_operation {
    enum operation_part part;
    const struct ptx_instruction *instruction; /* NULL: PREDICATE */
    uint64_t key[KEY_WORDS];
    unsigned words;
    uint32_t registers[REGISTERS];
    unsigned register_count;
    const struct ptx_operand
        *immediates[JIT_OUTLINED_IMMEDIATES]; /* immediates that are parameters */
    unsigned immediate_count;
    LLVMValueRef call; /* SYNC_BEGIN, SYNC_RESULTS */
    bool is_loose; /* every operand has a parameter of its own, even if registers are the same */
    bool has_special;
    bool has_twins; /* a register is there more than once */
    bool fits;
};

struct jit_outlined_entry {
    uint64_t *key;
    unsigned words;
    uint64_t hash;
    LLVMValueRef function;
};

static void add_word(struct outlined_operation *operation, uint64_t word)
{
    if (operation->words == KEY_WORDS)
        operation->fits = false;
    else
        operation->key[operation->words++] = word;
}

/* What matters of a register's type: registers are at least as wide as their operands, so that the
 * sign of an integer is never extended. */
static uint64_t kind_of(const struct jit_emitter *e, uint32_t reg)
{
    uint8_t type = jit_register_type(e, reg);

    return type == PTX_F32 || type == PTX_F64 || type == PTX_PRED ? type
                                                                  : 256u + ptx_type_bits(type);
}

/* Whether the library's code for a register of its kind is right for this one, and taking its
 * address costs nothing: where there are two variants, LLVM promotes scalars to values. */
static bool is_plain(const struct jit_emitter *e, uint32_t reg)
{
    enum jit_uniformity_kind kind = e->function->uniformity[1][reg].kind;

    return !e->function->raw[reg] &&
           (kind == JIT_VARYING || (kind == JIT_UNIFORM && e->unit->one_variant));
}

static void add_register(struct outlined_operation *operation, struct jit_emitter *e, uint32_t reg)
{
    unsigned r = 0;

    while (r < operation->register_count && operation->registers[r] != reg)
        r++;
    operation->has_twins |= r < operation->register_count;
    if (operation->is_loose)
        r = operation->register_count;
    add_word(operation, r);
    if (r < operation->register_count)
        return;
    if (r == REGISTERS) {
        operation->fits = false;
        return;
    }
    operation->registers[operation->register_count++] = reg;
    add_word(operation, kind_of(e, reg) << 8 | e->function->uniformity[1][reg].kind);
    operation->fits = operation->fits && (e->unit->outlines || is_plain(e, reg));
}

/* Whether nothing but jit_operand_read looks at the immediates of a pure instruction. */
static bool takes_any_number(const struct ptx_instruction *i)
{
    switch (i->op) {
    case PTX_OP_add:
    case PTX_OP_sub:
    case PTX_OP_mul:
    case PTX_OP_mad:
    case PTX_OP_mul24:
    case PTX_OP_mad24:
    case PTX_OP_fma:
    case PTX_OP_min:
    case PTX_OP_max:
    case PTX_OP_and:
    case PTX_OP_or:
    case PTX_OP_xor:
    case PTX_OP_shl:
    case PTX_OP_shr:
    case PTX_OP_shf:
    case PTX_OP_bfe:
    case PTX_OP_bfi:
    case PTX_OP_setp:
    case PTX_OP_selp:
    case PTX_OP_mov:
        return true;
    default:
        return false;
    }
}

/* Whether the immediate of source `s`, or the offset of its address, is a parameter of the
 * operation. */
static bool is_parameter(const struct ptx_instruction *i, unsigned s)
{
    enum ptx_type types[JIT_LOWER_MAX_OPERANDS + 2], results[JIT_LOWER_MAX_OPERANDS + 2];
    unsigned count = 0, result_count;

    if (i->width > 1 && i->src[s].kind != PTX_OPERAND_ADDRESS)
        return false;
    switch (i->op) {
    case PTX_OP_ld:
    case PTX_OP_st:
    case PTX_OP_atom:
    case PTX_OP_red:
        return i->types[i->type_count - 1] != PTX_B128;
    case PTX_OP_shfl:
    case PTX_OP_vote:
    case PTX_OP_match:
    case PTX_OP_redux:
    case PTX_OP_elect:
    case PTX_OP_bar:
        return (int)s == jit_sync_member_source(i);
    default:
        return takes_any_number(i) && i->types[0] != PTX_B128 &&
               jit_lower_shape(i, types, &count, results, &result_count) && s < count &&
               types[s] != PTX_PRED;
    }
}

static void add_number(struct outlined_operation *operation, const struct ptx_operand *operand,
                       bool parameter)
{
    if (parameter && operation->immediate_count < JIT_OUTLINED_IMMEDIATES)
        operation->immediates[operation->immediate_count++] = operand;
    else
        add_word(operation, operand->value);
}

static void add_operand(struct outlined_operation *operation, struct jit_emitter *e,
                        const struct ptx_operand *operand, bool any_number)
{
    add_word(operation, (uint64_t)operand->kind | (uint64_t)operand->base << 8 |
                            (uint64_t)operand->count << 16 | (uint64_t)operand->selector << 24 |
                            (uint64_t)operand->negated << 32);
    switch (operand->kind) {
    case PTX_OPERAND_NONE:
    case PTX_OPERAND_SINK:
        break;
    case PTX_OPERAND_REGISTER:
        add_register(operation, e, operand->index);
        add_word(operation, operand->value); /* the mask of a video instruction */
        break;
    case PTX_OPERAND_SPECIAL:
        operation->has_special = true;
        operation->fits = operation->fits && e->unit->outlines;
        add_word(operation, (uint64_t)operand->index << 8 | operand->special_component);
        add_word(operation, operand->value);
        add_word(operation, e->unit->shape);
        break;
    case PTX_OPERAND_IMMEDIATE:
        add_number(operation, operand, any_number && !operand->negated);
        break;
    case PTX_OPERAND_ADDRESS:
        operation->fits = operation->fits && operand->base == PTX_BASE_REGISTER;
        if (operation->fits) {
            add_register(operation, e, operand->index);
            add_number(operation, operand, any_number);
        }
        break;
    case PTX_OPERAND_VECTOR:
        for (unsigned k = 0; k < operand->count; k++)
            add_operand(operation, e, &e->function->ptx->elements[operand->index + k], false);
        break;
    default:
        operation->fits = false;
        break;
    }
}

static bool is_access(const struct ptx_instruction *i)
{
    return i->op == PTX_OP_ld || i->op == PTX_OP_st;
}

static bool reads_carry(const struct ptx_instruction *i)
{
    return i->op == PTX_OP_addc || i->op == PTX_OP_subc || i->op == PTX_OP_madc;
}

static void describe(struct outlined_operation *operation, struct jit_emitter *e)
{
    const struct ptx_instruction *i = operation->instruction;
    bool pure = jit_instruction_is_pure(i);
    uint64_t types = 0;

    add_word(operation, operation->part);
    for (unsigned t = 0; t < i->type_count; t++)
        types |= (uint64_t)i->types[t] << (8 * t);
    add_word(operation, (uint64_t)i->op | (uint64_t)i->space << 16 | (uint64_t)i->space_to << 24 |
                            (uint64_t)i->width << 32 | (uint64_t)i->lut << 40 |
                            (uint64_t)i->guard_negated << 48 | (uint64_t)i->source_count << 56);
    add_word(operation, types << 8 | i->type_count);
    for (unsigned m = 0; m < sizeof(i->modifiers) / sizeof(*i->modifiers); m++)
        add_word(operation, i->modifiers[m]);
    if (pure)
        add_word(operation,
                 jit_uniformity_of_result(e->function, e->function->uniformity[1], true, i).kind);
    for (unsigned d = 0; d < PTX_MAX_DESTINATIONS; d++)
        add_operand(operation, e, &i->dst[d], false);
    /* other instructions under a guard are nodes of their own */
    if (pure && i->guard != PTX_NO_REGISTER)
        add_register(operation, e, i->guard);
    else
        add_word(operation, UINT64_MAX);
    for (unsigned s = 0; s < i->source_count; s++)
        add_operand(operation, e, &i->src[s], is_parameter(i, s));
    if (ptx_has(i, PTX_MOD_CC) || reads_carry(i))
        add_register(operation, e, e->function->cfg.carry);
}

struct results {
    const struct jit_emitter *e;
    bool scalar;
};

static void see_result(void *context, uint32_t reg)
{
    struct results *results = context;

    if (results->e->function->uniformity[1][reg].kind != JIT_VARYING)
        results->scalar = true;
}

/* Scalars are computed in place: they are few IR instructions. An outlined operation does not know
 * where parameters are. */
static bool is_worth_it(struct jit_emitter *e, const struct ptx_instruction *i)
{
    struct results results = {e, false};

    if (i->space == PTX_PARAM)
        return false;
    switch (i->op) {
    case PTX_OP_ld:
        return jit_uniformity_of_address(e->function, e->function->uniformity[1], &i->src[0])
                   .kind != JIT_UNIFORM;
    case PTX_OP_st:
    case PTX_OP_atom:
    case PTX_OP_red:
    case PTX_OP_shfl:
    case PTX_OP_vote:
    case PTX_OP_match:
    case PTX_OP_redux:
    case PTX_OP_elect:
    case PTX_OP_mma:
    case PTX_OP_wmma:
    case PTX_OP_ldmatrix:
    case PTX_OP_stmatrix:
    case PTX_OP_movmatrix:
        return true;
    default:
        if (!jit_instruction_is_pure(i) || !e->unit->outlines)
            return false;
        jit_instruction_defines(&e->function->cfg, i, see_result, &results);
        return !results.scalar;
    }
}

static uint64_t hash_of(const struct outlined_operation *operation, uint64_t seed)
{
    struct cup_hash hash = cup_hash_begin();

    cup_hash_number(&hash, seed);
    for (unsigned w = 0; w < operation->words; w++)
        cup_hash_number(&hash, operation->key[w]);
    return cup_hash_end(&hash);
}

/* 128 bits of the key: two keys with the same name are out of the question. */
static void name_operation(const struct outlined_operation *operation, char name[NAME_BYTES])
{
    snprintf(name, NAME_BYTES, JIT_OUTLINED_PREFIX "%016llx%016llx",
             (unsigned long long)hash_of(operation, 0), (unsigned long long)hash_of(operation, 1));
}

/* The table's entry for the operation: an empty one if the operation is new. */
static struct jit_outlined_entry *look_up(struct jit_unit *unit,
                                          const struct outlined_operation *operation, uint64_t hash)
{
    uint32_t at = (uint32_t)hash & (unit->outlined.capacity - 1);
    struct jit_outlined_entry *entry;

    for (;; at = (at + 1) & (unit->outlined.capacity - 1)) {
        entry = &unit->outlined.entries[at];
        if (!entry->function ||
            (entry->hash == hash && entry->words == operation->words &&
             memcmp(entry->key, operation->key, operation->words * sizeof(*operation->key)) == 0))
            return entry;
    }
}

/* Keeps the table at most half full. */
static void make_room(struct jit_unit *unit)
{
    struct jit_outlined_entry *old = unit->outlined.entries;
    uint32_t before = unit->outlined.capacity;

    if (2 * unit->outlined.count < before)
        return;
    unit->outlined.capacity = before ? 2 * before : FIRST_SLOTS;
    unit->outlined.entries =
        jit_workspace_zeros(&unit->workspace, unit->outlined.capacity, sizeof(*old));
    for (uint32_t k = 0; k < before; k++) {
        uint32_t at = (uint32_t)old[k].hash & (unit->outlined.capacity - 1);

        if (!old[k].function)
            continue;
        while (unit->outlined.entries[at].function)
            at = (at + 1) & (unit->outlined.capacity - 1);
        unit->outlined.entries[at] = old[k];
    }
}

/* Parameters: struct jit_vector_state, the places of the registers, the runtime's structure if the
 * part has one, the immediates, the line. */
static LLVMValueRef add_function(struct jit_unit *unit, const struct outlined_operation *operation)
{
    LLVMTypeRef types[3 + REGISTERS + JIT_OUTLINED_IMMEDIATES], type;
    unsigned count = 0;
    char name[NAME_BYTES];

    for (unsigned p = 0; p < 1 + operation->register_count + (operation->call != NULL); p++)
        types[count++] = unit->ptr;
    for (unsigned n = 0; n < operation->immediate_count; n++)
        types[count++] = unit->i64;
    types[count++] = unit->i32;
    type = LLVMFunctionType(operation->part == PREDICATE ? unit->i32 : unit->nothing, types, count,
                            false);
    name_operation(operation, name);
    return LLVMAddFunction(unit->module, name, type);
}

static void emit_part(struct jit_emitter *e, const struct outlined_operation *operation)
{
    const struct ptx_instruction *i = operation->instruction;
    uint32_t at = (uint32_t)(i - e->function->ptx->instructions);
    LLVMValueRef call = LLVMGetParam(e->llvm, 1 + operation->register_count);

    switch (operation->part) {
    case WHOLE:
        if (jit_instruction_is_pure(i))
            jit_chunks_emit(e, at, at + 1);
        else
            jit_emit_instruction(e, i);
        break;
    case SYNC_BEGIN:
        jit_sync_begin(e, i, call);
        break;
    case SYNC_RESULTS:
        jit_sync_results(e, i, call);
        break;
    case PREDICATE:
        LLVMBuildRet(e->builder,
                     jit_predicate_bits(e, jit_register_read(e, operation->registers[0]), false));
        return;
    }
    LLVMBuildRetVoid(e->builder);
}

/* Emits the operation's function with a copy of the emitter. What the two share by pointer, the
 * places of registers and what is known of their alignment, is restored. */
static void make(struct jit_emitter *e, const struct outlined_operation *operation,
                 LLVMValueRef function)
{
    LLVMBasicBlockRef here = jit_build_here(e);
    LLVMValueRef places[REGISTERS];
    unsigned numbers = 1 + operation->register_count + (operation->call != NULL);
    struct jit_aligned known[REGISTERS];
    struct jit_outlined outlined = {
        .line = LLVMGetParam(function, numbers + operation->immediate_count),
        .count = operation->immediate_count};
    struct jit_alignment alignment = *e->alignment;
    struct jit_masks masks = {.live = NULL};
    struct jit_emitter copy = *e;

    for (unsigned n = 0; n < operation->immediate_count; n++) {
        outlined.operands[n] = operation->immediates[n];
        outlined.immediates[n] = LLVMGetParam(function, numbers + n);
    }
    copy.alignment = &alignment;
    copy.masks = &masks;
    copy.outlined = &outlined;
    jit_emitter_begin_outlined(&copy, function);
    jit_alignment_new_node(&copy);
    if (operation->has_special)
        jit_emitter_reload_state(&copy);
    for (unsigned r = 0; r < operation->register_count; r++) {
        uint32_t reg = operation->registers[r];

        places[r] = e->registers->allocas[1][reg];
        known[r] = e->alignment->known[reg];
        e->registers->allocas[1][reg] = LLVMGetParam(function, 1 + r);
        e->alignment->known[reg] = (struct jit_aligned){0, 0, 0};
    }
    emit_part(&copy, operation);
    for (unsigned r = 0; r < operation->register_count; r++) {
        e->registers->allocas[1][operation->registers[r]] = places[r];
        e->alignment->known[operation->registers[r]] = known[r];
    }
    jit_build_at(e, here);
}

/* Whether the library has the operation. It was made for one device and exact mathematics. */
static bool is_in_library(const struct jit_unit *unit, LLVMValueRef function)
{
    size_t length;

    return unit->request->has_outlined && !unit->request->limited && !unit->request->fast_math &&
           unit->request->has_outlined(LLVMGetValueName2(function, &length));
}

/* The function of the operation; NULL if it is new and `only_known` is set. */
static LLVMValueRef function_of(struct jit_emitter *e, struct outlined_operation *operation,
                                bool only_known)
{
    struct jit_unit *unit = e->unit;
    uint64_t hash = hash_of(operation, 0);
    struct jit_outlined_entry *entry;
    LLVMValueRef function;
    bool known;

    make_room(unit);
    entry = look_up(unit, operation, hash);
    if (entry->function)
        return entry->function;
    function = add_function(unit, operation);
    known = is_in_library(unit, function);
    if (!known && only_known) {
        LLVMDeleteFunction(function);
        return NULL;
    }
    entry->key = jit_workspace_zeros(&unit->workspace, operation->words, sizeof(*operation->key));
    memcpy(entry->key, operation->key, operation->words * sizeof(*operation->key));
    entry->words = operation->words;
    entry->hash = hash;
    entry->function = function;
    unit->outlined.count++;
    if (known)
        return function;
    if (!unit->outlined.is_library)
        LLVMSetLinkage(function, LLVMInternalLinkage);
    unit->outlined.own++;
    make(e, operation, function);
    return function;
}

static void forget(void *context, uint32_t reg)
{
    jit_alignment_forget(context, reg);
}

static LLVMValueRef emit_call(struct jit_emitter *e, const struct outlined_operation *operation,
                              LLVMValueRef function)
{
    LLVMValueRef arguments[3 + REGISTERS + JIT_OUTLINED_IMMEDIATES];
    unsigned count = 0;

    if (e->unit->outlines_accesses && !e->unit->one_variant)
        jit_emitter_store_state(e);
    arguments[count++] = e->abi.state;
    for (unsigned r = 0; r < operation->register_count; r++)
        arguments[count++] = jit_register_place(e, operation->registers[r]);
    if (operation->call)
        arguments[count++] = operation->call;
    for (unsigned n = 0; n < operation->immediate_count; n++)
        arguments[count++] = jit_i64(e->unit, operation->immediates[n]->value);
    arguments[count++] =
        jit_i32(e->unit, operation->instruction ? operation->instruction->line : 0);
    if (operation->instruction)
        jit_instruction_defines(&e->function->cfg, operation->instruction, forget, e);
    return LLVMBuildCall2(e->builder, LLVMGlobalGetValueType(function), function, arguments, count,
                          "");
}

/* Outlined operations have their registers in memory. */
static bool can_outline(const struct jit_emitter *e)
{
    return (e->unit->outlines || e->unit->outlines_accesses) && e->divergent &&
           e->chunks->enabled && !e->outlined && !e->unit->failed;
}

/* Whether it reads all operands of a lane before it writes results, so that registers may be the
 * same. */
static bool may_be_loose(const struct ptx_instruction *i)
{
    return jit_instruction_is_pure(i) || is_access(i);
}

static bool emit_operation(struct jit_emitter *e, const struct ptx_instruction *i,
                           enum operation_part part, LLVMValueRef call)
{
    struct outlined_operation operation = {.part = part,
                                           .instruction = i,
                                           .call = call,
                                           .fits = true},
                              loose = operation;
    bool only_known = !e->unit->outlines;
    LLVMValueRef function;

    if (part == WHOLE && may_be_loose(i)) {
        loose.is_loose = true;
        describe(&loose, e);
        function = loose.fits ? function_of(e, &loose, loose.has_twins || only_known) : NULL;
        if (function)
            emit_call(e, &loose, function);
        if (function || !loose.fits)
            return function;
    }
    describe(&operation, e);
    function = operation.fits ? function_of(e, &operation, only_known) : NULL;
    if (function)
        emit_call(e, &operation, function);
    return function;
}

bool jit_outlined_emit(struct jit_emitter *e, const struct ptx_instruction *i)
{
    if (!can_outline(e) || !is_worth_it(e, i))
        return false;
    return (i->op == PTX_OP_ld &&
            e->function->cfg.undemanded[i - e->function->ptx->instructions]) ||
           emit_operation(e, i, WHOLE, NULL);
}

bool jit_outlined_sync_begin(struct jit_emitter *e, const struct ptx_instruction *i,
                             LLVMValueRef call)
{
    return can_outline(e) && emit_operation(e, i, SYNC_BEGIN, call);
}

bool jit_outlined_sync_results(struct jit_emitter *e, const struct ptx_instruction *i,
                               LLVMValueRef call)
{
    return can_outline(e) && emit_operation(e, i, SYNC_RESULTS, call);
}

LLVMValueRef jit_outlined_predicate(struct jit_emitter *e, uint32_t reg)
{
    struct outlined_operation operation = {.part = PREDICATE, .fits = true};

    if (!e->unit->outlines || !can_outline(e) || !jit_register_is_array(e, reg))
        return NULL;
    add_word(&operation, PREDICATE);
    add_register(&operation, e, reg);
    return emit_call(e, &operation, function_of(e, &operation, false));
}

/* SPDX-License-Identifier: MIT */
/* Small pieces of LLVM IR that all files use: allocas, fields of the runtime's structures, calls
 * of services, masks in their two forms (bits of an i32, vector of i1), and vectors in the order
 * of memory. */
#include "jit/emit/ir.h"

#include "abi/services.h"
#include "jit/emit/emitter.h"

#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { RARE_ARGUMENTS = 6 }; /* with the service: they are passed in registers */

LLVMTypeRef jit_type_of(struct jit_unit *unit, enum ptx_type type)
{
    switch (type) {
    case PTX_PRED:
        return unit->i1;
    case PTX_F32:
        return unit->f32;
    case PTX_F64:
        return unit->f64;
    case PTX_TEXREF:
    case PTX_SAMPLERREF:
    case PTX_SURFREF:
        return unit->i64;
    default:
        return LLVMIntTypeInContext(unit->context, ptx_type_bits(type) ? ptx_type_bits(type) : 32);
    }
}

LLVMTypeRef jit_vector_type(struct jit_emitter *e, LLVMTypeRef element)
{
    return LLVMVectorType(element, e->width);
}

LLVMValueRef jit_i32(struct jit_unit *unit, uint32_t value)
{
    return LLVMConstInt(unit->i32, value, false);
}

LLVMValueRef jit_i64(struct jit_unit *unit, uint64_t value)
{
    return LLVMConstInt(unit->i64, value, false);
}

LLVMValueRef jit_build_alloca(struct jit_emitter *e, LLVMTypeRef type, unsigned count,
                              const char *name)
{
    LLVMBasicBlockRef here = LLVMGetInsertBlock(e->builder);
    LLVMMetadataRef location = LLVMGetCurrentDebugLocation2(e->builder);
    LLVMValueRef result;

    LLVMPositionBuilderBefore(e->builder, e->entry_end);
    if (count > 1)
        result = LLVMBuildAlloca(e->builder, LLVMArrayType2(type, count), name);
    else
        result = LLVMBuildAlloca(e->builder, type, name);
    LLVMPositionBuilderAtEnd(e->builder, here);
    LLVMSetCurrentDebugLocation2(e->builder, location);
    return result;
}

LLVMBasicBlockRef jit_build_block(struct jit_emitter *e, const char *name)
{
    return LLVMAppendBasicBlockInContext(e->unit->context, e->llvm, name);
}

void jit_build_at(struct jit_emitter *e, LLVMBasicBlockRef block)
{
    LLVMPositionBuilderAtEnd(e->builder, block);
}

LLVMBasicBlockRef jit_build_here(struct jit_emitter *e)
{
    return LLVMGetInsertBlock(e->builder);
}

void jit_build_likely(struct jit_emitter *e, LLVMValueRef condition, LLVMBasicBlockRef way,
                      LLVMBasicBlockRef other, unsigned times)
{
    struct jit_unit *unit = e->unit;
    LLVMValueRef branch = LLVMBuildCondBr(e->builder, condition, way, other);
    LLVMMetadataRef weights[3] = {
        LLVMMDStringInContext2(unit->context, "branch_weights", 14),
        LLVMValueAsMetadata(jit_i32(unit, times)),
        LLVMValueAsMetadata(jit_i32(unit, 1)),
    };

    LLVMSetMetadata(
        branch, LLVMGetMDKindIDInContext(unit->context, "prof", 4),
        LLVMMetadataAsValue(unit->context, LLVMMDNodeInContext2(unit->context, weights, 3)));
}

LLVMValueRef jit_build_splat(struct jit_emitter *e, LLVMValueRef scalar)
{
    LLVMTypeRef type = jit_vector_type(e, LLVMTypeOf(scalar));
    LLVMTypeRef indices = LLVMVectorType(e->unit->i32, e->width);
    LLVMValueRef one;

    if (LLVMIsConstant(scalar) && !LLVMIsAConstantExpr(scalar)) {
        LLVMValueRef parts[64];

        for (unsigned lane = 0; lane < e->width; lane++)
            parts[lane] = scalar;
        return LLVMConstVector(parts, e->width);
    }
    one = LLVMBuildInsertElement(e->builder, LLVMGetPoison(type), scalar, jit_i32(e->unit, 0), "");
    return LLVMBuildShuffleVector(e->builder, one, LLVMGetPoison(type), LLVMConstNull(indices), "");
}

LLVMValueRef jit_build_load(struct jit_emitter *e, LLVMTypeRef type, LLVMValueRef pointer,
                            unsigned align)
{
    LLVMValueRef load = LLVMBuildLoad2(e->builder, type, pointer, "");

    if (align)
        LLVMSetAlignment(load, align);
    return load;
}

LLVMValueRef jit_build_store(struct jit_emitter *e, LLVMValueRef value, LLVMValueRef pointer,
                             unsigned align)
{
    LLVMValueRef store = LLVMBuildStore(e->builder, value, pointer);

    if (align)
        LLVMSetAlignment(store, align);
    return store;
}

void jit_keep_in_memory(struct jit_emitter *e, LLVMValueRef place)
{
    LLVMTypeRef type = LLVMTypeOf(place),
                function = LLVMFunctionType(e->unit->nothing, &type, 1, false);
    LLVMValueRef nothing =
        LLVMGetInlineAsm(function, "", 0, "r", 1, true, false, LLVMInlineAsmDialectATT, false);

    LLVMBuildCall2(e->builder, function, nothing, &place, 1, "");
}

LLVMValueRef jit_build_offset(struct jit_emitter *e, LLVMValueRef base, LLVMValueRef offset)
{
    return LLVMBuildGEP2(e->builder, e->unit->i8, base, &offset, 1, "");
}

void jit_build_constant(struct jit_emitter *e, LLVMValueRef *place, const void *constant,
                        size_t size, const char *name)
{
    struct jit_unit *unit = e->unit;
    uint64_t word;

    if (!*place)
        *place = jit_build_alloca(e, unit->i64, (unsigned)(size / sizeof(word)), name);
    for (size_t at = 0; at < size; at += sizeof(word)) {
        memcpy(&word, (const char *)constant + at, sizeof(word));
        jit_build_store(e, jit_i64(unit, word), jit_build_offset(e, *place, jit_i64(unit, at)),
                        sizeof(word));
    }
}

LLVMValueRef jit_build_words(struct jit_emitter *e, LLVMValueRef *words, unsigned count,
                             const char *name)
{
    LLVMTypeRef type = LLVMArrayType2(e->unit->i32, count);
    LLVMValueRef array = LLVMAddGlobal(e->unit->module, type, name);

    LLVMSetInitializer(array, LLVMConstArray2(e->unit->i32, words, count));
    LLVMSetGlobalConstant(array, true);
    LLVMSetLinkage(array, LLVMInternalLinkage);
    return array;
}

LLVMValueRef jit_build_field(struct jit_emitter *e, LLVMValueRef base, size_t offset,
                             LLVMTypeRef type, bool invariant, const char *name)
{
    LLVMValueRef pointer = jit_build_offset(e, base, jit_i64(e->unit, offset));
    LLVMValueRef load = LLVMBuildLoad2(e->builder, type, pointer, name);

    if (invariant)
        LLVMSetMetadata(load, e->unit->invariant_kind, e->unit->invariant);
    return load;
}

LLVMValueRef jit_build_words_of_bytes(struct jit_emitter *e, const LLVMValueRef *parts)
{
    LLVMTypeRef wide = jit_vector_type(e, e->unit->i32);
    LLVMValueRef words = LLVMBuildZExt(e->builder, parts[0], wide, "");

    for (unsigned part = 1; part < 4; part++) {
        LLVMValueRef up = jit_build_splat(e, jit_i32(e->unit, 8 * part)),
                     one = LLVMBuildZExt(e->builder, parts[part], wide, "");

        words = LLVMBuildOr(e->builder, words, LLVMBuildShl(e->builder, one, up, ""), "");
    }
    return LLVMBuildBitCast(e->builder, words, LLVMVectorType(e->unit->i8, 4 * e->width), "");
}

void jit_build_bytes_of_words(struct jit_emitter *e, LLVMValueRef words, LLVMValueRef *parts)
{
    LLVMValueRef low = jit_build_splat(e, jit_i32(e->unit, 255));

    for (unsigned part = 0; part < 4; part++) {
        LLVMValueRef down = jit_build_splat(e, jit_i32(e->unit, 8 * part));

        parts[part] = LLVMBuildAnd(e->builder, LLVMBuildLShr(e->builder, words, down, ""), low, "");
    }
}

LLVMValueRef jit_build_service(struct jit_emitter *e, size_t offset, LLVMTypeRef result,
                               LLVMValueRef *arguments, unsigned count)
{
    LLVMTypeRef types[16], type;
    LLVMValueRef function;

    for (unsigned a = 0; a < count; a++)
        types[a] = LLVMTypeOf(arguments[a]);
    type = LLVMFunctionType(result, types, count, false);
    function = jit_build_field(e, e->abi.services, offset, e->unit->ptr, true, "");
    return LLVMBuildCall2(e->builder, type, function, arguments, count, "");
}

void jit_build_attribute(struct jit_unit *unit, LLVMValueRef function, const char *name,
                         uint64_t value)
{
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));

    LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex,
                            LLVMCreateEnumAttribute(unit->context, kind, value));
}

/* A function of the module that calls the service which is its last argument. */
static LLVMValueRef make_rare(struct jit_unit *unit, const char *name, LLVMTypeRef *types,
                              unsigned count)
{
    LLVMTypeRef service = LLVMFunctionType(unit->nothing, types, count, false);
    LLVMValueRef function = LLVMAddFunction(
        unit->module, name, LLVMFunctionType(unit->nothing, types, count + 1, false));
    LLVMBuilderRef b = LLVMCreateBuilderInContext(unit->context);
    LLVMValueRef parameters[RARE_ARGUMENTS];

    LLVMSetLinkage(function, LLVMInternalLinkage);
    LLVMSetFunctionCallConv(function, LLVMPreserveMostCallConv);
    jit_build_attribute(unit, function, "nounwind", 0);
    jit_build_attribute(unit, function, "noinline", 0);
    jit_build_attribute(unit, function, "cold", 0);
    LLVMGetParams(function, parameters);
    LLVMPositionBuilderAtEnd(b, LLVMAppendBasicBlockInContext(unit->context, function, ""));
    LLVMBuildCall2(b, service, parameters[count], parameters, count, "");
    LLVMBuildRetVoid(b);
    LLVMDisposeBuilder(b);
    return function;
}

void jit_build_rare_service(struct jit_emitter *e, size_t offset, LLVMValueRef *arguments,
                            unsigned count)
{
    struct jit_unit *unit = e->unit;
    LLVMTypeRef types[RARE_ARGUMENTS];
    LLVMValueRef passed[RARE_ARGUMENTS], function, call;
    char name[32];

    assert(count < RARE_ARGUMENTS);
    memcpy(passed, arguments, count * sizeof(*passed));
    passed[count] = jit_build_field(e, e->abi.services, offset, unit->ptr, true, "");
    for (unsigned a = 0; a <= count; a++)
        types[a] = LLVMTypeOf(passed[a]);
    snprintf(name, sizeof(name), "rare.service.%zu", offset);
    function = LLVMGetNamedFunction(unit->module, name);
    if (!function)
        function = make_rare(unit, name, types, count);
    call = LLVMBuildCall2(e->builder, LLVMGlobalGetValueType(function), function, passed, count + 1,
                          "");
    LLVMSetInstructionCallConv(call, LLVMPreserveMostCallConv);
}

void jit_build_yield(struct jit_emitter *e)
{
    LLVMValueRef arguments[] = {e->abi.block, e->vector.warp};

    jit_build_service(e, offsetof(struct cup_abi_services, yield), e->unit->nothing, arguments, 2);
}

void jit_build_trap(struct jit_emitter *e, LLVMValueRef lanes, uint32_t reason, uint32_t line)
{
    LLVMBuilderRef b = e->builder;
    LLVMValueRef arguments[5], lane = LLVMBuildAnd(b, e->vector.first, jit_i32(e->unit, 31), "");

    arguments[0] = e->abi.block;
    arguments[1] = e->vector.warp;
    arguments[2] = LLVMBuildShl(b, lanes, lane, ""); /* lanes of the warp, not of the vector */
    arguments[3] = jit_i32(e->unit, reason);
    arguments[4] = jit_i32(e->unit, line);
    jit_build_service(e, offsetof(struct cup_abi_services, trap), e->unit->nothing, arguments, 5);
}

LLVMValueRef jit_build_overloaded(struct jit_emitter *e, const char *intrinsic,
                                  LLVMTypeRef *overloads, unsigned overload_count,
                                  LLVMValueRef *arguments, unsigned count)
{
    unsigned id = LLVMLookupIntrinsicID(intrinsic, strlen(intrinsic));
    LLVMValueRef function =
        LLVMGetIntrinsicDeclaration(e->unit->module, id, overloads, overload_count);
    LLVMTypeRef type = LLVMIntrinsicGetType(e->unit->context, id, overloads, overload_count);

    return LLVMBuildCall2(e->builder, type, function, arguments, count, "");
}

LLVMValueRef jit_build_call(struct jit_emitter *e, const char *intrinsic, LLVMTypeRef overload,
                            LLVMValueRef *arguments, unsigned count)
{
    return jit_build_overloaded(e, intrinsic, &overload, overload ? 1 : 0, arguments, count);
}

static LLVMValueRef slice(struct jit_emitter *e, LLVMValueRef vector, unsigned first,
                          unsigned count)
{
    LLVMValueRef indices[64];

    for (unsigned i = 0; i < count; i++)
        indices[i] = jit_i32(e->unit, first + i);
    return LLVMBuildShuffleVector(e->builder, vector, LLVMGetPoison(LLVMTypeOf(vector)),
                                  LLVMConstVector(indices, count), "");
}

LLVMValueRef jit_build_bits(struct jit_emitter *e, LLVMValueRef lanes)
{
    struct jit_unit *unit = e->unit;
    /* NEON converts up to 16 lanes to bits efficiently, but not more. */
    unsigned part = unit->arm && e->width > 16 ? 16 : e->width;
    LLVMValueRef bits = NULL;

    for (unsigned first = 0; first < e->width; first += part) {
        LLVMValueRef some = part == e->width ? lanes : slice(e, lanes, first, part);

        some = LLVMBuildBitCast(e->builder, some, LLVMIntTypeInContext(unit->context, part), "");
        if (part < 32)
            some = LLVMBuildZExt(e->builder, some, unit->i32, "");
        if (first)
            some = LLVMBuildShl(e->builder, some, jit_i32(unit, first), "");
        bits = bits ? LLVMBuildOr(e->builder, bits, some, "") : some;
    }
    return bits;
}

LLVMValueRef jit_build_lanes(struct jit_emitter *e, LLVMValueRef bits)
{
    struct jit_unit *unit = e->unit;
    unsigned width = e->width, bytes = width > 8 ? width / 8 : 1;
    LLVMValueRef indices[64], ones[64], all;

    if (LLVMIsConstant(bits)) {
        uint64_t value = LLVMConstIntGetZExtValue(bits);

        for (unsigned lane = 0; lane < width; lane++)
            ones[lane] = LLVMConstInt(unit->i1, value >> lane & 1, false);
        return LLVMConstVector(ones, width);
    }
    if (bytes < 4)
        bits = LLVMBuildTrunc(e->builder, bits, LLVMIntTypeInContext(unit->context, bytes * 8), "");
    if (unit->mask_registers && width >= 8) /* one move */
        return LLVMBuildBitCast(e->builder, bits, LLVMVectorType(unit->i1, width), "");
    for (unsigned lane = 0; lane < width; lane++) {
        indices[lane] = jit_i32(unit, lane / 8);
        ones[lane] = LLVMConstInt(unit->i8, 1u << (lane % 8), false);
    }
    all = LLVMBuildBitCast(e->builder, bits, LLVMVectorType(unit->i8, bytes), "");
    all = LLVMBuildShuffleVector(e->builder, all, LLVMGetPoison(LLVMTypeOf(all)),
                                 LLVMConstVector(indices, width), "");
    all = LLVMBuildAnd(e->builder, all, LLVMConstVector(ones, width), "");
    return LLVMBuildICmp(e->builder, LLVMIntNE, all, LLVMConstNull(LLVMTypeOf(all)), "");
}

LLVMValueRef jit_parts_take(struct jit_emitter *e, LLVMValueRef all, unsigned part, unsigned count)
{
    LLVMValueRef indices[64];

    if (count == 1)
        return all;
    for (unsigned lane = 0; lane < e->width; lane++)
        indices[lane] = jit_i32(e->unit, lane * count + part);
    return LLVMBuildShuffleVector(e->builder, all, LLVMGetPoison(LLVMTypeOf(all)),
                                  LLVMConstVector(indices, e->width), "");
}

/* Concatenates the parts, then interleaves them to memory order. Four bytes per lane are joined as
 * i32 words, which the optimiser simplifies if they come from such words. */
LLVMValueRef jit_parts_join(struct jit_emitter *e, const LLVMValueRef *parts, unsigned count)
{
    LLVMValueRef indices[512], joined[8];
    unsigned width = e->width, pieces = count;

    if (count == 4 && LLVMGetElementType(LLVMTypeOf(parts[0])) == e->unit->i8)
        return jit_build_words_of_bytes(e, parts);
    for (unsigned p = 0; p < count; p++)
        joined[p] = parts[p];
    while (pieces > 1) {
        for (unsigned i = 0; i < 2 * width; i++)
            indices[i] = jit_i32(e->unit, i);
        for (unsigned p = 0; p < pieces / 2; p++)
            joined[p] = LLVMBuildShuffleVector(e->builder, joined[2 * p], joined[2 * p + 1],
                                               LLVMConstVector(indices, 2 * width), "");
        pieces /= 2;
        width *= 2;
    }
    if (count == 1)
        return joined[0];
    for (unsigned i = 0; i < width; i++)
        indices[i] = jit_i32(e->unit, i % count * e->width + i / count);
    return LLVMBuildShuffleVector(e->builder, joined[0], LLVMGetPoison(LLVMTypeOf(joined[0])),
                                  LLVMConstVector(indices, width), "");
}

LLVMTypeRef jit_word_type(struct jit_emitter *e, unsigned bytes)
{
    return LLVMIntTypeInContext(e->unit->context, bytes * 8);
}

static bool is_vector(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind;
}

LLVMValueRef jit_word_join(struct jit_emitter *e, const LLVMValueRef *parts, unsigned count,
                           unsigned bytes)
{
    LLVMTypeRef type = LLVMTypeOf(parts[0]), word = jit_word_type(e, bytes);
    LLVMValueRef all;

    if (is_vector(type))
        return LLVMBuildBitCast(e->builder, jit_parts_join(e, parts, count),
                                jit_vector_type(e, word), "");
    all = LLVMGetPoison(LLVMVectorType(type, count));
    for (unsigned part = 0; part < count; part++)
        all = LLVMBuildInsertElement(e->builder, all, parts[part], jit_i32(e->unit, part), "");
    return LLVMBuildBitCast(e->builder, all, word, "");
}

void jit_word_split(struct jit_emitter *e, LLVMValueRef word, LLVMTypeRef element, unsigned count,
                    LLVMValueRef *parts)
{
    bool lanes = is_vector(LLVMTypeOf(word));
    LLVMValueRef all = LLVMBuildBitCast(
        e->builder, word, LLVMVectorType(element, (lanes ? e->width : 1) * count), "");

    for (unsigned part = 0; part < count; part++)
        parts[part] = lanes ? jit_parts_take(e, all, part, count)
                            : LLVMBuildExtractElement(e->builder, all, jit_i32(e->unit, part), "");
}

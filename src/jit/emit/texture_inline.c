/* SPDX-License-Identifier: MIT */
/* Texture fetches in place: two dimensions, point sampling, clamped, coordinates in texels, 32
 * bits a texel. The runtime says once where the texture is; then compiled code reads it without
 * calls.
 *
 * A warp mostly reads consecutive texels of one row, by coordinates that are thread numbers plus a
 * constant. Then the first lane's coordinate is enough, or the first and the last: if their
 * columns are as far apart as the lanes, the texels between are consecutive. That is one vector
 * load, and the coordinates of the other lanes are not computed. */
#include "jit/emit/texture_inline.h"

#include "abi/texture.h"
#include "jit/analysis/uniformity.h"
#include "jit/emit/cold_paths.h"
#include "jit/emit/emitter.h"
#include "jit/emit/image_op.h"
#include "jit/emit/ir.h"
#include "jit/emit/operands.h"

#include <stddef.h>

uint8_t jit_inline_sample_form(const struct jit_emitter *e, const struct jit_image_op *op)
{
    const struct cup_abi_texture_call *shape = &op->shape;

    if (jit_emitter_is_masked(e) || e->width == 1 || shape->geometry != 1 ||
        !shape->float_coordinates || shape->level_mode || shape->gather ||
        shape->element_bits != 32 || shape->apart || op->values[CUP_ABI_TEXTURE_OFFSET] ||
        shape->arrays[CUP_ABI_TEXTURE_RESIDENCY])
        return CUP_ABI_TEXTURE_INLINE_NONE;
    if (shape->components == 1)
        return CUP_ABI_TEXTURE_INLINE_WORDS;
    return shape->float_result ? CUP_ABI_TEXTURE_INLINE_FRACTIONS : CUP_ABI_TEXTURE_INLINE_BYTES;
}

LLVMValueRef jit_inline_field(struct jit_emitter *e, const struct jit_image_op *op, size_t offset,
                              LLVMTypeRef type)
{
    return jit_build_field(e, op->call, offsetof(struct cup_abi_texture_call, plain) + offset, type,
                           false, "");
}

void jit_inline_require(struct jit_emitter *e, const struct jit_image_op *op,
                        LLVMValueRef condition)
{
    LLVMBasicBlockRef on = jit_build_block(e, "place");

    jit_build_likely(e, condition, on, op->cold_path->block, 2000);
    jit_build_at(e, on);
}

void jit_inline_begin(struct jit_emitter *e, const struct jit_image_op *op)
{
    LLVMValueRef known =
        jit_inline_field(e, op, offsetof(struct cup_abi_texture_plain, handle), e->unit->i64);

    jit_inline_require(e, op, LLVMBuildICmp(e->builder, LLVMIntEQ, op->handle.value, known, ""));
}

struct places {
    LLVMValueRef base, row_bytes, last[2];
    const struct ptx_operand *at[2]; /* column and row */
};

static LLVMValueRef clamped(struct jit_emitter *e, LLVMValueRef value, LLVMValueRef last)
{
    LLVMValueRef arguments[2] = {value, LLVMConstNull(LLVMTypeOf(value))};

    arguments[0] = jit_build_call(e, "llvm.smax", LLVMTypeOf(value), arguments, 2);
    arguments[1] = last;
    return jit_build_call(e, "llvm.smin", LLVMTypeOf(value), arguments, 2);
}

/* floor as an integer, of a scalar or a vector; NaN gives 0. */
static LLVMValueRef whole(struct jit_emitter *e, LLVMValueRef value, LLVMTypeRef words)
{
    LLVMTypeRef both[2] = {words, LLVMTypeOf(value)};

    value = jit_build_call(e, "llvm.floor", both[1], &value, 1);
    return jit_build_overloaded(e, "llvm.fptosi.sat", both, 2, &value, 1);
}

/* The texel on one axis, clamped to the image. */
static struct jit_value texel_on(struct jit_emitter *e, const struct places *places, unsigned axis)
{
    struct jit_value bits;
    LLVMTypeRef words = e->unit->i32, floats = e->unit->f32;
    LLVMValueRef last = places->last[axis];

    e->ignore_nan = true; /* the bits of a NaN do not matter */
    bits = jit_operand_read(e, places->at[axis], PTX_B32);
    e->ignore_nan = false;
    if (!jit_value_is_uniform(&bits)) {
        bits = jit_vector(jit_value_vector(e, bits));
        words = jit_vector_type(e, words);
        floats = jit_vector_type(e, floats);
        last = jit_build_splat(e, last);
    }
    bits.value = LLVMBuildBitCast(e->builder, bits.value, floats, "");
    bits.value = clamped(e, whole(e, bits.value, words), last);
    return bits;
}

static LLVMValueRef lane_of(struct jit_emitter *e, struct jit_value value, unsigned lane)
{
    return value.vector
               ? LLVMBuildExtractElement(e->builder, value.value, jit_i32(e->unit, lane), "")
               : value.value;
}

static LLVMValueRef address_of(struct jit_emitter *e, const struct places *places,
                               LLVMValueRef column, LLVMValueRef row)
{
    LLVMBuilderRef b = e->builder;
    LLVMTypeRef wide = e->unit->i64;

    column = LLVMBuildShl(b, LLVMBuildZExt(b, column, wide, ""), jit_i64(e->unit, 2), "");
    row = LLVMBuildMul(b, LLVMBuildZExt(b, row, wide, ""), places->row_bytes, "");
    return jit_build_offset(e, places->base, LLVMBuildAdd(b, column, row, ""));
}

/* A vector that is all zero if the lanes ascend by `step` from the first. */
static LLVMValueRef differences(struct jit_emitter *e, struct jit_value value, int64_t step)
{
    LLVMValueRef first = lane_of(e, value, 0);

    return LLVMBuildXor(e->builder, jit_value_vector(e, value),
                        jit_value_vector(e, jit_scalar(first, step)), "");
}

/* Whether the lanes read consecutive words of one row. */
static LLVMValueRef is_a_row(struct jit_emitter *e, struct jit_value column, struct jit_value row)
{
    LLVMValueRef other = differences(e, column, 1);

    if (row.vector)
        other = LLVMBuildOr(e->builder, other, differences(e, row, 0), "");
    other = jit_build_call(e, "llvm.vector.reduce.or", LLVMTypeOf(other), &other, 1);
    return LLVMBuildICmp(e->builder, LLVMIntEQ, other, jit_i32(e->unit, 0), "");
}

/* Loads the texels lane by lane. */
static LLVMValueRef read_lanes(struct jit_emitter *e, const struct places *places,
                               struct jit_value column, struct jit_value row)
{
    LLVMValueRef words = LLVMGetPoison(jit_vector_type(e, e->unit->i32));

    for (unsigned lane = 0; lane < e->width; lane++) {
        LLVMValueRef at = address_of(e, places, lane_of(e, column, lane), lane_of(e, row, lane));

        words = LLVMBuildInsertElement(e->builder, words, jit_build_load(e, e->unit->i32, at, 4),
                                       jit_i32(e->unit, lane), "");
    }
    return words;
}

/* Up to three code paths that join where the texels are loaded. */
struct ways {
    LLVMBasicBlockRef after, from[3];
    LLVMValueRef words[3];
    unsigned count;
};

static void end_way(struct jit_emitter *e, struct ways *ways, LLVMValueRef words)
{
    ways->words[ways->count] = words;
    ways->from[ways->count++] = jit_build_here(e);
    LLVMBuildBr(e->builder, ways->after);
}

static void read_row(struct jit_emitter *e, const struct places *places, LLVMValueRef column,
                     LLVMValueRef row, struct ways *ways)
{
    LLVMTypeRef words = jit_vector_type(e, e->unit->i32);

    end_way(e, ways, jit_build_load(e, words, address_of(e, places, column, row), 4));
}

/* Reads with arbitrary coordinates: a row load if they turn out consecutive, else lane by lane. */
static void read_anyhow(struct jit_emitter *e, const struct places *places, struct ways *ways)
{
    LLVMBasicBlockRef row_way = jit_build_block(e, "tex.row"),
                      lanes_way = jit_build_block(e, "tex.lanes");
    struct jit_value column = texel_on(e, places, 0), row = texel_on(e, places, 1);

    LLVMBuildCondBr(e->builder, is_a_row(e, column, row), row_way, lanes_way);
    jit_build_at(e, row_way);
    read_row(e, places, lane_of(e, column, 0), lane_of(e, row, 0), ways);
    jit_build_at(e, lanes_way);
    end_way(e, ways, read_lanes(e, places, column, row));
}

/* Whether all lanes from this column on are inside the row. */
static LLVMValueRef is_inside(struct jit_emitter *e, const struct places *places,
                              LLVMValueRef column)
{
    LLVMBuilderRef b = e->builder;
    LLVMValueRef most = LLVMBuildSub(b, places->last[0], jit_i32(e->unit, e->width - 1), "");

    return LLVMBuildAnd(b, LLVMBuildICmp(b, LLVMIntSGE, column, jit_i32(e->unit, 0), ""),
                        LLVMBuildICmp(b, LLVMIntSLE, column, most, ""), "");
}

/* Branches on the condition. The builder continues where it holds; elsewhere the coordinates of all
 * lanes are computed and read by read_anyhow(). */
static void straight_if(struct jit_emitter *e, const struct jit_cold_path *cold_path,
                        const struct places *places, LLVMValueRef condition, struct ways *ways)
{
    LLVMBasicBlockRef straight = jit_build_block(e, "tex.straight"),
                      other = jit_build_block(e, "tex.other");

    jit_build_likely(e, condition, straight, other, 100);
    jit_build_at(e, other);
    jit_cold_path_recompute(e, cold_path);
    read_anyhow(e, places, ways);
    jit_build_at(e, straight);
}

/* Reads a row whose column and row are integers plus constants, without float arithmetic. */
static bool read_exactly(struct jit_emitter *e, const struct jit_cold_path *cold_path,
                         const struct places *places, const struct jit_counter *columns,
                         const struct jit_counter *rows, struct ways *ways)
{
    struct jit_unit *unit = e->unit;
    LLVMBuilderRef b = e->builder;
    LLVMValueRef column, row, inside;
    int32_t shift[2];

    if (!jit_counter_is_exact(columns, &shift[0]) || !jit_counter_is_exact(rows, &shift[1]))
        return false;
    column =
        LLVMBuildAdd(b, jit_counter_integer(e, columns), jit_i32(unit, (uint32_t)shift[0]), "");
    row = LLVMBuildAdd(b, jit_counter_integer(e, rows), jit_i32(unit, (uint32_t)shift[1]), "");
    inside = LLVMBuildAnd(b, is_inside(e, places, column),
                          LLVMBuildICmp(b, LLVMIntULE, row, places->last[1], ""), "");
    straight_if(e, cold_path, places, inside, ways);
    read_row(e, places, column, row, ways);
    return true;
}

/* Reads a row by the coordinates of the first and the last lane. Each coordinate is rounded once,
 * from exact numbers, and rounding is monotonic: if the ends are as far apart as the lanes, the
 * texels between are consecutive. */
static void read_by_ends(struct jit_emitter *e, const struct jit_cold_path *cold_path,
                         const struct places *places, const struct jit_counter *columns,
                         struct ways *ways)
{
    enum { EXACT = (1 << 24) - 64 }; /* integers below this are exact as floats */
    LLVMBuilderRef b = e->builder;
    struct jit_unit *unit = e->unit;
    LLVMValueRef integer = jit_counter_integer(e, columns), first, last, span, inside;

    first = whole(e, jit_counter_coordinate(e, columns, integer), unit->i32);
    last = LLVMBuildAdd(b, integer, jit_i32(unit, e->width - 1), "");
    last = whole(e, jit_counter_coordinate(e, columns, last), unit->i32);
    span = LLVMBuildSub(b, last, first, "");
    inside = LLVMBuildAnd(b, is_inside(e, places, first),
                          LLVMBuildICmp(b, LLVMIntULE, integer, jit_i32(unit, EXACT), ""), "");
    inside = LLVMBuildAnd(b, inside,
                          LLVMBuildICmp(b, LLVMIntEQ, span, jit_i32(unit, e->width - 1), ""), "");
    straight_if(e, cold_path, places, inside, ways);
    read_row(e, places, first, texel_on(e, places, 1).value, ways);
}

/* Reads consecutive texels if the coordinates show them; returns false if the lanes may be
 * anywhere. */
static bool read_straight(struct jit_emitter *e, const struct jit_image_op *op,
                          const struct places *places, struct ways *ways)
{
    uint32_t at = (uint32_t)(op->instruction - e->function->ptx->instructions);
    struct jit_counter columns, rows;

    if (jit_uniformity_of_operand(e->function, e->function->uniformity[0], places->at[1]).kind !=
            JIT_UNIFORM ||
        !jit_counter_find(e, places->at[0], at, &columns) || columns.uniformity.kind != JIT_AFFINE)
        return false;
    for (unsigned i = 0; i < columns.count; i++)
        op->cold_path->recomputed[i] = (uint32_t)(columns.from[i] - e->function->ptx->instructions);
    op->cold_path->recomputed_count = columns.count;
    if (!jit_counter_find(e, places->at[1], at, &rows) ||
        !read_exactly(e, op->cold_path, places, &columns, &rows, ways))
        read_by_ends(e, op->cold_path, places, &columns, ways);
    return true;
}

static LLVMValueRef read_words(struct jit_emitter *e, const struct jit_image_op *op)
{
    struct jit_unit *unit = e->unit;
    struct ways ways = {.after = jit_build_block(e, "tex.words")};
    struct places places = {
        .base = jit_inline_field(e, op, offsetof(struct cup_abi_texture_plain, base), unit->ptr),
        .row_bytes =
            jit_inline_field(e, op, offsetof(struct cup_abi_texture_plain, row_bytes), unit->i64),
    };
    LLVMValueRef phi;

    for (unsigned axis = 0; axis < 2; axis++) {
        size_t offset = offsetof(struct cup_abi_texture_plain, last) + axis * sizeof(int32_t);

        places.last[axis] = jit_inline_field(e, op, offset, unit->i32);
        places.at[axis] = jit_image_part(e, &op->instruction->src[2], axis);
    }
    if (!read_straight(e, op, &places, &ways))
        read_anyhow(e, &places, &ways);
    jit_build_at(e, ways.after);
    phi = LLVMBuildPhi(e->builder, LLVMTypeOf(ways.words[0]), "words");
    LLVMAddIncoming(phi, ways.words, ways.from, ways.count);
    return phi;
}

/* v / 255 rounded to nearest, of bytes: v / 256 is exact, and the other addend is small. */
static LLVMValueRef fractions(struct jit_emitter *e, LLVMValueRef bytes)
{
    LLVMBuilderRef b = e->builder;
    LLVMTypeRef floats = jit_vector_type(e, e->unit->f32);
    LLVMValueRef value = LLVMBuildUIToFP(b, bytes, floats, "");
    LLVMValueRef most = jit_build_splat(e, LLVMConstReal(e->unit->f32, 1.0 / 256)),
                 rest = jit_build_splat(e, LLVMConstReal(e->unit->f32, 1.0 / 255 - 1.0 / 256));

    value =
        LLVMBuildFAdd(b, LLVMBuildFMul(b, value, most, ""), LLVMBuildFMul(b, value, rest, ""), "");
    return LLVMBuildBitCast(b, value, jit_vector_type(e, e->unit->i32), "");
}

void jit_inline_sample(struct jit_emitter *e, struct jit_image_op *op)
{
    LLVMValueRef texels[4];
    unsigned parts = op->shape.place == CUP_ABI_TEXTURE_INLINE_WORDS ? 1 : 4;

    jit_inline_begin(e, op);
    texels[0] = read_words(e, op);
    if (parts == 4)
        jit_build_bytes_of_words(e, texels[0], texels);
    for (unsigned part = 0; part < parts; part++) {
        const struct ptx_operand *target = jit_image_part(e, &op->instruction->dst[0], part);

        if (op->shape.place == CUP_ABI_TEXTURE_INLINE_FRACTIONS)
            texels[part] = fractions(e, texels[part]);
        if (target)
            jit_operand_write(e, target, PTX_B32, jit_vector(texels[part]));
    }
}

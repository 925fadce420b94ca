/* SPDX-License-Identifier: MIT */
/* Textures and surfaces. Sampling is the runtime's affair: the operands of the lanes go to arrays
 * on the stack, and one call does all lanes. What never changes of a call is written once, where
 * the function begins: the instruction's shape, and where the arrays are. */
#include "jit/compile.h"

#include <stddef.h>
#include <string.h>

enum { WORD = sizeof(uint64_t) };

/* ---- Where the function begins ---- */

static LLVMBasicBlockRef go_to_entry(struct cup_body *body)
{
    LLVMBasicBlockRef here = cup_build_here(body);

    LLVMPositionBuilderBefore(body->builder, body->entry_end);
    return here;
}

static LLVMValueRef array_of(struct cup_body *body, unsigned which)
{
    if (!body->texture_arrays[which]) {
        body->texture_arrays[which] =
            cup_build_alloca(body, body->unit->i64, CUP_WARP_LANES, "texture");
        LLVMSetAlignment(body->texture_arrays[which], 64);
    }
    return body->texture_arrays[which];
}

/* The call's structure, with the constants of `shape` and the addresses of its arrays, which are
 * marked there by anything but NULL. */
static LLVMValueRef make_call(struct cup_body *body, const struct cup_texture_call *shape)
{
    struct cup_unit *unit = body->unit;
    LLVMValueRef call = cup_build_alloca(body, unit->i64, sizeof(*shape) / WORD, "texture.call");
    LLVMValueRef arrays[CUP_TEXTURE_ARRAYS];
    LLVMBasicBlockRef here;
    size_t constant_bytes = offsetof(struct cup_texture_call, arrays);

    LLVMSetAlignment(call, 64);
    for (unsigned a = 0; a < CUP_TEXTURE_ARRAYS; a++)
        arrays[a] = shape->arrays[a] ? array_of(body, a) : LLVMConstNull(unit->ptr);
    here = go_to_entry(body);
    for (size_t at = 0; at < constant_bytes; at += WORD) {
        uint64_t word;

        memcpy(&word, (const char *)shape + at, WORD);
        cup_build_store(body, cup_i64(unit, word), cup_build_offset(body, call, cup_i64(unit, at)),
                        WORD);
    }
    for (unsigned a = 0; a < CUP_TEXTURE_ARRAYS; a++)
        cup_build_store(
            body, arrays[a],
            cup_build_offset(body, call, cup_i64(unit, constant_bytes + a * sizeof(void *))), WORD);
    cup_build_store(body, cup_i64(unit, 0),
                    cup_build_offset(
                        body, call, cup_i64(unit, offsetof(struct cup_texture_call, plain.handle))),
                    WORD);
    cup_build_at(body, here);
    return call;
}

/* ---- Operands ---- */

struct image_op {
    const struct ptx_instruction *instruction;
    struct cup_texture_call shape;
    LLVMValueRef values[CUP_TEXTURE_ARRAYS]; /* vectors, of what is read */
};

static const struct ptx_operand *part_of(const struct cup_body *body,
                                         const struct ptx_operand *operand, unsigned part)
{
    if (operand->kind != PTX_OPERAND_VECTOR)
        return part == 0 ? operand : NULL;
    return part < operand->count ? &body->function->elements[operand->index + part] : NULL;
}

static void mark(struct image_op *op, unsigned which)
{
    op->shape.arrays[which] = op; /* make_call puts the address there */
}

static void read_into(struct cup_body *body, struct image_op *op, unsigned which,
                      const struct ptx_operand *operand, enum ptx_type type)
{
    if (!operand)
        return;
    body->blind = true; /* a NaN is outside, whatever its bits are */
    op->values[which] = cup_value_vector(body, cup_operand_read(body, operand, type));
    body->blind = false;
    mark(op, which);
}

static unsigned axes_of(unsigned geometry)
{
    static const uint8_t axes[] = {1, 2, 3, 1, 2, 3, 3};

    return axes[geometry];
}

static bool is_layered(unsigned geometry)
{
    static const bool layered[] = {false, false, false, true, true, false, true};

    return layered[geometry];
}

/* The numbers of enum cup_geometry; -1: none that there is. */
static int geometry_of(const struct ptx_instruction *i)
{
    static const enum ptx_modifier words[] = {PTX_MOD_G1D, PTX_MOD_G2D,  PTX_MOD_G3D,  PTX_MOD_A1D,
                                              PTX_MOD_A2D, PTX_MOD_CUBE, PTX_MOD_ACUBE};

    for (unsigned w = 0; w < sizeof(words) / sizeof(*words); w++)
        if (ptx_has(i, words[w]))
            return (int)w;
    return -1;
}

/* The layer comes first. */
static void read_coordinates(struct cup_body *body, struct image_op *op,
                             const struct ptx_operand *operand)
{
    unsigned first = 0;

    if (is_layered(op->shape.geometry)) {
        read_into(body, op, CUP_TEXTURE_LAYER, part_of(body, operand, 0), PTX_B32);
        first = 1;
    }
    for (unsigned axis = 0; axis < axes_of(op->shape.geometry); axis++)
        read_into(body, op, CUP_TEXTURE_COORDINATE + axis, part_of(body, operand, first + axis),
                  PTX_B32);
}

static void read_axes(struct cup_body *body, struct image_op *op, unsigned which,
                      const struct ptx_operand *operand)
{
    for (unsigned axis = 0; axis < axes_of(op->shape.geometry); axis++)
        read_into(body, op, which + axis, part_of(body, operand, axis), PTX_B32);
}

/* ---- The call ---- */

static void call_runtime(struct cup_body *body, struct image_op *op, struct cup_value handle,
                         LLVMValueRef call)
{
    struct cup_unit *unit = body->unit;
    LLVMValueRef arguments[] = {body->block, body->warp, cup_mask_bits(body),
                                handle.vector ? cup_i64(unit, 0) : handle.value, call};

    for (unsigned a = 0; a < CUP_TEXTURE_ARRAYS; a++)
        if (op->values[a])
            cup_build_store(body, op->values[a], array_of(body, a), 16);
    cup_build_service(body, offsetof(struct cup_services, texture), unit->nothing, arguments, 5);
}

/* The handle, one for all lanes or an array of theirs, and the call's structure. */
static LLVMValueRef prepare(struct cup_body *body, struct image_op *op, struct cup_value *handle)
{
    *handle = cup_operand_read(body, &op->instruction->src[0], PTX_B64);
    if (!cup_value_is_uniform(handle)) {
        *handle = cup_vector(cup_value_vector(body, *handle));
        op->values[CUP_TEXTURE_HANDLE] = handle->value;
        mark(op, CUP_TEXTURE_HANDLE);
    }
    op->shape.line = op->instruction->line;
    return make_call(body, &op->shape);
}

static void ask_runtime(struct cup_body *body, struct image_op *op)
{
    struct cup_value handle;
    LLVMValueRef call = prepare(body, op, &handle);

    call_runtime(body, op, handle, call);
}
/* Lanes that were off hold anything, but one thing. */
static LLVMValueRef result_of(struct cup_body *body, unsigned part, LLVMTypeRef element)
{
    LLVMValueRef load = cup_build_load(body, cup_vector_type(body, element),
                                       array_of(body, CUP_TEXTURE_RESULT + part), 16);

    return LLVMBuildFreeze(body->builder, load, "");
}

/* ---- tex and tld4 ---- */

static bool is_wanted(const struct cup_body *body, const struct ptx_operand *operand)
{
    return operand && operand->kind == PTX_OPERAND_REGISTER && body->cfg.uses[operand->index] > 0;
}

/* How many components somebody looks at: 1, 2 or 4. */
static unsigned components_wanted(const struct cup_body *body, const struct ptx_instruction *i)
{
    unsigned each = i->types[0] == PTX_F16X2 ? 2 : 1, wanted = 1;

    for (unsigned part = 0; part < 4 / each; part++)
        if (is_wanted(body, part_of(body, &i->dst[0], part)))
            wanted = (part + 1) * each;
    return wanted > 2 ? 4 : wanted;
}

static bool read_sample_operands(struct cup_body *body, struct image_op *op)
{
    const struct ptx_instruction *i = op->instruction;
    unsigned next = 3;

    read_coordinates(body, op, &i->src[2]);
    if (i->op == PTX_OP_tex && ptx_has(i, PTX_MOD_LEVEL)) {
        op->shape.level_mode = 1;
        read_into(body, op, CUP_TEXTURE_LEVEL, &i->src[next++], PTX_B32);
    } else if (i->op == PTX_OP_tex && ptx_has(i, PTX_MOD_GRAD)) {
        op->shape.level_mode = 2;
        read_axes(body, op, CUP_TEXTURE_GRADIENT_X, &i->src[next++]);
        read_axes(body, op, CUP_TEXTURE_GRADIENT_Y, &i->src[next++]);
    }
    if (next < i->source_count && i->src[next].kind == PTX_OPERAND_VECTOR)
        read_axes(body, op, CUP_TEXTURE_OFFSET, &i->src[next++]);
    return next == i->source_count; /* what is left is a value to compare with */
}

static void write_samples(struct cup_body *body, const struct ptx_instruction *i)
{
    struct cup_unit *unit = body->unit;
    LLVMBuilderRef b = body->builder;
    unsigned parts = i->types[0] == PTX_F16X2 ? 2 : 4;

    for (unsigned part = 0; part < parts; part++) {
        const struct ptx_operand *operand = part_of(body, &i->dst[0], part);
        LLVMValueRef value;

        if (!is_wanted(body, operand))
            continue;
        if (i->types[0] == PTX_F16) {
            value = LLVMBuildTrunc(b, result_of(body, part, unit->i32),
                                   cup_vector_type(body, unit->i16), "");
            cup_operand_write(body, operand, PTX_B16, cup_vector(value));
            continue;
        }
        value = result_of(body, parts == 2 ? 2 * part : part, unit->i32);
        if (parts == 2) {
            LLVMValueRef high = result_of(body, 2 * part + 1, unit->i32),
                         half = cup_build_splat(body, cup_i32(unit, 16)),
                         low = cup_build_splat(body, cup_i32(unit, 0xffff));

            value = LLVMBuildOr(b, LLVMBuildAnd(b, value, low, ""), LLVMBuildShl(b, high, half, ""),
                                "");
        }
        cup_operand_write(body, operand, PTX_B32, cup_vector(value));
    }
}

/* ---- Reading words without asking ---- */

struct plain {
    LLVMValueRef base, row_bytes;
    struct cup_value column, row; /* i32, of the lanes or of all of them */
};

static LLVMValueRef plain_field(struct cup_body *body, LLVMValueRef call, size_t offset,
                                LLVMTypeRef type)
{
    return cup_build_field(body, call, offsetof(struct cup_texture_call, plain) + offset, type,
                           false, "");
}

/* floor, and the nearest that there is. */
static struct cup_value place_on_axis(struct cup_body *body, struct cup_value bits,
                                      LLVMValueRef last)
{
    LLVMTypeRef words = body->unit->i32, floats = body->unit->f32, both[2];
    LLVMValueRef value, arguments[2], convert;
    unsigned id = LLVMLookupIntrinsicID("llvm.fptosi.sat", 15);

    if (!cup_value_is_uniform(&bits)) {
        bits = cup_vector(cup_value_vector(body, bits));
        words = cup_vector_type(body, words);
        floats = cup_vector_type(body, floats);
        last = cup_build_splat(body, last);
    }
    both[0] = words;
    both[1] = floats;
    convert = LLVMGetIntrinsicDeclaration(body->unit->module, id, both, 2);
    value = LLVMBuildBitCast(body->builder, bits.value, floats, "");
    value = cup_build_call(body, "llvm.floor", floats, &value, 1);
    arguments[0] =
        LLVMBuildCall2(body->builder, LLVMIntrinsicGetType(body->unit->context, id, both, 2),
                       convert, &value, 1, "");
    arguments[1] = LLVMConstNull(words);
    arguments[0] = cup_build_call(body, "llvm.smax", words, arguments, 2);
    arguments[1] = last;
    value = cup_build_call(body, "llvm.smin", words, arguments, 2);
    return bits.vector ? cup_vector(value) : cup_scalar(value, 0);
}

static LLVMValueRef lane_of(struct cup_body *body, struct cup_value value, unsigned lane)
{
    return value.vector
               ? LLVMBuildExtractElement(body->builder, value.value, cup_i32(body->unit, lane), "")
               : value.value;
}

/* Bits that are all zero if the lanes go up by `step` from the first. */
static LLVMValueRef differences(struct cup_body *body, struct cup_value value, int64_t step)
{
    LLVMValueRef first = lane_of(body, value, 0);

    return LLVMBuildXor(body->builder, cup_value_vector(body, value),
                        cup_value_vector(body, cup_scalar(first, step)), "");
}

/* Do the lanes read one word behind the other? */
static LLVMValueRef is_a_row(struct cup_body *body, const struct plain *plain)
{
    LLVMValueRef other = differences(body, plain->column, 1);

    if (plain->row.vector)
        other = LLVMBuildOr(body->builder, other, differences(body, plain->row, 0), "");
    other = cup_build_call(body, "llvm.vector.reduce.or", LLVMTypeOf(other), &other, 1);
    return LLVMBuildICmp(body->builder, LLVMIntEQ, other, cup_i32(body->unit, 0), "");
}

static LLVMValueRef word_address(struct cup_body *body, const struct plain *plain, unsigned lane)
{
    LLVMBuilderRef b = body->builder;
    LLVMTypeRef wide = body->unit->i64;
    LLVMValueRef column = LLVMBuildZExt(b, lane_of(body, plain->column, lane), wide, ""),
                 row = LLVMBuildZExt(b, lane_of(body, plain->row, lane), wide, "");

    return cup_build_offset(body, plain->base,
                            LLVMBuildAdd(b, LLVMBuildShl(b, column, cup_i64(body->unit, 2), ""),
                                         LLVMBuildMul(b, row, plain->row_bytes, ""), ""));
}

/* The words of all lanes, from where the builder is to where it is then. */
static LLVMValueRef read_words(struct cup_body *body, const struct plain *plain)
{
    LLVMBuilderRef b = body->builder;
    LLVMTypeRef words = cup_vector_type(body, body->unit->i32);
    LLVMBasicBlockRef from[2] = {cup_build_block(body, "tex.row"),
                                 cup_build_block(body, "tex.words")},
                      after = cup_build_block(body, "tex.read");
    LLVMValueRef values[2], phi;

    LLVMBuildCondBr(b, is_a_row(body, plain), from[0], from[1]);
    cup_build_at(body, from[0]);
    values[0] = cup_build_load(body, words, word_address(body, plain, 0), 4);
    LLVMBuildBr(b, after);
    cup_build_at(body, from[1]);
    values[1] = LLVMGetPoison(words);
    for (unsigned lane = 0; lane < body->width; lane++)
        values[1] = LLVMBuildInsertElement(
            b, values[1], cup_build_load(body, body->unit->i32, word_address(body, plain, lane), 4),
            cup_i32(body->unit, lane), "");
    LLVMBuildBr(b, after);
    cup_build_at(body, after);
    phi = LLVMBuildPhi(b, words, "words");
    LLVMAddIncoming(phi, values, from, 2);
    return phi;
}

/* Can it be read so, if the texture is of that kind? Only where all lanes are on. */
static bool may_be_plain(const struct cup_body *body, const struct image_op *op,
                         struct cup_value handle)
{
    const struct cup_texture_call *shape = &op->shape;

    return !body->slow && !handle.vector && shape->geometry == 1 && shape->float_coordinates &&
           !shape->level_mode && !shape->gather && shape->element_bits == 32 &&
           shape->components == 1 && !op->values[CUP_TEXTURE_OFFSET];
}

static void sample(struct cup_body *body, struct image_op *op)
{
    struct cup_unit *unit = body->unit;
    LLVMBuilderRef b = body->builder;
    const struct ptx_operand *target = part_of(body, &op->instruction->dst[0], 0);
    struct cup_value handle, coordinates[2];
    LLVMValueRef call = prepare(body, op, &handle), values[2], phi;
    LLVMBasicBlockRef own, asked, after, from[2];
    struct plain plain;

    if (!may_be_plain(body, op, handle)) {
        call_runtime(body, op, handle, call);
        write_samples(body, op->instruction);
        return;
    }
    body->blind = true;
    for (unsigned axis = 0; axis < 2; axis++)
        coordinates[axis] =
            cup_operand_read(body, part_of(body, &op->instruction->src[2], axis), PTX_B32);
    body->blind = false;
    own = cup_build_block(body, "tex.own");
    asked = cup_build_block(body, "tex.asked");
    after = cup_build_block(body, "tex.end");
    LLVMBuildCondBr(
        b, LLVMBuildICmp(b, LLVMIntEQ, handle.value, plain_field(body, call, 0, unit->i64), ""),
        own, asked);
    cup_build_at(body, own);
    plain.base = plain_field(body, call, offsetof(struct cup_texture_plain, base), unit->ptr);
    plain.row_bytes =
        plain_field(body, call, offsetof(struct cup_texture_plain, row_bytes), unit->i64);
    plain.column = place_on_axis(
        body, coordinates[0],
        plain_field(body, call, offsetof(struct cup_texture_plain, last[0]), unit->i32));
    plain.row = place_on_axis(
        body, coordinates[1],
        plain_field(body, call, offsetof(struct cup_texture_plain, last[1]), unit->i32));
    values[0] = read_words(body, &plain);
    from[0] = cup_build_here(body);
    LLVMBuildBr(b, after);
    cup_build_at(body, asked);
    call_runtime(body, op, handle, call);
    values[1] = result_of(body, 0, unit->i32);
    from[1] = cup_build_here(body);
    LLVMBuildBr(b, after);
    cup_build_at(body, after);
    phi = LLVMBuildPhi(b, cup_vector_type(body, unit->i32), "texels");
    LLVMAddIncoming(phi, values, from, 2);
    if (is_wanted(body, target))
        cup_operand_write(body, target, PTX_B32, cup_vector(phi));
}

static void emit_sample(struct cup_body *body, const struct ptx_instruction *i)
{
    static const enum ptx_modifier channels[] = {PTX_MOD_R, PTX_MOD_G, PTX_MOD_B, PTX_MOD_A};
    struct image_op op = {.instruction = i};
    int geometry = geometry_of(i);

    if (geometry < 0) {
        cup_unit_fail(body->unit, i, "multisampled textures are not supported");
        return;
    }
    op.shape.operation = CUP_TEXTURE_SAMPLE;
    op.shape.geometry = (uint8_t)geometry;
    op.shape.float_coordinates = i->types[1] == PTX_F32;
    op.shape.float_result = ptx_type_is_float(i->types[0]) || i->types[0] == PTX_F16X2;
    op.shape.element_bits = i->types[0] == PTX_F16 || i->types[0] == PTX_F16X2 ? 16 : 32;
    op.shape.components = (uint8_t)components_wanted(body, i);
    for (unsigned c = 0; i->op == PTX_OP_tld4 && c < 4; c++)
        if (ptx_has(i, channels[c]))
            op.shape.gather = (uint8_t)(c + 1);
    if (op.shape.gather)
        op.shape.components = 4;
    if (!read_sample_operands(body, &op)) {
        cup_unit_fail(body->unit, i, "depth comparison is not supported");
        return;
    }
    for (unsigned part = 0; part < 4; part++)
        mark(&op, CUP_TEXTURE_RESULT + part);
    sample(body, &op);
}

/* ---- txq, suq, istypep ---- */

static int query_of(const struct ptx_instruction *i)
{
    static const struct {
        enum ptx_modifier word;
        uint8_t query;
    } queries[] = {
        {PTX_MOD_WIDTH, CUP_ASK_WIDTH},
        {PTX_MOD_HEIGHT, CUP_ASK_HEIGHT},
        {PTX_MOD_DEPTH, CUP_ASK_DEPTH},
        {PTX_MOD_CHANNEL_DATA_TYPE, CUP_ASK_CHANNEL_DATA_TYPE},
        {PTX_MOD_CHANNEL_ORDER, CUP_ASK_CHANNEL_ORDER},
        {PTX_MOD_NORMALIZED_COORDS, CUP_ASK_NORMALIZED},
        {PTX_MOD_ARRAY_SIZE, CUP_ASK_ARRAY_SIZE},
        {PTX_MOD_NUM_MIPMAP_LEVELS, CUP_ASK_LEVELS},
        {PTX_MOD_NUM_SAMPLES, CUP_ASK_SAMPLES},
    };

    for (unsigned q = 0; q < sizeof(queries) / sizeof(*queries); q++)
        if (ptx_has(i, queries[q].word))
            return queries[q].query;
    return -1;
}

static void emit_query(struct cup_body *body, const struct ptx_instruction *i)
{
    struct image_op op = {.instruction = i};
    int query = query_of(i);

    if (query < 0) {
        cup_unit_fail(body->unit, i, "this query is not supported");
        return;
    }
    op.shape.operation = i->op == PTX_OP_suq ? CUP_SURFACE_QUERY : CUP_TEXTURE_QUERY;
    op.shape.query = (uint8_t)query;
    if (ptx_has(i, PTX_MOD_LEVEL))
        read_into(body, &op, CUP_TEXTURE_LEVEL, &i->src[1], PTX_B32);
    mark(&op, CUP_TEXTURE_RESULT);
    ask_runtime(body, &op);
    cup_operand_write(body, &i->dst[0], PTX_B32, cup_vector(result_of(body, 0, body->unit->i32)));
}

static void emit_is_type(struct cup_body *body, const struct ptx_instruction *i)
{
    struct image_op op = {.instruction = i};
    LLVMValueRef answer;

    op.shape.operation = CUP_TEXTURE_IS_TYPE;
    op.shape.query = i->types[0] == PTX_TEXREF ? 0 : i->types[0] == PTX_SURFREF ? 1 : 2;
    mark(&op, CUP_TEXTURE_RESULT);
    ask_runtime(body, &op);
    answer = result_of(body, 0, body->unit->i32);
    answer = LLVMBuildICmp(body->builder, LLVMIntNE, answer, LLVMConstNull(LLVMTypeOf(answer)), "");
    cup_operand_write(body, &i->dst[0], PTX_PRED, cup_vector(answer));
}

/* ---- suld, sust, sured ---- */

static enum ptx_type bits_type(unsigned bits)
{
    return bits == 8 ? PTX_B8 : bits == 16 ? PTX_B16 : bits == 32 ? PTX_B32 : PTX_B64;
}

static uint8_t reduction_of(const struct ptx_instruction *i)
{
    static const enum ptx_modifier words[] = {PTX_MOD_ADD, PTX_MOD_MIN, PTX_MOD_MAX, PTX_MOD_AND,
                                              PTX_MOD_OR};
    uint8_t found = 0;

    for (uint8_t w = 0; w < sizeof(words) / sizeof(*words); w++)
        if (ptx_has(i, words[w]))
            found = w;
    return found;
}

static void read_values(struct cup_body *body, struct image_op *op)
{
    LLVMTypeRef wide = cup_vector_type(body, body->unit->i64);

    for (unsigned part = 0; part < op->shape.components; part++) {
        LLVMValueRef *value = &op->values[CUP_TEXTURE_RESULT + part];

        read_into(body, op, CUP_TEXTURE_RESULT + part,
                  part_of(body, &op->instruction->src[2], part), bits_type(op->shape.element_bits));
        if (*value && LLVMTypeOf(*value) != wide)
            *value = LLVMBuildZExt(body->builder, *value, wide, "");
    }
}

static void write_loaded(struct cup_body *body, const struct image_op *op)
{
    enum ptx_type type = bits_type(op->shape.element_bits);
    LLVMTypeRef narrow = cup_vector_type(body, cup_type_of(body->unit, type));

    for (unsigned part = 0; part < op->shape.components; part++) {
        LLVMValueRef value = result_of(body, part, body->unit->i64);
        const struct ptx_operand *operand = part_of(body, &op->instruction->dst[0], part);

        if (LLVMTypeOf(value) != narrow)
            value = LLVMBuildTrunc(body->builder, value, narrow, "");
        if (operand)
            cup_operand_write(body, operand, type, cup_vector(value));
    }
}

static void emit_surface(struct cup_body *body, const struct ptx_instruction *i)
{
    struct image_op op = {.instruction = i};
    uint8_t type = i->types[i->type_count - 1];

    op.shape.operation = i->op == PTX_OP_suld   ? CUP_SURFACE_CALL_LOAD
                         : i->op == PTX_OP_sust ? CUP_SURFACE_CALL_STORE
                                                : CUP_SURFACE_CALL_REDUCE;
    op.shape.geometry = (uint8_t)geometry_of(i);
    op.shape.boundary = ptx_has(i, PTX_MOD_CLAMP) ? 1 : ptx_has(i, PTX_MOD_ZERO) ? 2 : 0;
    op.shape.formatted = ptx_has(i, PTX_MOD_P);
    op.shape.element_bits = (uint8_t)ptx_type_bits(type);
    op.shape.components = i->width ? i->width : 1;
    op.shape.is_signed = ptx_type_is_signed(type);
    op.shape.reduction = reduction_of(i);
    read_coordinates(body, &op, &i->src[1]);
    if (i->op == PTX_OP_suld)
        for (unsigned part = 0; part < op.shape.components; part++)
            mark(&op, CUP_TEXTURE_RESULT + part);
    else
        read_values(body, &op);
    ask_runtime(body, &op);
    if (i->op == PTX_OP_suld)
        write_loaded(body, &op);
}

bool cup_emit_texture(struct cup_body *body, const struct ptx_instruction *i)
{
    switch (i->op) {
    case PTX_OP_tex:
    case PTX_OP_tld4:
        emit_sample(body, i);
        return true;
    case PTX_OP_txq:
    case PTX_OP_suq:
        emit_query(body, i);
        return true;
    case PTX_OP_istypep:
        emit_is_type(body, i);
        return true;
    case PTX_OP_suld:
    case PTX_OP_sust:
    case PTX_OP_sured:
        emit_surface(body, i);
        return true;
    default:
        return false;
    }
}

/* SPDX-License-Identifier: MIT */
/* A register of a fragment, or two of an accumulator of 32 bits, is a rectangle of the matrix: so
 * many lines, rows or columns as they lie in memory, with so many elements each. All lanes have the
 * same address and stride, or the behaviour is undefined: those of the first lane are taken. */
#include "jit/emit/matrix.h"

#include "jit/emit/address.h"
#include "jit/emit/emitter.h"
#include "jit/emit/ir.h"
#include "jit/emit/operands.h"
#include "jit/emit/peer_access.h"
#include "ptx/matrix.h"

enum { LANES = 32, MOST_LINES = 16, MOST_REGISTERS = 16, MOST_ELEMENTS = 4 * LANES };

struct move {
    const struct ptx_instruction *instruction;
    struct ptx_matrices matrices;
    enum ptx_matrix_part part;
    bool transposed;              /* lines are columns */
    LLVMValueRef base, stride;    /* of lines, in bytes */
    LLVMTypeRef element;          /* an integer */
    unsigned element_bytes, each; /* elements of a register */
};

/* Where an element is: the number of its line, and its place there. */
struct place {
    unsigned line, at;
};

struct rectangle {
    struct place first;
    unsigned lines, length;
    /* By lane, then by number in the rectangle's registers: the element's number. */
    unsigned numbers[MOST_ELEMENTS];
};

static struct place place_of(const struct move *move, unsigned lane, unsigned reg, unsigned at)
{
    struct ptx_matrix_position p =
        ptx_matrix_position_of(&move->matrices, true, move->part, lane, reg, at);

    return move->transposed ? (struct place){p.column, p.row} : (struct place){p.row, p.column};
}

/* Two registers of an accumulator hold elements by turns. */
static unsigned registers_of_rectangle(const struct move *move)
{
    return move->part >= PTX_MATRIX_C && move->each == 1 ? 2 : 1;
}

static struct rectangle rectangle_of(const struct move *move, unsigned reg)
{
    unsigned count = registers_of_rectangle(move) * move->each;
    struct rectangle r = {.first = place_of(move, 0, reg, 0)};
    struct place last = place_of(move, LANES - 1, reg + (count - 1) / move->each, move->each - 1);

    r.lines = last.line - r.first.line + 1;
    r.length = last.at - r.first.at + 1;
    for (unsigned lane = 0; lane < LANES; lane++)
        for (unsigned k = 0; k < count; k++) {
            struct place p = place_of(move, lane, reg + k / move->each, k % move->each);

            r.numbers[lane * count + k] = (p.line - r.first.line) * r.length + p.at - r.first.at;
        }
    return r;
}

/* The address of a line of a rectangle. Offsets in shared memory have 32 bits. */
static LLVMValueRef line_at(struct jit_emitter *e, const struct move *move,
                            const struct rectangle *r, unsigned line)
{
    LLVMBuilderRef b = e->builder;
    LLVMValueRef offset = LLVMBuildMul(b, move->stride, jit_i64(e->unit, r->first.line + line), ""),
                 address, wrapped, distance;

    offset =
        LLVMBuildAdd(b, offset, jit_i64(e->unit, (uint64_t)r->first.at * move->element_bytes), "");
    address = LLVMBuildAdd(b, move->base, offset, "");
    if (move->instruction->space != PTX_GLOBAL) {
        wrapped = jit_shared_wrap(e, address);
        distance =
            LLVMBuildSub(b, move->base, LLVMBuildPtrToInt(b, e->abi.shared, e->unit->i64, ""), "");
        address = LLVMBuildSelect(
            b, LLVMBuildICmp(b, LLVMIntULT, distance, jit_i64(e->unit, UINT64_C(1) << 32), ""),
            wrapped, address, "");
    }
    return LLVMBuildIntToPtr(b, address, e->unit->ptr, "");
}

static LLVMValueRef permuted(struct jit_emitter *e, LLVMValueRef a, LLVMValueRef b,
                             const unsigned *numbers, unsigned count)
{
    LLVMValueRef constants[MOST_ELEMENTS];

    for (unsigned k = 0; k < count; k++)
        constants[k] = jit_i32(e->unit, numbers[k]);
    return LLVMBuildShuffleVector(e->builder, a, b ? b : LLVMGetPoison(LLVMTypeOf(a)),
                                  LLVMConstVector(constants, count), "");
}

static LLVMValueRef load_lines(struct jit_emitter *e, const struct move *move,
                               const struct rectangle *r)
{
    LLVMTypeRef type = LLVMVectorType(move->element, r->length);
    LLVMValueRef all[MOST_LINES];
    unsigned numbers[MOST_ELEMENTS];

    for (unsigned k = 0; k < MOST_ELEMENTS; k++)
        numbers[k] = k;
    for (unsigned line = 0; line < r->lines; line++) {
        all[line] = LLVMBuildLoad2(e->builder, type, line_at(e, move, r, line), "");
        LLVMSetAlignment(all[line], 1);
    }
    for (unsigned count = r->lines, length = 2 * r->length; count > 1; count /= 2, length *= 2)
        for (unsigned k = 0; k < count; k += 2)
            all[k / 2] = permuted(e, all[k], all[k + 1], numbers, length);
    return all[0];
}

static void load_rectangle(struct jit_emitter *e, const struct move *move, unsigned reg,
                           LLVMValueRef *registers)
{
    struct rectangle r = rectangle_of(move, reg);
    LLVMValueRef all = load_lines(e, move, &r);
    unsigned together = registers_of_rectangle(move), count = LANES * move->each;

    for (unsigned part = 0; part < together; part++) {
        unsigned numbers[MOST_ELEMENTS];

        for (unsigned k = 0; k < count; k++)
            numbers[k] = r.numbers[k * together + part];
        registers[part] = LLVMBuildBitCast(e->builder, permuted(e, all, NULL, numbers, count),
                                           LLVMVectorType(e->unit->i32, LANES), "");
    }
}

static void store_rectangle(struct jit_emitter *e, const struct move *move, unsigned reg,
                            const LLVMValueRef *registers)
{
    struct rectangle r = rectangle_of(move, reg);
    LLVMTypeRef type = LLVMVectorType(move->element, LANES * move->each);
    unsigned together = registers_of_rectangle(move), lanes[MOST_ELEMENTS];
    LLVMValueRef parts[2] = {NULL, NULL};

    for (unsigned part = 0; part < together; part++)
        parts[part] = LLVMBuildBitCast(e->builder, registers[part], type, "");
    for (unsigned k = 0; k < LANES * move->each * together; k++)
        lanes[r.numbers[k]] = together == 1 ? k : k % together * LANES + k / together;
    for (unsigned line = 0; line < r.lines; line++)
        LLVMSetAlignment(
            LLVMBuildStore(e->builder,
                           permuted(e, parts[0], parts[1], lanes + line * r.length, r.length),
                           line_at(e, move, &r, line)),
            1);
}

/* Registers of A and B beyond those of the tiles hold the same elements again. */
static unsigned first_alike(const struct move *move, unsigned reg)
{
    struct place own = place_of(move, 0, reg, 0);

    for (unsigned k = 0; k < reg; k++) {
        struct place other = place_of(move, 0, k, 0);

        if (own.line == other.line && own.at == other.at)
            return k;
    }
    return reg;
}

static void load_all(struct jit_emitter *e, const struct move *move, unsigned count)
{
    const struct ptx_operand *to = &move->instruction->dst[0];
    unsigned together = registers_of_rectangle(move);
    LLVMValueRef registers[MOST_REGISTERS];

    for (unsigned reg = 0; reg < count; reg += together) {
        unsigned alike = first_alike(move, reg);

        if (alike == reg)
            load_rectangle(e, move, reg, registers + reg);
        else
            registers[reg] = registers[alike];
    }
    for (unsigned reg = 0; reg < count; reg++)
        jit_operand_write(e, jit_operand_part(e->function, to, reg), PTX_B32,
                          jit_vector(registers[reg]));
}

static void store_all(struct jit_emitter *e, const struct move *move, unsigned count)
{
    const struct ptx_operand *from = &move->instruction->src[1];
    unsigned together = registers_of_rectangle(move);

    for (unsigned reg = 0; reg < count; reg += together) {
        LLVMValueRef registers[2];

        for (unsigned part = 0; part < together; part++)
            registers[part] = jit_value_vector(
                e, jit_operand_read(e, jit_operand_part(e->function, from, reg + part), PTX_B32));
        store_rectangle(e, move, reg, registers);
    }
}

/* The distance of lines in bytes. Without an operand they are contiguous. */
static LLVMValueRef stride_of(struct jit_emitter *e, const struct move *move)
{
    const struct ptx_instruction *i = move->instruction;
    const struct ptx_matrices *m = &move->matrices;
    unsigned at = ptx_has(i, PTX_MOD_LOAD) ? 1 : 2;
    unsigned height = move->part == PTX_MATRIX_B ? m->k : m->m,
             width = move->part == PTX_MATRIX_A ? m->k : m->n;
    LLVMValueRef elements = jit_i64(e->unit, move->transposed ? height : width);

    if (i->source_count > at)
        elements =
            LLVMBuildZExt(e->builder, jit_value_first(e, jit_operand_read(e, &i->src[at], PTX_U32)),
                          e->unit->i64, "");
    return LLVMBuildMul(e->builder, elements, jit_i64(e->unit, move->element_bytes), "");
}

/* Much code takes long to compile; a call of the runtime is a few times as slow. */
static bool has_many_moves(const struct ptx_function *function)
{
    enum { MANY = 100 };
    unsigned count = 0;

    for (uint32_t k = 0; k < function->instruction_count && count < MANY; k++)
        count += function->instructions[k].op == PTX_OP_wmma &&
                 !ptx_has(&function->instructions[k], PTX_MOD_MMA);
    return count == MANY;
}

bool jit_emit_matrix_move(struct jit_emitter *e, const struct ptx_instruction *i)
{
    struct move move = {
        .instruction = i, .part = ptx_matrix_moved(i), .transposed = ptx_has(i, PTX_MOD_COL)};
    unsigned bits, count;

    if (jit_emitter_is_masked(e) || e->unit->width != LANES || e->unit->outlines ||
        e->unit->checks || e->unit->debug || !ptx_matrices_of(i, &move.matrices) ||
        jit_access_is_checked(e, &i->src[0], i->space) || has_many_moves(e->function->ptx))
        return false;
    bits = ptx_type_bits(move.matrices.types[move.part]);
    if (bits < 8 || bits > 32)
        return false;
    move.element = LLVMIntTypeInContext(e->unit->context, bits);
    move.element_bytes = bits / 8;
    move.each = 32 / bits;
    count = ptx_matrix_registers(i, &move.matrices, move.part);
    move.base = jit_value_first(e, jit_emit_address(e, &i->src[0], i->space));
    move.stride = stride_of(e, &move);
    if (ptx_has(i, PTX_MOD_LOAD))
        load_all(e, &move, count);
    else
        store_all(e, &move, count);
    return true;
}

/* SPDX-License-Identifier: MIT */
/* What code of matrices computes. The place of an element of mma is that of the manual; fragments
 * of wmma are those of mma, side by side, as observed on devices. */
#include "kernel_model.h"

#include <stdlib.h>
#include <string.h>

enum { LANES = 32, EDGE = 32, DEPTH = 256, EXACT = 1 << 24, EXACT_HALF = 1 << 11 };

struct place {
    unsigned row, column;
};

/* ---- Numbers ---- */

static int64_t whole_of_f32(uint32_t bits)
{
    float number;

    memcpy(&number, &bits, sizeof(number));
    return (int64_t)number;
}

static int64_t whole_of_f16(uint32_t bits)
{
    return bits & 0x7fff
               ? whole_of_f32((bits & 0x8000) << 16 | ((bits & 0x7fff) + (112u << 10)) << 13)
               : 0;
}

static int64_t element_of(enum element type, uint32_t word, unsigned at)
{
    unsigned bits = matrix_element_bits[type];
    uint32_t value = bits == 32 ? word : word >> at * bits & ((1u << bits) - 1);

    switch (type) {
    case ELEMENT_S8:
        return (int8_t)value;
    case ELEMENT_S4:
        return (int64_t)(value ^ 8) - 8;
    case ELEMENT_F16:
        return whole_of_f16(value);
    case ELEMENT_BF16:
        return whole_of_f32(value << 16);
    case ELEMENT_TF32:
    case ELEMENT_F32:
        return whole_of_f32(value);
    case ELEMENT_S32:
        return (int32_t)value;
    default:
        return value;
    }
}

/* The bits of a sum, which is exact. */
static uint32_t bits_of(enum element type, int64_t value)
{
    if (type == ELEMENT_S32)
        return (uint32_t)value;
    if (llabs(value) > (type == ELEMENT_F16 ? EXACT_HALF : EXACT))
        abort();
    return type == ELEMENT_F16 ? matrix_f16_of(value) : matrix_f32_of(value);
}

/* ---- Places ---- */

static struct place position_in_mma(unsigned rows, unsigned each, enum matrix_part_name part,
                                    unsigned lane, unsigned reg, unsigned at)
{
    unsigned group = lane / 4, in_group = lane % 4, place = in_group * each + at,
             number = reg * each + at;

    if (part == PART_B)
        return (struct place){reg * 4 * each + place, group};
    if (part >= PART_C)
        return (struct place){group + number / 2 * 8, in_group * 2 + number % 2};
    if (rows == 8)
        return (struct place){group, reg * 4 * each + place};
    return (struct place){group + reg % 2 * 8, reg / 2 * 4 * each + place};
}

/* Where an element of a form is, of the registers that differ. wmma with more columns than rows is
 * the product of the transposed matrices; others are tiles of 16 rows and 8 columns. */
static struct place position_of(const struct matrix_form *form, enum matrix_part_name part,
                                unsigned lane, unsigned reg, unsigned at)
{
    unsigned each = 32 / matrix_element_bits[form->types[part]], rows = form->m, columns = form->n,
             of_tile, tile, number = reg * each + at;
    bool turned = columns > rows;
    struct place p;

    if (!form->wmma || rows * columns == 8 * 8)
        return position_in_mma(rows, each, part, lane, reg, at);
    if (turned) {
        rows = form->n;
        columns = form->m;
        part = part == PART_A ? PART_B : part == PART_B ? PART_A : part;
    }
    if (part >= PART_C) {
        tile = number / 4;
        p = position_in_mma(16, 1, part, lane, number % 4, 0);
        p.row += tile / (columns / 8) * 16;
        p.column += tile % (columns / 8) * 8;
    } else {
        of_tile = (part == PART_A ? 16 : 8) * form->k / each / LANES;
        tile = reg / of_tile;
        p = position_in_mma(16, each, part, lane, reg % of_tile, at);
        *(part == PART_A ? &p.row : &p.column) += tile * (part == PART_A ? 16 : 8);
    }
    return turned ? (struct place){p.column, p.row} : p;
}

/* ---- Instructions of a warp ---- */

struct matrices {
    int64_t a[EDGE][DEPTH], b[DEPTH][EDGE], c[EDGE][EDGE];
};

static int64_t *element_at(struct matrices *all, enum matrix_part_name part, struct place p)
{
    return part == PART_A   ? &all->a[p.row][p.column]
           : part == PART_B ? &all->b[p.row][p.column]
                            : &all->c[p.row][p.column];
}

static void gather(const struct thread *warp, const struct instruction *one,
                   enum matrix_part_name part, struct matrices *all)
{
    const struct matrix_form *form = &matrix_forms[one->matrix.form];
    enum element type = form->types[part];

    for (unsigned reg = 0; reg < matrix_distinct(form, part); reg++)
        for (unsigned lane = 0; lane < LANES; lane++)
            for (unsigned at = 0; at < 32 / matrix_element_bits[type]; at++)
                *element_at(all, part, position_of(form, part, lane, reg, at)) = element_of(
                    type, warp[lane].m[matrix_register(&one->matrix.parts[part], reg)], at);
}

static int64_t sum_of(const struct matrix_form *form, const struct matrices *all, unsigned row,
                      unsigned column)
{
    int64_t sum = all->c[row][column];

    for (unsigned k = 0; k < form->k; k++) {
        int64_t a = all->a[row][k], b = all->b[k][column];

        sum += form->flags & FORM_XOR ? a ^ b : a * b;
    }
    if (form->flags & FORM_SATURATES)
        sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
    return sum;
}

static void clamp(struct thread *warp, const struct instruction *one)
{
    const struct matrix_form *form = &matrix_forms[one->matrix.form];
    enum element type = form->types[PART_C];
    unsigned bits = matrix_element_bits[type];

    for (unsigned i = 0; i < one->matrix.parts[PART_C].count; i++)
        for (unsigned lane = 0; lane < LANES; lane++) {
            uint32_t *word = &warp[lane].m[matrix_register(&one->matrix.parts[PART_C], i)],
                     clamped = 0;

            for (unsigned at = 0; at < 32 / bits; at++) {
                int64_t value = element_of(type, *word, at);

                value = value > HALF_MOST ? HALF_MOST : value < -HALF_MOST ? -HALF_MOST : value;
                clamped |= bits_of(type, value) << at * bits;
            }
            *word = clamped;
        }
}

static bool is_executed(const struct thread *warp, const struct instruction *one, unsigned number)
{
    if (one->matrix.guard == IN_LOOP)
        return (int32_t)warp[0].r[LOOP_OUTER] > 1;
    return one->matrix.guard == ALWAYS || number % 2;
}

static void multiply(struct thread *warp, const struct instruction *one, unsigned number)
{
    static struct matrices all;
    const struct matrix_form *form = &matrix_forms[one->matrix.form];
    enum element type = form->types[PART_D];
    unsigned bits = matrix_element_bits[type];

    if (type == ELEMENT_F16)
        clamp(warp, one);
    if (!is_executed(warp, one, number))
        return;
    for (unsigned part = 0; part < PART_D; part++)
        gather(warp, one, part, &all);
    for (unsigned reg = 0; reg < matrix_distinct(form, PART_D); reg++)
        for (unsigned lane = 0; lane < LANES; lane++) {
            uint32_t word = 0;

            for (unsigned at = 0; at < 32 / bits; at++) {
                struct place p = position_of(form, PART_D, lane, reg, at);

                word |= bits_of(type, sum_of(form, &all, p.row, p.column)) << at * bits;
            }
            warp[lane].m[matrix_register(&one->matrix.parts[PART_D], reg)] = word;
        }
}

/* The memory of a warp's sums. */
static uint32_t *scratch_of(const struct run *run, const struct thread *warp,
                            const struct instruction *one, unsigned number)
{
    if (one->matrix.space & 1)
        return run->scratch + (size_t)number * SCRATCH_WORDS;
    return run->memory + kernel_scratch_start(run->kernel) +
           (size_t)warp[0].number / LANES * SCRATCH_WORDS;
}

static void move_bits(unsigned char *bytes, size_t bit, unsigned bits, uint32_t *word, unsigned at,
                      bool store)
{
    for (unsigned i = 0; i < bits; i++, bit++) {
        unsigned from = store ? *word >> (at * bits + i) & 1 : bytes[bit / 8] >> bit % 8 & 1;

        if (store)
            bytes[bit / 8] = (unsigned char)((bytes[bit / 8] & ~(1u << bit % 8)) | from << bit % 8);
        else
            *word = (*word & ~(1u << (at * bits + i))) | from << (at * bits + i);
    }
}

static void move(const struct run *run, struct thread *warp, const struct instruction *one,
                 unsigned number)
{
    const struct matrix_form *form = &matrix_forms[one->matrix.form];
    enum matrix_part_name part = one->matrix.part;
    enum element type = form->types[part];
    unsigned bits = matrix_element_bits[type], distinct = matrix_distinct(form, part);
    unsigned char *bytes = part <= PART_B ? (unsigned char *)run->kernel->matrices.factors
                                          : (unsigned char *)scratch_of(run, warp, one, number);

    if (!is_executed(warp, one, number))
        return;
    bytes += one->matrix.offset + (part >= PART_C && bits == 16 ? 4 * SCRATCH_SUMS : 0);
    for (unsigned reg = 0; reg < matrix_listed(form, part); reg++)
        for (unsigned lane = 0; lane < LANES; lane++)
            for (unsigned at = 0; at < 32 / bits; at++) {
                struct place p = position_of(form, part, lane, reg % distinct, at);
                size_t place = one->matrix.columns ? p.column * one->matrix.stride + p.row
                                                   : p.row * one->matrix.stride + p.column;

                move_bits(bytes, place * bits, bits,
                          &warp[lane].m[matrix_register(&one->matrix.parts[part], reg)], at,
                          one->op == OP_MATRIX_STORE);
            }
}

static void load_rows(const struct run *run, struct thread *warp, const struct instruction *one,
                      unsigned number)
{
    const struct matrix_use *use = &one->matrix;

    if (!is_executed(warp, one, number))
        return;
    for (unsigned reg = 0; reg < use->parts[0].count; reg++)
        for (unsigned lane = 0; lane < LANES; lane++) {
            uint32_t word = 0;

            for (unsigned at = 0; at < 2; at++) {
                unsigned row = lane / 4, column = lane % 4 * 2 + at,
                         from = use->columns ? column : row, place = use->columns ? row : column,
                         line = ((reg * 8 + from) * use->stride + use->offset) % (FACTOR_WORDS / 4);

                word |=
                    (run->kernel->matrices.factors[line * 4 + place / 2] >> place % 2 * 16 & 0xffff)
                    << at * 16;
            }
            warp[lane].m[matrix_register(&use->parts[0], reg)] = word;
        }
}

static void load_by_fours(const struct run *run, struct thread *warp, const struct instruction *one)
{
    const struct matrix_registers *first = &one->matrix.parts[0], *second = &one->matrix.parts[1];
    const uint32_t *factors = run->kernel->matrices.factors;
    unsigned words = 1u << one->mode, places[LANES];

    for (unsigned lane = 0; lane < LANES; lane++) {
        places[lane] = (lane / 4 * one->matrix.stride + one->matrix.offset + lane % 4) * words;
        for (unsigned i = 0; i < words; i++)
            warp[lane].m[matrix_register(first, i)] = factors[places[lane] + i];
    }
    for (unsigned lane = 0; lane < LANES; lane++)
        for (unsigned i = 0; i < words; i++)
            warp[lane].m[matrix_register(second, i)] =
                one->matrix.space == SPACE_SHARED ? factors[places[lane ^ (lane >> 3 & 3)] + i]
                                                  : factors[places[lane] + 16 * words + i];
}

static void use_scratch(const struct run *run, struct thread *warp, const struct instruction *one,
                        unsigned number)
{
    uint32_t *words = scratch_of(run, warp, one, number) + one->matrix.offset / 4;

    for (unsigned lane = 0; lane < LANES; lane++) {
        uint32_t *word = &words[lane * one->matrix.stride],
                 *reg = &warp[lane].m[matrix_register(&one->matrix.parts[0], 0)];

        if (one->mode)
            *word = *reg;
        else
            *reg = *word;
    }
}

void kernel_model_matrix(const struct run *run, struct thread *warp, const struct instruction *one,
                         unsigned number)
{
    switch (one->op) {
    case OP_PRODUCT:
        multiply(warp, one, number);
        break;
    case OP_LDMATRIX:
        load_rows(run, warp, one, number);
        break;
    case OP_ROWS:
        load_by_fours(run, warp, one);
        break;
    case OP_SCRATCH:
        use_scratch(run, warp, one, number);
        break;
    default:
        move(run, warp, one, number);
    }
}

/* ---- Instructions of a thread ---- */

static const enum element kind_elements[] = {ELEMENT_S32, ELEMENT_F16, ELEMENT_BF16, ELEMENT_F32};

static int64_t lane_value(const struct instruction *one, enum matrix_kind kind, int64_t own,
                          int64_t other, uint32_t number, unsigned at)
{
    switch (one->mode) {
    case LANE_MIN:
        return own < other ? own : other;
    case LANE_MAX:
        return own > other ? own : other;
    case LANE_NEGATE:
        return kind == KIND_WORD ? ~own : -own;
    case LANE_ADD:
        return own + 1;
    case LANE_ZERO:
        return 0;
    case LANE_FROM:
        return kind == KIND_WORD ? number : (int64_t)(number >> 4 * at & 15) - 8;
    default:
        return other;
    }
}

void kernel_model_matrix_lane(const struct kernel *kernel, struct thread *thread,
                              const struct instruction *one)
{
    const struct matrix_registers *to = &one->matrix.parts[0];
    enum matrix_kind kind = matrix_kind_of(kernel->matrices.family, to->first);
    enum element type = kind_elements[kind];
    unsigned bits = matrix_element_bits[type];
    uint32_t number = (uint32_t)get(thread, 'r', &one->sources[0]);

    if (one->mode == LANE_TO) {
        thread->r[one->result] = thread->m[matrix_register(to, 0)];
        return;
    }
    for (unsigned i = 0; i < to->count; i++) {
        uint32_t *own = &thread->m[matrix_register(to, i)],
                 other = thread->m[matrix_register(&one->matrix.parts[1], i)], word = 0;

        for (unsigned at = 0; at < 32 / bits; at++) {
            int64_t value = lane_value(one, kind, element_of(type, *own, at),
                                       element_of(type, other, at), number, at);

            word |=
                (type == ELEMENT_BF16 ? bits_of(ELEMENT_F32, value) >> 16 : bits_of(type, value))
                << at * bits;
        }
        *own = word;
    }
}

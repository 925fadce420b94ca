/* SPDX-License-Identifier: MIT */
/* Draws code of matrices: products alone, in chains and in grids, loads and stores of fragments,
 * and what lanes do with their registers. */
#include "kernel_make.h"

enum { CHAIN_MOST = 8, ROW_BYTES = 16 };

/* Two factors of 16 bits, one of 32, or any bits. */
static uint32_t draw_factor(struct maker *maker)
{
    int64_t low = (int)below(maker, 16) - 8, high = (int)below(maker, 16) - 8;

    switch (matrix_kind_of(maker->kernel->matrices.family, 0)) {
    case KIND_F16:
        return matrix_f16_of(high) << 16 | matrix_f16_of(low);
    case KIND_BF16:
        return (matrix_f32_of(high) & 0xffff0000) | matrix_f32_of(low) >> 16;
    case KIND_F32:
        return matrix_f32_of(low);
    default:
        return below(maker, 1u << 31) * 2 + below(maker, 2);
    }
}

static const struct matrix_form *form_of(const struct instruction *one)
{
    return &matrix_forms[one->matrix.form];
}

static bool is_good(const struct maker *maker, unsigned form, bool wmma)
{
    return matrix_forms[form].family == maker->kernel->matrices.family &&
           (!wmma || matrix_forms[form].wmma);
}

static unsigned draw_form(struct maker *maker, bool wmma)
{
    const struct matrix_setup *setup = &maker->kernel->matrices;
    unsigned form = setup->forms[below(maker, 2)];

    if (setup->is_neat && is_good(maker, form, wmma))
        return form;
    do
        form = below(maker, matrix_form_count);
    while (!is_good(maker, form, wmma));
    return form;
}

void kernel_begin_matrices(struct maker *maker)
{
    static const enum matrix_family families[] = {FAMILY_HALF,   FAMILY_HALF, FAMILY_HALF,
                                                  FAMILY_BF16,   FAMILY_BF16, FAMILY_TF32,
                                                  FAMILY_INTEGER};
    struct matrix_setup *setup = &maker->kernel->matrices;

    setup->family = families[below(maker, sizeof(families) / sizeof(families[0]))];
    setup->columns[PART_A] = below(maker, 2);
    setup->columns[PART_B] = below(maker, 2);
    setup->has_shared = below(maker, 2);
    setup->kept = (uint16_t)below(maker, 1u << MATRIX_REGISTERS / 8);
    for (unsigned i = 0; i < 2; i++)
        setup->forms[i] = (uint8_t)draw_form(maker, false);
    setup->is_neat = below(maker, 3);
    for (unsigned i = 0; i < FACTOR_WORDS; i++)
        setup->factors[i] = draw_factor(maker);
}

static void draw_uniform_guard(struct maker *maker, struct instruction *one)
{
    if (below(maker, 8) == 0)
        one->matrix.guard = below(maker, 2) ? IN_LOOP : ODD_WARPS;
}

static uint8_t draw_space(struct maker *maker)
{
    unsigned space = below(maker, 4);

    return (uint8_t)(maker->kernel->matrices.has_shared ? space : space & ~1u);
}

static struct matrix_registers draw_among(struct maker *maker, unsigned first, unsigned all,
                                          unsigned count)
{
    struct matrix_registers r = {.count = (uint8_t)count};
    bool neat = maker->kernel->matrices.is_neat;
    unsigned step = count < 4 ? count : neat ? 8 : 4;

    r.first =
        (uint8_t)(first + (neat || below(maker, 4) ? below(maker, (all - count) / step + 1) * step
                                                   : below(maker, all - count + 1)));
    if (!neat && below(maker, 6) == 0)
        r.turn = (uint8_t)below(maker, count);
    return r;
}

/* Registers for a matrix. Factors that are any bits may be sums. */
static struct matrix_registers draw_registers(struct maker *maker, const struct matrix_form *form,
                                              enum matrix_part_name part, unsigned count)
{
    bool integer = form->family == FAMILY_INTEGER;

    if (part >= PART_C && form->types[part] == ELEMENT_F16)
        return draw_among(maker, MATRIX_FACTORS + MATRIX_SUMS, MATRIX_HALVES, count);
    if (part >= PART_C || (integer && below(maker, 4) == 0))
        return draw_among(maker, MATRIX_FACTORS, MATRIX_SUMS, count);
    return draw_among(maker, 0, MATRIX_FACTORS, count);
}

static struct instruction *make_product(struct maker *maker, unsigned number)
{
    struct instruction *one = emit(maker, OP_PRODUCT);
    const struct matrix_form *form = &matrix_forms[number];

    one->matrix.form = (uint8_t)number;
    for (unsigned part = 0; part < PARTS; part++)
        one->matrix.parts[part] = draw_registers(maker, form, part, matrix_distinct(form, part));
    if (form->types[PART_C] == form->types[PART_D] && below(maker, 2))
        one->matrix.parts[PART_D] = one->matrix.parts[PART_C];
    draw_uniform_guard(maker, one);
    return one;
}

static void make_zeros(struct maker *maker, struct matrix_registers registers)
{
    struct instruction *one = emit(maker, OP_MATRIX_LANE);

    one->mode = LANE_ZERO;
    one->matrix.parts[0] = one->matrix.parts[1] = registers;
}

/* Products that follow each other. Those of a grid have each factor several times; the sum of one
 * of a line is what the next adds to, in the same registers or in others. */
static void make_chain(struct maker *maker)
{
    unsigned number = draw_form(maker, false), count = 2 + below(maker, CHAIN_MOST - 1),
             across = 1 + below(maker, 4);
    bool grid = below(maker, 2), same = below(maker, 2);
    struct instruction *first, *before;
    unsigned width, place, last;

    if (below(maker, 2)) {
        struct matrix_registers sums = draw_registers(
            maker, &matrix_forms[number], PART_C, matrix_distinct(&matrix_forms[number], PART_C));

        make_zeros(maker, sums);
        first = make_product(maker, number);
        first->matrix.parts[PART_C] = sums;
    } else {
        first = make_product(maker, number);
    }
    before = first;
    width = first->matrix.parts[PART_D].count;
    place = first->matrix.parts[PART_D].first;
    last =
        MATRIX_FACTORS +
        (form_of(first)->types[PART_D] == ELEMENT_F16 ? MATRIX_SUMS + MATRIX_HALVES : MATRIX_SUMS);

    for (unsigned i = 1; i < count; i++) {
        struct instruction *one = make_product(maker, number);

        one->matrix.guard = first->matrix.guard;
        if (!grid) {
            if (form_of(one)->types[PART_C] == form_of(one)->types[PART_D])
                one->matrix.parts[PART_C] = before->matrix.parts[PART_D];
            if (same)
                one->matrix.parts[PART_D] = before->matrix.parts[PART_D];
        } else if (place + (i + 1) * width <= last) {
            one->matrix.parts[PART_D] =
                (struct matrix_registers){(uint8_t)(place + i * width), (uint8_t)width, 0};
            if (form_of(one)->types[PART_C] == form_of(one)->types[PART_D])
                one->matrix.parts[PART_C] = one->matrix.parts[PART_D];
        }
        if (grid && i % across)
            one->matrix.parts[PART_A] = before->matrix.parts[PART_A];
        if (grid && i >= across)
            one->matrix.parts[PART_B] = (one - across)->matrix.parts[PART_B];
        before = one;
    }
}

/* Where a matrix of a load or store is: the distance of lines, and the first. */
static void draw_place(struct maker *maker, struct instruction *one)
{
    const struct matrix_form *form = form_of(one);
    enum matrix_part_name part = one->matrix.part;
    unsigned bits = matrix_element_bits[form->types[part]], rows = matrix_rows(form, part),
             columns = matrix_columns(form, part), lines = one->matrix.columns ? columns : rows,
             length = one->matrix.columns ? rows : columns, room, bytes;

    room = part <= PART_B ? FACTOR_WORDS : bits == 16 ? SCRATCH_WORDS - SCRATCH_SUMS : SCRATCH_SUMS;
    do {
        one->matrix.stride = (uint16_t)(length + below(maker, 4) * (ROW_BYTES * 8 / bits));
        bytes = ((lines - 1) * one->matrix.stride + length) * bits / 8;
    } while (bytes > 4 * room);
    one->matrix.offset = (uint16_t)(below(maker, (4 * room - bytes) / 32 + 1) * 32);
}

/* A load into all listed registers, or a store. */
static struct instruction *make_move(struct maker *maker, enum op op, unsigned number,
                                     enum matrix_part_name part)
{
    struct instruction *one = emit(maker, op);
    const struct matrix_form *form = &matrix_forms[number];

    one->matrix.form = (uint8_t)number;
    one->matrix.part = (uint8_t)part;
    one->matrix.space = draw_space(maker);
    one->matrix.columns =
        part <= PART_B ? maker->kernel->matrices.columns[part] : (bool)below(maker, 2);
    if (part <= PART_B && matrix_element_bits[form->types[part]] < 8)
        one->matrix.columns = part == PART_B; /* there are no others */
    one->matrix.parts[part] = draw_registers(maker, form, part, matrix_listed(form, part));
    draw_place(maker, one);
    draw_uniform_guard(maker, one);
    return one;
}

/* As programs do it: fragments are loaded, multiplied and perhaps stored. */
static void make_whole(struct maker *maker)
{
    unsigned number = draw_form(maker, true);
    struct instruction *a = make_move(maker, OP_MATRIX_LOAD, number, PART_A),
                       *b = make_move(maker, OP_MATRIX_LOAD, number, PART_B), *product;

    a->matrix.guard = b->matrix.guard = ALWAYS;
    if (below(maker, 2)) { /* factors share no register */
        a->matrix.parts[PART_A].first = 0;
        b->matrix.parts[PART_B].first = 8;
    }
    if (below(maker, 3) == 0)
        kernel_make_matrix_lane(maker);
    product = make_product(maker, number);
    if (a->matrix.parts[PART_A].first + a->matrix.parts[PART_A].count <=
        b->matrix.parts[PART_B].first) {
        bool changed = (product - 1)->op == OP_MATRIX_LANE;

        product->matrix.parts[PART_A] = a->matrix.parts[PART_A];
        product->matrix.parts[PART_B] = b->matrix.parts[PART_B];
        for (unsigned part = 0; changed && part <= PART_B; part++)
            product->matrix.parts[part] =
                (struct matrix_registers){product->matrix.parts[part].first,
                                          (uint8_t)matrix_distinct(&matrix_forms[number], part), 0};
    }
    if (below(maker, 2))
        make_move(maker, OP_MATRIX_STORE, number, PART_D)->matrix.parts[PART_D] =
            product->matrix.parts[PART_D];
}

static void make_ldmatrix(struct maker *maker)
{
    struct instruction *one = emit(maker, OP_LDMATRIX);

    one->matrix.parts[0] = draw_among(maker, 0, MATRIX_FACTORS, 1u << below(maker, 3));
    one->matrix.columns =
        matrix_kind_of(maker->kernel->matrices.family, 0) != KIND_F32 && below(maker, 2);
    one->matrix.offset = (uint16_t)below(maker, 256);
    one->matrix.stride = (uint16_t)(1 + below(maker, 20));
    draw_uniform_guard(maker, one);
}

static void make_rows(struct maker *maker)
{
    struct instruction *one = emit(maker, OP_ROWS);
    bool swizzles = maker->kernel->matrices.has_shared && below(maker, 2);

    one->mode = (uint8_t)(swizzles ? 2 : below(maker, 3));
    one->matrix.space = swizzles ? SPACE_SHARED : SPACE_GLOBAL;
    one->matrix.parts[0] = draw_among(maker, 0, MATRIX_FACTORS, 1u << one->mode);
    one->matrix.parts[1] = draw_among(maker, 0, MATRIX_FACTORS, 1u << one->mode);
    one->matrix.stride = (uint16_t)(1 + below(maker, 8));
    one->matrix.offset = (uint16_t)below(maker, 100);
}

static void make_scratch(struct maker *maker)
{
    struct instruction *one = emit(maker, OP_SCRATCH);

    one->mode = (uint8_t)below(maker, 2);
    one->matrix.space = draw_space(maker);
    one->matrix.parts[0] = draw_among(maker, MATRIX_FACTORS, MATRIX_SUMS, 1);
    one->matrix.stride = (uint16_t)(1 + below(maker, 20));
    one->matrix.offset = (uint16_t)(4 * below(maker, SCRATCH_SUMS - 31 * 20));
}

void kernel_make_matrix_lane(struct maker *maker)
{
    static const enum matrix_lane ops[] = {LANE_MOVE, LANE_NEGATE, LANE_MIN, LANE_MAX,
                                           LANE_ADD,  LANE_FROM,   LANE_TO};
    static const unsigned regions[][2] = {{0, MATRIX_FACTORS},
                                          {MATRIX_FACTORS, MATRIX_SUMS},
                                          {MATRIX_FACTORS, MATRIX_SUMS},
                                          {MATRIX_FACTORS + MATRIX_SUMS, MATRIX_HALVES}};
    struct instruction *one = emit(maker, OP_MATRIX_LANE);
    const unsigned *region = regions[below(maker, 4)];
    unsigned count = 1u << below(maker, 4);

    one->mode = (uint8_t)ops[below(maker, sizeof(ops) / sizeof(ops[0]))];
    if (one->mode == LANE_ADD && region[0] != MATRIX_FACTORS)
        one->mode = LANE_MOVE; /* others would grow too far */
    if (one->mode == LANE_TO)
        count = 1;
    one->matrix.parts[0] = draw_among(maker, region[0], region[1], count);
    one->matrix.parts[1] = draw_among(maker, region[0], region[1], count);
    one->result = (uint8_t)below(maker, REGISTERS);
    one->sources[0] = draw_source(maker, 'r');
    draw_guard(maker, one);
}

static bool overlap(struct matrix_registers a, struct matrix_registers b)
{
    return a.first < b.first + b.count && b.first < a.first + a.count;
}

/* A card computes wmma.mma as several products, of which the first ones write D before the others
 * read (docs/PTXAS-BUGS.md): D is where C is, or apart from all others. */
static void separate(struct instruction *one)
{
    struct matrix_registers *parts = one->matrix.parts;

    if (one->op != OP_PRODUCT || !form_of(one)->wmma)
        return;
    if (overlap(parts[PART_C], parts[PART_D]))
        parts[PART_C] = parts[PART_D];
    for (unsigned part = PART_A; part <= PART_B; part++)
        if (overlap(parts[part], parts[PART_D]))
            parts[part].first = 0;
}

static void make_any(struct maker *maker)
{
    switch (below(maker, 8)) {
    case 0:
    case 1:
        make_chain(maker);
        break;
    case 2:
        make_product(maker, draw_form(maker, false));
        break;
    case 3:
    case 4:
        make_whole(maker);
        break;
    case 5:
        make_move(maker, OP_MATRIX_LOAD, draw_form(maker, true), below(maker, 3));
        break;
    case 6:
        make_move(maker, OP_MATRIX_STORE, draw_form(maker, true), PART_D);
        break;
    default:
        if (below(maker, 2))
            make_rows(maker);
        else if (maker->kernel->matrices.has_shared && below(maker, 2))
            make_ldmatrix(maker);
        else
            make_scratch(maker);
    }
}

void kernel_make_matrices(struct maker *maker)
{
    unsigned before = maker->code->count;

    make_any(maker);
    for (unsigned i = before; maker->kernel->has_halves && i < maker->code->count; i++)
        separate(&maker->code->list[i]);
}

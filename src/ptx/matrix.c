/* SPDX-License-Identifier: MIT */
/* The shape of a matrix instruction is a dot-word; everything else follows from it and from the
 * types. */
#include "ptx/matrix.h"

#include "core/compiler.h"

#include <string.h>

static const struct {
    enum ptx_modifier word;
    uint16_t m, n, k;
} shapes[] = {
    {PTX_MOD_M8N8K4, 8, 8, 4},     {PTX_MOD_M8N8K16, 8, 8, 16},     {PTX_MOD_M8N8K32, 8, 8, 32},
    {PTX_MOD_M16N8K4, 16, 8, 4},   {PTX_MOD_M16N8K8, 16, 8, 8},     {PTX_MOD_M16N8K16, 16, 8, 16},
    {PTX_MOD_M16N8K32, 16, 8, 32}, {PTX_MOD_M16N8K64, 16, 8, 64},   {PTX_MOD_M16N16K16, 16, 16, 16},
    {PTX_MOD_M32N8K16, 32, 8, 16}, {PTX_MOD_M8N32K16, 8, 32, 16},   {PTX_MOD_M16N16K8, 16, 16, 8},
    {PTX_MOD_M8N8K128, 8, 8, 128}, {PTX_MOD_M16N8K128, 16, 8, 128}, {PTX_MOD_M16N8K256, 16, 8, 256},
};

enum ptx_matrix_part ptx_matrix_moved(const struct ptx_instruction *instruction)
{
    if (ptx_has(instruction, PTX_MOD_A))
        return PTX_MATRIX_A;
    if (ptx_has(instruction, PTX_MOD_B))
        return PTX_MATRIX_B;
    return ptx_has(instruction, PTX_MOD_C) ? PTX_MATRIX_C : PTX_MATRIX_D;
}

static void set_types(const struct ptx_instruction *instruction, struct ptx_matrices *matrices)
{
    const uint8_t *written = instruction->types;

    memset(matrices->types, PTX_TYPE_NONE, sizeof(matrices->types));
    if (instruction->op == PTX_OP_wgmma) {
        matrices->types[PTX_MATRIX_C] = matrices->types[PTX_MATRIX_D] = written[0];
        matrices->types[PTX_MATRIX_A] = written[1];
        matrices->types[PTX_MATRIX_B] = written[2];
    } else if (instruction->type_count == 4) {
        matrices->types[PTX_MATRIX_D] = written[0];
        matrices->types[PTX_MATRIX_A] = written[1];
        matrices->types[PTX_MATRIX_B] = written[2];
        matrices->types[PTX_MATRIX_C] = written[3];
    } else if (instruction->type_count == 2) { /* wmma.mma of .f16 names two types only */
        matrices->types[PTX_MATRIX_D] = written[0];
        matrices->types[PTX_MATRIX_A] = matrices->types[PTX_MATRIX_B] = PTX_F16;
        matrices->types[PTX_MATRIX_C] = written[1];
    } else {
        matrices->types[ptx_matrix_moved(instruction)] = written[0];
    }
}

bool ptx_matrix_is_meant(const struct ptx_instruction *instruction)
{
    return instruction->op == PTX_OP_mma || instruction->op == PTX_OP_wgmma ||
           instruction->op == PTX_OP_wmma;
}

bool ptx_matrix_is_used(const struct ptx_function *function)
{
    for (uint32_t i = 0; i < function->instruction_count; i++)
        if (ptx_matrix_is_meant(&function->instructions[i]))
            return true;
    return false;
}

bool ptx_matrix_is_sparse(const struct ptx_instruction *instruction)
{
    return ptx_has(instruction, PTX_MOD_SPARSE) || ptx_has(instruction, PTX_MOD_SPARSE_ORDERED);
}

bool ptx_matrices_of(const struct ptx_instruction *instruction, struct ptx_matrices *matrices)
{
    if (instruction->op == PTX_OP_wgmma && ptx_has(instruction, PTX_MOD_MMA_ASYNC)) {
        set_types(instruction, matrices);
        matrices->m = 64;
        matrices->n = instruction->columns;
        matrices->k = (uint16_t)(256 / ptx_type_bits(matrices->types[PTX_MATRIX_A]));
        matrices->k *= ptx_matrix_is_sparse(instruction) ? 2 : 1;
        return true;
    }
    if (instruction->op != PTX_OP_mma && instruction->op != PTX_OP_wmma)
        return false;
    for (size_t i = 0; i < CUP_ARRAY_COUNT(shapes); i++) {
        if (!ptx_has(instruction, shapes[i].word))
            continue;
        matrices->m = shapes[i].m;
        matrices->n = shapes[i].n;
        matrices->k = shapes[i].k;
        set_types(instruction, matrices);
        return true;
    }
    return false;
}

bool ptx_matrix_is_fourfold(const struct ptx_matrices *matrices)
{
    return matrices->m == 8 && matrices->k == 4 && matrices->types[PTX_MATRIX_A] == PTX_F16;
}

unsigned ptx_matrix_registers(const struct ptx_instruction *instruction,
                              const struct ptx_matrices *matrices, enum ptx_matrix_part part)
{
    enum ptx_type type = matrices->types[part];
    unsigned elements = part == PTX_MATRIX_A   ? matrices->m * matrices->k
                        : part == PTX_MATRIX_B ? matrices->k * matrices->n
                                               : matrices->m * matrices->n;

    if (part == PTX_MATRIX_A && ptx_matrix_is_sparse(instruction))
        elements /= 2;
    if (instruction->op == PTX_OP_wgmma)
        elements /= 4; /* the warps of a warpgroup share the rows */
    if (ptx_matrix_is_fourfold(matrices))
        elements *= 4;

    if (instruction->op == PTX_OP_wmma && part <= PTX_MATRIX_B && type == PTX_F16)
        return 8; /* wmma fragments of .f16 have twice the registers: two lanes hold each element */
    return elements / 32 * ptx_type_bits(type) / (type == PTX_F64 ? 64 : 32);
}

static bool is_one_tile(const struct ptx_instruction *instruction,
                        const struct ptx_matrices *matrices)
{
    return instruction->op != PTX_OP_wmma || matrices->m * matrices->n <= 16 * 8;
}

/* Products of a tile of wmma, one after the other: observed on devices. */
static unsigned steps_of(const struct ptx_matrices *matrices)
{
    return matrices->types[PTX_MATRIX_A] == PTX_TF32 ? 2 : 1;
}

unsigned ptx_matrix_tile_count(const struct ptx_instruction *instruction)
{
    struct ptx_matrices matrices;

    ptx_matrices_of(instruction, &matrices);
    return is_one_tile(instruction, &matrices)
               ? 1
               : matrices.m * matrices.n / (16 * 8) * steps_of(&matrices);
}

static uint8_t registers_of(unsigned elements, enum ptx_type type)
{
    return (uint8_t)(elements / 32 * ptx_type_bits(type) / 32);
}

struct ptx_matrix_tile ptx_matrix_tile_of(const struct ptx_instruction *instruction, unsigned tile)
{
    struct ptx_matrix_tile t = {.sources = {0, 1, 2}};
    struct ptx_matrices *m = &t.matrices;
    unsigned across, steps, step;

    ptx_matrices_of(instruction, m);
    if (is_one_tile(instruction, m)) {
        for (unsigned part = 0; part < 4; part++)
            t.count[part] = (uint8_t)ptx_matrix_registers(instruction, m, part);
        return t;
    }
    across = (m->m < m->n ? m->m : m->n) / 8;
    if (m->m < m->n) {
        t.sources[PTX_MATRIX_A] = 1;
        t.sources[PTX_MATRIX_B] = 0;
    }
    steps = steps_of(m);
    step = tile % steps;
    tile /= steps;
    t.continues = step > 0;
    m->m = 16;
    m->n = 8;
    m->k = (uint16_t)(m->k / steps);
    t.count[PTX_MATRIX_A] = registers_of(16u * m->k, m->types[PTX_MATRIX_A]);
    t.count[PTX_MATRIX_B] = registers_of(8u * m->k, m->types[PTX_MATRIX_B]);
    t.first[PTX_MATRIX_A] = (uint8_t)((tile / across * steps + step) * t.count[PTX_MATRIX_A]);
    t.first[PTX_MATRIX_B] = (uint8_t)((tile % across * steps + step) * t.count[PTX_MATRIX_B]);
    for (unsigned part = PTX_MATRIX_C; part <= PTX_MATRIX_D; part++) {
        t.count[part] = registers_of(16 * 8, m->types[part]);
        t.first[part] = (uint8_t)(tile * t.count[part]);
    }
    return t;
}

static unsigned per_register(enum ptx_type type)
{
    return type == PTX_F64 ? 1 : 32 / ptx_type_bits(type);
}

/* mma, as its manual says: a group of four lanes holds a row of A or a column of B; a register
 * holds consecutive elements. Every second register of A is eight rows below. */
static struct ptx_matrix_position position_in_mma(unsigned rows, unsigned each,
                                                  enum ptx_matrix_part part, unsigned lane,
                                                  unsigned reg, unsigned at)
{
    unsigned group = lane >> 2, in_group = lane & 3, i = reg * each + at;
    bool tall = rows > 8;

    switch (part) {
    case PTX_MATRIX_A:
        return (struct ptx_matrix_position){group + (tall ? (reg & 1) * 8 : 0),
                                            (tall ? reg >> 1 : reg) * 4 * each + in_group * each +
                                                at};
    case PTX_MATRIX_B:
        return (struct ptx_matrix_position){reg * 4 * each + in_group * each + at, group};
    default:
        return (struct ptx_matrix_position){group + (i >> 1) * 8, in_group * 2 + (i & 1)};
    }
}

/* wmma, as observed on devices. */
static struct ptx_matrix_position position_in_wmma(const struct ptx_matrices *matrices,
                                                   enum ptx_matrix_part part, unsigned lane,
                                                   unsigned reg, unsigned at)
{
    unsigned each = per_register(matrices->types[part]), m = matrices->m, n = matrices->n, i, regs,
             tile;
    bool turned = m < n;
    struct ptx_matrix_position p;

    if (m == 8 && n == 8)
        return position_in_mma(8, each, part, lane, reg, at);
    if (turned) {
        m = matrices->n;
        n = matrices->m;
        part = part == PTX_MATRIX_A ? PTX_MATRIX_B : part == PTX_MATRIX_B ? PTX_MATRIX_A : part;
    }
    if (part == PTX_MATRIX_A || part == PTX_MATRIX_B) {
        regs = (part == PTX_MATRIX_A ? 16 : 8) * matrices->k / 32 / each; /* of a tile */
        reg %= regs * (part == PTX_MATRIX_A ? m / 16 : n / 8);
        tile = reg / regs;
        p = position_in_mma(16, each, part, lane, reg % regs, at);
        p.row += part == PTX_MATRIX_A ? 16 * tile : 0;
        p.column += part == PTX_MATRIX_B ? 8 * tile : 0;
    } else {
        i = reg * each + at;
        tile = i / 4;
        p = position_in_mma(16, 1, part, lane, i % 4, 0);
        p.column += tile % (n / 8) * 8;
        p.row += tile / (n / 8) * 16;
    }
    return turned ? (struct ptx_matrix_position){p.column, p.row} : p;
}

struct ptx_matrix_position ptx_matrix_position_of(const struct ptx_matrices *matrices, bool wmma,
                                                  enum ptx_matrix_part part, unsigned lane,
                                                  unsigned reg, unsigned at)
{
    return wmma ? position_in_wmma(matrices, part, lane, reg, at)
                : position_in_mma(matrices->m, per_register(matrices->types[part]), part, lane, reg,
                                  at);
}

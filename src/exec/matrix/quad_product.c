/* SPDX-License-Identifier: MIT */
/* mma.m8n8k4: lanes 4 q to 4 q + 3 and those 16 behind them compute a product of their own. Each of
 * them holds a row of A or four rows of a column, and likewise of B. */
#include "exec/matrix/product.h"

#include "exec/matrix/mma.h"
#include "ptx/matrix.h"

#include <math.h>

enum { LANES = 32, EDGE = 8, DEPTH = 4 };

struct quad {
    float a[EDGE][DEPTH], b[EDGE][DEPTH], c[EDGE][EDGE]; /* b: by column */
};

/* The row and column of element i of C or D in a lane. */
static void position_of(bool halves, unsigned lane, unsigned i, unsigned *row, unsigned *column)
{
    unsigned below = lane < 16 ? 0 : 4;

    *row = halves ? lane % 4 + below : (lane & 1) + (i & 2) + below;
    *column = halves ? i : (i & 4) + (lane & 2) + (i & 1);
}

/* Element i of A or B in a lane, at [row or column][k]. */
static void put_factor(float matrix[EDGE][DEPTH], bool crossed, unsigned lane, unsigned i,
                       float value)
{
    unsigned below = lane < 16 ? 0 : 4;

    if (crossed)
        matrix[i + below][lane % 4] = value;
    else
        matrix[lane % 4 + below][i] = value;
}

static void gather(const struct cup_abi_matrix_call *call, const uint32_t *words, unsigned lane,
                   struct quad *quad)
{
    const uint32_t *b = words + call->registers[PTX_MATRIX_A] * LANES,
                   *c = b + call->registers[PTX_MATRIX_B] * LANES;
    bool halves = call->types[PTX_MATRIX_C] == PTX_F16;
    unsigned row, column;

    for (unsigned i = 0; i < DEPTH; i++) {
        put_factor(quad->a, call->flags & CUP_ABI_MATRIX_A_TRANSPOSED, lane, i,
                   cup_mma_element(PTX_F16, words[i / 2 * LANES + lane], i % 2));
        put_factor(quad->b, call->flags & CUP_ABI_MATRIX_B_TRANSPOSED, lane, i,
                   cup_mma_element(PTX_F16, b[i / 2 * LANES + lane], i % 2));
    }
    for (unsigned i = 0; i < EDGE; i++) {
        position_of(halves, lane, i, &row, &column);
        quad->c[row][column] = halves ? cup_mma_element(PTX_F16, c[i / 2 * LANES + lane], i % 2)
                                      : cup_mma_element(PTX_F32, c[i * LANES + lane], 0);
    }
}

static void scatter(const struct cup_abi_matrix_call *call, uint32_t *d, unsigned lane,
                    const struct quad *quad)
{
    bool halves = call->types[PTX_MATRIX_D] == PTX_F16;
    unsigned row, column;

    for (unsigned i = 0; i < EDGE; i++) {
        float value;
        uint32_t *word = &d[(halves ? i / 2 : i) * LANES + lane];

        position_of(halves, lane, i, &row, &column);
        value = quad->c[row][column];
        if (halves)
            *word = i % 2 ? *word | cup_mma_half_bits(value) << 16 : cup_mma_half_bits(value);
        else
            *word = cup_mma_float_bits(value);
    }
}

/* An H200 has no unit for this shape: a chain of fused operations, and C is added at the end. */
static float sum_of(const float *a, const float *b, float c)
{
    float sum = a[0] * b[0];

    for (unsigned k = 1; k < DEPTH; k++)
        sum = fmaf(a[k], b[k], sum);
    return cup_mma_canonical(sum + c);
}

void cup_matrix_quads(const struct cup_abi_matrix_call *call, uint32_t *words)
{
    uint32_t *d = words + LANES * (call->registers[PTX_MATRIX_A] + call->registers[PTX_MATRIX_B] +
                                   call->registers[PTX_MATRIX_C]);

    for (unsigned first = 0; first < 16; first += 4) {
        struct quad quad;

        for (unsigned i = 0; i < EDGE; i++)
            gather(call, words, first + i % 4 + i / 4 * 16, &quad);
        for (unsigned row = 0; row < EDGE; row++)
            for (unsigned column = 0; column < EDGE; column++)
                quad.c[row][column] = sum_of(quad.a[row], quad.b[column], quad.c[row][column]);
        for (unsigned i = 0; i < EDGE; i++)
            scatter(call, d, first + i % 4 + i / 4 * 16, &quad);
    }
}

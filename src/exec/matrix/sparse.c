/* SPDX-License-Identifier: MIT */
/* mma.sp and wgmma.sp: of each four elements of a row of A (.tf32: of two; integers of 4 bits: of
 * four pairs), two are stored. A nibble of metadata says which: two indices of 2 bits, the lower
 * one first.
 *
 * The stored elements are multiplied with the elements of B at their places, as a product of half
 * the depth. Each row has its own places, so elements are computed one by one. */
#include "exec/matrix/sparse.h"

#include "ptx/matrix.h"

#include <string.h>

enum { LANES = 32, ROWS = CUP_MMA_ROWS, COLUMNS = CUP_MMA_COLUMNS, DEPTH = CUP_MMA_SPARSE_DEPTH };

static void read_cores(enum ptx_type type, unsigned depth, unsigned lines, const uint8_t *cores,
                       float *values, unsigned stride)
{
    unsigned in_word = 32 / ptx_type_bits(type), each = 4 * in_word;
    uint32_t words[4];

    for (unsigned chunk = 0; chunk * each < depth; chunk++)
        for (unsigned line = 0; line < lines; line++, cores += sizeof(words)) {
            memcpy(words, cores, sizeof(words));
            for (unsigned at = 0; at < each; at++)
                values[line * stride + chunk * each + at] =
                    cup_mma_element(type, words[at / in_word], at % in_word);
        }
}

/* Nibble `group` of a row. The selector says which lanes hold them if not all do. Of 16 bits and
 * more, a lane holds four nibbles of its row and of the row eight below; of fewer bits, eight of
 * its row, and the next lane those of the row eight below. */
static unsigned nibble_of(const struct cup_abi_matrix_call *call, const uint32_t *metadata,
                          unsigned groups, unsigned row, unsigned group)
{
    bool wide = ptx_type_bits(call->types[PTX_MATRIX_A]) >= 16;
    unsigned lane = row % 8 * 4, shift = group % 8 * 4;

    if (wide) {
        lane += call->selector * (groups / 4) + group / 4;
        shift = row / 8 * 16 + group % 4 * 4;
    } else {
        lane += (call->selector + group / 8) * 2 + row / 8;
    }
    return metadata[lane % LANES] >> shift & 15;
}

static void find_places(struct cup_mma_sparse *s, const uint32_t *metadata)
{
    const struct cup_abi_matrix_call *call = s->call;
    unsigned bits = ptx_type_bits(call->types[PTX_MATRIX_A]);
    unsigned span = bits == 32 ? 2 : bits == 4 ? 8 : 4, groups = call->depth / span;

    for (unsigned row = 0; row < ROWS; row++)
        for (unsigned group = 0; group < groups; group++) {
            unsigned nibble = nibble_of(call, metadata, groups, row, group);
            uint8_t *places = &s->places[row][group * span / 2];

            for (unsigned i = 0; i < span / 2; i++) {
                unsigned pair = bits == 4 ? i / 2 : i, index = nibble >> 2 * pair & 3;

                places[i] = (uint8_t)(group * span + (bits == 32  ? index / 2
                                                      : bits == 4 ? index * 2 + i % 2
                                                                  : index));
            }
        }
}

/* The sum of the elements whose place modulo 4 is from `first` to `last`. */
static float sum_of_some(const struct cup_mma_sparse *s, const struct cup_mma_rule *rule,
                         unsigned row, unsigned column, unsigned first, unsigned last, float c)
{
    float a[DEPTH / 2], b[DEPTH / 2];
    unsigned count = 0;

    for (unsigned k = 0; k < s->call->depth / 2u; k++)
        if (k % 4 >= first && k % 4 <= last) {
            a[count] = s->a[row][k];
            b[count++] = s->b[column][s->places[row][k]];
        }
    return cup_mma_sum(rule, a, b, count, c);
}

static float sum_of_floats(const struct cup_mma_sparse *s, const struct cup_mma_rule *rule,
                           unsigned row, unsigned column, float c)
{
    float sum;

    if (!rule->in_halves)
        return sum_of_some(s, rule, row, column, 0, 3, c);
    sum = sum_of_some(s, rule, row, column, 0, 1, 0);
    return cup_mma_canonical(sum_of_some(s, rule, row, column, 2, 3, sum) + c);
}

static int32_t sum_of_integers(const struct cup_mma_sparse *s, unsigned row, unsigned column,
                               int32_t c)
{
    int64_t sum = c;

    for (unsigned k = 0; k < s->call->depth / 2u; k++)
        sum += (int64_t)(s->a[row][k] * s->b[column][s->places[row][k]]);
    if (s->call->flags & CUP_ABI_MATRIX_SATURATE)
        sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
    return (int32_t)(uint32_t)sum;
}

void cup_mma_sparse_set_a(struct cup_mma_sparse *s, const struct cup_abi_matrix_call *call,
                          const struct cup_mma_rule *rule, const uint8_t *cores,
                          const uint32_t *metadata)
{
    s->call = call;
    read_cores(rule->a, call->depth / 2u, ROWS, cores, s->a[0], DEPTH / 2);
    for (unsigned row = 0; rule->negate && row < ROWS; row++)
        for (unsigned k = 0; k < call->depth / 2u; k++)
            s->a[row][k] = -s->a[row][k];
    find_places(s, metadata);
}

void cup_mma_sparse_multiply(struct cup_mma_sparse *s, const uint8_t *cores, struct cup_mma *tensor)
{
    read_cores(tensor->rule.b, s->call->depth, COLUMNS, cores, s->b[0], DEPTH);
    for (unsigned column = 0; column < COLUMNS; column++)
        for (unsigned row = 0; row < ROWS; row++)
            if (tensor->rule.d == PTX_S32)
                tensor->c_whole[column][row] =
                    sum_of_integers(s, row, column, tensor->c_whole[column][row]);
            else
                tensor->c[column][row] =
                    sum_of_floats(s, &tensor->rule, row, column, tensor->c[column][row]);
}

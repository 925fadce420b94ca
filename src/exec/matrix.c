/* SPDX-License-Identifier: MIT */
/* Matrix products of fragments that the lanes of a warp hold. The mapping of elements to lanes and
 * registers follows the manual for mma; wmma places mma tiles side by side, as observed on devices.
 *
 * Small floats are summed as observed on devices: products are exact, all terms of an element are
 * truncated 25 bits below the leading bit of the largest term and added, and the sum is truncated
 * to .f32 (and rounded to nearest if the result is .f16). The largest term is the one with the
 * largest sum of exponents before normalisation. .f64 is a chain of fused multiply-adds; integers
 * wrap around. */
#include "exec/matrix.h"

#include "abi/launch.h"
#include "abi/services.h"
#include "abi/warp.h"
#include "core/compiler.h"
#include "exec/check.h"
#include "exec/fault.h"
#include "ptx/matrix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = CUP_ABI_WARP_LANES, EDGE = 64 };

static double from_half(uint32_t bits)
{
    uint32_t exponent = bits >> 10 & 31, fraction = bits & 0x3ff;
    double value = exponent == 31 ? (fraction ? NAN : INFINITY)
                   : exponent     ? ldexp(1024 + fraction, (int)exponent - 25)
                                  : ldexp(fraction, -24);

    return bits & 0x8000 ? -value : value;
}

static float float_of(uint32_t bits)
{
    float value;

    memcpy(&value, &bits, sizeof(value));
    return value;
}

static uint32_t bits_of(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof(bits));
    return value != value ? 0x7fffffffu : bits;
}

/* Rounds to nearest, ties to even. */
static uint32_t to_half(double value)
{
    uint32_t sign = signbit(value) ? 0x8000u : 0;
    int exponent;
    double scaled;

    if (value != value)
        return 0x7fff;
    if (value == 0)
        return sign;
    value = fabs(value);
    if (value >= 65520)
        return sign | 0x7c00;
    frexp(value, &exponent);
    if (exponent < -13)
        return sign | (uint32_t)nearbyint(ldexp(value, 24));
    scaled = nearbyint(ldexp(value, 11 - exponent)); /* 1024 to 2048 */
    return sign | (((uint32_t)(exponent + 14) << 10) + (uint32_t)scaled - 1024);
}

static double element(enum ptx_type type, uint64_t word, unsigned at)
{
    double value;

    switch (type) {
    case PTX_F16:
        return from_half((uint32_t)(word >> 16 * at) & 0xffff);
    case PTX_BF16:
        return float_of((uint32_t)(word >> 16 * at) << 16);
    case PTX_TF32: /* the lowest bits are ignored */
        return float_of((uint32_t)word & ~0x1fffu);
    case PTX_F32:
        return float_of((uint32_t)word);
    case PTX_F64:
        memcpy(&value, &word, sizeof(value));
        return value;
    case PTX_S8:
        return (int8_t)(word >> 8 * at);
    case PTX_U8:
        return (uint8_t)(word >> 8 * at);
    case PTX_S4:
        return (int)((word >> 4 * at & 15) ^ 8) - 8;
    case PTX_U4:
        return (int)(word >> 4 * at & 15);
    default:
        return (int32_t)word;
    }
}

static uint64_t packed(enum ptx_type type, double value, unsigned at)
{
    uint64_t bits;

    switch (type) {
    case PTX_F16:
        return (uint64_t)to_half(value) << 16 * at;
    case PTX_F32:
        return bits_of((float)value);
    case PTX_F64:
        memcpy(&bits, &value, sizeof(bits));
        return bits;
    default:
        return (uint32_t)(int32_t)value;
    }
}

/* Number of elements per register. */
static unsigned per_register(enum ptx_type type)
{
    return type == PTX_F64 ? 1 : 32 / ptx_type_bits(type);
}

struct matrix_position {
    unsigned row, column;
};

/* mma: a group of four lanes holds a row of A or a column of B; a register holds consecutive
 * elements. Every second register of A is eight rows below. */
static struct matrix_position position_in_mma(unsigned rows, unsigned each,
                                              enum ptx_matrix_part part, unsigned lane,
                                              unsigned reg, unsigned at)
{
    unsigned group = lane >> 2, in_group = lane & 3, i = reg * each + at;
    bool tall = rows > 8;

    switch (part) {
    case PTX_MATRIX_A:
        return (struct matrix_position){group + (tall ? (reg & 1) * 8 : 0),
                                        (tall ? reg >> 1 : reg) * 4 * each + in_group * each + at};
    case PTX_MATRIX_B:
        return (struct matrix_position){reg * 4 * each + in_group * each + at, group};
    default:
        return (struct matrix_position){group + (i >> 1) * 8, in_group * 2 + (i & 1)};
    }
}

/* wmma: tiles of 16 rows of A, 8 columns of B, and both for C. Excess registers hold duplicates. A
 * product of 8 rows is computed with transposed matrices. */
static struct matrix_position position_in_wmma(const struct cup_abi_warp_call *call,
                                               enum ptx_matrix_part part, unsigned lane,
                                               unsigned reg, unsigned at)
{
    unsigned each = per_register(call->types[part]), m = call->m, n = call->n, i, regs, tile;
    bool turned = m < n;
    struct matrix_position p;

    if (m == 8 && n == 8)
        return position_in_mma(8, each, part, lane, reg, at);
    if (turned) {
        m = call->n;
        n = call->m;
        part = part == PTX_MATRIX_A ? PTX_MATRIX_B : part == PTX_MATRIX_B ? PTX_MATRIX_A : part;
    }
    if (part == PTX_MATRIX_A || part == PTX_MATRIX_B) {
        regs = (part == PTX_MATRIX_A ? 16 : 8) * call->k / LANES / each; /* of a tile */
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
    return turned ? (struct matrix_position){p.column, p.row} : p;
}

static struct matrix_position position_of(const struct cup_abi_warp_call *call,
                                          enum ptx_matrix_part part, unsigned lane, unsigned reg,
                                          unsigned at)
{
    return call->shared_fragments
               ? position_in_wmma(call, part, lane, reg, at)
               : position_in_mma(call->m, per_register(call->types[part]), part, lane, reg, at);
}

struct operands {
    double a[EDGE][EDGE], b[EDGE][EDGE], c[EDGE][EDGE]; /* b: by column */
    int a_exponents[EDGE][EDGE], b_exponents[EDGE][EDGE];
};

static const uint64_t *gather(const struct cup_abi_warp_call *call, enum ptx_matrix_part part,
                              const uint64_t *words, double (*matrix)[EDGE])
{
    enum ptx_type type = call->types[part];

    for (unsigned reg = 0; reg < call->registers[part]; reg++, words += LANES)
        for (unsigned lane = 0; lane < LANES; lane++)
            for (unsigned at = 0; at < per_register(type); at++) {
                struct matrix_position p = position_of(call, part, lane, reg, at);
                double value = element(type, words[lane], at);

                if (part == PTX_MATRIX_B)
                    matrix[p.column][p.row] = value;
                else
                    matrix[p.row][p.column] = value;
            }
    return words;
}

static double whole(const struct cup_abi_warp_call *call, double sum)
{
    if (call->saturate)
        return sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
    return (int32_t)(uint32_t)(int64_t)sum;
}

/* Returns the exponent of a number in its format; a very small number for zero. */
static int exponent_of(enum ptx_type type, double value)
{
    int least = type == PTX_F16 ? -14 : -126, exponent;

    if (value == 0)
        return -10000;
    frexp(value, &exponent);
    return exponent - 1 < least ? least : exponent - 1;
}

static void find_exponents(const struct cup_abi_warp_call *call, struct operands *o)
{
    for (unsigned k = 0; k < call->k; k++) {
        for (unsigned row = 0; row < call->m; row++)
            o->a_exponents[row][k] = exponent_of(call->types[PTX_MATRIX_A], o->a[row][k]);
        for (unsigned column = 0; column < call->n; column++)
            o->b_exponents[column][k] = exponent_of(call->types[PTX_MATRIX_B], o->b[column][k]);
    }
}

/* Truncates to 24 bits. */
static double truncate_to_single(double value)
{
    int exponent;
    double scaled;

    frexp(value, &exponent);
    if (exponent < -125)
        exponent = -125;
    scaled = ldexp(value, 24 - exponent);
    return ldexp(trunc(scaled), exponent - 24);
}

static double sum_of_floats(const struct cup_abi_warp_call *call, const struct operands *o,
                            unsigned row, unsigned column)
{
    const double *a = o->a[row], *b = o->b[column];
    double c = o->c[row][column], plain = c, scale;
    int largest = exponent_of(PTX_F32, c);
    int64_t sum = 0;

    for (unsigned k = 0; k < call->k; k++) {
        int one = o->a_exponents[row][k] + o->b_exponents[column][k];

        plain += a[k] * b[k];
        largest = one > largest ? one : largest;
    }
    if (!isfinite(plain) || largest < -1000)
        return plain;
    scale = ldexp(1, 25 - largest);
    for (unsigned k = 0; k < call->k; k++)
        sum += (int64_t)(a[k] * b[k] * scale);
    sum += (int64_t)(c * scale);
    plain = truncate_to_single(ldexp((double)sum, largest - 25));
    return fabs(plain) >= 0x1p128 ? copysign(INFINITY, plain) : plain;
}

static double product(const struct cup_abi_warp_call *call, const struct operands *o, unsigned row,
                      unsigned column)
{
    const double *a = o->a[row], *b = o->b[column];
    double sum = o->c[row][column];

    if (call->types[PTX_MATRIX_A] == PTX_F64) {
        for (unsigned k = 0; k < call->k; k++)
            sum = fma(a[k], b[k], sum);
        return sum;
    }
    if (call->types[PTX_MATRIX_D] != PTX_S32)
        return sum_of_floats(call, o, row, column);
    for (unsigned k = 0; k < call->k; k++)
        sum += a[k] * b[k];
    return whole(call, sum);
}

void cup_matrix_multiply(struct cup_abi_block *block, uint32_t warp, uint32_t mask,
                         const struct cup_abi_warp_call *call, uint64_t *words)
{
    struct operands *o = malloc(sizeof(*o)); /* too large for a warp's stack */
    enum ptx_type type = call->types[PTX_MATRIX_D];
    const uint64_t *after;
    uint64_t *result;

    if (!o)
        cup_fault_trap(block, warp, mask, CUP_ABI_TRAP_MEMORY, call->line);
    after = gather(call, PTX_MATRIX_A, words, o->a);
    after = gather(call, PTX_MATRIX_B, after, o->b);
    after = gather(call, PTX_MATRIX_C, after, o->c);
    result = words + (after - words);
    if (type != PTX_S32 && type != PTX_F64)
        find_exponents(call, o);
    for (unsigned row = 0; row < call->m; row++)
        for (unsigned column = 0; column < call->n; column++)
            o->c[row][column] = product(call, o, row, column);
    for (unsigned reg = 0; reg < call->registers[PTX_MATRIX_D]; reg++, result += LANES)
        for (unsigned lane = 0; lane < LANES; lane++) {
            result[lane] = 0;
            for (unsigned at = 0; at < per_register(type); at++) {
                struct matrix_position p = position_of(call, PTX_MATRIX_D, lane, reg, at);

                result[lane] |= packed(type, o->c[p.row][p.column], at);
            }
        }
    free(o);
}

/* What is loaded and stored at once: an element, or a register of elements smaller than a byte. */
static unsigned unit_bits(enum ptx_type type)
{
    return ptx_type_bits(type) < 8 ? 32 : ptx_type_bits(type);
}

static unsigned units_per_register(enum ptx_type type)
{
    return type == PTX_F64 ? 1 : 32 / unit_bits(type);
}

/* Returns the address of an element; `stride` is the distance of rows, or columns, in elements.
 * Addresses in shared memory wrap, so all of them stay inside. */
static uint8_t *address_of(const struct cup_abi_block *block, const struct cup_abi_warp_call *call,
                           uint64_t base, uint64_t stride, struct matrix_position p)
{
    uint64_t at = call->transposed ? p.column * stride + p.row : p.row * stride + p.column;
    uint64_t shared = (uint64_t)(uintptr_t)block->shared;

    at = at * ptx_type_bits(call->types[call->part]) / 8;
    if (base - shared < CUP_FRAME_WINDOW_BYTES)
        return block->shared + (uint32_t)(base - shared + at);
    return (uint8_t *)(uintptr_t)(base + at);
}

void cup_matrix_load(struct cup_abi_block *block, uint32_t warp, uint32_t mask,
                     const struct cup_abi_warp_call *call, uint64_t *words)
{
    enum ptx_type type = call->types[call->part];
    unsigned bits = unit_bits(type), bytes = bits / 8;
    const uint64_t *bases = words, *strides = words + LANES;

    for (unsigned reg = 0; reg < call->registers[call->part]; reg++)
        for (unsigned lane = 0; lane < LANES; lane++) {
            uint64_t word = 0;

            for (unsigned at = 0; (mask >> lane & 1) && at < units_per_register(type); at++) {
                uint64_t one = 0;
                struct matrix_position p = position_in_wmma(call, call->part, lane, reg, at);

                const uint8_t *from = address_of(block, call, bases[lane], strides[lane], p);

                cup_kcheck_tell(block, warp, lane, from, bytes, call->site, CUP_ABI_READS);
                memcpy(&one, from, bytes);
                word |= one << bits * at;
            }
            words[(2 + reg) * LANES + lane] = word;
        }
}

void cup_matrix_store(struct cup_abi_block *block, uint32_t warp, uint32_t mask,
                      const struct cup_abi_warp_call *call, const uint64_t *words)
{
    enum ptx_type type = call->types[call->part];
    unsigned bits = unit_bits(type), bytes = bits / 8;
    const uint64_t *bases = words, *strides = words + LANES;

    for (unsigned reg = 0; reg < call->registers[call->part]; reg++)
        for (unsigned lane = 0; lane < LANES; lane++)
            for (unsigned at = 0; (mask >> lane & 1) && at < units_per_register(type); at++) {
                uint64_t one = words[(2 + reg) * LANES + lane] >> bits * at;
                struct matrix_position p = position_in_wmma(call, call->part, lane, reg, at);

                uint8_t *to = address_of(block, call, bases[lane], strides[lane], p);

                cup_kcheck_tell(block, warp, lane, to, bytes, call->site, CUP_ABI_WRITES);
                memcpy(to, &one, bytes);
            }
}

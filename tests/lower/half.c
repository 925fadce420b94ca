/* SPDX-License-Identifier: MIT */
/* Models of .f16 and .bf16: exact in many digits, then one rounding. */
#include "harness.h"
#include "small_float.h"

#include <math.h>

static const struct small_float *format_of(const struct ptx_instruction *i)
{
    return i->types[0] == PTX_F16 || i->types[0] == PTX_F16X2 ? &small_f16 : &small_bf16;
}

static uint64_t flushed(const struct ptx_instruction *i, uint64_t a)
{
    uint64_t exponent = format_of(i) == &small_f16 ? 0x7c00 : 0x7f80;

    return ptx_has(i, PTX_MOD_FTZ) && (a & exponent) == 0 ? a & 0x8000 : a;
}

static bool zero_sign(quad value)
{
    return 1 / value < 0;
}

/* a + b with all digits that count: where one is so small beside the other that its digits are
 * lost, a little of its sign is as good. */
static quad add(quad a, quad b)
{
    quad large = a < 0 ? -a : a, small = b < 0 ? -b : b;

    if (large < small)
        return add(b, a);
    if (b != 0 && large < (quad)INFINITY && small < large * (quad)0x1p-60)
        b = (b < 0 ? -large : large) * (quad)0x1p-60;
    return a + b;
}

static quad better(const struct ptx_instruction *i, quad a, quad b)
{
    if (a != a || b != b)
        return ptx_has(i, PTX_MOD_NAN) ? (quad)NAN : a != a ? b : a;
    if (a == 0 && b == 0)
        return (i->op == PTX_OP_min) == zero_sign(a) ? a : b;
    return (a < b) == (i->op == PTX_OP_min) ? a : b;
}

static quad compute(const struct ptx_instruction *i, const quad *a)
{
    switch (i->op) {
    case PTX_OP_add:
        return add(a[0], a[1]);
    case PTX_OP_sub:
        return add(a[0], -a[1]);
    case PTX_OP_mul:
        return a[0] * a[1];
    case PTX_OP_fma:
        return add(a[0] * a[1], a[2]);
    default:
        return better(i, a[0], a[1]);
    }
}

static uint64_t one_element(const struct ptx_instruction *i, const uint64_t *s)
{
    const struct small_float *f = format_of(i);
    uint64_t bits[3], result;
    quad a[3];

    for (unsigned k = 0; k < i->source_count; k++) {
        bits[k] = flushed(i, s[k]);
        a[k] = from_small(ptx_has(i, PTX_MOD_XORSIGN) ? bits[k] & 0x7fff : bits[k], f);
    }
    if (i->op == PTX_OP_neg || i->op == PTX_OP_abs) {
        result = i->op == PTX_OP_neg ? bits[0] ^ 0x8000 : bits[0] & 0x7fff;
        return a[0] != a[0] ? 0x7fff : result;
    }
    result = flushed(i, to_small(compute(i, a), f, TO_NEAREST, false));
    if (ptx_has(i, PTX_MOD_XORSIGN) && result != 0x7fff)
        result = (result & 0x7fff) | ((bits[0] ^ bits[1]) & 0x8000);
    if (ptx_has(i, PTX_MOD_RELU) && result & 0x8000)
        result = 0;
    if (ptx_has(i, PTX_MOD_SAT)) {
        quad value = from_small(result, f);

        result = value > 0 ? (value < 1 ? result : to_small(1, f, TO_NEAREST, false)) : 0;
    }
    return result;
}

static void half(const struct ptx_instruction *i, const uint64_t *s, uint64_t *r)
{
    bool pair = i->types[0] == PTX_F16X2 || i->types[0] == PTX_BF16X2;

    r[0] = 0;
    for (unsigned k = 0; k < (pair ? 2u : 1u); k++) {
        uint64_t element[3];

        for (unsigned j = 0; j < i->source_count; j++)
            element[j] = s[j] >> 16 * k & 0xffff;
        r[0] |= one_element(i, element) << 16 * k;
    }
}

/* One .f16 or .bf16 among .f32. */
static void mixed(const struct ptx_instruction *i, const uint64_t *s, uint64_t *r)
{
    const struct small_float *f = i->types[1] == PTX_F16 ? &small_f16 : &small_bf16;
    float a = (float)from_small(s[0], f);
    float b = i->op == PTX_OP_fma ? (float)from_small(s[1], f) : as_float(s[1]);
    float result = i->op == PTX_OP_fma   ? fmaf(a, b, as_float(s[2]))
                   : i->op == PTX_OP_add ? a + b
                                         : a - b;

    r[0] = result != result ? 0x7fffffff : float_bits(result);
}

#define HALVES(op, type, count)                                                                    \
    {op type, count, half, 0},                                                                     \
    {                                                                                              \
        op type "x2", count, half, 0                                                               \
    }

const struct lower_row half_rows[] = {
    HALVES("add", ".f16", 2),
    HALVES("sub", ".f16", 2),
    HALVES("mul", ".f16", 2),
    HALVES("fma.rn", ".f16", 3),
    HALVES("add", ".bf16", 2),
    HALVES("sub", ".bf16", 2),
    HALVES("mul", ".bf16", 2),
    HALVES("fma.rn", ".bf16", 3),
    HALVES("add.ftz.sat", ".f16", 2),
    HALVES("mul.sat", ".f16", 2),
    HALVES("fma.rn.ftz", ".f16", 3),
    HALVES("fma.rn.sat", ".f16", 3),
    HALVES("fma.rn.relu", ".f16", 3),
    HALVES("fma.rn.relu", ".bf16", 3),
    HALVES("neg", ".f16", 1),
    HALVES("neg.ftz", ".f16", 1),
    HALVES("abs", ".bf16", 1),
    HALVES("min", ".f16", 2),
    HALVES("max.ftz", ".f16", 2),
    HALVES("max.NaN", ".f16", 2),
    HALVES("min.xorsign.abs", ".f16", 2),
    HALVES("min.NaN", ".bf16", 2),
    HALVES("max", ".bf16", 2),
    {"add.f32.f16", 2, mixed, 0},
    {"sub.f32.bf16", 2, mixed, 0},
    {"fma.rn.f32.bf16", 3, mixed, 0},
    {0},
};

/* SPDX-License-Identifier: MIT */
/* Small floats by plain arithmetic: no bit of this is how the lowering does it. */
#include "small_float.h"

#include <math.h>

const struct small_float small_f16 = {10, 15, false, 16}, small_bf16 = {7, 127, false, 16},
                         small_e4m3 = {3, 7, true, 8}, small_e5m2 = {2, 15, false, 8},
                         small_f32 = {23, 127, false, 32};

/* 2^exponent, from a table that is filled as it is asked for. */
static quad power(int exponent)
{
    static quad known[1024];
    quad *entry = &known[exponent + 512];

    if (*entry == 0) {
        *entry = 1;
        for (int k = exponent; k < 0; k++)
            *entry /= 2;
        for (int k = 0; k < exponent; k++)
            *entry *= 2;
    }
    return *entry;
}

quad from_small(uint64_t bits, const struct small_float *f)
{
    bool negative = bits >> (f->bits - 1) & 1;
    uint64_t size = bits & ((UINT64_C(1) << (f->bits - 1)) - 1);
    uint64_t digits = size & ((UINT64_C(1) << f->digits) - 1);
    int exponent = (int)(size >> f->digits), top = (1 << (f->bits - 1 - f->digits)) - 1;
    quad value;

    if (f->no_infinity ? size == (UINT64_C(1) << (f->bits - 1)) - 1 : exponent == top && digits)
        return (quad)NAN;
    if (exponent == top && !f->no_infinity)
        value = (quad)INFINITY;
    else if (exponent == 0)
        value = (quad)digits * power(1 - f->bias - f->digits);
    else
        value = (quad)(digits + (UINT64_C(1) << f->digits)) * power(exponent - f->bias - f->digits);
    return negative ? -value : value;
}

static bool is_negative(quad value)
{
    return value < 0 || (value == 0 && 1 / value < 0);
}

/* Rounds a non-negative number below 2^40 or so to a whole one. */
static uint64_t to_whole(quad value, enum small_mode mode, bool negative)
{
    uint64_t whole = (uint64_t)value;
    quad rest = value - (quad)whole;
    bool up = mode == TO_NEAREST  ? rest > (quad)0.5 || (rest == (quad)0.5 && whole & 1)
              : mode == TIES_AWAY ? rest >= (quad)0.5
              : mode == TO_ZERO   ? false
                                  : rest > 0 && (mode == UP) != negative;

    return whole + up;
}

uint64_t to_small(quad value, const struct small_float *f, enum small_mode mode, bool finite)
{
    bool negative = is_negative(value);
    uint64_t sign = (uint64_t)negative << (f->bits - 1);
    uint64_t ones = (UINT64_C(1) << (f->bits - 1)) - 1;
    uint64_t infinity = f->no_infinity ? ones : ones >> f->digits << f->digits;
    quad size = negative ? -value : value;
    int exponent = 1 - f->bias;
    uint64_t digits, result;

    if (value != value)
        return ones;
    if (size > power(f->bias + 2 < 140 ? f->bias + 2 : 140)) {
        bool inward = size < (quad)INFINITY &&
                      (mode == TO_ZERO || (mode == UP && negative) || (mode == DOWN && !negative));

        return sign | (finite || inward ? infinity - 1 : infinity);
    }
    while (size >= power(exponent + 1))
        exponent++;
    digits = to_whole(size * power(f->digits - exponent), mode, negative);
    /* Carries run into the exponent by themselves. */
    result = ((uint64_t)(exponent - 1 + f->bias) << f->digits) + digits;
    if (result >= infinity) {
        bool inward = mode == TO_ZERO || (mode == UP && negative) || (mode == DOWN && !negative);

        result = finite || inward ? infinity - 1 : infinity;
    }
    return sign | result;
}

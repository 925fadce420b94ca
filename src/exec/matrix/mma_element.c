/* SPDX-License-Identifier: MIT */
/* Elements of matrices as floats, and the sum of one element of a product, without vectors. */
#include "exec/matrix/mma.h"

#include <math.h>
#include <string.h>

static float float_of(uint32_t bits)
{
    float value;

    memcpy(&value, &bits, sizeof(value));
    return value;
}

float cup_mma_canonical(float value)
{
    return value != value ? float_of(0x7fffffff) : value;
}

/* A small float of `exponent_bits` and `fraction_bits`. e4m3 has no infinities: only the last
 * pattern is a NaN. */
static float small_float(uint32_t bits, unsigned exponent_bits, unsigned fraction_bits)
{
    uint32_t top = (1u << exponent_bits) - 1, exponent = bits >> fraction_bits & top,
             fraction = bits & ((1u << fraction_bits) - 1);
    int bias = (int)(top >> 1);
    bool sign = bits >> (exponent_bits + fraction_bits) & 1, infinities = exponent_bits != 4;
    float value;

    if (exponent == top && (infinities ? true : fraction == 7))
        value = infinities && !fraction ? INFINITY : NAN;
    else if (exponent)
        value =
            float_of(((exponent + 127 - (uint32_t)bias) << 23) | fraction << (23 - fraction_bits));
    else
        value = ldexpf((float)fraction, 1 - bias - (int)fraction_bits);
    return sign ? -value : value;
}

float cup_mma_element(enum ptx_type type, uint32_t word, unsigned at)
{
    switch (type) {
    case PTX_F16:
        return small_float(word >> 16 * at & 0xffff, 5, 10);
    case PTX_BF16:
        return float_of(word >> 16 * at << 16);
    case PTX_TF32: /* the lowest bits are ignored */
        return float_of(word & ~0x1fffu);
    case PTX_F32:
        return float_of(word);
    case PTX_E4M3:
        return small_float(word >> 8 * at & 0xff, 4, 3);
    case PTX_E5M2:
        return small_float(word >> 8 * at & 0xff, 5, 2);
    case PTX_S8:
        return (int8_t)(word >> 8 * at);
    case PTX_U8:
        return (uint8_t)(word >> 8 * at);
    case PTX_S4:
        return (float)((int)((word >> 4 * at & 15) ^ 8) - 8);
    case PTX_U4:
        return (float)(word >> 4 * at & 15);
    default:
        return (float)(int32_t)word;
    }
}

uint32_t cup_mma_float_bits(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

/* Rounds to nearest, ties to even. Below the normal numbers of .f16, adding 1/2 rounds at its last
 * bit. */
uint32_t cup_mma_half_bits(float value)
{
    enum { SMALLEST = 0x38800000, TOO_LARGE = 0x477ff000, HALF = 0x3f000000 };
    uint32_t bits, sign;

    memcpy(&bits, &value, sizeof(bits));
    sign = bits >> 16 & 0x8000;
    bits &= 0x7fffffff;
    if (bits > 0x7f800000)
        return 0x7fff;
    if (bits >= TOO_LARGE)
        return sign | 0x7c00;
    if (bits < SMALLEST) {
        value = float_of(bits) + 0.5f;
        memcpy(&bits, &value, sizeof(bits));
        return sign | (bits - HALF);
    }
    bits += 0xfff + (bits >> 13 & 1);
    return sign | (bits - (112u << 23)) >> 13;
}

float cup_mma_round_half(float value)
{
    return cup_mma_element(PTX_F16, cup_mma_half_bits(value), 0);
}

/* Returns the least exponent of a format's numbers. */
static int least_exponent(enum ptx_type type)
{
    switch (type) {
    case PTX_F16:
    case PTX_E5M2:
        return -14;
    case PTX_E4M3:
        return -6;
    default:
        return -126;
    }
}

enum { NO_EXPONENT = -10000 };

static int exponent_of(enum ptx_type type, float value)
{
    int least = least_exponent(type), exponent;

    if (value == 0)
        return NO_EXPONENT;
    frexpf(value, &exponent);
    return exponent - 1 < least ? least : exponent - 1;
}

/* Truncates to `kept` bits; fewer below the smallest normal .f32. */
static double truncate_to(double value, int kept)
{
    int exponent;

    frexp(value, &exponent);
    if (exponent < -125)
        exponent = -125;
    return ldexp(trunc(ldexp(value, kept - exponent)), exponent - kept);
}

/* Sets the last bit: bits were lost, and a later rounding must know. */
static float with_last_bit(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof(bits));
    return float_of(bits | 1);
}

float cup_mma_sum(const struct cup_mma_rule *rule, const float *a, const float *b, unsigned count,
                  float c)
{
    enum ptx_type type_a = rule->in_halves ? PTX_F16 : rule->a,
                  type_b = rule->in_halves ? PTX_F16 : rule->b;
    double plain = c, scale, cut;
    int largest = exponent_of(PTX_F32, c);
    int64_t sum = 0;

    if (rule->c == PTX_F16)
        largest = exponent_of(PTX_F16, c);
    for (unsigned k = 0; k < count; k++) {
        int one = exponent_of(type_a, a[k]) + exponent_of(type_b, b[k]);

        plain += (double)a[k] * b[k];
        largest = one > largest ? one : largest;
    }
    if (!isfinite(plain))
        return cup_mma_canonical((float)plain);
    if (largest < NO_EXPONENT / 2)
        return 0; /* of any zeros */
    scale = ldexp(1, rule->window - largest);
    for (unsigned k = 0; k < count; k++)
        sum += (int64_t)((double)a[k] * b[k] * scale);
    sum += (int64_t)(c * scale);
    plain = ldexp((double)sum, largest - rule->window);
    cut = truncate_to(plain, rule->kept);
    if (fabs(cut) >= 0x1p128)
        return (float)copysign(INFINITY, cut);
    return rule->d == PTX_F16 && cut != plain ? with_last_bit((float)cut) : (float)cut;
}

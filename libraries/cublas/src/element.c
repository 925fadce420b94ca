/* SPDX-License-Identifier: MIT */
/* Conversions round to nearest, ties to even. */
#include "element.h"

#include <math.h>
#include <string.h>

double blas_half_to_double(uint16_t bits)
{
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    uint32_t wide = (uint32_t)(exponent + 112) << 23 | (uint32_t)fraction << 13;
    float magnitude;

    memcpy(&magnitude, &wide, sizeof(magnitude));
    if (exponent == 0)
        magnitude = (float)fraction * 0x1p-24f;
    if (exponent == 31)
        magnitude = fraction ? NAN : INFINITY;
    return bits & 0x8000 ? -magnitude : magnitude;
}

uint16_t blas_double_to_half(double value)
{
    uint16_t sign = signbit(value) ? 0x8000 : 0;
    double magnitude = fabs(value);
    int exponent;

    if (isnan(value))
        return 0x7fff;
    if (magnitude >= 65520)
        return sign | 0x7c00;
    frexp(magnitude, &exponent);
    /* Below the normal numbers the unit of the last place stays the same. */
    if (exponent < -13)
        return sign | (uint16_t)nearbyint(ldexp(magnitude, 24));
    /* The leading bit is left out; a carry into the exponent gives the right bits. */
    return sign |
           (uint16_t)((exponent + 13) * 1024 + (int)nearbyint(ldexp(magnitude, 11 - exponent)));
}

double blas_bfloat_to_double(uint16_t bits)
{
    uint32_t wide = (uint32_t)bits << 16;
    float value;

    memcpy(&value, &wide, sizeof(value));
    return value;
}

uint16_t blas_double_to_bfloat(double value)
{
    float single = (float)value;
    uint32_t bits;

    memcpy(&bits, &single, sizeof(bits));
    if (isnan(single))
        return 0x7fff;
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/* SPDX-License-Identifier: MIT */
/* Floats as the 16-bit types, to nearest even. */
#ifndef CUPIPE_TORCH_RANDOM_CONVERT_H
#define CUPIPE_TORCH_RANDOM_CONVERT_H

#include "sfu.h"

CUP_INLINE uint16_t cup_half_of(float value)
{
    uint32_t bits = cup_float_bits(value), sign = bits >> 16 & 0x8000, size = bits & 0x7fffffff;
    /* Adding a power of two leaves the digits that a half keeps at the end, rounded. */
    uint32_t exponent = size >> 23 < 113 ? 113 : size >> 23;
    float magic = cup_float_of((exponent + 13) << 23);
    uint32_t digits = cup_float_bits(cup_float_of(size) + magic) - cup_float_bits(magic);
    uint32_t half = ((exponent - 113) << 10) + digits;

    if (size >= 0x477ff000) /* rounds to 2^16, or is not finite */
        half = size > 0x7f800000 ? 0x7fff : 0x7c00;
    return (uint16_t)(size > 0x7f800000 ? half : sign | half);
}

CUP_INLINE float cup_half_value(uint16_t half)
{
    uint32_t sign = (uint32_t)(half & 0x8000) << 16, size = half & 0x7fff;

    if (size >= 0x7c00)
        return cup_float_of(sign | 0x7f800000 | (size & 0x3ff) << 13);
    return cup_float_of(cup_float_bits(cup_float_of(size << 13) * 0x1p112f) | sign);
}

CUP_INLINE uint16_t cup_bfloat16_of(float value)
{
    uint32_t bits = cup_float_bits(value);

    if ((bits & 0x7fffffff) > 0x7f800000)
        return 0x7fff;
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

CUP_INLINE float cup_bfloat16_value(uint16_t bits)
{
    return cup_float_of((uint32_t)bits << 16);
}

#endif

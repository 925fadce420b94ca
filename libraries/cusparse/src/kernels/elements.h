/* SPDX-License-Identifier: MIT */
/* Numbers of 16 bits as float, by their bits and without branches, so that loops over them become
 * vector instructions. */
#ifndef CUSPARSE_ELEMENTS_H
#define CUSPARSE_ELEMENTS_H

#include <stdint.h>

struct pair16 {
    uint16_t re, im;
};

union sparse_float_bits {
    float value;
    uint32_t bits;
};

static inline float _Complex complex_float(float re, float im)
{
    float _Complex value;

    __real__ value = re;
    __imag__ value = im;
    return value;
}

static inline float half_to_float(uint16_t half)
{
    union sparse_float_bits number = {.bits = (uint32_t)(half & 0x7fff) << 13};

    /* The exponent of f16 is less by 112; that of infinity and NaN becomes all ones. */
    number.value *= 0x1p112f;
    number.bits |= (half & 0x7c00) == 0x7c00 ? 0x7f800000 : 0;
    number.bits |= (uint32_t)(half & 0x8000) << 16;
    return number.value;
}

static inline uint16_t float_to_half(float value)
{
    union sparse_float_bits number = {.value = value}, small;
    uint32_t size = number.bits & 0x7fffffff, sign = number.bits >> 16 & 0x8000, half;

    /* A number below f16's normal range is rounded by an addition to 1/2. */
    small.bits = size;
    small.value += 0.5f;
    half = (size - (112u << 23) + 0xfff + (size >> 13 & 1)) >> 13;
    half = size < (113u << 23) ? small.bits - 0x3f000000 : half;
    half = size >= 0x477ff000 ? 0x7c00 : half;
    half = size > 0x7f800000 ? 0x7fff : half;
    return (uint16_t)(sign | half);
}

static inline float bfloat_to_float(uint16_t bfloat)
{
    return (union sparse_float_bits){.bits = (uint32_t)bfloat << 16}.value;
}

static inline uint16_t float_to_bfloat(float value)
{
    uint32_t bits = (union sparse_float_bits){.value = value}.bits;
    uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;

    return (uint16_t)((bits & 0x7fffffff) > 0x7f800000 ? 0x7fff : rounded);
}

#endif

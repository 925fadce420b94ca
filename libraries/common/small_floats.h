/* SPDX-License-Identifier: MIT */
/* Floating-point numbers of 16 and 8 bits as floats, and floats rounded to them, to nearest even,
 * as the device's conversions do: a NaN becomes the one whose bits are all ones. Without branches,
 * so that loops of them become vector code. */
#ifndef LIBRARIES_SMALL_FLOATS_H
#define LIBRARIES_SMALL_FLOATS_H

#include <stdint.h>
#include <string.h>

#define LIB_CONVERSION static inline __attribute__((always_inline))

LIB_CONVERSION uint32_t lib_float_bits(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

LIB_CONVERSION float lib_float_of(uint32_t bits)
{
    float value;

    memcpy(&value, &bits, sizeof(value));
    return value;
}

/* f16: normal numbers by moving the exponent, others by arithmetic. */
LIB_CONVERSION float lib_f16_value(uint16_t half)
{
    uint32_t sign = (uint32_t)(half & 0x8000) << 16, rest = half & 0x7fff;
    uint32_t normal = (rest << 13) + (112u << 23), special = (rest << 13) | 0x7f800000;
    float small = (float)(int32_t)rest * 0x1p-24f;
    uint32_t bits = rest >= 0x7c00 ? special : rest < 0x400 ? lib_float_bits(small) : normal;

    return lib_float_of(bits | sign);
}

LIB_CONVERSION uint16_t lib_f16_bits(float value)
{
    uint32_t bits = lib_float_bits(value), sign = bits >> 16 & 0x8000, rest = bits & 0x7fffffff;
    uint32_t normal = (rest - (112u << 23) + 0xfff + (rest >> 13 & 1)) >> 13;
    uint32_t small = lib_float_bits(lib_float_of(rest) + 0.5f) - lib_float_bits(0.5f);
    uint32_t finite = rest < 0x38800000 ? small : normal;
    uint32_t result = (rest >= 0x477ff000 ? 0x7c00 : finite) | sign;

    return (uint16_t)(rest > 0x7f800000 ? 0x7fff : result);
}

LIB_CONVERSION float lib_bf16_value(uint16_t bits)
{
    return lib_float_of((uint32_t)bits << 16);
}

LIB_CONVERSION uint16_t lib_bf16_bits(float value)
{
    uint32_t bits = lib_float_bits(value), rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;

    return (uint16_t)((bits & 0x7fffffff) > 0x7f800000 ? 0x7fff : rounded);
}

/* A double is cut off to a float whose last bit tells whether anything was cut, so that it is
 * rounded once. */
LIB_CONVERSION uint16_t lib_f16_bits_of_double(double value)
{
    float near = (float)value;
    uint32_t bits = lib_float_bits(near);

    if ((near < 0 ? -(double)near : (double)near) > (value < 0 ? -value : value))
        bits--;
    return lib_f16_bits((double)near != value ? lib_float_of(bits | 1) : near);
}

/* 8-bit floats: normal numbers by moving the exponent, which begins at `bias` in f32, others by a
 * product with the smallest number. */
LIB_CONVERSION float lib_fp8_value(uint8_t bits, unsigned digits, uint32_t bias, float smallest)
{
    uint32_t rest = bits & 0x7f, sign = (uint32_t)(bits & 0x80) << 24;
    uint32_t normal = (rest << (23 - digits)) + (bias << 23);
    uint32_t small = lib_float_bits((float)(int32_t)rest * smallest);

    return lib_float_of((rest >> digits ? normal : small) | sign);
}

LIB_CONVERSION float lib_e4m3_value(uint8_t bits)
{
    return (bits & 0x7f) == 0x7f ? lib_float_of(0x7fffffff) : lib_fp8_value(bits, 3, 120, 0x1p-9f);
}

LIB_CONVERSION float lib_e5m2_value(uint8_t bits)
{
    uint32_t sign = (uint32_t)(bits & 0x80) << 24, special = (uint32_t)(bits & 0x7f) << 21;

    return (bits & 0x7f) >= 0x7c ? lib_float_of(special | sign | 0x7f800000)
                                 : lib_fp8_value(bits, 2, 112, 0x1p-16f);
}

/* Rounds a sum or product of 8-bit floats to the 8-bit type, with saturation. The device rounds to
 * f16 before, which changes nothing: f16 has more than twice as many digits. `lowest` are the bits
 * of the type's smallest normal number; a number added to `quantum`, 2^23 times the smallest one,
 * is rounded to a multiple of that. */
LIB_CONVERSION uint8_t lib_fp8_bits(float value, unsigned digits, uint32_t lowest, float quantum,
                                    uint32_t largest)
{
    uint32_t bits = lib_float_bits(value), sign = bits >> 24 & 0x80, rest = bits & 0x7fffffff;
    unsigned drop = 23 - digits;
    uint32_t rounded = rest + (1u << (drop - 1)) - 1 + (rest >> drop & 1);
    uint32_t normal = (rounded - lowest + (1u << 23)) >> drop;
    uint32_t small = lib_float_bits(lib_float_of(rest) + quantum) - lib_float_bits(quantum);
    uint32_t result = rest < lowest ? small : normal;

    result = result > largest ? largest : result;
    return (uint8_t)(rest > 0x7f800000 ? 0x7f : result | sign);
}

LIB_CONVERSION uint8_t lib_e4m3_bits(float value)
{
    return lib_fp8_bits(value, 3, 121u << 23, 0x1p14f, 0x7e);
}

LIB_CONVERSION uint8_t lib_e5m2_bits(float value)
{
    return lib_fp8_bits(value, 2, 113u << 23, 0x1p7f, 0x7b);
}

#endif

/* SPDX-License-Identifier: MIT */
/* Elements of NCCL's floating-point types as numbers, and numbers rounded to the types, to nearest
 * even, as the device's conversions do. Without branches, so that loops of them become vector
 * code. */
#ifndef NCCL_REDUCE_FLOATS_H
#define NCCL_REDUCE_FLOATS_H

#include <stdint.h>
#include <string.h>

#define CONVERSION static inline __attribute__((always_inline))

CONVERSION uint32_t bits_of(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

CONVERSION float float_of(uint32_t bits)
{
    float value;

    memcpy(&value, &bits, sizeof(value));
    return value;
}

CONVERSION double double_of(uint64_t bits)
{
    double value;

    memcpy(&value, &bits, sizeof(value));
    return value;
}

/* A NaN of f64 is the operand's, made quiet, as the processor gives it. */
CONVERSION uint64_t f64_bits(double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

CONVERSION uint32_t f32_bits(float value)
{
    uint32_t bits = bits_of(value);

    return (bits & 0x7fffffff) > 0x7f800000 ? 0x7fffffff : bits;
}

/* f16: normal numbers by moving the exponent, others by arithmetic. */
CONVERSION float f16_value(uint16_t half)
{
    uint32_t sign = (uint32_t)(half & 0x8000) << 16, rest = half & 0x7fff;
    uint32_t normal = (rest << 13) + (112u << 23), special = (rest << 13) | 0x7f800000;
    float small = (float)(int32_t)rest * 0x1p-24f;
    uint32_t bits = rest >= 0x7c00 ? special : rest < 0x400 ? bits_of(small) : normal;

    return float_of(bits | sign);
}

CONVERSION uint16_t f16_bits(float value)
{
    uint32_t bits = bits_of(value), sign = bits >> 16 & 0x8000, rest = bits & 0x7fffffff;
    uint32_t normal = (rest - (112u << 23) + 0xfff + (rest >> 13 & 1)) >> 13;
    uint32_t small = bits_of(float_of(rest) + 0.5f) - bits_of(0.5f);
    uint32_t finite = rest < 0x38800000 ? small : normal;
    uint32_t result = (rest >= 0x477ff000 ? 0x7c00 : finite) | sign;

    return (uint16_t)(rest > 0x7f800000 ? 0x7fff : result);
}

CONVERSION float bf16_value(uint16_t bits)
{
    return float_of((uint32_t)bits << 16);
}

CONVERSION uint16_t bf16_bits(float value)
{
    uint32_t bits = bits_of(value), rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;

    return (uint16_t)((bits & 0x7fffffff) > 0x7f800000 ? 0x7fff : rounded);
}

/* 8-bit floats: normal numbers by moving the exponent, which begins at `bias` in f32, others by a
 * product with the smallest number. */
CONVERSION float tiny_value(uint8_t bits, unsigned digits, uint32_t bias, float smallest)
{
    uint32_t rest = bits & 0x7f, sign = (uint32_t)(bits & 0x80) << 24;
    uint32_t normal = (rest << (23 - digits)) + (bias << 23);
    uint32_t small = bits_of((float)(int32_t)rest * smallest);

    return float_of((rest >> digits ? normal : small) | sign);
}

CONVERSION float e4m3_value(uint8_t bits)
{
    return (bits & 0x7f) == 0x7f ? float_of(0x7fffffff) : tiny_value(bits, 3, 120, 0x1p-9f);
}

CONVERSION float e5m2_value(uint8_t bits)
{
    uint32_t sign = (uint32_t)(bits & 0x80) << 24, special = (uint32_t)(bits & 0x7f) << 21;

    return (bits & 0x7f) >= 0x7c ? float_of(special | sign | 0x7f800000)
                                 : tiny_value(bits, 2, 112, 0x1p-16f);
}

/* Rounds a sum or product of 8-bit floats to the 8-bit type, with saturation. The device rounds to
 * f16 before, which changes nothing: f16 has more than twice as many digits. `lowest` are the bits
 * of the type's smallest normal number; a number added to `quantum`, 2^23 times the smallest one,
 * is rounded to a multiple of that. */
CONVERSION uint8_t tiny_bits(float value, unsigned digits, uint32_t lowest, float quantum,
                             uint32_t largest)
{
    uint32_t bits = bits_of(value), sign = bits >> 24 & 0x80, rest = bits & 0x7fffffff;
    unsigned drop = 23 - digits;
    uint32_t rounded = rest + (1u << (drop - 1)) - 1 + (rest >> drop & 1);
    uint32_t normal = (rounded - lowest + (1u << 23)) >> drop;
    uint32_t small = bits_of(float_of(rest) + quantum) - bits_of(quantum);
    uint32_t result = rest < lowest ? small : normal;

    result = result > largest ? largest : result;
    return (uint8_t)(rest > 0x7f800000 ? 0x7f : result | sign);
}

CONVERSION uint8_t e4m3_bits(float value)
{
    return tiny_bits(value, 3, 121u << 23, 0x1p14f, 0x7e);
}

CONVERSION uint8_t e5m2_bits(float value)
{
    return tiny_bits(value, 2, 113u << 23, 0x1p7f, 0x7b);
}

CONVERSION uint8_t e5m2_finite(uint8_t bits)
{
    return (uint8_t)((bits & 0x7f) == 0x7c ? (bits & 0x80) | 0x7b : bits);
}

#endif

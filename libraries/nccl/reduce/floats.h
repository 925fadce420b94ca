/* SPDX-License-Identifier: MIT */
/* Elements of NCCL's floating-point types as numbers, beside those of small_floats.h. */
#ifndef NCCL_REDUCE_FLOATS_H
#define NCCL_REDUCE_FLOATS_H

#include <small_floats.h>

LIB_CONVERSION double double_of(uint64_t bits)
{
    double value;

    memcpy(&value, &bits, sizeof(value));
    return value;
}

/* A NaN of f64 is the operand's, made quiet, as the processor gives it. */
LIB_CONVERSION uint64_t f64_bits(double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

LIB_CONVERSION uint32_t f32_bits(float value)
{
    uint32_t bits = lib_float_bits(value);

    return (bits & 0x7fffffff) > 0x7f800000 ? 0x7fffffff : bits;
}

LIB_CONVERSION uint8_t e5m2_finite(uint8_t bits)
{
    return (uint8_t)((bits & 0x7f) == 0x7c ? (bits & 0x80) | 0x7b : bits);
}

#endif

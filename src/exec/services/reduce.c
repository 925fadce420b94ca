/* SPDX-License-Identifier: MIT */
/* One element at a time, by compare and exchange. Numbers of 16 bits are added as floats: the sum
 * of two is exact or rounds to the same number either way. */
#include "exec/services/reduce.h"

#include "abi/warp.h"
#include "ptx/program.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

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
    return bits;
}

static float half_to_float(uint16_t half, bool bf16)
{
    uint32_t sign = (uint32_t)(half & 0x8000) << 16, exponent = half >> 10 & 31,
             fraction = half & 0x3ff;

    if (bf16)
        return float_of((uint32_t)half << 16);
    if (exponent == 31)
        return float_of(sign | 0x7f800000 | fraction << 13);
    if (exponent)
        return float_of(sign | (exponent + 112) << 23 | fraction << 13);
    return (sign ? -1.0f : 1.0f) * ldexpf((float)fraction, -24);
}

/* Rounds to nearest even. */
static uint16_t float_to_half(float value, bool bf16)
{
    uint32_t bits = bits_of(value), sign = bits >> 16 & 0x8000, size = bits & 0x7fffffff;

    if (size > 0x7f800000)
        return 0x7fff;
    if (bf16)
        return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
    if (size >= 0x477ff000) /* rounds to 2^16 or more */
        return (uint16_t)(sign | 0x7c00);
    if (size < 0x38800000) /* subnormal: units of 2^-24 */
        return (uint16_t)(sign | (uint32_t)lrintf(float_of(size) * 0x1p24f));
    size -= 112u << 23;
    return (uint16_t)(sign | (size + 0xfff + (size >> 13 & 1)) >> 13);
}

static float flush(float value)
{
    return fabsf(value) < 0x1p-126f ? copysignf(0, value) : value;
}

static uint32_t add_float(uint32_t old, uint32_t new, bool flushes)
{
    float a = float_of(old), b = float_of(new), sum;

    if (flushes) {
        a = flush(a);
        b = flush(b);
    }
    sum = a + b;
    if (isnan(sum))
        return 0x7fffffff;
    return bits_of(flushes ? flush(sum) : sum);
}

/* A NaN operand is stored unchanged; otherwise a NaN in memory stays. */
static uint64_t add_double(uint64_t old, uint64_t new)
{
    double a, b, sum;
    uint64_t bits;

    memcpy(&a, &old, sizeof(a));
    memcpy(&b, &new, sizeof(b));
    if (isnan(b))
        return new;
    if (isnan(a))
        return old;
    sum = a + b;
    memcpy(&bits, &sum, sizeof(bits));
    return isnan(sum) ? UINT64_C(0xfff8000000000000) : bits;
}

/* min and max of floats return the operand that is a number; -0 is less than +0. */
static uint16_t choose_half(uint16_t old, uint16_t new, bool bf16, bool max)
{
    float a = half_to_float(old, bf16), b = half_to_float(new, bf16);

    if (isnan(a) && isnan(b))
        return 0x7fff;
    if (isnan(a) || isnan(b))
        return isnan(a) ? new : old;
    if (a == b) {
        if (max)
            return signbit(a) ? new : old;
        return signbit(a) ? old : new;
    }
    return (a < b) == max ? new : old;
}

static uint64_t combine_half(uint64_t old, uint64_t new, bool bf16, uint8_t reduction)
{
    if (reduction == CUP_ABI_REDUCE_ADD)
        return float_to_half(
            half_to_float((uint16_t)old, bf16) + half_to_float((uint16_t) new, bf16), bf16);
    return choose_half((uint16_t)old, (uint16_t) new, bf16, reduction == CUP_ABI_REDUCE_MAX);
}

static bool is_less(uint64_t a, uint64_t b, uint8_t type)
{
    switch (type) {
    case PTX_S32:
        return (int32_t)a < (int32_t)b;
    case PTX_S64:
        return (int64_t)a < (int64_t)b;
    case PTX_U32:
    case PTX_B32:
        return (uint32_t)a < (uint32_t)b;
    default:
        return a < b;
    }
}

static uint64_t combine_integer(uint64_t old, uint64_t new, uint8_t type, uint8_t reduction)
{
    switch (reduction) {
    case CUP_ABI_REDUCE_ADD:
        return old + new;
    case CUP_ABI_REDUCE_MIN:
        return is_less(new, old, type) ? new : old;
    case CUP_ABI_REDUCE_MAX:
        return is_less(old, new, type) ? new : old;
    case CUP_ABI_REDUCE_INC:
        return (uint32_t)old >= (uint32_t) new ? 0 : old + 1;
    case CUP_ABI_REDUCE_DEC:
        return (uint32_t)old == 0 || (uint32_t)old > (uint32_t) new ? new : old - 1;
    case CUP_ABI_REDUCE_AND:
        return old & new;
    case CUP_ABI_REDUCE_OR:
        return old | new;
    default:
        return old ^ new;
    }
}

static uint64_t combine(uint64_t old, uint64_t new, uint8_t type, uint8_t reduction)
{
    switch (type) {
    case PTX_F16:
    case PTX_BF16:
        return combine_half(old, new, type == PTX_BF16, reduction);
    case PTX_F32:
        return add_float((uint32_t)old, (uint32_t) new, reduction == CUP_ABI_REDUCE_ADD_FTZ);
    case PTX_F64:
        return add_double(old, new);
    default:
        return combine_integer(old, new, type, reduction);
    }
}

#define COMBINE_AT(integer)                                                                        \
    {                                                                                              \
        integer old = __atomic_load_n((integer *)to, __ATOMIC_RELAXED), operand, next;             \
                                                                                                   \
        memcpy(&operand, from, sizeof(operand));                                                   \
        do                                                                                         \
            next = (integer)combine(old, operand, type, reduction);                                \
        while (!__atomic_compare_exchange_n((integer *)to, &old, next, true, __ATOMIC_RELAXED,     \
                                            __ATOMIC_RELAXED));                                    \
    }

static void reduce_element(void *to, const void *from, unsigned size, uint8_t type,
                           uint8_t reduction)
{
    if (size == 2)
        COMBINE_AT(uint16_t)
    else if (size == 4)
        COMBINE_AT(uint32_t)
    else
        COMBINE_AT(uint64_t)
}

void cup_reduce(void *to, const void *from, size_t bytes, uint8_t type, uint8_t reduction)
{
    unsigned size = ptx_type_bits(type) / 8;

    for (size_t at = 0; at + size <= bytes; at += size)
        reduce_element((uint8_t *)to + at, (const uint8_t *)from + at, size, type, reduction);
}

void cup_reduce_wide(void *to, const void *const *from, unsigned arrays, size_t bytes, uint8_t type)
{
    for (size_t at = 0; at + 2 <= bytes; at += 2) {
        float sum = 0;
        uint16_t half;

        for (unsigned i = 0; i < arrays; i++) {
            memcpy(&half, (const uint8_t *)from[i] + at, sizeof(half));
            sum = i ? sum + half_to_float(half, type == PTX_BF16)
                    : half_to_float(half, type == PTX_BF16);
        }
        half = float_to_half(sum, type == PTX_BF16);
        memcpy((uint8_t *)to + at, &half, sizeof(half));
    }
}

/* SPDX-License-Identifier: MIT */
/* One macro makes the loop of an operation for a type. */
#include "vector.h"

#include "typed_rows.h"

#include <math.h>
#include <stdint.h>

/* Elements depend on nothing but those of the same place, also where source and result are one. */
#if defined(__clang__)
#define INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define INDEPENDENT _Pragma("GCC ivdep")
#endif

/* Scaled results are rounded to the nearest, halves to even numbers. */
#define LOOP(name, type, wide, BOUND, expression)                                                  \
    NPP_VECTOR static void name(const void *first, const void *second, void *result, size_t count, \
                                int scale)                                                         \
    {                                                                                              \
        const type *a = first, *b = second;                                                        \
        const wide half = scale ? (wide)(((wide)1 << (scale - 1)) - 1) : 0;                        \
        type *to = result;                                                                         \
                                                                                                   \
        if (!scale) {                                                                              \
            INDEPENDENT for (size_t i = 0; i < count; i++)                                         \
            {                                                                                      \
                const wide x = a[i], y = b[i], value = (expression);                               \
                                                                                                   \
                to[i] = (type)BOUND(value);                                                        \
            }                                                                                      \
            return;                                                                                \
        }                                                                                          \
        INDEPENDENT for (size_t i = 0; i < count; i++)                                             \
        {                                                                                          \
            const wide x = a[i], y = b[i], exact = (expression);                                   \
            const wide value = (exact + half + (exact >> scale & 1)) >> scale;                     \
                                                                                                   \
            to[i] = (type)BOUND(value);                                                            \
        }                                                                                          \
    }

#define FLOAT_LOOP(name, expression)                                                               \
    NPP_VECTOR static void name(const void *first, const void *second, void *result, size_t count, \
                                int scale)                                                         \
    {                                                                                              \
        const float *a = first, *b = second;                                                       \
        float *to = result;                                                                        \
                                                                                                   \
        (void)scale;                                                                               \
        INDEPENDENT for (size_t i = 0; i < count; i++)                                             \
        {                                                                                          \
            const float x = a[i], y = b[i];                                                        \
                                                                                                   \
            to[i] = (expression);                                                                  \
        }                                                                                          \
    }

#define BOUND_8U(value) ((value) < 0 ? 0 : (value) > 255 ? 255 : (value))
#define BOUND_16U(value) ((value) < 0 ? 0 : (value) > 65535 ? 65535 : (value))
#define BOUND_16S(value) ((value) < -32768 ? -32768 : (value) > 32767 ? 32767 : (value))
#define BOUND_LONG_16U(value) ((value) > 65535 ? 65535 : (value))

#define LOOPS(name, expression, float_expression)                                                  \
    LOOP(name##_8u, uint8_t, int32_t, BOUND_8U, expression)                                        \
    LOOP(name##_16u, uint16_t, int32_t, BOUND_16U, expression)                                     \
    LOOP(name##_16s, int16_t, int32_t, BOUND_16S, expression)                                      \
    FLOAT_LOOP(name##_32f, float_expression)                                                       \
    const struct npp_typed_loops npp_typed_##name = {name##_8u, name##_16u, name##_16s, name##_32f};

LOOPS(add, x + y, x + y)
LOOPS(subtract, x - y, x - y)
LOOPS(subtract_reversed, y - x, y - x)
LOOPS(difference, x < y ? y - x : x - y, fabsf(x - y))
LOOPS(least, y < x ? y : x, y < x ? y : x)
LOOPS(most, y > x ? y : x, y > x ? y : x)

LOOP(multiply_8u, uint8_t, int32_t, BOUND_8U, x *y)
LOOP(multiply_16u, uint16_t, uint32_t, BOUND_LONG_16U, x *y)
LOOP(multiply_16s, int16_t, int32_t, BOUND_16S, x *y)
FLOAT_LOOP(multiply_32f, x *y)
const struct npp_typed_loops npp_typed_multiply = {multiply_8u, multiply_16u, multiply_16s,
                                                   multiply_32f};

#define BITS(name, expression)                                                                     \
    LOOP(name##_8u, uint8_t, int32_t, (uint8_t), expression)                                       \
    LOOP(name##_16u, uint16_t, int32_t, (uint16_t), expression)                                    \
    const struct npp_typed_loops npp_typed_##name = {name##_8u, name##_16u, NULL, NULL};

BITS(and, x &y)
BITS(or, x | y)
BITS(xor, x ^ y)

#define COMPARISON(name, type, operator)                                                           \
    NPP_VECTOR static void name(const void *first, const void *second, void *result, size_t count, \
                                int scale)                                                         \
    {                                                                                              \
        const type *restrict a = first, *restrict b = second;                                      \
        uint8_t *restrict to = result;                                                             \
                                                                                                   \
        (void)scale;                                                                               \
        for (size_t i = 0; i < count; i++)                                                         \
            to[i] = a[i] operator b[i] ? 255 : 0;                                                  \
    }

#define COMPARISONS(name, operator)                                                                \
    COMPARISON(name##_8u, uint8_t, operator)                                                       \
    COMPARISON(name##_16u, uint16_t, operator)                                                     \
    COMPARISON(name##_16s, int16_t, operator)                                                      \
    COMPARISON(name##_32f, float, operator)

COMPARISONS(less, <)
COMPARISONS(less_equal, <=)
COMPARISONS(equal, ==)
COMPARISONS(greater_equal, >=)
COMPARISONS(greater, >)

const struct npp_typed_loops npp_typed_compare[5] = {
    [NPP_CMP_LESS] = {less_8u, less_16u, less_16s, less_32f},
    [NPP_CMP_LESS_EQ] = {less_equal_8u, less_equal_16u, less_equal_16s, less_equal_32f},
    [NPP_CMP_EQ] = {equal_8u, equal_16u, equal_16s, equal_32f},
    [NPP_CMP_GREATER_EQ] = {greater_equal_8u, greater_equal_16u, greater_equal_16s,
                            greater_equal_32f},
    [NPP_CMP_GREATER] = {greater_8u, greater_16u, greater_16s, greater_32f},
};

#define THRESHOLD(name, type)                                                                      \
    NPP_VECTOR static void name(const void *source, const struct npp_typed_limits *limits,         \
                                void *result, size_t count)                                        \
    {                                                                                              \
        const type *a = source, *low = limits->low, *low_value = limits->low_values;               \
        const type *high = limits->high, *high_value = limits->high_values;                        \
        type *to = result;                                                                         \
                                                                                                   \
        INDEPENDENT for (size_t i = 0; i < count; i++)                                             \
        {                                                                                          \
            const type x = a[i], bounded = x > high[i] ? high_value[i] : x;                        \
                                                                                                   \
            to[i] = x < low[i] ? low_value[i] : bounded;                                           \
        }                                                                                          \
    }

THRESHOLD(threshold_8u, uint8_t)
THRESHOLD(threshold_16u, uint16_t)
THRESHOLD(threshold_16s, int16_t)
THRESHOLD(threshold_32f, float)

npp_threshold_loop *npp_threshold_loop_of(enum npp_type type)
{
    switch (type) {
    case NPP_T_8U:
        return threshold_8u;
    case NPP_T_16U:
        return threshold_16u;
    case NPP_T_16S:
        return threshold_16s;
    case NPP_T_32F:
        return threshold_32f;
    default:
        return NULL;
    }
}

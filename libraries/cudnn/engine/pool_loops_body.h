/* SPDX-License-Identifier: MIT */
/* The loops of pool_loops.h; kernels_body.h includes this. Those that compare are written with
 * vectors of the compiler, since it makes branches of choices that mind NaN. */
#include "pool_loops.h"

#include <string.h>
#ifdef __AVX512DQ__
#include <immintrin.h>
#endif

#if defined(__AVX512F__)
enum { VECTOR_BYTES = 64 };
#elif defined(__AVX2__)
enum { VECTOR_BYTES = 32 };
#else
enum { VECTOR_BYTES = 16 };
#endif
enum { VECTOR_NUMBERS = VECTOR_BYTES / 4, VECTORS = LANES / VECTOR_NUMBERS };

typedef float floats __attribute__((vector_size(VECTOR_BYTES)));
typedef int32_t integers __attribute__((vector_size(VECTOR_BYTES)));

/* The condition under which a number takes the place of the best one, for vectors and numbers. */
#define IS_LARGER(best, value) (((value) > (best)) | ((best) != (best)))
#define IS_LARGER_OR_NAN(best, value) (((value) > (best)) | ((value) != (value)))

#define CHOOSE(best, value, taken)                                                                 \
    ((floats)(((taken) & (integers)(value)) | (~(taken) & (integers)(best))))

/* The numbers that stay. AVX-512 has an instruction that passes over NaN. */
#ifdef __AVX512DQ__
#define LARGER(best, value) ((floats)_mm512_range_ps((__m512)(best), (__m512)(value), 5))
#else
#define LARGER(best, value) CHOOSE(best, value, (integers)IS_LARGER(best, value))
#endif
#define LARGER_OR_NAN(best, value) CHOOSE(best, value, (integers)IS_LARGER_OR_NAN(best, value))

/* A function that takes the largest numbers of several lines; `vectors` vectors stay in registers,
 * at most VECTORS. The last vector may overlap the one before: to take numbers twice changes
 * nothing, also where `out` is one of the lines. */
#define LINES_MAX(name, STAYS, IS_TAKEN)                                                           \
    static inline __attribute__((always_inline)) void name##_block(                                \
        float *out, const float *const *from, size_t number, size_t i, int vectors)                \
    {                                                                                              \
        floats best[VECTORS], value;                                                               \
                                                                                                   \
        memcpy(best, from[0] + i, (size_t)vectors * sizeof(*best));                                \
        for (size_t k = 1; k < number; k++)                                                        \
            for (int v = 0; v < vectors; v++) {                                                    \
                memcpy(&value, from[k] + i + v * VECTOR_NUMBERS, sizeof(value));                   \
                best[v] = STAYS(best[v], value);                                                   \
            }                                                                                      \
        memcpy(out + i, best, (size_t)vectors * sizeof(*best));                                    \
    }                                                                                              \
    static void name(float *out, const float *const *from, size_t number, size_t count)            \
    {                                                                                              \
        size_t i = 0;                                                                              \
                                                                                                   \
        for (; i + LANES <= count; i += LANES)                                                     \
            name##_block(out, from, number, i, VECTORS);                                           \
        for (; i + VECTOR_NUMBERS <= count; i += VECTOR_NUMBERS)                                   \
            name##_block(out, from, number, i, 1);                                                 \
        if (i < count && count > VECTOR_NUMBERS) {                                                 \
            name##_block(out, from, number, count - VECTOR_NUMBERS, 1);                            \
            return;                                                                                \
        }                                                                                          \
        for (; i < count; i++) {                                                                   \
            float best = from[0][i];                                                               \
                                                                                                   \
            for (size_t k = 1; k < number; k++)                                                    \
                best = IS_TAKEN(best, from[k][i]) ? from[k][i] : best;                             \
            out[i] = best;                                                                         \
        }                                                                                          \
    }

LINES_MAX(lines_max, LARGER, IS_LARGER)
LINES_MAX(lines_max_nan, LARGER_OR_NAN, IS_LARGER_OR_NAN)

static inline __attribute__((always_inline)) void add_block(float *out, const float *const *from,
                                                            size_t number, size_t i, int vectors)
{
    floats sums[VECTORS], value;

    memcpy(sums, from[0] + i, (size_t)vectors * sizeof(*sums));
    for (size_t k = 1; k < number; k++)
        for (int v = 0; v < vectors; v++) {
            memcpy(&value, from[k] + i + v * VECTOR_NUMBERS, sizeof(value));
            sums[v] += value;
        }
    memcpy(out + i, sums, (size_t)vectors * sizeof(*sums));
}

static void lines_add(float *out, const float *const *from, size_t number, size_t count)
{
    size_t i = 0;

    for (; i + LANES <= count; i += LANES)
        add_block(out, from, number, i, VECTORS);
    for (; i + VECTOR_NUMBERS <= count; i += VECTOR_NUMBERS)
        add_block(out, from, number, i, 1);
    for (; i < count; i++) {
        float total = from[0][i];

        for (size_t k = 1; k < number; k++)
            total += from[k][i];
        out[i] = total;
    }
}

static void multiply_line(float *restrict out, const float *restrict factors, float factor,
                          size_t count)
{
    for (size_t i = 0; i < count; i++)
        out[i] *= factors[i] * factor;
}

/* Strides 1 and 2 are constants in a loop of their own. */
#define STRIDED(name, parameters, statement)                                                       \
    static void name parameters                                                                    \
    {                                                                                              \
        if (stride == 1)                                                                           \
            for (size_t i = 0; i < count; i++) {                                                   \
                size_t at = i;                                                                     \
                statement;                                                                         \
            }                                                                                      \
        else if (stride == 2)                                                                      \
            for (size_t i = 0; i < count; i++) {                                                   \
                size_t at = 2 * i;                                                                 \
                statement;                                                                         \
            }                                                                                      \
        else                                                                                       \
            for (size_t i = 0; i < count; i++) {                                                   \
                size_t at = (size_t)stride * i;                                                    \
                statement;                                                                         \
            }                                                                                      \
    }

STRIDED(gather_line, (float *restrict out, const float *restrict in, int64_t stride, size_t count),
        out[i] = in[at])
STRIDED(spread_line,
        (float *restrict out, const float *restrict in, const float *restrict factors, float factor,
         int64_t stride, size_t count),
        out[at] += factor * factors[i] * in[i])

/* One vector of winner(); notes where there is NaN. Twice the same line changes nothing. */
static inline __attribute__((always_inline)) void
winner_block(float *best, int32_t *ids, const float *line, int32_t id, integers *unordered)
{
    floats most, values;
    integers old, taken;

    memcpy(&most, best, sizeof(most));
    memcpy(&values, line, sizeof(values));
    memcpy(&old, ids, sizeof(old));
    taken = values > most;
    *unordered |= values != values;
    most = CHOOSE(most, values, taken);
    old = (taken & id) | (~taken & old);
    memcpy(best, &most, sizeof(most));
    memcpy(ids, &old, sizeof(old));
}

static bool winner(float *best, int32_t *ids, const float *line, int32_t id, size_t count)
{
    integers unordered = {0};
    size_t i = 0;
    int32_t any = 0;

    for (; i + VECTOR_NUMBERS <= count; i += VECTOR_NUMBERS)
        winner_block(best + i, ids + i, line + i, id, &unordered);
    if (i < count && count > VECTOR_NUMBERS) {
        i = count - VECTOR_NUMBERS;
        winner_block(best + i, ids + i, line + i, id, &unordered);
        i = count;
    }
    for (; i < count; i++) {
        ids[i] = line[i] > best[i] ? id : ids[i];
        any |= line[i] != line[i];
        best[i] = line[i] > best[i] ? line[i] : best[i];
    }
    for (int v = 0; v < VECTOR_NUMBERS; v++)
        any |= unordered[v];
    return any != 0;
}

#define POOL_LOOPS                                                                                 \
    {                                                                                              \
        .lines_max = lines_max, .lines_max_nan = lines_max_nan, .lines_add = lines_add,            \
        .gather = gather_line, .multiply = multiply_line, .spread = spread_line, .winner = winner, \
    }

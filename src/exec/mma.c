/* SPDX-License-Identifier: MIT */
/* Tiles of a product as vectors: a lane is a row, a vector the 16 rows of one column.
 *
 * A column takes two passes over its products: the first finds the largest power of two of its
 * terms, the second scales each product by it, truncates it to an integer, and adds. Products of
 * small floats are exact in .f32, and a power of two changes no bits, so this is the rule itself.
 * Lanes that it cannot do (see is_plain, and sums of 2^31) go to cup_mma_sum(). */
#include "exec/mma.h"

#include "core/compiler.h"
#include "ptx/matrix.h"

#include <math.h>
#include <pthread.h>
#include <string.h>
#ifdef __x86_64__
#include <immintrin.h>
#endif

enum { ROWS = CUP_MMA_ROWS, COLUMNS = CUP_MMA_COLUMNS, DEPTH = CUP_MMA_DEPTH };

typedef float floats __attribute__((vector_size(4 * ROWS)));
typedef int32_t ints __attribute__((vector_size(4 * ROWS)));
typedef uint32_t uints __attribute__((vector_size(4 * ROWS)));
typedef int32_t ints_unaligned __attribute__((vector_size(4 * ROWS), aligned(4)));
typedef uint32_t whole_numbers __attribute__((vector_size(4 * ROWS)));
typedef uint16_t halves __attribute__((vector_size(2 * ROWS)));
typedef uint16_t few_halves __attribute__((vector_size(ROWS), aligned(2)));
typedef uint16_t many_halves __attribute__((vector_size(4 * ROWS), aligned(2)));

struct columns_functions {
    void (*multiply)(struct cup_mma *tensor, unsigned from, unsigned to);
    bool (*set_a)(struct cup_mma *tensor, const uint8_t *cores);
    bool (*set_b)(struct cup_mma *tensor, const uint8_t *cores);
    void (*set_c)(struct cup_mma *tensor, const uint32_t *words);
    void (*get_d)(const struct cup_mma *tensor, uint32_t *words);
};

#define JOIN_TOKENS(a, b) a##b
#define JOIN(a, b) JOIN_TOKENS(a, b)

/* Lanes of `a` where the mask is set, else of `b`. */
#define SELECT(mask, a, b) ((floats)(((mask) & (ints)(a)) | (~(mask) & (ints)(b))))

/* Transposes 8 rows of 8 halves, of which each vector has four: columns k to k + 3. */
#define TURN_ROWS(a, b, k)                                                                         \
    __builtin_shufflevector(a, b, k, k + 8, k + 16, k + 24, k + 32, k + 40, k + 48, k + 56, k + 1, \
                            k + 9, k + 17, k + 25, k + 33, k + 41, k + 49, k + 57, k + 2, k + 10,  \
                            k + 18, k + 26, k + 34, k + 42, k + 50, k + 58, k + 3, k + 11, k + 19, \
                            k + 27, k + 35, k + 43, k + 51, k + 59)
/* Columns i / 8 and i / 8 + 1 of `a`, each followed by that of `b`. */
#define JOIN_ROWS(a, b, i)                                                                         \
    __builtin_shufflevector(a, b, i, i + 1, i + 2, i + 3, i + 4, i + 5, i + 6, i + 7, i + 32,      \
                            i + 33, i + 34, i + 35, i + 36, i + 37, i + 38, i + 39, i + 8, i + 9,  \
                            i + 10, i + 11, i + 12, i + 13, i + 14, i + 15, i + 40, i + 41,        \
                            i + 42, i + 43, i + 44, i + 45, i + 46, i + 47)
#define JOIN_HALVES(a, b)                                                                          \
    __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
/* Lanes j, j + 4, ... and j + 1, j + 5, ... of 32. */
#define TURN_LANES(a, b, j)                                                                        \
    __builtin_shufflevector(a, b, j, j + 4, j + 8, j + 12, j + 16, j + 20, j + 24, j + 28, j + 1,  \
                            j + 5, j + 9, j + 13, j + 17, j + 21, j + 25, j + 29)
/* The reverse: lanes 4 r, of rows r from `r` on, of columns j and j + 1 (a), j + 2 and j + 3 (b).
 */
#define RETURN_LANES(a, b, r)                                                                      \
    __builtin_shufflevector(a, b, r, r + 8, r + 16, r + 24, r + 1, r + 9, r + 17, r + 25, r + 2,   \
                            r + 10, r + 18, r + 26, r + 3, r + 11, r + 19, r + 27)
#define JOIN_LANES(a, b, i)                                                                        \
    __builtin_shufflevector(a, b, i, i + 1, i + 2, i + 3, i + 4, i + 5, i + 6, i + 7, i + 16,      \
                            i + 17, i + 18, i + 19, i + 20, i + 21, i + 22, i + 23)

struct cup_mma_rule cup_mma_rule_of(const uint8_t types[4], unsigned depth, bool is_group)
{
    enum ptx_type a = types[PTX_MATRIX_A];
    bool small = a == PTX_E4M3 || a == PTX_E5M2;

    return (struct cup_mma_rule){.a = a,
                                 .b = types[PTX_MATRIX_B],
                                 .c = types[PTX_MATRIX_C],
                                 .d = types[PTX_MATRIX_D],
                                 .depth = (uint8_t)depth,
                                 .in_halves = small && !is_group,
                                 .window = small && is_group ? 13 : 25,
                                 .kept =
                                     small && is_group && types[PTX_MATRIX_D] == PTX_F32 ? 14 : 24};
}

static inline bool any_lane(const int64_t *pairs)
{
    int64_t all = 0;

    for (unsigned i = 0; i < ROWS / 2; i++)
        all |= pairs[i];
    return all != 0;
}

static float sum_of_lane(const struct cup_mma *tensor, unsigned column, unsigned row, unsigned from,
                         unsigned to)
{
    float a[DEPTH];

    for (unsigned k = from; k < to; k++)
        a[k] = tensor->a[k][row];
    return cup_mma_sum(&tensor->rule, a + from, tensor->b[column] + from, to - from,
                       tensor->c[column][row]);
}

#define COLUMNS_NAME columns_plain
#define COLUMNS_TARGET
#define COLUMNS_LARGER(a, b) SELECT((a) > (b), a, b)
#define COLUMNS_ANY(a) any_lane((const int64_t *)(const ints[]){a})
#include "exec/mma_columns.inc"

#ifdef __x86_64__
#define COLUMNS_NAME columns_avx2
#define COLUMNS_TARGET __attribute__((target("avx2")))
#define COLUMNS_LARGER(a, b) SELECT((a) > (b), a, b)
#define COLUMNS_ANY(a) any_lane((const int64_t *)(const ints[]){a})
#include "exec/mma_columns.inc"

#define COLUMNS_NAME columns_avx512
#define COLUMNS_TARGET __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))
#define COLUMNS_LARGER(a, b) ((floats)_mm512_max_ps((__m512)(a), (__m512)(b)))
#define COLUMNS_ANY(a) (_mm512_test_epi32_mask((__m512i)(a), (__m512i)(a)) != 0)
#include "exec/mma_columns.inc"

static const struct columns_functions *functions(void)
{
    if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq"))
        return &columns_avx512_functions;
    return __builtin_cpu_supports("avx2") ? &columns_avx2_functions : &columns_plain_functions;
}
#else
static const struct columns_functions *functions(void)
{
    return &columns_plain_functions;
}
#endif

/* Where element k of a row is kept: in halves, the lower pairs of each four come first. */
static unsigned place_of(const struct cup_mma_rule *rule, unsigned k)
{
    if (!rule->in_halves)
        return k;
    return k % 4 < 2 ? k / 4 * 2 + k % 4 : rule->depth / 2u + k / 4 * 2 + k % 4 - 2;
}

/* The smallest power of two of a format that is smaller than .f32. */
static float least_power(const struct cup_mma_rule *rule, enum ptx_type type)
{
    if (type == PTX_F16 || type == PTX_E5M2 || rule->in_halves)
        return 0x1p-14f;
    return type == PTX_E4M3 ? 0x1p-6f : 0;
}

static float power_of(float value, float least)
{
    float power;
    uint32_t bits;

    memcpy(&bits, &value, sizeof(bits));
    bits &= 0x7f800000;
    memcpy(&power, &bits, sizeof(power));
    if (value == 0)
        return 0;
    return power < least ? least : power;
}

/* Whether products and scaled products of this number stay normal in .f32. */
static bool is_plain(float value)
{
    float magnitude = fabsf(value);

    return value == 0 || (magnitude >= 0x1p-50f && magnitude < 0x1p50f);
}

static float byte_values[4][256];
static pthread_once_t byte_once = PTHREAD_ONCE_INIT;

static unsigned byte_table(enum ptx_type type)
{
    return type == PTX_E4M3 ? 0 : type == PTX_E5M2 ? 1 : type == PTX_S8 ? 2 : 3;
}

static void make_byte_values(void)
{
    static const enum ptx_type types[] = {PTX_E4M3, PTX_E5M2, PTX_S8, PTX_U8};

    for (unsigned i = 0; i < CUP_ARRAY_COUNT(types); i++)
        for (uint32_t byte = 0; byte < 256; byte++)
            byte_values[byte_table(types[i])][byte] = cup_mma_element(types[i], byte, 0);
}

/* Decodes 16 bytes. Values of 8 bits are looked up. */
static void decode(enum ptx_type type, const uint8_t *bytes, float *values)
{
    unsigned bits = ptx_type_bits(type), in_word = 32 / bits;
    uint32_t words[4];

    if (bits == 8) {
        const float *table = byte_values[byte_table(type)];

        pthread_once(&byte_once, make_byte_values);
        for (unsigned at = 0; at < 16; at++)
            values[at] = table[bytes[at]];
        return;
    }
    memcpy(words, bytes, sizeof(words));
    for (unsigned at = 0; at < 128 / bits; at++)
        values[at] = cup_mma_element(type, words[at / in_word], at % in_word);
}

static void set_a_elements(struct cup_mma *tensor, const uint8_t *cores)
{
    const struct cup_mma_rule *rule = &tensor->rule;
    unsigned each = 128 / ptx_type_bits(rule->a);
    float least = least_power(rule, rule->a), values[32];
    bool plain = true;

    for (unsigned chunk = 0; chunk * each < rule->depth; chunk++)
        for (unsigned row = 0; row < ROWS; row++, cores += 16) {
            decode(rule->a, cores, values);
            for (unsigned at = 0; at < each; at++) {
                unsigned k = place_of(rule, chunk * each + at);
                float value = rule->negate ? -values[at] : values[at];

                tensor->a[k][row] = value;
                tensor->a_power[k][row] = power_of(value, least);
                plain = plain && is_plain(value);
            }
        }
    tensor->a_plain = plain;
}

static void set_b_elements(struct cup_mma *tensor, const uint8_t *cores)
{
    const struct cup_mma_rule *rule = &tensor->rule;
    unsigned each = 128 / ptx_type_bits(rule->b);
    float least = least_power(rule, rule->b), values[32];
    bool plain = true;

    for (unsigned chunk = 0; chunk * each < rule->depth; chunk++)
        for (unsigned column = 0; column < COLUMNS; column++, cores += 16) {
            decode(rule->b, cores, values);
            for (unsigned at = 0; at < each; at++) {
                unsigned k = place_of(rule, chunk * each + at);

                tensor->b[column][k] = values[at];
                tensor->b_power[column][k] = power_of(values[at], least);
                plain = plain && is_plain(values[at]);
            }
        }
    tensor->b_plain = plain;
}

static bool is_half(enum ptx_type type)
{
    return type == PTX_F16 || type == PTX_BF16;
}

void cup_mma_set_a(struct cup_mma *tensor, const uint8_t *cores)
{
    if (is_half(tensor->rule.a) && functions()->set_a(tensor, cores))
        tensor->a_plain = true;
    else
        set_a_elements(tensor, cores);
}

void cup_mma_set_b(struct cup_mma *tensor, const uint8_t *cores)
{
    if (is_half(tensor->rule.b) && tensor->rule.depth == 16 && functions()->set_b(tensor, cores))
        tensor->b_plain = true;
    else
        set_b_elements(tensor, cores);
}

/* Registers hold columns 2 i and 2 i + 1 of a row in lane 4 row + i; then rows 8 and up. */
void cup_mma_set_c(struct cup_mma *tensor, const uint32_t *words)
{
    if (tensor->rule.c != PTX_F16) {
        functions()->set_c(tensor, words);
        return;
    }
    for (unsigned column = 0; column < COLUMNS; column++)
        for (unsigned row = 0; row < ROWS; row++) {
            unsigned lane = row % 8 * 4 + column / 2;

            tensor->c[column][row] =
                cup_mma_element(PTX_F16, words[row / 8 * 32 + lane], column % 2);
        }
}

void cup_mma_clear_c(struct cup_mma *tensor)
{
    memset(tensor->c, 0, sizeof(tensor->c));
}

void cup_mma_get_d(const struct cup_mma *tensor, uint32_t *words)
{
    if (tensor->rule.d != PTX_F16) {
        functions()->get_d(tensor, words);
        return;
    }
    for (unsigned column = 0; column < COLUMNS; column += 2)
        for (unsigned row = 0; row < ROWS; row++)
            words[row / 8 * 32 + row % 8 * 4 + column / 2] =
                cup_mma_half_bits(tensor->c[column][row]) |
                cup_mma_half_bits(tensor->c[column + 1][row]) << 16;
}

static void multiply_part(struct cup_mma *tensor, unsigned from, unsigned to)
{
    bool floats_plain = tensor->a_plain && tensor->b_plain;

    if (tensor->rule.d == PTX_S32 || floats_plain)
        functions()->multiply(tensor, from, to);
    else
        for (unsigned column = 0; column < COLUMNS; column++)
            for (unsigned row = 0; row < ROWS; row++)
                tensor->c[column][row] = sum_of_lane(tensor, column, row, from, to);
    if (tensor->rule.d == PTX_F16 && tensor->rule.in_halves)
        for (unsigned column = 0; column < COLUMNS; column++)
            for (unsigned row = 0; row < ROWS; row++)
                tensor->c[column][row] = cup_mma_round_half(tensor->c[column][row]);
}

void cup_mma_multiply(struct cup_mma *tensor)
{
    unsigned depth = tensor->rule.depth;
    float c[COLUMNS][ROWS];

    if (!tensor->rule.in_halves) {
        multiply_part(tensor, 0, depth);
        return;
    }
    memcpy(c, tensor->c, sizeof(c));
    cup_mma_clear_c(tensor);
    multiply_part(tensor, 0, depth / 2);
    multiply_part(tensor, depth / 2, depth);
    for (unsigned column = 0; column < COLUMNS; column++)
        for (unsigned row = 0; row < ROWS; row++)
            tensor->c[column][row] = cup_mma_canonical(tensor->c[column][row] + c[column][row]);
}

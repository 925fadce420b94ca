/* SPDX-License-Identifier: MIT */
/* Tiles of a product as vectors: a lane is a row, a vector the 16 rows of one column.
 *
 * A column takes two passes. The first finds the largest exponent of each element's products, as
 * sums of codes, which are bytes. The second scales each product by it, truncates it to an integer,
 * and adds. Products of small floats are exact in .f32, and a power of two changes no bits, so this
 * is the rule itself. Lanes that it cannot do go to cup_mma_sum(). */
#include "exec/matrix/mma.h"

#include "core/compiler.h"
#include "core/processor.h"
#include "exec/matrix/mma_avx512.h"
#include "exec/matrix/mma_vectors.h"
#include "ptx/matrix.h"

#include <stdatomic.h>
#include <string.h>
#ifdef __x86_64__
#include <immintrin.h>
#endif
#ifdef __aarch64__
#include <arm_neon.h>
#endif

enum { ROWS = CUP_MMA_ROWS, COLUMNS = CUP_MMA_COLUMNS, DEPTH = CUP_MMA_DEPTH };

/* All functions with vectors are inlined: how vectors are passed does not matter. */
#pragma GCC diagnostic ignored "-Wpsabi"

enum { FRACTION = 23 }; /* bits of .f32 */

/* Constants of the vector code. */
struct sum_rule {
    uint32_t window; /* as an exponent field */
    int32_t least;   /* a largest term below this leaves the lane */
    int32_t always;  /* negative: also if C is 0 */
    int32_t kept;    /* the bits of a result */
    int32_t lost;    /* that are set where bits were lost */
};

/* A product of `a` and `b`, which begin at the first element, and C, which becomes D. */
struct sum {
    struct sum_rule rule;
    const float (*a)[ROWS], (*b)[DEPTH];
    int32_t (*c)[ROWS];
    const int32_t (*largest)[ROWS]; /* exponent fields of the largest products */
    int32_t (*left)[ROWS];
};

typedef void largest_function(const uint8_t (*a)[ROWS], const uint8_t (*b)[DEPTH], unsigned count,
                              int32_t (*largest)[ROWS]);

struct columns_functions {
    bool by_tiles; /* operands of 16 bits and their exact products are those of mma_avx512.c */
    largest_function *largest;
    bool (*sums)(const struct sum *sum, unsigned count); /* whether lanes are left */
    void (*add)(struct cup_mma *tensor);
    void (*spread_a)(struct cup_mma *tensor);
    void (*turn_b)(struct cup_mma *tensor);
    bool (*set_b_turned)(struct cup_mma *tensor, const uint8_t *cores);
    void (*multiply_fast)(const struct cup_mma *tensor, const uint32_t *c, uint32_t *d);
    /* Decode 16 lines, transposed, or two cores of 8 lines, of elements of 8 or 16 bits; false: of
     * others. */
    bool (*set_a)(const struct cup_mma_rule *rule, enum ptx_type type, const uint8_t *cores,
                  float (*values)[ROWS], uint8_t (*codes)[ROWS], struct cup_mma_kinds *kinds);
    bool (*set_b)(const struct cup_mma_rule *rule, enum ptx_type type, const uint8_t *cores,
                  float (*values)[DEPTH], uint8_t (*codes)[DEPTH], struct cup_mma_kinds *kinds);
    void (*multiply_columns)(const float (*a)[ROWS], const float (*b)[DEPTH], float (*c)[ROWS]);
    void (*set_c)(struct cup_mma *tensor, const uint32_t *words);
    void (*get_d)(const struct cup_mma *tensor, uint32_t *words);
};

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
                                 .window = small && is_group ? 13 : CUP_MMA_WINDOW,
                                 .kept =
                                     small && is_group && types[PTX_MATRIX_D] == PTX_F32 ? 14 : 24};
}

/* The least exponent of a format's numbers. */
static inline int least_exponent(const struct cup_mma_rule *rule, enum ptx_type type)
{
    if (type == PTX_F16 || type == PTX_E5M2 || rule->in_halves)
        return -14;
    return type == PTX_E4M3 ? -6 : -126;
}

/* Where element k of a row is kept: in halves, the lower pairs of each four come first. */
static inline unsigned place_of(const struct cup_mma_rule *rule, unsigned k)
{
    if (!rule->in_halves)
        return k;
    return k % 4 < 2 ? k / 4 * 2 + k % 4 : rule->depth / 2u + k / 4 * 2 + k % 4 - 2;
}

typedef uint8_t row_bytes __attribute__((vector_size(ROWS)));
typedef int32_t row_fields __attribute__((vector_size(4 * ROWS)));

static inline row_bytes larger_bytes(row_bytes a, row_bytes b)
{
#if defined(__x86_64__)
    return (row_bytes)_mm_max_epu8((__m128i)a, (__m128i)b);
#elif defined(__aarch64__)
    return (row_bytes)vmaxq_u8((uint8x16_t)a, (uint8x16_t)b);
#else
    return ((row_bytes)(a > b) & a) | (~(row_bytes)(a > b) & b);
#endif
}

static void columns_largest(const uint8_t (*a)[ROWS], const uint8_t (*b)[DEPTH], unsigned count,
                            int32_t (*largest)[ROWS])
{
    for (unsigned column = 0; column < COLUMNS; column++) {
        row_bytes most = (row_bytes){0} + CUP_MMA_NO_CODE;

        for (unsigned k = 0; k < count; k++)
            most = larger_bytes(most, *(const row_bytes *)a[k] + b[column][k]);
        *(row_fields *)largest[column] =
            __builtin_convertvector(most - CUP_MMA_SUM_BIAS, row_fields) << FRACTION;
    }
}

#define COLUMNS_NAME columns_plain
#define COLUMNS_TARGET
#define COLUMNS_LANES 4
#define COLUMNS_REPEAT(four) (*(const floats *)(four))
#define COLUMNS_LARGEST columns_largest
#define COLUMNS_BY_TILES false
#include "exec/matrix/mma_decode.inc"
#include "exec/matrix/mma_columns.inc"

#ifdef __x86_64__
#define AVX2 __attribute__((target("avx2,fma,f16c")))

AVX2 static inline void store_eight_fields(int32_t *to, __m128i from)
{
    _mm256_store_si256((__m256i *)to, _mm256_slli_epi32(_mm256_cvtepu8_epi32(from), FRACTION));
}

/* Two columns at a time: half of a vector is the 16 rows of a column. */
AVX2 static void columns_avx2_largest(const uint8_t (*a)[ROWS], const uint8_t (*b)[DEPTH],
                                      unsigned count, int32_t (*largest)[ROWS])
{
    const __m256i bias = _mm256_set1_epi8(CUP_MMA_SUM_BIAS),
                  none = _mm256_set1_epi8(CUP_MMA_NO_CODE);

    for (unsigned column = 0; column < COLUMNS; column += 2) {
        __m256i most = none;

        for (unsigned part = 0; part < count; part += 16) {
            unsigned end = count - part < 16 ? count - part : 16;
            __m256i both = _mm256_loadu2_m128i((const __m128i *)&b[column + 1][part],
                                               (const __m128i *)&b[column][part]);

#pragma GCC unroll 16
            for (unsigned k = 0; k < end; k++) {
                __m256i rows =
                    _mm256_broadcastsi128_si256(_mm_load_si128((const __m128i *)a[part + k]));
                __m256i same = _mm256_shuffle_epi8(both, _mm256_set1_epi8((char)k));

                most = _mm256_max_epu8(most, _mm256_add_epi8(rows, same));
            }
        }
        most = _mm256_sub_epi8(most, bias);
        for (unsigned i = 0; i < 2; i++) {
            __m128i one = i ? _mm256_extracti128_si256(most, 1) : _mm256_castsi256_si128(most);

            store_eight_fields(largest[column + i], one);
            store_eight_fields(largest[column + i] + 8, _mm_srli_si128(one, 8));
        }
    }
}

#define COLUMNS_NAME columns_avx2
#define COLUMNS_TARGET AVX2
#define COLUMNS_LANES 8
#define COLUMNS_REPEAT(four) ((floats)_mm256_broadcast_ps((const __m128 *)(four)))
#define COLUMNS_HALF_VALUES(elements) ((floats)_mm256_cvtph_ps((__m128i)(elements)))
#define COLUMNS_LARGER(a, b) ((ints)_mm256_max_epi32((__m256i)(a), (__m256i)(b)))
#define COLUMNS_ANY(a) (!_mm256_testz_si256((__m256i)(a), (__m256i)(a)))
#define COLUMNS_LARGEST columns_avx2_largest
#define COLUMNS_BY_TILES false
#include "exec/matrix/mma_decode.inc"
#include "exec/matrix/mma_columns.inc"

#define AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))

AVX512 static inline void store_fields(int32_t *fields, __m128i bytes)
{
    _mm512_store_si512(fields, _mm512_slli_epi32(_mm512_cvtepu8_epi32(bytes), FRACTION));
}

/* Four columns at a time: a quarter of a vector is the 16 rows of a column. */
AVX512 static void columns_avx512_largest(const uint8_t (*a)[ROWS], const uint8_t (*b)[DEPTH],
                                          unsigned count, int32_t (*largest)[ROWS])
{
    const __m512i bias = _mm512_set1_epi8(CUP_MMA_SUM_BIAS),
                  none = _mm512_set1_epi8(CUP_MMA_NO_CODE);

    for (unsigned column = 0; column < COLUMNS; column += 4) {
        __m512i most = none;

        for (unsigned part = 0; part < count; part += 16) {
            const uint8_t(*line)[DEPTH] = b + column;
            unsigned at = part, end = count - part < 16 ? count - part : 16;
            __m512i all = _mm512_castsi128_si512(_mm_loadu_si128((const __m128i *)&line[0][at]));

            all = _mm512_inserti32x4(all, _mm_loadu_si128((const __m128i *)&line[1][at]), 1);
            all = _mm512_inserti32x4(all, _mm_loadu_si128((const __m128i *)&line[2][at]), 2);
            all = _mm512_inserti32x4(all, _mm_loadu_si128((const __m128i *)&line[3][at]), 3);
#pragma GCC unroll 16
            for (unsigned k = 0; k < end; k++) {
                __m512i rows = _mm512_broadcast_i32x4(_mm_load_si128((const __m128i *)a[at + k]));
                __m512i same = _mm512_shuffle_epi8(all, _mm512_set1_epi8((char)k));

                most = _mm512_max_epu8(most, _mm512_add_epi8(rows, same));
            }
        }
        most = _mm512_sub_epi8(most, bias);
        store_fields(largest[column], _mm512_castsi512_si128(most));
        store_fields(largest[column + 1], _mm512_extracti32x4_epi32(most, 1));
        store_fields(largest[column + 2], _mm512_extracti32x4_epi32(most, 2));
        store_fields(largest[column + 3], _mm512_extracti32x4_epi32(most, 3));
    }
}

#define COLUMNS_NAME columns_avx512
#define COLUMNS_TARGET AVX512
#define COLUMNS_LANES 16
#define COLUMNS_REPEAT(four) ((floats)_mm512_broadcast_f32x4(_mm_load_ps(four)))
#define COLUMNS_HALF_VALUES(elements) ((floats)_mm512_cvtph_ps((__m256i)(elements)))
#define COLUMNS_LARGER(a, b) ((ints)_mm512_max_epi32((__m512i)(a), (__m512i)(b)))
#define COLUMNS_ANY(a) (_mm512_test_epi32_mask((__m512i)(a), (__m512i)(a)) != 0)
#define COLUMNS_CUT(total)                                                                         \
    ((floats)_mm512_cvt_roundepi32_ps((__m512i)(total), _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC))
#define COLUMNS_LARGEST columns_avx512_largest
#define COLUMNS_BY_TILES true
#include "exec/matrix/mma_decode.inc"
#include "exec/matrix/mma_columns.inc"
#endif

static const struct columns_functions *_Atomic chosen;

static const struct columns_functions *functions_of(const char *name)
{
    if (!strcmp(name, "plain"))
        return &columns_plain_functions;
#ifdef __x86_64__
    if (!strcmp(name, "avx2") && cup_processor_get() >= CUP_PROCESSOR_AVX2)
        return &columns_avx2_functions;
    if (!strcmp(name, "avx512") && cup_processor_get() >= CUP_PROCESSOR_AVX512)
        return &columns_avx512_functions;
#endif
    return NULL;
}

bool cup_mma_choose(const char *name)
{
    const struct columns_functions *found = functions_of(name);

    if (found)
        atomic_store(&chosen, found);
    return found != NULL;
}

/* The widest that the processor has and may use. Threads that look for it at once find the same. */
static const struct columns_functions *functions(void)
{
    const struct columns_functions *found = atomic_load_explicit(&chosen, memory_order_relaxed);

    if (cup_unlikely(!found)) {
        if (!cup_mma_choose("avx512") && !cup_mma_choose("avx2"))
            cup_mma_choose("plain");
        found = atomic_load(&chosen);
    }
    return found;
}

/* Returns the code of a value, and notes its kind. */
static uint8_t code_of(float value, int least, struct cup_mma_kinds *kinds)
{
    uint32_t bits;
    int exponent;

    memcpy(&bits, &value, sizeof(bits));
    exponent = (int)(bits >> 23 & 255) - 127;
    if (exponent > CUP_MMA_CODE_MOST)
        kinds->plain = false;
    if (value == 0)
        return 0;
    exponent = exponent < least ? least : exponent;
    if (exponent < CUP_MMA_CODE_LEAST)
        kinds->tiny = true;
    return exponent < CUP_MMA_CODE_LEAST ? 0 : (uint8_t)(exponent + CUP_MMA_CODE_BIAS);
}

/* Decodes 16 bytes. */
static void decode(enum ptx_type type, const uint8_t *bytes, float *values)
{
    unsigned bits = ptx_type_bits(type), in_word = 32 / bits;
    uint32_t words[4];

    memcpy(words, bytes, sizeof(words));
    for (unsigned at = 0; at < 128 / bits; at++)
        values[at] = cup_mma_element(type, words[at / in_word], at % in_word);
}

static void set_a_elements(struct cup_mma *tensor, const uint8_t *cores)
{
    const struct cup_mma_rule *rule = &tensor->rule;
    struct cup_mma_kinds kinds = {.plain = true};
    unsigned each = 128 / ptx_type_bits(rule->a);
    int least = least_exponent(rule, rule->a);
    float values[32];

    for (unsigned chunk = 0; chunk * each < rule->depth; chunk++)
        for (unsigned row = 0; row < ROWS; row++, cores += 16) {
            decode(rule->a, cores, values);
            for (unsigned at = 0; at < each; at++) {
                unsigned k = place_of(rule, chunk * each + at);

                tensor->a[k][row] = rule->negate ? -values[at] : values[at];
                tensor->a_codes[k][row] = code_of(values[at], least, &kinds);
            }
        }
    tensor->a_kinds = kinds;
}

static void set_b_elements(struct cup_mma *tensor, const uint8_t *cores)
{
    const struct cup_mma_rule *rule = &tensor->rule;
    struct cup_mma_kinds kinds = {.plain = true};
    unsigned each = 128 / ptx_type_bits(rule->b);
    int least = least_exponent(rule, rule->b);
    float values[32];

    for (unsigned chunk = 0; chunk * each < rule->depth; chunk++)
        for (unsigned column = 0; column < COLUMNS; column++, cores += 16) {
            decode(rule->b, cores, values);
            for (unsigned at = 0; at < each; at++) {
                unsigned k = place_of(rule, chunk * each + at);

                tensor->b[column][k] = values[at];
                tensor->b_codes[column][k] = code_of(values[at], least, &kinds);
            }
        }
    tensor->b_kinds = kinds;
}

static bool is_same_a(const struct cup_mma_rule *a, const struct cup_mma_rule *b)
{
    return a->a == b->a && a->depth == b->depth && a->negate == b->negate &&
           a->in_halves == b->in_halves && a->is_fast == b->is_fast;
}

void cup_mma_init(struct cup_mma *tensor)
{
    tensor->a_known = false;
}

void cup_mma_set_a(struct cup_mma *tensor, const uint8_t *cores)
{
    size_t bytes = ROWS * tensor->rule.depth * ptx_type_bits(tensor->rule.a) / 8;

    if (tensor->a_known && is_same_a(&tensor->rule, &tensor->a_rule) &&
        !memcmp(tensor->a_cores, cores, bytes))
        return;
    if (!functions()->set_a(&tensor->rule, tensor->rule.a, cores, tensor->a, tensor->a_codes,
                            &tensor->a_kinds))
        set_a_elements(tensor, cores);
    if (tensor->rule.is_fast)
        functions()->spread_a(tensor);
    memcpy(tensor->a_cores, cores, bytes);
    tensor->a_rule = tensor->rule;
    tensor->a_known = true;
}

/* The vector code takes two cores. */
void cup_mma_set_b(struct cup_mma *tensor, const uint8_t *cores)
{
    bool is_whole = tensor->rule.depth * ptx_type_bits(tensor->rule.b) == 256;

    if (is_whole && tensor->rule.is_fast && functions()->set_b_turned(tensor, cores))
        return;
    if (!is_whole || !functions()->set_b(&tensor->rule, tensor->rule.b, cores, tensor->b,
                                         tensor->b_codes, &tensor->b_kinds))
        set_b_elements(tensor, cores);
    if (tensor->rule.is_fast)
        functions()->turn_b(tensor);
}

void cup_mma_multiply_fast(struct cup_mma *tensor, const uint32_t *c, uint32_t *d)
{
    static const uint32_t zeros[4][32];

    functions()->multiply_fast(tensor, c ? c : zeros[0], d);
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

/* A product of 16 lines a lane each and 8 others, from their first element on. */
struct tile_part {
    const struct cup_mma_rule *rule;
    const float (*a)[ROWS], (*b)[DEPTH];
    const uint8_t (*a_codes)[ROWS], (*b_codes)[DEPTH];
    struct cup_mma_kinds a_kinds, b_kinds;
    unsigned count;
    float (*c)[ROWS]; /* also D */
};

static float sum_of_lane(const struct tile_part *part, unsigned column, unsigned row)
{
    float a[DEPTH];

    for (unsigned k = 0; k < part->count; k++)
        a[k] = part->a[k][row];
    return cup_mma_sum(part->rule, a, part->b[column], part->count, part->c[column][row]);
}

static void sum_elements(const struct tile_part *part)
{
    bool tiny = part->a_kinds.tiny || part->b_kinds.tiny, half = part->rule->d == PTX_F16;
    int32_t largest[COLUMNS][ROWS] __attribute__((aligned(64))),
        left[COLUMNS][ROWS] __attribute__((aligned(64)));
    const struct sum sum = {
        .rule = {.window = (uint32_t)part->rule->window << FRACTION,
                 .least = (tiny ? CUP_MMA_LEAST_TOP_WITH_TINY : CUP_MMA_LEAST_TOP) << FRACTION,
                 .always = tiny ? INT32_MIN : 0,
                 .kept = -(1 << (24 - part->rule->kept)),
                 .lost = half}, /* the last bit, so that the result is rounded once */
        .a = part->a,
        .b = part->b,
        .c = (int32_t(*)[ROWS])part->c,
        .largest = (const int32_t(*)[ROWS])largest,
        .left = left};
    bool some;

    functions()->largest(part->a_codes, part->b_codes, part->count, largest);
    some = functions()->sums(&sum, part->count);
    if (cup_unlikely(some))
        for (unsigned column = 0; column < COLUMNS; column++)
            for (unsigned row = 0; row < ROWS; row++)
                if (left[column][row] < 0)
                    part->c[column][row] = sum_of_lane(part, column, row);
}

static void multiply_part(const struct tile_part *part)
{
    if (part->a_kinds.plain && part->b_kinds.plain) {
        sum_elements(part);
        return;
    }
    for (unsigned column = 0; column < COLUMNS; column++)
        for (unsigned row = 0; row < ROWS; row++)
            part->c[column][row] = sum_of_lane(part, column, row);
}

static void multiply_from(struct cup_mma *tensor, unsigned from, unsigned to)
{
    const struct tile_part part = {.rule = &tensor->rule,
                                   .a = (const float(*)[ROWS])tensor->a + from,
                                   .b = (const float(*)[DEPTH])(tensor->b[0] + from),
                                   .a_codes = (const uint8_t(*)[ROWS])tensor->a_codes + from,
                                   .b_codes = (const uint8_t(*)[DEPTH])(tensor->b_codes[0] + from),
                                   .a_kinds = tensor->a_kinds,
                                   .b_kinds = tensor->b_kinds,
                                   .count = to - from,
                                   .c = tensor->c};

    multiply_part(&part);
    if (tensor->rule.d == PTX_F16 && tensor->rule.in_halves)
        for (unsigned column = 0; column < COLUMNS; column++)
            for (unsigned row = 0; row < ROWS; row++)
                tensor->c[column][row] = cup_mma_round_half(tensor->c[column][row]);
}

void cup_mma_multiply(struct cup_mma *tensor)
{
    unsigned depth = tensor->rule.depth;
    float c[COLUMNS][ROWS];

    if (tensor->rule.d == PTX_S32) {
        functions()->add(tensor);
        return;
    }
    if (!tensor->rule.in_halves) {
        multiply_from(tensor, 0, depth);
        return;
    }
    memcpy(c, tensor->c, sizeof(c));
    cup_mma_clear_c(tensor);
    multiply_from(tensor, 0, depth / 2);
    multiply_from(tensor, depth / 2, depth);
    for (unsigned column = 0; column < COLUMNS; column++)
        for (unsigned row = 0; row < ROWS; row++)
            tensor->c[column][row] = cup_mma_canonical(tensor->c[column][row] + c[column][row]);
}

/* Whether operands are decoded for mma_avx512.c. */
static bool is_by_tiles(const struct cup_mma_rule *rule)
{
    return functions()->by_tiles && !rule->is_fast;
}

void cup_mma_decode_a(const struct cup_mma_rule *rule, const uint8_t *cores, struct cup_mma_a *a)
{
    if (is_by_tiles(rule))
        cup_mma_avx512_decode_a(rule, cores, a);
    else
        functions()->set_a(rule, rule->a, cores, a->values, a->codes, &a->kinds);
}

void cup_mma_decode_b(const struct cup_mma_rule *rule, const uint8_t *cores, struct cup_mma_b *b)
{
    if (is_by_tiles(rule))
        cup_mma_avx512_decode_b(rule, cores, b);
    else
        functions()->set_b(rule, rule->b, cores, b->values, b->codes, &b->kinds);
}

static void multiply_columns_exactly(const struct cup_mma_rule *rule, const struct cup_mma_a *a,
                                     const struct cup_mma_b *b, cup_mma_columns *c)
{
    const struct tile_part part = {.rule = rule,
                                   .a = a->values,
                                   .b = b->values,
                                   .a_codes = a->codes,
                                   .b_codes = b->codes,
                                   .a_kinds = a->kinds,
                                   .b_kinds = b->kinds,
                                   .count = rule->depth,
                                   .c = *c};

    multiply_part(&part);
}

/* Computes rows of a tile one element after the other. */
static void sum_rows(const struct cup_mma_rule *rule, const struct cup_mma_a *a,
                     const struct cup_mma_b *b, uint32_t rows, cup_mma_columns *c)
{
    for (; rows; rows &= rows - 1) {
        unsigned row = (unsigned)__builtin_ctz(rows);
        float line[ROWS];

        for (unsigned k = 0; k < ROWS; k++)
            line[k] = a->values[k][row];
        for (unsigned column = 0; column < COLUMNS; column++)
            (*c)[column][row] =
                cup_mma_sum(rule, line, b->tile.values[column], ROWS, (*c)[column][row]);
    }
}

void cup_mma_multiply_columns(const struct cup_mma_rule *rule, const struct cup_mma_a *a,
                              const struct cup_mma_b *b, cup_mma_columns *c)
{
    if (rule->is_fast)
        functions()->multiply_columns(a->values, b->values, *c);
    else if (!functions()->by_tiles)
        multiply_columns_exactly(rule, a, b, c);
    else if (!a->kinds.plain || !b->kinds.plain)
        sum_rows(rule, a, b, (1u << ROWS) - 1, c);
    else
        sum_rows(rule, a, b, cup_mma_avx512_multiply(a, b, c), c);
}

/* SPDX-License-Identifier: MIT */
/* Codes of exponents are bytes, of which a vector has 64: 8 rows by 8 columns. So A has each code 8
 * times, one for each column, and B a word of 8 codes for each k. Their sums are the exponents of
 * products. A column of sums is a vector of 16 rows; a sum costs four instructions a product, and
 * what is before and after them is kept short: conditions that lanes rarely meet are collected for
 * all columns of a row. */
#include "exec/matrix/mma_avx512.h"

#include "core/compiler.h"
#include "exec/matrix/mma_transpose.h"

#ifdef __x86_64__
#include <immintrin.h>
#include <string.h>

#define AVX512 __attribute__((target(CUP_MMA_AVX512 ",f16c")))

enum { ROWS = CUP_MMA_ROWS, COLUMNS = CUP_MMA_COLUMNS, FRACTION = 23, WINDOW = CUP_MMA_WINDOW };

/* 16 products of less than 2^27 and a C of less than 2^26 wrap around only to numbers above this.
 */
#define NEAR_OVERFLOW (0x1p31f - 0x1p27f)

/* Codes of 32 elements, as words, and the kinds of what was decoded. */
struct kinds_found {
    __m512i most; /* the largest magnitude */
    __mmask32 tiny;
};

AVX512 static inline __m512i codes_of(bool is_half, __m512i elements, struct kinds_found *found)
{
    const __m512i one = _mm512_set1_epi16(1);
    __m512i magnitude = _mm512_and_si512(elements, _mm512_set1_epi16(0x7fff)), field;
    __mmask32 there;

    found->most = _mm512_max_epu16(found->most, magnitude);
    if (is_half) { /* numbers below the normal ones have the least exponent */
        field = _mm512_max_epu16(_mm512_srli_epi16(magnitude, 10), one);
        there = _mm512_test_epi16_mask(magnitude, magnitude);
        return _mm512_maskz_add_epi16(there, field, _mm512_set1_epi16(CUP_MMA_CODE_BIAS - 15));
    }
    field = _mm512_srli_epi16(magnitude, 7);
    there = _mm512_cmpge_epu16_mask(field, _mm512_set1_epi16(127 + CUP_MMA_CODE_LEAST));
    found->tiny |= _mm512_test_epi16_mask(magnitude, magnitude) & ~there;
    return _mm512_maskz_add_epi16(there, field, _mm512_set1_epi16(CUP_MMA_CODE_BIAS - 127));
}

AVX512 static inline struct cup_mma_kinds kinds_of(bool is_half, const struct kinds_found *found)
{
    int larger = is_half ? 0x7c00 : (127 + CUP_MMA_CODE_MOST + 1) << 7;

    return (struct cup_mma_kinds){
        .plain = !_mm512_cmpge_epu16_mask(found->most, _mm512_set1_epi16((short)larger)),
        .tiny = found->tiny != 0};
}

/* Values of the upper halves of 16 words. An exponent field of 5 bits begins three bits further
 * left than one of 8; a product moves the exponents. */
AVX512 static inline __m512 values_of(bool is_half, __m512i words)
{
    const __m512i half_bits = _mm512_set1_epi32((int)0x8fffe000),
                  brief_bits = _mm512_set1_epi32((int)0xffff0000);

    if (!is_half)
        return _mm512_castsi512_ps(_mm512_and_si512(words, brief_bits));
    words = _mm512_and_si512(_mm512_srai_epi32(words, 3), half_bits);
    return _mm512_mul_ps(_mm512_castsi512_ps(words), _mm512_set1_ps(0x1p112f));
}

/* Stores codes of 16 rows, which are byte `at` of each word, 8 times each. */
AVX512 static inline void store_codes(__m512i low_rows, __m512i high_rows, unsigned at,
                                      uint8_t (*codes)[64])
{
    const __m512i same = _mm512_set_epi64(0x0808080808080808, 0, 0x0808080808080808, 0,
                                          0x0808080808080808, 0, 0x0808080808080808, 0);
    __m512i place = _mm512_add_epi8(same, _mm512_set1_epi8((char)at));

    _mm512_store_si512(codes[0], _mm512_shuffle_epi8(low_rows, place));
    _mm512_store_si512(codes[1], _mm512_shuffle_epi8(high_rows, place));
}

AVX512 static inline void decode_a(bool is_half, bool negate, const uint8_t *cores,
                                   struct cup_mma_a *a)
{
    const __m512i sign = _mm512_set1_epi16(negate ? (short)0x8000 : 0);
    struct kinds_found found = {_mm512_setzero_si512(), 0};

    for (unsigned chunk = 0; chunk < 2; chunk++, cores += 2 * CUP_MMA_CORE_BYTES) {
        __m512i rows[4], pairs[4];

#pragma GCC unroll 4
        for (unsigned n = 0; n < 4; n++)
            rows[n] = _mm512_loadu_si512(cores + 64 * n);
        cup_mma_turn_pairs(rows, pairs);
#pragma GCC unroll 2
        for (unsigned n = 0; n < 4; n += 2) {
            unsigned k = 8 * chunk + 2 * n;
            __m512i codes = codes_of(is_half, pairs[n], &found), low, high;

            codes = _mm512_or_si512(codes,
                                    _mm512_slli_epi16(codes_of(is_half, pairs[n + 1], &found), 8));
            low = _mm512_cvtepu32_epi64(_mm512_castsi512_si256(codes));
            high = _mm512_cvtepu32_epi64(_mm512_extracti64x4_epi64(codes, 1));
#pragma GCC unroll 4
            for (unsigned i = 0; i < 4; i++)
                store_codes(low, high, i % 2 * 2 + i / 2, a->tile.codes[k + i]);
#pragma GCC unroll 2
            for (unsigned i = 0; i < 2; i++) {
                __m512i both = _mm512_xor_si512(pairs[n + i], sign);

                _mm512_store_ps(a->values[k + 2 * i],
                                values_of(is_half, _mm512_slli_epi32(both, 16)));
                _mm512_store_ps(a->values[k + 2 * i + 1], values_of(is_half, both));
            }
        }
    }
    a->kinds = kinds_of(is_half, &found);
}

/* Values of .f16 with infinities and NaNs, which values_of() takes for numbers. */
static void decode_infinite_a(bool negate, const uint8_t *cores, struct cup_mma_a *a)
{
    for (unsigned k = 0; k < 16; k++)
        for (unsigned row = 0; row < ROWS; row++) {
            const uint8_t *core = cores + (k / 8 * 2 + row / 8) * CUP_MMA_CORE_BYTES;
            uint16_t bits;
            float value;

            memcpy(&bits, core + row % 8 * 16 + k % 8 * 2, sizeof(bits));
            value = cup_mma_element(PTX_F16, bits, 0);
            a->values[k][row] = negate ? -value : value;
        }
}

AVX512 void cup_mma_avx512_decode_a(const struct cup_mma_rule *rule, const uint8_t *cores,
                                    struct cup_mma_a *a)
{
    if (rule->a != PTX_F16) {
        decode_a(false, rule->negate, cores, a);
        return;
    }
    decode_a(true, rule->negate, cores, a);
    if (cup_unlikely(!a->kinds.plain))
        decode_infinite_a(rule->negate, cores, a);
}

/* Codes of 8 columns for each of 8 k, in the order of columns 0, 4, 1, 5, ...: from words of
 * columns 0 to 3, and of 4 to 7, with 8 k each. */
AVX512 static inline __m512i turn_codes(__m512i low, __m512i high)
{
    const __m512i pairs = _mm512_broadcast_i32x4(
                      _mm_setr_epi8(0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15)),
                  turned =
                      _mm512_set_epi16(31, 23, 15, 7, 30, 22, 14, 6, 29, 21, 13, 5, 28, 20, 12, 4,
                                       27, 19, 11, 3, 26, 18, 10, 2, 25, 17, 9, 1, 24, 16, 8, 0);

    return _mm512_permutexvar_epi16(turned,
                                    _mm512_shuffle_epi8(_mm512_packus_epi16(low, high), pairs));
}

AVX512 static inline void decode_b(bool is_half, const uint8_t *cores, struct cup_mma_b *b)
{
    struct kinds_found found = {_mm512_setzero_si512(), 0};

    for (unsigned chunk = 0; chunk < 2; chunk++, cores += CUP_MMA_CORE_BYTES) {
        __m512i low = codes_of(is_half, _mm512_loadu_si512(cores), &found),
                high = codes_of(is_half, _mm512_loadu_si512(cores + 64), &found);

        _mm512_store_si512(b->tile.codes[8 * chunk], turn_codes(low, high));
#pragma GCC unroll 8
        for (unsigned column = 0; column < COLUMNS; column++) {
            __m128i line = _mm_loadu_si128((const __m128i *)(cores + 16 * column));

            _mm256_store_ps(
                &b->tile.values[column][8 * chunk],
                is_half ? _mm256_cvtph_ps(line)
                        : _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(line), 16)));
        }
    }
    b->kinds = kinds_of(is_half, &found);
}

AVX512 void cup_mma_avx512_decode_b(const struct cup_mma_rule *rule, const uint8_t *cores,
                                    struct cup_mma_b *b)
{
    if (rule->b == PTX_F16)
        decode_b(true, cores, b);
    else
        decode_b(false, cores, b);
}

/* What decides whether a row can be done: over all columns. */
struct row_bounds {
    __m512i top;      /* the largest exponent field: of an infinite C, 255 */
    __m512 sum;       /* the largest magnitude of a sum */
    __mmask16 lowest; /* whether a largest term may be one without a code */
};

/* The exponent fields of the largest products of one of four columns, of which `codes` has a byte
 * each. */
AVX512 static inline __m512i largest_of(__m512i codes, unsigned i)
{
    __m512i moved = i == 3 ? _mm512_srli_epi32(codes, 1) : _mm512_slli_epi32(codes, 23 - 8 * i);

    return _mm512_and_si512(moved, _mm512_set1_epi32(0x7f800000));
}

/* Where the codes of a tile have columns. */
static const uint8_t column_of[COLUMNS] = {0, 4, 1, 5, 2, 6, 3, 7};

/* The sums of all columns. Without products that have codes in all lanes, `least` is what a largest
 * term is at least unless C is 0, or always. */
AVX512 static inline struct row_bounds sum(const struct cup_mma_a *a, const struct cup_mma_b *b,
                                           const float (*c)[ROWS], const __m512i *codes,
                                           const int32_t *least, bool always, __m512 *results)
{
    enum { LARGER_MAGNITUDE = 3 | 2 << 2 };
    const __m512i powers = _mm512_set1_epi32(0x7f800000),
                  scaling = _mm512_set1_epi32((int)((254u + WINDOW) << FRACTION)),
                  scaling_back = _mm512_set1_epi32(254 << FRACTION);
    struct row_bounds bounds = {_mm512_setzero_si512(), _mm512_setzero_ps(), 0};
    __m512i sums[COLUMNS];
    __m512 scale[COLUMNS];

#pragma GCC unroll 8
    for (unsigned i = 0; i < COLUMNS; i++) {
        __m512 old = _mm512_load_ps(c[column_of[i]]);
        __m512i bits = _mm512_castps_si512(old),
                top = _mm512_max_epi32(largest_of(codes[i / 4], i % 4),
                                       _mm512_and_si512(bits, powers));

        bounds.top = _mm512_max_epi32(bounds.top, top);
        if (least) {
            __mmask16 low = _mm512_cmplt_epi32_mask(top, _mm512_set1_epi32(*least));

            bounds.lowest |=
                always ? low : _mm512_mask_test_epi32_mask(low, bits, _mm512_set1_epi32(INT32_MAX));
        }
        scale[i] = _mm512_castsi512_ps(_mm512_sub_epi32(scaling, top));
        sums[i] = _mm512_cvttps_epi32(_mm512_mul_ps(old, scale[i]));
    }
#pragma GCC unroll 2
    for (unsigned k = 0; k < 16; k++) {
        __m512 rows = _mm512_load_ps(a->values[k]);

#pragma GCC unroll 8
        for (unsigned i = 0; i < COLUMNS; i++) {
            __m512 product = _mm512_mul_ps(rows, _mm512_set1_ps(b->tile.values[column_of[i]][k]));

            sums[i] =
                _mm512_add_epi32(sums[i], _mm512_cvttps_epi32(_mm512_mul_ps(product, scale[i])));
        }
    }
#pragma GCC unroll 8
    for (unsigned i = 0; i < COLUMNS; i++) {
        __m512 value = _mm512_cvt_roundepi32_ps(sums[i], _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
        __m512i back = _mm512_sub_epi32(scaling_back, _mm512_castps_si512(scale[i]));

        bounds.sum = _mm512_range_ps(bounds.sum, value, LARGER_MAGNITUDE);
        results[i] = _mm512_mul_ps(value, _mm512_castsi512_ps(back));
    }
    return bounds;
}

/* The largest codes of products, of 8 rows and 8 columns each. */
AVX512 static inline void find_largest(const struct cup_mma_a *a, const struct cup_mma_b *b,
                                       __m512i *largest)
{
    const __m512i none = _mm512_set1_epi8(CUP_MMA_NO_CODE);
    __m512i low = none, high = none;

#pragma GCC unroll 2
    for (unsigned k = 0; k < 16; k++) {
        __m512i columns = _mm512_set1_epi64(*(const int64_t *)b->tile.codes[k]);

        low =
            _mm512_max_epu8(low, _mm512_add_epi8(columns, _mm512_load_si512(a->tile.codes[k][0])));
        high =
            _mm512_max_epu8(high, _mm512_add_epi8(columns, _mm512_load_si512(a->tile.codes[k][1])));
    }
    largest[0] = low;
    largest[1] = high;
}

/* Computes the tile by the largest codes of its products. */
AVX512 static inline __attribute__((always_inline)) uint32_t
multiply(const struct cup_mma_a *a, const struct cup_mma_b *b, const __m512i *codes,
         const int32_t *least, bool always, cup_mma_columns *c)
{
    __m512 results[COLUMNS];
    struct row_bounds bounds = sum(a, b, (const float(*)[ROWS]) * c, codes, least, always, results);
    __mmask16 left = bounds.lowest |
                     _mm512_cmpge_epi32_mask(bounds.top, _mm512_set1_epi32(0x7f800000)) |
                     _mm512_cmp_ps_mask(bounds.sum, _mm512_set1_ps(NEAR_OVERFLOW), _CMP_GE_OQ);

#pragma GCC unroll 8
    for (unsigned i = 0; i < COLUMNS; i++)
        _mm512_mask_store_ps((*c)[column_of[i]], (__mmask16)~left, results[i]);
    return left;
}

/* The same where the largest term of a sum may not have a code. */
AVX512 static __attribute__((noinline)) uint32_t multiply_with_least(const struct cup_mma_a *a,
                                                                     const struct cup_mma_b *b,
                                                                     const __m512i *codes,
                                                                     cup_mma_columns *c)
{
    bool tiny = a->kinds.tiny || b->kinds.tiny;
    int32_t least = (tiny ? CUP_MMA_LEAST_TOP_WITH_TINY : CUP_MMA_LEAST_TOP) << FRACTION;

    return multiply(a, b, codes, &least, tiny, c);
}

AVX512 uint32_t cup_mma_avx512_multiply(const struct cup_mma_a *a, const struct cup_mma_b *b,
                                        cup_mma_columns *c)
{
    const __m512i evens =
                      _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30),
                  odds = _mm512_add_epi32(evens, _mm512_set1_epi32(1)),
                  bias = _mm512_set1_epi8(CUP_MMA_SUM_BIAS);
    __m512i largest[2], codes[2];
    bool have_codes; /* all largest products: sums of 128 and more */

    find_largest(a, b, largest);
    have_codes = !~(_mm512_movepi8_mask(largest[0]) & _mm512_movepi8_mask(largest[1]));
    largest[0] = _mm512_sub_epi8(largest[0], bias);
    largest[1] = _mm512_sub_epi8(largest[1], bias);
    codes[0] = _mm512_permutex2var_epi32(largest[0], evens, largest[1]);
    codes[1] = _mm512_permutex2var_epi32(largest[0], odds, largest[1]);
    if (cup_unlikely(!have_codes || a->kinds.tiny || b->kinds.tiny))
        return multiply_with_least(a, b, codes, c);
    return multiply(a, b, codes, NULL, false, c);
}

#else

void cup_mma_avx512_decode_a(const struct cup_mma_rule *rule, const uint8_t *cores,
                             struct cup_mma_a *a)
{
    (void)rule;
    (void)cores;
    (void)a;
}

void cup_mma_avx512_decode_b(const struct cup_mma_rule *rule, const uint8_t *cores,
                             struct cup_mma_b *b)
{
    (void)rule;
    (void)cores;
    (void)b;
}

uint32_t cup_mma_avx512_multiply(const struct cup_mma_a *a, const struct cup_mma_b *b,
                                 cup_mma_columns *c)
{
    (void)a;
    (void)b;
    (void)c;
    return 0;
}
#endif

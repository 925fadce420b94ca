/* SPDX-License-Identifier: MIT */
/* The tile of a product is a column of D a row: 16 rows of A are 16 floats of 64 bytes. Columns of
 * B are rows of 32 elements of .bf16: the upper parts of 16 elements of .f16, then the lower ones.
 * A is two tiles in which a row has two k of all rows: the upper parts twice, for the upper and the
 * lower parts of B, and the lower parts twice.
 *
 * Two tiles of B that lie one behind the other, with C one behind the other, are one product. The
 * unit has registers for C of four such pairs. It works while the processor decodes what is
 * multiplied next. */
#include "exec/matrix/mma_amx.h"

#include "core/compiler.h"
#include "core/processor.h"
#include "exec/matrix/mma_transpose.h"

#include <stdatomic.h>

#ifdef __x86_64__
#include <cpuid.h>
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>

#define AMX __attribute__((target("amx-tile,amx-bf16,f16c," CUP_MMA_AVX512)))

enum { UNKNOWN, THERE, ABSENT };

static _Atomic int state;

static int ask(void)
{
    enum { ARCH_REQ_XCOMP_PERM = 0x1023, XTILEDATA = 18 };
    enum { AMX_BF16 = 1 << 22, AMX_TILE = 1 << 24 }; /* of EDX */
    unsigned a, b, c, d;

    if (cup_processor_get() < CUP_PROCESSOR_AVX512 || !cup_processor_is_whole())
        return ABSENT;
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || !(d & AMX_BF16) || !(d & AMX_TILE))
        return ABSENT;
    return syscall(SYS_arch_prctl, ARCH_REQ_XCOMP_PERM, XTILEDATA) == 0 ? THERE : ABSENT;
}

bool cup_mma_amx_is_there(void)
{
    int known = atomic_load_explicit(&state, memory_order_relaxed);

    if (cup_unlikely(known == UNKNOWN)) {
        known = ask();
        atomic_store(&state, known);
    }
    return known == THERE;
}

void cup_mma_amx_allow(bool allowed)
{
    atomic_store(&state, allowed ? UNKNOWN : ABSENT);
}

/* Elements of .f16 as sums of two of .bf16. */
struct split_elements {
    __m512i upper, lower;
};

/* The upper part has the first 8 of 11 bits, with its exponent counted otherwise. The lower part is
 * a number of 3 bits: a table has what its exponent and fraction are less than BEFORE, and a number
 * from which nothing is left. `most` becomes the largest of all that is not 0, less the smallest
 * normal number: numbers below that are not of this form, and become larger than all others. */
AMX static inline struct split_elements split_normal(__m512i halves, __m512i *most)
{
    enum { AND_OR = 0xea, OR_AND = 0xf8, BEFORE = 0x4000, NORMAL = 1 << 7 };
#define PART(exponent, fraction) BEFORE - ((exponent) << 7 | (fraction))
#define FOUR PART(104, 0), PART(104, 32), PART(104, 64), PART(104, 96)
#define EIGHT 0xffff, PART(102, 0), PART(103, 0), PART(103, 64), FOUR
    static const uint16_t lowest[32]
        __attribute__((aligned(64))) = {EIGHT, EIGHT, EIGHT, EIGHT}; /* by the last five bits */
#undef PART
#undef FOUR
#undef EIGHT
    const __m512i sign = _mm512_set1_epi16((short)0x8000), magnitude = _mm512_set1_epi16(0x7fff);
    __m512i shifted = _mm512_srli_epi16(_mm512_and_si512(halves, magnitude), 3), upper, lower;
    __mmask32 is_there = _mm512_test_epi16_mask(halves, magnitude);

    upper = _mm512_maskz_add_epi16(is_there, shifted, _mm512_set1_epi16(112 << 7));
    lower = _mm512_ternarylogic_epi32(shifted, _mm512_set1_epi16(0x0f80), _mm512_set1_epi16(BEFORE),
                                      AND_OR);
    lower = _mm512_subs_epu16(lower, _mm512_permutexvar_epi16(halves, _mm512_load_si512(lowest)));
    *most = _mm512_max_epu16(*most,
                             _mm512_maskz_sub_epi16(is_there, shifted, _mm512_set1_epi16(NORMAL)));
    return (struct split_elements){_mm512_ternarylogic_epi32(upper, halves, sign, OR_AND),
                                   _mm512_ternarylogic_epi32(lower, halves, sign, OR_AND)};
}

/* Whether all elements were 0 or normal numbers. */
AMX static inline bool were_normal(__m512i most)
{
    return _mm512_cmpge_epu16_mask(most, _mm512_set1_epi16((0x7c00 - 0x400) >> 3)) == 0;
}

AMX static inline __m512i upper_halves(__m512i first, __m512i second)
{
    return _mm512_inserti64x4(
        _mm512_castsi256_si512(_mm512_cvtepi32_epi16(_mm512_srli_epi32(first, 16))),
        _mm512_cvtepi32_epi16(_mm512_srli_epi32(second, 16)), 1);
}

/* The same of all finite numbers. `most` becomes the largest magnitude. */
AMX static inline struct split_elements split_finite(__m512i halves, __m512i *most)
{
    const __m512 mask = _mm512_castsi512_ps(_mm512_set1_epi32((int)0xffff0000u));
    __m512 a = _mm512_cvtph_ps(_mm512_castsi512_si256(halves)),
           b = _mm512_cvtph_ps(_mm512_extracti64x4_epi64(halves, 1)),
           lower_a = _mm512_sub_ps(a, _mm512_and_ps(a, mask)),
           lower_b = _mm512_sub_ps(b, _mm512_and_ps(b, mask));

    *most = _mm512_max_epu16(*most, _mm512_and_si512(halves, _mm512_set1_epi16(0x7fff)));
    return (struct split_elements){
        upper_halves(_mm512_castps_si512(a), _mm512_castps_si512(b)),
        upper_halves(_mm512_castps_si512(lower_a), _mm512_castps_si512(lower_b))};
}

enum decoding { NORMAL_HALVES, FINITE_HALVES, BRIEF /* .bf16 */ };

AMX static inline struct split_elements split(enum decoding way, __m512i raw, __m512i *most)
{
    if (way == NORMAL_HALVES)
        return split_normal(raw, most);
    if (way == FINITE_HALVES)
        return split_finite(raw, most);
    *most = _mm512_max_epu16(*most, _mm512_and_si512(raw, _mm512_set1_epi16(0x7fff)));
    return (struct split_elements){raw, _mm512_setzero_si512()};
}

/* Whether all elements that were decoded so have this form. */
AMX static inline bool are_fine(enum decoding way, __m512i most)
{
    if (way == NORMAL_HALVES)
        return were_normal(most);
    return _mm512_cmpge_epu16_mask(most, _mm512_set1_epi16(way == BRIEF ? 0x7f80 : 0x7c00)) == 0;
}

AMX static inline __m128i load_row(const uint8_t *row)
{
    return _mm_loadu_si128((const __m128i *)row);
}

AMX static inline __m512i join_rows(const uint8_t *a, const uint8_t *b, const uint8_t *c,
                                    const uint8_t *d)
{
    __m512i rows = _mm512_inserti32x4(_mm512_castsi128_si512(load_row(a)), load_row(b), 1);

    return _mm512_inserti32x4(_mm512_inserti32x4(rows, load_row(c), 2), load_row(d), 3);
}

/* A chunk of 16 bytes of four rows, those from 4 n on. */
AMX static inline __m512i read_four(const struct cup_mma_source *source, bool is_spread,
                                    unsigned chunk, unsigned n)
{
    const uint8_t *from = source->rows;
    const uint16_t *places;

    if (!is_spread)
        return _mm512_loadu_si512(from + (2 * chunk + n / 2) * CUP_MMA_CORE_BYTES + n % 2 * 64);
    from += n / 2 * source->stride;
    places = source->places[chunk] + n % 2 * 4;
    return join_rows(from + places[0], from + places[1], from + places[2], from + places[3]);
}

/* Both chunks of two rows, those from 2 n on: the first ones, then the second ones. */
AMX static inline __m512i read_two(const struct cup_mma_source *source, bool is_spread, unsigned n)
{
    const uint8_t *from = source->rows;
    const uint16_t(*places)[8] = source->places;

    if (is_spread)
        return join_rows(from + places[0][2 * n], from + places[0][2 * n + 1],
                         from + places[1][2 * n], from + places[1][2 * n + 1]);
    from += 32 * n;
    return _mm512_inserti64x4(_mm512_castsi256_si512(_mm256_loadu_si256((const __m256i *)from)),
                              _mm256_loadu_si256((const __m256i *)(from + CUP_MMA_CORE_BYTES)), 1);
}

AMX static inline void store_twice(uint8_t *tile, unsigned row, __m512i pairs)
{
    _mm512_store_si512(tile + 64 * row, pairs);
    _mm512_store_si512(tile + 64 * (row + 8), pairs);
}

AMX static inline bool decode_a(enum decoding way, bool is_spread, bool negate,
                                const struct cup_mma_source *source, uint8_t *tiles)
{
    const __m512i sign = _mm512_set1_epi16(negate ? (short)0x8000 : 0);
    __m512i rows[4], turned[4], most = _mm512_setzero_si512();

    for (unsigned chunk = 0; chunk < 2; chunk++) {
        for (unsigned n = 0; n < 4; n++)
            rows[n] = read_four(source, is_spread, chunk, n);
        cup_mma_turn_pairs(rows, turned);
        for (unsigned pair = 0; pair < 4; pair++) {
            struct split_elements both = split(way, _mm512_xor_si512(turned[pair], sign), &most);

            store_twice(tiles, 4 * chunk + pair, both.upper);
            if (way != BRIEF)
                store_twice(tiles + 1024, 4 * chunk + pair, both.lower);
        }
    }
    return are_fine(way, most);
}

AMX static inline bool decode_b(enum decoding way, bool is_spread,
                                const struct cup_mma_source *source, uint8_t *tile)
{
    __m512i most = _mm512_setzero_si512();

    for (unsigned n = 0; n < 4; n++, tile += 128) {
        struct split_elements both = split(way, read_two(source, is_spread, n), &most);

        _mm512_store_si512(tile, _mm512_shuffle_i32x4(both.upper, both.lower, 0x88));
        _mm512_store_si512(tile + 64, _mm512_shuffle_i32x4(both.upper, both.lower, 0xdd));
    }
    return are_fine(way, most);
}

AMX bool cup_mma_amx_decode_a(const struct cup_mma_rule *rule, const struct cup_mma_source *source,
                              uint8_t *tiles)
{
    bool negate = rule->negate;

    if (rule->a != PTX_F16)
        return source->places ? decode_a(BRIEF, true, negate, source, tiles)
                              : decode_a(BRIEF, false, negate, source, tiles);
    if (cup_unlikely(negate))
        return decode_a(FINITE_HALVES, source->places, true, source, tiles);
    if (cup_likely(source->places ? decode_a(NORMAL_HALVES, true, false, source, tiles)
                                  : decode_a(NORMAL_HALVES, false, false, source, tiles)))
        return true;
    return decode_a(FINITE_HALVES, source->places, false, source, tiles);
}

AMX bool cup_mma_amx_decode_b(const struct cup_mma_rule *rule, const struct cup_mma_source *source,
                              uint8_t *tile)
{
    if (rule->b != PTX_F16)
        return source->places ? decode_b(BRIEF, true, source, tile)
                              : decode_b(BRIEF, false, source, tile);
    if (cup_likely(source->places ? decode_b(NORMAL_HALVES, true, source, tile)
                                  : decode_b(NORMAL_HALVES, false, source, tile)))
        return true;
    return decode_b(FINITE_HALVES, source->places, source, tile);
}

/* Two chunks of a row are 32 bytes, of which either may be the first. */
AMX static inline const __m256i *both_chunks(const struct cup_mma_source *source, unsigned row)
{
    return (const __m256i *)(source->rows + (source->places[0][row] & ~31u));
}

AMX void cup_mma_amx_copy(const struct cup_mma_source *source, uint8_t *copy)
{
    for (unsigned row = 0; row < 8; row++)
        _mm256_store_si256((__m256i *)copy + row, _mm256_loadu_si256(both_chunks(source, row)));
}

AMX bool cup_mma_amx_is_copy(const struct cup_mma_source *source, const uint8_t *copy)
{
    __m256i differs = _mm256_setzero_si256();

    for (unsigned row = 0; row < 8; row++)
        differs = _mm256_or_si256(differs,
                                  _mm256_xor_si256(_mm256_load_si256((const __m256i *)copy + row),
                                                   _mm256_loadu_si256(both_chunks(source, row))));
    return _mm256_testz_si256(differs, differs);
}

/* The shapes of tiles, all of 16 rows: 0 to 3 are C, 4 and 5 A, 6 and 7 B. */
struct shapes {
    uint8_t palette, start_row, reserved[14];
    uint16_t row_bytes[16];
    uint8_t rows[16];
};

static const struct shapes shapes
    __attribute__((aligned(64))) = {.palette = 1,
                                    .row_bytes = {64, 64, 64, 64, 64, 64, 64, 64},
                                    .rows = {16, 16, 16, 16, 16, 16, 16, 16}};

/* The unit sleeps when it has had nothing to do for a third of a microsecond, and then the next
 * product waits as long: a product of no matter what, to a register that is loaded before it is
 * used, keeps it awake, or wakes it before it is needed. */
AMX void cup_mma_amx_wake(bool *has_shapes)
{
    if (cup_unlikely(!*has_shapes)) {
        _tile_loadconfig(&shapes);
        *has_shapes = true;
    }
    _tile_dpbf16ps(7, 6, 5);
}

/* Calls OPERATION of each register of C that `pairs` pairs of tiles have, with the tiles' number.
 */
#define EACH_PAIR(OPERATION)                                                                       \
    do {                                                                                           \
        OPERATION(0, 6);                                                                           \
        if (pairs > 1)                                                                             \
            OPERATION(1, 7);                                                                       \
        if (pairs > 2)                                                                             \
            OPERATION(2, 6);                                                                       \
        if (pairs > 3)                                                                             \
            OPERATION(3, 7);                                                                       \
    } while (0)

AMX void cup_mma_amx_load(const cup_mma_columns *c, unsigned pairs)
{
#define LOAD(c_tile, b_tile) _tile_loadd(c_tile, c + 2 * (c_tile), 64)
    EACH_PAIR(LOAD);
#undef LOAD
}

AMX void cup_mma_amx_store(cup_mma_columns *c, unsigned pairs)
{
#define STORE(c_tile, b_tile) _tile_stored(c_tile, c + 2 * (c_tile), 64)
    EACH_PAIR(STORE);
#undef STORE
}

AMX static inline void multiply(bool is_half, const uint8_t *a, const uint8_t *b, unsigned pairs)
{
#define MULTIPLY(c_tile, b_tile)                                                                   \
    do {                                                                                           \
        _tile_loadd(b_tile, b + 2 * (c_tile)*CUP_MMA_AMX_B_BYTES, 64);                             \
        _tile_dpbf16ps(c_tile, b_tile, 4);                                                         \
        if (is_half)                                                                               \
            _tile_dpbf16ps(c_tile, b_tile, 5);                                                     \
    } while (0)
    _tile_loadd(4, a, 64);
    if (is_half)
        _tile_loadd(5, a + 1024, 64);
    EACH_PAIR(MULTIPLY);
#undef MULTIPLY
}

AMX void cup_mma_amx_multiply(const struct cup_mma_rule *rule, const uint8_t *a, const uint8_t *b,
                              unsigned pairs)
{
    if (rule->a == PTX_F16)
        multiply(true, a, b, pairs);
    else
        multiply(false, a, b, pairs);
}

/* The first A is in registers 4 and 5, the second in 2 and 3. */
AMX void cup_mma_amx_hold(const struct cup_mma_rule *rule, const uint8_t *first,
                          const uint8_t *second)
{
    bool is_half = rule->a == PTX_F16;

    _tile_loadd(4, first, 64);
    if (is_half)
        _tile_loadd(5, first + 1024, 64);
    if (!second)
        return;
    _tile_loadd(2, second, 64);
    if (is_half)
        _tile_loadd(3, second + 1024, 64);
}

AMX void cup_mma_amx_add(const struct cup_mma_rule *rule, const uint8_t *b, cup_mma_columns *first,
                         cup_mma_columns *second)
{
    bool is_half = rule->a == PTX_F16;

    _tile_loadd(6, b, 64);
    _tile_loadd(0, first, 64);
    _tile_dpbf16ps(0, 6, 4);
    if (second) {
        _tile_loadd(1, second, 64);
        _tile_dpbf16ps(1, 6, 2);
    }
    if (is_half)
        _tile_dpbf16ps(0, 6, 5);
    if (is_half && second)
        _tile_dpbf16ps(1, 6, 3);
    _tile_stored(0, first, 64);
    if (second)
        _tile_stored(1, second, 64);
}

#else

void cup_mma_amx_wake(bool *has_shapes)
{
    (void)has_shapes;
}

bool cup_mma_amx_is_there(void)
{
    return false;
}

void cup_mma_amx_allow(bool allowed)
{
    (void)allowed;
}

bool cup_mma_amx_decode_a(const struct cup_mma_rule *rule, const struct cup_mma_source *source,
                          uint8_t *tiles)
{
    (void)rule;
    (void)source;
    (void)tiles;
    return false;
}

bool cup_mma_amx_decode_b(const struct cup_mma_rule *rule, const struct cup_mma_source *source,
                          uint8_t *tile)
{
    (void)rule;
    (void)source;
    (void)tile;
    return false;
}

void cup_mma_amx_copy(const struct cup_mma_source *source, uint8_t *copy)
{
    (void)source;
    (void)copy;
}

bool cup_mma_amx_is_copy(const struct cup_mma_source *source, const uint8_t *copy)
{
    (void)source;
    (void)copy;
    return false;
}

void cup_mma_amx_load(const cup_mma_columns *c, unsigned pairs)
{
    (void)c;
    (void)pairs;
}

void cup_mma_amx_store(cup_mma_columns *c, unsigned pairs)
{
    (void)c;
    (void)pairs;
}

void cup_mma_amx_multiply(const struct cup_mma_rule *rule, const uint8_t *a, const uint8_t *b,
                          unsigned pairs)
{
    (void)rule;
    (void)a;
    (void)b;
    (void)pairs;
}

void cup_mma_amx_hold(const struct cup_mma_rule *rule, const uint8_t *first, const uint8_t *second)
{
    (void)rule;
    (void)first;
    (void)second;
}

void cup_mma_amx_add(const struct cup_mma_rule *rule, const uint8_t *b, cup_mma_columns *first,
                     cup_mma_columns *second)
{
    (void)rule;
    (void)b;
    (void)first;
    (void)second;
}
#endif

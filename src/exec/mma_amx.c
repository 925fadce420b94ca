/* SPDX-License-Identifier: MIT */
/* The tile of a product is a column of D a row: 16 rows of A are 16 floats of 64 bytes. Columns of
 * B are rows of 32 elements of .bf16: the upper parts of 16 elements of .f16, then the lower ones.
 * A is two tiles in which a row has two k of all rows: the upper parts twice, for the upper and the
 * lower parts of B, and the lower parts twice. The order of k is 0, 8, 1, 9, and so on.
 *
 * Two tiles of B that lie one behind the other, with the same A and C one behind the other, are one
 * product of twice the size. */
#include "exec/mma_amx.h"

#include "core/compiler.h"

#include <stdatomic.h>

#ifdef __x86_64__
#include <cpuid.h>
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>

#define AMX __attribute__((target("amx-tile,amx-bf16,avx512f,avx512bw,avx512dq,avx512vl,f16c")))

enum { UNKNOWN, THERE, ABSENT };

static _Atomic int state;

static int ask(void)
{
    enum { ARCH_REQ_XCOMP_PERM = 0x1023, XTILEDATA = 18 };
    enum { AMX_BF16 = 1 << 22, AMX_TILE = 1 << 24 }; /* of EDX */
    unsigned a, b, c, d;

    if (!__builtin_cpu_supports("avx512bw") || !__builtin_cpu_supports("avx512vl") ||
        !__builtin_cpu_supports("avx512dq"))
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

/* Two lines of 8 pairs each: elements k and k + 8. */
struct split_lines {
    __m512i upper, lower;
};

AMX static inline __m512 values_of(bool is_half, const uint8_t *lines)
{
    __m256i raw = _mm256_loadu_si256((const __m256i *)lines);

    if (is_half)
        return _mm512_cvtph_ps(raw);
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(raw), 16));
}

AMX static inline __m512i joined(__m512 first, __m512 second)
{
    return _mm512_mask_blend_epi16(0xaaaaaaaa, _mm512_srli_epi32(_mm512_castps_si512(first), 16),
                                   _mm512_castps_si512(second));
}

AMX static inline struct split_lines pairs_of(bool is_half, const uint8_t *first,
                                              const uint8_t *second)
{
    const __m512 mask = _mm512_castsi512_ps(_mm512_set1_epi32((int)0xffff0000u));
    __m512 a = values_of(is_half, first), b = values_of(is_half, second);
    struct split_lines pairs = {.upper = joined(a, b), .lower = _mm512_setzero_si512()};

    if (is_half)
        pairs.lower = joined(_mm512_sub_ps(a, _mm512_and_ps(a, mask)),
                             _mm512_sub_ps(b, _mm512_and_ps(b, mask)));
    return pairs;
}

AMX static inline bool is_finite(bool is_half, const uint8_t *cores, unsigned bytes)
{
    const __m512i field = _mm512_set1_epi16(is_half ? 0x7c00 : 0x7f80);
    __mmask32 found = 0;

    for (unsigned at = 0; at < bytes; at += 64) {
        __m512i raw = _mm512_loadu_si512(cores + at);

        found |= _mm512_cmpeq_epi16_mask(_mm512_and_si512(raw, field), field);
    }
    return found == 0;
}

/* Transposes 16 lines of 8 pairs, two lines a vector, to 8 rows, which are stored twice. */
AMX static inline void store_turned(const __m512i *lines, uint8_t *tile)
{
    const __m512i low = _mm512_setr_epi32(0, 8, 16, 24, 1, 9, 17, 25, 2, 10, 18, 26, 3, 11, 19, 27),
                  high =
                      _mm512_setr_epi32(4, 12, 20, 28, 5, 13, 21, 29, 6, 14, 22, 30, 7, 15, 23, 31);
    __m512i fours[2][4]; /* a quarter is four lines of one pair */

    for (unsigned i = 0; i < 4; i++) {
        fours[0][i] = _mm512_permutex2var_epi32(lines[2 * i], low, lines[2 * i + 1]);
        fours[1][i] = _mm512_permutex2var_epi32(lines[2 * i], high, lines[2 * i + 1]);
    }
    for (unsigned i = 0; i < 2; i++) {
        const __m512i *f = fours[i];
        __m512i a = _mm512_shuffle_i32x4(f[0], f[1], 0x44),
                b = _mm512_shuffle_i32x4(f[2], f[3], 0x44),
                c = _mm512_shuffle_i32x4(f[0], f[1], 0xee),
                d = _mm512_shuffle_i32x4(f[2], f[3], 0xee);
        __m512i rows[4] = {_mm512_shuffle_i32x4(a, b, 0x88), _mm512_shuffle_i32x4(a, b, 0xdd),
                           _mm512_shuffle_i32x4(c, d, 0x88), _mm512_shuffle_i32x4(c, d, 0xdd)};

        for (unsigned k = 0; k < 4; k++) {
            _mm512_store_si512(tile + 64 * (4 * i + k), rows[k]);
            _mm512_store_si512(tile + 64 * (4 * i + k + 8), rows[k]);
        }
    }
}

AMX static inline void decode_a(bool is_half, bool negate, const uint8_t *cores, uint8_t *tiles)
{
    const __m512i sign = _mm512_set1_epi16(negate ? (short)0x8000 : 0);
    __m512i upper[8], lower[8];

    for (unsigned i = 0; i < 8; i++) {
        struct split_lines pairs =
            pairs_of(is_half, cores + 32 * i, cores + 2 * CUP_MMA_CORE_BYTES + 32 * i);

        upper[i] = _mm512_xor_si512(pairs.upper, sign);
        lower[i] = _mm512_xor_si512(pairs.lower, sign);
    }
    store_turned(upper, tiles);
    if (is_half)
        store_turned(lower, tiles + 1024);
}

AMX bool cup_mma_amx_decode_a(const struct cup_mma_rule *rule, const uint8_t *cores, uint8_t *tiles)
{
    bool is_half = rule->a == PTX_F16;

    if (!is_finite(is_half, cores, 4 * CUP_MMA_CORE_BYTES))
        return false;
    if (is_half)
        decode_a(true, rule->negate, cores, tiles);
    else
        decode_a(false, rule->negate, cores, tiles);
    return true;
}

AMX static inline void decode_b(bool is_half, const uint8_t *cores, uint8_t *tile)
{
    for (unsigned i = 0; i < 4; i++) {
        struct split_lines pairs =
            pairs_of(is_half, cores + 32 * i, cores + CUP_MMA_CORE_BYTES + 32 * i);

        _mm512_store_si512(tile + 128 * i, _mm512_shuffle_i64x2(pairs.upper, pairs.lower, 0x44));
        _mm512_store_si512(tile + 128 * i + 64,
                           _mm512_shuffle_i64x2(pairs.upper, pairs.lower, 0xee));
    }
}

AMX bool cup_mma_amx_decode_b(const struct cup_mma_rule *rule, const uint8_t *cores, uint8_t *tile)
{
    bool is_half = rule->b == PTX_F16;

    if (!is_finite(is_half, cores, 2 * CUP_MMA_CORE_BYTES))
        return false;
    if (is_half)
        decode_b(true, cores, tile);
    else
        decode_b(false, cores, tile);
    return true;
}

/* The shapes of tiles: 0 and 2 are C, 1 and 3 B of 16 columns, 4 and 5 A, 6 and 7 C and B of 8. */
struct shapes {
    uint8_t palette, start_row, reserved[14];
    uint16_t row_bytes[16];
    uint8_t rows[16];
};

static const struct shapes shapes
    __attribute__((aligned(64))) = {.palette = 1,
                                    .row_bytes = {64, 64, 64, 64, 64, 64, 64, 64},
                                    .rows = {16, 16, 16, 16, 16, 16, 8, 8}};

/* The unit sleeps when it has had nothing to do for half a microsecond, and then the next product
 * waits for a quarter: a product of nothing keeps it awake, or wakes it before it is needed. */
AMX void cup_mma_amx_wake(bool *has_shapes)
{
    if (cup_unlikely(!*has_shapes)) {
        _tile_loadconfig(&shapes);
        *has_shapes = true;
    }
    _tile_dpbf16ps(6, 7, 5);
}

/* C += A B in these registers, which must be constants. */
#define MULTIPLY(c_tile, b_tile)                                                                   \
    do {                                                                                           \
        _tile_loadd(b_tile, b, 64);                                                                \
        _tile_loadd(c_tile, c, 64);                                                                \
        _tile_dpbf16ps(c_tile, b_tile, 4);                                                         \
        if (is_half)                                                                               \
            _tile_dpbf16ps(c_tile, b_tile, 5);                                                     \
        _tile_stored(c_tile, c, 64);                                                               \
    } while (0)

/* Pairs take turns with two sets of registers, so that one can be loaded before the other is
 * stored. */
AMX static inline void multiply_pair(const uint8_t *b, cup_mma_columns *c, bool is_half, bool turn)
{
    if (turn)
        MULTIPLY(0, 1);
    else
        MULTIPLY(2, 3);
}

AMX static inline void multiply_one(const uint8_t *b, cup_mma_columns *c, bool is_half)
{
    MULTIPLY(6, 7);
}

AMX void cup_mma_amx_multiply(const struct cup_mma_rule *rule, const uint8_t *a, const uint8_t *b,
                              const struct cup_abi_matrix_product *products, unsigned count,
                              cup_mma_columns *c)
{
    bool is_half = rule->a == PTX_F16, turn = false;

    for (unsigned i = 0; i < count; i++) {
        struct cup_abi_matrix_product one = products[i], next = {.a = UINT8_MAX};
        const uint8_t *columns = b + (size_t)one.b * CUP_MMA_AMX_B_BYTES;

        if (i + 1 < count)
            next = products[i + 1];
        if (i == 0 || one.a != products[i - 1].a) {
            _tile_loadd(4, a + (size_t)one.a * CUP_MMA_AMX_A_BYTES, 64);
            if (is_half)
                _tile_loadd(5, a + (size_t)one.a * CUP_MMA_AMX_A_BYTES + 1024, 64);
        }
        if (next.a == one.a && next.b == one.b + 1 && next.tile == one.tile + 1) {
            multiply_pair(columns, c + one.tile, is_half, turn);
            turn = !turn;
            i++;
        } else {
            multiply_one(columns, c + one.tile, is_half);
        }
    }
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

bool cup_mma_amx_decode_a(const struct cup_mma_rule *rule, const uint8_t *cores, uint8_t *tiles)
{
    (void)rule;
    (void)cores;
    (void)tiles;
    return false;
}

bool cup_mma_amx_decode_b(const struct cup_mma_rule *rule, const uint8_t *cores, uint8_t *tile)
{
    (void)rule;
    (void)cores;
    (void)tile;
    return false;
}

void cup_mma_amx_multiply(const struct cup_mma_rule *rule, const uint8_t *a, const uint8_t *b,
                          const struct cup_abi_matrix_product *products, unsigned count,
                          cup_mma_columns *c)
{
    (void)rule;
    (void)a;
    (void)b;
    (void)products;
    (void)count;
    (void)c;
}
#endif

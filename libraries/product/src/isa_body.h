/* SPDX-License-Identifier: MIT */
/* The body of one instruction set. A file that is compiled for it defines ISA_NAME, ISA_TABLE,
 * VECTOR_BYTES, TILE_VECTORS and TILE_COLUMNS, and includes this. Loops are plain where the
 * compiler vectorises them; the tile kernels use vectors of the compiler. */
#include "isa.h"
#include "small_floats.h"

#include <math.h>
#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum { LANES = VECTOR_BYTES / 4, TILE_ROWS = LANES * TILE_VECTORS };

typedef float vector_f __attribute__((vector_size(VECTOR_BYTES), aligned(4), may_alias));
typedef int32_t vector_i __attribute__((vector_size(VECTOR_BYTES), aligned(4), may_alias));

#pragma GCC diagnostic ignored "-Wpsabi"

static void from_f16(float *out, const uint16_t *in, size_t count)
{
    size_t i = 0;

#if defined(__AVX512F__)
    for (; i + 16 <= count; i += 16)
        _mm512_storeu_ps(out + i, _mm512_cvtph_ps(_mm256_loadu_si256((const void *)(in + i))));
#elif defined(__F16C__)
    for (; i + 8 <= count; i += 8)
        _mm256_storeu_ps(out + i, _mm256_cvtph_ps(_mm_loadu_si128((const void *)(in + i))));
#endif
    for (; i < count; i++)
        out[i] = lib_f16_value(in[i]);
}

static void to_f16(uint16_t *out, const float *in, size_t count)
{
    size_t i = 0;

#if defined(__AVX512F__)
    for (; i + 16 <= count; i += 16)
        _mm256_storeu_si256((void *)(out + i),
                            _mm512_cvtps_ph(_mm512_loadu_ps(in + i), _MM_FROUND_TO_NEAREST_INT));
#elif defined(__F16C__)
    for (; i + 8 <= count; i += 8)
        _mm_storeu_si128((void *)(out + i),
                         _mm256_cvtps_ph(_mm256_loadu_ps(in + i), _MM_FROUND_TO_NEAREST_INT));
#endif
    for (; i < count; i++)
        out[i] = lib_f16_bits(in[i]);
}

static void from_bf16(float *out, const uint16_t *in, size_t count)
{
    for (size_t i = 0; i < count; i++)
        out[i] = lib_bf16_value(in[i]);
}

static void to_bf16(uint16_t *out, const float *in, size_t count)
{
    for (size_t i = 0; i < count; i++)
        out[i] = lib_bf16_bits(in[i]);
}

/* The rounding of CUDA's tf32: to nearest, ties away from zero, 10 bits of mantissa. */
static void to_tf32(float *out, const float *in, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t bits = lib_float_bits(in[i]), special = (bits & 0x7f800000) == 0x7f800000;

        out[i] = lib_float_of(special ? bits : (bits + 0x1000) & 0xffffe000);
    }
}

static void from_e4m3(float *out, const uint8_t *in, size_t count)
{
    for (size_t i = 0; i < count; i++)
        out[i] = lib_e4m3_value(in[i]);
}

static void from_e5m2(float *out, const uint8_t *in, size_t count)
{
    for (size_t i = 0; i < count; i++)
        out[i] = lib_e5m2_value(in[i]);
}

static void from_s8(float *out, const int8_t *in, size_t count)
{
    for (size_t i = 0; i < count; i++)
        out[i] = (float)in[i];
}

static void from_s32(float *out, const int32_t *in, size_t count)
{
    for (size_t i = 0; i < count; i++)
        out[i] = (float)in[i];
}

/* Adding and subtracting 1.5 * 2^23 rounds to the nearest integer, ties to even. */
static void to_s8(int8_t *out, const float *in, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        float value = in[i] < 127.0f ? in[i] : 127.0f;

        value = value > -128.0f ? value : -128.0f;
        out[i] = (int8_t)(int32_t)(lib_float_bits(value + 0x1.8p23f) - 0x4b400000);
    }
}

static void interleave2(uint32_t *out, const uint16_t *lines, size_t pitch, size_t count)
{
    const uint16_t *second = lines + pitch;

    for (size_t i = 0; i < count; i++)
        out[i] = lines[i] | (uint32_t)second[i] << 16;
}

static void interleave4(uint32_t *out, const uint8_t *lines, size_t pitch, size_t count)
{
    const uint8_t *second = lines + pitch, *third = second + pitch, *fourth = third + pitch;

    for (size_t i = 0; i < count; i++)
        out[i] = lines[i] | (uint32_t)second[i] << 8 | (uint32_t)third[i] << 16 |
                 (uint32_t)fourth[i] << 24;
}

typedef uint32_t block_row __attribute__((vector_size(16), aligned(1), may_alias));

/* Transposes 4 x 4 units. */
static inline void transpose4(uint32_t *out, size_t out_pitch, const char *in, size_t in_bytes)
{
    block_row a = *(const block_row *)in, b = *(const block_row *)(in + in_bytes);
    block_row c = *(const block_row *)(in + 2 * in_bytes);
    block_row d = *(const block_row *)(in + 3 * in_bytes);
    block_row ab_low = __builtin_shufflevector(a, b, 0, 4, 1, 5);
    block_row ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
    block_row cd_low = __builtin_shufflevector(c, d, 0, 4, 1, 5);
    block_row cd_high = __builtin_shufflevector(c, d, 2, 6, 3, 7);

    *(block_row *)out = __builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5);
    *(block_row *)(out + out_pitch) = __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7);
    *(block_row *)(out + 2 * out_pitch) = __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5);
    *(block_row *)(out + 3 * out_pitch) = __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7);
}

static void transpose_to(uint32_t *out, const void *in, size_t pitch, size_t rows)
{
    const char *from = in;
    size_t i = 0;

    for (; i + 4 <= rows; i += 4)
        for (size_t j = 0; j < CHUNK_UNITS; j += 4)
            transpose4(out + j * rows + i, rows, from + i * pitch + j * 4, pitch);
    for (; i < rows; i++)
        for (size_t j = 0; j < CHUNK_UNITS; j++)
            memcpy(&out[j * rows + i], from + i * pitch + j * 4, 4);
}

static void transpose_from(uint32_t *out, const uint32_t *in, size_t rows)
{
    size_t i = 0;

    for (; i + 4 <= rows; i += 4)
        for (size_t j = 0; j < CHUNK_UNITS; j += 4)
            transpose4(out + i * CHUNK_UNITS + j, CHUNK_UNITS, (const char *)(in + j * rows + i),
                       rows * 4);
    for (; i < rows; i++)
        for (size_t j = 0; j < CHUNK_UNITS; j++)
            out[i * CHUNK_UNITS + j] = in[j * rows + i];
}

static void scale(float *x, float factor, size_t count)
{
    for (size_t i = 0; i < count; i++)
        x[i] *= factor;
}

static void multiply(float *restrict x, const float *restrict y, float factor, size_t count)
{
    for (size_t i = 0; i < count; i++)
        x[i] *= y[i] * factor;
}

static void add_scaled(float *restrict x, const float *restrict y, float factor, size_t count)
{
    for (size_t i = 0; i < count; i++)
        x[i] += y[i] * factor;
}

static void multiply_s32(uint32_t *restrict out, const uint32_t *restrict in, uint32_t factor,
                         size_t count)
{
    if (factor == 1) {
        memcpy(out, in, count * sizeof(*out));
        return;
    }
    for (size_t i = 0; i < count; i++)
        out[i] = in[i] * factor;
}

static void relu(float *x, size_t count)
{
    for (size_t i = 0; i < count; i++)
        x[i] = x[i] < 0.0f ? 0.0f : x[i];
}

/* e^x for x in [-88, 88], to about 1 unit in the last place: 2^n by the exponent, the rest by a
 * polynomial. */
static inline float exponential(float x)
{
    float shifted = x * 1.44269504f + 0x1.8p23f, n = shifted - 0x1.8p23f;
    float r = (x - n * 0.693145752f) - n * 1.42860677e-6f;
    float p = 1.0f / 5040;

    p = p * r + 1.0f / 720;
    p = p * r + 1.0f / 120;
    p = p * r + 1.0f / 24;
    p = p * r + 1.0f / 6;
    p = p * r + 0.5f;
    p = p * r * r + r + 1.0f;
    return p * lib_float_of((lib_float_bits(shifted) + 127) << 23);
}

/* (1 + tanh(y)) / 2 = 1 / (1 + e^-2y), with y = sqrt(2 / pi) * (x + 0.044715 x^3). */
static inline float gelu_share(float x)
{
    float y = -1.59576912f * (x + 0.044715f * x * x * x);

    y = y < 87.0f ? y : 87.0f;
    y = y > -87.0f ? y : -87.0f;
    return 1.0f / (1.0f + exponential(y));
}

static void gelu(float *x, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        float value = x[i];

        x[i] = value < -10.0f ? -0.0f : value * gelu_share(value);
        x[i] = value == value ? x[i] : value;
    }
}

static void gelu_gradient(float *restrict x, const float *restrict before, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        float value = before[i], share = gelu_share(value);
        float slope = 1.59576912f * (1.0f + 3 * 0.044715f * value * value);
        float change = value * share * (1.0f - share) * slope;

        change = value < -10.0f || value > 10.0f ? 0.0f : change;
        x[i] *= share + change;
    }
}

static float largest(const float *x, float most, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        float size = fabsf(x[i]);

        most = size > most || size != size ? size : most;
    }
    return most;
}

/* Sums of a tile stay in registers for all of k. */
static void kernel_f32(size_t units, const void *left, const void *right, void *sums, size_t ld,
                       bool adds)
{
    const float *restrict a = left, *restrict b = right;
    float *c = sums;
    vector_f sum[TILE_COLUMNS][TILE_VECTORS];

#pragma GCC unroll 16
    for (int j = 0; j < TILE_COLUMNS; j++)
#pragma GCC unroll 4
        for (int v = 0; v < TILE_VECTORS; v++)
            sum[j][v] = adds ? *(vector_f *)(c + (size_t)j * ld + v * LANES) : (vector_f){0};
    for (; units; b += TILE_COLUMNS * CHUNK_UNITS) {
        size_t some = units < CHUNK_UNITS ? units : CHUNK_UNITS;

        units -= some;
        for (size_t u = 0; u < some; u++, a += TILE_ROWS) {
            vector_f x[TILE_VECTORS];

#pragma GCC unroll 4
            for (int v = 0; v < TILE_VECTORS; v++)
                x[v] = *(const vector_f *)(a + v * LANES);
#pragma GCC unroll 16
            for (int j = 0; j < TILE_COLUMNS; j++)
#pragma GCC unroll 4
                for (int v = 0; v < TILE_VECTORS; v++)
                    sum[j][v] += x[v] * b[j * CHUNK_UNITS + u];
        }
    }
#pragma GCC unroll 16
    for (int j = 0; j < TILE_COLUMNS; j++)
#pragma GCC unroll 4
        for (int v = 0; v < TILE_VECTORS; v++)
            *(vector_f *)(c + (size_t)j * ld + v * LANES) = sum[j][v];
}

static inline vector_i pairs(vector_i sum, vector_i x, int32_t y)
{
#if defined(__AVX512BW__)
    return sum + (vector_i)_mm512_madd_epi16((__m512i)x, _mm512_set1_epi32(y));
#elif defined(__AVX2__)
    return sum + (vector_i)_mm256_madd_epi16((__m256i)x, _mm256_set1_epi32(y));
#elif defined(__SSE2__)
    return sum + (vector_i)_mm_madd_epi16((__m128i)x, _mm_set1_epi32(y));
#else
    return sum + (x << 16 >> 16) * (int16_t)y + (x >> 16) * (y >> 16);
#endif
}

static void kernel_s16(size_t units, const void *left, const void *right, void *sums, size_t ld,
                       bool adds)
{
    const int32_t *restrict a = left, *restrict b = right;
    int32_t *c = sums;
    vector_i sum[TILE_COLUMNS][TILE_VECTORS];

#pragma GCC unroll 16
    for (int j = 0; j < TILE_COLUMNS; j++)
#pragma GCC unroll 4
        for (int v = 0; v < TILE_VECTORS; v++)
            sum[j][v] = adds ? *(vector_i *)(c + (size_t)j * ld + v * LANES) : (vector_i){0};
    for (; units; b += TILE_COLUMNS * CHUNK_UNITS) {
        size_t some = units < CHUNK_UNITS ? units : CHUNK_UNITS;

        units -= some;
        for (size_t u = 0; u < some; u++, a += TILE_ROWS) {
            vector_i x[TILE_VECTORS];

#pragma GCC unroll 4
            for (int v = 0; v < TILE_VECTORS; v++)
                x[v] = *(const vector_i *)(a + v * LANES);
#pragma GCC unroll 16
            for (int j = 0; j < TILE_COLUMNS; j++)
#pragma GCC unroll 4
                for (int v = 0; v < TILE_VECTORS; v++)
                    sum[j][v] = pairs(sum[j][v], x[v], b[j * CHUNK_UNITS + u]);
        }
    }
#pragma GCC unroll 16
    for (int j = 0; j < TILE_COLUMNS; j++)
#pragma GCC unroll 4
        for (int v = 0; v < TILE_VECTORS; v++)
            *(vector_i *)(c + (size_t)j * ld + v * LANES) = sum[j][v];
}

const struct product_isa ISA_TABLE = {
    .name = ISA_NAME,
    .from_f16 = from_f16,
    .from_bf16 = from_bf16,
    .from_s8 = from_s8,
    .from_s32 = from_s32,
    .from_e4m3 = from_e4m3,
    .from_e5m2 = from_e5m2,
    .to_f16 = to_f16,
    .to_bf16 = to_bf16,
    .to_s8 = to_s8,
    .to_tf32 = to_tf32,
    .interleave2 = interleave2,
    .interleave4 = interleave4,
    .transpose_to = transpose_to,
    .transpose_from = transpose_from,
    .scale = scale,
    .multiply = multiply,
    .add_scaled = add_scaled,
    .multiply_s32 = multiply_s32,
    .relu = relu,
    .gelu = gelu,
    .gelu_gradient = gelu_gradient,
    .largest = largest,
    .tiles = {[FORM_F32] = {kernel_f32, TILE_ROWS, TILE_COLUMNS, NULL, NULL},
              [FORM_S16] = {kernel_s16, TILE_ROWS, TILE_COLUMNS, NULL, NULL}},
};

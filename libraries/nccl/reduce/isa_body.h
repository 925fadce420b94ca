/* SPDX-License-Identifier: MIT */
/* The loops of reductions for one instruction set. A file that is compiled for it defines ISA_TABLE
 * and includes this. An operation is a function of two elements, given as their bits; a line
 * applies it to vectors, and the compiler makes vector code of it.
 *
 * Floats follow the device's instructions. A NaN of f16, bf16 and f32 that an addition or a product
 * makes is 0x7fff...; a minimum or maximum takes the number if one operand is a NaN, and -0 is less
 * than +0. 8-bit floats are computed in f16 and converted with saturation: infinity becomes the
 * largest number. */
#include "floats.h"
#include "isa.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define INLINE static inline __attribute__((always_inline))

#define BITS 8
#include "lines.h"
#define BITS 16
#include "lines.h"
#define BITS 32
#include "lines.h"
#define BITS 64
#include "lines.h"

/* Integers. */
#define DEFINE_INTEGER(name, bits, type)                                                           \
    INLINE uint##bits##_t name##_sum(uint##bits##_t a, uint##bits##_t b)                           \
    {                                                                                              \
        return (uint##bits##_t)(a + b);                                                            \
    }                                                                                              \
    INLINE uint##bits##_t name##_prod(uint##bits##_t a, uint##bits##_t b)                          \
    {                                                                                              \
        return (uint##bits##_t)(a * (uint64_t)b);                                                  \
    }                                                                                              \
    INLINE uint##bits##_t name##_max(uint##bits##_t a, uint##bits##_t b)                           \
    {                                                                                              \
        return (type)a > (type)b ? a : b;                                                          \
    }                                                                                              \
    INLINE uint##bits##_t name##_min(uint##bits##_t a, uint##bits##_t b)                           \
    {                                                                                              \
        return (type)a < (type)b ? a : b;                                                          \
    }
DEFINE_INTEGER(i8, 8, int8_t)
DEFINE_INTEGER(u8, 8, uint8_t)
DEFINE_INTEGER(i32, 32, int32_t)
DEFINE_INTEGER(u32, 32, uint32_t)
DEFINE_INTEGER(i64, 64, int64_t)
DEFINE_INTEGER(u64, 64, uint64_t)

/* Floats: sums and products in a wider or the same type, minimum and maximum by order of bits. */
#define DEFINE_FLOAT(name, bits, infinity, value, round, settle)                                   \
    INLINE uint##bits##_t name##_sum(uint##bits##_t a, uint##bits##_t b)                           \
    {                                                                                              \
        return round(value(a) + value(b));                                                         \
    }                                                                                              \
    INLINE uint##bits##_t name##_prod(uint##bits##_t a, uint##bits##_t b)                          \
    {                                                                                              \
        return round(value(a) * value(b));                                                         \
    }                                                                                              \
    INLINE uint##bits##_t name##_max(uint##bits##_t a, uint##bits##_t b)                           \
    {                                                                                              \
        return settle(best##bits(a, b, infinity, true));                                           \
    }                                                                                              \
    INLINE uint##bits##_t name##_min(uint##bits##_t a, uint##bits##_t b)                           \
    {                                                                                              \
        return settle(best##bits(a, b, infinity, false));                                          \
    }
DEFINE_FLOAT(f16, 16, 0x7c00, lib_f16_value, lib_f16_bits, )
DEFINE_FLOAT(bf16, 16, 0x7f80, lib_bf16_value, lib_bf16_bits, )
DEFINE_FLOAT(f32, 32, 0x7f800000, lib_float_of, f32_bits, )
DEFINE_FLOAT(f64, 64, UINT64_C(0x7ff) << 52, double_of, f64_bits, )
DEFINE_FLOAT(e4m3, 8, 0x7e, lib_e4m3_value, lib_e4m3_bits, )
DEFINE_FLOAT(e5m2, 8, 0x7c, lib_e5m2_value, lib_e5m2_bits, e5m2_finite)

#define DEFINE_LINES(name, bits)                                                                   \
    DEFINE_FOLD(name, bits, sum)                                                                   \
    DEFINE_FOLD(name, bits, prod)                                                                  \
    DEFINE_FOLD(name, bits, max)                                                                   \
    DEFINE_FOLD(name, bits, min)                                                                   \
    static void name##_scale(void *out, const void *in, uint64_t factor, size_t count)             \
    {                                                                                              \
        scale##bits(out, in, factor, count, name##_prod);                                          \
    }
#define DEFINE_FOLD(name, bits, op)                                                                \
    static void fold_##name##_##op(void *out, const void *a, const void *b, size_t count)          \
    {                                                                                              \
        line##bits(out, a, b, count, name##_##op);                                                 \
    }
DEFINE_LINES(i8, 8)
DEFINE_LINES(u8, 8)
DEFINE_LINES(i32, 32)
DEFINE_LINES(u32, 32)
DEFINE_LINES(i64, 64)
DEFINE_LINES(u64, 64)
DEFINE_FOLD(f16, 16, max)
DEFINE_FOLD(f16, 16, min)
DEFINE_LINES(bf16, 16)
DEFINE_LINES(f32, 32)
DEFINE_LINES(f64, 64)
DEFINE_LINES(e4m3, 8)
DEFINE_LINES(e5m2, 8)

/* Sums and products of f16, by the processor's conversions where it has them. */
#if defined(__AVX512F__)
enum { F16_LANES = 16 };

INLINE __m512 f16_load(const uint16_t *from)
{
    return _mm512_cvtph_ps(_mm256_loadu_si256((const void *)from));
}

INLINE void f16_store(uint16_t *to, __m512 x)
{
    __mmask16 nan = _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q);
    __m256i half = _mm512_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT);

    _mm256_storeu_si256((void *)to, _mm256_mask_set1_epi16(half, nan, 0x7fff));
}
#elif defined(__F16C__)
enum { F16_LANES = 8 };

INLINE __m256 f16_load(const uint16_t *from)
{
    return _mm256_cvtph_ps(_mm_loadu_si128((const void *)from));
}

INLINE void f16_store(uint16_t *to, __m256 x)
{
    __m256 nan = _mm256_castsi256_ps(_mm256_set1_epi32(0x7fffe000));

    x = _mm256_blendv_ps(x, nan, _mm256_cmp_ps(x, x, _CMP_UNORD_Q));
    _mm_storeu_si128((void *)to, _mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT));
}
#endif

/* The second operand of all lanes begins at b[0] if b does not `advance`. */
INLINE void f16_line(uint16_t *out, const uint16_t *a, const uint16_t *b, bool advance,
                     size_t count, bool product)
{
    size_t i = 0;

#if defined(__F16C__)
    for (; i + F16_LANES <= count; i += F16_LANES) {
        __typeof__(f16_load(a)) x = f16_load(a + i), y = f16_load(advance ? b + i : b);

        f16_store(out + i, product ? x * y : x + y);
    }
#endif
#pragma omp simd
    for (size_t k = i; k < count; k++) {
        uint16_t y = b[advance ? k : 0];

        out[k] = product ? f16_prod(a[k], y) : f16_sum(a[k], y);
    }
}

static void fold_f16_sum(void *out, const void *a, const void *b, size_t count)
{
    f16_line(out, a, b, true, count, false);
}

static void fold_f16_prod(void *out, const void *a, const void *b, size_t count)
{
    f16_line(out, a, b, true, count, true);
}

static void f16_scale(void *out, const void *in, uint64_t factor, size_t count)
{
    uint16_t factors[16];

    for (size_t i = 0; i < sizeof(factors) / sizeof(*factors); i++)
        factors[i] = (uint16_t)factor;
    f16_line(out, in, factors, false, count, true);
}

#define DEFINE_DIVIDE(name, bits, type, quotient)                                                  \
    INLINE uint##bits##_t name##_quotient(uint##bits##_t a, uint##bits##_t b)                      \
    {                                                                                              \
        return (uint##bits##_t)(type)((quotient)(type)a / (quotient)b);                            \
    }                                                                                              \
    static void name##_divide(void *x, uint64_t divisor, size_t count)                             \
    {                                                                                              \
        scale##bits(x, x, divisor, count, name##_quotient);                                        \
    }
/* A quotient of integers of at most 32 bits, cut to an integer, is exact in f64. */
DEFINE_DIVIDE(i8, 8, int8_t, float)
DEFINE_DIVIDE(u8, 8, uint8_t, float)
DEFINE_DIVIDE(i32, 32, int32_t, double)
DEFINE_DIVIDE(u32, 32, uint32_t, double)
DEFINE_DIVIDE(i64, 64, int64_t, int64_t)
DEFINE_DIVIDE(u64, 64, uint64_t, uint64_t)

#define FOLDS(name)                                                                                \
    {                                                                                              \
        fold_##name##_sum, fold_##name##_prod, fold_##name##_max, fold_##name##_min                \
    }

const struct nccl_reduce_isa ISA_TABLE = {
    .fold = {[ncclInt8] = FOLDS(i8),
             [ncclUint8] = FOLDS(u8),
             [ncclInt32] = FOLDS(i32),
             [ncclUint32] = FOLDS(u32),
             [ncclInt64] = FOLDS(i64),
             [ncclUint64] = FOLDS(u64),
             [ncclFloat16] = FOLDS(f16),
             [ncclFloat32] = FOLDS(f32),
             [ncclFloat64] = FOLDS(f64),
             [ncclBfloat16] = FOLDS(bf16),
             [ncclFloat8e4m3] = FOLDS(e4m3),
             [ncclFloat8e5m2] = FOLDS(e5m2)},
    .scale = {[ncclInt8] = i8_scale,
              [ncclUint8] = u8_scale,
              [ncclInt32] = i32_scale,
              [ncclUint32] = u32_scale,
              [ncclInt64] = i64_scale,
              [ncclUint64] = u64_scale,
              [ncclFloat16] = f16_scale,
              [ncclFloat32] = f32_scale,
              [ncclFloat64] = f64_scale,
              [ncclBfloat16] = bf16_scale,
              [ncclFloat8e4m3] = e4m3_scale,
              [ncclFloat8e5m2] = e5m2_scale},
    .divide = {[ncclInt8] = i8_divide,
               [ncclUint8] = u8_divide,
               [ncclInt32] = i32_divide,
               [ncclUint32] = u32_divide,
               [ncclInt64] = i64_divide,
               [ncclUint64] = u64_divide},
};

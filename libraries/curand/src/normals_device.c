/* SPDX-License-Identifier: MIT */
/* Normal numbers with the steps and the rounding of a device. */
#include "device_math.h"

#include "normals.h"

CUP_VECTOR_CLONES
static void pairs(const uint32_t *restrict a, const uint32_t *restrict b, size_t count,
                  float *restrict sine, float *restrict cosine)
{
    for (size_t i = 0; i < count; i++)
        cup_normal_floats(a[i], b[i], &sine[i], &cosine[i]);
}

CUP_VECTOR_CLONES
static void pairs_mrg(const uint32_t *restrict a, const uint32_t *restrict b, size_t count,
                      float *restrict sine, float *restrict cosine)
{
    for (size_t i = 0; i < count; i++) {
        float u = (float)(a[i] * RAND_MRG_UNIT), angle = (float)(b[i] * RAND_MRG_UNIT) * 6.2831855f;
        float size = sqrtf(-2.0f * cup_log_float(u));
        uint32_t turns = cup_sfu_turns(angle);

        sine[i] = cup_sfu_sine_of(turns, 0) * size;
        cosine[i] = cup_sfu_sine_of(turns, 1) * size;
    }
}

static void pairs_double(const uint32_t *const words[4], size_t count, double *sine, double *cosine)
{
    for (size_t i = 0; i < count; i++) {
        const uint32_t four[4] = {words[0][i], words[1][i], words[2][i], words[3][i]};

        cup_normal_doubles(four, &sine[i], &cosine[i]);
    }
}

static void pairs_mrg_double(const uint32_t *a, const uint32_t *b, size_t count, double *sine,
                             double *cosine)
{
    for (size_t i = 0; i < count; i++) {
        double size = sqrt(-2 * cup_log_double(a[i] * RAND_MRG_UNIT));

        cup_sine_and_cosine(b[i] * RAND_MRG_UNIT * 2, &sine[i], &cosine[i]);
        sine[i] *= size;
        cosine[i] *= size;
    }
}

/* Of a word above the middle, the number of its mirror image with the other sign. */
CUP_INLINE float inverse_argument(uint32_t word)
{
    return 2 * fmaf((float)(word > 0x80000000 ? ~word : word), 0x1p-32f, 0x1p-33f);
}

CUP_INLINE float inverse_root(uint32_t word)
{
    return word > 0x80000000 ? 1.4142135f : -1.4142135f;
}

/* Few arguments lie near 0: theirs are computed again, so that the others need no branch. */
CUP_VECTOR_CLONES
static void inverse(const uint32_t *restrict words, size_t count, float *restrict normals)
{
    for (size_t i = 0; i < count; i++)
        normals[i] = inverse_root(words[i]) * rand_erfcinv_middle(inverse_argument(words[i]));
    for (size_t i = 0; i < count; i++) {
        float argument = inverse_argument(words[i]);

        if (argument < RAND_ERFCINV_MIDDLE)
            normals[i] = inverse_root(words[i]) * rand_erfcinv_end(argument);
    }
}

CUP_VECTOR_CLONES
static void inverse_double(const uint32_t *words, size_t count, double *normals)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t upper = words[i] > 0x80000000, word = upper ? ~words[i] : words[i];
        double root = upper ? 1.4142135623730951 : -1.4142135623730951;

        normals[i] = root * rand_erfcinv_double(2 * fma((double)word, 0x1p-32, 0x1p-33));
    }
}

CUP_VECTOR_CLONES
static void inverse_long_double(const uint64_t *words, size_t count, double *normals)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t word = words[i] >> 11, upper = word > (uint64_t)1 << 52;
        double root = upper ? 1.4142135623730951 : -1.4142135623730951;

        word = upper ? ((uint64_t)1 << 53) - 1 - word : word;
        normals[i] = root * rand_erfcinv_double(2 * fma((double)word, 0x1p-53, 0x1p-54));
    }
}

CUP_VECTOR_CLONES
static void scale(float *normals, size_t count, float mean, float deviation)
{
    for (size_t i = 0; i < count; i++)
        normals[i] = fmaf(deviation, normals[i], mean);
}

CUP_VECTOR_CLONES
static void scale_double(double *normals, size_t count, double mean, double deviation)
{
    for (size_t i = 0; i < count; i++)
        normals[i] = fma(deviation, normals[i], mean);
}

CUP_VECTOR_CLONES
static void power(float *normals, size_t count)
{
    for (size_t i = 0; i < count; i++)
        normals[i] = cup_exp_float(normals[i]);
}

static void power_double(double *normals, size_t count)
{
    for (size_t i = 0; i < count; i++)
        normals[i] = cup_exp_double(normals[i]);
}

const struct rand_normals rand_normals_device = {
    pairs,        pairs_mrg,      pairs_double,        pairs_mrg_double,
    inverse,      inverse_double, inverse_long_double, scale,
    scale_double, power,          power_double};

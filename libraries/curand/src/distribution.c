/* SPDX-License-Identifier: MIT */
/* The forms of distribution.h. Uniform numbers are above 0 and up to 1. */
#include "distribution.h"

#include "normals.h"

#include <random/values.h>
#include <string.h>

static const struct rand_normals *normals_of(bool device)
{
    return device ? &rand_normals_device : &rand_normals_host;
}

CUP_VECTOR_CLONES
static void store32(const uint32_t *restrict values, size_t count, size_t stride,
                    uint32_t *restrict out)
{
    if (stride == 1)
        memcpy(out, values, count * sizeof(*out));
    for (size_t i = 0; stride > 1 && i < count; i++)
        out[i * stride] = values[i];
}

static void store64(const uint64_t *restrict values, size_t count, size_t stride,
                    uint64_t *restrict out)
{
    for (size_t i = 0; i < count; i++)
        out[i * stride] = values[i];
}

CUP_VECTOR_CLONES
static void uniform(const uint32_t *restrict words, size_t count, size_t stride,
                    float *restrict out)
{
    for (size_t i = 0; stride == 1 && i < count; i++)
        out[i] = cup_uniform_float(words[i]);
    for (size_t i = 0; stride > 1 && i < count; i++)
        out[i * stride] = cup_uniform_float(words[i]);
}

CUP_VECTOR_CLONES
static void uniform_coarse_double(const uint32_t *restrict words, size_t count, double first,
                                  size_t stride, double *restrict out)
{
    for (size_t i = 0; i < count; i++)
        out[i * stride] = (double)words[i] * 0x1p-32 + first;
}

CUP_VECTOR_CLONES
static void uniform_wide(const uint32_t *restrict words, size_t count, size_t stride,
                         float *restrict out)
{
    for (size_t i = 0; i < count; i++)
        out[i * stride] = (float)((double)words[i] * 0x1p-32 + 0x1p-33);
}

CUP_VECTOR_CLONES
static void uniform_double(const uint32_t *restrict a, const uint32_t *restrict b, size_t count,
                           size_t stride, double *restrict out)
{
    for (size_t i = 0; i < count; i++)
        out[i * stride] = cup_uniform_double(a[i], b[i]);
}

static uint32_t poisson_inverse(const struct rand_histogram *histogram, double u)
{
    uint32_t low = 0, high = histogram->length - 1;

    while (low < high) {
        uint32_t middle = (low + high) / 2;

        if (u <= histogram->sums[middle])
            high = middle;
        else
            low = middle + 1;
    }
    return histogram->shift + low;
}

static uint32_t poisson_entry(const struct rand_histogram *histogram, double u)
{
    uint32_t entry = (uint32_t)(histogram->length * u);

    if (entry >= histogram->length) /* u is 1 */
        entry = histogram->length - 1;
    return histogram->shift + (u < histogram->limits[entry] ? entry : histogram->aliases[entry]);
}

static uint32_t poisson(const struct rand_distribution *distribution, double u)
{
    return distribution->form == RAND_POISSON ? poisson_entry(distribution->histogram, u)
                                              : poisson_inverse(distribution->histogram, u);
}

/* Scales normal floats and stores them in the form that is wanted. */
static void store_normals(const struct rand_distribution *distribution, float *normals,
                          size_t count, size_t stride, void *out)
{
    const struct rand_normals *functions = normals_of(distribution->device);

    if (distribution->form == RAND_POISSON_NORMAL) {
        rand_poisson_of_normals(distribution, normals, count, stride, out);
        return;
    }
    functions->scale(normals, count, (float)distribution->mean, (float)distribution->deviation);
    if (distribution->form == RAND_LOG_NORMAL)
        functions->power(normals, count);
    store32((const uint32_t *)(const void *)normals, count, stride, out);
}

static void store_normal_doubles(const struct rand_distribution *distribution, double *normals,
                                 size_t count, size_t stride, void *out)
{
    const struct rand_normals *functions = normals_of(distribution->device);

    functions->scale_double(normals, count, distribution->mean, distribution->deviation);
    if (distribution->form == RAND_LOG_NORMAL_DOUBLE)
        functions->power_double(normals, count);
    store64((const uint64_t *)(const void *)normals, count, stride, out);
}

static void normals_from_words(const struct rand_distribution *distribution, const uint32_t *words,
                               size_t count, size_t stride, void *out)
{
    const struct rand_normals *functions = normals_of(distribution->device);
    bool doubles = rand_bytes(distribution->form) == 8;
    double values[RAND_RUN];
    float floats[RAND_RUN];

    if (!doubles || (distribution->coarse_normals && distribution->form == RAND_NORMAL_DOUBLE)) {
        functions->inverse(words, count, floats);
        if (!doubles) {
            store_normals(distribution, floats, count, stride, out);
            return;
        }
        for (size_t i = 0; i < count; i++)
            values[i] = floats[i];
    } else {
        functions->inverse_double(words, count, values);
    }
    store_normal_doubles(distribution, values, count, stride, out);
}

void rand_from_words(const struct rand_distribution *distribution, const uint32_t *words,
                     size_t count, size_t stride, void *out)
{
    uint32_t *numbers = out;

    switch (distribution->form) {
    case RAND_WORDS:
        store32(words, count, stride, out);
        break;
    case RAND_UNIFORM:
        if (distribution->wide_uniforms)
            uniform_wide(words, count, stride, out);
        else
            uniform(words, count, stride, out);
        break;
    case RAND_UNIFORM_DOUBLE:
        uniform_coarse_double(words, count, distribution->wide_uniforms ? 0x1p-33 : 0x1p-32, stride,
                              out);
        break;
    case RAND_POISSON:
    case RAND_POISSON_INVERSE:
        for (size_t i = 0; i < count; i++)
            numbers[i * stride] = poisson(distribution, (double)words[i] * 0x1p-32 + 0x1p-32);
        break;
    default:
        normals_from_words(distribution, words, count, stride, out);
    }
}

static void normals_from_long_words(const struct rand_distribution *distribution,
                                    const uint64_t *words, size_t count, void *out)
{
    const struct rand_normals *functions = normals_of(distribution->device);
    uint32_t upper[RAND_RUN];
    double normals[RAND_RUN];
    float floats[RAND_RUN];

    if (rand_bytes(distribution->form) == 8) {
        functions->inverse_long_double(words, count, normals);
        store_normal_doubles(distribution, normals, count, 1, out);
        return;
    }
    for (size_t i = 0; i < count; i++)
        upper[i] = (uint32_t)(words[i] >> 32);
    functions->inverse(upper, count, floats);
    store_normals(distribution, floats, count, 1, out);
}

void rand_from_long_words(const struct rand_distribution *distribution, const uint64_t *words,
                          size_t count, void *out)
{
    float *floats = out;
    double *doubles = out;
    uint32_t *numbers = out;

    switch (distribution->form) {
    case RAND_LONG_WORDS:
        store64(words, count, 1, out);
        break;
    case RAND_UNIFORM:
        for (size_t i = 0; i < count; i++)
            floats[i] = cup_uniform_float((uint32_t)(words[i] >> 32));
        break;
    case RAND_UNIFORM_DOUBLE:
        for (size_t i = 0; i < count; i++)
            doubles[i] = (double)(words[i] >> 11) * 0x1p-53 + 0x1p-54;
        break;
    case RAND_POISSON:
    case RAND_POISSON_INVERSE:
        for (size_t i = 0; i < count; i++)
            numbers[i] = poisson(distribution, (double)(words[i] >> 11) * 0x1p-53 + 0x1p-54);
        break;
    default:
        normals_from_long_words(distribution, words, count, out);
    }
}

void rand_normals(bool device, const uint32_t *a, const uint32_t *b, size_t count, float *sine,
                  float *cosine)
{
    normals_of(device)->pairs(a, b, count, sine, cosine);
}

void rand_normals_mrg(bool device, const uint32_t *a, const uint32_t *b, size_t count, float *sine,
                      float *cosine)
{
    normals_of(device)->pairs_mrg(a, b, count, sine, cosine);
}

void rand_poisson_of_normals(const struct rand_distribution *distribution, const float *normals,
                             size_t count, size_t stride, uint32_t *out)
{
    float mean = (float)distribution->mean, deviation = (float)distribution->deviation;

    for (size_t i = 0; i < count; i++) {
        if (!distribution->coarse_poisson)
            out[i * stride] =
                (uint32_t)(normals[i] * distribution->deviation + distribution->mean + 0.5);
        else if (distribution->device)
            out[i * stride] = (uint32_t)(fmaf(normals[i], deviation, mean) + 0.5f);
        else
            out[i * stride] = (uint32_t)(normals[i] * deviation + mean + 0.5f);
    }
}

void rand_from_pairs(const struct rand_distribution *distribution, const uint32_t *a,
                     const uint32_t *b, size_t count, size_t stride, void *out)
{
    float sine[RAND_RUN], cosine[RAND_RUN];

    if (distribution->form == RAND_UNIFORM_DOUBLE) {
        uniform_double(a, b, count, stride, out);
        return;
    }
    normals_of(distribution->device)->pairs(a, b, count, sine, cosine);
    store_normals(distribution, sine, count, stride, out);
    store_normals(distribution, cosine, count, stride, (float *)out + 1);
}

void rand_from_fours(const struct rand_distribution *distribution, const uint32_t *const words[4],
                     size_t count, size_t stride, void *out)
{
    double sine[RAND_RUN], cosine[RAND_RUN];

    normals_of(distribution->device)->pairs_double(words, count, sine, cosine);
    store_normal_doubles(distribution, sine, count, stride, out);
    store_normal_doubles(distribution, cosine, count, stride, (double *)out + 1);
}

void rand_from_mrg(const struct rand_distribution *distribution, const uint32_t *words,
                   size_t count, void *out)
{
    uint32_t *numbers = out;
    float *floats = out;
    double *doubles = out;

    switch (distribution->form) {
    case RAND_UNIFORM:
        for (size_t i = 0; i < count; i++)
            floats[i] = (float)(words[i] * RAND_MRG_UNIT);
        break;
    case RAND_UNIFORM_DOUBLE:
        for (size_t i = 0; i < count; i++)
            doubles[i] = words[i] * RAND_MRG_UNIT;
        break;
    default:
        for (size_t i = 0; i < count; i++) {
            numbers[i] = (uint32_t)(words[i] * 1.000000048662);
            if (distribution->form == RAND_POISSON)
                numbers[i] = poisson(distribution, (double)numbers[i] * 0x1p-32 + 0x1p-32);
        }
    }
}

void rand_from_mrg_pairs(const struct rand_distribution *distribution, const uint32_t *a,
                         const uint32_t *b, size_t count, void *out)
{
    const struct rand_normals *functions = normals_of(distribution->device);
    double sine[RAND_RUN], cosine[RAND_RUN];
    float sine_floats[RAND_RUN], cosine_floats[RAND_RUN];

    if (rand_bytes(distribution->form) == 8) {
        functions->pairs_mrg_double(a, b, count, sine, cosine);
        store_normal_doubles(distribution, sine, count, 2, out);
        store_normal_doubles(distribution, cosine, count, 2, (double *)out + 1);
        return;
    }
    functions->pairs_mrg(a, b, count, sine_floats, cosine_floats);
    store_normals(distribution, sine_floats, count, 2, out);
    store_normals(distribution, cosine_floats, count, 2, (float *)out + 1);
}

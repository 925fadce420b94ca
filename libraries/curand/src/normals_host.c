/* SPDX-License-Identifier: MIT */
/* Normal numbers with the C library. The inverse of the complementary error function is that of
 * Blair, Edwards and Johnson ("Rational Chebyshev approximations for the inverse of the error
 * function", 1976), tables 18, 39 and 59. Each operation rounds by itself. */
#include "normals.h"

#include <math.h>

static double polynomial(double x, const double *coefficients, int count)
{
    double sum = coefficients[0];

    for (int i = 1; i < count; i++)
        sum = sum * x + coefficients[i];
    return sum;
}

/* Of a logarithm of a small number. */
static double erfcinv_end(double logarithm)
{
    static const double above[] = {
        2.7834010353747001060e-3, 8.6030097526280260580e-1, 2.1371214997265515515e+0,
        3.1598519601132090206e+0, 3.5780402569085996758e+0, 1.5335297523989890804e+0,
        3.4839207139657522572e-1, 5.3644861147153648366e-2, 4.3836709877126095665e-3,
        1.3858518113496718808e-4, 1.1738352509991666680e-6};
    static const double below[] = {1,
                                   2.2859981272422905412e+0,
                                   4.3859045256449554654e+0,
                                   4.6632960348736635331e+0,
                                   3.9846608184671757296e+0,
                                   1.6068377709719017609e+0,
                                   3.5609087305900265560e-1,
                                   5.3963550303200816744e-2,
                                   4.3873424022706935023e-3,
                                   1.3858762165532246059e-4,
                                   1.1738313872397777529e-6};
    double t = 1 / sqrt(-logarithm);

    return polynomial(t, above, 11) / (polynomial(t, below, 11) * t);
}

/* Of numbers above 0 and up to 1. */
static double erfcinv(double a)
{
    static const double above39[] = {
        .21489185007307062000e+0,  -.64200071507209448655e+1, .29631331505876308123e+2,
        -.47644367129787181803e+2, .34810057749357500873e+2,  -.12954198980646771502e+2,
        .25349389220714893917e+1,  -.24758242362823355486e+0, .94897362808681080020e-2};
    static const double below39[] = {1,
                                     -.12831383833953226499e+2,
                                     .41409991778428888716e+2,
                                     -.53715373448862143349e+2,
                                     .33880176779595142685e+2,
                                     -.11315360624238054876e+2,
                                     .20369295047216351160e+1,
                                     -.18611650627372178511e+0,
                                     .67544512778850945940e-2};
    static const double above18[] = {-.23886240104308755900e+2, .45560204272689128170e+3,
                                     -.22977467176607144887e+4, .46631433533434331287e+4,
                                     -.43799652308386926161e+4, .19007153590528134753e+4,
                                     -.30786872642313695280e+3};
    static const double below18[] = {1,
                                     -.83288327901936570000e+2,
                                     .92741319160935318800e+3,
                                     -.35088976383877264098e+4,
                                     .59039348134843665626e+4,
                                     -.48481635430048872102e+4,
                                     .18997769186453057810e+4,
                                     -.28386514725366621129e+3};
    double b = 1 - a, t;

    if (a < 0.0625)
        return erfcinv_end(log(a));
    if (b >= 0.9375)
        return erfcinv_end(log1p(-b));
    if (b >= 0.75) {
        t = b * b - .87890625;
        return b * (polynomial(t, above39, 9) / polynomial(t, below39, 9));
    }
    t = b * b - .5625;
    return b * (polynomial(t, above18, 7) / polynomial(t, below18, 8));
}

static void pairs(const uint32_t *a, const uint32_t *b, size_t count, float *sine, float *cosine)
{
    for (size_t i = 0; i < count; i++) {
        float size = sqrtf(-2.0f * logf((float)a[i] * 0x1p-32f + 0x1p-33f));

        sincosf((float)b[i] * 0x1.921fb6p-30f + 0x1.921fb6p-31f, &sine[i], &cosine[i]);
        sine[i] *= size;
        cosine[i] *= size;
    }
}

static void pairs_mrg(const uint32_t *a, const uint32_t *b, size_t count, float *sine,
                      float *cosine)
{
    for (size_t i = 0; i < count; i++) {
        float size = sqrtf(-2.0f * logf((float)(a[i] * RAND_MRG_UNIT)));

        sincosf((float)(b[i] * RAND_MRG_UNIT) * 6.2831855f, &sine[i], &cosine[i]);
        sine[i] *= size;
        cosine[i] *= size;
    }
}

static void pairs_double(const uint32_t *const words[4], size_t count, double *sine, double *cosine)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t a = words[0][i] ^ (uint64_t)words[1][i] << 21;
        uint64_t b = words[2][i] ^ (uint64_t)words[3][i] << 21;
        double size = sqrt(-2 * log((double)a * 0x1p-53 + 0x1p-54));

        sincos(((double)b * 0x1p-52 + 0x1p-53) * 3.14159265358979323846, &sine[i], &cosine[i]);
        sine[i] *= size;
        cosine[i] *= size;
    }
}

static void pairs_mrg_double(const uint32_t *a, const uint32_t *b, size_t count, double *sine,
                             double *cosine)
{
    for (size_t i = 0; i < count; i++) {
        double size = sqrt(-2 * log(a[i] * RAND_MRG_UNIT));

        sincos(b[i] * RAND_MRG_UNIT * 6.28318530717958647692, &sine[i], &cosine[i]);
        sine[i] *= size;
        cosine[i] *= size;
    }
}

/* Of a word above the middle, the number of its mirror image with the other sign. */
static void inverse(const uint32_t *words, size_t count, float *normals)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t upper = words[i] > 0x80000000, word = upper ? ~words[i] : words[i];
        float root = upper ? 1.4142135f : -1.4142135f;

        normals[i] = root * (float)erfcinv(2 * ((float)word * 0x1p-32f + 0x1p-33f));
    }
}

static void inverse_double(const uint32_t *words, size_t count, double *normals)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t upper = words[i] > 0x80000000, word = upper ? ~words[i] : words[i];
        double root = upper ? 1.4142135623730951 : -1.4142135623730951;

        normals[i] = root * erfcinv(2 * ((double)word * 0x1p-32 + 0x1p-33));
    }
}

static void inverse_long_double(const uint64_t *words, size_t count, double *normals)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t word = words[i] >> 11, upper = word > (uint64_t)1 << 52;
        double root = upper ? 1.4142135623730951 : -1.4142135623730951;

        word = upper ? ((uint64_t)1 << 53) - 1 - word : word;
        normals[i] = root * erfcinv(2 * ((double)word * 0x1p-53 + 0x1p-54));
    }
}

static void scale(float *normals, size_t count, float mean, float deviation)
{
    for (size_t i = 0; i < count; i++)
        normals[i] = deviation * normals[i] + mean;
}

static void scale_double(double *normals, size_t count, double mean, double deviation)
{
    for (size_t i = 0; i < count; i++)
        normals[i] = deviation * normals[i] + mean;
}

static void power(float *normals, size_t count)
{
    for (size_t i = 0; i < count; i++)
        normals[i] = expf(normals[i]);
}

static void power_double(double *normals, size_t count)
{
    for (size_t i = 0; i < count; i++)
        normals[i] = exp(normals[i]);
}

const struct rand_normals rand_normals_host = {
    pairs,        pairs_mrg,      pairs_double,        pairs_mrg_double,
    inverse,      inverse_double, inverse_long_double, scale,
    scale_double, power,          power_double};

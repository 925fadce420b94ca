/* SPDX-License-Identifier: MIT */
/* erfcinv() of doubles. In the middle it is a polynomial in log(a (2 - a)), near 0 a quotient of
 * polynomials in 1 / sqrt(-log(a)). */
#include "device_math.h"

static double polynomial(double x, const double *coefficients, int count)
{
    double sum = coefficients[0];

    for (int i = 1; i < count; i++)
        sum = fma(sum, x, coefficients[i]);
    return sum;
}

/* log(a), for which the digits are scaled by a power of four to lie between 1/2 and 2. */
static double logarithm(double a)
{
    static const double c[] = {0x1.5c5c218c775c9p-4, 0x1.55cf59cdc5d89p-5, 0x1.efd18cf6ebb9cp-5,
                               0x1.10682edcb8d1bp-4, 0x1.3b1dd3ac7fc96p-4, 0x1.745cb459b54a6p-4,
                               0x1.c71c741a0669fp-4, 0x1.249249209112ep-3, 0x1.99999999a06c1p-3,
                               0x1.5555555555535p-2};
    uint64_t bits;
    double exponent, m, difference, r, q, square, sum;

    memcpy(&bits, &a, sizeof(bits));
    exponent = (double)((int)(bits >> 52 & 2046) - 1022);
    bits = (bits & 0x001fffffffffffff) | 0x3fe0000000000000;
    memcpy(&m, &bits, sizeof(m));
    difference = m - 1;
    r = cup_reciprocal_double(m + 1);
    q = difference * r;
    q = fma(fma(-q, difference, fma(-2, q, difference)), r, q);
    square = q * q;
    sum = fma(square * polynomial(square, c, 10), q, q);
    return fma(exponent, 0x1.62e42fefa39efp-1, sum + sum);
}

/* 1 / sqrt(a): the unit's value, which has 20 digits, and a step that triples them. */
static double reciprocal_root(double a)
{
    uint64_t bits;
    double y, error;
    int exponent;

    memcpy(&bits, &a, sizeof(bits));
    exponent = (int)(bits >> 52);
    y = ldexp((double)(rand_rsqrt_digits((uint32_t)(bits >> 32) << 3) >> 3),
              exponent & 1 ? -21 - (exponent - 1023) / 2 : -20 - (exponent - 1022) / 2);
    error = fma(a, -(y * y), 1);
    return fma(fma(0.375, error, 0.5), error * y, y);
}

double rand_erfcinv_double(double a)
{
    static const double middle[] = {
        -0x1.135d2e746e627p-68, -0x1.8ddf93324d327p-63, 0x1.7b83eef0b7c9fp-60,
        0x1.9ba72cd589b91p-57,  -0x1.33689090a6b96p-53, 0x1.82e11898132e0p-56,
        0x1.de4acfd9e26bap-48,  -0x1.6d33eed66c487p-45, -0x1.6f2167040d8e2p-44,
        0x1.72a22c2d77e20p-39,  -0x1.c8859c4e5c0afp-37, -0x1.dc583d118a561p-35,
        0x1.20f47ccf46b3cp-30,  -0x1.1a9e38dc84d60p-28, -0x1.f36cd6d3d46a9p-26,
        0x1.c6b4f5d03b787p-22,  -0x1.6e8a5434ae8a2p-20, -0x1.d1d1f7b8736f6p-17,
        0x1.879c2a212f024p-13,  -0x1.845769484fca8p-11, -0x1.8b6c33114f909p-8,
        0x1.ebd80d9b13e28p-3,   0x1.a755e7c99ae86p+0};
    static const double above[] = {0x1.be9222591afabp-1, 0x1.0a0e7333839aap+1, 0x1.8768cf7e57d5cp+1,
                                   0x1.b77e7e28da583p+1, 0x1.34f26a4f99cf9p+0, 0x1.1f674adb019edp-3,
                                   0x1.5ddae9506431dp-8, 0x1.ada49aa32489cp-15};
    static const double below[] = {1,
                                   0x1.1e90ff51c2197p+1,
                                   0x1.11ea3a7cf3820p+2,
                                   0x1.1a0e4a4749594p+2,
                                   0x1.d4e977d38c14dp+1,
                                   0x1.37fd567ec0d5fp+0,
                                   0x1.1fb9d7f676033p-3,
                                   0x1.5ddcdf98946e4p-8,
                                   0x1.ada42d79d8dbbp-15};
    double x;

    if (a >= 0x1.fa4d2ad8f904dp-11) {
        x = polynomial(-3.125 - logarithm((2 - a) * a), middle, 23);
        return fma(x, -a, x);
    }
    x = reciprocal_root(-logarithm(a));
    return polynomial(x, above, 8) / (x * polynomial(x, below, 9));
}

/* SPDX-License-Identifier: MIT */
#include "values.h"
#include "vector.h"

static double polynomial(double x, const double *coefficients, int count)
{
    double sum = coefficients[0];

    for (int i = 1; i < count; i++)
        sum = fma(sum, x, coefficients[i]);
    return sum;
}

/* Of angles up to a quarter of pi. */
static double sine_of(double angle)
{
    static const double c[] = {1.590307857061102704e-10,  -2.505091138364548653e-08,
                               2.755731498463002875e-06,  -1.984126983447703004e-04,
                               8.333333333329348558e-03,  -1.666666666666666297e-01};
    double square = angle * angle;

    return fma(polynomial(square, c, 6) * square, angle, angle);
}

static double cosine_of(double angle)
{
    static const double c[] = {-1.136781730462628422e-11, 2.087588337859780049e-09,
                               -2.755731554299955694e-07, 2.480158729361868326e-05,
                               -1.388888888888066683e-03, 4.166666666666663660e-02,
                               -5.000000000000000000e-01, 1};

    return polynomial(angle * angle, c, 8);
}

/* `half_turns` is from 0 to 2. The nearest multiple of a half is taken off, which is exact. */
static void sine_and_cosine(double half_turns, double *sine, double *cosine)
{
    static const double pi_rest = 0x1.1a62633145c07p-53;
    double quarters = rint(half_turns * 2), x = half_turns - quarters / 2;
    double angle = fma(CUP_PI, x, pi_rest * x), s = sine_of(angle), c = cosine_of(angle);

    switch ((int)quarters & 3) {
    case 0:
        *sine = s, *cosine = c;
        break;
    case 1:
        *sine = c, *cosine = -s;
        break;
    case 2:
        *sine = -s, *cosine = -c;
        break;
    default:
        *sine = -c, *cosine = s;
    }
}

void cup_normal_doubles(const uint32_t words[4], double *sine, double *cosine)
{
    uint64_t digits = (uint64_t)words[2] ^ (uint64_t)words[3] << 21;
    double size = sqrt(-2 * log(cup_uniform_double(words[0], words[1])));

    sine_and_cosine(fma((double)digits, 0x1p-52, 0x1p-53), sine, cosine);
    *sine *= size;
    *cosine *= size;
}

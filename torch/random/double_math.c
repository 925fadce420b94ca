/* SPDX-License-Identifier: MIT */
/* Functions of doubles by textbook methods: the argument is reduced, and a polynomial is summed by
 * Horner's rule. The last bits follow from the coefficients, so these are the device's: numbers
 * that nvcc writes into the PTX of a program that calls the functions (docs/CLEANROOM.md). Recorded
 * results agree. */
#include "values.h"

static const double ln2 = 0x1.62e42fefa39efp-1, ln2_rest = 0x1.abc9e3b39803fp-56;

static uint64_t double_bits(double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

static double double_of(uint64_t bits)
{
    double value;

    memcpy(&value, &bits, sizeof(value));
    return value;
}

static double polynomial(double x, const double *coefficients, int count)
{
    double sum = coefficients[0];

    for (int i = 1; i < count; i++)
        sum = fma(sum, x, coefficients[i]);
    return sum;
}

/* 1 / a for positive a: the unit's reciprocal, which has 20 bits, and two steps of Newton's method
 * in one. */
double cup_reciprocal_double(double a)
{
    uint64_t bits = double_bits(a);
    uint32_t fraction = (uint32_t)(bits >> 32 & 0xfffff) << 3;
    const struct cup_sfu_segment *s = &cup_sfu_reciprocal.segments[fraction >> 16];
    int64_t p = cup_sfu_quadratic(&cup_sfu_reciprocal, fraction >> 16, (fraction & 0xffff) * 2) -
                (int64_t)s->c1 * (int32_t)(fraction & 0xffff);
    double r = ldexp((double)(p >> 18), 1023 - (int)(bits >> 52) - 21), error = fma(-a, r, 1);

    return fma(fma(error, error, error), r, r);
}

/* With m from sqrt(1/2) to sqrt(2): log(m) is a series in u = 2 (m - 1) / (m + 1). */
double cup_log_double(double a)
{
    static const double c[] = {0x1.1380b3ae80f1ep-20, 0x1.0ee258b7a8b04p-18, 0x1.3b2669f02676fp-16,
                               0x1.745cba9ab0956p-14, 0x1.c71c72d1b5154p-12, 0x1.24924923be72dp-9,
                               0x1.999999999a3c4p-7,  0x1.5555555555554p-4};
    uint64_t bits = double_bits(a);
    int exponent = (int)(bits >> 52) - 1023;
    double m = double_of((bits & 0xfffffffffffff) | (uint64_t)1023 << 52), e, f, r, u, v, rest, sum;

    if (bits >> 32 & 0xfffff && (bits >> 32 & 0xfffff) >= 0x6a09f) {
        m /= 2;
        exponent++;
    }
    e = exponent;
    f = m - 1;
    r = cup_reciprocal_double(m + 1);
    u = fma(f, r, f * r);
    v = u * u;
    rest = r * fma(-u, f, 2 * (f - u)); /* of u */
    rest = fma(polynomial(v, c, 8) * v, u, rest);
    sum = fma(e, ln2, u);
    return sum + fma(e, ln2_rest, rest - (fma(-e, ln2, sum) - u));
}

double cup_exp_double(double a)
{
    static const double c[] = {0x1.ade1569ce2bdfp-26,
                               0x1.28af3fca213eap-22,
                               0x1.71dee62401315p-19,
                               0x1.a01997c89eb71p-16,
                               0x1.a01a014761f65p-13,
                               0x1.6c16c1852b7afp-10,
                               0x1.1111111122322p-7,
                               0x1.55555555502a1p-5,
                               0x1.5555555555511p-3,
                               0x1.000000000000bp-1,
                               1,
                               1};
    double whole = rint(a * 0x1.71547652b82fep+0), rest;

    if (!(fabs(a) < 708))
        return exp(a);
    rest = fma(whole, -ln2_rest, fma(whole, -ln2, a));
    return ldexp(polynomial(rest, c, 12), (int)whole);
}

/* Of angles up to half of pi. Beyond a quarter it is -1 over the tangent of the rest, which has a
 * second word for that. */
double cup_tan_double(double a)
{
    static const double c[] = {
        0x1.48dac2799bcb9p-17,  -0x1.9757c5b27ebb1p-16, 0x1.980e90fd91e04p-15,
        -0x1.ae2b0417d7e1dp-16, 0x1.19f5341bfba57p-14,  0x1.5e791a00f6919p-14,
        0x1.ff2e7fadec73ap-13,  0x1.34bc1b206da62p-11,  0x1.7db18ef2f83f9p-10,
        0x1.d6d2e7ae49fbcp-9,   0x1.226e3a816a776p-7,   0x1.664f485d25660p-6,
        0x1.ba1ba1babf31dp-5,   0x1.11111111105d2p-3,   0x1.555555555555ep-2};
    double quarters = rint(a * 0x1.45f306dc9c883p-1), x, square, sum, tangent, rest, r;

    x = fma(quarters, -0x1.921fb54442d18p+0, a);
    x = fma(quarters, -0x1.1a62633145cp-54, x);
    x = fma(quarters, -0x1.b839a252049cp-104, x);
    square = x * x;
    sum = polynomial(square, c, 15) * square;
    tangent = fma(sum, x, x);
    if (quarters == 0)
        return tangent;
    rest = fma(sum, x, x - tangent);
    r = copysign(cup_reciprocal_double(fabs(tangent)), -tangent);
    return fma(fma(r, rest, fma(r, tangent, 1)), r, r);
}

/* Of angles up to a quarter of pi. */
static double sine_of(double angle)
{
    static const double c[] = {0x1.5db65f9785ebap-33, -0x1.ae5f12cb0d246p-26,
                               0x1.71de369ace392p-19, -0x1.a01a019db62a1p-13,
                               0x1.1111111110818p-7,  -0x1.5555555555554p-3};
    double square = angle * angle;

    return fma(polynomial(square, c, 6) * square, angle, angle);
}

static double cosine_of(double angle)
{
    static const double c[] = {-0x1.8ff8320fd8164p-37, 0x1.1eea7c1ef8528p-29,
                               -0x1.27e4f8e06e6d9p-22, 0x1.a01a019ddbce9p-16,
                               -0x1.6c16c16c15d47p-10, 0x1.5555555555551p-5,
                               -0x1.0000000000000p-1,  1};

    return polynomial(angle * angle, c, 8);
}

/* `half_turns` is from 0 to 2. The nearest multiple of a half is taken off, which is exact. */
void cup_sine_and_cosine(double half_turns, double *sine, double *cosine)
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
    double size = sqrt(-2 * cup_log_double(cup_uniform_double(words[0], words[1])));

    cup_sine_and_cosine(fma((double)digits, 0x1p-52, 0x1p-53), sine, cosine);
    *sine *= size;
    *cosine *= size;
}

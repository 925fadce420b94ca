/* SPDX-License-Identifier: MIT */
#include "sample.h"

#include "element.h"
#include "values.h"

static float uniform(struct cup_philox_stream *stream)
{
    return cup_uniform_float(cup_philox_stream_next(stream));
}

/* Words may make a 0, whose logarithm is -infinity. */
static float log_float(float a)
{
    return a > 0 ? cup_log_float(a) : logf(a);
}

static double log_double(double a)
{
    return a > 0 ? cup_log_double(a) : log(a);
}

/* The second number of a pair waits for the next call. */
static float normal(struct cup_philox_stream *stream)
{
    uint32_t first, second;
    float result;

    if (stream->has_second_normal) {
        stream->has_second_normal = 0;
        return stream->second_normal;
    }
    first = cup_philox_stream_next(stream);
    second = cup_philox_stream_next(stream);
    cup_normal_floats(first, second, &result, &stream->second_normal);
    stream->has_second_normal = 1;
    return result;
}

static void store_bit(enum cup_element element, void *out, uint64_t i, int bit)
{
    switch (cup_element_size(element)) {
    case 1:
        ((uint8_t *)out)[i] = (uint8_t)bit;
        break;
    case 2:
        ((uint16_t *)out)[i] = (uint16_t)(!bit                      ? 0
                                          : element == CUP_HALF     ? 0x3c00
                                          : element == CUP_BFLOAT16 ? 0x3f80
                                                                    : 1);
        break;
    case 4:
        if (element == CUP_FLOAT)
            ((float *)out)[i] = (float)bit;
        else
            ((uint32_t *)out)[i] = (uint32_t)bit;
        break;
    default:
        if (element == CUP_DOUBLE)
            ((double *)out)[i] = bit;
        else
            ((uint64_t *)out)[i] = (uint64_t)bit;
    }
}

int cup_sample_bernoulli(const struct cup_philox *generator, enum cup_element element,
                         const void *probability, uint64_t first, uint64_t last, void *out)
{
    enum { ROW = 256 };
    enum cup_element type = element == CUP_DOUBLE ? CUP_DOUBLE : CUP_FLOAT;
    uint32_t words[4][ROW];
    uint32_t *const rows[4] = {words[0], words[1], words[2], words[3]};
    int valid = 1;

    for (; first < last; first += 4 * ROW) {
        uint64_t left = last - first, count = left < 4 * ROW ? left : 4 * ROW;

        cup_philox_blocks(generator, first / 4, 0, (count + 3) / 4, rows);
        for (uint64_t i = 0; i < count; i++) {
            double p = cup_element_load(type, probability, first + i);

            valid &= p >= 0 && p <= 1;
            store_bit(element, out, first + i, cup_uniform_float(words[i % 4][i / 4]) <= p);
        }
    }
    return valid;
}

/* Marsaglia and Tsang, "A simple method for generating gamma variables", 2000. For shapes below 1
 * the shape is raised by 1 and the result scaled. */
static float gamma_float(struct cup_philox_stream *stream, enum cup_element element, float shape)
{
    float scale = 1, d, c;

    if (shape < 1) {
        if (shape == 0)
            return 0;
        scale = cup_pow_float(1 - uniform(stream), 1 / shape);
        shape = (float)cup_element_rounded(element, shape + 1);
    }
    d = shape - 1.0f / 3.0f;
    c = 1 / sqrtf(9 * d);
    for (;;) {
        float x, y, u, v, square;

        do {
            x = normal(stream);
            y = fmaf(c, x, 1);
        } while (y <= 0);
        v = y * y * y;
        u = 1 - uniform(stream);
        square = x * x;
        if (u < fmaf(-0.0331f * square, square, 1) ||
            log_float(u) < fmaf(d, 1 - v + log_float(v), 0.5f * square))
            return scale * d * v;
    }
}

static double gamma_double(struct cup_philox_stream *stream, double shape)
{
    double scale = 1, d, c;

    if (shape < 1) {
        if (shape == 0)
            return 0;
        scale = pow(1 - (double)uniform(stream), 1 / shape);
        shape += 1;
    }
    d = shape - (double)(1.0f / 3.0f);
    c = 1 / sqrt(9 * d);
    for (;;) {
        double x, y, u, v, square;

        do {
            x = normal(stream);
            y = fma(c, x, 1);
        } while (y <= 0);
        v = y * y * y;
        u = 1 - (double)uniform(stream);
        square = x * x;
        if (u < fma(-(double)0.0331f * square, square, 1) ||
            log_double(u) < fma(d, 1 - v + log_double(v), 0.5 * square))
            return scale * d * v;
    }
}

static double smallest_normal(enum cup_element element)
{
    return element == CUP_DOUBLE ? 0x1p-1022 : element == CUP_HALF ? 0x1p-14 : 0x1p-126;
}

/* A result is at least the smallest normal number of its type. */
void cup_sample_gamma(const struct cup_philox *generator, enum cup_element element,
                      const void *shape, uint64_t first, uint64_t last, void *out)
{
    double smallest = smallest_normal(element);

    for (uint64_t i = first; i < last; i++) {
        struct cup_philox_stream stream;
        double value, a = cup_element_load(element, shape, i);

        cup_philox_stream_init(&stream, generator, i);
        value = element == CUP_DOUBLE ? gamma_double(&stream, a)
                                      : gamma_float(&stream, element, (float)a);
        value = cup_element_rounded(element, value);
        cup_element_store(element, out, i, smallest > value ? smallest : value);
    }
}

static uint64_t power_below(uint64_t count)
{
    uint64_t power = 1;

    while (power * 2 <= count && power < 512)
        power *= 2;
    return power;
}

/* How many threads of a block of 512 add a row. */
static uint64_t lanes_of(uint64_t rows, uint64_t columns)
{
    uint64_t most = power_below(columns), lanes = most < 32 ? most : 32;
    uint64_t height = power_below(rows) < 512 / lanes ? power_below(rows) : 512 / lanes;

    return most < 512 / height ? most : 512 / height;
}

/* Each lane adds its own numbers, then lanes add those of the other half. */
static double sum_of_row(enum cup_element element, const double *row, uint64_t columns,
                         uint64_t lanes)
{
    double sums[CUP_MOST_COLUMNS + 1] = {0};
    int wide = element == CUP_DOUBLE;

    for (uint64_t i = 0; i < columns; i++)
        sums[i % lanes] = wide ? sums[i % lanes] + row[i] : (float)sums[i % lanes] + (float)row[i];
    for (uint64_t half = lanes / 2; half > 0; half /= 2)
        for (uint64_t i = 0; i < half; i++)
            sums[i] = wide ? sums[i] + sums[i + half] : (float)sums[i] + (float)sums[i + half];
    return cup_element_rounded(element, sums[0]);
}

void cup_share_rows(enum cup_element element, uint64_t rows, uint64_t columns, uint64_t first,
                    uint64_t last, void *values)
{
    static const double steps[] = {[CUP_FLOAT] = 0x1p-23,
                                   [CUP_DOUBLE] = 0x1p-52,
                                   [CUP_HALF] = 0x1p-10,
                                   [CUP_BFLOAT16] = 0x1p-7};
    double smallest = smallest_normal(element), largest = 1 - steps[element];
    uint64_t lanes = lanes_of(rows, columns);
    double row[CUP_MOST_COLUMNS];

    for (uint64_t r = first; r < last; r++) {
        double sum;

        for (uint64_t i = 0; i < columns; i++)
            row[i] = cup_element_load(element, values, r * columns + i);
        sum = sum_of_row(element, row, columns, lanes);
        for (uint64_t i = 0; i < columns; i++) {
            double share = element == CUP_DOUBLE ? row[i] / sum : (float)row[i] / (float)sum;

            share = cup_element_rounded(element, share);
            share = smallest > share ? smallest : share;
            cup_element_store(element, values, r * columns + i, largest < share ? largest : share);
        }
    }
}

/* Knuth's method: the number of uniform factors whose product falls below exp(-rate). */
static double poisson_by_products(struct cup_philox_stream *stream, float rate)
{
    float product = cup_exp_float(rate);
    uint32_t count = 0;

    do {
        count++;
        product *= uniform(stream);
    } while (product > 1);
    return count - 1;
}

/* Hoermann's transformed rejection (PTRS, 1993). The card has another method for these rates, whose
 * numbers are others. */
static double poisson_by_rejection(struct cup_philox_stream *stream, double rate)
{
    double b = 0.931 + 2.53 * sqrt(rate), a = -0.059 + 0.02483 * b;
    double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4), limit = 0.9277 - 3.6224 / (b - 2);

    for (;;) {
        double u = uniform(stream) - 0.5, v = uniform(stream), distance = 0.5 - fabs(u);
        double k = floor((2 * a / distance + b) * u + rate + 0.43);

        if (distance >= 0.07 && v <= limit)
            return k;
        if (k < 0 || (distance < 0.013 && v > distance))
            continue;
        if (log(v * inverse_alpha / (a / (distance * distance) + b)) <=
            k * log(rate) - rate - lgamma(k + 1))
            return k;
    }
}

static double poisson(struct cup_philox_stream *stream, double rate)
{
    uint32_t words[4];
    double sine, cosine;

    if (rate < 64)
        return poisson_by_products(stream, (float)rate);
    if (rate <= 4000)
        return poisson_by_rejection(stream, rate);
    for (int i = 0; i < 4; i++)
        words[i] = cup_philox_stream_next(stream);
    cup_normal_doubles(words, &sine, &cosine);
    return floor(fma(sqrt(rate), sine, rate) + 0.5);
}

int cup_sample_poisson(const struct cup_philox *generator, enum cup_element element,
                       const void *rate, uint64_t first, uint64_t last, void *out)
{
    int valid = 1;

    for (uint64_t i = first; i < last; i++) {
        struct cup_philox_stream stream;
        double a = cup_element_load(element, rate, i);

        if (!(a >= 0)) {
            valid = 0;
            continue;
        }
        cup_philox_stream_init(&stream, generator, i);
        cup_element_store(element, out, i, poisson(&stream, a));
    }
    return valid;
}

/* The kernel's blocks have 128 threads, and a thread makes eight values. */
enum { BINOMIAL_THREADS = 128, BINOMIAL_VALUES = 8 };

uint64_t cup_binomial_threads(uint64_t count)
{
    uint64_t work = BINOMIAL_THREADS * BINOMIAL_VALUES;

    return (count + work - 1) / work * BINOMIAL_THREADS;
}

/* From 0 up to 1, without 1. */
static float below_one(struct cup_philox_stream *stream)
{
    return (float)(cup_philox_stream_next(stream) & 0xffffff) * 0x1p-24f;
}

/* log(k!) less Stirling's approximation of it. */
static double stirling_rest(double k, int wide)
{
    static const double rests[] = {
        0.0810614667953272,  0.0413406959554092,  0.0276779256849983, 0.02079067210376509,
        0.0166446911898211,  0.0138761288230707,  0.0118967099458917, 0.0104112652619720,
        0.00925546218271273, 0.00833056343336287,
    };
    double square = wide ? (k + 1) * (k + 1) : ((float)k + 1) * ((float)k + 1), result;

    if (k < 10)
        return wide ? rests[(int)k] : (float)rests[(int)k];
    result = (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / (k + 1);
    return wide ? result : (float)result;
}

/* Sums of geometric numbers. */
static double binomial_by_waits(struct cup_philox_stream *stream, double trials, double p, int wide)
{
    double sum = 0, count = 0, log_miss = wide ? log1p(-p) : log1pf((float)-p);

    for (;;) {
        float u = below_one(stream);

        sum += wide ? ceil(log_double(u) / log_miss) : ceilf(log_float(u) / (float)log_miss);
        if (sum > trials)
            return count;
        count++;
    }
}

/* A float or a double, as the kernel's variables are. */
static double kept(double value, int wide)
{
    return wide ? value : (float)value;
}

static double log_of(double value, int wide)
{
    return wide ? log_double(value) : log_float((float)value);
}

/* Hoermann's transformed rejection with squeeze, "The generation of binomial random variates",
 * 1993. `n`, `p`, `k` and what is made of them alone have the type of the tensor, the others are
 * floats or doubles; constants are doubles. */
static double binomial_by_rejection(struct cup_philox_stream *stream, enum cup_element e, double n,
                                    double p)
{
    int wide = e == CUP_DOUBLE;
    double mean = cup_element_rounded(e, n * p), q = cup_element_rounded(e, 1 - p);
    double n1 = cup_element_rounded(e, n + 1);
    double deviation = kept(sqrt(cup_element_rounded(e, mean * q)), wide);
    double b = kept(fma(2.53, deviation, 1.15), wide);
    double a = kept(fma(0.01, p, fma(0.0248, b, -0.0873)), wide);
    double c = kept(mean + 0.5, wide), v_r = kept(0.92 - 4.2 / b, wide);
    double odds = cup_element_rounded(e, p / q), alpha = kept((2.83 + 5.1 / b) * deviation, wide);
    double mode = floor(cup_element_rounded(e, n1 * p)),
           rest = kept(kept(n - mode, wide) + 1, wide);

    for (;;) {
        double u = kept(below_one(stream) - 0.5, wide), v = below_one(stream), k, left, bound;
        double us = kept(0.5 - fabs(u), wide);

        k = floor(kept(fma(kept(kept(kept(2 * a, wide) / us, wide) + b, wide), u, c), wide));
        k = cup_element_rounded(e, k);
        if (k < 0 || k > n)
            continue;
        if (us >= 0.07 && v <= v_r)
            return k;
        v = log_of(kept(v * alpha, wide) / kept(kept(a / kept(us * us, wide), wide) + b, wide),
                   wide);
        left = cup_element_rounded(e, cup_element_rounded(e, n - k) + 1);
        bound = kept(
            (mode + 0.5) * log_of((mode + 1) / kept(odds * rest, wide), wide) +
                kept(n1 * log_of(kept(rest / left, wide), wide), wide) +
                (k + 0.5) * log_of(kept(odds * left, wide) / cup_element_rounded(e, k + 1), wide) +
                stirling_rest(mode, wide) + stirling_rest(kept(n - mode, wide), wide) -
                stirling_rest(k, wide) - stirling_rest(cup_element_rounded(e, n - k), wide),
            wide);
        if (v <= bound)
            return k;
    }
}

static double binomial(struct cup_philox_stream *stream, enum cup_element e, double n, double p)
{
    double q = p <= 0.5 ? p : cup_element_rounded(e, 1 - p), count;

    if (n <= 0 || p <= 0)
        return 0;
    if (p >= 1)
        return n;
    if (!(p <= 1))
        return NAN;
    count = cup_element_rounded(e, n * q) >= 10 ? binomial_by_rejection(stream, e, n, q)
                                                : binomial_by_waits(stream, n, q, e == CUP_DOUBLE);
    return p <= 0.5 ? count : n - count;
}

void cup_sample_binomial(const struct cup_philox *generator, enum cup_element element,
                         const void *trials, const void *probability, uint64_t count,
                         uint64_t first, uint64_t last, void *out)
{
    for (uint64_t thread = first; thread < last; thread++) {
        uint64_t i = thread / BINOMIAL_THREADS * BINOMIAL_THREADS * BINOMIAL_VALUES +
                     thread % BINOMIAL_THREADS;
        struct cup_philox_stream stream;

        cup_philox_stream_init(&stream, generator, thread);
        for (int k = 0; k < BINOMIAL_VALUES && i < count; k++, i += BINOMIAL_THREADS)
            cup_element_store(element, out, i,
                              binomial(&stream, element, cup_element_load(element, trials, i),
                                       cup_element_load(element, probability, i)));
    }
}

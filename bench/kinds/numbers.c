/* SPDX-License-Identifier: MIT */
/* Numbers: Fourier transforms, decompositions, finance, random numbers. */
#include "kinds.h"

#include <math.h>
#include <string.h>

enum {
    POINTS = 1024,
    TRANSFORMS = 2048,
    ORDER = 32,
    MATRICES = 8192,
    OPTIONS = 2 << 20,
    THREADS = 1 << 16,
    EACH = 32,
};

static struct data in, out, roots;
static struct launch launch;

static void open_fft(void)
{
    in = data_of_floats((size_t)2 * POINTS * TRANSFORMS, -1, 1);
    out = data_create(in.bytes);
    roots = data_create(POINTS * sizeof(float));
    for (int i = 0; i < POINTS / 2; i++) {
        ((float *)roots.host)[2 * i] = (float)cos(-2 * M_PI * i / POINTS);
        ((float *)roots.host)[2 * i + 1] = (float)sin(-2 * M_PI * i / POINTS);
    }
    data_upload(roots);
    launch =
        (struct launch){kernel_named("numbers", "fft"), {TRANSFORMS, 1, 1}, {POINTS / 2, 1, 1}};
}

static void cuda_fft(void)
{
    RUN(launch, &in.device, &out.device, &roots.device);
}

struct complex {
    float re, im;
};

static void butterflies(const struct complex *restrict from, struct complex *restrict to,
                        const struct complex *restrict root, int half)
{
    for (int i = 0; i < POINTS / 2; i += half)
        for (int k = 0; k < half; k++) {
            struct complex w = root[k * (POINTS / 2 / half)], x = from[i + k],
                           y = from[i + k + POINTS / 2];
            float re = y.re * w.re - y.im * w.im, im = y.re * w.im + y.im * w.re;

            to[2 * i + k] = (struct complex){x.re + re, x.im + im};
            to[2 * i + k + half] = (struct complex){x.re - re, x.im - im};
        }
}

static void native_fft(void)
{
#pragma omp parallel for
    for (int i = 0; i < TRANSFORMS; i++) {
        struct complex a[POINTS], b[POINTS], *from = a, *to = b;

        memcpy(a, (struct complex *)in.host + i * POINTS, sizeof a);
        for (int half = 1; half < POINTS; half *= 2) {
            butterflies(from, to, roots.host, half);
            struct complex *swap = from;
            from = to;
            to = swap;
        }
        memcpy((struct complex *)out.host + i * POINTS, from, sizeof a);
    }
}

static bool agree_numbers(void)
{
    return same_floats(out, 1e-3f);
}

static void open_lu(void)
{
    in = data_of_floats((size_t)ORDER * ORDER * MATRICES, -1, 1);
    out = data_create(in.bytes);
    for (int i = 0; i < ORDER * MATRICES; i++)
        ((float *)in.host)[i * ORDER + i % ORDER] += ORDER;
    data_upload(in);
    launch = (struct launch){kernel_named("numbers", "lu"), {MATRICES, 1, 1}, {ORDER, 1, 1}};
}

static void cuda_lu(void)
{
    RUN(launch, &in.device, &out.device);
}

static void native_lu(void)
{
#pragma omp parallel for
    for (int i = 0; i < MATRICES; i++) {
        float m[ORDER][ORDER];

        memcpy(m, (float *)in.host + i * ORDER * ORDER, sizeof m);
        for (int k = 0; k < ORDER - 1; k++)
            for (int row = k + 1; row < ORDER; row++) {
                float factor = m[row][k] / m[k][k];
                m[row][k] = factor;
                for (int j = k + 1; j < ORDER; j++)
                    m[row][j] -= factor * m[k][j];
            }
        memcpy((float *)out.host + i * ORDER * ORDER, m, sizeof m);
    }
}

static struct data strikes, years, put_prices;
static float rate = 0.02f, volatility = 0.3f;

static void open_options(void)
{
    in = data_of_floats(OPTIONS, 5, 30);
    strikes = data_of_floats(OPTIONS, 1, 100);
    years = data_of_floats(OPTIONS, 0.25f, 10);
    out = data_create(in.bytes);
    put_prices = data_create(in.bytes);
    launch = (struct launch){
        kernel_named("numbers", "black_scholes"), {OPTIONS / 128, 1, 1}, {128, 1, 1}};
}

static void cuda_options(void)
{
    static int count = OPTIONS;

    RUN(launch, &in.device, &strikes.device, &years.device, &out.device, &put_prices.device, &rate,
        &volatility, &count);
}

static float normal(float d)
{
    float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
    float sum =
        0.39894228f * expf(-0.5f * d * d) *
        (k * (0.31938153f +
              k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));

    return d > 0 ? 1.0f - sum : sum;
}

static void native_options(void)
{
    const float *restrict prices = in.host, *restrict strike_of = strikes.host,
                          *restrict years_of = years.host;
    float *restrict calls = out.host, *restrict puts_of = put_prices.host;

#pragma omp parallel for
    for (int i = 0; i < OPTIONS; i++) {
        float root = sqrtf(years_of[i]);
        float d1 = (logf(prices[i] / strike_of[i]) +
                    (rate + 0.5f * volatility * volatility) * years_of[i]) /
                   (volatility * root);
        float d2 = d1 - volatility * root, first = normal(d1), second = normal(d2);
        float discount = strike_of[i] * expf(-rate * years_of[i]);

        calls[i] = prices[i] * first - discount * second;
        puts_of[i] = discount * (1.0f - second) - prices[i] * (1.0f - first);
    }
}

static bool agree_options(void)
{
    return same_floats(out, 1e-4f) && same_floats(put_prices, 1e-4f);
}

static const unsigned key = 0x5eed;

static void open_monte_carlo(void)
{
    out = data_create(sizeof(unsigned));
    launch =
        (struct launch){kernel_named("numbers", "monte_carlo"), {THREADS / 256, 1, 1}, {256, 1, 1}};
}

static void cuda_monte_carlo(void)
{
    static int each = EACH;

    must(cuMemsetD8Async(out.device, 0, out.bytes, NULL));
    RUN(launch, &out.device, &each, (void *)&key);
}

static inline void philox(unsigned counter, unsigned random[4])
{
    unsigned c[4] = {counter}, k0 = key, k1 = 0;

    for (int round = 0; round < 10; round++) {
        uint64_t a = 0xD2511F53ull * c[0], b = 0xCD9E8D57ull * c[2];
        unsigned next[4] = {(unsigned)(b >> 32) ^ c[1] ^ k0, (unsigned)b,
                            (unsigned)(a >> 32) ^ c[3] ^ k1, (unsigned)a};
        memcpy(c, next, sizeof c);
        k0 += 0x9E3779B9;
        k1 += 0xBB67AE85;
    }
    memcpy(random, c, sizeof c);
}

static void native_monte_carlo(void)
{
    unsigned count = 0;

#pragma omp parallel for reduction(+ : count)
    for (unsigned i = 0; i < THREADS * EACH; i++) {
        unsigned random[4];
        philox(i, random);
        float x = (float)(random[0] >> 8) * 0x1p-24f, y = (float)(random[1] >> 8) * 0x1p-24f,
              z = (float)(random[2] >> 8) * 0x1p-24f, w = (float)(random[3] >> 8) * 0x1p-24f;
        count += x * x + y * y < 1;
        count += z * z + w * w < 1;
    }
    *(unsigned *)out.host = count;
}

static bool agree_words(void)
{
    return same_words(out);
}

const struct kind number_kinds[] = {
    {"FFT of 1,024 in shared memory", open_fft, cuda_fft, native_fft, agree_numbers},
    {"LU of 32 x 32, a warp each", open_lu, cuda_lu, native_lu, agree_numbers},
    {"Black-Scholes, 2^21 options", open_options, cuda_options, native_options, agree_options},
    {"Monte Carlo with Philox", open_monte_carlo, cuda_monte_carlo, native_monte_carlo,
     agree_words},
    {.name = NULL},
};

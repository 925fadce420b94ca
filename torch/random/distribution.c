/* SPDX-License-Identifier: MIT */
#include "distribution.h"

#include "element.h"
#include "values.h"

enum { ROW = 512, BLOCK_THREADS = 256 };

struct cup_grid cup_grid_of(uint64_t count, unsigned values, unsigned multiprocessors,
                            unsigned threads_per_multiprocessor)
{
    uint64_t needed = (count + BLOCK_THREADS - 1) / BLOCK_THREADS;
    uint64_t resident = (uint64_t)multiprocessors * (threads_per_multiprocessor / BLOCK_THREADS);
    uint64_t threads = (needed < resident ? needed : resident) * BLOCK_THREADS;

    return (struct cup_grid){count, threads, values, (count - 1) / (threads * values) + 1};
}

size_t cup_element_size(enum cup_element element)
{
    static const unsigned char sizes[] = {
        [CUP_FLOAT] = 4,  [CUP_DOUBLE] = 8, [CUP_HALF] = 2,  [CUP_BFLOAT16] = 2, [CUP_INT8] = 1,
        [CUP_INT16] = 2,  [CUP_INT32] = 4,  [CUP_INT64] = 8, [CUP_UINT8] = 1,    [CUP_UINT16] = 2,
        [CUP_UINT32] = 4, [CUP_UINT64] = 8, [CUP_BOOL] = 1,
    };

    return sizes[element];
}

/* Whole numbers of a small range come from 32 bits each: the error of the remainder is small. */
static int takes_64_bits(const struct cup_distribution *d)
{
    switch (d->name) {
    case CUP_INTEGERS:
        return d->range == 0 || d->range >= (uint64_t)1 << 28;
    case CUP_POSITIVE:
        return d->element == CUP_INT64 || d->element == CUP_DOUBLE;
    default:
        return d->element == CUP_DOUBLE;
    }
}

unsigned cup_distribution_values(const struct cup_distribution *distribution)
{
    return takes_64_bits(distribution) ? 2 : 4;
}

/* The ends of the uniform distribution as the element's type represents them, and its width, which
 * that type rounds too. */
struct interval {
    double from, to, width;
};

static struct interval interval_of(const struct cup_distribution *d)
{
    double from = cup_element_rounded(d->element, d->a), to = cup_element_rounded(d->element, d->b);

    return (struct interval){from, to, cup_element_rounded(d->element, to - from)};
}

/* What  ROW threads make of a block each. */
struct row {
    const struct cup_distribution *distribution;
    struct interval interval; /* of CUP_UNIFORM */
    size_t count;
    unsigned used; /* values that lie in the tensor, of those that a thread makes */
    uint32_t words[4][ROW];
    union {
        float floats[4][ROW];
        double doubles[2][ROW];
        int64_t integers[4][ROW];
    };
};

CUP_INLINE void uniform_floats(struct row *r, float from, float range)
{
    for (unsigned k = 0; k < r->used; k++)
        for (size_t i = 0; i < r->count; i++)
            r->floats[k][i] = fmaf(cup_uniform_float(r->words[k][i]), range, from);
}

/* The unit's quadratic of many fractions, as a whole number of at most 53 bits. Looking up the
 * coefficients is a loop of its own, which leaves vectors for the other one. */
CUP_INLINE void quadratics(const struct cup_sfu_function *function, const uint32_t *fractions,
                           size_t count, double *results)
{
    double unit = (double)(1 << function->shift),
           square_unit = (double)(1 << function->square_shift);
    int32_t c0[ROW], c1[ROW], c2[ROW];

    for (size_t i = 0; i < count; i++) {
        const struct cup_sfu_segment *s = &function->segments[fractions[i] >> 17];

        c0[i] = s->c0;
        c1[i] = s->c1;
        c2[i] = s->c2;
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t x = fractions[i] & 0x1ffff;

        results[i] = (double)c0[i] * unit + (double)function->constant +
                     (double)c1[i] * (double)(int32_t)x +
                     (double)c2[i] * square_unit * (double)cup_sfu_square(x);
    }
}

/* The sines of `turns` + `quarters` quarters, times `sizes`. */
CUP_INLINE void sines(const uint32_t *turns, uint32_t quarters, const float *sizes, size_t count,
                      float *results)
{
    uint32_t fractions[ROW];
    double values[ROW];

    for (size_t i = 0; i < count; i++) {
        uint32_t quarter = (turns[i] >> 23) + quarters;

        fractions[i] = (turns[i] ^ (0u - (quarter & 1))) & 0x7fffff;
    }
    quadratics(&cup_sfu_sine, fractions, count, values);
    for (size_t i = 0; i < count; i++) {
        uint32_t sign = ((turns[i] >> 23) + quarters) << 30 & 0x80000000;
        float sine = cup_sfu_cut_off(values[i], 0x1p-37);

        results[i] = cup_float_of(cup_float_bits(sine) ^ sign) * sizes[i];
    }
}

CUP_INLINE void normal_floats(struct row *r, float mean, float deviation)
{
    uint32_t turns[ROW];
    float sizes[ROW];

    for (unsigned k = 0; k < r->used; k += 2) {
        for (size_t i = 0; i < r->count; i++) {
            turns[i] = cup_sfu_turns(cup_normal_angle(r->words[k + 1][i]));
            sizes[i] = cup_normal_size(r->words[k][i]);
        }
        for (unsigned half = 0; half < 2; half++) {
            float *results = r->floats[k + half];

            sines(turns, half, sizes, r->count, results);
            for (size_t i = 0; i < r->count; i++)
                results[i] = fmaf(results[i], deviation, mean);
        }
    }
}

/* The fast logarithms of the words' uniform numbers. */
CUP_INLINE void fast_logs(const uint32_t *words, size_t count, float *results)
{
    uint32_t fractions[ROW];
    double values[ROW];

    for (size_t i = 0; i < count; i++)
        fractions[i] = cup_float_bits(cup_uniform_float(words[i])) & 0x7fffff;
    quadratics(&cup_sfu_log2, fractions, count, values);
    for (size_t i = 0; i < count; i++) {
        uint32_t bits = cup_float_bits(cup_uniform_float(words[i]));
        double value = floor(((double)((int32_t)(bits >> 23) - 127) * 0x1p38 + values[i]) / 4);
        float log2_of = cup_sfu_cut_off(value < 0 ? -1 - value : value, 0x1p-36);

        log2_of = value < 0 ? -log2_of : log2_of;
        results[i] = (bits == 0x3f800000 ? 0 : log2_of) * CUP_LN2;
    }
}

/* The rate's reciprocal is rounded; a logarithm that would be 0 is half the distance from 1 to the
 * next number. */
CUP_INLINE void exponential_floats(struct row *r, float rate)
{
    float factor = -1.0f / rate;

    for (unsigned k = 0; k < r->used; k++) {
        fast_logs(r->words[k], r->count, r->floats[k]);
        for (size_t i = 0; i < r->count; i++) {
            float u = cup_uniform_float(r->words[k][i]);

            r->floats[k][i] = factor * (u >= 0x1.fffffep-1f ? -0x1p-24f : r->floats[k][i]);
        }
    }
}

static float cauchy_float(uint32_t word, float median, float scale)
{
    float u = cup_uniform_float(word);

    u = u > 1 - 0x1p-23f ? 1 - 0x1p-23f : u;
    u = u < 0x1p-23f ? 0x1p-23f : u;
    return fmaf(scale, cup_fast_tan((float)CUP_PI * (u - 0.5f)), median);
}

CUP_INLINE void make_floats(struct row *r)
{
    const struct cup_distribution *d = r->distribution;
    float a = (float)d->a, b = (float)d->b, log_miss;

    switch (d->name) {
    case CUP_UNIFORM:
        uniform_floats(r, (float)r->interval.from, (float)r->interval.width);
        break;
    case CUP_NORMAL:
        normal_floats(r, a, b);
        break;
    case CUP_LOG_NORMAL:
        normal_floats(r, a, b);
        for (unsigned k = 0; k < r->used; k++)
            for (size_t i = 0; i < r->count; i++)
                r->floats[k][i] = cup_fast_exp(r->floats[k][i]);
        break;
    case CUP_EXPONENTIAL:
        exponential_floats(r, a);
        break;
    case CUP_CAUCHY:
        for (unsigned k = 0; k < r->used; k++)
            for (size_t i = 0; i < r->count; i++)
                r->floats[k][i] = cauchy_float(r->words[k][i], a, b);
        break;
    case CUP_GEOMETRIC:
        log_miss = cup_fast_log(1.0f - a);
        for (unsigned k = 0; k < r->used; k++) {
            fast_logs(r->words[k], r->count, r->floats[k]);
            for (size_t i = 0; i < r->count; i++)
                r->floats[k][i] = ceilf(r->floats[k][i] / log_miss);
        }
        break;
    default: /* CUP_BERNOULLI */
        for (unsigned k = 0; k < r->used; k++)
            for (size_t i = 0; i < r->count; i++)
                r->floats[k][i] = cup_uniform_float(r->words[k][i]) < a;
    }
}

static double uniform_of(const struct row *r, unsigned k, size_t i)
{
    return cup_uniform_double(r->words[2 * k][i], r->words[2 * k + 1][i]);
}

CUP_INLINE void normal_doubles(struct row *r, double mean, double deviation)
{
    for (size_t i = 0; i < r->count; i++) {
        const uint32_t words[4] = {r->words[0][i], r->words[1][i], r->words[2][i], r->words[3][i]};
        double sine, cosine;

        cup_normal_doubles(words, &sine, &cosine);
        r->doubles[0][i] = fma(sine, deviation, mean);
        r->doubles[1][i] = fma(cosine, deviation, mean);
    }
}

static double double_of(const struct cup_distribution *d, double u)
{
    switch (d->name) {
    case CUP_UNIFORM:
        return fma(u, d->b - d->a, d->a);
    case CUP_EXPONENTIAL:
        return -1.0 / d->a * (u >= 1 - 0x1p-53 ? -0x1p-53 : cup_log_double(u));
    case CUP_CAUCHY:
        return fma(d->b, cup_tan_double(CUP_PI * (u - 0.5)), d->a);
    case CUP_GEOMETRIC:
        return ceil(cup_log_double(u) / log1p(-d->a));
    default: /* CUP_BERNOULLI */
        return u < d->a;
    }
}

CUP_INLINE void make_doubles(struct row *r)
{
    const struct cup_distribution *d = r->distribution;

    if (d->name != CUP_NORMAL && d->name != CUP_LOG_NORMAL) {
        for (unsigned k = 0; k < r->used; k++)
            for (size_t i = 0; i < r->count; i++)
                r->doubles[k][i] = double_of(d, uniform_of(r, k, i));
        return;
    }
    normal_doubles(r, d->a, d->b);
    for (unsigned k = 0; k < r->used && d->name == CUP_LOG_NORMAL; k++)
        for (size_t i = 0; i < r->count; i++)
            r->doubles[k][i] = cup_exp_double(r->doubles[k][i]);
}

/* How many values of a type, from 0 on, CUP_POSITIVE has. */
static uint64_t positive_range(enum cup_element element)
{
    static const uint64_t ranges[] = {
        [CUP_FLOAT] = (1 << 24) + 1,
        [CUP_DOUBLE] = ((uint64_t)1 << 53) + 1,
        [CUP_HALF] = (1 << 11) + 1,
        [CUP_BFLOAT16] = (1 << 8) + 1,
        [CUP_INT8] = 1 << 7,
        [CUP_INT16] = 1 << 15,
        [CUP_INT32] = (uint64_t)1 << 31,
        [CUP_INT64] = (uint64_t)1 << 63,
        [CUP_UINT8] = 1 << 8,
        [CUP_UINT16] = 1 << 16,
        [CUP_UINT32] = (uint64_t)1 << 32,
        [CUP_UINT64] = (uint64_t)1 << 63,
        [CUP_BOOL] = 2,
    };

    return ranges[element];
}

CUP_INLINE void make_integers(struct row *r)
{
    const struct cup_distribution *d = r->distribution;
    uint64_t range = d->name == CUP_INTEGERS ? d->range : positive_range(d->element);
    uint64_t base = d->name == CUP_INTEGERS ? (uint64_t)d->base : 0;

    if (!takes_64_bits(d)) {
        uint32_t narrow = (uint32_t)range; /* 2^32 leaves a word as it is */

        for (unsigned k = 0; k < r->used; k++)
            for (size_t i = 0; i < r->count; i++)
                r->integers[k][i] =
                    (int64_t)((narrow ? r->words[k][i] % narrow : r->words[k][i]) + base);
        return;
    }
    for (unsigned k = 0; k < r->used; k++)
        for (size_t i = 0; i < r->count; i++) {
            uint64_t word = (uint64_t)r->words[2 * k][i] << 32 | r->words[2 * k + 1][i];

            r->integers[k][i] = (int64_t)((range ? word % range : word) + base);
        }
}

/* Stores values of type `from` as elements of type `to`. */
#define STORE(to, expression)                                                                      \
    do {                                                                                           \
        to *out = (to *)target;                                                                    \
        for (size_t i = 0; i < count; i++)                                                         \
            out[i] = (to)(expression);                                                             \
    } while (0)

CUP_INLINE void store_floats(const float *v, enum cup_element element, size_t count, void *target)
{
    switch (element) {
    case CUP_FLOAT:
        STORE(float, v[i]);
        break;
    case CUP_HALF:
        STORE(uint16_t, cup_half_of(v[i]));
        break;
    case CUP_BFLOAT16:
        STORE(uint16_t, cup_bfloat16_of(v[i]));
        break;
    case CUP_INT8:
    case CUP_UINT8:
    case CUP_BOOL:
        STORE(uint8_t, (int32_t)v[i]);
        break;
    case CUP_INT16:
    case CUP_UINT16:
        STORE(uint16_t, (int32_t)v[i]);
        break;
    case CUP_INT32:
    case CUP_UINT32:
        STORE(int32_t, v[i]);
        break;
    default:
        STORE(int64_t, v[i]);
    }
}

CUP_INLINE void store_integers(const int64_t *v, enum cup_element element, size_t count,
                               void *target)
{
    switch (element) {
    case CUP_FLOAT:
        STORE(float, v[i]);
        break;
    case CUP_DOUBLE:
        STORE(double, v[i]);
        break;
    case CUP_HALF:
        STORE(uint16_t, cup_half_of((float)v[i]));
        break;
    case CUP_BFLOAT16:
        STORE(uint16_t, cup_bfloat16_of((float)v[i]));
        break;
    case CUP_INT8:
    case CUP_UINT8:
    case CUP_BOOL:
        STORE(uint8_t, v[i]);
        break;
    case CUP_INT16:
    case CUP_UINT16:
        STORE(uint16_t, v[i]);
        break;
    case CUP_INT32:
    case CUP_UINT32:
        STORE(uint32_t, v[i]);
        break;
    default:
        STORE(int64_t, v[i]);
    }
}

/* A uniform value that rounds to the upper end becomes the lower one. */
CUP_INLINE void turn_ends(const struct interval *interval, enum cup_element element, size_t count,
                          void *target)
{
    float from = (float)interval->from, to = (float)interval->to;

    switch (element) {
    case CUP_FLOAT:
        STORE(float, out[i] == to ? from : out[i]);
        break;
    case CUP_DOUBLE:
        STORE(double, out[i] == interval->to ? interval->from : out[i]);
        break;
    case CUP_HALF:
        STORE(uint16_t, cup_half_value(out[i]) == to ? cup_half_of(from) : out[i]);
        break;
    default: /* CUP_BFLOAT16 */
        STORE(uint16_t, cup_bfloat16_value(out[i]) == to ? cup_bfloat16_of(from) : out[i]);
    }
}

/* Stores what the threads of a row made as their k'th values. */
CUP_INLINE void store(const struct row *r, unsigned k, size_t count, void *target)
{
    const struct cup_distribution *d = r->distribution;

    if (d->name == CUP_INTEGERS || d->name == CUP_POSITIVE)
        store_integers(r->integers[k], d->element, count, target);
    else if (d->element == CUP_DOUBLE)
        memcpy(target, r->doubles[k], count * sizeof(double));
    else
        store_floats(r->floats[k], d->element, count, target);
    if (d->name == CUP_UNIFORM)
        turn_ends(&r->interval, d->element, count, target);
}

CUP_INLINE void fill_row(struct row *r, const struct cup_philox *generator,
                         const struct cup_grid *grid, uint64_t thread, uint64_t block, char *out)
{
    const struct cup_distribution *d = r->distribution;
    uint32_t *const words[4] = {r->words[0], r->words[1], r->words[2], r->words[3]};
    uint64_t position = block * grid->threads * grid->values + thread;
    size_t size = cup_element_size(d->element);

    r->used = (unsigned)((grid->count - position - 1) / grid->threads) + 1;
    if (r->used > grid->values)
        r->used = grid->values;
    cup_philox_blocks(generator, thread, block, r->count, words);
    if (d->name == CUP_INTEGERS || d->name == CUP_POSITIVE)
        make_integers(r);
    else if (d->element == CUP_DOUBLE)
        make_doubles(r);
    else
        make_floats(r);
    for (unsigned k = 0; k < r->used; k++, position += grid->threads) {
        uint64_t left = grid->count - position;

        store(r, k, left < r->count ? left : r->count, out + position * size);
    }
}

CUP_VECTOR_CLONES
void cup_distribution_fill(const struct cup_distribution *distribution,
                           const struct cup_philox *generator, const struct cup_grid *grid,
                           uint64_t first, uint64_t last, void *out)
{
    struct row r;

    r.distribution = distribution;
    r.interval = interval_of(distribution);
    while (first < last) {
        uint64_t thread = first % grid->threads, block = first / grid->threads;
        uint64_t left = grid->threads - thread;

        if (left > last - first)
            left = last - first;
        r.count = left < ROW ? left : ROW;
        if (block * grid->threads * grid->values + thread < grid->count)
            fill_row(&r, generator, grid, thread, block, out);
        first += r.count;
    }
}

/* SPDX-License-Identifier: MIT */
/* The order of additions is that of the kernels, because the type of the weights rounds each. */
#include "multinomial.h"

#include "element.h"
#include "values.h"

#include <stdlib.h>

enum { WARP = 32, MOST_THREADS = 1024, SAMPLE_THREADS = 128 };

static double add(enum cup_element e, double a, double b)
{
    return cup_element_rounded(e, e == CUP_DOUBLE ? a + b : (float)a + (float)b);
}

/* A sum by halves, as the lanes of a warp make it. */
static double sum_of_warp(enum cup_element e, double *lanes)
{
    for (unsigned distance = WARP / 2; distance > 0; distance /= 2)
        for (unsigned i = 0; i < distance; i++)
            lanes[i] = add(e, lanes[i], lanes[i + distance]);
    return lanes[0];
}

/* The sum of a row, as a block makes it: each thread adds its own, then each warp, then the first
 * warp. */
static double sum_of_row(enum cup_element e, const double *weights, uint64_t count)
{
    uint64_t threads = (count + WARP - 1) / WARP * WARP;
    double warps[WARP] = {0};

    if (threads > MOST_THREADS)
        threads = MOST_THREADS;
    for (uint64_t warp = 0; warp < threads / WARP; warp++) {
        double lanes[WARP] = {0};

        for (unsigned lane = 0; lane < WARP; lane++)
            for (uint64_t i = warp * WARP + lane; i < count; i += threads)
                lanes[lane] = add(e, lanes[lane], weights[i]);
        warps[warp] = sum_of_warp(e, lanes);
    }
    return sum_of_warp(e, warps);
}

/* log2 of the number of threads that add a row; a block has about 512 for several rows. */
static unsigned scan_threads_log(uint64_t rows, uint64_t count)
{
    int x = 0, y = 0;

    while ((uint64_t)1 << x < count)
        x++;
    while ((uint64_t)1 << y < rows)
        y++;
    x = (9 + x - y) / 2;
    return (unsigned)(x < 4 ? 4 : x > 9 ? 9 : x);
}

/* Sums of the first 1, 2, … numbers: parts of twice as many numbers as threads, in which the sums
 * of the left half are added to the right one, from small to large parts (Sklansky). */
static void scan(enum cup_element e, unsigned threads_log, double *values, uint64_t count)
{
    uint64_t part = (uint64_t)2 << threads_log;

    for (uint64_t base = 0; base < count; base += part) {
        uint64_t end = count - base < part ? count - base : part;
        double *v = values + base;

        if (base > 0)
            v[0] = add(e, v[-1], v[0]);
        for (unsigned level = 0; level <= threads_log; level++)
            for (uint64_t i = 0; i < end; i++)
                if (i >> level & 1)
                    v[i] = add(e, v[((i >> level) << level) - 1], v[i]);
    }
}

static int64_t choice_of(const double *sums, const double *weights, uint64_t count, double u)
{
    uint64_t start = 0, end = count;

    while (start < end) {
        uint64_t middle = start + (end - start) / 2;

        if (sums[middle] < u)
            start = middle + 1;
        else
            end = middle;
    }
    if (start == count)
        start = count - 1;
    while (start >= 1 && weights[start] == 0)
        start--;
    return (int64_t)start;
}

static enum cup_multinomial_result prepare_row(const struct cup_multinomial *m, uint64_t row,
                                               double *weights, double *sums)
{
    double sum;

    for (uint64_t i = 0; i < m->categories; i++) {
        weights[i] = cup_element_load(m->element, m->weights, row * m->categories + i);
        if (weights[i] < 0)
            return CUP_MULTINOMIAL_NEGATIVE;
    }
    sum = sum_of_row(m->element, weights, m->categories);
    for (uint64_t i = 0; i < m->categories && sum > 0; i++)
        weights[i] = cup_element_rounded(m->element, m->element == CUP_DOUBLE
                                                         ? weights[i] / sum
                                                         : (float)weights[i] / (float)sum);
    memcpy(sums, weights, m->categories * sizeof(*sums));
    scan(m->element, scan_threads_log(m->rows, m->categories), sums, m->categories);
    return sums[m->categories - 1] > 0 ? CUP_MULTINOMIAL_DONE : CUP_MULTINOMIAL_EMPTY;
}

/* Each sample takes the first word of a block. */
static void sample_row(const struct cup_multinomial *m, const struct cup_philox *generator,
                       uint64_t row, const double *weights, const double *sums)
{
    uint64_t threads = (m->samples - 1) / SAMPLE_THREADS * SAMPLE_THREADS + SAMPLE_THREADS;
    uint64_t first = row % m->most_rows * threads, block = row / m->most_rows;

    for (uint64_t i = 0; i < m->samples; i++) {
        uint32_t word[4];
        uint32_t *const words[4] = {&word[0], &word[1], &word[2], &word[3]};

        cup_philox_blocks(generator, first + i, block, 1, words);
        m->out[row * m->samples + i] =
            choice_of(sums, weights, m->categories,
                      cup_element_rounded(m->element, cup_uniform_float(word[0])));
    }
}

enum cup_multinomial_result cup_multinomial_fill(const struct cup_multinomial *m,
                                                 const struct cup_philox *generator, uint64_t first,
                                                 uint64_t last)
{
    double *weights = malloc(m->categories * 2 * sizeof(*weights));
    enum cup_multinomial_result result = weights ? CUP_MULTINOMIAL_DONE : CUP_MULTINOMIAL_NO_MEMORY;

    for (uint64_t row = first; row < last && result == CUP_MULTINOMIAL_DONE; row++) {
        result = prepare_row(m, row, weights, weights + m->categories);
        if (result == CUP_MULTINOMIAL_DONE)
            sample_row(m, generator, row, weights, weights + m->categories);
    }
    free(weights);
    return result;
}

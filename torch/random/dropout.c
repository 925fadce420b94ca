/* SPDX-License-Identifier: MIT */
#include "dropout.h"

#include "element.h"
#include "values.h"

enum { ROW = 512 };

uint64_t cup_dropout_steps(const struct cup_dropout *dropout, const struct cup_grid *grid)
{
    if (dropout->vector == 1)
        return grid->threads * grid->blocks;
    return (grid->count + dropout->vector - 1) / dropout->vector;
}

/* 0 times infinity has the device's bits. */
CUP_INLINE float settled(float value)
{
    return value == value ? value : cup_float_of(0x7fffffff);
}

CUP_INLINE double settled_double(double value)
{
    uint64_t nan_bits = 0xfff8000000000000;
    double nan_value;

    memcpy(&nan_value, &nan_bits, sizeof(nan_value));
    return value == value ? value : nan_value;
}

/* `count` elements from `position` on. */
CUP_INLINE void keep_some(const struct cup_dropout *d, const float *uniform, uint64_t position,
                          uint64_t count)
{
    float keep = (float)d->keep, scale = (float)(1.0 / keep);
    uint8_t *mask = d->mask + position;

    if (d->element == CUP_DOUBLE) {
        const double *in = (const double *)d->in + position;
        double *out = (double *)d->out + position, wide_scale = 1.0 / d->keep;

        for (uint64_t i = 0; i < count; i++) {
            mask[i] = uniform[i] < d->keep;
            out[i] = settled_double(in[i] * mask[i] * wide_scale);
        }
        return;
    }
    for (uint64_t i = 0; i < count; i++)
        mask[i] = uniform[i] < keep;
    if (d->element == CUP_FLOAT) {
        const float *in = (const float *)d->in + position;
        float *out = (float *)d->out + position;

        for (uint64_t i = 0; i < count; i++)
            out[i] = settled(in[i] * (float)mask[i] * scale);
    } else if (d->element == CUP_HALF) {
        const uint16_t *in = (const uint16_t *)d->in + position;
        uint16_t *out = (uint16_t *)d->out + position;

        for (uint64_t i = 0; i < count; i++)
            out[i] = cup_half_of(cup_half_value(in[i]) * (float)mask[i] * scale);
    } else {
        const uint16_t *in = (const uint16_t *)d->in + position;
        uint16_t *out = (uint16_t *)d->out + position;

        for (uint64_t i = 0; i < count; i++)
            out[i] = cup_bfloat16_of(cup_bfloat16_value(in[i]) * (float)mask[i] * scale);
    }
}

CUP_INLINE uint64_t at_most(uint64_t count, uint64_t grid_count, uint64_t position)
{
    uint64_t left = position < grid_count ? grid_count - position : 0;

    return left < count ? left : count;
}

/* The uniform numbers of steps of threads that follow each other, in the order of the elements; of
 * single elements in four rows. */
CUP_INLINE void make_uniform(const struct cup_philox *generator, unsigned vector, uint64_t thread,
                             uint64_t step, uint64_t count, float *uniform)
{
    unsigned blocks = vector == 8 ? 2 : 1, used = vector == 2 ? 2 : 4;
    uint32_t words[4][ROW];
    uint32_t *const rows[4] = {words[0], words[1], words[2], words[3]};

    for (unsigned block = 0; block < blocks; block++) {
        cup_philox_blocks(generator, thread, step * blocks + block, count, rows);
        for (unsigned k = 0; k < used; k++)
            for (uint64_t i = 0; i < count; i++)
                uniform[vector == 1 ? k * ROW + i : i * vector + block * 4 + k] =
                    cup_uniform_float(words[k][i]);
    }
}

CUP_VECTOR_CLONES
void cup_dropout_fill(const struct cup_dropout *d, const struct cup_philox *generator,
                      const struct cup_grid *grid, uint64_t first, uint64_t last)
{
    float uniform[8 * ROW];
    unsigned vector = d->vector;

    while (first < last) {
        uint64_t thread = first % grid->threads, step = first / grid->threads;
        uint64_t left = grid->threads - thread, count, position = first * vector;

        left = left < last - first ? left : last - first;
        count = left < ROW ? left : ROW;
        make_uniform(generator, vector, thread, step, count, uniform);
        if (vector == 1)
            for (unsigned k = 0; k < 4; k++) {
                position = (step * 4 + k) * grid->threads + thread;
                keep_some(d, uniform + k * ROW, position, at_most(count, grid->count, position));
            }
        else
            keep_some(d, uniform, position, at_most(count * vector, grid->count, position));
        first += count;
    }
}

static void rrelu_element(const struct cup_rrelu *r, uint64_t i, double uniform)
{
    double in = cup_element_load(r->element, r->in, i);
    double slope = fma(cup_element_rounded(r->element, uniform), r->upper - r->lower, r->lower);

    if (in > 0) {
        cup_element_store(r->element, r->out, i, in);
        cup_element_store(r->element, r->noise, i, 1);
        return;
    }
    slope = cup_element_rounded(r->element, slope);
    cup_element_store(r->element, r->out, i,
                      r->element == CUP_DOUBLE ? in * slope : (float)in * (float)slope);
    cup_element_store(r->element, r->noise, i, slope);
}

void cup_rrelu_fill(const struct cup_rrelu *r, const struct cup_philox *generator,
                    const struct cup_grid *grid, uint64_t first, uint64_t last)
{
    uint32_t words[4][ROW];
    uint32_t *const rows[4] = {words[0], words[1], words[2], words[3]};

    while (first < last) {
        uint64_t thread = first % grid->threads, block = first / grid->threads;
        uint64_t left = grid->threads - thread, count;

        left = left < last - first ? left : last - first;
        count = left < ROW ? left : ROW;
        cup_philox_blocks(generator, thread, block, count, rows);
        for (unsigned k = 0; k < grid->values; k++) {
            uint64_t position = (block * grid->values + k) * grid->threads + thread;
            uint64_t here = at_most(count, grid->count, position);

            for (uint64_t i = 0; i < here; i++)
                rrelu_element(r, position + i,
                              r->element == CUP_DOUBLE
                                  ? cup_uniform_double(words[2 * k][i], words[2 * k + 1][i])
                                  : cup_uniform_float(words[k][i]));
        }
        first += count;
    }
}

/* SPDX-License-Identifier: MIT */
/* Anisotropic filtering as an H200 does it.
 *
 * The samples lie on the longer axis, their middle at the lane's place and as far from each other
 * as the shorter axis is long; as many of them, an even number, as cover the longer axis. All have
 * the same weight but the first and the last, which get what is left. Two samples are moved
 * together where the axes' ratio is below 2. */
#include "image/anisotropy.h"

#include <math.h>
#include <stdbool.h>

enum { OCTAVE = 256 };

int32_t cup_anisotropy_limit(unsigned most)
{
    static const struct {
        uint8_t from;
        uint16_t limit; /* log2 with 4 bits behind the point */
    } steps[] = {{16, 1024}, {12, 912}, {10, 848}, {8, 768}, {6, 656}, {4, 512}, {2, 256}};

    for (unsigned i = 0; i < sizeof(steps) / sizeof(*steps); i++)
        if (most >= steps[i].from)
            return steps[i].limit;
    return 0;
}

/* Both components are cut to 1/8 of the larger one's power of two; the direction is that of the
 * middle of what is then equal. A component of less than a quarter of that does not count. */
void cup_anisotropy_direction(const double *axis, int32_t *direction)
{
    unsigned farther = fabs(axis[1]) > fabs(axis[0]);
    int exponent;

    (void)frexp(axis[farther], &exponent);
    double most = ldexp(fabs(axis[farther]), 4 - exponent),
           least = ldexp(fabs(axis[!farther]), 4 - exponent);
    most = floor(most) + 0.5;
    least = least < 0.25 ? 0 : floor(least) + 0.5;
    double length = sqrt(most * most + least * least);
    direction[farther] = (int32_t)copysign(floor(64 * most / length + 0.5), axis[farther]);
    direction[!farther] = (int32_t)copysign(floor(64 * least / length + 0.5), axis[!farther]);
}

/* 2^-part in 1/256, for 0 to 256. */
static int32_t inverse_power(int32_t part)
{
    return (int32_t)floor(OCTAVE * exp2(-part / (double)OCTAVE) + 0.5);
}

/* The way between samples: the shorter axis in this level's texels, less for two samples that are
 * close together. */
static void place(const int32_t *direction, int32_t ratio, int32_t part, int32_t *step)
{
    int32_t apart = ratio < OCTAVE ? OCTAVE - inverse_power(ratio) : OCTAVE / 2;
    int32_t texels = part ? inverse_power(OCTAVE - part) >> 1 : 64;

    for (unsigned i = 0; i < 2; i++)
        step[i] = ((direction[i] * apart + 64) >> 7) * texels >> 6;
}

/* Splits the weights of one half of the samples, the innermost first, so that their sums are
 * rounded: halves go up on the far side and down on the near side. */
static void share(uint16_t *weights, unsigned count, int stride, uint32_t whole, uint32_t half)
{
    uint32_t sum = 0, before = 0;

    for (unsigned i = 0; i < count; i++, weights += stride) {
        sum += *weights;
        uint32_t rounded = (sum * whole + half) >> 8;
        *weights = (uint16_t)(rounded - before);
        before = rounded;
    }
}

void cup_anisotropy_probes(const int32_t *direction, int32_t ratio, int32_t part, uint16_t whole,
                           struct cup_probes *probes)
{
    *probes = (struct cup_probes){.count = 1, .scale = 8, .weights = {whole}};
    if (ratio <= 0)
        return;
    if (ratio % OCTAVE == OCTAVE - 1) /* its power of two is that of the next */
        ratio++;
    place(direction, ratio, part, probes->step);
    probes->scale = ratio < 2 * OCTAVE ? 9 : 10;
    int32_t all = 1 << probes->scale, weight = inverse_power(ratio % OCTAVE);
    weight >>= ratio < 3 * OCTAVE ? 0 : ratio / OCTAVE - 2;
    if (ratio < OCTAVE)
        weight = OCTAVE;
    unsigned count = 2;
    while ((int32_t)count * weight < all)
        count += 2;
    int32_t rest = (all - (int32_t)(count - 2) * weight) / 2;
    for (unsigned i = 0; i < count; i++)
        probes->weights[i] = (uint16_t)(i == 0 || i == count - 1 ? rest : weight);
    share(probes->weights + count / 2 - 1, count / 2, -1, whole, 127);
    share(probes->weights + count / 2, count / 2, 1, whole, 128);
    probes->count = count;
}

/* SPDX-License-Identifier: MIT */
/* Anisotropic filtering: where along the longer axis of a pixel's footprint samples are taken, and
 * with which weights. */
#ifndef CUP_IMAGE_ANISOTROPY_H
#define CUP_IMAGE_ANISOTROPY_H

#include <stdint.h>

enum { CUP_PROBES_MAX = 16 };

/* The samples of one level. Weights count in 1 / 2^scale; together they are the level's share. The
 * way from one sample to the next is in 1/64 of a texel, and its middle is the lane's place. */
struct cup_probes {
    unsigned count, scale;
    uint16_t weights[CUP_PROBES_MAX];
    int32_t step[2];
};

/* The logarithm, in 1/256, of the ratio of axes that a descriptor's maxAnisotropy allows. */
int32_t cup_anisotropy_limit(unsigned most);

/* The unit vector along an axis, in 1/64. */
void cup_anisotropy_direction(const double *axis, int32_t *direction);

/* Places the samples of a level whose texels are smaller than the shorter axis by `part` in 1/256
 * of a level. The ratio of axes is a logarithm in 1/256; `whole` is the level's share in 1/256. */
void cup_anisotropy_probes(const int32_t *direction, int32_t ratio, int32_t part, uint16_t whole,
                           struct cup_probes *probes);

#endif

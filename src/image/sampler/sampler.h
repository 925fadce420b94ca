/* SPDX-License-Identifier: MIT */
/* Samplers of whole warps. A sampler is a function for one kind of texel and one footprint, which
 * works on vectors of lanes; address modes, levels and layers are branches that all lanes take
 * together. There is a set for each kind of processor (isa_*.c), of one source (samplers.inc). The
 * results are those of sample_general.c, bit for bit; lanes with numbers that would need a branch
 * (NaN, distant exponents, edges of cubes) go there. */
#ifndef CUP_IMAGE_SAMPLER_SAMPLER_H
#define CUP_IMAGE_SAMPLER_SAMPLER_H

#include "image/texture.h"

#include <stdint.h>

/* How texels are laid out and summed. */
enum cup_sampler_kind {
    CUP_SAMPLER_NONE,
    CUP_SAMPLER_UNORM8,
    CUP_SAMPLER_BYTES,  /* other channels of 8 bits */
    CUP_SAMPLER_SHORTS, /* of 16 bits */
    CUP_SAMPLER_HALVES,
    CUP_SAMPLER_FLOATS,
    CUP_SAMPLER_WORDS, /* integers of 32 bits: point sampling only */
    CUP_SAMPLER_SRGB,
    CUP_SAMPLER_1010102,
    CUP_SAMPLER_KINDS
};

/* The texels of a sample. */
enum cup_sampler_footprint {
    CUP_FOOTPRINT_POINT,
    CUP_FOOTPRINT_PAIR, /* along x */
    CUP_FOOTPRINT_QUAD,
    CUP_FOOTPRINT_BOX,
    CUP_FOOTPRINT_GATHER, /* a quad of which each texel is a result */
    CUP_FOOTPRINTS
};

enum { CUP_SAMPLER_LEVELS = 16 };

/* What samplers read of a view besides its fields. */
struct cup_sampler_plan {
    const cup_sampler *samplers; /* by footprint; NULL: all is done by sample_general.c */
    unsigned coordinate_bits;    /* behind the point of normalised coordinates */
    uint32_t border[4];          /* its colour in the layout of texels */
    const uint8_t *base;
    /* of each level; begin, rows and slices in bytes */
    int32_t width[CUP_SAMPLER_LEVELS], height[CUP_SAMPLER_LEVELS], depth[CUP_SAMPLER_LEVELS];
    int32_t begin[CUP_SAMPLER_LEVELS], row[CUP_SAMPLER_LEVELS], slice[CUP_SAMPLER_LEVELS];
};

typedef const cup_sampler cup_sampler_table[CUP_SAMPLER_KINDS][CUP_FOOTPRINTS];

extern cup_sampler_table cup_samplers_plain, cup_samplers_avx2, cup_samplers_avx512;

/* Fills the view's plan, once its other fields are. */
void cup_sampler_plan_init(struct cup_view *view);
/* Returns the sampler of a request; NULL: sample_general.c. */
cup_sampler cup_sampler_find(const struct cup_view *view,
                             const struct cup_texture_request *request);

#endif

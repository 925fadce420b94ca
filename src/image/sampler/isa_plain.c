/* SPDX-License-Identifier: MIT */
/* The samplers of samplers.inc, compiled for any processor. */
#define SAMPLERS cup_samplers_plain
#include "image/sampler/samplers.inc"
#define SURFACES cup_surfaces_plain
#include "image/sampler/surfaces.inc"

/* SPDX-License-Identifier: MIT */
/* The samplers of samplers.inc, compiled for processors with AVX-512. */
#ifdef __x86_64__
#define SAMPLERS cup_samplers_avx512
#include "image/sampler/samplers.inc"
#define SURFACES cup_surfaces_avx512
#include "image/sampler/surfaces.inc"
#endif

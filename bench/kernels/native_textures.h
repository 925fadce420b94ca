/* SPDX-License-Identifier: MIT */
/* The kernels of textures.cu as plain C: gcc -O3 -march=native -fopenmp. */
#ifndef BENCH_KERNELS_NATIVE_TEXTURES_H
#define BENCH_KERNELS_NATIVE_TEXTURES_H

#include <stdint.h>

/* Bilinear, clamped at the edges, RGBA of 8 bits. */
void native_rotate(const uint8_t *picture, uint8_t *out, int width, float cosine, float sine);

#endif

/* SPDX-License-Identifier: MIT */
/* The fetches of sampling.cu as plain C, with the bits of the texture unit: weights of 8 bits, and
 * its rounding. gcc -O3 -march=native -fopenmp. */
#ifndef BENCH_KERNELS_NATIVE_SAMPLING_H
#define BENCH_KERNELS_NATIVE_SAMPLING_H

enum { NATIVE_WIDTH = 2048, NATIVE_PIXELS = NATIVE_WIDTH * 2048 };

/* Coordinates by column and row of the pixel: struct turn of sampling.cu. */
struct native_turn {
    float xx, xy, yx, yy, zx, zy;
};

/* Texels without gaps; `depth` slices or layers, and a second level behind them. */
struct native_image {
    const void *texels;
    int width, height, depth;
};

typedef void (*native_fetch)(const struct native_image *image, float *out,
                             const struct native_turn *turn);

extern const struct native_case {
    const char *name;
    native_fetch fetch;
} native_cases[];

#endif

/* SPDX-License-Identifier: MIT */
/* Compiled with -O3 -march=native -fopenmp; see native_textures.h. */
#include "native_textures.h"

#include <math.h>

static inline int clamp(int value, int most)
{
    return value < 0 ? 0 : value > most ? most : value;
}

void native_rotate(const uint8_t *picture, uint8_t *out, int width, float cosine, float sine)
{
    float half = (float)width * 0.5f;

#pragma omp parallel for
    for (int y = 0; y < width; y++)
        for (int x = 0; x < width; x++) {
            float u = (float)x - half, v = (float)y - half;
            float from_x = u * cosine - v * sine + half - 0.5f;
            float from_y = u * sine + v * cosine + half - 0.5f;
            float left = floorf(from_x), top = floorf(from_y);
            float a = from_x - left, b = from_y - top;
            int x0 = clamp((int)left, width - 1), x1 = clamp((int)left + 1, width - 1);
            int y0 = clamp((int)top, width - 1), y1 = clamp((int)top + 1, width - 1);
            const uint8_t *t00 = picture + 4 * ((long)y0 * width + x0),
                          *t10 = picture + 4 * ((long)y0 * width + x1),
                          *t01 = picture + 4 * ((long)y1 * width + x0),
                          *t11 = picture + 4 * ((long)y1 * width + x1);
            uint8_t *pixel = out + 4 * ((long)y * width + x);
            for (int c = 0; c < 4; c++)
                pixel[c] = (uint8_t)(((float)t00[c] * (1 - a) + (float)t10[c] * a) * (1 - b) +
                                     ((float)t01[c] * (1 - a) + (float)t11[c] * a) * b + 0.5f);
        }
}

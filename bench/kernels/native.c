/* SPDX-License-Identifier: MIT */
/* Compiled with -O3 -march=native -fopenmp; see native.h. */
#include "native.h"

#include <math.h>

void native_vecadd(const float *a, const float *b, float *c, int n)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        c[i] = a[i] + b[i];
}

void native_saxpy(float a, const float *x, float *y, int n)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}

void native_matmul(const float *a, const float *b, float *c, int n)
{
#pragma omp parallel for
    for (int row = 0; row < n; row++)
        for (int column = 0; column < n; column++) {
            float sum = 0;
            for (int k = 0; k < n; k++)
                sum += a[row * n + k] * b[k * n + column];
            c[row * n + column] = sum;
        }
}

/* The order of loops that a processor likes. */
void native_matmul_tiled(const float *a, const float *b, float *c, int n)
{
#pragma omp parallel for
    for (int row = 0; row < n; row++) {
        float *sums = c + (long)row * n;
        for (int column = 0; column < n; column++)
            sums[column] = 0;
        for (int k = 0; k < n; k++) {
            float factor = a[row * n + k];
            for (int column = 0; column < n; column++)
                sums[column] += factor * b[k * n + column];
        }
    }
}

/* A sum may be split into lanes here, as it is on a GPU. For clang the pragma says enough. */
#ifdef __clang__
#define IN_ANY_ORDER
#else
#define IN_ANY_ORDER                                                                               \
    __attribute__((optimize("associative-math", "no-signed-zeros", "no-trapping-math")))
#endif

IN_ANY_ORDER float native_reduce(const float *in, int n)
{
    float sum = 0;

#pragma omp parallel for simd reduction(+ : sum)
    for (int i = 0; i < n; i++)
        sum += in[i];
    return sum;
}

void native_mandelbrot(int *out, int width, int height, int limit)
{
#pragma omp parallel for schedule(dynamic, 8)
    for (int py = 0; py < height; py++)
        for (int px = 0; px < width; px++) {
            float cx = -2.0f + 3.0f * px / width, cy = -1.5f + 3.0f * py / height;
            float x = 0, y = 0;
            int count = 0;
            while (count < limit && x * x + y * y < 4.0f) {
                float next = x * x - y * y + cx;
                y = 2.0f * x * y + cy;
                x = next;
                count++;
            }
            out[(long)py * width + px] = count;
        }
}

void native_nbody(const float *bodies, float *forces, int n)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        float fx = 0, fy = 0, fz = 0;
        for (int j = 0; j < n; j++) {
            float dx = bodies[4 * j] - bodies[4 * i], dy = bodies[4 * j + 1] - bodies[4 * i + 1],
                  dz = bodies[4 * j + 2] - bodies[4 * i + 2];
            float square = dx * dx + dy * dy + dz * dz + 0.01f;
            float inverse = 1.0f / sqrtf(square);
            float scale = bodies[4 * j + 3] * inverse * inverse * inverse;
            fx += dx * scale;
            fy += dy * scale;
            fz += dz * scale;
        }
        forces[4 * i] = fx;
        forces[4 * i + 1] = fy;
        forces[4 * i + 2] = fz;
        forces[4 * i + 3] = 0;
    }
}

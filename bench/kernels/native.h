/* SPDX-License-Identifier: MIT */
/* The same kernels as plain C for the processors here: what gcc -O3 -march=native -fopenmp makes of
 * the loops one would write. */
#ifndef BENCH_KERNELS_NATIVE_H
#define BENCH_KERNELS_NATIVE_H

void native_vecadd(const float *a, const float *b, float *c, int n);
void native_saxpy(float a, const float *x, float *y, int n);
void native_matmul(const float *a, const float *b, float *c, int n);
void native_matmul_tiled(const float *a, const float *b, float *c, int n);
float native_reduce(const float *in, int n);
void native_mandelbrot(int *out, int width, int height, int limit);
void native_nbody(const float *bodies, float *forces, int n);

#endif

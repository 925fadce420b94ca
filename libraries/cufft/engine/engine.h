/* SPDX-License-Identifier: MIT */
/* What computes transforms: DUCC0's FFT, compiled for several vector extensions of the processor.
 * cuFFT's and cufftw's functions describe a transform by shapes and strides, and this does it, on
 * all processors, with memory of its own. */
#ifndef CUFFT_ENGINE_H
#define CUFFT_ENGINE_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum fft_kind {
    FFT_COMPLEX,         /* complex to complex */
    FFT_REAL_TO_COMPLEX, /* always forward */
    FFT_COMPLEX_TO_REAL, /* always inverse */
};

enum fft_precision { FFT_HALF, FFT_BFLOAT16, FFT_FLOAT, FFT_DOUBLE };

enum { FFT_MAX_DIMENSIONS = 12 };

/* An array of `dimensions` axes, slowest first. The last `transformed` ones are transformed, the
 * others are batches. `shape` is that of the real or the longer complex array: the complex side of
 * a real transform has shape/2 + 1 elements on the last axis. Strides count elements of the array
 * that they belong to. Results are not scaled. */
struct fft_transform {
    enum fft_kind kind;
    enum fft_precision precision;
    bool forward; /* of FFT_COMPLEX */
    int dimensions, transformed;
    size_t shape[FFT_MAX_DIMENSIONS];
    ptrdiff_t in_stride[FFT_MAX_DIMENSIONS], out_stride[FFT_MAX_DIMENSIONS];
    const void *in;
    void *out; /* may overlap `in` in any way */
};

/* Does a transform. Returns false without memory. Any thread may call it. */
bool fft_engine_run(const struct fft_transform *transform);

/* The length of the last axis of the input and of the output. */
size_t fft_in_length(const struct fft_transform *transform, int axis);
size_t fft_out_length(const struct fft_transform *transform, int axis);

/* The bytes of an element of the input and of the output. */
size_t fft_in_bytes(const struct fft_transform *transform);
size_t fft_out_bytes(const struct fft_transform *transform);

/* The bytes from the lowest address that the array touches to `address`, and to the end. */
struct fft_span {
    size_t before, after;
};
struct fft_span fft_in_span(const struct fft_transform *transform);
struct fft_span fft_out_span(const struct fft_transform *transform);

/* One for each vector extension: the same code, compiled for it. `in` and `out` are float or double
 * arrays; they are the same array with the same layout, or do not overlap. If `may_spoil`, the
 * input may be overwritten. Returns false without memory. */
typedef bool fft_variant(const struct fft_transform *transform, bool may_spoil);

fft_variant fft_run_base;
#ifdef __x86_64__
fft_variant fft_run_avx2, fft_run_avx512;
#endif

#ifdef __cplusplus
}
#endif

#endif

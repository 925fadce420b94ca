/* SPDX-License-Identifier: MIT */
/* Plans of cufftw, and what the functions for both precisions share. */
#ifndef CUFFTW_PLAN_H
#define CUFFTW_PLAN_H

#include "engine.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* What a function asks for: kind, precision and arrays. */
struct fftw_request {
    enum fft_kind kind;
    enum fft_precision precision;
    int sign; /* of FFT_COMPLEX: another one than -1 and 1 gives a plan that does nothing */
    const void *in;
    void *out;
};

/* A dimension with its strides. */
struct fftw_dimension {
    ptrdiff_t n, is, os;
};

/* Dense arrays, FFTW's advanced layout, and dimensions with strides. They return NULL for what
 * cannot be planned: fewer than 1 or more than 3 dimensions, lengths below 1. */
void *fftw_make_dense(const struct fftw_request *request, int rank, const int *n);

struct fftw_layout {
    const int *embed; /* NULL: dense */
    int stride, distance;
};

void *fftw_make_many(const struct fftw_request *request, int rank, const int *n, int batch,
                     const struct fftw_layout *in, const struct fftw_layout *out);

/* `dims` and `batch_dims` are fftw_iodim, or fftw_iodim64 if `wide`. */
void *fftw_make_guru(const struct fftw_request *request, int rank, const void *dims, int batch_rank,
                     const void *batch_dims, int wide);

/* Executes a plan; with its own arrays if `in` and `out` are NULL. What is no plan is ignored. */
void fftw_run(const char *name, void *plan, const void *in, void *out);

void fftw_release(void *plan);
void fftw_describe(void *plan);

#endif

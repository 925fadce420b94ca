/* SPDX-License-Identifier: MIT */
/* The functions of double precision. */
#define NAME(name) fftw_##name
#define REAL double
#define COMPLEX fftw_complex
#define PLAN fftw_plan
#define DIM fftw_iodim
#define DIM64 fftw_iodim64
#define PRECISION FFT_DOUBLE
#include "family.h"

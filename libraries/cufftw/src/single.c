/* SPDX-License-Identifier: MIT */
/* The functions of single precision. */
#define NAME(name) fftwf_##name
#define REAL float
#define COMPLEX fftwf_complex
#define PLAN fftwf_plan
#define DIM fftwf_iodim
#define DIM64 fftwf_iodim64
#define PRECISION FFT_FLOAT
#include "family.h"

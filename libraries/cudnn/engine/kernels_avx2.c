/* SPDX-License-Identifier: MIT */
/* The loops of kernels_body.h for AVX2. */
#if defined(__x86_64__)
#define KERNELS dnn_kernels_avx2
#include "kernels_body.h"
#endif

/* SPDX-License-Identifier: MIT */
/* The loops of kernels_body.h for AVX-512. */
#if defined(__x86_64__)
#define KERNELS dnn_kernels_avx512
#include "kernels_body.h"
#endif

/* SPDX-License-Identifier: MIT */
/* The loops of isa_body.h for AVX2, FMA and F16C. */
#if defined(__x86_64__)
#define ISA_TABLE sparse_pairs_avx2
#include "isa_body.h"
#endif

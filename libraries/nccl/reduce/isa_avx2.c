/* SPDX-License-Identifier: MIT */
/* The loops of isa_body.h for AVX2. */
#if defined(__x86_64__)
#define ISA_TABLE nccl_reduce_avx2
#include "isa_body.h"
#endif

/* SPDX-License-Identifier: MIT */
/* The loops of isa_body.h for AVX-512. */
#if defined(__x86_64__)
#define ISA_TABLE nccl_reduce_avx512
#include "isa_body.h"
#endif

/* SPDX-License-Identifier: MIT */
/* The loops of isa_body.h for AVX-512. */
#if defined(__x86_64__)
#define ISA_NAME "avx512"
#define ISA_TABLE product_isa_avx512
#define VECTOR_BYTES 64
#define TILE_VECTORS 3
#define TILE_COLUMNS 8
#include "isa_body.h"
#endif

/* SPDX-License-Identifier: MIT */
/* The loops of isa_body.h for AVX2 and FMA. */
#if defined(__x86_64__)
#define ISA_NAME "avx2"
#define ISA_TABLE product_isa_avx2
#define VECTOR_BYTES 32
#define TILE_VECTORS 2
#define TILE_COLUMNS 6
#include "isa_body.h"
#endif

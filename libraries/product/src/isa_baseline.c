/* SPDX-License-Identifier: MIT */
/* The loops of isa_body.h for 128-bit vectors, which every processor has. */
#define ISA_NAME "baseline"
#define ISA_TABLE product_isa_baseline
#define VECTOR_BYTES 16
#define TILE_VECTORS 2
#define TILE_COLUMNS 4
#include "isa_body.h"

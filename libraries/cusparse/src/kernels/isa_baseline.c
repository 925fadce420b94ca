/* SPDX-License-Identifier: MIT */
/* The loops of isa_body.h for any processor of the architecture. */
#define ISA_TABLE sparse_pairs_baseline
#include "isa_body.h"

/* SPDX-License-Identifier: MIT */
/* The loops of isa_body.h for what every processor has. */
#define ISA_TABLE nccl_reduce_baseline
#include "isa_body.h"

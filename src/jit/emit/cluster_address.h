/* SPDX-License-Identifier: MIT */
/* mapa and getctarank: the rank of a block in an address of its shared memory. */
#ifndef CUP_JIT_EMIT_CLUSTER_ADDRESS_H
#define CUP_JIT_EMIT_CLUSTER_ADDRESS_H

#include "jit/emit/value.h"

void jit_emit_cluster_address(struct jit_body *body, const struct ptx_instruction *instruction);

#endif

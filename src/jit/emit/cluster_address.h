/* SPDX-License-Identifier: MIT */
/* mapa and getctarank: the rank of a block in an address of its shared memory. */
#ifndef CUP_JIT_EMIT_CLUSTER_ADDRESS_H
#define CUP_JIT_EMIT_CLUSTER_ADDRESS_H

#include "ptx/program.h"

struct jit_emitter;

void jit_emit_cluster_address(struct jit_emitter *e, const struct ptx_instruction *instruction);

#endif

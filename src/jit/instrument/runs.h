/* SPDX-License-Identifier: MIT */
/* The quick path of CUPIPE_CHECK=streams: struct cup_abi_run of abi/check.h. */
#ifndef CUP_JIT_INSTRUMENT_RUNS_H
#define CUP_JIT_INSTRUMENT_RUNS_H

#include "jit/emit/value.h"

struct jit_unit;

/* The function runs all warps of its blocks, and nothing else runs them at the same time: it may
 * cache the positions of runs until its end. */
void jit_check_runs_begin(struct jit_emitter *e);
void jit_check_runs_end(struct jit_emitter *e);

/* The next slot for an instruction, or CUP_ABI_NO_RUN. */
uint32_t jit_check_runs_slot(struct jit_unit *unit);

/* Reports an access of all lanes, at one distance from each other, through its run. Returns false
 * if the access is none: nothing is emitted. Otherwise the builder is where the access is reported;
 * *others is the block that is reached if only some lanes are active, or NULL. */
bool jit_check_runs_report(struct jit_emitter *e, const struct ptx_instruction *instruction,
                           struct jit_value address, uint32_t how, LLVMBasicBlockRef *others);

#endif

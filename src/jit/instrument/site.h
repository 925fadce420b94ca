/* SPDX-License-Identifier: MIT */
/* Used by all checks: their state, the site of an instruction, a word of each lane in memory, and
 * tests. */
#ifndef CUP_JIT_INSTRUMENT_SITE_H
#define CUP_JIT_INSTRUMENT_SITE_H

#include "abi/check.h"
#include "ptx/program.h"

#include <llvm-c/Core.h>

struct jit_emitter;

enum { JIT_CHECK_RUNS_CACHED = 8 };

/* Positions of runs that the function caches in registers. */
struct jit_check_runs {
    bool enabled;
    uint32_t count;
    uint32_t slots[JIT_CHECK_RUNS_CACHED];
    LLVMValueRef next[JIT_CHECK_RUNS_CACHED]; /* allocas */
};

/* The state of the checks while a function is emitted. */
struct jit_instrument {
    uint32_t *pointer_bases;      /* of registers: bounds.c; made when needed */
    uint32_t *group_first;        /* of instructions: grouped_reads.c; made when needed */
    struct jit_check_runs runs;   /* runs.c */
    struct jit_check_loop *loops; /* per component: loops.c; NULL: none */
};

/* Called before the function is emitted. */
void jit_instrument_init(struct jit_emitter *e);

/* The site of an instruction, for accesses that the runtime reports; 0 without checks. */
uint32_t jit_check_site(const struct jit_emitter *e, const struct ptx_instruction *instruction);

enum cup_abi_order jit_check_order(const struct ptx_instruction *instruction);

/* Stores the words of all lanes for a service, and returns where. */
LLVMValueRef jit_check_words(struct jit_emitter *e, LLVMValueRef lanes);

/* Continues in a new block if the condition holds, which is `times` as likely as not, and elsewhere
 * otherwise. */
void jit_check_go_on_if(struct jit_emitter *e, LLVMValueRef condition, LLVMBasicBlockRef otherwise,
                        unsigned times);

#endif

/* SPDX-License-Identifier: MIT */
/* Reads of unrolled loops, which are reported together. */
#ifndef CUP_JIT_INSTRUMENT_GROUPED_READS_H
#define CUP_JIT_INSTRUMENT_GROUPED_READS_H

#include "ptx/program.h"

struct jit_emitter;

enum { JIT_CHECK_GROUP_MAX = 64 };

struct jit_check_group {
    unsigned count; /* of reads; 0: they are too few */
    int64_t step;   /* bytes from each to the next */
    uint32_t sites[JIT_CHECK_GROUP_MAX];
};

/* Finds the reads that follow a weak one in its node, with the same address register and offsets at
 * one distance from each other, before memory is written or lanes wait. They are reported with it
 * from now on. */
void jit_check_group_make(struct jit_emitter *e, const struct ptx_instruction *first,
                          struct jit_check_group *group);
/* Reports the read by itself again. */
void jit_check_group_drop(struct jit_emitter *e, const struct ptx_instruction *first);
/* Whether the instruction was reported with an earlier one. */
bool jit_check_group_has(const struct jit_emitter *e, const struct ptx_instruction *instruction);

#endif

/* SPDX-License-Identifier: MIT */
/* The quick test of CUPIPE_CHECK=races,sync. */
#ifndef CUP_JIT_INSTRUMENT_RACE_TAGS_H
#define CUP_JIT_INSTRUMENT_RACE_TAGS_H

#include "jit/emit/value.h"

struct jit_check_group;

/* Whether reads of `bytes` bytes at these addresses have a quick test. */
bool jit_check_races_is_quick(const struct jit_emitter *e,
                              const struct ptx_instruction *instruction, struct jit_value address,
                              unsigned bytes);
/* Whether a group of them has one. */
bool jit_check_races_is_quick_group(const struct jit_check_group *group, struct jit_value address,
                                    unsigned bytes);
/* Emits it: the code continues in `done` if the read need not be reported, else in `service`.
 * group: NULL, or that of a quick test. */
void jit_check_races(struct jit_emitter *e, const struct ptx_instruction *instruction,
                     struct jit_value address, unsigned bytes, const struct jit_check_group *group,
                     LLVMBasicBlockRef done, LLVMBasicBlockRef service);

#endif

/* SPDX-License-Identifier: MIT */
/* Properties of single PTX instructions: the registers they use and define, and whether they wait,
 * synchronise or have side effects. */
#ifndef CUP_JIT_ANALYSIS_INSTRUCTION_H
#define CUP_JIT_ANALYSIS_INSTRUCTION_H

#include "ptx/program.h"

struct jit_cfg;

typedef void jit_register_visit(void *context, uint32_t reg);

/* Visits the registers that the instruction uses or defines. */
void jit_instruction_uses(const struct jit_cfg *cfg, const struct ptx_instruction *instruction,
                          jit_register_visit *visit, void *context);
void jit_instruction_defines(const struct jit_cfg *cfg, const struct ptx_instruction *instruction,
                             jit_register_visit *visit, void *context);

/* Whether it defines the register. */
bool jit_instruction_defines_register(const struct jit_cfg *cfg,
                                      const struct ptx_instruction *instruction, uint32_t reg);

/* Whether it only computes its results from its operands, lane by lane. */
bool jit_instruction_is_pure(const struct ptx_instruction *instruction);
bool jit_instruction_waits(const struct ptx_instruction *instruction);
/* Whether it concerns other blocks of its cluster. */
bool jit_instruction_uses_clusters(const struct ptx_instruction *instruction);
/* Whether the lanes of its member mask wait for each other. */
bool jit_instruction_syncs(const struct ptx_instruction *instruction);
/* The index of the source that is the member mask; -1: it has none. */
int jit_sync_member_source(const struct ptx_instruction *instruction);
/* Whether a memory access is volatile, relaxed, acquire or release. */
bool jit_access_is_strong(const struct ptx_instruction *instruction);
/* Whether it accesses the elements of a vector as one word of up to 16 bytes. PTX promises this of
 * each element only; the device keeps it for the vector, and programs rely on it: CUB publishes a
 * value and its status by one st.relaxed.v2. */
bool jit_access_is_word(const struct ptx_instruction *instruction);
/* Whether it is a load whose address may be invalid, so that the load must happen even if the
 * optimiser finds its value unused. */
bool jit_load_is_demanded(const struct ptx_instruction *instruction);

#endif

/* SPDX-License-Identifier: MIT */
/* Accesses that the uniform variant reports once for a whole loop: check_rows of abi/services.h. */
#ifndef CUP_JIT_INSTRUMENT_LOOPS_H
#define CUP_JIT_INSTRUMENT_LOOPS_H

#include "jit/emit/value.h"

struct jit_check_loop;

/* Finds the loops and accesses, before the uniform variant is emitted; emits the code that reports
 * them, when all exits are known. */
void jit_check_loops_begin(struct jit_emitter *e);
void jit_check_loops_end(struct jit_emitter *e);

/* At the beginning of a node of the uniform variant. */
void jit_check_loops_enter(struct jit_emitter *e);
/* Notes the access if it is reported behind its loop; false: it is not. `how` as for check_access.
 */
bool jit_check_loops_note(struct jit_emitter *e, const struct ptx_instruction *instruction,
                          struct jit_value address, uint32_t how);

/* A block that continues in `block`, and reports the accesses first if the node is in a loop to
 * which the node `to` does not belong; JIT_NO_BLOCK: leaves the loop in any case. */
LLVMBasicBlockRef jit_check_loops_leave(struct jit_emitter *e, uint32_t node, uint32_t to,
                                        LLVMBasicBlockRef block);

/* A warp that stops in the loop of a node, and resumes later, saves what it has not reported in so
 * many bytes of its frame. 0: it saves nothing, and leaves the loop. */
uint32_t jit_check_loops_saved_bytes(const struct jit_emitter *e, uint32_t node);
void jit_check_loops_save(struct jit_emitter *e, uint32_t node, LLVMValueRef place);
void jit_check_loops_resume(struct jit_emitter *e, uint32_t node, LLVMValueRef place);

#endif

/* SPDX-License-Identifier: MIT */
/* The divergent variant of a whole warp keeps varying registers as arrays in memory: runs of
 * instructions in loops over chunks of lanes (chunks.c), and loads, stores and operands of single
 * lanes (chunk_memory.c). */
#ifndef CUP_JIT_EMIT_CHUNKS_H
#define CUP_JIT_EMIT_CHUNKS_H

#include "ptx/program.h"

#include <llvm-c/Core.h>

struct jit_emitter;

/* The state of jit_chunks_begin and jit_chunks_end (registers.h). */
struct jit_chunks {
    bool enabled;        /* the divergent variant has 32 lanes */
    LLVMValueRef first;  /* lane of the chunk that is being emitted; NULL: all lanes at once */
    LLVMValueRef *cache; /* per register: its value in the chunk, if it was read or written */
    bool *dirty;
    LLVMBasicBlockRef head;
};

/* Emits the instructions [first, end), all of which are pure. */
void jit_chunks_emit(struct jit_emitter *e, uint32_t first, uint32_t end);

void jit_chunked_load(struct jit_emitter *e, const struct ptx_instruction *instruction);
void jit_chunked_store(struct jit_emitter *e, const struct ptx_instruction *instruction);

/* One lane's operand in the representation of a type, one lane's result, one lane's address. */
LLVMValueRef jit_lane_operand(struct jit_emitter *e, const struct ptx_operand *operand,
                              enum ptx_type type, LLVMValueRef lane);
void jit_lane_write(struct jit_emitter *e, const struct ptx_operand *operand, enum ptx_type type,
                    LLVMValueRef lane, LLVMValueRef value);
LLVMValueRef jit_lane_address(struct jit_emitter *e, const struct ptx_operand *operand,
                              uint8_t space, LLVMValueRef lane);

#endif

/* SPDX-License-Identifier: MIT */
/* Registers that hold sums of matrices. The uniform variant keeps the C and D of mma, wmma and
 * wgmma in memory, in the same place (accumulator_tiles.h) and in the order in which the runtime
 * multiplies: tiles of 8 columns with 16 rows (abi/matrix.h). Products then move nothing; other
 * instructions read and write the registers there. Tiles of a warp of a looped kernel are
 * in its frame (barrier_regions.h). */
#ifndef CUP_JIT_EMIT_MATRIX_TILES_H
#define CUP_JIT_EMIT_MATRIX_TILES_H

#include "ptx/program.h"

#include <llvm-c/Core.h>

struct jit_emitter;

struct jit_matrix_tiles {
    LLVMValueRef memory;
    /* The run that was emitted last: the end of its instructions, and the node's serial. */
    uint32_t run_end, run_serial;
    bool counts_writes;   /* wgmma gets the version of shared memory that it reads */
    unsigned group_count; /* of the products of wgmma whose call is not emitted yet */
};

/* Called before the function is emitted. */
void jit_tiles_init(struct jit_emitter *e);
/* Finds the registers. */
void jit_tiles_find(struct jit_emitter *e);

/* Whether the variant that is not divergent keeps the register in a tile. */
bool jit_tiles_have(const struct jit_emitter *e, uint32_t reg);
LLVMValueRef jit_tiles_read(struct jit_emitter *e, uint32_t reg, LLVMTypeRef element);
void jit_tiles_write(struct jit_emitter *e, uint32_t reg, LLVMValueRef value);

/* The number of the tile whose four registers, or the first of the tiles whose registers, the
 * instruction adds to; -1: they have no places. */
int jit_tiles_of(const struct jit_emitter *e, const struct ptx_instruction *instruction);
LLVMValueRef jit_tiles_memory(struct jit_emitter *e);

/* The instruction has been emitted: counts it if it may write to shared memory. */
void jit_tiles_count_write(struct jit_emitter *e, const struct ptx_instruction *instruction);

/* The bytes of stack that tiles take at most. */
uint64_t jit_tiles_stack_bytes(const struct ptx_function *function);

#endif

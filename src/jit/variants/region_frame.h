/* SPDX-License-Identifier: MIT */
/* The frame of a warp: where it stopped, and the registers that are live there. Only the files
 * about regions use this header. */
#ifndef CUP_JIT_VARIANTS_REGION_FRAME_H
#define CUP_JIT_VARIANTS_REGION_FRAME_H

#include "jit/variants/barrier_regions.h"

/* The node at which a warp resumes. */
enum {
    STATE_DONE,
    STATE_DIVERGENT,
    STATE_UNIFORM,                  /* + 2 * region */
    STATE_WHOLE = STATE_UNIFORM + 1 /* + 2 * region: in the divergent variant, all lanes at one
                                       barrier */
};

/* Offsets in a frame; registers follow the masks of parked lanes, one per region. */
enum { FRAME_STATE = 0, FRAME_LIVE = 4, FRAME_PARKED = 8, FRAME_ALIGN = 512 };

LLVMValueRef jit_frame_at(struct jit_emitter *e, uint32_t offset);
/* Whether the uniform variant has the register in the frame at all times: in a tile. */
bool jit_frame_has_tile_of(const struct jit_emitter *e, uint32_t reg);
/* Whether both variants keep the register in the same form, so that it has one place. */
bool jit_frame_is_shared(const struct jit_emitter *e, uint32_t reg);
const struct ptx_instruction *jit_region_barrier(const struct jit_emitter *e,
                                                 const struct jit_region *region);
/* The node where a warp resumes. */
uint32_t jit_region_next(const struct jit_emitter *e, const struct jit_region *region);
/* Writes the result of the barrier's reduction. */
void jit_region_write_result(struct jit_emitter *e, const struct jit_region *region);

#endif

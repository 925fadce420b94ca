/* SPDX-License-Identifier: MIT */
/* The regions of a looped kernel and the frame of a warp: which registers are live where a warp
 * stops, and where the frame keeps them. */
#include "jit/variants/region_frame.h"

#include "abi/launch.h"
#include "abi/matrix.h"
#include "core/align.h"
#include "jit/emit/body.h"
#include "jit/emit/ir.h"
#include "jit/instrument/loops.h"
#include "jit/analysis/instruction.h"
#include "jit/emit/matrix_tiles.h"
#include "jit/variants/barrier_regions.h"
#include "jit/emit/registers.h"

#include <stddef.h>

LLVMValueRef jit_frame_at(struct jit_body *body, uint32_t offset)
{
    return jit_build_offset(body, body->frame.base, jit_i64(body->unit, offset));
}

const struct ptx_instruction *jit_region_barrier(const struct jit_body *body,
                                                 const struct jit_region *region)
{
    return &body->function->instructions[body->cfg.nodes[region->node].last];
}

static uint32_t place(struct jit_body *body, uint32_t reg, bool divergent)
{
    uint32_t bytes = jit_register_bytes(body, reg, divergent), align = bytes;
    uint32_t at = (uint32_t)cup_align_to_step(body->frame.bytes, align);

    body->frame.bytes = at + bytes;
    return at;
}

/* The node at which a warp resumes. */
uint32_t jit_region_next(const struct jit_body *body, const struct jit_region *region)
{
    return region->interleaved ? region->node : body->cfg.nodes[region->node].next[0];
}

static void add_region(struct jit_body *body, uint32_t node)
{
    struct jit_region *region = &body->regions.items[body->regions.count++];
    const struct jit_cfg *cfg = &body->cfg;

    region->node = node;
    region->interleaved = cfg->nodes[node].kind != JIT_END_BARRIER;
    region->live = jit_workspace_zeros(&body->unit->workspace, cfg->words, sizeof(*region->live));
    for (uint32_t w = 0; w < cfg->words; w++)
        region->live[w] = cfg->nodes[jit_region_next(body, region)].live_in[w];
    if (!region->interleaved)
        jit_instruction_defines(cfg, jit_region_barrier(body, region), jit_set_remove,
                                region->live);
}

static bool is_live(const struct jit_body *body, uint32_t reg)
{
    for (uint32_t r = 0; r < body->regions.count; r++)
        if (jit_set_has(body->regions.items[r].live, reg))
            return true;
    return false;
}

bool jit_frame_has_tile_of(const struct jit_body *body, uint32_t reg)
{
    return body->frame.tiles && jit_tiles_have(body, reg);
}

bool jit_frame_is_shared(const struct jit_body *body, uint32_t reg)
{
    return (body->registers.uniformity[0][reg].kind == JIT_VARYING) ==
           (body->registers.uniformity[1][reg].kind == JIT_VARYING);
}

/* Assigns frame offsets to registers. A register that both variants keep in the same form has one
 * offset, because a warp is in one variant at a time. */
static void lay_out_frame(struct jit_body *body)
{
    const struct jit_cfg *cfg = &body->cfg;

    body->frame.bytes = FRAME_PARKED + 4 * body->regions.count;
    for (uint32_t reg = 0; reg < cfg->register_count; reg++) {
        bool divergent = jit_set_has(cfg->live_parked, reg),
             uniform = body->has_uniform && is_live(body, reg);

        if (divergent)
            body->frame.divergent_offsets[reg] = place(body, reg, true);
        if (uniform)
            body->frame.uniform_offsets[reg] = divergent && jit_frame_is_shared(body, reg)
                                                   ? body->frame.divergent_offsets[reg]
                                                   : place(body, reg, false);
    }
    if (body->has_uniform && body->tiles.count) {
        body->frame.tiles = (uint32_t)cup_align_up(body->frame.bytes, CUP_ABI_MATRIX_TILE_BYTES);
        body->frame.bytes = body->frame.tiles + body->tiles.count * CUP_ABI_MATRIX_TILE_BYTES;
    }
    for (uint32_t r = 0; r < body->regions.count; r++) {
        struct jit_region *region = &body->regions.items[r];
        uint32_t bytes = region->interleaved ? jit_check_loops_saved_bytes(body, region->node) : 0;

        region->checks = bytes ? (uint32_t)cup_align_up(body->frame.bytes, 8) : 0;
        body->frame.bytes = bytes ? region->checks + bytes : body->frame.bytes;
    }
    body->frame.bytes = (uint32_t)cup_align_up(body->frame.bytes, FRAME_ALIGN);
}

void jit_regions_prepare(struct jit_body *body)
{
    struct jit_unit *unit = body->unit;
    const struct jit_cfg *cfg = &body->cfg;
    LLVMValueRef frames, offset;

    body->regions.items = jit_workspace_zeros(&body->unit->workspace, cfg->order_count + 1u,
                                              sizeof(*body->regions.items));
    body->frame.uniform_offsets =
        jit_workspace_zeros(&body->unit->workspace, cfg->register_count, sizeof(uint32_t));
    body->frame.divergent_offsets =
        jit_workspace_zeros(&body->unit->workspace, cfg->register_count, sizeof(uint32_t));
    for (uint32_t p = 0; p < cfg->order_count; p++)
        if (cfg->nodes[cfg->order[p]].kind == JIT_END_BARRIER ||
            (body->has_uniform && jit_node_is_streaming_loop(cfg, cfg->order[p])))
            add_region(body, cfg->order[p]);
    for (uint32_t r = 0; r < body->regions.count; r++)
        body->interleaving.any |= body->regions.items[r].interleaved;
    lay_out_frame(body);
    unit->info.frame_bytes = body->frame.bytes;
    frames = jit_build_field(body, body->abi.block, offsetof(struct cup_abi_block, frames),
                             unit->ptr, true, "frames");
    offset =
        LLVMBuildMul(body->builder, LLVMBuildZExt(body->builder, body->vector.warp, unit->i64, ""),
                     jit_i64(unit, body->frame.bytes), "");
    body->frame.base = jit_build_offset(body, frames, offset);
}

bool jit_region_is_interleaved(const struct jit_body *body, uint32_t node)
{
    for (uint32_t r = 0; r < body->regions.count; r++)
        if (body->regions.items[r].interleaved && body->regions.items[r].node == node)
            return true;
    return false;
}

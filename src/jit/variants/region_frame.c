/* SPDX-License-Identifier: MIT */
/* The regions of a looped kernel and the frame of a warp: which registers are live where a warp
 * stops, and where the frame keeps them. */
#include "jit/variants/region_frame.h"

#include "abi/launch.h"
#include "abi/matrix.h"
#include "core/align.h"
#include "jit/analysis/instruction.h"
#include "jit/analysis/uniformity.h"
#include "jit/emit/emitter.h"
#include "jit/emit/ir.h"
#include "jit/emit/matrix_tiles.h"
#include "jit/emit/registers.h"
#include "jit/instrument/loops.h"
#include "jit/variants/barrier_regions.h"

#include <stddef.h>

void jit_regions_init(struct jit_emitter *e)
{
    e->regions = jit_emitter_zeros(e, 1, sizeof(*e->regions));
}

LLVMValueRef jit_frame_at(struct jit_emitter *e, uint32_t offset)
{
    return jit_build_offset(e, e->regions->frame.base, jit_i64(e->unit, offset));
}

const struct ptx_instruction *jit_region_barrier(const struct jit_emitter *e,
                                                 const struct jit_region *region)
{
    return &e->function->ptx->instructions[e->function->cfg.nodes[region->node].last];
}

static uint32_t place(struct jit_emitter *e, uint32_t reg, bool divergent)
{
    uint32_t bytes = jit_register_bytes(e, reg, divergent), align = bytes;
    uint32_t at = (uint32_t)cup_align_to_step(e->regions->frame.bytes, align);

    e->regions->frame.bytes = at + bytes;
    return at;
}

/* The node at which a warp resumes. */
uint32_t jit_region_next(const struct jit_emitter *e, const struct jit_region *region)
{
    return region->interleaved ? region->node : e->function->cfg.nodes[region->node].next[0];
}

static void add_region(struct jit_emitter *e, uint32_t node)
{
    struct jit_region *region = &e->regions->items[e->regions->count++];
    const struct jit_cfg *cfg = &e->function->cfg;

    region->node = node;
    region->interleaved = cfg->nodes[node].kind != JIT_END_BARRIER;
    region->live = jit_workspace_zeros(&e->unit->workspace, cfg->words, sizeof(*region->live));
    for (uint32_t w = 0; w < cfg->words; w++)
        region->live[w] = cfg->nodes[jit_region_next(e, region)].live_in[w];
    if (!region->interleaved)
        jit_instruction_defines(cfg, jit_region_barrier(e, region), jit_set_remove, region->live);
}

static bool is_live(const struct jit_emitter *e, uint32_t reg)
{
    for (uint32_t r = 0; r < e->regions->count; r++)
        if (jit_set_has(e->regions->items[r].live, reg))
            return true;
    return false;
}

bool jit_frame_has_tile_of(const struct jit_emitter *e, uint32_t reg)
{
    return e->regions->frame.tiles && jit_tiles_have(e, reg);
}

bool jit_frame_is_shared(const struct jit_emitter *e, uint32_t reg)
{
    return (e->function->uniformity[0][reg].kind == JIT_VARYING) ==
           (e->function->uniformity[1][reg].kind == JIT_VARYING);
}

/* Assigns frame offsets to registers. A register that both variants keep in the same form has one
 * offset, because a warp is in one variant at a time. */
static void lay_out_frame(struct jit_emitter *e)
{
    const struct jit_cfg *cfg = &e->function->cfg;

    e->regions->frame.bytes = FRAME_PARKED + 4 * e->regions->count;
    for (uint32_t reg = 0; reg < cfg->register_count; reg++) {
        bool divergent = jit_set_has(cfg->live_parked, reg),
             uniform = e->function->has_uniform && is_live(e, reg);

        if (divergent)
            e->regions->frame.divergent_offsets[reg] = place(e, reg, true);
        if (uniform)
            e->regions->frame.uniform_offsets[reg] = divergent && jit_frame_is_shared(e, reg)
                                                         ? e->regions->frame.divergent_offsets[reg]
                                                         : place(e, reg, false);
    }
    if (e->function->has_uniform && e->function->tile_count) {
        e->regions->frame.tiles =
            (uint32_t)cup_align_up(e->regions->frame.bytes, CUP_ABI_MATRIX_TILE_BYTES);
        e->regions->frame.bytes =
            e->regions->frame.tiles + e->function->tile_count * CUP_ABI_MATRIX_TILE_BYTES;
    }
    for (uint32_t r = 0; r < e->regions->count; r++) {
        struct jit_region *region = &e->regions->items[r];
        uint32_t bytes = region->interleaved ? jit_check_loops_saved_bytes(e, region->node) : 0;

        region->checks = bytes ? (uint32_t)cup_align_up(e->regions->frame.bytes, 8) : 0;
        e->regions->frame.bytes = bytes ? region->checks + bytes : e->regions->frame.bytes;
    }
    e->regions->frame.bytes = (uint32_t)cup_align_up(e->regions->frame.bytes, FRAME_ALIGN);
}

void jit_regions_prepare(struct jit_emitter *e)
{
    struct jit_unit *unit = e->unit;
    const struct jit_cfg *cfg = &e->function->cfg;
    LLVMValueRef frames, offset;

    e->regions->items =
        jit_workspace_zeros(&e->unit->workspace, cfg->order_count + 1u, sizeof(*e->regions->items));
    e->regions->frame.uniform_offsets =
        jit_workspace_zeros(&e->unit->workspace, cfg->register_count, sizeof(uint32_t));
    e->regions->frame.divergent_offsets =
        jit_workspace_zeros(&e->unit->workspace, cfg->register_count, sizeof(uint32_t));
    for (uint32_t p = 0; p < cfg->order_count; p++)
        if (cfg->nodes[cfg->order[p]].kind == JIT_END_BARRIER ||
            (e->function->has_uniform && jit_node_is_streaming_loop(cfg, cfg->order[p])))
            add_region(e, cfg->order[p]);
    for (uint32_t r = 0; r < e->regions->count; r++)
        e->regions->interleaving.any |= e->regions->items[r].interleaved;
    lay_out_frame(e);
    unit->info.frame_bytes = e->regions->frame.bytes;
    frames = jit_build_field(e, e->abi.block, offsetof(struct cup_abi_block, frames), unit->ptr,
                             true, "frames");
    offset = LLVMBuildMul(e->builder, LLVMBuildZExt(e->builder, e->vector.warp, unit->i64, ""),
                          jit_i64(unit, e->regions->frame.bytes), "");
    e->regions->frame.base = jit_build_offset(e, frames, offset);
}

bool jit_region_is_interleaved(const struct jit_emitter *e, uint32_t node)
{
    for (uint32_t r = 0; r < e->regions->count; r++)
        if (e->regions->items[r].interleaved && e->regions->items[r].node == node)
            return true;
    return false;
}

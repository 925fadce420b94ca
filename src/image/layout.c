/* SPDX-License-Identifier: MIT */
/* NVIDIA's devices store images in groups of 64 bytes x 8 rows, and groups in blocks: a block is a
 * number of groups stacked along y in 2D and along z in 3D. The rules were derived from the memory
 * requirements that a driver reported for some thousand shapes, and agree with all of them:
 *
 *   - A level takes whole blocks. The block is the smallest power of two of groups that holds
 *     the level, up to 16; in the tail of a sparse mipmap, up to the height and the depth of a
 *     tile.
 *   - The levels of a layer are contiguous; a layer starts at a multiple of the block of level
 *     0. That block is halved if its rows would exceed one and a half times the image's height
 *     in pixels: this does not make the level smaller, but the gap between layers. */
#include "image/layout.h"

#include "core/align.h"

enum {
    GROUP_WIDTH_BYTES = 64,
    GROUP_ROWS = 8,
    GROUP_BYTES = GROUP_WIDTH_BYTES * GROUP_ROWS,
    BLOCK_GROUPS_MAX = 16,
};

struct layout_block {
    unsigned groups_high, groups_deep;
};

static const struct layout_block block_max_flat = {BLOCK_GROUPS_MAX, 1};
static const struct layout_block block_max_deep = {1, BLOCK_GROUPS_MAX};

static const struct layout_block *largest_block(const struct cup_shape *shape)
{
    return shape->dimensions == CUP_IMAGE_3D ? &block_max_deep : &block_max_flat;
}

static unsigned power_of_two_up(unsigned value)
{
    return value <= 1 ? 1 : 1u << (32 - __builtin_clz(value - 1));
}

static struct layout_block block_of(const struct cup_level *level,
                                    const struct layout_block *largest)
{
    unsigned groups = (level->height + GROUP_ROWS - 1) / GROUP_ROWS;

    return (struct layout_block){
        .groups_high = (unsigned)cup_min(power_of_two_up(groups), largest->groups_high),
        .groups_deep = (unsigned)cup_min(power_of_two_up(level->depth), largest->groups_deep),
    };
}

static uint64_t level_bytes(const struct cup_shape *shape, unsigned index,
                            const struct layout_block *largest)
{
    struct cup_level level = cup_shape_level(shape, index);
    struct layout_block block = block_of(&level, largest);
    uint64_t row =
        cup_align_to_step((uint64_t)level.width * shape->element_bytes, GROUP_WIDTH_BYTES);

    return row * cup_align_to_step(level.height, (uint64_t)block.groups_high * GROUP_ROWS) *
           cup_align_to_step(level.depth, block.groups_deep);
}

static uint64_t levels_bytes(const struct cup_shape *shape, unsigned first,
                             const struct layout_block *largest)
{
    uint64_t sum = 0;

    for (unsigned level = first; level < shape->levels; level++)
        sum += level_bytes(shape, level, largest);
    return sum;
}

/* The alignment of layers. */
static uint64_t layer_step(const struct cup_shape *shape)
{
    struct cup_level level = cup_shape_level(shape, 0);
    struct layout_block block = block_of(&level, largest_block(shape));
    uint64_t rows = (uint64_t)block.groups_high * GROUP_ROWS;

    if (block.groups_high > 1 && 2 * rows > UINT64_C(3) * shape->height)
        block.groups_high /= 2;
    return (uint64_t)block.groups_high * GROUP_BYTES;
}

static uint64_t plane_bytes(const struct cup_shape *shape)
{
    uint64_t layer = levels_bytes(shape, 0, largest_block(shape));

    if (shape->layers > 1)
        layer = cup_align_to_step(layer, layer_step(shape));
    return layer * shape->layers;
}

/* Adds up the planes, each rounded up to `step`. */
static uint64_t planes_bytes(const struct cup_shape *shape, uint64_t step)
{
    uint64_t sum = 0;

    if (shape->format->plane_count == 0)
        return cup_align_to_step(plane_bytes(shape), step);
    for (unsigned i = 0; i < shape->format->plane_count; i++) {
        struct cup_shape plane = cup_shape_plane(shape, i);
        sum += cup_align_to_step(plane_bytes(&plane), step);
    }
    return sum;
}

uint64_t cup_layout_bytes(const struct cup_shape *shape)
{
    return planes_bytes(shape, GROUP_BYTES);
}

uint64_t cup_layout_required_bytes(const struct cup_shape *shape)
{
    return planes_bytes(shape, CUP_LAYOUT_PAGE_BYTES);
}

uint64_t cup_layout_tail_bytes(const struct cup_shape *shape, unsigned first_level,
                               const struct cup_level *tile)
{
    struct layout_block largest = {tile->height / GROUP_ROWS, tile->depth};

    return cup_align_to_step(levels_bytes(shape, first_level, &largest), CUP_LAYOUT_PAGE_BYTES);
}

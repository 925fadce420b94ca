/* SPDX-License-Identifier: MIT */
/* Tile sizes are the standard block shapes of the graphics APIs: they depend only on the element
 * size and on whether the image is 3D. */
#include "image/sparse.h"

#include "image/layout.h"

/* For elements of 1, 2, 4, 8 and 16 bytes. */
static const struct cup_level flat_tiles[] = {
    {256, 256, 1}, {256, 128, 1}, {128, 128, 1}, {128, 64, 1}, {64, 64, 1},
};
static const struct cup_level deep_tiles[] = {
    {64, 32, 32}, {32, 32, 32}, {32, 32, 16}, {32, 16, 16}, {16, 16, 16},
};

struct cup_level cup_sparse_tile(const struct cup_shape *shape)
{
    unsigned row = (unsigned)__builtin_ctz(shape->element_bytes);

    return shape->dimensions == CUP_IMAGE_3D ? deep_tiles[row] : flat_tiles[row];
}

/* True if the level is as large as a tile along every axis. A pair of pixels counts as two here. */
static bool fills_tile(const struct cup_shape *shape, unsigned index, const struct cup_level *tile)
{
    struct cup_level level = cup_shape_level(shape, index);

    return level.width * shape->format->pair >= tile->width && level.height >= tile->height &&
           level.depth >= tile->depth;
}

void cup_sparse_init(struct cup_sparse *sparse, const struct cup_shape *shape)
{
    struct cup_shape first = shape->format->plane_count ? cup_shape_plane(shape, 0) : *shape;
    struct cup_level tile = cup_sparse_tile(&first);
    unsigned level = 0;

    while (level < shape->levels && fills_tile(&first, level, &tile))
        level++;
    sparse->tile = (struct cup_level){
        tile.width * first.format->block,
        tile.height * first.format->block,
        tile.depth,
    };
    sparse->tail_first = level;
    sparse->single_tail = level == 0;
    if (level == 0)
        sparse->tail_bytes = cup_layout_required_bytes(shape);
    else if (level < shape->levels)
        sparse->tail_bytes = cup_layout_tail_bytes(&first, level, &tile);
    else
        sparse->tail_bytes = 0;
}

/* An array that is not a mipmap and has no tail reports a tail of 0 bytes that starts at level 0.
 * Reserved fields are not written. */
void cup_sparse_properties(const struct cup_shape *shape, CUDA_ARRAY_SPARSE_PROPERTIES *properties)
{
    struct cup_sparse sparse;

    cup_sparse_init(&sparse, shape);
    properties->tileExtent.width = sparse.tile.width;
    properties->tileExtent.height = sparse.tile.height;
    properties->tileExtent.depth = sparse.tile.depth;
    properties->miptailFirstLevel = shape->is_mipmap ? sparse.tail_first : 0;
    properties->miptailSize = sparse.tail_bytes;
    properties->flags = sparse.single_tail ? CU_ARRAY_SPARSE_PROPERTIES_SINGLE_MIPTAIL : 0;
}

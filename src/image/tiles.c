/* SPDX-License-Identifier: MIT */
/* The lock guards the mapping state; bytes are copied without it. References on memory and on the
 * tiles of other images keep both alive meanwhile. If two streams map the same tile concurrently,
 * which is an application error, either may win and bytes may be lost, but the state stays
 * consistent. */
#include "image/tiles.h"

#include "core/align.h"
#include "core/error.h"
#include "core/lock.h"
#include "memory/copy.h"
#include "memory/physical.h"
#include "memory/transfer.h"
#include "os/guard.h"
#include "os/reserve.h"

#include <stdlib.h>
#include <string.h>

/* The tile that holds the bytes of a page of memory. */
struct holder {
    struct cup_tiles *tiles; /* NULL: the bytes are in the memory */
    uint64_t index;
};

static struct cup_lock lock = CUP_LOCK_INITIALIZER(CUP_RANK_TILES);

static void *pointer_to(uint64_t address)
{
    return (void *)(uintptr_t)address;
}

struct cup_level cup_tiles_in_level(const struct cup_tiles *tiles, unsigned level)
{
    struct cup_level extent = cup_shape_level(&tiles->shape, level);

    return (struct cup_level){
        cup_divide_up(extent.width, tiles->tile.width),
        cup_divide_up(extent.height, tiles->tile.height),
        cup_divide_up(extent.depth, tiles->tile.depth),
    };
}

static void count_tiles(struct cup_tiles *tiles)
{
    uint64_t count = 0;
    unsigned level;

    for (level = 0; level < tiles->sparse.tail_first; level++) {
        struct cup_level in = cup_tiles_in_level(tiles, level);
        tiles->first[level] = count;
        count += (uint64_t)in.width * in.height * in.depth * tiles->shape.layers;
    }
    tiles->first[level] = count;
    tiles->tail_pages = tiles->sparse.tail_bytes / CUP_TILE_BYTES;
    tiles->count =
        count + tiles->tail_pages * (tiles->sparse.single_tail ? 1 : tiles->shape.layers);
}

static struct cup_tiles *tiles_new(const struct cup_storage *storage, const struct cup_shape *shape,
                                   bool whole, const struct cup_box *boxes)
{
    struct cup_tiles *tiles = calloc(1, sizeof(*tiles));

    if (!tiles)
        return NULL;
    atomic_store(&tiles->refs, 1);
    tiles->whole = whole;
    tiles->address = storage->address;
    tiles->size_bytes = storage->size_bytes;
    tiles->shape = *shape;
    memcpy(tiles->boxes, boxes, shape->levels * sizeof(*boxes));
    if (whole) {
        tiles->count = 1;
    } else {
        cup_sparse_init(&tiles->sparse, shape);
        tiles->tile = cup_sparse_tile(shape);
        count_tiles(tiles);
    }
    tiles->tiles = calloc(tiles->count, sizeof(*tiles->tiles));
    if (tiles->tiles)
        return tiles;
    free(tiles);
    return NULL;
}

static void tiles_unref(struct cup_tiles *tiles)
{
    if (!tiles || atomic_fetch_sub(&tiles->refs, 1) != 1)
        return;
    free(tiles->tiles);
    free(tiles);
}

CUresult cup_tiles_get(struct cup_storage *storage, const struct cup_shape *shape, bool whole,
                       const struct cup_box *boxes, struct cup_tiles **tiles)
{
    struct cup_tiles *found = cup_tiles_find(storage);

    if (!found) {
        struct cup_tiles *made = tiles_new(storage, shape, whole, boxes);
        if (!made)
            return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory to record an image's tiles");
        cup_lock_acquire(&lock);
        if (!storage->tiles)
            storage->tiles = made;
        found = storage->tiles;
        cup_lock_release(&lock);
        if (found != made)
            tiles_unref(made); /* another thread was first */
    }
    *tiles = found;
    return CUDA_SUCCESS;
}

struct cup_tiles *cup_tiles_find(struct cup_storage *storage)
{
    cup_lock_acquire(&lock);
    struct cup_tiles *found = storage->tiles;
    cup_lock_release(&lock);
    return found;
}

/* Returns the index of the tile that contains the element. Levels are contiguous in a tail. */
static uint64_t tile_at(const struct cup_tiles *tiles, unsigned level, unsigned x, unsigned y,
                        unsigned slice)
{
    unsigned layers = tiles->shape.layers, layer = layers > 1 ? slice : 0;

    if (tiles->whole)
        return 0;
    if (level < tiles->sparse.tail_first) {
        struct cup_level in = cup_tiles_in_level(tiles, level);
        uint64_t z = layers > 1 ? 0 : slice / tiles->tile.depth;

        return tiles->first[level] +
               ((layer * in.depth + z) * in.height + y / tiles->tile.height) * in.width +
               x / tiles->tile.width;
    }
    const struct cup_box *box = &tiles->boxes[level];
    uint64_t at = y * box->row_bytes + (uint64_t)x * box->element_bytes;
    uint64_t before = tiles->sparse.single_tail ? 0 : layer * tiles->tail_pages;

    at += layers > 1 ? 0 : slice * box->slice_bytes;
    for (unsigned l = 0; tiles->sparse.single_tail && l < layer; l++)
        for (unsigned i = tiles->sparse.tail_first; i < tiles->shape.levels; i++)
            at += cup_box_bytes(&tiles->boxes[i]) / layers;
    for (unsigned i = tiles->sparse.tail_first; i < level; i++)
        at += cup_box_bytes(&tiles->boxes[i]) / layers;
    return tiles->first[tiles->sparse.tail_first] + before + at / CUP_TILE_BYTES;
}

bool cup_tiles_is_mapped(struct cup_storage *storage, unsigned level, unsigned x, unsigned y,
                         unsigned slice)
{
    bool mapped = false;

    cup_lock_acquire(&lock);
    if (storage->tiles) {
        uint64_t index = tile_at(storage->tiles, level, x, y, slice);

        mapped = index < storage->tiles->count && storage->tiles->tiles[index].physical;
    }
    cup_lock_release(&lock);
    return mapped;
}

bool cup_tiles_is_bound(struct cup_storage *storage)
{
    cup_lock_acquire(&lock);
    bool bound = storage->tiles && storage->tiles->tiles[0].physical;
    cup_lock_release(&lock);
    return bound;
}

CUresult cup_tiles_prepare(struct cup_physical *physical)
{
    cup_lock_acquire(&lock);
    bool ready = physical->tiles != NULL;
    cup_lock_release(&lock);
    if (ready)
        return CUDA_SUCCESS;
    struct holder *made = calloc(physical->size_bytes / CUP_TILE_BYTES, sizeof(*made));
    if (!made || cup_physical_address(physical) == 0) {
        free(made);
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory to map memory to tiles");
    }
    cup_lock_acquire(&lock);
    if (!physical->tiles) {
        physical->tiles = made;
        made = NULL;
    }
    cup_lock_release(&lock);
    free(made);
    return CUDA_SUCCESS;
}

enum direction {
    FROM_MEMORY,
    TO_MEMORY,
    ZERO, /* zero the tile; memory is not accessed */
};

static void zero_all(void *argument)
{
    const struct cup_copy *box = argument;

    for (size_t z = 0; z < box->depth; z++)
        for (size_t y = 0; y < box->height; y++)
            memset(pointer_to(box->destination + z * box->destination_slice +
                              y * box->destination_row),
                   0, box->width_bytes);
}

/* Runs guarded: after a failed mmap() the image's storage may be inaccessible. */
static void zero_box(const struct cup_copy *box)
{
    struct cup_copy copy = *box;

    cup_guard_run(zero_all, &copy);
}

/* Copies between a box of the image (the destination of `box`) and one of the memory. */
static void copy_box(const struct cup_copy *box, enum direction direction)
{
    struct cup_copy back = {
        .destination = box->source,
        .source = box->destination,
        .width_bytes = box->width_bytes,
        .height = box->height,
        .depth = box->depth,
        .destination_row = box->source_row,
        .destination_slice = box->source_slice,
        .source_row = box->destination_row,
        .source_slice = box->destination_slice,
    };

    if (direction == ZERO)
        zero_box(box);
    else
        cup_transfer(direction == FROM_MEMORY ? box : &back);
}

/* Rows are packed in the page, as wide as the tile, even if the image ends inside the tile. */
static void copy_level_tile(const struct cup_tiles *tiles, unsigned level, uint64_t index,
                            uint64_t page, enum direction direction)
{
    const struct cup_box *box = &tiles->boxes[level];
    struct cup_level in = cup_tiles_in_level(tiles, level), size = tiles->tile;
    struct cup_level extent = cup_shape_level(&tiles->shape, level);
    unsigned x = (unsigned)(index % in.width) * size.width;
    unsigned y = (unsigned)(index / in.width % in.height) * size.height;
    uint64_t deep = index / in.width / in.height; /* z across all layers */
    unsigned z = (unsigned)(deep % in.depth) * size.depth, layer = (unsigned)(deep / in.depth);
    size_t row = (size_t)size.width * box->element_bytes;

    copy_box(
        &(struct cup_copy){
            .destination = box->base + (size_t)x * box->element_bytes + y * box->row_bytes +
                           ((size_t)layer * extent.depth + z) * box->slice_bytes,
            .destination_row = box->row_bytes,
            .destination_slice = box->slice_bytes,
            .source = page,
            .source_row = row,
            .source_slice = row * size.height,
            .width_bytes = cup_min(size.width, extent.width - x) * box->element_bytes,
            .height = (unsigned)cup_min(size.height, extent.height - y),
            .depth = (unsigned)cup_min(size.depth, extent.depth - z),
        },
        direction);
}

/* In a tail the levels of a layer are contiguous; a single tail has all layers in sequence. */
static void copy_tail_page(const struct cup_tiles *tiles, uint64_t index, uint64_t page,
                           enum direction direction)
{
    unsigned layer = tiles->sparse.single_tail ? 0 : (unsigned)(index / tiles->tail_pages);
    unsigned end = tiles->sparse.single_tail ? tiles->shape.layers : layer + 1;
    uint64_t from = index % tiles->tail_pages * CUP_TILE_BYTES, to = from + CUP_TILE_BYTES, at = 0;

    for (; layer < end; layer++) {
        for (unsigned level = tiles->sparse.tail_first; level < tiles->shape.levels; level++) {
            uint64_t bytes = cup_box_bytes(&tiles->boxes[level]) / tiles->shape.layers;
            uint64_t first = at > from ? at : from, last = at + bytes < to ? at + bytes : to;
            uint64_t base = tiles->boxes[level].base + layer * bytes;
            if (first < last) {
                struct cup_copy box =
                    cup_copy_linear(base + (first - at), page + (first - from), last - first);
                copy_box(&box, direction);
            }
            at += bytes;
        }
    }
}

static void copy_tile(const struct cup_tiles *tiles, uint64_t index, uint64_t page,
                      enum direction direction)
{
    unsigned level = 0;

    while (level < tiles->sparse.tail_first && index >= tiles->first[level + 1])
        level++;
    index -= tiles->first[level];
    if (level == tiles->sparse.tail_first)
        copy_tail_page(tiles, index, page, direction);
    else
        copy_level_tile(tiles, level, index, page, direction);
}

static uint64_t page_address(struct cup_physical *physical, uint64_t page)
{
    return cup_physical_address(physical) + page * CUP_TILE_BYTES;
}

static struct holder *holder_locked(const struct cup_tile *tile)
{
    cup_lock_assert_held(&lock);
    return (struct holder *)tile->physical->tiles + tile->page;
}

/* Unmaps the tile. Returns true if the tile held the bytes of the page. */
static bool unmap_locked(struct cup_tiles *tiles, uint64_t index, struct cup_tile *left)
{
    cup_lock_assert_held(&lock);
    *left = tiles->tiles[index];
    if (!left->physical)
        return false;
    tiles->tiles[index] = (struct cup_tile){NULL, 0};
    tiles->mapped--;
    struct holder *holder = holder_locked(left);
    if (holder->tiles != tiles || holder->index != index)
        return false;
    *holder = (struct holder){NULL, 0};
    return true;
}

/* Maps the tile and takes a reference on the memory. Returns the tile that held the bytes before,
 * with a reference. */
static struct holder map_locked(struct cup_tiles *tiles, uint64_t index, struct cup_tile wanted)
{
    cup_lock_assert_held(&lock);
    struct holder *holder = holder_locked(&wanted), before = *holder;

    if (before.tiles)
        atomic_fetch_add(&before.tiles->refs, 1);
    *holder = (struct holder){tiles, index};
    cup_physical_ref(wanted.physical);
    tiles->tiles[index] = wanted;
    tiles->mapped++;
    return before;
}

static void map_tile(struct cup_tiles *tiles, uint64_t index, struct cup_tile wanted)
{
    struct holder before = {NULL, 0};
    struct cup_tile left;

    cup_lock_acquire(&lock);
    bool had_bytes = unmap_locked(tiles, index, &left);
    if (wanted.physical)
        before = map_locked(tiles, index, wanted);
    cup_lock_release(&lock);
    if (had_bytes)
        copy_tile(tiles, index, page_address(left.physical, left.page), TO_MEMORY);
    if (before.tiles)
        copy_tile(before.tiles, before.index, page_address(wanted.physical, wanted.page),
                  TO_MEMORY);
    if (wanted.physical)
        copy_tile(tiles, index, page_address(wanted.physical, wanted.page), FROM_MEMORY);
    else
        copy_tile(tiles, index, 0, ZERO);
    tiles_unref(before.tiles);
    if (left.physical)
        cup_physical_unref(left.physical);
}

/* On failure the previous mapping stays. The state changes under the same lock as the mapping,
 * otherwise the memory could be freed while it is still visible. */
static bool map_whole(struct cup_tiles *tiles, struct cup_physical *physical, uint64_t page)
{
    struct cup_physical *left = NULL;
    void *at = pointer_to(tiles->address);

    cup_lock_acquire(&lock);
    /* the memory, or zeros, without access rights yet */
    bool done = physical ? cup_reserve_attach(at, tiles->size_bytes, physical->fd,
                                              physical->offset + page * CUP_TILE_BYTES)
                         : cup_reserve_detach(at, tiles->size_bytes);
    if (done) {
        if (physical)
            cup_physical_ref(physical);
        left = tiles->tiles[0].physical;
        tiles->tiles[0] = (struct cup_tile){physical, page};
    }
    cup_lock_release(&lock);
    if (left)
        cup_physical_unref(left);
    return done && cup_reserve_protect(at, tiles->size_bytes, true, true);
}

static uint64_t index_of(const struct cup_tiles *tiles, unsigned level, unsigned layer, unsigned x,
                         unsigned y, unsigned z)
{
    struct cup_level in = cup_tiles_in_level(tiles, level);

    return tiles->first[level] + (((uint64_t)layer * in.depth + z) * in.height + y) * in.width + x;
}

bool cup_tiles_map(struct cup_tiles *tiles, const struct cup_tile_region *region,
                   struct cup_physical *physical, uint64_t page)
{
    if (tiles->whole)
        return map_whole(tiles, physical, page);
    if (region->is_tail) {
        uint64_t first =
            tiles->first[tiles->sparse.tail_first] + region->layer * tiles->tail_pages + region->x;
        for (unsigned i = 0; i < region->width; i++)
            map_tile(tiles, first + i, (struct cup_tile){physical, page++});
        return true;
    }
    for (unsigned z = region->z; z < region->z + region->depth; z++)
        for (unsigned y = region->y; y < region->y + region->height; y++)
            for (unsigned x = region->x; x < region->x + region->width; x++)
                map_tile(tiles, index_of(tiles, region->level, region->layer, x, y, z),
                         (struct cup_tile){physical, page++});
    return true;
}

/* Other images may take pages over concurrently. */
static void destroy_tile(struct cup_tiles *tiles, uint64_t index)
{
    struct cup_tile left;

    cup_lock_acquire(&lock);
    bool had_bytes = unmap_locked(tiles, index, &left);
    cup_lock_release(&lock);
    if (had_bytes)
        copy_tile(tiles, index, page_address(left.physical, left.page), TO_MEMORY);
    if (left.physical)
        cup_physical_unref(left.physical);
}

void cup_tiles_destroy(struct cup_tiles *tiles)
{
    if (!tiles)
        return;
    if (tiles->whole && tiles->tiles[0].physical)
        cup_physical_unref(tiles->tiles[0].physical);
    for (uint64_t i = 0; tiles->mapped != 0; i++)
        destroy_tile(tiles, i);
    tiles_unref(tiles);
}

static bool is_mapped(const struct cup_tiles *tiles, uint64_t index)
{
    cup_lock_acquire(&lock);
    bool mapped = tiles->tiles[index].physical != NULL;
    cup_lock_release(&lock);
    return mapped;
}

static void clear_tile(const struct cup_tiles *tiles, uint64_t index)
{
    if (!is_mapped(tiles, index))
        copy_tile(tiles, index, 0, ZERO);
}

/* The range of elements and slices that a copy touches. */
struct touched {
    unsigned x, y, slice; /* the first */
    unsigned x_last, y_last, slice_last;
};

static struct touched touched_by(const struct cup_box *box, const struct cup_copy *written)
{
    uint64_t offset = written->destination - box->base;
    uint64_t slice = offset / box->slice_bytes, in_slice = offset % box->slice_bytes;
    uint64_t y = in_slice / box->row_bytes, x_bytes = in_slice % box->row_bytes;

    return (struct touched){
        .x = (unsigned)(x_bytes / box->element_bytes),
        .y = (unsigned)y,
        .slice = (unsigned)slice,
        .x_last = (unsigned)((x_bytes + written->width_bytes - 1) / box->element_bytes),
        .y_last = (unsigned)(y + written->height - 1),
        .slice_last = (unsigned)(slice + written->depth - 1),
    };
}

static void clear_tail(const struct cup_tiles *tiles, const struct touched *box)
{
    uint64_t first = tiles->first[tiles->sparse.tail_first];
    bool by_layer = !tiles->sparse.single_tail && tiles->shape.layers > 1;
    uint64_t begin = by_layer ? box->slice : 0, end = by_layer ? box->slice_last + 1 : 1;

    for (uint64_t i = begin * tiles->tail_pages; i < end * tiles->tail_pages; i++)
        clear_tile(tiles, first + i);
}

/* Layers have one tile of depth 1 each, so tile indices continue across layers. */
static void clear_level(const struct cup_tiles *tiles, unsigned level, const struct touched *box)
{
    for (unsigned z = box->slice / tiles->tile.depth; z <= box->slice_last / tiles->tile.depth; z++)
        for (unsigned y = box->y / tiles->tile.height; y <= box->y_last / tiles->tile.height; y++)
            for (unsigned x = box->x / tiles->tile.width; x <= box->x_last / tiles->tile.width; x++)
                clear_tile(tiles, index_of(tiles, level, 0, x, y, z));
}

void cup_tiles_drop(struct cup_tiles *tiles, unsigned level, const struct cup_copy *written)
{
    if (!tiles || tiles->whole) {
        if (!tiles || !is_mapped(tiles, 0))
            zero_box(written);
        return;
    }
    struct touched box = touched_by(&tiles->boxes[level], written);
    if (level < tiles->sparse.tail_first)
        clear_level(tiles, level, &box);
    else
        clear_tail(tiles, &box);
}

/* SPDX-License-Identifier: MIT */
/* Parts are small enough to keep all workers busy to the end and large enough to make the overhead
 * negligible. The duration of a block is learned from launch to launch.
 *
 * Long blocks are a whole part each. If the last of them were too, most workers would wait for the
 * end of the slowest, and a launch of fewer blocks than workers would leave workers idle. So the
 * last blocks are split, if their warps may run on several workers. The others are not: their warps
 * read much of the same memory, which is then in the cache of one processor.
 *
 * A block of 16 x 16 threads reads 16 short pieces of an image, far from each other, and the next
 * block what follows each of them. Hardware prefetches long pieces of few rows. So several such
 * blocks may run a row of threads at a time, as many as end before what they read leaves the cache.
 * That is slower where the rows of threads are columns of an image, so both ways are measured. */
#include "exec/sched/grid_parts.h"

#include "abi/launch.h"
#include "core/align.h"

enum {
    PARTS_PER_WORKER = 64, /* for a kernel without measurements */
    PART_NS_MIN = 10000,   /* the overhead of a part is about 100 ns */
    PART_NS_MAX = 1000000, /* other streams may wait for the worker */
    ALONE_NS_MAX = 15000,  /* below this, waking a worker does not pay */
    HELPER_NS = 10000,     /* a worker begins about so long after it is woken */
    SPLIT_PER_WORKER = 2,  /* blocks at the end of a launch */
    ROWS_NS = 50000,       /* reads some 500 KB at most */
    ROW_BLOCKS_MAX = 64,
};

static uint32_t pieces_of(const struct cup_grid_size *size)
{
    uint32_t warps = (size->block_threads - 1) / CUP_ABI_WARP_LANES + 1;

    if (!size->is_splittable || size->width < 2)
        return 1;
    return (uint32_t)cup_min(warps, cup_max(size->block_ns16 / (PART_NS_MIN * UINT64_C(16)), 1));
}

unsigned cup_grid_useful_width(const struct cup_grid_size *size)
{
    uint64_t block_ns16 = size->block_ns16, blocks_each;

    if (!block_ns16 || size->waits)
        return size->width;
    blocks_each = cup_max(HELPER_NS * UINT64_C(16) / block_ns16, 1);
    /* A launch of that many blocks has work for all, whether they are split or not. */
    if (size->blocks / blocks_each >= size->width)
        return size->width;
    return (unsigned)cup_min(size->width, size->blocks * pieces_of(size) / blocks_each + 1);
}

static uint64_t batch_of(const struct cup_grid_size *size)
{
    uint64_t block_ns16 = size->block_ns16, batch;

    if (size->waits && (!block_ns16 || size->one_by_one))
        return 1;
    if (block_ns16 && size->blocks <= ALONE_NS_MAX * UINT64_C(16) / block_ns16)
        return size->blocks;
    batch = size->blocks / ((uint64_t)size->width * PARTS_PER_WORKER);
    if (block_ns16) {
        batch = size->waits ? 1 : batch;
        batch = cup_max(batch, PART_NS_MIN * UINT64_C(16) / block_ns16);
        batch = cup_min(batch, PART_NS_MAX * UINT64_C(16) / block_ns16);
        batch = cup_min(batch, size->blocks / (4 * (uint64_t)size->width));
    }
    return cup_max(batch, 1);
}

uint32_t cup_grid_row_threads(const uint32_t grid[3], const uint32_t block[3])
{
    uint32_t x = block[0], row = 0;

    if (x % CUP_ABI_WARP_LANES == 0)
        row = x;
    else if (CUP_ABI_WARP_LANES % x == 0)
        row = CUP_ABI_WARP_LANES;
    return grid[0] > 1 && row < x * block[1] * block[2] ? row : 0;
}

/* The first launches take turns. Of the later ones few try what was slower: those whose number is a
 * power of two. */
static bool runs_by_rows(const struct cup_grid_size *size)
{
    enum { FIRST_LAUNCHES = 8 };
    uint64_t whole = size->fastest_ns16[0], rows = size->fastest_ns16[1];
    bool is_faster = rows + rows / 8 < whole;

    if (size->order_launches < FIRST_LAUNCHES || !whole || !rows)
        return size->order_launches % 2;
    return size->order_launches & (size->order_launches - 1) ? is_faster : !is_faster;
}

static void choose_rows(const struct cup_grid_size *size, struct cup_grid_parts *parts)
{
    uint64_t blocks = 0;

    if (size->row_threads && size->block_ns16 && runs_by_rows(size))
        blocks = cup_min(ROWS_NS * UINT64_C(16) / size->block_ns16, ROW_BLOCKS_MAX);
    parts->row_blocks = cup_max(cup_min(blocks, parts->batch), 1);
    parts->row_threads = parts->row_blocks > 1 ? size->row_threads : size->block_threads;
}

struct cup_grid_parts cup_grid_parts_choose(const struct cup_grid_size *size)
{
    struct cup_grid_parts parts = {.batch = batch_of(size),
                                   .whole = size->blocks,
                                   .pieces = pieces_of(size),
                                   .block_threads = size->block_threads};
    uint64_t split = (uint64_t)size->width * SPLIT_PER_WORKER;

    if (parts.batch == 1 && parts.pieces > 1) {
        uint32_t warps = (size->block_threads - 1) / CUP_ABI_WARP_LANES + 1;
        uint32_t piece_warps = (warps - 1) / parts.pieces + 1;

        parts.pieces = (warps - 1) / piece_warps + 1;
        parts.piece_threads = piece_warps * CUP_ABI_WARP_LANES;
        parts.whole = size->blocks > split ? size->blocks - split : 0;
    }
    choose_rows(size, &parts);
    parts.batches = (parts.whole + parts.batch - 1) / parts.batch;
    parts.count = parts.batches + (size->blocks - parts.whole) * parts.pieces;
    return parts;
}

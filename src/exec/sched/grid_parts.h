/* SPDX-License-Identifier: MIT */
/* How a launch is divided: into parts, which workers take one after the other. A part is some whole
 * blocks or, of kernels whose warps have nothing in common, some warps of one block. Short blocks
 * of such kernels may run together, a row of threads after the other. */
#ifndef CUP_EXEC_SCHED_GRID_PARTS_H
#define CUP_EXEC_SCHED_GRID_PARTS_H

#include <stdbool.h>
#include <stdint.h>

/* What the division depends on. */
struct cup_grid_size {
    uint64_t blocks;
    uint64_t block_ns16; /* duration of a block in 1/16 ns; 0: unknown */
    uint32_t block_threads;
    uint32_t row_threads;     /* of blocks that may run by rows (cup_grid_row_threads()); 0: not */
    uint32_t order_launches;  /* earlier ones of such blocks */
    uint32_t fastest_ns16[2]; /* of such a block: whole, by rows; 0: unknown */
    unsigned width;           /* threads that may run the launch at the same time */
    bool waits;               /* blocks may wait for each other's workers */
    bool one_by_one;          /* blocks wait for other blocks, or spin */
    bool is_splittable;       /* the warps of a block may run on several workers */
};

struct cup_grid_parts {
    uint64_t count;
    uint64_t batch;         /* blocks of a part */
    uint64_t batches;       /* parts of whole blocks, before those of split ones */
    uint64_t whole;         /* blocks of these parts */
    uint32_t pieces;        /* parts of a block that is split */
    uint32_t piece_threads; /* of each, but the last one may have fewer */
    uint32_t block_threads;
    uint32_t row_threads; /* that run in all of `row_blocks` blocks before the next ones do */
    uint64_t row_blocks;
};

struct cup_grid_part {
    uint64_t first, end;   /* blocks */
    uint32_t thread_first; /* of each of them; a multiple of 32 */
    uint32_t thread_end;
};

/* The threads of whole rows of a block that are whole warps, as few as possible; 0: the blocks have
 * one row, or do not lie side by side. */
uint32_t cup_grid_row_threads(const uint32_t grid[3], const uint32_t block[3]);

/* The number of threads among size->width that still find work when they begin. */
unsigned cup_grid_useful_width(const struct cup_grid_size *size);

struct cup_grid_parts cup_grid_parts_choose(const struct cup_grid_size *size);

static inline struct cup_grid_part cup_grid_part_at(const struct cup_grid_parts *parts,
                                                    uint64_t number)
{
    uint64_t first;
    uint32_t piece;

    if (number < parts->batches) {
        first = number * parts->batch;
        return (struct cup_grid_part){
            .first = first,
            .end = parts->whole - first < parts->batch ? parts->whole : first + parts->batch,
            .thread_end = parts->block_threads};
    }
    first = parts->whole + (number - parts->batches) / parts->pieces;
    piece = (uint32_t)((number - parts->batches) % parts->pieces);
    return (struct cup_grid_part){.first = first,
                                  .end = first + 1,
                                  .thread_first = piece * parts->piece_threads,
                                  .thread_end = piece + 1 == parts->pieces
                                                    ? parts->block_threads
                                                    : (piece + 1) * parts->piece_threads};
}

#endif

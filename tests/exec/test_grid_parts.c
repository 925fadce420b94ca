/* SPDX-License-Identifier: MIT */
/* exec/sched/grid_parts.h: parts are all threads of all blocks, each once, and as many as pay off.
 */
#include "exec/sched/grid_parts.h"
#include "test.h"

enum { US16 = 16000 }; /* a microsecond in 1/16 ns */

/* Parts are in order and have no gaps. */
static struct cup_grid_parts check_parts(const struct cup_grid_size *size)
{
    struct cup_grid_parts parts = cup_grid_parts_choose(size);
    uint64_t block = 0;
    uint32_t thread = 0;

    for (uint64_t i = 0; i < parts.count; i++) {
        struct cup_grid_part part = cup_grid_part_at(&parts, i);

        check(part.first == block && part.end > part.first && part.thread_first == thread);
        check(part.thread_end > part.thread_first && part.thread_end <= size->block_threads);
        check(part.thread_first % 32 == 0);
        check(part.end == part.first + 1 ||
              (part.thread_first == 0 && part.thread_end == size->block_threads));
        if (part.thread_end == size->block_threads) {
            block = part.end;
            thread = 0;
        } else {
            check(part.thread_end % 32 == 0);
            thread = part.thread_end;
        }
    }
    check(block == size->blocks && thread == 0);
    return parts;
}

TEST(parts_are_all_threads_once)
{
    static const uint64_t blocks[] = {1, 2, 3, 15, 16, 17, 64, 1000, 65537};
    static const uint32_t threads[] = {1, 31, 32, 33, 96, 1000, 1024};
    static const uint64_t durations[] = {0, 1, 16, US16, 30 * US16, 1000 * US16, UINT32_MAX};

    for (unsigned i = 0; i < sizeof blocks / sizeof *blocks; i++)
        for (unsigned k = 0; k < sizeof threads / sizeof *threads; k++)
            for (unsigned d = 0; d < sizeof durations / sizeof *durations; d++)
                for (unsigned width = 1; width <= 64; width *= 4)
                    for (unsigned splits = 0; splits < 2; splits++) {
                        struct cup_grid_size size = {.blocks = blocks[i],
                                                     .block_ns16 = durations[d],
                                                     .block_threads = threads[k],
                                                     .width = width,
                                                     .is_splittable = splits};

                        check_parts(&size);
                        size.width = cup_grid_useful_width(&size);
                        check(size.width >= 1 && size.width <= width);
                        check_parts(&size);
                    }
}

TEST(one_long_block_occupies_all_workers)
{
    struct cup_grid_size size = {.blocks = 1,
                                 .block_ns16 = 1000 * US16,
                                 .block_threads = 1024,
                                 .width = 16,
                                 .is_splittable = true};

    check(cup_grid_useful_width(&size) == 16);
    check(check_parts(&size).count == 32);
}

TEST(short_blocks_and_blocks_with_shared_memory_are_whole)
{
    struct cup_grid_size size = {.blocks = 1,
                                 .block_ns16 = 12 * US16,
                                 .block_threads = 1024,
                                 .width = 16,
                                 .is_splittable = true};

    check(check_parts(&size).count == 1);
    size.block_ns16 = 1000 * US16;
    size.is_splittable = false;
    check(cup_grid_useful_width(&size) == 2);
    check(check_parts(&size).count == 1);
}

TEST(only_the_last_blocks_are_split)
{
    struct cup_grid_size size = {.blocks = 1000,
                                 .block_ns16 = 500 * US16,
                                 .block_threads = 128,
                                 .width = 16,
                                 .is_splittable = true};
    struct cup_grid_parts parts = check_parts(&size);

    check(parts.whole == 1000 - 2 * 16 && parts.count == parts.whole + 4 * 2 * 16);
}

TEST(rows_of_threads_are_whole_warps)
{
    static const struct {
        uint32_t grid, block[3], row;
    } known[] = {
        {10, {16, 16, 1}, 32}, {10, {64, 4, 1}, 64}, {10, {8, 4, 4}, 32},  {10, {32, 1, 2}, 32},
        {10, {1, 64, 1}, 32},  {10, {20, 5, 1}, 0},  {10, {256, 1, 1}, 0}, {10, {16, 2, 1}, 0},
        {10, {4, 4, 1}, 0},    {1, {16, 16, 1}, 0},
    };

    for (unsigned i = 0; i < sizeof known / sizeof *known; i++) {
        const uint32_t grid[3] = {known[i].grid, 7, 1};

        check(cup_grid_row_threads(grid, known[i].block) == known[i].row);
    }
}

static bool by_rows(struct cup_grid_size size, uint32_t launch)
{
    size.order_launches = launch;
    return cup_grid_parts_choose(&size).row_blocks > 1;
}

TEST(blocks_run_by_rows_where_that_is_faster)
{
    struct cup_grid_size size = {.blocks = 100000,
                                 .block_ns16 = 2 * US16,
                                 .block_threads = 256,
                                 .row_threads = 32,
                                 .width = 4,
                                 .is_splittable = true};

    for (uint32_t launch = 0; launch < 8; launch++)
        check(by_rows(size, launch) == launch % 2);
    size.fastest_ns16[0] = 2 * US16;
    size.fastest_ns16[1] = US16;
    check(by_rows(size, 9) && by_rows(size, 100) && !by_rows(size, 64));
    size.fastest_ns16[1] = 3 * US16;
    check(!by_rows(size, 9) && !by_rows(size, 100) && by_rows(size, 64));
    check(check_parts(&size).row_blocks <= check_parts(&size).batch);
}

TEST(long_blocks_and_blocks_of_one_row_run_whole)
{
    struct cup_grid_size size = {.blocks = 100000,
                                 .block_ns16 = 40 * US16,
                                 .block_threads = 256,
                                 .row_threads = 32,
                                 .order_launches = 1,
                                 .width = 4,
                                 .is_splittable = true};

    check(cup_grid_parts_choose(&size).row_blocks == 1);
    size.block_ns16 = US16;
    check(cup_grid_parts_choose(&size).row_blocks > 1);
    size.row_threads = 0;
    check(cup_grid_parts_choose(&size).row_blocks == 1);
    size.row_threads = 32;
    size.block_ns16 = 0;
    check(cup_grid_parts_choose(&size).row_blocks == 1);
}

/* SPDX-License-Identifier: MIT */
/* Bands of rows are large enough that starting one costs little, and several to a processor, so
 * that none waits long for the others. */
#include "bands.h"

#include <common/work.h>

enum { BAND_COST = 16384, BANDS_PER_THREAD = 4 };

struct split {
    npp_band_function *band;
    void *arguments;
    int rows;
    size_t count;
};

static void run_band(void *arguments, size_t index)
{
    const struct split *split = arguments;
    size_t rows = (size_t)split->rows;

    split->band(split->arguments, (int)(rows * index / split->count),
                (int)(rows * (index + 1) / split->count));
}

void npp_bands(int rows, size_t row_cost, npp_band_function *band, void *arguments)
{
    struct split split = {.band = band, .arguments = arguments, .rows = rows};
    size_t most = (size_t)lib_parallel_width() * BANDS_PER_THREAD;

    split.count = (size_t)rows * (row_cost ? row_cost : 1) / BAND_COST + 1;
    if (split.count > most)
        split.count = most;
    if (split.count > (size_t)rows)
        split.count = (size_t)rows;
    if (split.count <= 1)
        band(arguments, 0, rows);
    else
        lib_parallel(split.count, run_band, &split);
}

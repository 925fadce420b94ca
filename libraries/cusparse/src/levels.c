/* SPDX-License-Identifier: MIT */
/* Levels by one pass over the matrix: the level of a row is one more than the highest among the
 * rows that it needs. Rows are then sorted by level, and narrow levels are joined. */
#include "levels.h"

#include <stdatomic.h>
#include <stdlib.h>

/* The least number of elements in a level that is worth waking other threads for. */
enum { WIDE_ELEMENTS = 1 << 14 };

struct sparse_levels {
    atomic_int owners;
    /* The system that the levels are of. */
    const void *offsets, *indices;
    int64_t rows;
    bool upper;
    /* Its rows. */
    int64_t *order;
    struct sparse_level_group *groups;
    int64_t group_count;
};

struct sparse_levels *sparse_levels_create(void)
{
    struct sparse_levels *levels = calloc(1, sizeof(*levels));

    if (levels)
        atomic_init(&levels->owners, 1);
    return levels;
}

struct sparse_levels *sparse_levels_reference(struct sparse_levels *levels)
{
    if (levels)
        atomic_fetch_add(&levels->owners, 1);
    return levels;
}

static void clear(struct sparse_levels *levels)
{
    free(levels->order);
    free(levels->groups);
    levels->order = NULL;
    levels->groups = NULL;
    levels->group_count = 0;
}

void sparse_levels_release(struct sparse_levels *levels)
{
    if (!levels || atomic_fetch_sub(&levels->owners, 1) > 1)
        return;
    clear(levels);
    free(levels);
}

/* The level of each row, from 1 on; returns the highest. */
static int64_t number_rows(const struct sparse_view *view, bool upper, int64_t *level)
{
    int64_t highest = 0;

    for (int64_t i = 0; i < view->rows; i++) {
        int64_t r = upper ? view->rows - 1 - i : i, most = 0;

        for (int64_t k = sparse_view_offset(view, r); k < sparse_view_offset(view, r + 1); k++) {
            int64_t c = sparse_view_index(view, k);

            if (c != r && (c > r) == upper && level[c] > most)
                most = level[c];
        }
        level[r] = most + 1;
        if (most + 1 > highest)
            highest = most + 1;
    }
    return highest;
}

/* Sorts rows by level. `begins` has a place for each level and two more, zeroed: afterwards level l
 * ends at begins[l]. */
static void sort_rows(int64_t rows, const int64_t *level, int64_t highest, int64_t *begins,
                      int64_t *order)
{
    for (int64_t r = 0; r < rows; r++)
        begins[level[r] + 1]++;
    for (int64_t l = 1; l <= highest; l++)
        begins[l + 1] += begins[l];
    for (int64_t r = 0; r < rows; r++)
        order[begins[level[r]]++] = r;
}

static bool is_wide(const struct sparse_view *view, const int64_t *order, int64_t begin,
                    int64_t end)
{
    int64_t elements = end - begin;

    for (int64_t i = begin; i < end && elements < WIDE_ELEMENTS; i++)
        elements += sparse_view_offset(view, order[i] + 1) - sparse_view_offset(view, order[i]);
    return elements >= WIDE_ELEMENTS;
}

/* Joins narrow levels; returns the number of groups, or 0 if none is wide. */
static int64_t group_levels(const struct sparse_view *view, const int64_t *order,
                            const int64_t *ends, int64_t highest, struct sparse_level_group *groups)
{
    int64_t count = 0, begin = 0;
    bool any = false;

    for (int64_t l = 1; l <= highest; begin = ends[l], l++) {
        bool wide = is_wide(view, order, begin, ends[l]);

        any = any || wide;
        if (!wide && count && !groups[count - 1].wide)
            groups[count - 1].end = ends[l];
        else
            groups[count++] = (struct sparse_level_group){begin, ends[l], wide};
    }
    return any ? count : 0;
}

CUresult sparse_levels_make(struct sparse_levels *levels, const struct cusparseSpMatDescr *matrix,
                            const struct sparse_view *view, const struct sparse_triangle *triangle)
{
    int64_t *level = NULL, *ends = NULL, highest;
    CUresult result = CUDA_ERROR_OUT_OF_MEMORY;

    clear(levels);
    if (triangle->transposed || lib_parallel_width() < 2 || view->nnz < WIDE_ELEMENTS)
        return CUDA_SUCCESS;
    level = malloc((size_t)view->rows * sizeof(*level));
    levels->order = malloc((size_t)view->rows * sizeof(*levels->order));
    if (!level || !levels->order)
        goto done;
    highest = number_rows(view, triangle->upper, level);
    ends = calloc((size_t)highest + 2, sizeof(*ends));
    levels->groups = malloc((size_t)highest * sizeof(*levels->groups));
    if (!ends || !levels->groups)
        goto done;
    sort_rows(view->rows, level, highest, ends, levels->order);
    levels->group_count = group_levels(view, levels->order, ends, highest, levels->groups);
    levels->offsets = matrix->offsets;
    levels->indices = matrix->indices;
    levels->rows = matrix->rows;
    levels->upper = triangle->upper;
    result = CUDA_SUCCESS;

done:
    if (result != CUDA_SUCCESS || !levels->group_count)
        clear(levels);
    free(level);
    free(ends);
    return result;
}

int64_t sparse_levels_of(const struct sparse_levels *levels,
                         const struct cusparseSpMatDescr *matrix,
                         const struct sparse_triangle *triangle,
                         const struct sparse_level_group **groups, const int64_t **order)
{
    if (!levels || triangle->transposed || levels->upper != triangle->upper ||
        levels->offsets != matrix->offsets || levels->indices != matrix->indices ||
        levels->rows != matrix->rows || matrix->batch_count > 1)
        return 0;
    *groups = levels->groups;
    *order = levels->order;
    return levels->group_count;
}

/* SPDX-License-Identifier: MIT */
/* The loops over rows for one pair of element types and one pair of index types. */

static void JOIN(ROWS, row_sums)(const struct sparse_view *view, int64_t first, int64_t last,
                                 const void *x, void *sums, bool conjugates)
{
    const OFFSET *offsets = view->offsets;
    const INDEX *indices = (const INDEX *)view->indices - view->index_base;
    const STORED *values = (const STORED *)view->values - view->index_base;
    const SUM *vector = (const SUM *)x - view->index_base;
    SUM *out = sums;

    for (int64_t r = first; r < last; r++) {
        OFFSET end = offsets[r + 1];
        SUM sum = 0;

        if (conjugates) {
            for (OFFSET k = offsets[r]; k < end; k++) {
                SUM value = LOAD(values[k]);

                sum += CONJUGATE(value) * vector[indices[k]];
            }
        } else {
            for (OFFSET k = offsets[r]; k < end; k++)
                sum += LOAD(values[k]) * vector[indices[k]];
        }
        out[r - first] = sum;
    }
}

/* Columns [0, BLOCK) of the product of a row, kept in registers. */
#define ROW_BLOCK(BLOCK)                                                                           \
    static inline void JOIN(ROWS, JOIN(block, BLOCK))(                                             \
        const INDEX *indices, const STORED *values, int64_t begin, int64_t end, const SUM *matrix, \
        int64_t ldx, SUM *out, bool conjugates)                                                    \
    {                                                                                              \
        SUM sums[BLOCK] = {0};                                                                     \
                                                                                                   \
        for (int64_t k = begin; k < end; k++) {                                                    \
            SUM value = LOAD(values[k]);                                                           \
            const SUM *row = matrix + indices[k] * ldx;                                            \
                                                                                                   \
            value = conjugates ? CONJUGATE(value) : value;                                         \
            for (int j = 0; j < BLOCK; j++)                                                        \
                sums[j] += value * row[j];                                                         \
        }                                                                                          \
        for (int j = 0; j < BLOCK; j++)                                                            \
            out[j] = sums[j];                                                                      \
    }

ROW_BLOCK(32)
ROW_BLOCK(8)
ROW_BLOCK(1)

static void JOIN(ROWS, row_tiles)(const struct sparse_view *view, int64_t first, int64_t last,
                                  const void *x, int64_t ldx, int64_t columns, void *tile,
                                  bool conjugates)
{
    const OFFSET *offsets = view->offsets;
    const INDEX *indices = (const INDEX *)view->indices - view->index_base;
    const STORED *values = (const STORED *)view->values - view->index_base;
    const SUM *matrix = (const SUM *)x - view->index_base * ldx;
    SUM *out = tile;

    for (int64_t r = first; r < last; r++, out += columns) {
        int64_t begin = offsets[r], end = offsets[r + 1], j = 0;

        for (; j + 32 <= columns; j += 32)
            JOIN(ROWS, block32)
        (indices, values, begin, end, matrix + j, ldx, out + j, conjugates);
        for (; j + 8 <= columns; j += 8)
            JOIN(ROWS, block8)
        (indices, values, begin, end, matrix + j, ldx, out + j, conjugates);
        for (; j < columns; j++)
            JOIN(ROWS, block1)
        (indices, values, begin, end, matrix + j, ldx, out + j, conjugates);
    }
}

static void JOIN(ROWS, scatter)(const struct sparse_view *view, int64_t first, int64_t last,
                                const void *x, int64_t ldx, int64_t columns, void *out, int64_t ldo,
                                bool conjugates)
{
    const OFFSET *offsets = view->offsets;
    const INDEX *indices = (const INDEX *)view->indices - view->index_base;
    const STORED *values = (const STORED *)view->values - view->index_base;
    SUM *sums = (SUM *)out - view->index_base * ldo;

    for (int64_t r = first; r < last; r++) {
        const SUM *row = (const SUM *)x + r * ldx;

        for (OFFSET k = offsets[r]; k < offsets[r + 1]; k++) {
            SUM value = LOAD(values[k]), *to = sums + indices[k] * ldo;

            value = conjugates ? CONJUGATE(value) : value;
            for (int64_t j = 0; j < columns; j++)
                to[j] += value * row[j];
        }
    }
}

#undef ROW_BLOCK
#undef ROWS
#undef OFFSET
#undef INDEX

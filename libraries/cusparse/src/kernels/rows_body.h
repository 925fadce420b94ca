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

        /* Rows are short: without these, the processor waits for each new line of the arrays. */
        __builtin_prefetch(values + end + PREFETCH_ELEMENTS);
        __builtin_prefetch(indices + end + PREFETCH_ELEMENTS);

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

/* Some columns of the product of a row, kept in `VECTORS` vectors of the type VECTOR. Elements take
 * turns between two sums, so that one addition does not wait for the other. The rows of x that the
 * matrix takes next stand anywhere, so the processor does not foresee them: each is fetched while
 * an earlier one is multiplied. */
#define ROW_BLOCK(name, VECTOR, VECTORS)                                                           \
    static inline void JOIN(ROWS, name)(const INDEX *indices, const STORED *values,                \
                                        struct sparse_span span, const SUM *matrix, int64_t ldx,   \
                                        SUM *out, SUM alpha, SUM beta, bool conjugates)            \
    {                                                                                              \
        VECTOR sums[VECTORS] = {0}, others[VECTORS] = {0};                                         \
        int64_t k = span.begin;                                                                    \
                                                                                                   \
        for (; k + 1 < span.end; k += 2) {                                                         \
            SUM value = LOAD(values[k]), other = LOAD(values[k + 1]);                              \
            const VECTOR *row = (const VECTOR *)(matrix + indices[k] * ldx);                       \
            const VECTOR *next = (const VECTOR *)(matrix + indices[k + 1] * ldx);                  \
            int64_t ahead = k + PREFETCH_ROWS < span.last ? k + PREFETCH_ROWS : span.last;         \
                                                                                                   \
            prefetch_vectors(matrix + indices[ahead] * ldx, sizeof(sums));                         \
            prefetch_vectors(matrix + indices[ahead + 1] * ldx, sizeof(sums));                     \
            value = conjugates ? CONJUGATE(value) : value;                                         \
            other = conjugates ? CONJUGATE(other) : other;                                         \
            for (int j = 0; j < (VECTORS); j++) {                                                  \
                sums[j] += value * row[j];                                                         \
                others[j] += other * next[j];                                                      \
            }                                                                                      \
        }                                                                                          \
        if (k < span.end) {                                                                        \
            SUM value = LOAD(values[k]);                                                           \
            const VECTOR *row = (const VECTOR *)(matrix + indices[k] * ldx);                       \
                                                                                                   \
            value = conjugates ? CONJUGATE(value) : value;                                         \
            for (int j = 0; j < (VECTORS); j++)                                                    \
                sums[j] += value * row[j];                                                         \
        }                                                                                          \
        for (int j = 0; j < (VECTORS); j++) {                                                      \
            VECTOR sum = alpha * (sums[j] + others[j]);                                            \
                                                                                                   \
            if (beta != 0)                                                                         \
                sum += beta * ((VECTOR *)out)[j];                                                  \
            ((VECTOR *)out)[j] = sum;                                                              \
        }                                                                                          \
    }

ROW_BLOCK(wide, WIDE_VECTOR, 2)
ROW_BLOCK(narrow, NARROW_VECTOR, 1)
ROW_BLOCK(least, LEAST_VECTOR, 1)
ROW_BLOCK(single, SUM, 1)

static void JOIN(ROWS, row_tiles)(const struct sparse_view *view, int64_t first, int64_t last,
                                  const void *x, int64_t ldx, int64_t columns, void *y, int64_t ldy,
                                  const struct sparse_scaling *scaling)
{
    const OFFSET *offsets = view->offsets;
    const INDEX *indices = (const INDEX *)view->indices - view->index_base;
    const STORED *values = (const STORED *)view->values - view->index_base;
    const SUM *matrix = (const SUM *)x - view->index_base * ldx;
    const SUM alpha = *(const SUM *)scaling->alpha, beta = *(const SUM *)scaling->beta;
    SUM *out = y;

    for (int64_t r = first; r < last; r++, out += ldy) {
        struct sparse_span span = {offsets[r], offsets[r + 1], offsets[view->rows] - 2};
        int64_t j = 0;

        for (; j + WIDE_COLUMNS <= columns; j += WIDE_COLUMNS)
            JOIN(ROWS, wide)
        (indices, values, span, matrix + j, ldx, out + j, alpha, beta, scaling->conjugates);
        for (; j + NARROW_COLUMNS <= columns; j += NARROW_COLUMNS)
            JOIN(ROWS, narrow)
        (indices, values, span, matrix + j, ldx, out + j, alpha, beta, scaling->conjugates);
        for (; j + LEAST_COLUMNS <= columns; j += LEAST_COLUMNS)
            JOIN(ROWS, least)
        (indices, values, span, matrix + j, ldx, out + j, alpha, beta, scaling->conjugates);
        for (; j < columns; j++)
            JOIN(ROWS, single)
        (indices, values, span, matrix + j, ldx, out + j, alpha, beta, scaling->conjugates);
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

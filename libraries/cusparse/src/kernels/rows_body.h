/* SPDX-License-Identifier: MIT */
/* The loops over rows for one pair of element types and one pair of index types. */

/* The sum of a row of few elements, one after the other: vector instructions would cost more than
 * they save. The statement without instructions keeps the compiler from using them. */
static inline SUM JOIN(ROWS, short_sum)(const INDEX *indices, const STORED *values, OFFSET k,
                                        OFFSET end, const SUM *vector)
{
    SUM sum = 0;

    for (; k < end; k++) {
        sum += LOAD(values[k]) * vector[indices[k]];
        __asm__("" : "+r"(k));
    }
    return sum;
}

static void JOIN(ROWS, row_sums)(const struct sparse_view *view, int64_t first, int64_t last,
                                 const void *x, void *y, const struct sparse_scaling *scaling)
{
    const OFFSET *offsets = view->offsets;
    const INDEX *indices = (const INDEX *)view->indices - view->index_base;
    const STORED *values = (const STORED *)view->values - view->index_base;
    const SUM *vector = (const SUM *)x - view->index_base;
    const SUM alpha = *(const SUM *)scaling->alpha, beta = *(const SUM *)scaling->beta;
    SUM *out = (SUM *)y - first;

    for (int64_t r = first; r < last; r++) {
        OFFSET begin = offsets[r], end = offsets[r + 1];
        SUM sum = 0;

        /* Without these, the processor waits for each new line of the arrays. */
        __builtin_prefetch(values + end + PREFETCH_ELEMENTS);
        __builtin_prefetch(indices + end + PREFETCH_ELEMENTS);

        if (scaling->conjugates) {
            for (OFFSET k = begin; k < end; k++) {
                SUM value = LOAD(values[k]);

                sum += CONJUGATE(value) * vector[indices[k]];
            }
        } else if (end - begin < SHORT_ROW) {
            sum = JOIN(ROWS, short_sum)(indices, values, begin, end, vector);
        } else {
            for (OFFSET k = begin; k < end; k++)
                sum += LOAD(values[k]) * vector[indices[k]];
        }
        out[r] = beta != 0 ? alpha * sum + beta * out[r] : alpha * sum;
    }
}

/* Some columns of the product of a row, kept in `VECTORS` vectors of the type VECTOR; KIND names
 * the operations. The rows of x that the matrix takes next stand anywhere, so the processor does
 * not foresee them: each is fetched while an earlier one is multiplied. */
#define ROW_BLOCK(name, VECTOR, VECTORS, KIND)                                                     \
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
            for (int j = 0; j < (VECTORS); j++)                                                    \
                ADD_PAIR_##KIND(sums[j], others[j], value, row[j], other, next[j]);                \
        }                                                                                          \
        if (k < span.end) {                                                                        \
            SUM value = LOAD(values[k]);                                                           \
            const VECTOR *row = (const VECTOR *)(matrix + indices[k] * ldx);                       \
                                                                                                   \
            value = conjugates ? CONJUGATE(value) : value;                                         \
            for (int j = 0; j < (VECTORS); j++)                                                    \
                ADD_##KIND(sums[j], others[j], value, row[j]);                                     \
        }                                                                                          \
        for (int j = 0; j < (VECTORS); j++) {                                                      \
            VECTOR sum = sums[j], old;                                                             \
                                                                                                   \
            JOIN_##KIND(VECTOR, sum, others[j]);                                                   \
            SCALE_##KIND(VECTOR, sum, alpha);                                                      \
            if (beta != 0) {                                                                       \
                old = ((VECTOR *)out)[j];                                                          \
                SCALE_##KIND(VECTOR, old, beta);                                                   \
                sum += old;                                                                        \
            }                                                                                      \
            ((VECTOR *)out)[j] = sum;                                                              \
        }                                                                                          \
    }

#if WIDEST_VECTORS > 2
ROW_BLOCK(widest, WIDE_VECTOR, WIDEST_VECTORS, VECTOR)
#endif
ROW_BLOCK(wide, WIDE_VECTOR, 2, VECTOR)
ROW_BLOCK(narrow, NARROW_VECTOR, 1, VECTOR)
ROW_BLOCK(least, LEAST_VECTOR, 1, VECTOR)
ROW_BLOCK(single, SUM, 1, NUMBER)

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

#if WIDEST_VECTORS > 2
        for (; j + WIDEST_COLUMNS <= columns; j += WIDEST_COLUMNS)
            JOIN(ROWS, widest)
        (indices, values, span, matrix + j, ldx, out + j, alpha, beta, scaling->conjugates);
#endif
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

/* Adds multiples of one number for each row. */
static void JOIN(ROWS, scatter_vector)(const struct sparse_view *view, int64_t first, int64_t last,
                                       const SUM *x, int64_t ldx, SUM *sums, int64_t ldo,
                                       const struct sparse_scaling *scaling)
{
    const OFFSET *offsets = view->offsets;
    const INDEX *indices = (const INDEX *)view->indices - view->index_base;
    const STORED *values = (const STORED *)view->values - view->index_base;
    const SUM alpha = *(const SUM *)scaling->alpha;

    for (int64_t r = first; r < last; r++) {
        const SUM number = alpha * x[r * ldx];

        if (scaling->conjugates)
            for (OFFSET k = offsets[r]; k < offsets[r + 1]; k++) {
                SUM value = LOAD(values[k]);

                sums[indices[k] * ldo] += CONJUGATE(value) * number;
            }
        else if (ldo == 1)
            for (OFFSET k = offsets[r]; k < offsets[r + 1]; k++)
                sums[indices[k]] += LOAD(values[k]) * number;
        else
            for (OFFSET k = offsets[r]; k < offsets[r + 1]; k++)
                sums[indices[k] * ldo] += LOAD(values[k]) * number;
    }
}

/* to += value * row. */
static inline void JOIN(ROWS, add_row)(SUM *to, SUM value, const SUM *row, int64_t columns)
{
    int64_t j = 0;

#ifndef COMPLEX_SUM
    for (; j + WIDE_COLUMNS / 2 <= columns; j += WIDE_COLUMNS / 2)
        *(WIDE_VECTOR *)(to + j) += value * *(const WIDE_VECTOR *)(row + j);
    for (; j + NARROW_COLUMNS <= columns; j += NARROW_COLUMNS)
        *(NARROW_VECTOR *)(to + j) += value * *(const NARROW_VECTOR *)(row + j);
    for (; j + LEAST_COLUMNS <= columns; j += LEAST_COLUMNS)
        *(LEAST_VECTOR *)(to + j) += value * *(const LEAST_VECTOR *)(row + j);
#endif
    for (; j < columns; j++)
        to[j] += value * row[j];
}

static void JOIN(ROWS, scatter)(const struct sparse_view *view, int64_t first, int64_t last,
                                const void *x, int64_t ldx, int64_t columns, void *out, int64_t ldo,
                                const struct sparse_scaling *scaling)
{
    const OFFSET *offsets = view->offsets;
    const INDEX *indices = (const INDEX *)view->indices - view->index_base;
    const STORED *values = (const STORED *)view->values - view->index_base;
    const SUM alpha = *(const SUM *)scaling->alpha;
    SUM *sums = (SUM *)out - view->index_base * ldo;

    if (columns == 1) {
        JOIN(ROWS, scatter_vector)(view, first, last, x, ldx, sums, ldo, scaling);
        return;
    }
    for (int64_t r = first; r < last; r++) {
        const SUM *row = (const SUM *)x + r * ldx;

        for (OFFSET k = offsets[r]; k < offsets[r + 1]; k++) {
            SUM value = LOAD(values[k]);

            value = alpha * (scaling->conjugates ? CONJUGATE(value) : value);
            JOIN(ROWS, add_row)(sums + indices[k] * ldo, value, row, columns);
        }
    }
}

#undef ROW_BLOCK
#undef ROWS
#undef OFFSET
#undef INDEX

/* SPDX-License-Identifier: MIT */
/* The loops over rows for one pair of element types and one pair of index types. */

/* The sums of rows of `count` elements each, one after the other: the processor guesses their ends,
 * and vector instructions would cost more than they save. The statements without instructions keep
 * the compiler from using them. `count` is a constant, or else a row takes EQUAL_STEP elements at a
 * time. */
static inline __attribute__((always_inline)) void
JOIN(ROWS, equal_rows)(int64_t rows, int64_t count, const INDEX *indices, const STORED *values,
                       const SUM *vector, SUM *sums)
{
    for (int64_t r = 0; r < rows; r++) {
        int64_t rest = count;
        SUM sum = 0;

        for (; rest > EQUAL_STEP; rest -= EQUAL_STEP) {
            __builtin_prefetch(values + PREFETCH_ELEMENTS);
            __builtin_prefetch(indices + PREFETCH_ELEMENTS);
            for (int64_t k = 0; k < EQUAL_STEP; k++) {
                sum += LOAD(values[k]) * vector[indices[k]];
                __asm__("" : "+r"(indices), "+r"(values));
            }
            indices += EQUAL_STEP;
            values += EQUAL_STEP;
        }
        for (int64_t k = 0; k < rest; k++) {
            sum += LOAD(values[k]) * vector[indices[k]];
            __asm__("" : "+r"(indices), "+r"(values));
        }
        indices += rest;
        values += rest;
        sums[r] = sum;
    }
}

#define EQUAL_ROWS(count)                                                                          \
    case count:                                                                                    \
        JOIN(ROWS, equal_rows)(rows, count, indices, values, vector, sums);                        \
        break;

static inline void JOIN(ROWS, equal_sums)(int64_t rows, int64_t count, const INDEX *indices,
                                          const STORED *values, const SUM *vector, SUM *sums)
{
    switch (count) {
        EQUAL_ROWS(1)
        EQUAL_ROWS(2)
        EQUAL_ROWS(3)
        EQUAL_ROWS(4)
        EQUAL_ROWS(5)
        EQUAL_ROWS(6)
        EQUAL_ROWS(7)
        EQUAL_ROWS(8)
        EQUAL_ROWS(16)
    default:
        JOIN(ROWS, equal_rows)(rows, count, indices, values, vector, sums);
    }
}

/* The sum of one row. Without the prefetches, the processor waits for each new line of the arrays.
 */
static inline SUM JOIN(ROWS, row_sum)(const INDEX *indices, const STORED *values, OFFSET begin,
                                      OFFSET end, const SUM *vector, bool conjugates)
{
    SUM sum = 0;

    __builtin_prefetch(values + end + PREFETCH_ELEMENTS);
    __builtin_prefetch(indices + end + PREFETCH_ELEMENTS);
    if (conjugates) {
        for (OFFSET k = begin; k < end; k++) {
            SUM value = LOAD(values[k]);

            sum += CONJUGATE(value) * vector[indices[k]];
        }
        return sum;
    }
    if (PLAIN_ROWS && end - begin <= PLAIN_ROW) {
        JOIN(ROWS, equal_rows)(1, end - begin, indices + begin, values + begin, vector, &sum);
        return sum;
    }
    for (OFFSET k = begin; k < end; k++)
        sum += LOAD(values[k]) * vector[indices[k]];
    return sum;
}

#ifndef COMPLEX_SUM
/* The sums of rows of different lengths: all their elements are multiplied first. */
static inline void JOIN(ROWS, short_sums)(const OFFSET *offsets, int64_t rows, const INDEX *indices,
                                          const STORED *values, const SUM *vector, SUM *sums)
{
    const int64_t count = offsets[rows] - offsets[0];
    SUM products[PRODUCTS_MOST + GROUP_ROWS];

    for (int64_t k = 0; k < count; k++)
        products[k] = LOAD(values[k]) * vector[indices[k]];
    for (int64_t r = 0; r < rows; r += GROUP_ROWS) {
        int32_t begin[GROUP_ROWS + 1];

        for (int64_t i = 0; i <= GROUP_ROWS; i++)
            begin[i] = (int32_t)(offsets[r + i < rows ? r + i : rows] - offsets[0]);
        JOIN(PAIR, _add_rows)(products, begin, sums + r);
    }
}

static inline bool JOIN(ROWS, has_equal_rows)(const OFFSET *offsets, int64_t rows)
{
    OFFSET count = offsets[1] - offsets[0], differs = 0;

    for (int64_t r = 0; r < rows; r++)
        differs |= (offsets[r + 1] - offsets[r]) ^ count;
    return differs == 0;
}
#endif

/* The sums of CHUNK_ROWS rows at most. */
static inline void JOIN(ROWS, chunk_sums)(const OFFSET *offsets, int64_t rows, const INDEX *indices,
                                          const STORED *values, const SUM *vector, SUM *sums,
                                          bool conjugates)
{
#ifndef COMPLEX_SUM
    const OFFSET begin = offsets[0], end = offsets[rows];

    if (end - begin <= PRODUCTS_MOST) {
        if (JOIN(ROWS, has_equal_rows)(offsets, rows))
            JOIN(ROWS, equal_sums)
        (rows, offsets[1] - begin, indices + begin, values + begin, vector, sums);
        else JOIN(ROWS, short_sums)(offsets, rows, indices + begin, values + begin, vector, sums);
        return;
    }
#endif
    for (int64_t r = 0; r < rows; r++)
        sums[r] =
            JOIN(ROWS, row_sum)(indices, values, offsets[r], offsets[r + 1], vector, conjugates);
}

static void JOIN(ROWS, row_sums)(const struct sparse_view *view, int64_t first, int64_t last,
                                 const void *x, void *y, const struct sparse_scaling *scaling)
{
    const OFFSET *offsets = view->offsets;
    const INDEX *indices = (const INDEX *)view->indices - view->index_base;
    const STORED *values = (const STORED *)view->values - view->index_base;
    const SUM *vector = (const SUM *)x - view->index_base;
    const SUM alpha = *(const SUM *)scaling->alpha, beta = *(const SUM *)scaling->beta;
    SUM *out = y, sums[CHUNK_ROWS];

    for (int64_t rows; first < last; first += rows, out += rows) {
        rows = last - first < CHUNK_ROWS ? last - first : CHUNK_ROWS;
        JOIN(ROWS, chunk_sums)
        (offsets + first, rows, indices, values, vector, sums, scaling->conjugates);
        for (int64_t r = 0; r < rows && beta == 0; r++)
            out[r] = alpha * sums[r];
        for (int64_t r = 0; r < rows && beta != 0; r++)
            out[r] = alpha * sums[r] + beta * out[r];
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
ROW_BLOCK(triple, SUM, 3, NUMBER)
ROW_BLOCK(pair, SUM, 2, NUMBER)
ROW_BLOCK(single, SUM, 1, NUMBER)

/* Columns that fill no vector. */
static inline void JOIN(ROWS, last_columns)(const INDEX *indices, const STORED *values,
                                            struct sparse_span span, const SUM *matrix, int64_t ldx,
                                            int64_t columns, SUM *out, SUM alpha, SUM beta,
                                            bool conjugates)
{
    if (columns == 3)
        JOIN(ROWS, triple)(indices, values, span, matrix, ldx, out, alpha, beta, conjugates);
    else if (columns == 2)
        JOIN(ROWS, pair)(indices, values, span, matrix, ldx, out, alpha, beta, conjugates);
    else if (columns == 1)
        JOIN(ROWS, single)(indices, values, span, matrix, ldx, out, alpha, beta, conjugates);
}

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
        for (; j + LEAST_COLUMNS <= columns && columns - j != 3; j += LEAST_COLUMNS)
            JOIN(ROWS, least)
        (indices, values, span, matrix + j, ldx, out + j, alpha, beta, scaling->conjugates);
        JOIN(ROWS, last_columns)
        (indices, values, span, matrix + j, ldx, columns - j, out + j, alpha, beta,
         scaling->conjugates);
    }
}

/* Adds multiples of one number for each row. */
static inline __attribute__((always_inline)) void
JOIN(ROWS, scatter_numbers)(const struct sparse_view *view, int64_t first, int64_t last,
                            const SUM *x, int64_t ldx, SUM *sums, int64_t ldo, SUM alpha,
                            bool conjugates)
{
    const OFFSET *offsets = view->offsets;
    const INDEX *indices = (const INDEX *)view->indices - view->index_base;
    const STORED *values = (const STORED *)view->values - view->index_base;

    for (int64_t r = first; r < last; r++) {
        const int64_t end = offsets[r + 1];
        const SUM number = alpha * x[r * ldx];

        for (int64_t k = offsets[r]; k < end; k++) {
            const SUM value = LOAD(values[k]);

            sums[indices[k] * ldo] += (conjugates ? CONJUGATE(value) : value) * number;
        }
    }
}

static void JOIN(ROWS, scatter_vector)(const struct sparse_view *view, int64_t first, int64_t last,
                                       const SUM *x, int64_t ldx, SUM *sums, int64_t ldo,
                                       const struct sparse_scaling *scaling)
{
    const SUM alpha = *(const SUM *)scaling->alpha;

    if (scaling->conjugates)
        JOIN(ROWS, scatter_numbers)(view, first, last, x, ldx, sums, ldo, alpha, true);
    else if (ldo == 1)
        JOIN(ROWS, scatter_numbers)(view, first, last, x, ldx, sums, 1, alpha, false);
    else
        JOIN(ROWS, scatter_numbers)(view, first, last, x, ldx, sums, ldo, alpha, false);
}

/* Adds multiples of some columns of a row of x, which stay in registers. */
#define SCATTER_BLOCK(name, VECTOR, VECTORS, KIND)                                                 \
    static inline void JOIN(ROWS, scatter_##name)(                                                 \
        const INDEX *indices, const STORED *values, struct sparse_span span, const SUM *x,         \
        SUM *sums, int64_t ldo, SUM alpha, bool conjugates)                                        \
    {                                                                                              \
        VECTOR in[VECTORS], turned[VECTORS];                                                       \
                                                                                                   \
        for (int j = 0; j < (VECTORS); j++) {                                                      \
            in[j] = ((const VECTOR *)x)[j];                                                        \
            SCALE_##KIND(VECTOR, in[j], alpha);                                                    \
            turned[j] = in[j];                                                                     \
            TURN_##KIND(VECTOR, turned[j]);                                                        \
        }                                                                                          \
        for (int64_t k = span.begin; k < span.end; k++) {                                          \
            VECTOR *to = (VECTOR *)(sums + indices[k] * ldo);                                      \
            SUM value = LOAD(values[k]);                                                           \
                                                                                                   \
            value = conjugates ? CONJUGATE(value) : value;                                         \
            for (int j = 0; j < (VECTORS); j++)                                                    \
                PUT_##KIND(to[j], value, in[j], turned[j]);                                        \
        }                                                                                          \
    }

SCATTER_BLOCK(wide, WIDE_VECTOR, 2, VECTOR)
SCATTER_BLOCK(narrow, NARROW_VECTOR, 1, VECTOR)
SCATTER_BLOCK(least, LEAST_VECTOR, 1, VECTOR)
SCATTER_BLOCK(triple, SUM, 3, NUMBER)
SCATTER_BLOCK(pair, SUM, 2, NUMBER)
SCATTER_BLOCK(single, SUM, 1, NUMBER)

static void JOIN(ROWS, scatter)(const struct sparse_view *view, int64_t first, int64_t last,
                                const void *x, int64_t ldx, int64_t columns, void *out, int64_t ldo,
                                const struct sparse_scaling *scaling)
{
    const OFFSET *offsets = view->offsets;
    const INDEX *indices = (const INDEX *)view->indices - view->index_base;
    const STORED *values = (const STORED *)view->values - view->index_base;
    const SUM alpha = *(const SUM *)scaling->alpha, *row = (const SUM *)x + first * ldx;
    const bool conjugates = scaling->conjugates;
    SUM *sums = (SUM *)out - view->index_base * ldo;

    if (columns == 1) {
        JOIN(ROWS, scatter_vector)(view, first, last, x, ldx, sums, ldo, scaling);
        return;
    }
    for (int64_t r = first; r < last; r++, row += ldx) {
        struct sparse_span span = {offsets[r], offsets[r + 1], 0};
        int64_t j = 0;

        for (; j + WIDE_COLUMNS <= columns; j += WIDE_COLUMNS)
            JOIN(ROWS, scatter_wide)
        (indices, values, span, row + j, sums + j, ldo, alpha, conjugates);
        for (; j + NARROW_COLUMNS <= columns; j += NARROW_COLUMNS)
            JOIN(ROWS, scatter_narrow)
        (indices, values, span, row + j, sums + j, ldo, alpha, conjugates);
        for (; j + LEAST_COLUMNS <= columns && columns - j != 3; j += LEAST_COLUMNS)
            JOIN(ROWS, scatter_least)
        (indices, values, span, row + j, sums + j, ldo, alpha, conjugates);
        if (columns - j == 3)
            JOIN(ROWS, scatter_triple)
        (indices, values, span, row + j, sums + j, ldo, alpha, conjugates);
        else if (columns - j == 2) JOIN(ROWS, scatter_pair)(indices, values, span, row + j,
                                                            sums + j, ldo, alpha, conjugates);
        else if (columns - j == 1) JOIN(ROWS, scatter_single)(indices, values, span, row + j,
                                                              sums + j, ldo, alpha, conjugates);
    }
}

static void JOIN(ROWS, slice_sums)(const struct sparse_view *view, int64_t first, int64_t last,
                                   int64_t height, const void *x, void *sums, bool conjugates)
{
    const OFFSET *offsets = view->offsets;
    const INDEX *indices = (const INDEX *)view->indices - view->index_base;
    const STORED *values = (const STORED *)view->values - view->index_base;
    const SUM *vector = (const SUM *)x - view->index_base;
    SUM *out = sums;

    for (int64_t slice = first; slice < last; slice++, out += height) {
        for (int64_t i = 0; i < height; i++)
            out[i] = 0;
        for (int64_t k = offsets[slice]; k + height <= offsets[slice + 1]; k += height)
            for (int64_t i = 0; i < height; i++) {
                const INDEX index = indices[k + i];
                const SUM value = LOAD(values[k + i]);
                const SUM product = vector[index < 0 ? (INDEX)view->index_base : index] *
                                    (conjugates ? CONJUGATE(value) : value);

                out[i] += index < 0 ? 0 : product;
            }
    }
}

#undef ROW_BLOCK
#undef SCATTER_BLOCK
#undef EQUAL_ROWS
#undef ROWS
#undef OFFSET
#undef INDEX

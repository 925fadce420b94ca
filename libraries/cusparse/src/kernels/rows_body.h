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

/* True if elements are in order of rows, none of them before `low` or from `end` on. */
static inline bool JOIN(ROWS, are_in_order)(const OFFSET *rows, int64_t count, int64_t low,
                                            int64_t end)
{
    int64_t k = 0;
    bool falls = rows[0] < low || rows[count - 1] >= end;

#ifdef __AVX512F__
    __mmask16 falling = 0;

    for (; k + 16 < count && sizeof(OFFSET) == sizeof(int32_t); k += 16)
        falling |=
            _mm512_cmpgt_epi32_mask(_mm512_loadu_si512(rows + k), _mm512_loadu_si512(rows + k + 1));
    falls |= falling != 0;
#endif
    for (; k + 1 < count; k++)
        falls |= rows[k] > rows[k + 1];
    return !falls;
}

/* Adds elements to their rows one after the other. */
static inline void JOIN(ROWS, add_elements)(const OFFSET *rows, const INDEX *indices,
                                            const STORED *values, int64_t count, const SUM *vector,
                                            SUM *out, SUM alpha, bool conjugates)
{
    for (int64_t k = 0; k < count; k++) {
        const SUM value = LOAD(values[k]);

        out[rows[k]] += alpha * (conjugates ? CONJUGATE(value) : value) * vector[indices[k]];
    }
}

#if defined(__AVX512VL__) && !defined(COMPLEX_SUM)
#define HAS_LINES                                                                                  \
    (sizeof(OFFSET) == sizeof(int32_t) && sizeof(INDEX) == sizeof(int32_t) &&                      \
     sizeof(STORED) == sizeof(SUM) && (SUM)0.5 != 0)

/* Multiplies elements in order of rows and adds the products of each row, vector by vector: a lane
 * takes the lanes 1, 2, 4 and 8 before it if they are of its row, after which the last lane of a
 * row has the sum. Returns how many sums there are, and writes their rows. Both arrays are written
 * for one vector behind what they hold. For f32 and f64 with 32-bit indices alone. */
static inline int64_t JOIN(ROWS, find_lines)(const OFFSET *rows, const INDEX *indices,
                                             const STORED *values, int64_t count, const SUM *vector,
                                             SUM *sums, int32_t *lines)
{
    const __m512i zero = _mm512_setzero_si512(), none = _mm512_set1_epi32(-1);
    int64_t found = 0;

    for (int64_t k = 0, left; k < count && sizeof(SUM) == sizeof(float); k += 16) {
        left = count - k < 16 ? count - k : 16;
        const __mmask16 whole = (__mmask16)(0xffff >> (16 - left));
        const __m512i here = _mm512_mask_loadu_epi32(none, whole, rows + k);
        const __mmask16 last = (__mmask16)(1 << (left - 1));
        const __mmask16 ending =
            (_mm512_cmpneq_epi32_mask(here, _mm512_alignr_epi32(none, here, 1)) & whole) | last;
        __m512 sum = _mm512_mul_ps(
            _mm512_maskz_loadu_ps(whole, values + k),
            _mm512_mask_i32gather_ps(_mm512_setzero_ps(), whole,
                                     _mm512_maskz_loadu_epi32(whole, indices + k), vector, 4));

#define ADD_BEFORE(distance)                                                                       \
    sum = _mm512_mask_add_ps(                                                                      \
        sum, _mm512_cmpeq_epi32_mask(here, _mm512_alignr_epi32(here, none, 16 - (distance))), sum, \
        _mm512_castsi512_ps(_mm512_alignr_epi32(_mm512_castps_si512(sum), zero, 16 - (distance))))
        ADD_BEFORE(1);
        ADD_BEFORE(2);
        ADD_BEFORE(4);
        ADD_BEFORE(8);
#undef ADD_BEFORE
        _mm512_storeu_ps(sums + found, _mm512_maskz_compress_ps(ending, sum));
        _mm512_storeu_si512(lines + found, _mm512_maskz_compress_epi32(ending, here));
        found += __builtin_popcount(ending);
    }
    for (int64_t k = 0, left; k < count && sizeof(SUM) == sizeof(double); k += 8) {
        left = count - k < 8 ? count - k : 8;
        const __mmask8 whole = (__mmask8)(0xff >> (8 - left));
        const __m256i nothing = _mm512_castsi512_si256(none);
        const __m256i here = _mm256_mask_loadu_epi32(nothing, whole, rows + k);
        const __mmask8 last = (__mmask8)(1 << (left - 1));
        const __mmask8 ending =
            (_mm256_cmpneq_epi32_mask(here, _mm256_alignr_epi32(nothing, here, 1)) & whole) | last;
        __m512d sum = _mm512_mul_pd(
            _mm512_maskz_loadu_pd(whole, values + k),
            _mm512_mask_i32gather_pd(_mm512_setzero_pd(), whole,
                                     _mm256_maskz_loadu_epi32(whole, indices + k), vector, 8));

#define ADD_BEFORE(distance)                                                                       \
    sum = _mm512_mask_add_pd(                                                                      \
        sum, _mm256_cmpeq_epi32_mask(here, _mm256_alignr_epi32(here, nothing, 8 - (distance))),    \
        sum,                                                                                       \
        _mm512_castsi512_pd(_mm512_alignr_epi64(_mm512_castpd_si512(sum), zero, 8 - (distance))))
        ADD_BEFORE(1);
        ADD_BEFORE(2);
        ADD_BEFORE(4);
#undef ADD_BEFORE
        _mm512_storeu_pd(sums + found, _mm512_maskz_compress_pd(ending, sum));
        _mm256_storeu_si256((__m256i *)(lines + found), _mm256_maskz_compress_epi32(ending, here));
        found += __builtin_popcount(ending);
    }
    return found;
}
#else
#define HAS_LINES false
#endif

/* Adds elements in order of rows to the rows of y, whose row 0 is at `out`. */
static inline void JOIN(ROWS, add_lines)(const OFFSET *rows, const INDEX *indices,
                                         const STORED *values, int64_t count, const SUM *vector,
                                         SUM *out, SUM alpha, bool conjugates)
{
#if defined(__AVX512VL__) && !defined(COMPLEX_SUM)
    SUM sums[LINE_ELEMENTS + 16];
    int32_t lines[LINE_ELEMENTS + 16];

    if (HAS_LINES && count >= LINE_DENSITY * (rows[count - 1] - rows[0])) {
        const int64_t found =
            JOIN(ROWS, find_lines)(rows, indices, values, count, vector, sums, lines);

        for (int64_t i = 0; i < found; i++)
            out[lines[i]] += alpha * sums[i];
        return;
    }
#endif
    JOIN(ROWS, add_elements)(rows, indices, values, count, vector, out, alpha, conjugates);
}

static bool JOIN(ROWS, line_sums)(const struct sparse_view *view, struct sparse_lines part,
                                  const void *x, void *y, const struct sparse_scaling *scaling)
{
    const int64_t base = view->index_base;
    const SUM *vector = (const SUM *)x - base, alpha = *(const SUM *)scaling->alpha;
    SUM *out = y;

    for (int64_t count; part.first < part.last; part.first += count) {
        const OFFSET *rows = (const OFFSET *)view->offsets + part.first;

        count = part.last - part.first < LINE_ELEMENTS ? part.last - part.first : LINE_ELEMENTS;
        if (!JOIN(ROWS, are_in_order)(rows, count, part.low + base, part.end + base))
            return false;
        part.low = rows[count - 1] - base; /* the next elements may go on with this row */
        for (; part.row <= part.low; part.row++)
            out[part.row] = 0;
        JOIN(ROWS, add_lines)
        (rows, (const INDEX *)view->indices + part.first, (const STORED *)view->values + part.first,
         count, vector, out - base, alpha, scaling->conjugates);
    }
    for (; part.row < part.end; part.row++)
        out[part.row] = 0;
    return true;
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

#if defined(__AVX2__) && !defined(COMPLEX_SUM)
/* Fewer than GROUP_ROWS columns: a vector of which some lanes are not there. A row costs one pass
 * over its elements. */
static inline __attribute__((always_inline)) void
JOIN(ROWS, few_columns)(const struct sparse_view *view, int64_t first, int64_t last,
                        const SUM *matrix, int64_t ldx, int64_t columns, SUM *out, int64_t ldy,
                        SUM alpha, SUM beta)
{
    const OFFSET *offsets = view->offsets;
    const INDEX *indices = (const INDEX *)view->indices - view->index_base;
    const STORED *values = (const STORED *)view->values - view->index_base;
    const int64_t nearly = offsets[view->rows] - 1;
    LANES_MASK mask;

    for (int64_t i = 0; i < GROUP_ROWS; i++)
        mask[i] = i < columns ? -1 : 0;
    for (int64_t r = first; r < last; r++, out += ldy) {
        LANES_VECTOR sums = {0}, others = {0}, x, next;
        const int64_t end = offsets[r + 1];
        int64_t k = offsets[r];

        for (; k + 1 < end; k += 2) {
            const int64_t ahead = k + PREFETCH_ROWS < nearly ? k + PREFETCH_ROWS : nearly;

            __builtin_prefetch(matrix + indices[ahead - 1] * ldx);
            __builtin_prefetch(matrix + indices[ahead] * ldx);
            JOIN(PAIR, _load_lanes)(&x, matrix + indices[k] * ldx, &mask);
            JOIN(PAIR, _load_lanes)(&next, matrix + indices[k + 1] * ldx, &mask);
            sums += LOAD(values[k]) * x;
            others += LOAD(values[k + 1]) * next;
        }
        if (k < end) {
            JOIN(PAIR, _load_lanes)(&x, matrix + indices[k] * ldx, &mask);
            sums += LOAD(values[k]) * x;
        }
        sums = (sums + others) * alpha;
        if (beta != 0) {
            JOIN(PAIR, _load_lanes)(&x, out, &mask);
            sums += x * beta;
        }
        JOIN(PAIR, _store_lanes)(out, &sums, &mask);
    }
}
#endif

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

#if defined(__AVX2__) && !defined(COMPLEX_SUM)
    if (columns > 1 && columns < GROUP_ROWS) {
        JOIN(ROWS, few_columns)
        (view, first, last, matrix, ldx, columns, out, ldy, alpha, beta);
        return;
    }
#endif
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

/* The sums of `lanes` rows of a slice of `height` rows, which stay in registers. `lanes` is a
 * constant. A negative index is padding. */
static inline __attribute__((always_inline)) void
JOIN(ROWS, slice_lanes)(const INDEX *indices, const STORED *values, int64_t steps, int64_t height,
                        int lanes, const SUM *vector, INDEX base, SUM *out, bool conjugates)
{
    SUM sums[SLICE_LANES] = {0};

    for (int64_t k = 0; k < steps; k++, indices += height, values += height) {
        __builtin_prefetch(indices + SLICE_AHEAD * height);
        __builtin_prefetch(values + SLICE_AHEAD * height);
        for (int i = 0; i < lanes; i++) {
            const INDEX index = indices[i];
            const SUM value = LOAD(values[i]);
            const SUM product =
                vector[index < 0 ? base : index] * (conjugates ? CONJUGATE(value) : value);

            sums[i] += index < 0 ? 0 : product;
        }
    }
    for (int i = 0; i < lanes; i++)
        out[i] = sums[i];
}

static void JOIN(ROWS, slice_sums)(const struct sparse_view *view, int64_t first, int64_t last,
                                   int64_t height, const void *x, void *sums, bool conjugates)
{
    const OFFSET *offsets = view->offsets;
    const INDEX *indices = (const INDEX *)view->indices - view->index_base;
    const STORED *values = (const STORED *)view->values - view->index_base;
    const INDEX base = (INDEX)view->index_base;
    const SUM *vector = (const SUM *)x - base;
    SUM *out = sums;

    for (int64_t slice = first; slice < last; slice++, out += height) {
        const int64_t steps = (offsets[slice + 1] - offsets[slice]) / height;
        int64_t place = offsets[slice], i = 0;

        for (; i + SLICE_LANES <= height; i += SLICE_LANES, place += SLICE_LANES)
            JOIN(ROWS, slice_lanes)
        (indices + place, values + place, steps, height, SLICE_LANES, vector, base, out + i,
         conjugates);
        for (; i < height; i++, place++)
            JOIN(ROWS, slice_lanes)
        (indices + place, values + place, steps, height, 1, vector, base, out + i, conjugates);
    }
}

#undef ROW_BLOCK
#undef SCATTER_BLOCK
#undef EQUAL_ROWS
#undef HAS_LINES
#undef ROWS
#undef OFFSET
#undef INDEX

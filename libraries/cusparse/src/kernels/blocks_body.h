/* SPDX-License-Identifier: MIT */
/* The loops over dense blocks for one pair of element types. A block is multiplied from the left:
 * its rows and columns change places where the matrix is transposed. */

struct JOIN(PAIR, _block) {
    const STORED *values;
    int64_t rows, cols, row_step, column_step;
    bool conjugates;
};
#define BLOCK struct JOIN(PAIR, _block)

static inline SUM JOIN(PAIR, _element)(const BLOCK *block, int64_t i, int64_t j)
{
    SUM value = LOAD(block->values[i * block->row_step + j * block->column_step]);

    return block->conjugates ? CONJUGATE(value) : value;
}

/* out += block * x. The loops go along the elements that stand in one piece. */
static void JOIN(PAIR, _block_vector)(const BLOCK *block, const SUM *x, SUM *out)
{
    int64_t rows = block->rows, cols = block->cols;

    if (block->column_step == 1) {
        for (int64_t i = 0; i < rows; i++) {
            const STORED *row = block->values + i * block->row_step;
            SUM sum = 0;

            for (int64_t j = 0; j < cols; j++) {
                SUM value = LOAD(row[j]);

                sum += (block->conjugates ? CONJUGATE(value) : value) * x[j];
            }
            out[i] += sum;
        }
        return;
    }
    for (int64_t j = 0; j < cols; j++) {
        const STORED *column = block->values + j * block->column_step;

        for (int64_t i = 0; i < rows; i++) {
            SUM value = LOAD(column[i]);

            out[i] += (block->conjugates ? CONJUGATE(value) : value) * x[j];
        }
    }
}

/* The same for some columns of x, kept in `VECTORS` vectors of the type VECTOR. */
#define BLOCK_COLUMNS(name, VECTOR, VECTORS, KIND)                                                 \
    static inline void JOIN(PAIR, name)(const BLOCK *block, const SUM *x, int64_t ldx, SUM *out,   \
                                        int64_t ldo)                                               \
    {                                                                                              \
        for (int64_t i = 0; i < block->rows; i++) {                                                \
            VECTOR *to = (VECTOR *)(out + i * ldo), sums[VECTORS], others[VECTORS] = {0};          \
                                                                                                   \
            for (int v = 0; v < (VECTORS); v++)                                                    \
                sums[v] = to[v];                                                                   \
            for (int64_t j = 0; j < block->cols; j++) {                                            \
                SUM value = JOIN(PAIR, _element)(block, i, j);                                     \
                                                                                                   \
                for (int v = 0; v < (VECTORS); v++)                                                \
                    ADD_##KIND(sums[v], others[v], value, ((const VECTOR *)(x + j * ldx))[v]);     \
            }                                                                                      \
            for (int v = 0; v < (VECTORS); v++) {                                                  \
                JOIN_##KIND(VECTOR, sums[v], others[v]);                                           \
                to[v] = sums[v];                                                                   \
            }                                                                                      \
        }                                                                                          \
    }

BLOCK_COLUMNS(_block_wide, WIDE_VECTOR, 2, VECTOR)
BLOCK_COLUMNS(_block_narrow, NARROW_VECTOR, 1, VECTOR)
BLOCK_COLUMNS(_block_single, SUM, 1, NUMBER)

static void JOIN(PAIR, _block_matrix)(const BLOCK *block, const SUM *x, int64_t ldx,
                                      int64_t columns, SUM *out, int64_t ldo)
{
    int64_t j = 0;

    for (; j + WIDE_COLUMNS <= columns; j += WIDE_COLUMNS)
        JOIN(PAIR, _block_wide)(block, x + j, ldx, out + j, ldo);
    for (; j + NARROW_COLUMNS <= columns; j += NARROW_COLUMNS)
        JOIN(PAIR, _block_narrow)(block, x + j, ldx, out + j, ldo);
    for (; j < columns; j++)
        JOIN(PAIR, _block_single)(block, x + j, ldx, out + j, ldo);
}

static void JOIN(PAIR, _block_product)(const BLOCK *block, const SUM *x, int64_t ldx,
                                       int64_t columns, SUM *out, int64_t ldo)
{
    if (columns == 1 && ldx == 1 && ldo == 1)
        JOIN(PAIR, _block_vector)(block, x, out);
    else
        JOIN(PAIR, _block_matrix)(block, x, ldx, columns, out, ldo);
}

static inline int64_t JOIN(PAIR, _block_index)(const struct sparse_block_line *line, int64_t i)
{
    return line->blocks->index_type == CUSPARSE_INDEX_64I
               ? ((const int64_t *)line->indices)[i]
               : (int64_t)((const int32_t *)line->indices)[i];
}

/* A line of small square blocks times a vector, with sums in registers. `side` and the steps
 * between elements are constants. */
static inline __attribute__((always_inline)) void
JOIN(PAIR, _small_line)(const struct sparse_block_line *line, int64_t side, int64_t row_step,
                        int64_t column_step, const SUM *x, SUM *out)
{
    const struct sparse_blocks *blocks = line->blocks;
    const STORED *values = line->values;
    SUM sums[SMALL_SIDE] = {0};

    for (int64_t b = 0; b < line->count; b++, values += blocks->block_step) {
        int64_t index = JOIN(PAIR, _block_index)(line, b);
        const SUM *in = x + (index - blocks->index_base) * side;

        if (index < 0)
            continue;
        for (int64_t i = 0; i < side; i++)
            for (int64_t j = 0; j < side; j++)
                sums[i] += LOAD(values[i * row_step + j * column_step]) * in[j];
    }
    for (int64_t i = 0; i < side; i++)
        out[i] += sums[i];
}

/* Blocks of a constant side, by rows or by columns. */
static inline __attribute__((always_inline)) bool
JOIN(PAIR, _square_line)(const struct sparse_block_line *line, int64_t side, const SUM *x, SUM *out)
{
    const struct sparse_blocks *blocks = line->blocks;

    if (blocks->row_step == side && blocks->column_step == 1)
        JOIN(PAIR, _small_line)(line, side, side, 1, x, out);
    else if (blocks->row_step == 1 && blocks->column_step == side)
        JOIN(PAIR, _small_line)(line, side, 1, side, x, out);
    else
        JOIN(PAIR, _small_line)(line, side, blocks->row_step, blocks->column_step, x, out);
    return true;
}

/* True if the line was multiplied: its blocks are small and whole. */
static bool JOIN(PAIR, _short_line)(const struct sparse_block_line *line, const SUM *x, SUM *out)
{
    const struct sparse_blocks *blocks = line->blocks;

    if (blocks->width != blocks->height || line->height != blocks->height ||
        blocks->cols % blocks->width != 0)
        return false;
    switch (blocks->width) {
    case 2:
        return JOIN(PAIR, _square_line)(line, 2, x, out);
    case 3:
        return JOIN(PAIR, _square_line)(line, 3, x, out);
    case SMALL_SIDE:
        return JOIN(PAIR, _square_line)(line, SMALL_SIDE, x, out);
    default:
        return false;
    }
}

static void JOIN(PAIR, _block_line)(const struct sparse_block_line *line, bool transposed,
                                    const void *x, int64_t ldx, int64_t columns, void *out,
                                    int64_t ldo, bool conjugates)
{
    const struct sparse_blocks *blocks = line->blocks;

    if (!transposed && !conjugates && columns == 1 && ldx == 1 && ldo == 1 &&
        JOIN(PAIR, _short_line)(line, x, out))
        return;
    for (int64_t i = 0; i < line->count; i++) {
        int64_t index = JOIN(PAIR, _block_index)(line, i);
        int64_t first = (index - blocks->index_base) * blocks->width;
        int64_t width = blocks->cols - first < blocks->width ? blocks->cols - first : blocks->width;
        BLOCK block = {.values = (const STORED *)line->values + i * blocks->block_step,
                       .rows = transposed ? width : line->height,
                       .cols = transposed ? line->height : width,
                       .row_step = transposed ? blocks->column_step : blocks->row_step,
                       .column_step = transposed ? blocks->row_step : blocks->column_step,
                       .conjugates = conjugates};

        if (index < 0 || width <= 0)
            continue;
        if (transposed)
            JOIN(PAIR, _block_product)
        (&block, x, ldx, columns, (SUM *)out + first * ldo, ldo);
        else JOIN(PAIR, _block_product)(&block, (const SUM *)x + first * ldx, ldx, columns, out,
                                        ldo);
    }
}

#undef BLOCK
#undef BLOCK_COLUMNS

/* SPDX-License-Identifier: MIT */
/* COL32 has panels of 32 columns, each with rows of 32 elements. COL4_4R2_8C and COL32_2R_4R4 have
 * the same panels, whose elements are in the order that the tensor cores of two generations load.
 * The leading dimension is the distance of panels. */
#include "order.h"

#include "work.h"

enum { PANEL = 32 };

/* Within 8 rows: row pairs by four columns. */
static int64_t index_4r2_8c(uint64_t row, uint64_t column)
{
    uint64_t tile = row / 8, inside = row % 8;

    return (int64_t)(tile * 8 * PANEL + (inside % 2) * 4 * PANEL + (column / 4) * 16 +
                     (inside / 2) * 4 + column % 4);
}

/* Within 32 rows: (row % 8) / 2 * 4 + row / 8, in pairs. */
static int64_t index_2r_4r4(uint64_t row, uint64_t column)
{
    uint64_t tile = row / 32, inside = row % 32;

    return (int64_t)(tile * 32 * PANEL +
                     (((inside % 8) / 2 * 4 + inside / 8) * 2 + inside % 2) * PANEL + column);
}

int64_t order_index(const struct lt_layout *layout, uint64_t row, uint64_t column)
{
    int64_t panel = (int64_t)(column / PANEL) * layout->ld;

    switch (layout->order) {
    case CUBLASLT_ORDER_ROW:
        return (int64_t)row * layout->ld + (int64_t)column;
    case CUBLASLT_ORDER_COL32:
        return panel + (int64_t)(row * PANEL + column % PANEL);
    case CUBLASLT_ORDER_COL4_4R2_8C:
        return panel + index_4r2_8c(row, column % PANEL);
    case CUBLASLT_ORDER_COL32_2R_4R4:
        return panel + index_2r_4r4(row, column % PANEL);
    default:
        return (int64_t)column * layout->ld + (int64_t)row;
    }
}

/* Rows of a panel, with those that complete a tile. */
static uint64_t panel_rows(const struct lt_layout *layout)
{
    uint64_t tile = layout->order == CUBLASLT_ORDER_COL4_4R2_8C    ? 8
                    : layout->order == CUBLASLT_ORDER_COL32_2R_4R4 ? 32
                                                                   : 1;

    return (layout->rows + tile - 1) / tile * tile;
}

bool order_is_sound(const struct lt_layout *layout)
{
    if (layout->batch_count < 1)
        return false;
    switch (layout->order) {
    case CUBLASLT_ORDER_COL:
        return layout->ld >= (int64_t)layout->rows;
    case CUBLASLT_ORDER_ROW:
        return layout->ld >= (int64_t)layout->cols;
    case CUBLASLT_ORDER_COL32:
    case CUBLASLT_ORDER_COL4_4R2_8C:
    case CUBLASLT_ORDER_COL32_2R_4R4:
        return layout->ld >= (int64_t)(panel_rows(layout) * PANEL);
    default:
        return false;
    }
}

struct cupipe_range order_range(const void *address, const struct lt_layout *layout, bool written)
{
    size_t bytes = product_type_bytes((cudaDataType_t)layout->type);
    bool rows = layout->order == CUBLASLT_ORDER_ROW, plain = layout->order <= CUBLASLT_ORDER_ROW;
    uint64_t lines =
        plain ? (rows ? layout->rows : layout->cols) : (layout->cols + PANEL - 1) / PANEL;
    uint64_t line = plain ? (rows ? layout->cols : layout->rows) : panel_rows(layout) * PANEL;
    struct cupipe_range range =
        lib_read_pieces(address, (size_t)line * bytes, (size_t)lines, (size_t)layout->ld * bytes);

    if (layout->batch_count > 1)
        range = lib_read(address, (size_t)((int64_t)(lines - 1) * layout->ld + (int64_t)line +
                                           (layout->batch_count - 1) * layout->stride) *
                                      bytes);
    range.written = written;
    range.partly = !plain || layout->batch_count > 1;
    return range;
}

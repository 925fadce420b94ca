/* SPDX-License-Identifier: MIT */
/* Triangular systems for the type T. The loops are compiled once for indices of 32 bits and once
 * for all others. */

/* Row r of a system with the matrix itself: what is known is subtracted. */
static inline __attribute__((always_inline)) void substitute(const struct sparse_view *view,
                                                             const struct sparse_triangle *triangle,
                                                             int64_t r, T *x, int64_t ld,
                                                             int64_t columns)
{
    int64_t end = sparse_view_offset(view, r + 1);
    T *row = x + r * ld, diagonal = 1;

    for (int64_t k = sparse_view_offset(view, r); k < end; k++) {
        int64_t c = sparse_view_index(view, k);
        T value = element(view, k, triangle->conjugates);

        if (c == r)
            diagonal = value;
        else if ((c > r) == triangle->upper)
            for (int64_t j = 0; j < columns; j++)
                row[j] -= value * x[c * ld + j];
    }
    for (int64_t j = 0; !triangle->unit && j < columns; j++)
        row[j] /= diagonal;
}

/* The same for one column, with the sum in a register. */
static inline __attribute__((always_inline)) void
substitute_one(const struct sparse_view *view, const struct sparse_triangle *triangle, int64_t r,
               T *x, int64_t ld)
{
    int64_t end = sparse_view_offset(view, r + 1);
    T sum = x[r * ld], diagonal = 1;

    for (int64_t k = sparse_view_offset(view, r); k < end; k++) {
        int64_t c = sparse_view_index(view, k);
        T value = element(view, k, triangle->conjugates);

        if (c == r)
            diagonal = value;
        else if ((c > r) == triangle->upper)
            sum -= value * x[c * ld];
    }
    x[r * ld] = triangle->unit ? sum : sum / diagonal;
}

/* Row r of a system with the transposed matrix: what is now known is subtracted from the others. */
static inline __attribute__((always_inline)) void eliminate(const struct sparse_view *view,
                                                            const struct sparse_triangle *triangle,
                                                            int64_t r, T *x, int64_t ld,
                                                            int64_t columns)
{
    int64_t begin = sparse_view_offset(view, r), end = sparse_view_offset(view, r + 1);
    T *row = x + r * ld;

    for (int64_t k = begin; k < end && !triangle->unit; k++)
        if (sparse_view_index(view, k) == r)
            for (int64_t j = 0; j < columns; j++)
                row[j] /= element(view, k, triangle->conjugates);
    for (int64_t k = begin; k < end; k++) {
        int64_t c = sparse_view_index(view, k);
        T value = element(view, k, triangle->conjugates);

        if (c == r || (c > r) != triangle->upper)
            continue;
        for (int64_t j = 0; j < columns; j++)
            x[c * ld + j] -= value * row[j];
    }
}

static inline __attribute__((always_inline)) void
solve_rows_of(const struct sparse_view *view, const struct sparse_triangle *triangle,
              const int64_t *order, int64_t count, T *x, int64_t ld, int64_t columns)
{
    bool ascends = triangle->upper == triangle->transposed;

    for (int64_t i = 0; i < count; i++) {
        int64_t r = order ? order[i] : ascends ? i : count - 1 - i;

        if (triangle->transposed)
            eliminate(view, triangle, r, x, ld, columns);
        else if (columns == 1)
            substitute_one(view, triangle, r, x, ld);
        else
            substitute(view, triangle, r, x, ld, columns);
    }
}

static void solve_rows(const struct sparse_view *view, const struct sparse_triangle *triangle,
                       const int64_t *order, int64_t count, void *x, int64_t ld, int64_t columns)
{
    struct sparse_view narrow = *view;

    if (view->widths != OFFSETS_32_INDICES_32) {
        solve_rows_of(view, triangle, order, count, x, ld, columns);
        return;
    }
    narrow.widths = OFFSETS_32_INDICES_32;
    solve_rows_of(&narrow, triangle, order, count, x, ld, columns);
}

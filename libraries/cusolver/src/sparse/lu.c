/* SPDX-License-Identifier: MIT */
/* A column of the factors is the solution of a triangular system with the columns before it. Which
 * numbers of it are not zero is found first, by a search in depth along the columns of L; the order
 * in which the search leaves them is the order in which they are computed. */
#include "lu.h"

#include <stdlib.h>
#include <string.h>

/* State of the factorisation. */
struct work {
    double complex *x; /* the column, by rows of A */
    int *reached;      /* rows that are not zero, in order of computation, from `top` on */
    int *stack, *next; /* of the search: rows, and where each goes on */
    int *mark;         /* the column in which a row was last reached, from 1 */
    int64_t room_l, room_u;
};

static bool grow(struct sparse_matrix *matrix, int64_t *room, int64_t wanted)
{
    int64_t larger = wanted > *room * 2 ? wanted : *room * 2;
    void *index, *value;

    if (wanted <= *room)
        return true;
    if (larger > INT32_MAX)
        return false;
    index = realloc(matrix->index, (size_t)larger * sizeof(*matrix->index));
    if (index)
        matrix->index = index;
    value = realloc(matrix->value, (size_t)larger * sizeof(*matrix->value));
    if (value)
        matrix->value = value;
    *room = larger;
    return index && value;
}

/* Searches from `row`; returns the new top of `reached`, which fills downwards. */
static int search(const struct sparse_lu *lu, struct work *work, int row, int column, int top)
{
    int depth = 0;

    work->stack[0] = row;
    work->mark[row] = column + 1;
    work->next[0] = lu->place_of[row] < 0 ? 0 : lu->l.start[lu->place_of[row]];
    while (depth >= 0) {
        const int place = lu->place_of[work->stack[depth]];
        const int end = place < 0 ? 0 : lu->l.start[place + 1];
        bool went_down = false;

        while (place >= 0 && work->next[depth] < end) {
            const int below = lu->l.index[work->next[depth]++];

            if (work->mark[below] == column + 1)
                continue;
            work->mark[below] = column + 1;
            work->stack[++depth] = below;
            work->next[depth] = lu->place_of[below] < 0 ? 0 : lu->l.start[lu->place_of[below]];
            went_down = true;
            break;
        }
        if (!went_down)
            work->reached[--top] = work->stack[depth--];
    }
    return top;
}

/* Computes the column of L U that belongs to a column of A. Returns the top of `reached`. */
static int solve_column(const struct sparse_matrix *columns, const struct sparse_lu *lu,
                        struct work *work, int from, int column)
{
    int top = lu->n;

    for (int k = columns->start[from]; k < columns->start[from + 1]; k++)
        if (work->mark[columns->index[k]] != column + 1)
            top = search(lu, work, columns->index[k], column, top);
    for (int i = top; i < lu->n; i++)
        work->x[work->reached[i]] = 0;
    for (int k = columns->start[from]; k < columns->start[from + 1]; k++)
        work->x[columns->index[k]] += columns->value[k];
    for (int i = top; i < lu->n; i++) {
        const int row = work->reached[i], place = lu->place_of[row];
        const double complex x = work->x[row];

        if (place < 0 || x == 0)
            continue;
        for (int k = lu->l.start[place]; k < lu->l.start[place + 1]; k++)
            work->x[lu->l.index[k]] -= lu->l.value[k] * x;
    }
    return top;
}

/* The row of the pivot, or -1. `diagonal` is the row that the column has on A's diagonal. */
static int choose_pivot(const struct sparse_lu *lu, const struct work *work, int top, int diagonal,
                        enum sparse_pivots pivots, double threshold)
{
    const bool has_diagonal = lu->place_of[diagonal] < 0 && work->mark[diagonal] > 0;
    double largest = 0;
    int row = -1;

    if (pivots != SPARSE_PIVOTS_LARGEST) {
        const double complex x = work->x[diagonal];
        const bool right = pivots == SPARSE_PIVOTS_POSITIVE ? creal(x) > 0 : x != 0;

        return has_diagonal && right ? diagonal : -1;
    }
    for (int i = top; i < lu->n; i++) {
        const int candidate = work->reached[i];

        if (lu->place_of[candidate] < 0 && cabs(work->x[candidate]) > largest) {
            largest = cabs(work->x[candidate]);
            row = candidate;
        }
    }
    if (row >= 0 && has_diagonal && cabs(work->x[diagonal]) >= threshold * largest &&
        work->x[diagonal] != 0)
        return diagonal;
    return row;
}

static bool store_column(struct sparse_lu *lu, struct work *work, int top, int column, int pivot)
{
    int in_l = lu->l.start[column], in_u = lu->u.start[column];

    if (!grow(&lu->l, &work->room_l, (int64_t)in_l + lu->n - top) ||
        !grow(&lu->u, &work->room_u, (int64_t)in_u + lu->n - top + 1))
        return false;
    for (int i = top; i < lu->n; i++) {
        const int row = work->reached[i];

        if (lu->place_of[row] >= 0) {
            lu->u.index[in_u] = lu->place_of[row];
            lu->u.value[in_u++] = work->x[row];
        } else if (row != pivot && pivot >= 0) {
            lu->l.index[in_l] = row;
            lu->l.value[in_l++] = work->x[row] / work->x[pivot];
        }
    }
    lu->u.index[in_u] = column;
    lu->u.value[in_u++] = pivot >= 0 ? work->x[pivot] : 0;
    lu->l.start[column + 1] = in_l;
    lu->u.start[column + 1] = in_u;
    if (pivot >= 0) {
        lu->place_of[pivot] = column;
        lu->row_at[column] = pivot;
    }
    return true;
}

static bool prepare(const struct sparse_matrix *columns, const int *order, struct sparse_lu *lu,
                    struct work *work)
{
    const size_t n = (size_t)columns->rows;

    memset(lu, 0, sizeof(*lu));
    lu->n = columns->rows;
    lu->singular_at = -1;
    work->room_l = work->room_u = 4 * (int64_t)columns->start[n] + (int64_t)n + 1;
    work->x = calloc(n + 1, sizeof(*work->x));
    work->reached = malloc((n + 1) * sizeof(int));
    work->stack = malloc((n + 1) * sizeof(int));
    work->next = malloc((n + 1) * sizeof(int));
    work->mark = calloc(n + 1, sizeof(int));
    lu->row_at = malloc((n + 1) * sizeof(int));
    lu->place_of = malloc((n + 1) * sizeof(int));
    lu->column_at = malloc((n + 1) * sizeof(int));
    if (!sparse_allocate(&lu->l, lu->n, lu->n, work->room_l, true) ||
        !sparse_allocate(&lu->u, lu->n, lu->n, work->room_u, true) || !work->x || !work->reached ||
        !work->stack || !work->next || !work->mark || !lu->row_at || !lu->place_of ||
        !lu->column_at)
        return false;
    for (int i = 0; i < lu->n; i++) {
        lu->place_of[i] = lu->row_at[i] = -1;
        lu->column_at[i] = order ? order[i] : i;
    }
    return true;
}

/* Rows of L have been those of A; they become places. */
static void number_rows(struct sparse_lu *lu)
{
    for (int k = 0; k < lu->l.start[lu->n]; k++)
        lu->l.index[k] = lu->place_of[lu->l.index[k]];
}

cusolverStatus_t sparse_lu_factor(const struct sparse_matrix *columns, const int *order,
                                  enum sparse_pivots pivots, double threshold, struct sparse_lu *lu)
{
    struct work work = {.room_l = 0};
    bool has_memory = prepare(columns, order, lu, &work);

    for (int column = 0; has_memory && lu->singular_at < 0 && column < lu->n; column++) {
        const int from = lu->column_at[column];
        const int top = solve_column(columns, lu, &work, from, column);
        const int diagonal = work.mark[from] == column + 1 ? from : -1;
        const int pivot =
            diagonal < 0 && pivots != SPARSE_PIVOTS_LARGEST
                ? -1
                : choose_pivot(lu, &work, top, from, pivots, diagonal < 0 ? 2 : threshold);

        has_memory = store_column(lu, &work, top, column, pivot);
        if (pivot < 0)
            lu->singular_at = column;
    }
    if (has_memory && lu->singular_at < 0)
        number_rows(lu);
    free(work.x);
    free(work.reached);
    free(work.stack);
    free(work.next);
    free(work.mark);
    return has_memory ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_ALLOC_FAILED;
}

void sparse_lu_solve(const struct sparse_lu *lu, double complex *x, double complex *memory)
{
    for (int i = 0; i < lu->n; i++)
        memory[i] = x[lu->row_at[i]];
    for (int j = 0; j < lu->n; j++)
        for (int k = lu->l.start[j]; k < lu->l.start[j + 1]; k++)
            memory[lu->l.index[k]] -= lu->l.value[k] * memory[j];
    for (int j = lu->n - 1; j >= 0; j--) {
        const int last = lu->u.start[j + 1] - 1;

        memory[j] /= lu->u.value[last];
        for (int k = lu->u.start[j]; k < last; k++)
            memory[lu->u.index[k]] -= lu->u.value[k] * memory[j];
    }
    for (int i = 0; i < lu->n; i++)
        x[lu->column_at[i]] = memory[i];
}

int sparse_lu_small_pivot(const struct sparse_lu *lu, double tolerance)
{
    const int end = lu->singular_at < 0 ? lu->n : lu->singular_at;

    for (int j = 0; j < end; j++)
        if (cabs(lu->u.value[lu->u.start[j + 1] - 1]) <= tolerance)
            return j;
    return lu->singular_at;
}

void sparse_lu_free(struct sparse_lu *lu)
{
    sparse_free(&lu->l);
    sparse_free(&lu->u);
    free(lu->row_at);
    free(lu->place_of);
    free(lu->column_at);
    memset(lu, 0, sizeof(*lu));
}

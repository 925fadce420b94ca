/* SPDX-License-Identifier: MIT */
/* Orders, permutations and symmetry of patterns: functions that compute on the host. */
#include "cusolver_typed.h"
#include "order.h"
#include "sparse.h"

#include <stdlib.h>
#include <string.h>

static struct sparse_input pattern(int rows, int columns, int count, const int *start,
                                   const int *index)
{
    return (struct sparse_input){
        .rows = rows, .columns = columns, .count = count, .start = start, .index = index};
}

static cusolverStatus_t write_order(cusolverSpHandle_t handle, int n, int nnz,
                                    const cusparseMatDescr_t descriptor, const int *start,
                                    const int *index, int *order, order_function *function)
{
    struct sparse_input input = pattern(n, n, nnz, start, index);
    struct sparse_matrix matrix = {.rows = 0}, graph = {.rows = 0};
    cusolverStatus_t status = sparse_check(handle, descriptor, &input);

    if (status == CUSOLVER_STATUS_SUCCESS && !order)
        status = CUSOLVER_STATUS_INVALID_VALUE;
    if (status == CUSOLVER_STATUS_SUCCESS)
        status = sparse_read(&input, &matrix);
    if (status == CUSOLVER_STATUS_SUCCESS &&
        (!order_symmetric_pattern(&matrix, &graph) || !function(&graph, order)))
        status = CUSOLVER_STATUS_ALLOC_FAILED;
    sparse_free(&matrix);
    sparse_free(&graph);
    return status;
}

cusolverStatus_t cusolverSpXcsrsymrcmHost(cusolverSpHandle_t handle, int n, int nnzA,
                                          const cusparseMatDescr_t descrA, const int *csrRowPtrA,
                                          const int *csrColIndA, int *p)
{
    return write_order(handle, n, nnzA, descrA, csrRowPtrA, csrColIndA, p,
                       order_reverse_cuthill_mckee);
}

cusolverStatus_t cusolverSpXcsrsymmdqHost(cusolverSpHandle_t handle, int n, int nnzA,
                                          const cusparseMatDescr_t descrA, const int *csrRowPtrA,
                                          const int *csrColIndA, int *p)
{
    return write_order(handle, n, nnzA, descrA, csrRowPtrA, csrColIndA, p, order_minimum_degree);
}

cusolverStatus_t cusolverSpXcsrsymamdHost(cusolverSpHandle_t handle, int n, int nnzA,
                                          const cusparseMatDescr_t descrA, const int *csrRowPtrA,
                                          const int *csrColIndA, int *p)
{
    return write_order(handle, n, nnzA, descrA, csrRowPtrA, csrColIndA, p, order_minimum_degree);
}

/* The options are those of METIS, which does not stand below: they are not looked at. */
cusolverStatus_t cusolverSpXcsrmetisndHost(cusolverSpHandle_t handle, int n, int nnzA,
                                           const cusparseMatDescr_t descrA, const int *csrRowPtrA,
                                           const int *csrColIndA, const int64_t *options, int *p)
{
    (void)options;
    return write_order(handle, n, nnzA, descrA, csrRowPtrA, csrColIndA, p, order_nested_dissection);
}

/* Columns that rows have been given on the diagonal, by alternating paths. */
struct matching {
    const struct sparse_matrix *matrix;
    int *row_of; /* by column; -1: none */
    int *mark;   /* by column: the last round in which it was seen */
};

/* Finds a column for `row`, and moves other rows if they have one elsewhere. The depth is at most
 * the number of rows: the stack is in `path` and `next`. */
static bool place(struct matching *m, int row, int round, int *path, int *next)
{
    int depth = 0;

    path[0] = row;
    next[0] = m->matrix->start[row];
    while (depth >= 0) {
        const int current = path[depth];
        int column = -1;

        while (next[depth] < m->matrix->start[current + 1]) {
            const int k = next[depth]++, candidate = m->matrix->index[k];

            if (m->matrix->value[k] != 0 && m->mark[candidate] != round) {
                column = candidate;
                break;
            }
        }
        if (column < 0) {
            depth--;
            continue;
        }
        m->mark[column] = round;
        if (m->row_of[column] < 0) {
            for (; depth >= 0; depth--)
                m->row_of[m->matrix->index[next[depth] - 1]] = path[depth];
            return true;
        }
        path[++depth] = m->row_of[column];
        next[depth] = m->matrix->start[path[depth]];
    }
    return false;
}

static bool has_diagonal(const struct sparse_matrix *matrix, int row)
{
    for (int k = matrix->start[row]; k < matrix->start[row + 1]; k++)
        if (matrix->index[k] == row && matrix->value[k] != 0)
            return true;
    return false;
}

/* Matches all rows, first those with a diagonal: a row that is matched stays so, though perhaps
 * with another column. Returns how many there are. */
static int match(struct matching *m, int n, int *path, int *next)
{
    int count = 0;

    for (int j = 0; j < n; j++) {
        m->row_of[j] = has_diagonal(m->matrix, j) ? j : -1;
        m->mark[j] = -1;
    }
    for (int i = 0; i < n; i++)
        count += has_diagonal(m->matrix, i) || place(m, i, i, path, next);
    return count;
}

/* Columns without a row get those that are left. */
static void fill_up(int *row_of, int n, int *used)
{
    int next = 0;

    memset(used, 0, (size_t)n * sizeof(*used));
    for (int j = 0; j < n; j++)
        if (row_of[j] >= 0)
            used[row_of[j]] = 1;
    for (int j = 0; j < n; j++) {
        if (row_of[j] >= 0)
            continue;
        while (used[next])
            next++;
        row_of[j] = next++;
    }
}

cusolverStatus_t sp_csrzfd_host(struct lib_typed typed, cusolverSpHandle_t handle, int n, int nnz,
                                const cusparseMatDescr_t descrA, const void *csrValA,
                                const int *csrRowPtrA, const int *csrColIndA, int *P, int *numnz)
{
    struct sparse_input input = pattern(n, n, nnz, csrRowPtrA, csrColIndA);
    struct sparse_matrix matrix = {.rows = 0};
    cusolverStatus_t status = sparse_check(handle, descrA, &input);
    int *memory;

    input.type = typed.type;
    input.value = csrValA;
    if (status == CUSOLVER_STATUS_SUCCESS && (!P || !numnz || (nnz > 0 && !csrValA)))
        status = CUSOLVER_STATUS_INVALID_VALUE;
    if (status == CUSOLVER_STATUS_SUCCESS)
        status = sparse_read(&input, &matrix);
    if (status != CUSOLVER_STATUS_SUCCESS)
        return status;
    memory = malloc((3 * (size_t)n + 3) * sizeof(*memory));
    if (memory) {
        struct matching matching = {.matrix = &matrix, .row_of = P, .mark = memory};

        *numnz = match(&matching, n, memory + n + 1, memory + 2 * n + 2);
        fill_up(P, n, memory);
    }
    free(memory);
    sparse_free(&matrix);
    return memory ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_ALLOC_FAILED;
}

cusolverStatus_t cusolverSpXcsrissymHost(cusolverSpHandle_t handle, int m, int nnzA,
                                         const cusparseMatDescr_t descrA, const int *csrRowPtrA,
                                         const int *csrEndPtrA, const int *csrColIndA, int *issym)
{
    struct sparse_input input = pattern(m, m, nnzA, csrRowPtrA, csrColIndA);
    cusolverStatus_t status = sparse_check(handle, descrA, &input);

    if (status != CUSOLVER_STATUS_SUCCESS)
        return status;
    if (!csrEndPtrA || !issym)
        return CUSOLVER_STATUS_INVALID_VALUE;
    *issym = 1;
    for (int i = 0; i < m && *issym; i++)
        for (int k = csrRowPtrA[i] - input.base; k < csrEndPtrA[i] - input.base && *issym; k++) {
            const int j = csrColIndA[k] - input.base;
            bool found = false;

            if (j < 0 || j >= m)
                return CUSOLVER_STATUS_INVALID_VALUE;
            for (int l = csrRowPtrA[j] - input.base; l < csrEndPtrA[j] - input.base; l++)
                found |= csrColIndA[l] - input.base == i;
            *issym = found;
        }
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverSpXcsrperm_bufferSizeHost(cusolverSpHandle_t handle, int m, int n,
                                                   int nnzA, const cusparseMatDescr_t descrA,
                                                   const int *csrRowPtrA, const int *csrColIndA,
                                                   const int *p, const int *q,
                                                   size_t *bufferSizeInBytes)
{
    struct sparse_input input = pattern(m, n, nnzA, csrRowPtrA, csrColIndA);
    cusolverStatus_t status = sparse_check(handle, descrA, &input);

    if (status != CUSOLVER_STATUS_SUCCESS)
        return status;
    if (!p || !q || !bufferSizeInBytes)
        return CUSOLVER_STATUS_INVALID_VALUE;
    *bufferSizeInBytes = ((size_t)nnzA * 2 + (size_t)m + (size_t)n + 1) * sizeof(int);
    return CUSOLVER_STATUS_SUCCESS;
}

struct entry {
    int column, place;
};

static int by_column(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;

    return (x->column > y->column) - (x->column < y->column);
}

static bool invert(const int *permutation, int n, int *inverse)
{
    for (int i = 0; i < n; i++)
        inverse[i] = -1;
    for (int i = 0; i < n; i++) {
        if (permutation[i] < 0 || permutation[i] >= n || inverse[permutation[i]] >= 0)
            return false;
        inverse[permutation[i]] = i;
    }
    return true;
}

/* Row i of the result is row p[i]; its columns are sorted, and the map follows. */
static void permute(const struct sparse_matrix *matrix, const int *p, const int *column_of,
                    struct entry *entries, int base, int *start, int *index, int *map)
{
    int place = 0;

    start[0] = base;
    for (int i = 0; i < matrix->rows; i++) {
        const int first = place;

        for (int k = matrix->start[p[i]]; k < matrix->start[p[i] + 1]; k++)
            entries[place++] = (struct entry){column_of[matrix->index[k]], k};
        qsort(entries + first, (size_t)(place - first), sizeof(*entries), by_column);
        start[i + 1] = base + place;
    }
    for (int k = 0; k < place; k++)
        index[k] = entries[k].column + base;
    for (int k = 0; k < place; k++) {
        const int from = entries[k].place;

        entries[k].column = map[from];
    }
    for (int k = 0; k < place; k++)
        map[k] = entries[k].column;
}

cusolverStatus_t cusolverSpXcsrpermHost(cusolverSpHandle_t handle, int m, int n, int nnzA,
                                        const cusparseMatDescr_t descrA, int *csrRowPtrA,
                                        int *csrColIndA, const int *p, const int *q, int *map,
                                        void *pBuffer)
{
    struct sparse_input input = pattern(m, n, nnzA, csrRowPtrA, csrColIndA);
    struct sparse_matrix matrix = {.rows = 0};
    cusolverStatus_t status = sparse_check(handle, descrA, &input);
    struct entry *entries;
    int *inverse;

    (void)pBuffer;
    if (status == CUSOLVER_STATUS_SUCCESS && (!p || !q || !map))
        status = CUSOLVER_STATUS_INVALID_VALUE;
    if (status == CUSOLVER_STATUS_SUCCESS)
        status = sparse_read(&input, &matrix);
    if (status != CUSOLVER_STATUS_SUCCESS)
        return status;
    entries = malloc(((size_t)nnzA + 1) * sizeof(*entries));
    inverse = malloc(((size_t)m + (size_t)n + 1) * sizeof(*inverse));
    if (!entries || !inverse)
        status = CUSOLVER_STATUS_ALLOC_FAILED;
    else if (!invert(p, m, inverse) || !invert(q, n, inverse))
        status = CUSOLVER_STATUS_INVALID_VALUE;
    else
        permute(&matrix, p, inverse, entries, input.base, csrRowPtrA, csrColIndA, map);
    free(entries);
    free(inverse);
    sparse_free(&matrix);
    return status;
}

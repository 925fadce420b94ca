/* SPDX-License-Identifier: MIT */
/* Orders of the rows of a sparse matrix that keep its factors sparse. */
#ifndef CUSOLVER_SPARSE_ORDER_H
#define CUSOLVER_SPARSE_ORDER_H

#include "matrix.h"

/* The pattern of A + A^T without the diagonal; false without memory. */
bool order_symmetric_pattern(const struct sparse_matrix *matrix, struct sparse_matrix *result);

/* Each writes a permutation: order[i] is the row that comes to place i. The graph is a symmetric
 * pattern without diagonal. False without memory. */
typedef bool order_function(const struct sparse_matrix *graph, int *order);
order_function order_reverse_cuthill_mckee, order_minimum_degree, order_nested_dissection;

#endif

/* SPDX-License-Identifier: MIT */
/* Orders of elements in memory. */
#ifndef CUBLASLT_ORDER_H
#define CUBLASLT_ORDER_H

#include "lt.h"

#include <cupipe.h>

/* The index of an element, in elements from the matrix' start. */
int64_t order_index(const struct lt_layout *layout, uint64_t row, uint64_t column);

/* True if the order is known, the leading dimension fits and a batch has matrices. */
bool order_is_sound(const struct lt_layout *layout);

/* The memory of a matrix and its batch. */
struct cupipe_range order_range(const void *address, const struct lt_layout *layout, bool written);

#endif

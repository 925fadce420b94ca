/* SPDX-License-Identifier: MIT */
/* Elements one by one, as pairs of doubles: for f64, complex numbers and planes. */
#ifndef PRODUCT_WIDE_H
#define PRODUCT_WIDE_H

#include "plan.h"

/* Copies a matrix into columns without gaps, with its conjugation. */
void wide_copy(void *out, cudaDataType_t type, const struct view *view, int64_t rows,
               int64_t columns);

/* Copies between matrices of one type. */
void wide_move(const struct view *to, const struct view *from, int64_t rows, int64_t columns);

/* D from sums of a type; see epilogue_run(). */
void wide_epilogue(struct plan *plan, const struct block *block, cudaDataType_t type);

#endif

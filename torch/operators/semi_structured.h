/* SPDX-License-Identifier: MIT */
/* The compressed form of matrices of which two of four elements are zero, on the host. */
#ifndef CUPIPE_TORCH_OPERATORS_SEMI_STRUCTURED_H
#define CUPIPE_TORCH_OPERATORS_SEMI_STRUCTURED_H

#include <ATen/core/Tensor.h>

namespace cupipe
{

/* The positions of the two elements of each four to keep, in order; first those that are not zero.
 * `fours` is (count, 4). */
at::Tensor kept_positions(const at::Tensor &fours);

/* Elements of cuSPARSELt's form for 16 of the matrix. */
int64_t compressed_sixteenths(at::ScalarType type);

/* Stores a matrix in cuSPARSELt's form. */
void compress(const at::Tensor &matrix, const at::Tensor &out);

} // namespace cupipe

#endif

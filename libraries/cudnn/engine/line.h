/* SPDX-License-Identifier: MIT */
/* Lines of elements, any type and stride, to and from the numbers that the engine computes with:
 * f32 or f64 (`wide`). */
#ifndef DNN_ENGINE_LINE_H
#define DNN_ENGINE_LINE_H

#include "tensor.h"

/* Reads `count` elements that lie `stride` elements apart into floats or doubles. */
void dnn_line_load(bool wide, void *out, cudnnDataType_t type, const void *in, int64_t stride,
                   size_t count);

/* Writes `count` numbers as elements. Rounds to nearest even; integers and fp8 saturate, NaN
 * becomes integer 0; a boolean is 1 if the number is not 0. */
void dnn_line_store(bool wide, void *out, cudnnDataType_t type, int64_t stride, const void *in,
                    size_t count);

#endif

/* SPDX-License-Identifier: MIT */
/* A loop over the elements of several tensors of one shape, line by line. Dimensions are ordered by
 * the strides of the first tensor and merged where all tensors allow, so that lines are long. Lines
 * run on the driver's workers. */
#ifndef DNN_ENGINE_LOOP_H
#define DNN_ENGINE_LOOP_H

#include "tensor.h"

enum { DNN_LOOP_TENSORS = 50, DNN_LOOP_RANK = DNN_RANK_MOST + 3, DNN_LINE_MOST = 512 };

struct dnn_loop {
    int tensors, rank;
    int64_t dims[DNN_LOOP_RANK];
    int64_t strides[DNN_LOOP_TENSORS][DNN_LOOP_RANK]; /* in elements */
};

/* Does `count` <= DNN_LINE_MOST elements: tensor t has them from element offsets[t] on,
 * loop->strides[t][loop->rank - 1] apart. */
typedef void dnn_loop_line(void *arguments, const struct dnn_loop *loop, const int64_t *offsets,
                           size_t count);

/* The loop over the elements of tensors[0]. The other tensors have its dimensions, or 1 where their
 * elements repeat; tensors of lower rank are aligned at the last dimension. An absent tensor (NULL)
 * has strides of 0. */
void dnn_loop_init(struct dnn_loop *loop, const struct dnn_tensor *const *tensors, int count);

void dnn_loop_run(const struct dnn_loop *loop, dnn_loop_line *line, void *arguments);

/* The address of element `offset`. */
static inline void *dnn_at(const struct dnn_tensor *tensor, int64_t offset)
{
    return (char *)tensor->address + offset * (int64_t)dnn_type_bytes(tensor->type);
}

#endif

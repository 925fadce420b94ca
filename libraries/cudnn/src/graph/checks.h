/* SPDX-License-Identifier: MIT */
/* What checks of operations share. */
#ifndef DNN_GRAPH_CHECKS_H
#define DNN_GRAPH_CHECKS_H

#include "operation.h"

/* The tensor of an attribute of `operation`, or NULL. */
#define TENSOR(name) graph_tensor_at(operation, CUDNN_ATTR_OPERATION_##name)

/* CUDNN_STATUS_BAD_PARAM, with a message that names the operation. */
cudnnStatus_t graph_misfit(const struct graph_content *operation, const char *what);

/* True if `part` has one element or as many as `whole` in each dimension, aligned at the last. A
 * part that is not there fits. */
bool graph_broadcasts(const struct graph_tensor *part, const struct graph_tensor *whole);

/* True if the tensor has an element, or is not there. */
bool graph_is_number(const struct graph_tensor *tensor);

/* True if both have the same dimensions, or one is not there. */
bool graph_same_shape(const struct graph_tensor *a, const struct graph_tensor *b);

#endif

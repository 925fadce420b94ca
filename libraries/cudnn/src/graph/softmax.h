/* SPDX-License-Identifier: MIT */
/* Rows of a softmax that are masked whole. Written out as a graph, their largest element is minus
 * infinity, and the difference to it is not a number. They count as rows of zeros, as in the fused
 * kernels that such graphs stand for. */
#ifndef DNN_GRAPH_SOFTMAX_H
#define DNN_GRAPH_SOFTMAX_H

#include "program.h"

enum graph_rule {
    GRAPH_NO_RULE,
    GRAPH_SHIFT, /* exp(x - b): the score of what is masked counts as 0 in b */
    GRAPH_SHARE, /* x / b, where b sums x: 0 in b counts as 1 */
};

/* The rule for operation `number` of a sorted program. */
enum graph_rule graph_softmax_rule(const struct graph_program *program, int number);

#endif

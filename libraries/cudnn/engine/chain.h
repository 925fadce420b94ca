/* SPDX-License-Identifier: MIT */
/* Pointwise operations that follow one another, in one pass over memory: a line of elements goes
 * through all of them in the processor's caches. */
#ifndef DNN_ENGINE_CHAIN_H
#define DNN_ENGINE_CHAIN_H

#include "engine.h"

enum { DNN_CHAIN_STEPS = 12, DNN_CHAIN_NONE = -1 };

/* What becomes of the second operand before a step. */
enum dnn_chain_rule {
    DNN_CHAIN_AS_IS,
    DNN_CHAIN_MASKED_IS_ZERO, /* numbers of masked scores become 0 */
    DNN_CHAIN_ZERO_IS_ONE,
};

struct dnn_chain_step {
    struct dnn_pointwise op; /* without a blend, computed in f32; all have y's dimensions */
    int from[3]; /* the step of which x, b, t is the result; DNN_CHAIN_NONE: the tensor is read */
    enum dnn_chain_rule rule;
    /* y.address NULL: nobody outside the chain reads the result. */
};

/* Scores of frontends' masks are below this: minus infinity, or the lowest float. */
#define DNN_MASKED_SCORE (-1e37)

/* Every step writes the line that it has computed, as if it ran by itself. */
CUresult dnn_chain_run(const struct dnn_chain_step *steps, int count);

#endif

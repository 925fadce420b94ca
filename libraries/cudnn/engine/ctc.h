/* SPDX-License-Identifier: MIT */
/* The loss of connectionist temporal classification. */
#ifndef DNN_ENGINE_CTC_H
#define DNN_ENGINE_CTC_H

#include "engine.h"

struct dnn_ctc {
    struct dnn_tensor x;         /* [steps][batch][symbols] */
    struct dnn_tensor gradients; /* may be absent */
    bool softmax;                /* x is before the softmax; otherwise it has probabilities */
    bool skips;                  /* gradients behind the end of an input are left alone, not 0 */
    const int *labels, *label_lengths,
        *input_lengths; /* labels lie one after another; 0 is blank */
    float *costs;
};
CUresult dnn_ctc_run(const struct dnn_ctc *op);

#endif

/* SPDX-License-Identifier: MIT */
/* Attention of the older interface: several heads, with projections of the inputs and of the
 * result. */
#ifndef DNN_ENGINE_MULTIHEAD_H
#define DNN_ENGINE_MULTIHEAD_H

#include "engine.h"

/* Vectors of sequences; strides in elements, a vector has no gaps. data may be NULL: absent. */
struct dnn_sequences {
    void *data;
    int64_t time, batch, beam;
};

struct dnn_multihead {
    enum dnn_multihead_pass {
        DNN_MULTIHEAD_FORWARD,
        DNN_MULTIHEAD_DATA,
        DNN_MULTIHEAD_WEIGHTS
    } pass;
    cudnnDataType_t type;
    int64_t heads;
    int64_t q_size, k_size, v_size;           /* of vectors */
    int64_t qk_project, v_project, o_project; /* of one head; 0: the vectors are used as they are */
    bool biases;
    bool own_keys; /* each beam has keys and values of its own, not the batch's first */
    double scale;
    int64_t batch, beams, q_steps, kv_steps;
    int64_t step;                          /* only this query; -1: all */
    const int32_t *low, *high;             /* in host memory: the keys that each query sees */
    const int32_t *q_lengths, *kv_lengths; /* one for each sequence, in device memory */
    struct dnn_sequences queries, keys, values, residuals, out;
    struct dnn_sequences d_out, d_queries, d_keys, d_values;
    const void *weights;
    void *d_weights;
    bool sets;       /* gradients of weights replace what is there; otherwise they are added */
    double *reserve; /* kept from pass to pass; NULL: forward for inference */
};
CUresult dnn_multihead_run(const struct dnn_multihead *op);

/* Where weights of a kind begin, in elements; -1: there are none of this kind. */
int64_t dnn_multihead_place(const struct dnn_multihead *op, int kind);
int64_t dnn_multihead_weight_count(const struct dnn_multihead *op);
int64_t dnn_multihead_reserve_count(const struct dnn_multihead *op);

static inline int64_t dnn_multihead_out_size(const struct dnn_multihead *op)
{
    return op->o_project ? op->o_project : op->heads * (op->v_project ? op->v_project : op->v_size);
}

#endif

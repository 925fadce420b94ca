/* SPDX-License-Identifier: MIT */
/* Recurrent networks: layers of cells over sequences, in one or two directions.
 *
 * All weights lie in one space: for each pseudo layer (layer * directions + direction) the matrices
 * of the input, one for each gate, then those of the state and the projection; behind all of them
 * the biases, in the same order. */
#ifndef DNN_ENGINE_RNN_H
#define DNN_ENGINE_RNN_H

#include "dropout.h"
#include "engine.h"

#include <cudnn_adv.h>

struct dnn_rnn {
    enum dnn_rnn_pass { DNN_RNN_FORWARD, DNN_RNN_DATA, DNN_RNN_WEIGHTS } pass;
    cudnnRNNMode_t mode;
    int layers, directions;
    bool input_bias, state_bias;
    bool skips_input; /* the first layer adds its input, as long as the state, to every gate */
    int64_t input, hidden, steps, batch;
    int64_t output; /* what a cell hands on: as many as hidden, or fewer by a projection (LSTM) */
    cudnnDataType_t type;
    bool wide; /* reserve has doubles */
    bool clips;
    double clip_low, clip_high;
    double dropout;
    struct dnn_generators generators; /* of the dropout; each forward pass goes on in them */
    double y_fill;                    /* what y has behind the ends of sequences */
    /* Arrays in host memory. rows: which vector of x (y) is step t of sequence b, at [t * batch +
     * b]; -1: none. */
    const int32_t *lengths;
    const int64_t *x_rows, *y_rows;
    const void *x, *y, *dy, *hx, *cx, *dhy, *dcy, *weights;
    void *y_out, *dx, *hy, *cy, *dhx, *dcx, *dweights;
    void *reserve; /* NULL: inference */
};
CUresult dnn_rnn_run(const struct dnn_rnn *op);

static inline int dnn_rnn_gates(cudnnRNNMode_t mode)
{
    return mode == CUDNN_LSTM ? 4 : mode == CUDNN_GRU ? 3 : 1;
}

static inline bool dnn_rnn_projects(const struct dnn_rnn *op)
{
    return op->output != op->hidden;
}

static inline int64_t dnn_rnn_layer_input(const struct dnn_rnn *op, int layer)
{
    return layer == 0 ? op->input : op->directions * op->output;
}

/* Columns of a layer's matrices of the input; 0: it has none. */
static inline int64_t dnn_rnn_input_columns(const struct dnn_rnn *op, int layer)
{
    return layer == 0 && op->skips_input ? 0 : dnn_rnn_layer_input(op, layer);
}

/* Places in the space of weights, in elements. */
struct dnn_rnn_places {
    int64_t input, state;           /* matrices */
    int64_t projection;             /* -1: none */
    int64_t input_bias, state_bias; /* -1: none */
    int64_t total;
};
struct dnn_rnn_places dnn_rnn_places(const struct dnn_rnn *op, int pseudo_layer);

/* Numbers that the forward pass keeps for the backward passes. */
int64_t dnn_rnn_reserve_count(const struct dnn_rnn *op);

#endif

/* SPDX-License-Identifier: MIT */
/* Recurrent networks. The products of a layer's inputs with its weights are one product for all
 * steps; the products with the states follow step by step. What the backward passes need is kept in
 * `reserve`: for each layer its inputs, its outputs, and for each direction the gates, the cells
 * (or the GRU's term of the state), the gates' gradients, and what a projection needs. */
#include "rnn.h"

#include "array.h"
#include "gemm.h"
#include "line.h"
#include "philox.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct dnn_rnn_places dnn_rnn_places(const struct dnn_rnn *op, int pseudo_layer)
{
    int64_t rows = dnn_rnn_gates(op->mode) * op->hidden, place = 0, vectors;
    struct dnn_rnn_places places = {.projection = -1, .input_bias = -1, .state_bias = -1};

    vectors = (op->input_bias ? 1 : 0) + (op->state_bias ? 1 : 0);
    for (int i = 0; i < op->layers * op->directions; i++) {
        int64_t width = dnn_rnn_input_columns(op, i / op->directions);

        if (i == pseudo_layer) {
            places.input = place;
            places.state = place + rows * width;
            if (dnn_rnn_projects(op))
                places.projection = places.state + rows * op->output;
        }
        place += rows * (width + op->output);
        place += dnn_rnn_projects(op) ? op->output * op->hidden : 0;
    }
    if (op->input_bias)
        places.input_bias = place + pseudo_layer * vectors * rows;
    if (op->state_bias)
        places.state_bias = place + (pseudo_layer * vectors + vectors - 1) * rows;
    places.total = place + op->layers * op->directions * vectors * rows;
    return places;
}

/* Arrays of a layer in the reserve; [steps * batch][...] each. */
struct layer {
    int64_t in, mask, out;
    int64_t gates[2], cells[2], gradients[2], state_gradients[2];
    int64_t hidden[2], projected[2]; /* results of cells and gradients of their projections */
    int64_t end;
};

static struct layer layer_at(const struct dnn_rnn *op, int layer)
{
    int64_t rows = op->steps * op->batch, gates = dnn_rnn_gates(op->mode) * op->hidden, place = 0;
    struct layer found = {0};

    for (int i = 0; i <= layer; i++) {
        int64_t width = dnn_rnn_layer_input(op, i);

        found.in = place;
        found.mask = found.in + rows * width;
        found.out = found.mask + (op->dropout > 0 ? rows * width : 0);
        place = found.out + rows * op->directions * op->output;
        for (int d = 0; d < op->directions; d++) {
            found.gates[d] = place;
            found.cells[d] = found.gates[d] + rows * gates;
            found.gradients[d] = found.cells[d] + rows * op->hidden;
            found.state_gradients[d] = found.gradients[d] + rows * gates;
            found.hidden[d] = found.state_gradients[d] + rows * gates;
            found.projected[d] = found.hidden[d] + (dnn_rnn_projects(op) ? rows * op->hidden : 0);
            place = found.projected[d] + (dnn_rnn_projects(op) ? rows * op->output : 0);
        }
        found.end = place;
    }
    return found;
}

int64_t dnn_rnn_reserve_count(const struct dnn_rnn *op)
{
    return layer_at(op, op->layers - 1).end;
}

#define REAL float
#define M(function) function##f
#define WIDE false
#define RUN run_f32
#define N(name) name##_f32
#include "rnn_body.h"
#undef REAL
#undef M
#undef WIDE
#undef RUN
#undef N
#define REAL double
#define M(function) function
#define WIDE true
#define RUN run_f64
#define N(name) name##_f64
#include "rnn_body.h"

CUresult dnn_rnn_run(const struct dnn_rnn *op)
{
    return op->wide ? run_f64(op) : run_f32(op);
}

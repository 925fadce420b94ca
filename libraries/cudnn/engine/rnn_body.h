/* SPDX-License-Identifier: MIT */
/* Recurrent networks for one number type. rnn.c defines REAL, M(function), WIDE, RUN and N(name).
 */

struct N(network) {
    const struct dnn_rnn *op;
    int64_t gates;            /* all gates of a cell */
    REAL *weights, *dweights; /* the whole space */
    REAL *reserve;
    REAL *state, *cell; /* [batch][output], [batch][hidden] of the running step, or gradients */
    REAL *products;     /* [batch][gates] */
    struct dnn_array loaded; /* weights */
    struct dnn_array scratch;
};

static REAL N(sigmoid)(REAL x)
{
    return 1 / (1 + M(exp)(-x));
}

/* The vectors of all steps as rows [steps * batch][width]; absent ones are 0. */
static void N(load_vectors)(const struct dnn_rnn *op, REAL *out, const void *in,
                            const int64_t *rows, int64_t width)
{
    size_t bytes = dnn_type_bytes(op->type);

    for (int64_t i = 0; i < op->steps * op->batch; i++) {
        if (rows[i] < 0 || i / op->batch >= op->lengths[i % op->batch])
            memset(out + i * width, 0, (size_t)width * sizeof(REAL));
        else
            dnn_line_load(WIDE, out + i * width, op->type,
                          (const char *)in + (size_t)(rows[i] * width) * bytes, 1, (size_t)width);
    }
}

static void N(store_vectors)(const struct dnn_rnn *op, void *out, const REAL *in,
                             const int64_t *rows, int64_t width, double fill)
{
    size_t bytes = dnn_type_bytes(op->type);

    for (int64_t i = 0; i < op->steps * op->batch; i++) {
        char *to = (char *)out + (size_t)(rows[i] * width) * bytes;

        if (rows[i] < 0)
            continue;
        if (i / op->batch < op->lengths[i % op->batch])
            dnn_line_store(WIDE, to, op->type, 1, in + i * width, (size_t)width);
        else
            for (int64_t j = 0; j < width; j++)
                dnn_set(op->type, to + (size_t)j * bytes, fill);
    }
}

/* A state [batch][width] of one pseudo layer; NULL is 0. */
static void N(load_state)(const struct dnn_rnn *op, REAL *out, const void *in, int64_t width,
                          int pseudo)
{
    size_t count = (size_t)(op->batch * width);

    if (!in)
        memset(out, 0, count * sizeof(REAL));
    else
        dnn_line_load(WIDE, out, op->type,
                      (const char *)in + (size_t)pseudo * count * dnn_type_bytes(op->type), 1,
                      count);
}

static void N(store_state)(const struct dnn_rnn *op, void *out, const REAL *in, int64_t width,
                           int pseudo)
{
    size_t count = (size_t)(op->batch * width);

    if (out)
        dnn_line_store(WIDE, (char *)out + (size_t)pseudo * count * dnn_type_bytes(op->type),
                       op->type, 1, in, count);
}

static const REAL *N(bias)(const struct N(network) * net, int64_t place)
{
    return place < 0 ? NULL : net->weights + place;
}

#include "rnn_forward_body.h"
#include "rnn_gradient_body.h"

static CUresult N(run_weights)(struct N(network) * net)
{
    const struct dnn_rnn *op = net->op;
    int64_t total = dnn_rnn_places(op, 0).total;
    struct dnn_tensor space = dnn_packed(op->dweights, op->type, 1, &total);
    struct dnn_array gradients;
    CUresult result;

    if (!dnn_array_new(&gradients, total, WIDE))
        return CUDA_ERROR_OUT_OF_MEMORY;
    memset(gradients.data, 0, (size_t)total * sizeof(REAL));
    net->dweights = gradients.data;
    result = N(weight_gradients)(net);
    if (result == CUDA_SUCCESS) /* gradients are added to what is there */
        dnn_array_store(&space, &gradients, (struct dnn_blend){.alpha = 1, .beta = 1});
    dnn_array_free(&gradients);
    return result;
}

static CUresult RUN(const struct dnn_rnn *op)
{
    struct N(network) net = {.op = op, .gates = dnn_rnn_gates(op->mode) * op->hidden};
    int64_t total = dnn_rnn_places(op, 0).total, states = op->batch * op->hidden;
    int64_t scratch = 2 * states + op->batch * net.gates;
    struct dnn_tensor space = dnn_packed((void *)op->weights, op->type, 1, &total);
    CUresult result = CUDA_ERROR_OUT_OF_MEMORY;

    if (!op->reserve)
        scratch += dnn_rnn_reserve_count(op);
    if (dnn_array_load(&net.loaded, &space, WIDE) && dnn_array_new(&net.scratch, scratch, WIDE)) {
        net.weights = net.loaded.data;
        net.state = net.scratch.data;
        net.cell = net.state + states;
        net.products = net.cell + states;
        net.reserve = op->reserve ? op->reserve : net.products + op->batch * net.gates;
        result = op->pass == DNN_RNN_FORWARD ? N(forward)(&net)
                 : op->pass == DNN_RNN_DATA  ? N(backward)(&net)
                                             : N(run_weights)(&net);
    }
    dnn_array_free(&net.scratch);
    dnn_array_free(&net.loaded);
    return result;
}

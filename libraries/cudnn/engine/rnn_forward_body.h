/* SPDX-License-Identifier: MIT */
/* The forward pass of recurrent networks for one number type (rnn_body.h). */

/* One cell: `g` has the products of the input and becomes the gates, `r` has those of the state. */
static void N(cell)(const struct dnn_rnn *op, REAL *g, const REAL *r, const REAL *state_bias,
                    REAL *kept, REAL *h, REAL *c)
{
    int64_t n = op->hidden;

    for (int64_t j = 0; j < n; j++) {
        if (op->mode == CUDNN_GRU) {
            REAL term = r[2 * n + j] + (state_bias ? state_bias[2 * n + j] : 0);

            g[j] = N(sigmoid)(g[j] + r[j] + (state_bias ? state_bias[j] : 0));
            g[n + j] = N(sigmoid)(g[n + j] + r[n + j] + (state_bias ? state_bias[n + j] : 0));
            g[2 * n + j] = M(tanh)(g[2 * n + j] + g[j] * term);
            kept[j] = term;
            h[j] = (1 - g[n + j]) * g[2 * n + j] + g[n + j] * h[j];
        } else if (op->mode == CUDNN_LSTM) {
            for (int gate = 0; gate < 4; gate++) {
                REAL x =
                    g[gate * n + j] + r[gate * n + j] + (state_bias ? state_bias[gate * n + j] : 0);

                g[gate * n + j] = gate == 2 ? M(tanh)(x) : N(sigmoid)(x);
            }
            c[j] = g[n + j] * c[j] + g[j] * g[2 * n + j];
            if (op->clips)
                c[j] = M(fmin)(M(fmax)(c[j], (REAL)op->clip_low), (REAL)op->clip_high);
            kept[j] = c[j];
            h[j] = g[3 * n + j] * M(tanh)(c[j]);
        } else {
            REAL x = g[j] + r[j] + (state_bias ? state_bias[j] : 0);

            g[j] = op->mode == CUDNN_RNN_TANH ? M(tanh)(x) : x > 0 ? x : 0;
            h[j] = g[j];
        }
    }
}

/* The products of a layer's inputs with its weights, for all steps. */
static CUresult N(multiply_inputs)(struct N(network) * net, int index, const REAL *in,
                                   const REAL *weights, REAL *gates)
{
    const struct dnn_rnn *op = net->op;
    int64_t rows = op->steps * op->batch, width = dnn_rnn_layer_input(op, index);

    if (dnn_rnn_input_columns(op, index))
        return dnn_gemm(WIDE, rows, net->gates, width, 1, (struct dnn_matrix){in, width, false},
                        (struct dnn_matrix){weights, width, true}, 0, gates, net->gates);
    for (int64_t i = 0; i < rows * net->gates; i++)
        gates[i] = in[i / net->gates * width + i % width];
    return CUDA_SUCCESS;
}

/* The step's outputs, projected: `state` of the sequences that go on, and `out`. */
static CUresult N(project_step)(struct N(network) * net, const struct layer *layer,
                                const REAL *weights, int direction, int64_t t)
{
    const struct dnn_rnn *op = net->op;
    int64_t n = op->hidden, width = op->output;
    struct dnn_matrix hidden = {net->reserve + layer->hidden[direction] + t * op->batch * n, n,
                                false};
    struct dnn_matrix projection = {weights, n, true};
    CUresult result =
        dnn_gemm(WIDE, op->batch, width, n, 1, hidden, projection, 0, net->products, width);

    for (int64_t b = 0; b < op->batch; b++)
        if (t < op->lengths[b])
            memcpy(net->state + b * width, net->products + b * width, (size_t)width * sizeof(REAL));
    return result;
}

static CUresult N(forward_step)(struct N(network) * net, const struct layer *layer, int pseudo,
                                int64_t t)
{
    const struct dnn_rnn *op = net->op;
    struct dnn_rnn_places places = dnn_rnn_places(op, pseudo);
    int direction = pseudo % op->directions;
    bool projects = dnn_rnn_projects(op);
    int64_t n = op->hidden, width = op->output;
    CUresult result = dnn_gemm(WIDE, op->batch, net->gates, width, 1,
                               (struct dnn_matrix){net->state, width, false},
                               (struct dnn_matrix){net->weights + places.state, width, true}, 0,
                               net->products, net->gates);

    for (int64_t b = 0; b < op->batch && result == CUDA_SUCCESS; b++) {
        int64_t row = t * op->batch + b;
        REAL *h = projects ? net->reserve + layer->hidden[direction] + row * n : net->state + b * n;

        if (t < op->lengths[b])
            N(cell)
        (op, net->reserve + layer->gates[direction] + row * net->gates,
         net->products + b * net->gates, N(bias)(net, places.state_bias),
         net->reserve + layer->cells[direction] + row * n, h, net->cell + b * n);
        else if (projects) memset(h, 0, (size_t)n * sizeof(REAL));
    }
    if (result == CUDA_SUCCESS && projects)
        result = N(project_step)(net, layer, net->weights + places.projection, direction, t);
    for (int64_t b = 0; b < op->batch; b++) {
        REAL *out =
            net->reserve + layer->out + ((t * op->batch + b) * op->directions + direction) * width;

        if (t < op->lengths[b])
            memcpy(out, net->state + b * width, (size_t)width * sizeof(REAL));
        else
            memset(out, 0, (size_t)width * sizeof(REAL));
    }
    return result;
}

static CUresult N(forward_direction)(struct N(network) * net, int index, int direction)
{
    const struct dnn_rnn *op = net->op;
    struct layer layer = layer_at(op, index);
    int pseudo = index * op->directions + direction;
    struct dnn_rnn_places places = dnn_rnn_places(op, pseudo);
    int64_t rows = op->steps * op->batch;
    REAL *gates = net->reserve + layer.gates[direction];
    const REAL *input_bias = N(bias)(net, places.input_bias);
    CUresult result =
        N(multiply_inputs)(net, index, net->reserve + layer.in, net->weights + places.input, gates);

    for (int64_t i = 0; i < rows * net->gates && input_bias; i++)
        gates[i] += input_bias[i % net->gates];
    N(load_state)(op, net->state, op->hx, op->output, pseudo);
    N(load_state)(op, net->cell, op->cx, op->hidden, pseudo);
    for (int64_t s = 0; s < op->steps && result == CUDA_SUCCESS; s++)
        result = N(forward_step)(net, &layer, pseudo, direction ? op->steps - 1 - s : s);
    N(store_state)(op, op->hy, net->state, op->output, pseudo);
    if (op->mode == CUDNN_LSTM)
        N(store_state)(op, op->cy, net->cell, op->hidden, pseudo);
    return result;
}

/* Factors for dropout. The bits are drawn into the beginning of the factors' memory and give way to
 * them from the end on. */
static void N(draw_mask)(const struct dnn_rnn *op, REAL *mask, int64_t count)
{
    dnn_dropout_draw(&op->generators, op->dropout, count, (void *)mask);
    for (int64_t i = count - 1; i >= 0; i--) {
        uint32_t word;

        memcpy(&word, (const char *)mask + i / 32 * (int64_t)sizeof(word), sizeof(word));
        mask[i] = word >> i % 32 & 1 ? (REAL)(1 / (1 - op->dropout)) : 0;
    }
}

/* The inputs of a layer: those of the network, or the outputs of the layer before with dropout. */
static void N(load_inputs)(struct N(network) * net, int index)
{
    const struct dnn_rnn *op = net->op;
    struct layer layer = layer_at(op, index), before;
    int64_t count = op->steps * op->batch * dnn_rnn_layer_input(op, index);
    REAL *in = net->reserve + layer.in, *mask = net->reserve + layer.mask;

    if (index == 0) {
        N(load_vectors)(op, in, op->x, op->x_rows, op->input);
        return;
    }
    before = layer_at(op, index - 1);
    memcpy(in, net->reserve + before.out, (size_t)count * sizeof(REAL));
    if (op->dropout > 0)
        N(draw_mask)(op, mask, count);
    for (int64_t i = 0; i < count && op->dropout > 0; i++)
        in[i] *= mask[i];
}

static CUresult N(forward)(struct N(network) * net)
{
    const struct dnn_rnn *op = net->op;
    CUresult result = CUDA_SUCCESS;

    for (int i = 0; i < op->layers && result == CUDA_SUCCESS; i++) {
        N(load_inputs)(net, i);
        for (int d = 0; d < op->directions && result == CUDA_SUCCESS; d++)
            result = N(forward_direction)(net, i, d);
    }
    if (result == CUDA_SUCCESS)
        N(store_vectors)
    (op, op->y_out, net->reserve + layer_at(op, op->layers - 1).out, op->y_rows,
     op->directions * op->output, op->y_fill);
    return result;
}

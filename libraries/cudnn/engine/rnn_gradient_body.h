/* SPDX-License-Identifier: MIT */
/* The backward passes of recurrent networks for one number type (rnn_body.h): gradients of the
 * data, step by step from the end, and then those of the weights, which are sums over all steps. */

/* The state before step t of sequence b, or NULL: the first. */
static const REAL *N(state_before)(const struct N(network) * net, const struct layer *layer,
                                   int direction, int64_t t, int64_t b)
{
    const struct dnn_rnn *op = net->op;
    int64_t before = direction ? t + 1 : t - 1;

    if (before < 0 || before >= op->lengths[b])
        return NULL;
    return net->reserve + layer->out +
           ((before * op->batch + b) * op->directions + direction) * op->output;
}

/* The gradients of one cell. dh and dc are those of its results and become those of the state
 * before, but for what comes through the gates. */
static void N(cell_gradient)(const struct dnn_rnn *op, const REAL *g, const REAL *kept,
                             const REAL *h_before, const REAL *c_before, REAL *dh, REAL *dc,
                             REAL *dg, REAL *dr)
{
    int64_t n = op->hidden;

    for (int64_t j = 0; j < n; j++) {
        if (op->mode == CUDNN_GRU) {
            REAL r = g[j], z = g[n + j], fresh = g[2 * n + j];
            REAL dn = dh[j] * (1 - z) * (1 - fresh * fresh);

            dg[n + j] = dh[j] * (h_before[j] - fresh) * z * (1 - z);
            dg[2 * n + j] = dn;
            dg[j] = dn * kept[j] * r * (1 - r);
            dr[j] = dg[j];
            dr[n + j] = dg[n + j];
            dr[2 * n + j] = dn * r;
            dh[j] *= z;
        } else if (op->mode == CUDNN_LSTM) {
            REAL i = g[j], f = g[n + j], u = g[2 * n + j], o = g[3 * n + j];
            REAL t = M(tanh)(kept[j]), d = dc[j] + dh[j] * o * (1 - t * t);

            dg[j] = d * u * i * (1 - i);
            dg[n + j] = d * c_before[j] * f * (1 - f);
            dg[2 * n + j] = d * i * (1 - u * u);
            dg[3 * n + j] = dh[j] * t * o * (1 - o);
            for (int gate = 0; gate < 4; gate++)
                dr[gate * n + j] = dg[gate * n + j];
            dc[j] = d * f;
            dh[j] = 0;
        } else {
            dg[j] = op->mode == CUDNN_RNN_TANH ? dh[j] * (1 - g[j] * g[j]) : g[j] > 0 ? dh[j] : 0;
            dr[j] = dg[j];
            dh[j] = 0;
        }
    }
}

/* The gradients of the cells' results from those of their projections. They come into `products`,
 * and those of the projections are kept for the gradient of the weights. */
static CUresult N(unproject_step)(struct N(network) * net, const struct layer *layer,
                                  const REAL *weights, int direction, int64_t t)
{
    const struct dnn_rnn *op = net->op;
    int64_t n = op->hidden, width = op->output;
    REAL *kept = net->reserve + layer->projected[direction] + t * op->batch * width;

    for (int64_t b = 0; b < op->batch; b++) {
        bool runs = t < op->lengths[b];

        for (int64_t j = 0; j < width; j++) {
            kept[b * width + j] = runs ? net->state[b * width + j] : 0;
            net->state[b * width + j] = runs ? 0 : net->state[b * width + j];
        }
    }
    return dnn_gemm(WIDE, op->batch, n, width, 1, (struct dnn_matrix){kept, width, false},
                    (struct dnn_matrix){weights, n, false}, 0, net->products, n);
}

/* The states before the first step, [batch][output] and [batch][hidden]. */
struct N(first) {
    REAL *state, *cell;
};

static void N(step_gradients)(struct N(network) * net, const struct layer *layer, int direction,
                              int64_t t, struct N(first) first, REAL *dh)
{
    const struct dnn_rnn *op = net->op;
    int64_t n = op->hidden, row = t * op->batch;
    REAL *dg = net->reserve + layer->gradients[direction] + row * net->gates;
    REAL *dr = net->reserve + layer->state_gradients[direction] + row * net->gates;

    for (int64_t b = 0; b < op->batch; b++) {
        const REAL *before = N(state_before)(net, layer, direction, t, b);
        int64_t last = direction ? row + op->batch + b : row - op->batch + b;
        const REAL *cell =
            before ? net->reserve + layer->cells[direction] + last * n : first.cell + b * n;

        if (t >= op->lengths[b]) {
            memset(dg + b * net->gates, 0, (size_t)net->gates * sizeof(REAL));
            memset(dr + b * net->gates, 0, (size_t)net->gates * sizeof(REAL));
            continue;
        }
        N(cell_gradient)
        (op, net->reserve + layer->gates[direction] + (row + b) * net->gates,
         net->reserve + layer->cells[direction] + (row + b) * n,
         before ? before : first.state + b * op->output, cell, dh + b * n, net->cell + b * n,
         dg + b * net->gates, dr + b * net->gates);
    }
}

static CUresult N(backward_step)(struct N(network) * net, const struct layer *layer, int pseudo,
                                 int64_t t, const REAL *dy, struct N(first) first)
{
    const struct dnn_rnn *op = net->op;
    struct dnn_rnn_places places = dnn_rnn_places(op, pseudo);
    int direction = pseudo % op->directions;
    int64_t row = t * op->batch, width = op->output;
    bool projects = dnn_rnn_projects(op);
    struct dnn_matrix gradients = {
        net->reserve + layer->state_gradients[direction] + row * net->gates, net->gates, false};
    CUresult result = CUDA_SUCCESS;

    for (int64_t b = 0; b < op->batch; b++)
        for (int64_t j = 0; j < width && t < op->lengths[b]; j++)
            net->state[b * width + j] += dy[((row + b) * op->directions + direction) * width + j];
    if (projects)
        result = N(unproject_step)(net, layer, net->weights + places.projection, direction, t);
    if (result != CUDA_SUCCESS)
        return result;
    N(step_gradients)(net, layer, direction, t, first, projects ? net->products : net->state);
    return dnn_gemm(WIDE, op->batch, width, net->gates, 1, gradients,
                    (struct dnn_matrix){net->weights + places.state, width, false}, 1, net->state,
                    width);
}

static CUresult N(backward_direction)(struct N(network) * net, int index, int direction,
                                      const REAL *dy, struct N(first) first)
{
    const struct dnn_rnn *op = net->op;
    struct layer layer = layer_at(op, index);
    int pseudo = index * op->directions + direction;
    bool lstm = op->mode == CUDNN_LSTM;
    CUresult result = CUDA_SUCCESS;

    N(load_state)(op, net->state, op->dhy, op->output, pseudo);
    N(load_state)(op, net->cell, lstm ? op->dcy : NULL, op->hidden, pseudo);
    N(load_state)(op, first.state, op->hx, op->output, pseudo);
    N(load_state)(op, first.cell, lstm ? op->cx : NULL, op->hidden, pseudo);
    for (int64_t s = op->steps - 1; s >= 0 && result == CUDA_SUCCESS; s--)
        result =
            N(backward_step)(net, &layer, pseudo, direction ? op->steps - 1 - s : s, dy, first);
    N(store_state)(op, op->dhx, net->state, op->output, pseudo);
    if (lstm)
        N(store_state)(op, op->dcx, net->cell, op->hidden, pseudo);
    return result;
}

/* The gradients of an input that every gate has added. */
static void N(add_gates)(const struct N(network) * net, REAL *din, const REAL *gradients,
                         bool first)
{
    int64_t n = net->op->hidden;

    for (int64_t i = 0; i < net->op->steps * net->op->batch * n; i++) {
        REAL sum = first ? 0 : din[i];

        for (int64_t gate = 0; gate < net->gates; gate += n)
            sum += gradients[i / n * net->gates + gate + i % n];
        din[i] = sum;
    }
}

/* The gradients of a layer's inputs: the sum over directions, through the dropout. */
static CUresult N(input_gradients)(struct N(network) * net, int index, REAL *din)
{
    const struct dnn_rnn *op = net->op;
    struct layer layer = layer_at(op, index);
    int64_t rows = op->steps * op->batch, width = dnn_rnn_layer_input(op, index);
    CUresult result = CUDA_SUCCESS;

    for (int d = 0; d < op->directions && result == CUDA_SUCCESS; d++) {
        struct dnn_rnn_places places = dnn_rnn_places(op, index * op->directions + d);
        struct dnn_matrix gradients = {net->reserve + layer.gradients[d], net->gates, false};
        struct dnn_matrix weights = {net->weights + places.input, width, false};

        if (dnn_rnn_input_columns(op, index))
            result = dnn_gemm(WIDE, rows, width, net->gates, 1, gradients, weights, d ? 1 : 0, din,
                              width);
        else
            N(add_gates)(net, din, gradients.data, d == 0);
    }
    for (int64_t i = 0; i < rows * width && index > 0 && op->dropout > 0; i++)
        din[i] *= net->reserve[layer.mask + i];
    return result;
}

static CUresult N(backward)(struct N(network) * net)
{
    const struct dnn_rnn *op = net->op;
    int64_t rows = op->steps * op->batch, out = op->directions * op->output;
    int64_t widest = op->input > out ? op->input : out, states = op->batch * op->hidden;
    struct dnn_array memory;
    struct N(first) first;
    REAL *dy, *din;
    CUresult result = CUDA_SUCCESS;

    if (!dnn_array_new(&memory, 2 * rows * widest + 2 * states, WIDE))
        return CUDA_ERROR_OUT_OF_MEMORY;
    dy = memory.data;
    din = dy + rows * widest;
    first.state = din + rows * widest;
    first.cell = first.state + states;
    N(load_vectors)(op, dy, op->dy, op->y_rows, out);
    for (int i = op->layers - 1; i >= 0 && result == CUDA_SUCCESS; i--) {
        REAL *next = dy;

        for (int d = 0; d < op->directions && result == CUDA_SUCCESS; d++)
            result = N(backward_direction)(net, i, d, dy, first);
        if (result == CUDA_SUCCESS)
            result = N(input_gradients)(net, i, din);
        dy = din;
        din = next;
    }
    if (result == CUDA_SUCCESS && op->dx)
        N(store_vectors)(op, op->dx, dy, op->x_rows, op->input, 0);
    dnn_array_free(&memory);
    return result;
}

static void N(add_rows)(REAL *sums, const REAL *in, int64_t rows, int64_t width)
{
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < width; j++)
            sums[j] += in[i * width + j];
}

/* The states before all steps, as rows [steps * batch][output]. */
static void N(gather_states)(const struct N(network) * net, const struct layer *layer,
                             int direction, const REAL *first, REAL *rows)
{
    const struct dnn_rnn *op = net->op;
    int64_t width = op->output;

    for (int64_t i = 0; i < op->steps * op->batch; i++) {
        const REAL *state = N(state_before)(net, layer, direction, i / op->batch, i % op->batch);

        memcpy(rows + i * width, state ? state : first + i % op->batch * width,
               (size_t)width * sizeof(REAL));
    }
}

static CUresult N(layer_weight_gradients)(struct N(network) * net, int pseudo, const REAL *before)
{
    const struct dnn_rnn *op = net->op;
    int index = pseudo / op->directions, direction = pseudo % op->directions;
    struct layer layer = layer_at(op, index);
    struct dnn_rnn_places places = dnn_rnn_places(op, pseudo);
    int64_t rows = op->steps * op->batch, in = dnn_rnn_layer_input(op, index), out = op->output;
    const REAL *dg = net->reserve + layer.gradients[direction];
    const REAL *dr = net->reserve + layer.state_gradients[direction];
    const REAL *dp = net->reserve + layer.projected[direction];
    /* A gradient is the product of the gates' gradients, transposed, with what they multiplied. */
    const struct {
        bool is_there;
        const REAL *gradients;
        int64_t height;
        const REAL *operand;
        int64_t width, place;
    } parts[] = {
        {dnn_rnn_input_columns(op, index) > 0, dg, net->gates, net->reserve + layer.in, in,
         places.input},
        {true, dr, net->gates, before, out, places.state},
        {dnn_rnn_projects(op), dp, out, net->reserve + layer.hidden[direction], op->hidden,
         places.projection},
    };
    CUresult result = CUDA_SUCCESS;

    for (size_t i = 0; i < sizeof(parts) / sizeof(*parts) && result == CUDA_SUCCESS; i++)
        if (parts[i].is_there)
            result = dnn_gemm(WIDE, parts[i].height, parts[i].width, rows, 1,
                              (struct dnn_matrix){parts[i].gradients, parts[i].height, true},
                              (struct dnn_matrix){parts[i].operand, parts[i].width, false}, 1,
                              net->dweights + parts[i].place, parts[i].width);
    if (places.input_bias >= 0)
        N(add_rows)(net->dweights + places.input_bias, dg, rows, net->gates);
    if (places.state_bias >= 0)
        N(add_rows)(net->dweights + places.state_bias, dr, rows, net->gates);
    return result;
}

static CUresult N(weight_gradients)(struct N(network) * net)
{
    const struct dnn_rnn *op = net->op;
    int64_t rows = op->steps * op->batch;
    struct dnn_array before, first;
    CUresult result = CUDA_ERROR_OUT_OF_MEMORY;

    if (!dnn_array_new(&before, rows * op->output, WIDE))
        return result;
    if (!dnn_array_new(&first, op->batch * op->output, WIDE))
        goto release_before;
    result = CUDA_SUCCESS;
    for (int p = 0; p < op->layers * op->directions && result == CUDA_SUCCESS; p++) {
        struct layer layer = layer_at(op, p / op->directions);

        N(load_state)(op, first.data, op->hx, op->output, p);
        N(gather_states)(net, &layer, p % op->directions, first.data, before.data);
        result = N(layer_weight_gradients)(net, p, before.data);
    }
    dnn_array_free(&first);
release_before:
    dnn_array_free(&before);
    return result;
}

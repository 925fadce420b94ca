/* SPDX-License-Identifier: MIT */
/* Recurrent networks for one number type. rnn.c defines REAL, M(function), WIDE, RUN and N(name).
 */

struct N(network) {
    const struct dnn_rnn *op;
    int64_t gates;            /* all gates of a cell */
    REAL *weights, *dweights; /* the whole space */
    REAL *reserve;
    REAL *state, *cell;      /* [batch][hidden] of the running step, or their gradients */
    REAL *products;          /* [batch][gates] */
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

/* A state [batch][hidden] of one pseudo layer; NULL is 0. */
static void N(load_state)(const struct dnn_rnn *op, REAL *out, const void *in, int pseudo)
{
    size_t count = (size_t)(op->batch * op->hidden);

    if (!in)
        memset(out, 0, count * sizeof(REAL));
    else
        dnn_line_load(WIDE, out, op->type,
                      (const char *)in + (size_t)pseudo * count * dnn_type_bytes(op->type), 1,
                      count);
}

static void N(store_state)(const struct dnn_rnn *op, void *out, const REAL *in, int pseudo)
{
    size_t count = (size_t)(op->batch * op->hidden);

    if (out)
        dnn_line_store(WIDE, (char *)out + (size_t)pseudo * count * dnn_type_bytes(op->type),
                       op->type, 1, in, count);
}

static const REAL *N(bias)(const struct N(network) * net, int64_t place)
{
    return place < 0 ? NULL : net->weights + place;
}

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

static CUresult N(forward_direction)(struct N(network) * net, int index, int direction)
{
    const struct dnn_rnn *op = net->op;
    struct layer layer = layer_at(op, index);
    int pseudo = index * op->directions + direction;
    struct dnn_rnn_places places = dnn_rnn_places(op, pseudo);
    int64_t n = op->hidden, rows = op->steps * op->batch;
    REAL *gates = net->reserve + layer.gates[direction];
    struct dnn_matrix state_weights = {net->weights + places.state, n, true};
    const REAL *input_bias = N(bias)(net, places.input_bias);
    CUresult result =
        N(multiply_inputs)(net, index, net->reserve + layer.in, net->weights + places.input, gates);

    for (int64_t i = 0; i < rows * net->gates && input_bias; i++)
        gates[i] += input_bias[i % net->gates];
    N(load_state)(op, net->state, op->hx, pseudo);
    N(load_state)(op, net->cell, op->cx, pseudo);
    for (int64_t s = 0; s < op->steps && result == CUDA_SUCCESS; s++) {
        int64_t t = direction ? op->steps - 1 - s : s;
        struct dnn_matrix state = {net->state, n, false};

        result = dnn_gemm(WIDE, op->batch, net->gates, n, 1, state, state_weights, 0, net->products,
                          net->gates);
        for (int64_t b = 0; b < op->batch; b++) {
            int64_t row = t * op->batch + b;
            REAL *out = net->reserve + layer.out + (row * op->directions + direction) * n;

            if (t >= op->lengths[b]) {
                memset(out, 0, (size_t)n * sizeof(REAL));
                continue;
            }
            N(cell)
            (op, gates + row * net->gates, net->products + b * net->gates,
             N(bias)(net, places.state_bias), net->reserve + layer.cells[direction] + row * n,
             net->state + b * n, net->cell + b * n);
            memcpy(out, net->state + b * n, (size_t)n * sizeof(REAL));
        }
    }
    N(store_state)(op, op->hy, net->state, pseudo);
    if (op->mode == CUDNN_LSTM)
        N(store_state)(op, op->cy, net->cell, pseudo);
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
     op->directions * op->hidden, op->y_fill);
    return result;
}

/* The state before step t of sequence b, or NULL: the first. */
static const REAL *N(state_before)(const struct N(network) * net, const struct layer *layer,
                                   int direction, int64_t t, int64_t b)
{
    const struct dnn_rnn *op = net->op;
    int64_t before = direction ? t + 1 : t - 1;

    if (before < 0 || before >= op->lengths[b])
        return NULL;
    return net->reserve + layer->out +
           ((before * op->batch + b) * op->directions + direction) * op->hidden;
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

static CUresult N(backward_direction)(struct N(network) * net, int index, int direction,
                                      const REAL *dy, REAL *first, REAL *first_cell)
{
    const struct dnn_rnn *op = net->op;
    struct layer layer = layer_at(op, index);
    int pseudo = index * op->directions + direction;
    struct dnn_rnn_places places = dnn_rnn_places(op, pseudo);
    int64_t n = op->hidden;
    REAL *dg = net->reserve + layer.gradients[direction];
    REAL *dr = net->reserve + layer.state_gradients[direction];
    struct dnn_matrix state_weights = {net->weights + places.state, n, false};
    CUresult result = CUDA_SUCCESS;

    N(load_state)(op, net->state, op->dhy, pseudo);
    N(load_state)(op, net->cell, op->mode == CUDNN_LSTM ? op->dcy : NULL, pseudo);
    N(load_state)(op, first, op->hx, pseudo);
    N(load_state)(op, first_cell, op->mode == CUDNN_LSTM ? op->cx : NULL, pseudo);
    for (int64_t s = op->steps - 1; s >= 0 && result == CUDA_SUCCESS; s--) {
        int64_t t = direction ? op->steps - 1 - s : s, row = t * op->batch;
        struct dnn_matrix gradients = {dr + row * net->gates, net->gates, false};

        for (int64_t b = 0; b < op->batch; b++) {
            const REAL *before = N(state_before)(net, &layer, direction, t, b);
            int64_t last = direction ? row + op->batch + b : row - op->batch + b;
            const REAL *cell =
                before ? net->reserve + layer.cells[direction] + last * n : first_cell + b * n;

            if (t >= op->lengths[b]) {
                memset(dg + (row + b) * net->gates, 0, (size_t)net->gates * sizeof(REAL));
                memset(dr + (row + b) * net->gates, 0, (size_t)net->gates * sizeof(REAL));
                continue;
            }
            for (int64_t j = 0; j < n; j++)
                net->state[b * n + j] += dy[((row + b) * op->directions + direction) * n + j];
            N(cell_gradient)
            (op, net->reserve + layer.gates[direction] + (row + b) * net->gates,
             net->reserve + layer.cells[direction] + (row + b) * n, before ? before : first + b * n,
             cell, net->state + b * n, net->cell + b * n, dg + (row + b) * net->gates,
             dr + (row + b) * net->gates);
        }
        result =
            dnn_gemm(WIDE, op->batch, n, net->gates, 1, gradients, state_weights, 1, net->state, n);
    }
    N(store_state)(op, op->dhx, net->state, pseudo);
    if (op->mode == CUDNN_LSTM)
        N(store_state)(op, op->dcx, net->cell, pseudo);
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
    int64_t rows = op->steps * op->batch, out = op->directions * op->hidden;
    int64_t widest = op->input > out ? op->input : out, states = op->batch * op->hidden;
    struct dnn_array memory;
    REAL *dy, *din, *first;
    CUresult result = CUDA_SUCCESS;

    if (!dnn_array_new(&memory, 2 * rows * widest + 2 * states, WIDE))
        return CUDA_ERROR_OUT_OF_MEMORY;
    dy = memory.data;
    din = dy + rows * widest;
    first = din + rows * widest;
    N(load_vectors)(op, dy, op->dy, op->y_rows, out);
    for (int i = op->layers - 1; i >= 0 && result == CUDA_SUCCESS; i--) {
        REAL *next = dy;

        for (int d = 0; d < op->directions && result == CUDA_SUCCESS; d++)
            result = N(backward_direction)(net, i, d, dy, first, first + states);
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

static CUresult N(weight_gradients)(struct N(network) * net)
{
    const struct dnn_rnn *op = net->op;
    int64_t rows = op->steps * op->batch, n = op->hidden;
    struct dnn_array before, first;
    CUresult result = CUDA_ERROR_OUT_OF_MEMORY;

    if (!dnn_array_new(&before, rows * n, WIDE))
        return result;
    if (!dnn_array_new(&first, op->batch * n, WIDE))
        goto release_before;
    result = CUDA_SUCCESS;
    for (int p = 0; p < op->layers * op->directions && result == CUDA_SUCCESS; p++) {
        int direction = p % op->directions;
        struct layer layer = layer_at(op, p / op->directions);
        struct dnn_rnn_places places = dnn_rnn_places(op, p);
        int64_t width = dnn_rnn_layer_input(op, p / op->directions);
        const REAL *dg = net->reserve + layer.gradients[direction];
        const REAL *dr = net->reserve + layer.state_gradients[direction];
        struct dnn_matrix in = {net->reserve + layer.in, width, false};
        struct dnn_matrix states = {before.data, n, false};

        N(load_state)(op, first.data, op->hx, p);
        for (int64_t i = 0; i < rows; i++) {
            const REAL *state =
                N(state_before)(net, &layer, direction, i / op->batch, i % op->batch);

            memcpy((REAL *)before.data + i * n,
                   state ? state : (REAL *)first.data + i % op->batch * n,
                   (size_t)n * sizeof(REAL));
        }
        if (dnn_rnn_input_columns(op, p / op->directions))
            result = dnn_gemm(WIDE, net->gates, width, rows, 1,
                              (struct dnn_matrix){dg, net->gates, true}, in, 1,
                              net->dweights + places.input, width);
        if (result == CUDA_SUCCESS)
            result =
                dnn_gemm(WIDE, net->gates, n, rows, 1, (struct dnn_matrix){dr, net->gates, true},
                         states, 1, net->dweights + places.state, n);
        if (places.input_bias >= 0)
            N(add_rows)(net->dweights + places.input_bias, dg, rows, net->gates);
        if (places.state_bias >= 0)
            N(add_rows)(net->dweights + places.state_bias, dr, rows, net->gates);
    }
    dnn_array_free(&first);
release_before:
    dnn_array_free(&before);
    return result;
}

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

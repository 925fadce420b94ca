/* SPDX-License-Identifier: MIT */
/* Recurrent networks: the backward passes are gradients of the forward pass, for every cell, in
 * both directions and with sequences of different lengths; and an LSTM follows its definition. */
#include "dnn_test.h"

enum { STEPS = 4, BATCH = 3, INPUT = 3, HIDDEN = 2, LAYERS = 2, PROJECTED = 1 };

struct net {
    cudnnHandle_t handle;
    cudnnRNNDescriptor_t rnn;
    cudnnRNNDataDescriptor_t x_data, y_data;
    cudnnTensorDescriptor_t states, cells;
    int directions;
    struct array x, y, hx, cx, weights;
    size_t work_bytes, reserve_bytes;
    void *work, *reserve;
    int32_t *lengths;
};

static cudnnRNNDataDescriptor_t sequences(int width, const int *lengths)
{
    cudnnRNNDataDescriptor_t data;
    double fill = 0;

    check_done(cudnnCreateRNNDataDescriptor(&data));
    check_done(cudnnSetRNNDataDescriptor(data, CUDNN_DATA_DOUBLE,
                                         CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED, STEPS, BATCH,
                                         width, lengths, &fill));
    return data;
}

/* States of a pseudo layer: [batch][width]. */
static cudnnTensorDescriptor_t states_of(int directions, int width)
{
    const int dims[] = {LAYERS * directions, BATCH, width}, strides[] = {BATCH * width, width, 1};
    cudnnTensorDescriptor_t states;

    check_done(cudnnCreateTensorDescriptor(&states));
    check_done(cudnnSetTensorNdDescriptor(states, CUDNN_DATA_DOUBLE, 3, dims, strides));
    return states;
}

static struct net create_with(cudnnRNNMode_t mode, int directions, cudnnRNNInputMode_t input_mode,
                              int input, int output)
{
    static const int lengths[BATCH] = {4, 3, 1};
    struct net net = {.handle = handle_of(), .directions = directions};
    size_t bytes;

    check_done(cudnnCreateRNNDescriptor(&net.rnn));
    check_done(cudnnSetRNNDescriptor_v8(
        net.rnn, CUDNN_RNN_ALGO_STANDARD, mode, CUDNN_RNN_DOUBLE_BIAS,
        directions == 2 ? CUDNN_BIDIRECTIONAL : CUDNN_UNIDIRECTIONAL, input_mode, CUDNN_DATA_DOUBLE,
        CUDNN_DATA_DOUBLE, CUDNN_DEFAULT_MATH, input, HIDDEN, output, LAYERS, NULL,
        CUDNN_RNN_PADDED_IO_ENABLED));
    net.x_data = sequences(input, lengths);
    net.y_data = sequences(output * directions, lengths);
    net.states = states_of(directions, output);
    net.cells = states_of(directions, HIDDEN);
    check_done(cudnnGetRNNWeightSpaceSize(net.handle, net.rnn, &bytes));
    net.weights = array_of((int64_t)(bytes / sizeof(double)), 1);
    net.x = array_of((int64_t)STEPS * BATCH * input, 2);
    net.y = array_of((int64_t)STEPS * BATCH * output * directions, 3);
    net.hx = array_of((int64_t)LAYERS * directions * BATCH * output, 4);
    net.cx = array_of((int64_t)LAYERS * directions * BATCH * HIDDEN, 5);
    check_done(cudnnGetRNNTempSpaceSizes(net.handle, net.rnn, CUDNN_FWD_MODE_TRAINING, net.x_data,
                                         &net.work_bytes, &net.reserve_bytes));
    net.work = device_memory(net.work_bytes);
    net.reserve = device_memory(net.reserve_bytes);
    net.lengths = device_memory(sizeof(lengths));
    check_success(cuMemcpyHtoD((CUdeviceptr)(uintptr_t)net.lengths, lengths, sizeof(lengths)));
    return net;
}

static struct net create(cudnnRNNMode_t mode, int directions)
{
    return create_with(mode, directions, CUDNN_LINEAR_INPUT, INPUT, HIDDEN);
}

static void forward(void *argument)
{
    struct net *net = argument;

    check_done(cudnnRNNForward(net->handle, net->rnn, CUDNN_FWD_MODE_TRAINING, net->lengths,
                               net->x_data, net->x.device, net->y_data, net->y.device, net->states,
                               net->hx.device, NULL, net->cells, net->cx.device, NULL,
                               (size_t)net->weights.count * sizeof(double), net->weights.device,
                               net->work_bytes, net->work, net->reserve_bytes, net->reserve));
}

static void check_gradients_of(struct net net, cudnnRNNMode_t mode)
{
    struct array dy = array_of(net.y.count, 6), dx = array_of(net.x.count, 7);
    struct array dhx = array_of(net.hx.count, 8), dcx = array_of(net.cx.count, 9);
    struct array dw = array_of(net.weights.count, 10);
    size_t bytes = (size_t)net.weights.count * sizeof(double);

    forward(&net);
    memset(dw.host, 0, bytes);
    upload(&dw);
    check_done(cudnnRNNBackwardData_v8(net.handle, net.rnn, net.lengths, net.y_data, net.y.device,
                                       dy.device, net.x_data, dx.device, net.states, net.hx.device,
                                       NULL, dhx.device, net.cells, net.cx.device, NULL, dcx.device,
                                       bytes, net.weights.device, net.work_bytes, net.work,
                                       net.reserve_bytes, net.reserve));
    check_done(cudnnRNNBackwardWeights_v8(
        net.handle, net.rnn, CUDNN_WGRAD_MODE_ADD, net.lengths, net.x_data, net.x.device,
        net.states, net.hx.device, net.y_data, net.y.device, bytes, dw.device, net.work_bytes,
        net.work, net.reserve_bytes, net.reserve));
    check_gradient(forward, &net, &net.x, &net.y, &dy, &dx);
    check_gradient(forward, &net, &net.hx, &net.y, &dy, &dhx);
    check_gradient(forward, &net, &net.weights, &net.y, &dy, &dw);
    if (mode == CUDNN_LSTM)
        check_gradient(forward, &net, &net.cx, &net.y, &dy, &dcx);
}

static void check_gradients(cudnnRNNMode_t mode, int directions)
{
    check_gradients_of(create(mode, directions), mode);
}

TEST(networks_without_input_weights_have_their_gradients)
{
    with_context();
    check_gradients_of(create_with(CUDNN_LSTM, 1, CUDNN_SKIP_INPUT, HIDDEN, HIDDEN), CUDNN_LSTM);
    check_gradients_of(create_with(CUDNN_GRU, 2, CUDNN_SKIP_INPUT, HIDDEN, HIDDEN), CUDNN_GRU);
}

TEST(tanh_network_has_its_gradients)
{
    with_context();
    check_gradients(CUDNN_RNN_TANH, 1);
    check_gradients(CUDNN_RNN_TANH, 2);
}

TEST(lstm_has_its_gradients)
{
    with_context();
    check_gradients(CUDNN_LSTM, 1);
    check_gradients(CUDNN_LSTM, 2);
}

TEST(lstm_with_a_projection_has_its_gradients)
{
    with_context();
    check_gradients_of(create_with(CUDNN_LSTM, 1, CUDNN_LINEAR_INPUT, INPUT, PROJECTED),
                       CUDNN_LSTM);
    check_gradients_of(create_with(CUDNN_LSTM, 2, CUDNN_LINEAR_INPUT, INPUT, PROJECTED),
                       CUDNN_LSTM);
}

/* Matrix 8 of an LSTM is the projection, which has no bias. */
TEST(a_projection_has_a_matrix)
{
    struct net net;
    cudnnTensorDescriptor_t m, b;
    cudnnDataType_t type;
    void *matrix = NULL, *bias = NULL;
    int rank = 0, dims[3] = {0}, strides[3];

    with_context();
    net = create_with(CUDNN_LSTM, 1, CUDNN_LINEAR_INPUT, INPUT, PROJECTED);
    check_done(cudnnCreateTensorDescriptor(&m));
    check_done(cudnnCreateTensorDescriptor(&b));
    check_done(cudnnGetRNNWeightParams(net.handle, net.rnn, 1,
                                       (size_t)net.weights.count * sizeof(double),
                                       net.weights.device, 8, m, &matrix, b, &bias));
    check(matrix && !bias);
    check_done(cudnnGetTensorNdDescriptor(m, 3, &type, &rank, dims, strides));
    check(rank == 3 && dims[0] == 1 && dims[1] == PROJECTED && dims[2] == HIDDEN);
    check_done(cudnnGetRNNWeightParams(net.handle, net.rnn, 1,
                                       (size_t)net.weights.count * sizeof(double),
                                       net.weights.device, 4, m, &matrix, b, &bias));
    check_done(cudnnGetTensorNdDescriptor(m, 3, &type, &rank, dims, strides));
    check(dims[1] == HIDDEN && dims[2] == PROJECTED);
}

TEST(only_an_lstm_has_a_projection)
{
    cudnnRNNDescriptor_t rnn;

    with_context();
    check_done(cudnnCreateRNNDescriptor(&rnn));
    check_status(cudnnSetRNNDescriptor_v8(rnn, CUDNN_RNN_ALGO_STANDARD, CUDNN_GRU,
                                          CUDNN_RNN_DOUBLE_BIAS, CUDNN_UNIDIRECTIONAL,
                                          CUDNN_LINEAR_INPUT, CUDNN_DATA_DOUBLE, CUDNN_DATA_DOUBLE,
                                          CUDNN_DEFAULT_MATH, INPUT, HIDDEN, PROJECTED, 1, NULL, 0),
                 CUDNN_STATUS_NOT_SUPPORTED);
}

TEST(gru_has_its_gradients)
{
    with_context();
    check_gradients(CUDNN_GRU, 1);
    check_gradients(CUDNN_GRU, 2);
}

static double weight(struct net *net, int id, bool is_bias, int row, int column, int columns)
{
    cudnnTensorDescriptor_t m, b;
    void *matrix, *bias;

    check_done(cudnnCreateTensorDescriptor(&m));
    check_done(cudnnCreateTensorDescriptor(&b));
    check_done(cudnnGetRNNWeightParams(net->handle, net->rnn, 0,
                                       (size_t)net->weights.count * sizeof(double),
                                       net->weights.device, id, m, &matrix, b, &bias));
    cudnnDestroyTensorDescriptor(m);
    cudnnDestroyTensorDescriptor(b);
    return net->weights.host[(is_bias ? (double *)bias : (double *)matrix) - net->weights.device +
                             (is_bias ? row : row * columns + column)];
}

/* Hidden unit 0 of the first layer after one step: gates are i, f, candidate, o. */
TEST(lstm_step_follows_the_definition)
{
    struct net net;
    struct array hy;
    double gates[4], c;

    with_context();
    net = create(CUDNN_LSTM, 1);
    hy = array_of(net.hx.count, 11);
    for (int g = 0; g < 4; g++) {
        gates[g] = weight(&net, g, true, 0, 0, 1) + weight(&net, g + 4, true, 0, 0, 1);
        for (int j = 0; j < INPUT; j++)
            gates[g] += weight(&net, g, false, 0, j, INPUT) * net.x.host[2 * INPUT + j];
        for (int j = 0; j < HIDDEN; j++)
            gates[g] += weight(&net, g + 4, false, 0, j, HIDDEN) * net.hx.host[2 * HIDDEN + j];
        gates[g] = g == 2 ? tanh(gates[g]) : 1 / (1 + exp(-gates[g]));
    }
    c = gates[1] * net.cx.host[2 * HIDDEN] + gates[0] * gates[2];
    check_done(cudnnRNNForward(net.handle, net.rnn, CUDNN_FWD_MODE_INFERENCE, net.lengths,
                               net.x_data, net.x.device, net.y_data, net.y.device, net.states,
                               net.hx.device, hy.device, net.cells, net.cx.device, NULL,
                               (size_t)net.weights.count * sizeof(double), net.weights.device,
                               net.work_bytes, net.work, 0, NULL));
    download(&hy);
    check(fabs(hy.host[2 * HIDDEN] - gates[3] * tanh(c)) < 1e-12); /* sequence 2 has one step */
}

/* Masks between layers differ from pass to pass. */
TEST(dropout_between_layers_goes_on)
{
    struct net net;
    cudnnDropoutDescriptor_t dropout;
    struct array first;
    size_t bytes;
    bool differs = false;

    with_context();
    net = create(CUDNN_RNN_TANH, 2);
    check_done(cudnnCreateDropoutDescriptor(&dropout));
    check_done(cudnnDropoutGetStatesSize(net.handle, &bytes));
    check_done(
        cudnnSetDropoutDescriptor(dropout, net.handle, 0.5f, device_memory(bytes), bytes, 3));
    check_done(cudnnSetRNNDescriptor_v8(
        net.rnn, CUDNN_RNN_ALGO_STANDARD, CUDNN_RNN_TANH, CUDNN_RNN_DOUBLE_BIAS,
        CUDNN_BIDIRECTIONAL, CUDNN_LINEAR_INPUT, CUDNN_DATA_DOUBLE, CUDNN_DATA_DOUBLE,
        CUDNN_DEFAULT_MATH, INPUT, HIDDEN, HIDDEN, LAYERS, dropout, CUDNN_RNN_PADDED_IO_ENABLED));
    check_done(cudnnGetRNNTempSpaceSizes(net.handle, net.rnn, CUDNN_FWD_MODE_TRAINING, net.x_data,
                                         &net.work_bytes, &net.reserve_bytes));
    net.work = device_memory(net.work_bytes);
    net.reserve = device_memory(net.reserve_bytes);
    first = array_of(net.y.count, 3);
    forward(&net);
    download(&net.y);
    memcpy(first.host, net.y.host, (size_t)first.count * sizeof(double));
    forward(&net);
    download(&net.y);
    for (int64_t i = 0; i < first.count; i++)
        differs |= first.host[i] != net.y.host[i];
    check(differs);
}

TEST(settings_that_nobody_asks_for_may_be_null)
{
    struct net net;
    cudnnRNNMode_t mode = CUDNN_LSTM;
    cudnnDirectionMode_t direction = CUDNN_UNIDIRECTIONAL;
    int32_t hidden = 0, layers = 0;

    with_context();
    net = create(CUDNN_GRU, 2);
    check_done(cudnnGetRNNDescriptor_v8(net.rnn, NULL, &mode, NULL, &direction, NULL, NULL, NULL,
                                        NULL, NULL, &hidden, NULL, &layers, NULL, NULL));
    check(mode == CUDNN_GRU && direction == CUDNN_BIDIRECTIONAL);
    check(hidden == HIDDEN && layers == LAYERS);
    check(cudnnGetRNNDescriptor_v8(NULL, NULL, &mode, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                                   NULL, NULL, NULL, NULL, NULL) == CUDNN_STATUS_BAD_PARAM);
}

/* SPDX-License-Identifier: MIT */
/* Recurrent networks: the backward passes are gradients of the forward pass, for every cell, in
 * both directions and with sequences of different lengths; and an LSTM follows its definition. */
#include "dnn_test.h"

enum { STEPS = 4, BATCH = 3, INPUT = 3, HIDDEN = 2, LAYERS = 2 };

struct net {
    cudnnHandle_t handle;
    cudnnRNNDescriptor_t rnn;
    cudnnRNNDataDescriptor_t x_data, y_data;
    cudnnTensorDescriptor_t states;
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

static struct net create_with(cudnnRNNMode_t mode, int directions, cudnnRNNInputMode_t input_mode,
                              int input)
{
    static const int lengths[BATCH] = {4, 3, 1};
    const int dims[] = {LAYERS * directions, BATCH, HIDDEN},
              strides[] = {BATCH * HIDDEN, HIDDEN, 1};
    struct net net = {.handle = handle_of(), .directions = directions};
    size_t bytes;

    check_done(cudnnCreateRNNDescriptor(&net.rnn));
    check_done(cudnnSetRNNDescriptor_v8(
        net.rnn, CUDNN_RNN_ALGO_STANDARD, mode, CUDNN_RNN_DOUBLE_BIAS,
        directions == 2 ? CUDNN_BIDIRECTIONAL : CUDNN_UNIDIRECTIONAL, input_mode, CUDNN_DATA_DOUBLE,
        CUDNN_DATA_DOUBLE, CUDNN_DEFAULT_MATH, input, HIDDEN, HIDDEN, LAYERS, NULL,
        CUDNN_RNN_PADDED_IO_ENABLED));
    net.x_data = sequences(input, lengths);
    net.y_data = sequences(HIDDEN * directions, lengths);
    check_done(cudnnCreateTensorDescriptor(&net.states));
    check_done(cudnnSetTensorNdDescriptor(net.states, CUDNN_DATA_DOUBLE, 3, dims, strides));
    check_done(cudnnGetRNNWeightSpaceSize(net.handle, net.rnn, &bytes));
    net.weights = array_of((int64_t)(bytes / sizeof(double)), 1);
    net.x = array_of((int64_t)STEPS * BATCH * input, 2);
    net.y = array_of((int64_t)STEPS * BATCH * HIDDEN * directions, 3);
    net.hx = array_of((int64_t)LAYERS * directions * BATCH * HIDDEN, 4);
    net.cx = array_of(net.hx.count, 5);
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
    return create_with(mode, directions, CUDNN_LINEAR_INPUT, INPUT);
}

static void forward(void *argument)
{
    struct net *net = argument;

    check_done(cudnnRNNForward(net->handle, net->rnn, CUDNN_FWD_MODE_TRAINING, net->lengths,
                               net->x_data, net->x.device, net->y_data, net->y.device, net->states,
                               net->hx.device, NULL, net->states, net->cx.device, NULL,
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
                                       NULL, dhx.device, net.states, net.cx.device, NULL,
                                       dcx.device, bytes, net.weights.device, net.work_bytes,
                                       net.work, net.reserve_bytes, net.reserve));
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
    check_gradients_of(create_with(CUDNN_LSTM, 1, CUDNN_SKIP_INPUT, HIDDEN), CUDNN_LSTM);
    check_gradients_of(create_with(CUDNN_GRU, 2, CUDNN_SKIP_INPUT, HIDDEN), CUDNN_GRU);
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
                               net.hx.device, hy.device, net.states, net.cx.device, NULL,
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

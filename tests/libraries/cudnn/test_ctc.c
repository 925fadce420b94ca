/* SPDX-License-Identifier: MIT */
/* The CTC loss, held against a sum over all paths, and its gradient against differences. */
#include "dnn_test.h"

enum { STEPS = 4, BATCH = 2, SYMBOLS = 3, COUNT = STEPS * BATCH * SYMBOLS };

static const int labels[] = {1, 2, 1, 1}, label_lengths[BATCH] = {2, 1}, input_lengths[] = {4, 3};

/* The probability of all paths that collapse to the label, by trying all of them. */
static double cost_of(const float *x, int n)
{
    const int *label = labels + (n ? label_lengths[0] : 0);
    int steps = input_lengths[n], paths = (int)pow(SYMBOLS, steps);
    double total = 0;

    for (int path = 0; path < paths; path++) {
        int rest = path, last = -1, matched = 0;
        bool fits = true;
        double product = 1;

        for (int t = 0; t < steps; t++, rest /= SYMBOLS) {
            const float *row = x + (t * BATCH + n) * SYMBOLS;
            int symbol = rest % SYMBOLS;

            product *= exp(row[symbol]) / (exp(row[0]) + exp(row[1]) + exp(row[2]));
            if (symbol != last && symbol != 0) {
                fits &= matched < label_lengths[n] && label[matched] == symbol;
                matched++;
            }
            last = symbol;
        }
        if (fits && matched == label_lengths[n])
            total += product;
    }
    return -log(total);
}

TEST(loss_and_gradient_follow_the_definition)
{
    const int dims[] = {STEPS, BATCH, SYMBOLS}, strides[] = {BATCH * SYMBOLS, SYMBOLS, 1};
    cudnnHandle_t handle;
    cudnnTensorDescriptor_t tensor;
    cudnnCTCLossDescriptor_t ctc;
    float x[COUNT], gradients[COUNT], costs[BATCH], *memory, *results, *losses;
    size_t bytes;

    with_context();
    handle = handle_of();
    for (int i = 0; i < COUNT; i++)
        x[i] = (float)((i * 7 % 11) - 5) / 4;
    memory = device_memory(sizeof(x));
    results = device_memory(sizeof(x));
    losses = device_memory(sizeof(costs));
    check_success(cuMemcpyHtoD((CUdeviceptr)(uintptr_t)memory, x, sizeof(x)));
    check_done(cudnnCreateTensorDescriptor(&tensor));
    check_done(cudnnSetTensorNdDescriptor(tensor, CUDNN_DATA_FLOAT, 3, dims, strides));
    check_done(cudnnCreateCTCLossDescriptor(&ctc));
    check_done(cudnnSetCTCLossDescriptorEx(ctc, CUDNN_DATA_FLOAT, CUDNN_LOSS_NORMALIZATION_SOFTMAX,
                                           CUDNN_NOT_PROPAGATE_NAN));
    check_done(cudnnGetCTCLossWorkspaceSize(handle, tensor, tensor, labels, label_lengths,
                                            input_lengths, CUDNN_CTC_LOSS_ALGO_DETERMINISTIC, ctc,
                                            &bytes));
    check_done(cudnnCTCLoss(handle, tensor, memory, labels, label_lengths, input_lengths, losses,
                            tensor, results, CUDNN_CTC_LOSS_ALGO_DETERMINISTIC, ctc,
                            device_memory(bytes), bytes));
    check_success(cuCtxSynchronize());
    check_success(cuMemcpyDtoH(costs, (CUdeviceptr)(uintptr_t)losses, sizeof(costs)));
    check_success(cuMemcpyDtoH(gradients, (CUdeviceptr)(uintptr_t)results, sizeof(x)));
    for (int n = 0; n < BATCH; n++)
        check(fabs(costs[n] - cost_of(x, n)) < 1e-4);
    for (int i = 0; i < COUNT; i++) {
        int n = i / SYMBOLS % BATCH;
        float kept = x[i];
        double slope;

        x[i] = kept + 1e-2f;
        slope = cost_of(x, n);
        x[i] = kept - 1e-2f;
        slope = (slope - cost_of(x, n)) / 2e-2;
        x[i] = kept;
        check(fabs(gradients[i] - slope) < 1e-3);
    }
}

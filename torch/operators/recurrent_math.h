/* SPDX-License-Identifier: MIT */
/* Recurrent networks on CPU tensors, forward and backward, over whole sequences.
 *
 * The products with inputs and weights are one product for all steps; a step computes the product
 * with the hidden state and a few operations on its gates. The backward functions read what the
 * forward functions stored in `reserve`. */
#ifndef CUPIPE_TORCH_OPERATORS_RECURRENT_MATH_H
#define CUPIPE_TORCH_OPERATORS_RECURRENT_MATH_H

#include <ATen/core/Tensor.h>
#include <vector>

namespace cupipe
{

enum recurrent_mode { RECURRENT_RELU, RECURRENT_TANH, RECURRENT_LSTM, RECURRENT_GRU };

/* The number of gates: rows of a weight in units of the hidden size. */
int64_t gates_of(recurrent_mode mode);

/* One direction of one layer. Biases and the projection may be undefined. */
struct recurrent_weights {
    at::Tensor input, hidden, input_bias, hidden_bias, projection;
};

/* Steps of a batch whose sequences have falling lengths: step t has the rows from starts[t] to
 * starts[t] + sizes[t]. */
struct recurrent_steps {
    std::vector<int64_t> sizes, starts;
    int64_t rows = 0;

    explicit recurrent_steps(std::vector<int64_t> sizes_of_steps);
};

/* The columns of `reserve` that one direction of one layer needs for each row. */
int64_t reserve_columns(recurrent_mode mode, int64_t hidden_size, int64_t output_size);

/* input (rows, input size); hidden (batch, output size) and cell (batch, hidden size) hold the
 * first state and receive the last; output (rows, output size); reserve (rows, reserve_columns). */
void recurrent_forward(recurrent_mode mode, const recurrent_weights &weights,
                       const recurrent_steps &steps, bool reverse, const at::Tensor &input,
                       const at::Tensor &hidden, const at::Tensor &cell, const at::Tensor &output,
                       const at::Tensor &reserve);

/* grad_hidden and grad_cell hold the gradients of the last state and receive those of the first.
 * Gradients of weights are stored in `gradients` as new tensors. Returns that of the input. */
at::Tensor recurrent_backward(recurrent_mode mode, const recurrent_weights &weights,
                              const recurrent_steps &steps, bool reverse, const at::Tensor &input,
                              const at::Tensor &grad_output, const at::Tensor &grad_hidden,
                              const at::Tensor &grad_cell, const at::Tensor &reserve,
                              recurrent_weights &gradients);

} // namespace cupipe

#endif

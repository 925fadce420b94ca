/* SPDX-License-Identifier: MIT */
/* Recurrent networks on CPU tensors. See recurrent_math.h. */
#include "recurrent_math.h"

#include <ATen/ATen.h>

namespace cupipe
{

namespace
{

/* What forward keeps of each row: the gates, the state before the step, and for an LSTM the cell
 * before the step. A GRU keeps the hidden part of its third gate as a fourth. */
struct reserve_parts {
    at::Tensor gates, hidden, cell;
};

int64_t kept_gates(recurrent_mode mode)
{
    return mode == RECURRENT_GRU ? 4 : gates_of(mode);
}

reserve_parts split_reserve(recurrent_mode mode, const at::Tensor &reserve, int64_t hidden_size,
                            int64_t output_size)
{
    int64_t gates = kept_gates(mode) * hidden_size;
    reserve_parts parts;

    parts.gates = reserve.narrow(1, 0, gates);
    parts.hidden = reserve.narrow(1, gates, output_size);
    if (mode == RECURRENT_LSTM)
        parts.cell = reserve.narrow(1, gates + output_size, hidden_size);
    return parts;
}

at::Tensor gate(const at::Tensor &gates, int64_t i, int64_t size)
{
    return gates.narrow(1, i * size, size);
}

/* tensor weightT + bias */
at::Tensor linear(const at::Tensor &tensor, const at::Tensor &weight, const at::Tensor &bias)
{
    return bias.defined() ? at::addmm(bias, tensor, weight.t()) : at::mm(tensor, weight.t());
}

/* The steps in the order of computation. */
template <typename function>
void for_each_step(const recurrent_steps &steps, bool descending, function each)
{
    int64_t count = (int64_t)steps.sizes.size();

    for (int64_t i = 0; i < count; i++) {
        int64_t step = descending ? count - 1 - i : i;

        each(steps.starts[step], steps.sizes[step]);
    }
}

/* One step of an LSTM. The gates become their activations. */
void lstm_step(const at::Tensor &gates, const at::Tensor &hidden, const at::Tensor &cell,
               const at::Tensor &projection, int64_t size)
{
    at::Tensor out = gate(gates, 3, size), value;

    gates.narrow(1, 0, 2 * size).sigmoid_();
    gate(gates, 2, size).tanh_();
    out.sigmoid_();
    cell.mul_(gate(gates, 1, size)).addcmul_(gate(gates, 0, size), gate(gates, 2, size));
    value = cell.tanh().mul_(out);
    hidden.copy_(projection.defined() ? at::mm(value, projection.t()) : value);
}

/* One step of a GRU. `gates` has the input part of three gates and receives their activations and
 * the hidden part of the third. */
void gru_step(const at::Tensor &gates, const at::Tensor &hidden_part, const at::Tensor &hidden,
              int64_t size)
{
    at::Tensor both = gates.narrow(1, 0, 2 * size), fresh = gate(gates, 2, size);

    both.add_(hidden_part.narrow(1, 0, 2 * size)).sigmoid_();
    gate(gates, 3, size).copy_(gate(hidden_part, 2, size));
    fresh.addcmul_(gate(gates, 0, size), gate(gates, 3, size)).tanh_();
    hidden.sub_(fresh).mul_(gate(gates, 1, size)).add_(fresh);
}

void plain_step(recurrent_mode mode, const at::Tensor &gates, const at::Tensor &hidden)
{
    if (mode == RECURRENT_RELU)
        gates.relu_();
    else
        gates.tanh_();
    hidden.copy_(gates);
}

/* The gates before the steps: the input part with the biases that do not depend on the step. */
void start_gates(recurrent_mode mode, const recurrent_weights &weights, const at::Tensor &input,
                 const at::Tensor &gates)
{
    at::Tensor bias = weights.input_bias;

    if (bias.defined() && mode != RECURRENT_GRU)
        bias = bias + weights.hidden_bias;
    gates.narrow(1, 0, weights.input.size(0)).copy_(linear(input, weights.input, bias));
}

/* Factors of the gradients that do not depend on later steps, for all rows at once. */
struct backward_factors {
    at::Tensor gates;        /* of the gates, by the gradient of the cell or of the state */
    at::Tensor hidden_gates; /* the same for the hidden part, where it differs: GRU */
    at::Tensor cell;         /* LSTM: of the cell, by the gradient of the state */
    at::Tensor keep;         /* of the state before (GRU) or of the cell before (LSTM) */
    at::Tensor value;        /* LSTM: the state before the projection */
};

backward_factors lstm_factors(const reserve_parts &parts, int64_t size)
{
    at::Tensor in = gate(parts.gates, 0, size), forget = gate(parts.gates, 1, size);
    at::Tensor fresh = gate(parts.gates, 2, size), out = gate(parts.gates, 3, size);
    at::Tensor cell = at::tanh(forget * parts.cell + in * fresh);
    backward_factors factors;

    factors.value = out * cell;
    factors.gates = at::cat({fresh * in * (1 - in), parts.cell * forget * (1 - forget),
                             in * (1 - fresh * fresh), factors.value * (1 - out)},
                            1);
    factors.cell = out * (1 - cell * cell);
    factors.keep = forget;
    return factors;
}

backward_factors gru_factors(const reserve_parts &parts, int64_t size)
{
    at::Tensor reset = gate(parts.gates, 0, size), update = gate(parts.gates, 1, size);
    at::Tensor fresh = gate(parts.gates, 2, size), linear_part = gate(parts.gates, 3, size);
    at::Tensor by_fresh = (1 - update) * (1 - fresh * fresh);
    at::Tensor by_reset = by_fresh * linear_part * reset * (1 - reset);
    at::Tensor by_update = (parts.hidden - fresh) * update * (1 - update);
    backward_factors factors;

    factors.gates = at::cat({by_reset, by_update, by_fresh}, 1);
    factors.hidden_gates = at::cat({by_reset, by_update, by_fresh * reset}, 1);
    factors.keep = update;
    return factors;
}

backward_factors factors_of(recurrent_mode mode, const reserve_parts &parts, int64_t size)
{
    backward_factors factors;

    if (mode == RECURRENT_LSTM)
        return lstm_factors(parts, size);
    if (mode == RECURRENT_GRU)
        return gru_factors(parts, size);
    factors.gates = mode == RECURRENT_TANH ? 1 - parts.gates * parts.gates
                                           : (parts.gates > 0).to(parts.gates.scalar_type());
    return factors;
}

/* into = factors * gradient, for each gate. */
void scale_gates(const at::Tensor &into, const at::Tensor &factors, const at::Tensor &gradient,
                 int64_t gates)
{
    std::vector<int64_t> sizes = {gates, gradient.size(1)};
    at::Tensor target = into.unflatten(1, sizes);

    at::mul_out(target, factors.unflatten(1, sizes), gradient.unsqueeze(1));
}

/* The gradient of an LSTM's gates; grad_cell becomes that of the cell before the step. */
void lstm_step_backward(const backward_factors &factors, int64_t start, int64_t count, int64_t size,
                        const at::Tensor &grad, const at::Tensor &grad_cell,
                        const at::Tensor &grad_gates)
{
    at::Tensor rows = factors.gates.narrow(0, start, count);

    grad_cell.addcmul_(grad, factors.cell.narrow(0, start, count));
    scale_gates(grad_gates.narrow(1, 0, 3 * size), rows.narrow(1, 0, 3 * size), grad_cell, 3);
    scale_gates(gate(grad_gates, 3, size), gate(rows, 3, size), grad, 1);
    grad_cell.mul_(factors.keep.narrow(0, start, count));
}

} // namespace

recurrent_steps::recurrent_steps(std::vector<int64_t> sizes_of_steps)
    : sizes(std::move(sizes_of_steps))
{
    for (int64_t size : sizes) {
        starts.push_back(rows);
        rows += size;
    }
}

int64_t gates_of(recurrent_mode mode)
{
    return mode == RECURRENT_LSTM ? 4 : mode == RECURRENT_GRU ? 3 : 1;
}

int64_t reserve_columns(recurrent_mode mode, int64_t hidden_size, int64_t output_size)
{
    return (kept_gates(mode) + (mode == RECURRENT_LSTM)) * hidden_size + output_size;
}

void recurrent_forward(recurrent_mode mode, const recurrent_weights &weights,
                       const recurrent_steps &steps, bool reverse, const at::Tensor &input,
                       const at::Tensor &hidden, const at::Tensor &cell, const at::Tensor &output,
                       const at::Tensor &reserve)
{
    int64_t size = weights.hidden.size(0) / gates_of(mode);
    reserve_parts parts = split_reserve(mode, reserve, size, hidden.size(1));
    at::Tensor weight = weights.hidden.t();

    start_gates(mode, weights, input, parts.gates);
    for_each_step(steps, reverse, [&](int64_t start, int64_t count) {
        at::Tensor gates = parts.gates.narrow(0, start, count);
        at::Tensor state = hidden.narrow(0, 0, count);

        parts.hidden.narrow(0, start, count).copy_(state);
        if (mode == RECURRENT_GRU) {
            gru_step(gates, linear(state, weights.hidden, weights.hidden_bias), state, size);
        } else {
            gates.addmm_(state, weight);
            if (mode == RECURRENT_LSTM) {
                at::Tensor cells = cell.narrow(0, 0, count);

                parts.cell.narrow(0, start, count).copy_(cells);
                lstm_step(gates, state, cells, weights.projection, size);
            } else {
                plain_step(mode, gates, state);
            }
        }
        output.narrow(0, start, count).copy_(state);
    });
}

at::Tensor recurrent_backward(recurrent_mode mode, const recurrent_weights &weights,
                              const recurrent_steps &steps, bool reverse, const at::Tensor &input,
                              const at::Tensor &grad_output, const at::Tensor &grad_hidden,
                              const at::Tensor &grad_cell, const at::Tensor &reserve,
                              recurrent_weights &gradients)
{
    int64_t count_gates = gates_of(mode), size = weights.hidden.size(0) / count_gates;
    reserve_parts parts = split_reserve(mode, reserve, size, grad_hidden.size(1));
    backward_factors factors = factors_of(mode, parts, size);
    at::Tensor grad_gates = at::empty({steps.rows, count_gates * size}, reserve.options());
    at::Tensor grad_hidden_gates =
        factors.hidden_gates.defined() ? at::empty_like(grad_gates) : grad_gates;
    at::Tensor grads = weights.projection.defined() ? at::empty_like(grad_output) : at::Tensor();

    for_each_step(steps, !reverse, [&](int64_t start, int64_t count) {
        at::Tensor state = grad_hidden.narrow(0, 0, count), grad;
        at::Tensor rows = grad_gates.narrow(0, start, count);

        state.add_(grad_output.narrow(0, start, count));
        grad = state;
        if (grads.defined()) {
            grads.narrow(0, start, count).copy_(state);
            grad = at::mm(state, weights.projection);
        }
        if (mode == RECURRENT_LSTM)
            lstm_step_backward(factors, start, count, size, grad, grad_cell.narrow(0, 0, count),
                               rows);
        else
            scale_gates(rows, factors.gates.narrow(0, start, count), grad, count_gates);
        if (mode == RECURRENT_GRU) {
            rows = grad_hidden_gates.narrow(0, start, count);
            scale_gates(rows, factors.hidden_gates.narrow(0, start, count), grad, count_gates);
            state.mul_(factors.keep.narrow(0, start, count)).addmm_(rows, weights.hidden);
        } else {
            at::mm_out(state, rows, weights.hidden);
        }
    });
    gradients.input = at::mm(grad_gates.t(), input);
    gradients.hidden = at::mm(grad_hidden_gates.t(), parts.hidden);
    if (weights.input_bias.defined()) {
        gradients.input_bias = grad_gates.sum(0);
        gradients.hidden_bias = grad_hidden_gates.sum(0);
    }
    if (grads.defined())
        gradients.projection = at::mm(grads.t(), factors.value);
    return at::mm(grad_gates, weights.input);
}

} // namespace cupipe

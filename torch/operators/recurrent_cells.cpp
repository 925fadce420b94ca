/* SPDX-License-Identifier: MIT */
/* One step of an LSTM or a GRU: aten::_thnn_fused_lstm_cell and aten::_thnn_fused_gru_cell with
 * their backward functions, which nn.LSTMCell and nn.GRUCell use on a card.
 *
 * The workspace of an LSTM cell holds the activations of its four gates; that of a GRU cell reset,
 * update and new gate, the state before, and the hidden part of the new gate. */
#include "arguments.h"
#include "host_work.h"
#include "operators.h"

#include <ATen/ATen.h>

namespace cupipe
{

namespace
{

/* gates + bias in the type of the computation. */
at::Tensor with_bias(const at::Tensor &gates, const at::Tensor &bias, at::ScalarType type)
{
    return bias.defined() ? gates.to(type) + bias : gates.to(type);
}

/* Gate `i` of `count`. */
at::Tensor gate(const at::Tensor &gates, int64_t i, int64_t count)
{
    int64_t size = gates.size(1) / count;

    return gates.narrow(1, i * size, size);
}

void lstm_cell(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
    arguments args(op, stack);
    host_work work(op);
    at::Tensor cx = args.tensor("cx"), input = args.tensor("input_gates");
    at::Tensor hy = at::empty_like(cx, at::MemoryFormat::Contiguous), cy = at::empty_like(hy);
    at::Tensor workspace = at::empty_like(input, at::MemoryFormat::Contiguous);

    work.submit([=, input_gates = work.reads(input),
                 hidden_gates = work.reads(args.tensor("hidden_gates")), before = work.reads(cx),
                 input_bias = work.reads(args.tensor("input_bias")),
                 hidden_bias = work.reads(args.tensor("hidden_bias")), hidden = work.writes(hy),
                 cell = work.writes(cy), kept = work.writes(workspace)] {
        at::ScalarType type = accumulate_type(before.scalar_type());
        at::Tensor gates =
            with_bias(input_gates, input_bias, type) + with_bias(hidden_gates, hidden_bias, type);
        at::Tensor out = gate(gates, 3, 4), next;

        gate(gates, 0, 2).sigmoid_();
        gate(gates, 2, 4).tanh_();
        out.sigmoid_();
        next = gate(gates, 1, 4) * before + gate(gates, 0, 4) * gate(gates, 2, 4);
        kept.copy_(gates);
        cell.copy_(next);
        hidden.copy_(next.tanh_().mul_(out));
    });
    args.give(hy, cy, workspace);
}

void lstm_cell_backward(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
    arguments args(op, stack);
    host_work work(op);
    at::Tensor workspace = args.tensor("workspace"), cx = args.tensor("cx");
    at::Tensor grad_hidden = args.tensor("grad_hy"), grad_cell = args.tensor("grad_cy");
    at::Tensor grad_gates, grad_cx, grad_bias;

    if (!grad_hidden.defined() && !grad_cell.defined()) {
        args.give(at::Tensor(), at::Tensor(), at::Tensor());
        return;
    }
    grad_gates = at::empty_like(workspace, at::MemoryFormat::Contiguous);
    grad_cx = at::empty_like(cx, at::MemoryFormat::Contiguous);
    if (args.flag("has_bias"))
        grad_bias = at::empty({workspace.size(1)}, workspace.options());
    work.submit([=, dh = work.reads(grad_hidden), dc = work.reads(grad_cell),
                 before = work.reads(cx), after = work.reads(args.tensor("cy")),
                 kept = work.reads(workspace), to_gates = work.writes(grad_gates),
                 to_cx = work.writes(grad_cx), to_bias = work.writes(grad_bias)] {
        at::Tensor gates = kept.to(accumulate_type(kept.scalar_type()));
        at::Tensor in = gate(gates, 0, 4), forget = gate(gates, 1, 4);
        at::Tensor fresh = gate(gates, 2, 4), out = gate(gates, 3, 4);
        at::Tensor cell = after.to(gates.scalar_type()).tanh(), grad = at::zeros_like(cell), all;
        at::Tensor by_out = at::zeros_like(cell);

        if (dh.defined()) {
            grad.add_(dh * out * (1 - cell * cell));
            by_out = dh * cell * out * (1 - out);
        }
        if (dc.defined())
            grad.add_(dc);
        all = at::cat({grad * fresh * in * (1 - in), grad * before * forget * (1 - forget),
                       grad * in * (1 - fresh * fresh), by_out},
                      1);
        to_gates.copy_(all);
        to_cx.copy_(grad * forget);
        if (to_bias.defined())
            to_bias.copy_(all.sum(0));
    });
    args.give(grad_gates, grad_cx, grad_bias);
}

void gru_cell(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
    arguments args(op, stack);
    host_work work(op);
    at::Tensor hx = args.tensor("hx"), hy = at::empty_like(hx, at::MemoryFormat::Contiguous);
    at::Tensor workspace = at::empty({hx.size(0), hx.size(1) * 5}, hx.options());

    work.submit([=, input_gates = work.reads(args.tensor("input_gates")),
                 hidden_gates = work.reads(args.tensor("hidden_gates")), before = work.reads(hx),
                 input_bias = work.reads(args.tensor("input_bias")),
                 hidden_bias = work.reads(args.tensor("hidden_bias")), after = work.writes(hy),
                 kept = work.writes(workspace)] {
        at::ScalarType type = accumulate_type(before.scalar_type());
        at::Tensor input = with_bias(input_gates, input_bias, type);
        at::Tensor hidden = with_bias(hidden_gates, hidden_bias, type);
        at::Tensor reset = (gate(input, 0, 3) + gate(hidden, 0, 3)).sigmoid_();
        at::Tensor update = (gate(input, 1, 3) + gate(hidden, 1, 3)).sigmoid_();
        at::Tensor fresh = (gate(input, 2, 3) + reset * gate(hidden, 2, 3)).tanh_();

        kept.copy_(at::cat({reset, update, fresh, before.to(type), gate(hidden, 2, 3)}, 1));
        after.copy_(fresh + update * (before - fresh));
    });
    args.give(hy, workspace);
}

void gru_cell_backward(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
    arguments args(op, stack);
    host_work work(op);
    at::Tensor grad = args.tensor("grad_hy"), bias[2];
    int64_t rows = grad.size(0), size = grad.size(1);
    at::Tensor input_gates = at::empty({rows, 3 * size}, grad.options());
    at::Tensor hidden_gates = at::empty_like(input_gates);
    at::Tensor hx = at::empty({rows, size}, grad.options());

    if (args.flag("has_bias"))
        for (at::Tensor &each : bias)
            each = at::empty({3 * size}, grad.options());
    work.submit([=, from = work.reads(grad), kept = work.reads(args.tensor("workspace")),
                 to_input = work.writes(input_gates), to_hidden = work.writes(hidden_gates),
                 to_hx = work.writes(hx), input_bias = work.writes(bias[0]),
                 hidden_bias = work.writes(bias[1])] {
        at::Tensor gates = kept.to(accumulate_type(kept.scalar_type()));
        at::Tensor reset = gate(gates, 0, 5), update = gate(gates, 1, 5), fresh = gate(gates, 2, 5);
        at::Tensor by_update = from * (gate(gates, 3, 5) - fresh) * update * (1 - update);
        at::Tensor by_fresh = from * (1 - update) * (1 - fresh * fresh);
        at::Tensor by_reset = by_fresh * gate(gates, 4, 5) * reset * (1 - reset);
        at::Tensor input = at::cat({by_reset, by_update, by_fresh}, 1);
        at::Tensor hidden = at::cat({by_reset, by_update, by_fresh * reset}, 1);

        to_input.copy_(input);
        to_hidden.copy_(hidden);
        to_hx.copy_(from * update);
        if (input_bias.defined()) {
            input_bias.copy_(input.sum(0));
            hidden_bias.copy_(hidden.sum(0));
        }
    });
    args.give(input_gates, hidden_gates, hx, bias[0], bias[1]);
}

} // namespace

void register_recurrent_cells(torch::Library &aten_cuda)
{
    add_boxed<lstm_cell>(aten_cuda, "_thnn_fused_lstm_cell");
    add_boxed<lstm_cell_backward>(aten_cuda, "_thnn_fused_lstm_cell_backward_impl");
    add_boxed<gru_cell>(aten_cuda, "_thnn_fused_gru_cell");
    add_boxed<gru_cell_backward>(aten_cuda, "_thnn_fused_gru_cell_backward");
}

} // namespace cupipe

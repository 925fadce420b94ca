/* SPDX-License-Identifier: MIT */
/* Recurrent networks of cuDNN: aten::_cudnn_rnn and its neighbours, which nn.LSTM, nn.GRU and
 * nn.RNN use on a card.
 *
 * `reserve` holds, for each layer, the parts of its directions (recurrent_math.h), its output and
 * its dropout mask. The state of dropout is two numbers, seed and position, in device memory. */
#include "arguments.h"
#include "attention_dropout.h"
#include "host_work.h"
#include "operators.h"
#include "recurrent_math.h"

#include <ATen/ATen.h>
#include <ATen/cuda/CUDAGeneratorImpl.h>
#include <ATen/native/RNN.h>
#include <map>
#include <mutex>

namespace cupipe
{

namespace
{

/* The call on tensors of the host. */
struct recurrent_call {
    recurrent_mode mode;
    int64_t layers, directions, hidden_size, output_size, batch, stride;
    bool packed, batch_first, train;
    double dropout;
    std::vector<int64_t> step_sizes;
    at::ScalarType type; /* of the computation */
    at::Tensor input, hidden, cell, dropout_state;
    std::vector<at::Tensor> weights;

    bool drops() const
    {
        return train && dropout > 0 && layers > 1;
    }

    recurrent_weights weights_of(int64_t layer, int64_t direction) const
    {
        const at::Tensor *first = &weights[(layer * directions + direction) * stride];
        recurrent_weights found = {first[0].to(type), first[1].to(type), {}, {}, {}};

        if (stride >= 4) {
            found.input_bias = first[2].to(type);
            found.hidden_bias = first[3].to(type);
        }
        if (output_size != hidden_size)
            found.projection = first[stride - 1].to(type);
        return found;
    }
};

recurrent_call read_call(const arguments &args, host_work &work)
{
    recurrent_call call;
    at::Tensor input = args.tensor("input");
    int64_t projected = args.integer("proj_size");

    call.mode = static_cast<recurrent_mode>(args.integer("mode"));
    call.layers = args.integer("num_layers");
    call.directions = args.flag("bidirectional") ? 2 : 1;
    call.hidden_size = args.integer("hidden_size");
    call.output_size = projected ? projected : call.hidden_size;
    call.stride = args.integer("weight_stride0");
    call.batch_first = args.flag("batch_first");
    call.train = args.flag("train");
    call.dropout = args.number("dropout");
    call.step_sizes = args.integers("batch_sizes");
    call.packed = !call.step_sizes.empty();
    call.type = accumulate_type(input.scalar_type());
    call.input = work.reads(input);
    if (!call.packed && call.batch_first)
        call.input = call.input.transpose(0, 1);
    if (!call.packed)
        call.step_sizes.assign(call.input.size(0), call.input.size(1));
    call.batch = call.step_sizes.empty() ? call.input.size(1) : call.step_sizes[0];
    call.hidden = work.reads(args.tensor("hx"));
    call.cell = work.reads(args.tensor("cx"));
    call.dropout_state = args.tensor("dropout_state");
    call.weights = work.reads(args.tensors("weight"));
    return call;
}

void check_call(const recurrent_call &call)
{
    int64_t states = call.layers * call.directions;
    std::vector<int64_t> hidden = {states, call.batch, call.output_size};
    std::vector<int64_t> cell = {states, call.batch, call.hidden_size};

    TORCH_CHECK(call.mode >= RECURRENT_RELU && call.mode <= RECURRENT_GRU,
                "unrecognized cuDNN RNN mode ", static_cast<int>(call.mode));
    TORCH_CHECK((int64_t)call.weights.size() == states * call.stride, "_cudnn_rnn: expected ",
                states * call.stride, " weights, but got ", call.weights.size());
    TORCH_CHECK(call.hidden.sizes() == at::IntArrayRef(hidden), "Expected hidden size ",
                at::IntArrayRef(hidden), ", got ", call.hidden.sizes());
    TORCH_CHECK(call.mode == RECURRENT_LSTM || !call.cell.defined(),
                "rnn: illegal defined cx for non-LSTM RNN");
    TORCH_CHECK(call.mode != RECURRENT_LSTM ||
                    (call.cell.defined() && call.cell.sizes() == at::IntArrayRef(cell)),
                "Expected cell size ", at::IntArrayRef(cell), ", got ",
                call.cell.defined() ? call.cell.sizes() : at::IntArrayRef());
}

/* The parts of `reserve`, which is one dimension of values. */
struct reserve_reader {
    const recurrent_call &call;
    at::Tensor values;
    int64_t rows, next = 0;

    at::Tensor take(int64_t columns)
    {
        at::Tensor part = values.narrow(0, next, rows * columns).view({rows, columns});

        next += rows * columns;
        return part;
    }
};

struct layer_reserve {
    std::vector<at::Tensor> directions;
    at::Tensor output, mask;
};

int64_t reserve_length(const recurrent_call &call, int64_t rows)
{
    int64_t width = call.output_size * call.directions;
    int64_t columns = reserve_columns(call.mode, call.hidden_size, call.output_size);

    return rows * (call.layers * (columns * call.directions + width) +
                   (call.drops() ? (call.layers - 1) * width : 0));
}

std::vector<layer_reserve> split_layers(const recurrent_call &call, const at::Tensor &values,
                                        int64_t rows)
{
    reserve_reader reader = {call, values, rows};
    std::vector<layer_reserve> layers(call.layers);

    for (int64_t i = 0; i < call.layers; i++) {
        for (int64_t j = 0; j < call.directions; j++)
            layers[i].directions.push_back(
                reader.take(reserve_columns(call.mode, call.hidden_size, call.output_size)));
        layers[i].output = reader.take(call.output_size * call.directions);
        if (call.drops() && i + 1 < call.layers)
            layers[i].mask = reader.take(call.output_size * call.directions);
    }
    return layers;
}

/* Draws a mask of 0 and 1 / (1 - p) and moves the position. */
void draw_mask(const at::Tensor &mask, double dropout, const at::Tensor &state)
{
    auto *words = static_cast<uint64_t *>(state.mutable_data_ptr());

    fill_uniform({words[0], words[1]}, mask);
    words[1] += (uint64_t)mask.numel();
    if (dropout < 1)
        mask.copy_((mask > dropout).to(mask.scalar_type()).div_(1 - dropout));
    else
        mask.zero_();
}

at::Tensor rows_of(const at::Tensor &tensor, const recurrent_call &call)
{
    return (call.packed ? tensor : tensor.flatten(0, 1)).to(call.type);
}

void run_forward(const recurrent_call &call, const at::Tensor &output,
                 const at::Tensor &last_hidden, const at::Tensor &last_cell,
                 const at::Tensor &reserve)
{
    recurrent_steps steps(call.step_sizes);
    at::Tensor hidden = call.hidden.to(call.type, false, true, at::MemoryFormat::Contiguous);
    at::Tensor cell = call.cell.defined()
                          ? call.cell.to(call.type, false, true, at::MemoryFormat::Contiguous)
                          : at::Tensor();
    at::Tensor values = reserve.defined()
                            ? reserve.view(call.type)
                            : at::empty({reserve_length(call, steps.rows)}, call.type);
    std::vector<layer_reserve> layers = split_layers(call, values, steps.rows);
    at::Tensor input = rows_of(call.input, call);

    for (int64_t i = 0; i < call.layers; i++) {
        for (int64_t j = 0; j < call.directions; j++) {
            int64_t state = i * call.directions + j;

            recurrent_forward(call.mode, call.weights_of(i, j), steps, j == 1, input, hidden[state],
                              cell.defined() ? cell[state] : cell,
                              layers[i].output.narrow(1, j * call.output_size, call.output_size),
                              layers[i].directions[j]);
        }
        input = layers[i].output;
        if (layers[i].mask.defined()) {
            draw_mask(layers[i].mask, call.dropout, call.dropout_state);
            input = input * layers[i].mask;
        }
    }
    output.copy_(input.view(output.sizes()));
    last_hidden.copy_(hidden);
    if (cell.defined())
        last_cell.copy_(cell);
}

void cudnn_rnn(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
    arguments args(op, stack);
    host_work work(op);
    recurrent_call call = read_call(args, work);
    at::TensorOptions options = args.tensor("input").options();
    recurrent_steps steps(call.step_sizes);
    std::vector<int64_t> sizes = call.input.sizes().vec();
    at::Tensor buffer = args.tensor("weight_buf"), output, hidden, cell, reserve;
    int64_t bytes = 0;

    check_call(call);
    TORCH_CHECK(!call.drops() || call.dropout_state.defined(),
                "_cudnn_rnn: dropout needs a dropout_state; make one with "
                "torch._cudnn_init_dropout_state");
    if (call.drops())
        call.dropout_state = work.writes(call.dropout_state);
    sizes.back() = call.output_size * call.directions;
    output = at::empty(sizes, options);
    hidden = at::empty(call.hidden.sizes(), options);
    cell = at::empty(call.cell.defined() ? call.cell.sizes() : at::IntArrayRef({0}), options);
    if (call.train)
        bytes = reserve_length(call, steps.rows) * (int64_t)c10::elementSize(call.type);
    reserve = at::empty({bytes}, options.dtype(at::kByte));
    work.submit([=, output = work.writes(output), hidden = work.writes(hidden),
                 cell = work.writes(cell),
                 reserve = call.train ? work.writes(reserve) : at::Tensor()] {
        run_forward(call, output, hidden, cell, reserve);
    });
    if (!call.packed && call.batch_first)
        output = output.transpose(0, 1);
    args.give(output, hidden, cell, reserve, buffer.defined() ? buffer : at::empty({0}, options));
}

/* The gradient, or zeros if nobody uses the result, as a new tensor. */
at::Tensor gradient_or_zeros(const at::Tensor &gradient, at::IntArrayRef sizes, at::ScalarType type)
{
    return gradient.defined() ? gradient.to(type, false, true, at::MemoryFormat::Contiguous)
                              : at::zeros(sizes, type);
}

/* Where the gradients go; undefined ones are not wanted. */
struct recurrent_gradients {
    at::Tensor input, hidden, cell;
    std::vector<at::Tensor> weights;

    void store_weights(const recurrent_weights &made, int64_t first, int64_t stride) const
    {
        if (weights.empty())
            return;
        weights[first].copy_(made.input);
        weights[first + 1].copy_(made.hidden);
        if (made.input_bias.defined()) {
            weights[first + 2].copy_(made.input_bias);
            weights[first + 3].copy_(made.hidden_bias);
        }
        if (made.projection.defined())
            weights[first + stride - 1].copy_(made.projection);
    }
};

void run_backward(const recurrent_call &call, const at::Tensor &grad_output,
                  const at::Tensor &grad_hidden, const at::Tensor &grad_cell,
                  const at::Tensor &reserve, const recurrent_gradients &into)
{
    recurrent_steps steps(call.step_sizes);
    std::vector<layer_reserve> layers = split_layers(call, reserve.view(call.type), steps.rows);
    at::Tensor hidden = gradient_or_zeros(grad_hidden, call.hidden.sizes(), call.type);
    at::Tensor cell, grad;

    if (call.cell.defined())
        cell = gradient_or_zeros(grad_cell, call.cell.sizes(), call.type);
    grad = grad_output.defined()
               ? rows_of(grad_output, call)
               : at::zeros({steps.rows, call.output_size * call.directions}, call.type);
    for (int64_t i = call.layers - 1; i >= 0; i--) {
        at::Tensor input, below;

        if (i == 0)
            input = rows_of(call.input, call);
        else
            input = call.drops() ? layers[i - 1].output * layers[i - 1].mask : layers[i - 1].output;
        for (int64_t j = 0; j < call.directions; j++) {
            int64_t state = i * call.directions + j;
            recurrent_weights made;
            at::Tensor part = recurrent_backward(
                call.mode, call.weights_of(i, j), steps, j == 1, input,
                grad.narrow(1, j * call.output_size, call.output_size), hidden[state],
                cell.defined() ? cell[state] : cell, layers[i].directions[j], made);

            below = below.defined() ? below.add_(part) : part;
            into.store_weights(made, state * call.stride, call.stride);
        }
        grad = i > 0 && call.drops() ? below.mul_(layers[i - 1].mask) : below;
    }
    if (into.input.defined())
        into.input.copy_(grad.view(into.input.sizes()));
    if (into.hidden.defined())
        into.hidden.copy_(hidden);
    if (into.cell.defined())
        into.cell.copy_(cell);
}

void cudnn_rnn_backward(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
    arguments args(op, stack);
    host_work work(op);
    recurrent_call call = read_call(args, work);
    std::vector<bool> wanted = args.flags("output_mask");
    at::TensorOptions options = args.tensor("input").options();
    at::Tensor input, hidden, cell, grad_output = work.reads(args.tensor("grad_output"));
    std::vector<at::Tensor> weights;

    TORCH_CHECK(call.train, "cudnn RNN backward can only be called in training mode");
    check_call(call);
    input = at::empty(call.input.sizes(), options);
    hidden = at::empty(call.hidden.sizes(), options);
    if (call.cell.defined())
        cell = at::empty(call.cell.sizes(), options);
    if (wanted[3])
        for (const at::Tensor &weight : args.tensors("weight"))
            weights.push_back(at::empty(weight.sizes(), weight.options()));
    if (!call.packed && call.batch_first && grad_output.defined())
        grad_output = grad_output.transpose(0, 1);

    recurrent_gradients into = {work.writes(input), work.writes(hidden), work.writes(cell),
                                work.writes(weights)};

    work.submit([=, grad_hidden = work.reads(args.tensor("grad_hy")),
                 grad_cell = work.reads(args.tensor("grad_cy")),
                 reserve = work.reads(args.tensor("reserve"))] {
        run_backward(call, grad_output, grad_hidden, grad_cell, reserve, into);
    });
    if (!call.packed && call.batch_first)
        input = input.transpose(0, 1);
    args.give(input, hidden, cell, weights);
}

/* All weights in one buffer, matrices before biases; the parameters become parts of it. */
void flatten_weight(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
    arguments args(op, stack);
    std::vector<at::Tensor> weights = args.tensors("weight_arr");
    int64_t length = 0, next = 0;
    at::Tensor buffer;

    TORCH_CHECK(!weights.empty(), "_cudnn_rnn_flatten_weight_: cannot flatten empty weight list");
    for (const at::Tensor &weight : weights)
        length += weight.numel();
    buffer = at::empty({length}, weights[0].options());
    for (int64_t dimensions : {2, 1})
        for (at::Tensor &weight : weights) {
            at::Tensor part;

            if (weight.dim() != dimensions)
                continue;
            part = buffer.narrow(0, next, weight.numel()).view(weight.sizes());
            part.copy_(weight);
            weight.set_(part.storage(), part.storage_offset(), part.sizes(), part.strides());
            next += weight.numel();
        }
    args.give(buffer);
}

at::Tensor new_dropout_state(c10::Device device, int64_t seed)
{
    at::Tensor words = at::tensor({seed, (int64_t)0}, at::kLong);

    return words.view(at::kByte).to(device);
}

void init_dropout_state(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
    arguments args(op, stack);
    c10::IValue device = args.value("device");

    args.give(new_dropout_state(device.isNone() ? c10::Device(c10::kCUDA) : device.toDevice(),
                                args.integer("dropout_seed")));
}

/* The state that modules of a device share. */
at::Tensor shared_dropout_state(const at::Tensor &input)
{
    static std::mutex lock;
    /* Guarded by lock; never destroyed, as the allocator may be gone when the process ends. */
    static auto &states = *new std::map<c10::DeviceIndex, at::Tensor>;
    std::lock_guard<std::mutex> guard(lock);
    at::Tensor &state = states[input.device().index()];

    if (!state.defined()) {
        auto generator = at::cuda::detail::getDefaultCUDAGenerator(input.device().index());

        state = new_dropout_state(input.device(), (int64_t)generator.current_seed());
    }
    return state;
}

/* aten::lstm and its kin, whose calls on CUDA tensors torch sends to these functions. */
struct module_call {
    const at::Tensor &input;
    at::Tensor hidden, cell;
    at::TensorList parameters;
    bool biases;
    int64_t layers;
    double dropout;
    bool train, bidirectional, batch_first;
    std::vector<int64_t> batch_sizes;
};

bool share_storage(at::TensorList tensors)
{
    for (const at::Tensor &tensor : tensors)
        if (!tensor.storage().is_alias_of(tensors[0].storage()))
            return false;
    return true;
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> run_module(recurrent_mode mode,
                                                          const module_call &call)
{
    int64_t size = call.cell.defined() ? call.cell.size(2) : call.hidden.size(2);
    int64_t projected = call.hidden.size(2) == size ? 0 : call.hidden.size(2);
    std::optional<at::Tensor> state;

    if (call.train && call.dropout > 0)
        state = shared_dropout_state(call.input);
    if (!share_storage(call.parameters))
        TORCH_WARN("RNN module weights are not part of single contiguous chunk of memory, so that "
                   "cuDNN copies them in every call; flatten_parameters() puts them into one");

    auto [output, hidden, cell, reserve, buffer] = at::_cudnn_rnn(
        call.input, call.parameters, (call.biases ? 4 : 2) + (projected ? 1 : 0), std::nullopt,
        call.hidden, call.cell.defined() ? std::optional<at::Tensor>(call.cell) : std::nullopt,
        mode, size, projected, call.layers, call.batch_first, call.dropout, call.train,
        call.bidirectional, call.batch_sizes, state);

    return {output, hidden, cell};
}

std::vector<int64_t> sizes_in(const at::Tensor &batch_sizes)
{
    at::Tensor sizes = batch_sizes.to(at::kLong).contiguous();

    return {sizes.const_data_ptr<int64_t>(), sizes.const_data_ptr<int64_t>() + sizes.numel()};
}

void lstm_module(at::Tensor &output, at::Tensor &hidden, at::Tensor &cell, const at::Tensor &input,
                 at::TensorList states, at::TensorList parameters, bool biases, int64_t layers,
                 double dropout, bool train, bool bidirectional, bool batch_first)
{
    std::tie(output, hidden, cell) = run_module(RECURRENT_LSTM, {input,
                                                                 states[0],
                                                                 states[1],
                                                                 parameters,
                                                                 biases,
                                                                 layers,
                                                                 dropout,
                                                                 train,
                                                                 bidirectional,
                                                                 batch_first,
                                                                 {}});
}

void lstm_packed_module(at::Tensor &output, at::Tensor &hidden, at::Tensor &cell,
                        const at::Tensor &input, const at::Tensor &batch_sizes,
                        at::TensorList states, at::TensorList parameters, bool biases,
                        int64_t layers, double dropout, bool train, bool bidirectional)
{
    std::tie(output, hidden, cell) =
        run_module(RECURRENT_LSTM, {input, states[0], states[1], parameters, biases, layers,
                                    dropout, train, bidirectional, false, sizes_in(batch_sizes)});
}

template <recurrent_mode mode>
void plain_module(at::Tensor &output, at::Tensor &hidden, const at::Tensor &input,
                  const at::Tensor &state, at::TensorList parameters, bool biases, int64_t layers,
                  double dropout, bool train, bool bidirectional, bool batch_first)
{
    std::tie(output, hidden, std::ignore) = run_module(mode, {input,
                                                              state,
                                                              {},
                                                              parameters,
                                                              biases,
                                                              layers,
                                                              dropout,
                                                              train,
                                                              bidirectional,
                                                              batch_first,
                                                              {}});
}

template <recurrent_mode mode>
void plain_packed_module(at::Tensor &output, at::Tensor &hidden, const at::Tensor &input,
                         const at::Tensor &batch_sizes, const at::Tensor &state,
                         at::TensorList parameters, bool biases, int64_t layers, double dropout,
                         bool train, bool bidirectional)
{
    std::tie(output, hidden, std::ignore) = run_module(mode, {input,
                                                              state,
                                                              {},
                                                              parameters,
                                                              biases,
                                                              layers,
                                                              dropout,
                                                              train,
                                                              bidirectional,
                                                              false,
                                                              sizes_in(batch_sizes)});
}

/* torch's own functions of this table ask cuDNN for the layout of weights before they call
 * aten::_cudnn_rnn. */
void replace_module_functions()
{
    using namespace at::native;

    lstm_cudnn_stub.set_cuda_dispatch_ptr(lstm_module);
    lstm_packed_cudnn_stub.set_cuda_dispatch_ptr(lstm_packed_module);
    gru_cudnn_stub.set_cuda_dispatch_ptr(plain_module<RECURRENT_GRU>);
    gru_packed_cudnn_stub.set_cuda_dispatch_ptr(plain_packed_module<RECURRENT_GRU>);
    rnn_tanh_cudnn_stub.set_cuda_dispatch_ptr(plain_module<RECURRENT_TANH>);
    rnn_tanh_packed_cudnn_stub.set_cuda_dispatch_ptr(plain_packed_module<RECURRENT_TANH>);
    rnn_relu_cudnn_stub.set_cuda_dispatch_ptr(plain_module<RECURRENT_RELU>);
    rnn_relu_packed_cudnn_stub.set_cuda_dispatch_ptr(plain_packed_module<RECURRENT_RELU>);
}

} // namespace

void register_cudnn_recurrent(torch::Library &aten_cuda)
{
    add_boxed<cudnn_rnn>(aten_cuda, "_cudnn_rnn");
    add_boxed<cudnn_rnn_backward>(aten_cuda, "_cudnn_rnn_backward");
    add_boxed<flatten_weight>(aten_cuda, "_cudnn_rnn_flatten_weight");
    add_boxed<init_dropout_state>(aten_cuda, "_cudnn_init_dropout_state");
    replace_module_functions();
}

} // namespace cupipe

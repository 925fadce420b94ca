/* SPDX-License-Identifier: MIT */
/* Flash attention: aten::_flash_attention_*, aten::_scaled_dot_product_flash_attention*.
 *
 * A causal mask and a window are aligned with the last key: the last query sees all keys. Packed
 * sequences (cum_seq_q) and pages of keys (block_table) are read when the work runs. */
#include "../random/generator.h"
#include "arguments.h"
#include "attention_dropout.h"
#include "attention_math.h"
#include "host_work.h"
#include "operators.h"

#include <ATen/ATen.h>
#include <cmath>

namespace cupipe
{

namespace
{

constexpr double infinity = std::numeric_limits<double>::infinity();

/* The call on tensors of the host. Dense tensors are (batch, heads, length, width), packed ones
 * (all lengths, heads, width). */
struct flash {
    at::Tensor query, key, value;
    at::Tensor query_starts, key_starts; /* of packed sequences, or undefined */
    at::Tensor key_lengths, pages;
    at::Tensor query_factor, key_factor, value_factor; /* of float8: (batch, heads of keys) */
    bool causal = false;
    int64_t left = -1, right = -1;
    double scale = 1, dropout_p = 0;
};

flash read_flash(const arguments &args, host_work &work, bool dense)
{
    flash call;

    call.query = work.reads(args.tensor("query"));
    call.key = work.reads(args.tensor("key"));
    call.value = work.reads(args.tensor("value"));
    call.query_starts = work.reads(dense ? at::Tensor() : args.tensor("cum_seq_q"));
    call.key_starts = work.reads(dense ? at::Tensor() : args.tensor("cum_seq_k"));
    call.key_lengths = work.reads(args.tensor("seqused_k"));
    call.pages = work.reads(args.tensor("block_table"));
    call.query_factor = work.reads(args.tensor("q_descale"));
    call.key_factor = work.reads(args.tensor("k_descale"));
    call.value_factor = work.reads(args.tensor("v_descale"));
    call.causal = args.flag("is_causal");
    call.left = args.integer("window_size_left", -1);
    call.right = args.integer("window_size_right", -1);
    call.dropout_p = args.number("dropout_p");
    call.scale = args.number("scale", 1 / std::sqrt((double)call.query.size(-1)));
    if (!dense && !call.query_starts.defined()) {
        call.query = call.query.transpose(1, 2);
        if (!call.pages.defined()) {
            call.key = call.key.transpose(1, 2);
            call.value = call.value.transpose(1, 2);
        }
    }
    return call;
}

void check_flash(const arguments &args)
{
    at::Tensor query = args.tensor("query"), value = args.tensor("value");
    at::ScalarType type = query.scalar_type();
    bool float8 = args.op().schema().overload_name() == "quantized";

    TORCH_CHECK(float8 ? at::isFloat8Type(type) : type == at::kHalf || type == at::kBFloat16,
                float8 ? "FlashAttention with descales only supports float8 data types"
                       : "FlashAttention only support fp16 and bf16 data type");
    TORCH_CHECK(args.tensor("key").scalar_type() == type && value.scalar_type() == type,
                "query, key and value must have the same dtype");
    TORCH_CHECK(query.size(-1) == value.size(-1),
                "v must have shape (batch_size, seqlen_k, num_heads_k, head_size_og)");
    TORCH_CHECK(query.size(-1) <= 256,
                "FlashAttention forward only supports head dimension at most 256");
    TORCH_CHECK(!args.tensor("alibi_slopes").defined(),
                "This flash attention build does not support alibi.");
}

/* Values of float8 tensors, each head with its factor. */
at::Tensor with_factor(const at::Tensor &tensor, const at::Tensor &factor, int64_t batch)
{
    at::Tensor values = at::isFloat8Type(tensor.scalar_type()) ? tensor.to(at::kFloat) : tensor;
    at::Tensor each;

    if (!factor.defined())
        return values;
    each = factor.dim() == 2 ? factor.slice(0, batch, batch + values.size(0)) : factor;
    each = each.dim() == 2 ? each.repeat_interleave(values.size(1) / each.size(1), 1) : each;
    return values * each.unsqueeze(-1).unsqueeze(-1);
}

attention_inputs inputs_of(const flash &call, const at::Tensor &query, const at::Tensor &key,
                           const at::Tensor &value, cup_philox start, int64_t first_batch)
{
    attention_inputs inputs;
    int64_t heads = query.size(1), queries = query.size(2), keys = key.size(2);

    inputs.query = with_factor(query, call.query_factor, first_batch);
    inputs.key = with_factor(key, call.key_factor, first_batch);
    inputs.value = with_factor(value, call.value_factor, first_batch);
    inputs.scale = call.scale;
    inputs.window.shift = keys - queries;
    if (call.left >= 0)
        inputs.window.before = call.left;
    if (call.right >= 0)
        inputs.window.after = call.right;
    if (call.causal)
        inputs.window.after = 0;
    inputs.dropout_p = call.dropout_p;
    if (call.dropout_p > 0)
        inputs.keep = [=, p = call.dropout_p](int64_t batch) {
            return flash_keep(start, p, first_batch + batch, heads, queries, keys);
        };
    return inputs;
}

int64_t element(const at::Tensor &starts, int64_t i)
{
    return starts.scalar_type() == at::kInt ? starts.const_data_ptr<int32_t>()[i]
                                            : starts.const_data_ptr<int64_t>()[i];
}

int64_t key_length_of(const flash &call, int64_t batch, int64_t otherwise)
{
    return call.key_lengths.defined() ? element(call.key_lengths, batch) : otherwise;
}

/* Sequence `batch` of packed queries or results, as (1, heads, length, width). */
at::Tensor packed(const at::Tensor &tensor, const at::Tensor &starts, int64_t batch)
{
    return tensor.slice(0, element(starts, batch), element(starts, batch + 1))
        .transpose(0, 1)
        .unsqueeze(0);
}

/* The keys or values of sequence `batch`, as (1, heads, length, width). */
at::Tensor keys_of(const flash &call, const at::Tensor &tensor, int64_t batch)
{
    at::Tensor all;

    if (call.pages.defined()) {
        all = tensor.index_select(0, call.pages[batch].to(at::kLong).clamp_min(0));
        all = all.flatten(0, 1).transpose(0, 1).unsqueeze(0);
    } else {
        all = packed(tensor, call.key_starts, batch);
    }
    return all.slice(2, 0, key_length_of(call, batch, all.size(2)));
}

/* Calls `each` with the inputs of one sequence after the other, and where it starts. */
template <typename function>
void for_each_sequence(const flash &call, cup_philox start, function each)
{
    int64_t count = call.query_starts.size(0) - 1;

    for (int64_t batch = 0; batch < count; batch++) {
        at::Tensor query = packed(call.query, call.query_starts, batch);

        if (query.size(2) > 0)
            each(inputs_of(call, query, keys_of(call, call.key, batch),
                           keys_of(call, call.value, batch), start, batch),
                 batch);
    }
}

/* Dense queries whose keys have lengths or pages of their own, one batch after the other. */
template <typename function> void for_each_batch(const flash &call, cup_philox start, function each)
{
    for (int64_t batch = 0; batch < call.query.size(0); batch++) {
        at::Tensor key, value;

        if (call.pages.defined()) {
            key = keys_of(call, call.key, batch);
            value = keys_of(call, call.value, batch);
        } else {
            int64_t length = key_length_of(call, batch, call.key.size(2));

            key = call.key.slice(0, batch, batch + 1).slice(2, 0, length);
            value = call.value.slice(0, batch, batch + 1).slice(2, 0, length);
        }
        each(inputs_of(call, call.query.slice(0, batch, batch + 1), key, value, start, batch),
             batch);
    }
}

/* `out` has the layout of the query; `sums` is (batch, heads, queries) or (heads, all queries). */
void run_forward(const flash &call, cup_philox start, const at::Tensor &out, const at::Tensor &sums)
{
    if (call.query_starts.defined()) {
        for_each_sequence(call, start, [&](const attention_inputs &inputs, int64_t batch) {
            int64_t first = element(call.query_starts, batch);

            attention_forward(inputs, packed(out, call.query_starts, batch),
                              sums.slice(1, first, first + inputs.query.size(2)).unsqueeze(0),
                              infinity);
        });
    } else if (call.pages.defined() || call.key_lengths.defined()) {
        for_each_batch(call, start, [&](const attention_inputs &inputs, int64_t batch) {
            attention_forward(inputs, out.slice(0, batch, batch + 1),
                              sums.slice(0, batch, batch + 1), infinity);
        });
    } else {
        attention_forward(inputs_of(call, call.query, call.key, call.value, start, 0), out, sums,
                          infinity);
    }
}

/* The softmax with a minus sign where dropout does not keep it. */
void run_debug_mask(const flash &call, cup_philox start, const at::Tensor &mask)
{
    attention_inputs inputs = inputs_of(call, call.query, call.key, call.value, start, 0);

    mask.zero_();
    for (int64_t batch = 0; batch < mask.size(0); batch++) {
        at::Tensor weights = attention_weights(inputs, batch);

        mask[batch]
            .slice(1, 0, weights.size(1))
            .slice(2, 0, weights.size(2))
            .copy_(at::where(inputs.keep(batch), weights, -weights));
    }
}

void store(cup_philox start, const at::Tensor &state)
{
    auto *words = static_cast<uint64_t *>(state.mutable_data_ptr());

    words[0] = start.seed;
    words[1] = start.offset;
}

int64_t round_up(int64_t value, int64_t unit)
{
    return (value + unit - 1) / unit * unit;
}

struct flash_results {
    at::Tensor out, sums, state, unused, mask;
};

/* The results of a forward kernel. `dense` tells that the tensors are (batch, heads, ...). */
flash_results flash_forward(arguments &args, bool dense, at::Tensor out = {})
{
    host_work work(args.op());
    flash call = read_flash(args, work, dense);
    at::Tensor query = args.tensor("query"), mask_view;
    at::TensorOptions options = query.options();
    bool is_packed = call.query_starts.defined();
    int64_t heads = query.size(is_packed ? 1 : dense ? 1 : 2);
    int64_t batches = is_packed ? call.query_starts.size(0) - 1 : query.size(0);
    bool debug = args.flag("return_debug_mask");
    flash_results made;
    philox_input random;

    check_flash(args);
    TORCH_CHECK(!debug || call.dropout_p > 0,
                "return_softmax is only supported when p_dropout > 0.0");
    if (!out.defined() && at::isFloat8Type(query.scalar_type()))
        out = at::empty_like(query, options.dtype(at::kBFloat16));
    made.out = out.defined() ? out : at::empty_like(query);
    made.sums = is_packed
                    ? at::empty({heads, query.size(0)}, options.dtype(at::kFloat))
                    : at::empty({batches, heads, call.query.size(2)}, options.dtype(at::kFloat));
    made.state = at::empty({2}, options.dtype(at::kUInt64));
    made.unused = at::empty({}, options.dtype(at::kUInt64));
    made.mask = at::empty({0}, options);
    if (call.dropout_p > 0)
        random = philox_input(query.device(), batches * heads * 32);
    if (debug && !is_packed)
        made.mask = at::empty(
            {batches, heads, round_up(call.query.size(2), 128), round_up(call.key.size(2), 128)},
            options);
    mask_view = debug && !is_packed ? work.writes(made.mask) : at::Tensor();
    work.submit([=, out = work.writes(made.out), sums = work.writes(made.sums),
                 state = call.dropout_p > 0 ? work.writes(made.state) : at::Tensor()] {
        cup_philox start = random.read();

        run_forward(call, start, !dense && !is_packed ? out.transpose(1, 2) : out, sums);
        if (state.defined())
            store(start, state);
        if (mask_view.defined())
            run_debug_mask(call, start, mask_view);
    });
    return made;
}

void run_backward(const flash &call, cup_philox start, const at::Tensor &grad_out,
                  const at::Tensor &out, const at::Tensor &sums,
                  const attention_gradients &gradients)
{
    if (!call.query_starts.defined()) {
        attention_backward(inputs_of(call, call.query, call.key, call.value, start, 0), grad_out,
                           out, sums, gradients);
        return;
    }
    gradients.query.zero_();
    gradients.key.zero_();
    gradients.value.zero_();
    for_each_sequence(call, start, [&](const attention_inputs &inputs, int64_t batch) {
        const at::Tensor &starts = call.query_starts;
        int64_t first = element(starts, batch);
        attention_gradients into = {packed(gradients.query, starts, batch),
                                    keys_of(call, gradients.key, batch),
                                    keys_of(call, gradients.value, batch),
                                    {}};

        attention_backward(inputs, packed(grad_out, starts, batch), packed(out, starts, batch),
                           sums.slice(1, first, first + inputs.query.size(2)).unsqueeze(0), into);
    });
}

void flash_backward(arguments &args, bool dense)
{
    host_work work(args.op());
    at::Tensor state = args.tensor("rng_state"), unused = args.tensor("unused");
    at::Tensor query = at::empty_like(args.tensor("query"));
    at::Tensor key = at::empty_like(args.tensor("key"));
    at::Tensor value = at::empty_like(args.tensor("value"));

    if (dense) {
        at::Tensor starts = args.tensor("cum_seq_q");

        dense = !starts.defined() || starts.numel() == 0;
        state = args.tensor("philox_seed");
        unused = args.tensor("philox_offset");
    }
    check_flash(args);

    flash call = read_flash(args, work, dense);
    bool swap = !dense && !call.query_starts.defined();
    auto view = [swap](const at::Tensor &tensor) { return swap ? tensor.transpose(1, 2) : tensor; };
    attention_gradients gradients = {
        view(work.writes(query)), view(work.writes(key)), view(work.writes(value)), {}};

    work.submit([=, grad_out = view(work.reads(args.tensor("grad_out"))),
                 out = view(work.reads(args.tensor("out"))),
                 sums = work.reads(args.tensor("logsumexp")), state = work.reads(state),
                 unused = work.reads(unused)] {
        cup_philox start = {};

        if (call.dropout_p > 0)
            start = philox_start_of(state, unused);
        run_backward(call, start, grad_out, out, sums, gradients);
    });
    args.give(query, key, value);
}

void flash_attention_forward(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
    arguments args(op, stack);
    flash_results made = flash_forward(args, false);

    args.give(made.out, made.sums, made.state, made.unused, made.mask);
}

void flash_attention_forward_inplace(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
    arguments args(op, stack);

    TORCH_CHECK(args.number("dropout_p") == 0, "dropout_p must be 0, but is ",
                args.number("dropout_p"));
    args.give(flash_forward(args, false, args.tensor("out")).sums);
}

void flash_attention_backward(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
    arguments args(op, stack);

    flash_backward(args, false);
}

void scaled_dot_product_flash(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
    arguments args(op, stack);
    int64_t queries = args.tensor("query").size(2), keys = args.tensor("key").size(2);
    flash_results made = flash_forward(args, true);

    args.give(made.out, made.sums, at::Tensor(), at::Tensor(), queries, keys, made.state,
              made.unused, made.mask);
}

void scaled_dot_product_flash_backward(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
    arguments args(op, stack);

    flash_backward(args, true);
}

} // namespace

void register_flash_attention(torch::Library &aten_cuda)
{
    add_boxed<flash_attention_forward>(aten_cuda, "_flash_attention_forward");
    add_boxed<flash_attention_forward>(aten_cuda, "_flash_attention_forward.quantized");
    add_boxed<flash_attention_forward_inplace>(aten_cuda,
                                               "_flash_attention_forward_no_dropout_inplace");
    add_boxed<flash_attention_backward>(aten_cuda, "_flash_attention_backward");
    add_boxed<scaled_dot_product_flash>(aten_cuda, "_scaled_dot_product_flash_attention");
    add_boxed<scaled_dot_product_flash>(aten_cuda, "_scaled_dot_product_flash_attention.quantized");
    add_boxed<scaled_dot_product_flash_backward>(aten_cuda,
                                                 "_scaled_dot_product_flash_attention_backward");
}

} // namespace cupipe

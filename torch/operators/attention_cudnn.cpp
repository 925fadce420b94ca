/* SPDX-License-Identifier: MIT */
/* Attention of cuDNN: aten::_cudnn_attention_*, aten::_scaled_dot_product_cudnn_attention*.
 *
 * Results have the order of dimensions of the query. A causal mask is aligned with the first key.
 * Dropout draws as the memory-efficient kernels do; cuDNN's own order is not public. */
#include "../random/generator.h"
#include "arguments.h"
#include "attention_dropout.h"
#include "attention_math.h"
#include "host_work.h"
#include "operators.h"

#include <ATen/ATen.h>
#include <algorithm>
#include <cmath>
#include <numeric>

namespace cupipe
{

namespace
{

constexpr double infinity = std::numeric_limits<double>::infinity();

/* The call on tensors of the host: dense (batch, heads, length, width), or packed (all lengths,
 * heads, width). */
struct cudnn_call {
    at::Tensor query, key, value, bias;
    at::Tensor query_starts, key_starts, key_lengths, pages;
    bool causal = false;
    double scale = 1, dropout_p = 0;
};

cudnn_call read_call(const arguments &args, host_work &work)
{
    cudnn_call call;
    at::Tensor starts = args.tensor("cum_seq_q");

    call.query = work.reads(args.tensor("query"));
    call.key = work.reads(args.tensor("key"));
    call.value = work.reads(args.tensor("value"));
    call.bias = work.reads(args.tensor("attn_bias"));
    if (starts.defined() && starts.numel() > 0) {
        call.query_starts = work.reads(starts);
        call.key_starts = work.reads(args.tensor("cum_seq_k"));
    }
    call.key_lengths = work.reads(args.tensor("seqused_k"));
    call.pages = work.reads(args.tensor("block_table"));
    call.causal = args.flag("is_causal");
    call.dropout_p = args.number("dropout_p");
    call.scale = args.number("scale", 1 / std::sqrt((double)call.query.size(-1)));
    TORCH_CHECK(!call.bias.defined() || (call.bias.dim() >= 2 && call.bias.dim() <= 4),
                "cuDNN SDPA expects either a 2D, 3D, or 4D attn_bias but got ", call.bias.dim(),
                "D");
    TORCH_CHECK(!call.pages.defined(),
                "cuDNN attention over pages of keys (block_table) is not supported by cupipe; use "
                "flash attention");
    return call;
}

attention_inputs inputs_of(const cudnn_call &call, const at::Tensor &query, const at::Tensor &key,
                           const at::Tensor &value, cup_philox start)
{
    attention_inputs inputs;
    int64_t heads = query.size(1), queries = query.size(2), keys = key.size(2);

    inputs.query = query;
    inputs.key = key;
    inputs.value = value;
    inputs.bias = call.bias;
    inputs.scale = call.scale;
    inputs.dropout_p = call.dropout_p;
    if (call.causal)
        inputs.window.after = 0;
    if (call.dropout_p > 0)
        inputs.keep = [=, p = call.dropout_p](int64_t batch) {
            return efficient_keep(start, p, batch, heads, queries, keys);
        };
    return inputs;
}

/* Sequence `batch` of a packed tensor, as (1, heads, length, width). */
at::Tensor sequence(const at::Tensor &tensor, const at::Tensor &starts, int64_t batch)
{
    at::Tensor wide = starts.to(at::kLong);
    const int64_t *first = wide.const_data_ptr<int64_t>();

    return tensor.slice(0, first[batch], first[batch + 1]).transpose(0, 1).unsqueeze(0);
}

template <typename function>
void for_each_sequence(const cudnn_call &call, cup_philox start, function each)
{
    for (int64_t batch = 0; batch + 1 < call.query_starts.size(0); batch++) {
        at::Tensor query = sequence(call.query, call.query_starts, batch);
        at::Tensor key = sequence(call.key, call.key_starts, batch);
        at::Tensor value = sequence(call.value, call.key_starts, batch);

        if (call.key_lengths.defined()) {
            int64_t length = call.key_lengths[batch].item<int64_t>();

            key = key.slice(2, 0, length);
            value = value.slice(2, 0, length);
        }
        if (query.size(2) > 0)
            each(inputs_of(call, query, key, value, start), batch);
        start.offset += (uint64_t)(query.size(1) * query.size(2) * key.size(2));
    }
}

/* `sums` is (batch, heads, queries, 1), or (all queries, heads, 1). */
void run_forward(const cudnn_call &call, cup_philox start, const at::Tensor &out,
                 const at::Tensor &sums)
{
    if (!call.query_starts.defined()) {
        attention_forward(inputs_of(call, call.query, call.key, call.value, start), out,
                          sums.defined() ? sums.squeeze(-1) : sums, -infinity);
        return;
    }
    for_each_sequence(call, start, [&](const attention_inputs &inputs, int64_t batch) {
        attention_forward(inputs, sequence(out, call.query_starts, batch),
                          sums.defined() ? sequence(sums, call.query_starts, batch).squeeze(-1)
                                         : sums,
                          -infinity);
    });
}

/* A new tensor with these sizes and the order of dimensions of `like`. */
at::Tensor empty_ordered(const at::Tensor &like, at::IntArrayRef sizes)
{
    std::vector<int64_t> order(sizes.size());

    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](int64_t a, int64_t b) { return like.stride(a) > like.stride(b); });
    return at::empty_permuted(sizes, order, like.options());
}

struct cudnn_results {
    at::Tensor out, sums, seed, offset;
};

cudnn_results cudnn_forward(arguments &args, bool wants_sums, at::Tensor out = {})
{
    host_work work(args.op());
    cudnn_call call = read_call(args, work);
    at::Tensor query = args.tensor("query");
    std::vector<int64_t> sizes = query.sizes().vec();
    at::TensorOptions options = query.options();
    bool packed = call.query_starts.defined();
    philox_input random;
    cudnn_results made;

    sizes.back() = call.value.size(-1);
    made.out = out.defined() ? out : empty_ordered(query, sizes);
    sizes.back() = 1;
    if (wants_sums)
        made.sums = at::empty(sizes, options.dtype(at::kFloat));
    made.seed = at::empty({}, options.dtype(at::kLong));
    made.offset = at::empty({}, options.dtype(at::kLong));
    if (call.dropout_p > 0)
        random =
            philox_input(query.device(),
                         packed ? (call.query_starts.size(0) - 1) * query.size(1) *
                                      args.integer("max_q") * args.integer("max_k")
                                : query.size(0) * query.size(1) * query.size(2) * call.key.size(2));
    work.submit([=, out = work.writes(made.out), sums = work.writes(made.sums),
                 seed = work.writes(made.seed), offset = work.writes(made.offset)] {
        cup_philox start = random.read();

        run_forward(call, start, out, sums);
        seed.fill_((int64_t)start.seed);
        offset.fill_((int64_t)start.offset);
    });
    return made;
}

void cudnn_backward(arguments &args)
{
    host_work work(args.op());
    cudnn_call call = read_call(args, work);
    at::Tensor query = at::empty_like(args.tensor("query"));
    at::Tensor key = at::empty_like(args.tensor("key"));
    at::Tensor value = at::empty_like(args.tensor("value"));
    attention_gradients into = {work.writes(query), work.writes(key), work.writes(value), {}};

    work.submit([=, grad = work.reads(args.tensor("grad_out")),
                 out = work.reads(args.tensor("out")), sums = work.reads(args.tensor("logsumexp")),
                 seed = work.reads(args.tensor("philox_seed")),
                 offset = work.reads(args.tensor("philox_offset"))] {
        cup_philox start = {};

        if (call.dropout_p > 0)
            start = philox_start_of(seed, offset);
        if (!call.query_starts.defined()) {
            attention_backward(inputs_of(call, call.query, call.key, call.value, start), grad, out,
                               sums.squeeze(-1), into);
            return;
        }
        for_each_sequence(call, start, [&](const attention_inputs &inputs, int64_t batch) {
            attention_backward(inputs, sequence(grad, call.query_starts, batch),
                               sequence(out, call.query_starts, batch),
                               sequence(sums, call.query_starts, batch).squeeze(-1),
                               {sequence(into.query, call.query_starts, batch),
                                sequence(into.key, call.key_starts, batch),
                                sequence(into.value, call.key_starts, batch),
                                {}});
        });
    });
    args.give(query, key, value);
}

void attention_forward_boxed(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
    arguments args(op, stack);
    at::Tensor query_starts = args.tensor("cum_seq_q"), key_starts = args.tensor("cum_seq_k");
    at::Tensor query = args.tensor("query"), key = args.tensor("key");
    bool dense = query.dim() == 4;
    int64_t queries = args.integer("max_q", dense ? query.size(2) : 0);
    int64_t keys = args.integer("max_k", dense ? key.size(2) : 0);
    cudnn_results made = cudnn_forward(args, args.flag("compute_log_sumexp"));

    args.give(made.out, made.sums, query_starts, key_starts, queries, keys, made.seed, made.offset,
              at::Tensor());
}

void attention_inplace_boxed(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
    arguments args(op, stack);

    args.give(cudnn_forward(args, true, args.tensor("out")).sums);
}

void attention_backward_boxed(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
    arguments args(op, stack);

    cudnn_backward(args);
}

} // namespace

void register_cudnn_attention(torch::Library &aten_cuda)
{
    add_boxed<attention_forward_boxed>(aten_cuda, "_cudnn_attention_forward");
    add_boxed<attention_forward_boxed>(aten_cuda, "_scaled_dot_product_cudnn_attention");
    add_boxed<attention_inplace_boxed>(aten_cuda, "_cudnn_attention_forward_no_dropout_inplace");
    add_boxed<attention_backward_boxed>(aten_cuda, "_cudnn_attention_backward");
    add_boxed<attention_backward_boxed>(aten_cuda, "_scaled_dot_product_cudnn_attention_backward");
}

} // namespace cupipe

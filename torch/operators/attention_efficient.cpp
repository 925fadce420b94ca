/* SPDX-License-Identifier: MIT */
/* Memory-efficient attention: aten::_efficient_attention_*,
 * aten::_scaled_dot_product_efficient_attention*, aten::_fill_mem_eff_dropout_mask_.
 *
 * Tensors are (batch, length, heads, width). The logarithms of the sums are padded to a multiple of
 * 32 queries with infinity; that of a query that sees no key is 0. */
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

enum mask_type { MASK_NONE, MASK_CAUSAL_FIRST, MASK_CAUSAL_LAST };

/* The call on tensors of the host, which are (batch, heads, length, width). */
struct efficient {
    at::Tensor query, key, value, bias;
    at::Tensor query_starts, key_starts, key_lengths;
    int64_t mask = MASK_NONE, window = 0, most_queries = 0, most_keys = 0;
    double scale = 1, dropout_p = 0;
};

/* `dense` tells that the tensors of the call are (batch, heads, length, width). */
efficient read_efficient(const arguments &args, host_work &work, bool dense)
{
    efficient call;
    auto view = [&](const char *name) {
        at::Tensor tensor = work.reads(args.tensor(name));

        return dense ? tensor : tensor.transpose(1, 2);
    };

    call.query = view("query");
    call.key = view("key");
    call.value = view("value");
    call.bias = work.reads(args.tensor(dense ? "attn_bias" : "bias"));
    call.query_starts = work.reads(args.tensor("cu_seqlens_q"));
    call.key_starts = work.reads(args.tensor("cu_seqlens_k"));
    call.key_lengths = work.reads(args.tensor("seqlen_k"));
    call.mask = args.integer("custom_mask_type", MASK_NONE);
    if (args.flag("is_causal"))
        call.mask = MASK_CAUSAL_FIRST;
    call.window = args.integer("window_size");
    call.most_queries = args.integer("max_seqlen_q", call.query.size(2));
    call.most_keys = args.integer("max_seqlen_k", call.key.size(2));
    call.dropout_p = args.number("dropout_p");
    call.scale = args.number("scale", 1 / std::sqrt((double)call.query.size(3)));
    if (call.bias.defined() && call.bias.numel() == 0)
        call.bias = at::Tensor();
    if (!call.query_starts.defined()) {
        call.most_queries = call.query.size(2);
        call.most_keys = call.key.size(2);
    }
    return call;
}

void check_efficient(const efficient &call)
{
    at::ScalarType type = call.query.scalar_type();

    TORCH_CHECK(type == at::kFloat || type == at::kHalf || type == at::kBFloat16,
                "Expected query to have dtype float, half or bfloat16, but got ", type);
    TORCH_CHECK(call.key.scalar_type() == type && call.value.scalar_type() == type,
                "Expected query, key and value to have the same dtype, but got ", type, ", ",
                call.key.scalar_type(), " and ", call.value.scalar_type());
    TORCH_CHECK(call.query.dim() == 4, "query must have 4 dimensions, but has ", call.query.dim());
    /* A key may serve several heads of queries: newer versions of torch leave it unrepeated. */
    TORCH_CHECK(call.key.size(1) > 0 && call.query.size(1) % call.key.size(1) == 0 &&
                    call.key.size(1) == call.value.size(1),
                "Expected query.size(2) == key.size(2) to be true, but got false: query, key and "
                "value have ",
                call.query.size(1), ", ", call.key.size(1), " and ", call.value.size(1), " heads");
    TORCH_CHECK(call.query.size(3) == call.key.size(3),
                "Expected query.size(3) == key.size(3) to be true, but got false: ",
                call.query.size(3), " and ", call.key.size(3));
    TORCH_CHECK(call.key.size(2) == call.value.size(2),
                "Expected key.size(1) == value.size(1) to be true, but got false: ",
                call.key.size(2), " and ", call.value.size(2));
    TORCH_CHECK(!call.query_starts.defined() || !call.bias.defined(),
                "cu seqlen + bias not supported");
    TORCH_CHECK(call.query_starts.defined() == call.key_starts.defined(),
                "cu_seqlens_q and cu_seqlens_k must both be given, or none");
    TORCH_CHECK(!call.query_starts.defined() || call.query.size(0) == 1,
                "cu_seqlens only supports batch_size=1");
}

int64_t batches_of(const efficient &call)
{
    return call.query_starts.defined() ? call.query_starts.size(0) - 1 : call.query.size(0);
}

attention_inputs inputs_of(const efficient &call, const at::Tensor &query, const at::Tensor &key,
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
    inputs.window.shift = call.mask == MASK_CAUSAL_LAST ? keys - queries : 0;
    if (call.mask != MASK_NONE)
        inputs.window.after = 0;
    if (call.window > 0)
        inputs.window.before = call.window - 1;
    if (call.dropout_p > 0)
        inputs.keep = [=, p = call.dropout_p](int64_t batch) {
            return efficient_keep(start, p, batch, heads, queries, keys);
        };
    return inputs;
}

at::Tensor sequence(const at::Tensor &tensor, const at::Tensor &starts, int64_t batch)
{
    const int32_t *first = starts.const_data_ptr<int32_t>();

    return tensor.slice(2, first[batch], first[batch + 1]);
}

/* Calls `each` with the inputs of a batch and its number; a dense batch is one call. */
template <typename function>
void for_each_part(const efficient &call, cup_philox start, function each)
{
    int64_t step = call.query.size(1) * call.most_queries * call.most_keys;

    if (!call.query_starts.defined()) {
        each(inputs_of(call, call.query, call.key, call.value, start), 0);
        return;
    }
    for (int64_t batch = 0; batch < batches_of(call); batch++) {
        at::Tensor key = sequence(call.key, call.key_starts, batch);
        at::Tensor value = sequence(call.value, call.key_starts, batch);
        at::Tensor query = sequence(call.query, call.query_starts, batch);

        if (call.key_lengths.defined()) {
            int64_t length = call.key_lengths.const_data_ptr<int32_t>()[batch];

            key = key.slice(2, 0, length);
            value = value.slice(2, 0, length);
        }
        if (query.size(2) > 0)
            each(inputs_of(call, query, key, value, start), batch);
        start.offset += (uint64_t)step;
    }
}

void run_forward(const efficient &call, cup_philox start, const at::Tensor &out,
                 const at::Tensor &sums)
{
    bool packed = call.query_starts.defined();

    if (sums.defined())
        sums.fill_(infinity);
    for_each_part(call, start, [&](const attention_inputs &inputs, int64_t batch) {
        at::Tensor part = sums;

        if (part.defined())
            part =
                (packed ? part.slice(0, batch, batch + 1) : part).slice(2, 0, inputs.query.size(2));
        attention_forward(inputs, packed ? sequence(out, call.query_starts, batch) : out, part, 0);
    });
}

struct efficient_results {
    at::Tensor out, sums, seed, offset;
    int64_t most_queries, most_keys;
};

/* Seed and offset are on the host, but on the device in a captured graph, which changes them. */
void give_place(efficient_results &made, const philox_input &random, bool drops)
{
    bool captured = drops && random.captured();
    cup_philox start = drops && !captured ? random.read() : cup_philox();
    at::TensorOptions options = made.out.options().dtype(at::kLong);

    made.seed =
        captured ? at::empty({}, options) : at::scalar_tensor((int64_t)start.seed, at::kLong);
    made.offset =
        captured ? at::empty({}, options) : at::scalar_tensor((int64_t)start.offset, at::kLong);
}

efficient_results efficient_forward(arguments &args, bool dense)
{
    host_work work(args.op());
    efficient call = read_efficient(args, work, dense);
    at::TensorOptions options = args.tensor("query").options();
    int64_t batches = batches_of(call), heads = call.query.size(1);
    bool wants_sums = args.flag("compute_log_sumexp"), drops = call.dropout_p > 0;
    efficient_results made = {};
    philox_input random;

    check_efficient(call);
    made.out =
        at::empty({call.query.size(0), call.query.size(2), heads, call.value.size(3)}, options);
    made.sums = at::empty({batches, heads, wants_sums ? (call.most_queries + 31) / 32 * 32 : 0},
                          options.dtype(at::kFloat));
    made.most_queries = call.most_queries;
    made.most_keys = call.most_keys;
    if (drops)
        random =
            philox_input(options.device(), batches * heads * call.most_queries * call.most_keys);
    give_place(made, random, drops);
    work.submit([=, out = work.writes(made.out).transpose(1, 2),
                 sums = wants_sums ? work.writes(made.sums) : at::Tensor(),
                 seed = drops && random.captured() ? work.writes(made.seed) : at::Tensor(),
                 offset = drops && random.captured() ? work.writes(made.offset) : at::Tensor()] {
        cup_philox start = random.read();

        run_forward(call, start, out, sums);
        if (seed.defined()) {
            seed.fill_((int64_t)start.seed);
            offset.fill_((int64_t)start.offset);
        }
    });
    return made;
}

void run_backward(const efficient &call, cup_philox start, const at::Tensor &grad_out,
                  const at::Tensor &out, const at::Tensor &sums,
                  const attention_gradients &gradients)
{
    bool packed = call.query_starts.defined();

    if (packed)
        for (const at::Tensor &gradient : {gradients.query, gradients.key, gradients.value})
            gradient.zero_();
    for_each_part(call, start, [&](const attention_inputs &inputs, int64_t batch) {
        auto queries = [&](const at::Tensor &tensor) {
            return packed ? sequence(tensor, call.query_starts, batch) : tensor;
        };
        auto keys = [&](const at::Tensor &tensor) {
            return packed ? sequence(tensor, call.key_starts, batch).slice(2, 0, inputs.key.size(2))
                          : tensor;
        };
        at::Tensor part = packed ? sums.slice(0, batch, batch + 1) : sums;

        attention_backward(
            inputs, queries(grad_out), queries(out), part.slice(2, 0, inputs.query.size(2)),
            {queries(gradients.query), keys(gradients.key), keys(gradients.value), gradients.bias});
    });
}

/* A gradient of the shape of the bias, whose rows begin at multiples of 16 elements. */
at::Tensor new_bias_gradient(const at::Tensor &bias)
{
    std::vector<int64_t> sizes = bias.sizes().vec();
    int64_t last = sizes.back();

    sizes.back() = (last + 15) / 16 * 16;
    return at::empty(sizes, bias.options()).slice(-1, 0, last);
}

void efficient_backward(arguments &args, bool dense, bool wants_bias)
{
    host_work work(args.op());
    efficient call = read_efficient(args, work, dense);
    at::TensorOptions options = args.tensor("query").options();
    at::Tensor made[4];
    const at::Tensor *like[3] = {&call.query, &call.key, &call.value};
    at::Tensor seed = args.tensor("philox_seed"), offset = args.tensor("philox_offset");

    check_efficient(call);
    TORCH_CHECK(!wants_bias || call.bias.defined(),
                "bias_requires_grad is true but no bias was provided");
    for (int i = 0; i < 3; i++)
        made[i] = at::empty(
            {like[i]->size(0), like[i]->size(2), like[i]->size(1), like[i]->size(3)}, options);
    if (wants_bias)
        made[3] = new_bias_gradient(args.tensor(dense ? "attn_bias" : "bias"));

    auto view = [dense](const at::Tensor &tensor) {
        return dense ? tensor : tensor.transpose(1, 2);
    };
    attention_gradients gradients = {work.writes(made[0]).transpose(1, 2),
                                     work.writes(made[1]).transpose(1, 2),
                                     work.writes(made[2]).transpose(1, 2), work.writes(made[3])};

    work.submit([=, grad_out = view(work.reads(args.tensor("grad_out_"))),
                 out = view(work.reads(args.tensor("out"))),
                 sums = work.reads(args.tensor("logsumexp")), seed = work.reads(seed),
                 offset = work.reads(offset)] {
        cup_philox start = {};

        if (call.dropout_p > 0)
            start = philox_start_of(seed, offset);
        run_backward(call, start, grad_out, out, sums, gradients);
    });
    if (dense)
        args.give(made[0].transpose(1, 2), made[1].transpose(1, 2), made[2].transpose(1, 2),
                  made[3]);
    else
        args.give(made[0], made[1], made[2], made[3]);
}

void efficient_attention_forward(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
    arguments args(op, stack);
    efficient_results made = efficient_forward(args, false);

    args.give(made.out, made.sums, made.seed, made.offset, made.most_queries, made.most_keys);
}

void efficient_attention_backward(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
    arguments args(op, stack);

    efficient_backward(args, false, args.flag("bias_requires_grad"));
}

void scaled_dot_product_efficient(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
    arguments args(op, stack);
    efficient_results made = efficient_forward(args, true);

    args.give(made.out.transpose(1, 2), made.sums, made.seed, made.offset);
}

/* Autograd calls this with an undefined gradient when no result is used. */
void scaled_dot_product_efficient_backward(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
    arguments args(op, stack);

    if (!args.tensor("grad_out_").defined())
        args.give(at::Tensor(), at::Tensor(), at::Tensor(), at::Tensor());
    else
        efficient_backward(args, true, args.flags("grad_input_mask")[3]);
}

void fill_dropout_mask(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
    arguments args(op, stack);
    host_work work(op);
    at::Tensor self = args.tensor("self");
    cup_philox start = {(uint64_t)args.integer("seed"), (uint64_t)args.integer("offset")};

    TORCH_CHECK(self.scalar_type() == at::kFloat, "the mask must be float, but is ",
                self.scalar_type());
    work.submit([=, into = work.writes(self)] { fill_uniform(start, into); });
    args.give(self);
}

} // namespace

void register_efficient_attention(torch::Library &aten_cuda)
{
    add_boxed<efficient_attention_forward>(aten_cuda, "_efficient_attention_forward");
    add_boxed<efficient_attention_backward>(aten_cuda, "_efficient_attention_backward");
    add_boxed<scaled_dot_product_efficient>(aten_cuda, "_scaled_dot_product_efficient_attention");
    add_boxed<scaled_dot_product_efficient_backward>(
        aten_cuda, "_scaled_dot_product_efficient_attention_backward");
    add_boxed<fill_dropout_mask>(aten_cuda, "_fill_mem_eff_dropout_mask_");
}

} // namespace cupipe

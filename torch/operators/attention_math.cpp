/* SPDX-License-Identifier: MIT */
/* Attention on CPU tensors. torch's flash kernel for the CPU computes what it can; the rest is
 * products of matrices, one batch at a time, in float for half precision. */
#include "attention_math.h"

#include "host_work.h"

#include <ATen/ATen.h>
#include <cmath>

namespace cupipe
{

namespace
{

constexpr double infinity = std::numeric_limits<double>::infinity();

/* How the limits of a window stand to queries and keys: nothing is hidden, only later keys are, or
 * something else. */
enum class window_kind { open, causal, other };

window_kind classify(const attention_inputs &inputs)
{
    const attention_window &window = inputs.window;
    int64_t queries = inputs.query.size(2), keys = inputs.key.size(2);

    if (window.before < queries - 1 + window.shift)
        return window_kind::other;
    if (window.shift + window.after >= keys - 1)
        return window_kind::open;
    return window.shift + window.after == 0 ? window_kind::causal : window_kind::other;
}

/* Keys and values with one head for each head of the query. */
at::Tensor repeat_heads(const at::Tensor &tensor, int64_t heads)
{
    if (tensor.size(1) == heads)
        return tensor;
    return tensor.repeat_interleave(heads / tensor.size(1), 1);
}

/* Adds up the gradients of heads that share a key. */
at::Tensor join_heads(const at::Tensor &gradient, int64_t heads)
{
    if (gradient.size(1) == heads)
        return gradient;
    return gradient.unflatten(1, {heads, gradient.size(1) / heads}).sum(2);
}

bool flash_computes(const attention_inputs &inputs)
{
    window_kind kind = classify(inputs);
    bool bias = inputs.bias.defined();

    return !inputs.keep && kind != window_kind::other && inputs.query.size(2) > 0 &&
           inputs.key.size(2) > 0 && inputs.query.size(0) > 0 &&
           inputs.query.size(3) == inputs.value.size(3) &&
           !(bias && (kind == window_kind::causal || inputs.bias.dim() != 4 ||
                      inputs.bias.scalar_type() == at::kBool));
}

at::Tensor hidden_keys(const attention_inputs &inputs)
{
    const attention_window &window = inputs.window;
    at::Tensor key = at::arange(inputs.key.size(2)).unsqueeze(0);
    at::Tensor query = at::arange(inputs.query.size(2)).unsqueeze(1) + window.shift;

    return (key < query - window.before).logical_or_(key > query + window.after);
}

/* scale query keyT + bias of one batch, with -infinity for hidden keys. */
at::Tensor scores_of(const attention_inputs &inputs, int64_t batch, const at::Tensor &hidden,
                     at::ScalarType type)
{
    at::Tensor query = inputs.query[batch].to(type);
    at::Tensor key = inputs.key.slice(0, batch, batch + 1);
    at::Tensor scores;

    key = repeat_heads(key, inputs.query.size(1))[0].to(type);
    scores = at::bmm(query * inputs.scale, key.transpose(1, 2));
    if (inputs.bias.defined()) {
        at::Tensor bias = inputs.bias.dim() == 4 ? inputs.bias[inputs.bias.size(0) == 1 ? 0 : batch]
                                                 : inputs.bias;

        if (bias.scalar_type() == at::kBool)
            scores.masked_fill_(bias.logical_not(), -infinity);
        else
            scores.add_(bias.to(type));
    }
    if (hidden.defined())
        scores.masked_fill_(hidden, -infinity);
    return scores;
}

/* exp(scores - logsumexp), and 0 for queries that see no key. */
at::Tensor probabilities_of(const at::Tensor &scores, const at::Tensor &logsumexp)
{
    at::Tensor blind = logsumexp.isinf().unsqueeze(-1);

    return (scores - logsumexp.unsqueeze(-1)).exp_().masked_fill_(blind, 0);
}

/* The bias in the type of the query. */
std::optional<at::Tensor> bias_of(const attention_inputs &inputs)
{
    if (!inputs.bias.defined())
        return std::nullopt;
    return inputs.bias.to(inputs.query.scalar_type());
}

void forward_by_flash(const attention_inputs &inputs, const at::Tensor &out,
                      const at::Tensor &logsumexp)
{
    int64_t heads = inputs.query.size(1);
    auto [result, sums] = at::_scaled_dot_product_flash_attention_for_cpu(
        inputs.query, repeat_heads(inputs.key, heads), repeat_heads(inputs.value, heads), 0,
        classify(inputs) == window_kind::causal, bias_of(inputs), inputs.scale);

    out.copy_(result);
    if (logsumexp.defined())
        logsumexp.copy_(sums);
}

void forward_by_products(const attention_inputs &inputs, const at::Tensor &out,
                         const at::Tensor &logsumexp)
{
    at::ScalarType type = accumulate_type(inputs.query.scalar_type());
    int64_t heads = inputs.query.size(1);
    at::Tensor hidden;

    if (classify(inputs) != window_kind::open)
        hidden = hidden_keys(inputs);
    for (int64_t batch = 0; batch < inputs.query.size(0); batch++) {
        at::Tensor scores = scores_of(inputs, batch, hidden, type);
        at::Tensor sums = scores.logsumexp(-1);
        at::Tensor weights = probabilities_of(scores, sums);
        at::Tensor value = repeat_heads(inputs.value.slice(0, batch, batch + 1), heads)[0];

        if (inputs.keep)
            weights = weights.mul_(inputs.keep(batch)).div_(1 - inputs.dropout_p);
        out[batch].copy_(at::bmm(weights, value.to(type)));
        if (logsumexp.defined())
            logsumexp[batch].copy_(sums);
    }
}

/* The sum of a gradient over the dimensions in which the bias was broadcast. */
void add_bias_gradient(const at::Tensor &gradient, const at::Tensor &scores_gradient, int64_t batch)
{
    at::Tensor into = gradient.dim() == 4 ? gradient[gradient.size(0) == 1 ? 0 : batch] : gradient;

    into.add_(scores_gradient.sum_to_size(into.sizes()));
}

void backward_by_products(const attention_inputs &inputs, const at::Tensor &grad_out,
                          const at::Tensor &out, const at::Tensor &logsumexp,
                          const attention_gradients &gradients)
{
    at::ScalarType type = accumulate_type(inputs.query.scalar_type());
    int64_t heads = inputs.query.size(1), key_heads = inputs.key.size(1);
    at::Tensor hidden, bias_gradient;

    if (classify(inputs) != window_kind::open)
        hidden = hidden_keys(inputs);
    if (gradients.bias.defined())
        bias_gradient = at::zeros(gradients.bias.sizes(), type);
    for (int64_t batch = 0; batch < inputs.query.size(0); batch++) {
        at::Tensor query = inputs.query[batch].to(type), grad = grad_out[batch].to(type);
        at::Tensor key = repeat_heads(inputs.key.slice(0, batch, batch + 1), heads)[0].to(type);
        at::Tensor value = repeat_heads(inputs.value.slice(0, batch, batch + 1), heads)[0];
        at::Tensor scores = scores_of(inputs, batch, hidden, type);
        at::Tensor weights = probabilities_of(scores, logsumexp[batch].to(type));
        at::Tensor inner = at::bmm(grad, value.to(type).transpose(1, 2));
        at::Tensor kept = weights;

        if (inputs.keep) {
            at::Tensor factor = inputs.keep(batch).to(type).div_(1 - inputs.dropout_p);

            kept = weights * factor;
            inner.mul_(factor);
        }
        inner.sub_((grad * out[batch].to(type)).sum(-1, true)).mul_(weights);
        gradients.query[batch].copy_(at::bmm(inner, key).mul_(inputs.scale));
        gradients.key[batch].copy_(
            join_heads(at::bmm(inner.transpose(1, 2), query).unsqueeze(0), key_heads)[0].mul_(
                inputs.scale));
        gradients.value[batch].copy_(
            join_heads(at::bmm(kept.transpose(1, 2), grad).unsqueeze(0), inputs.value.size(1))[0]);
        if (bias_gradient.defined())
            add_bias_gradient(bias_gradient, inner, batch);
    }
    if (bias_gradient.defined())
        gradients.bias.copy_(bias_gradient);
}

void backward_by_flash(const attention_inputs &inputs, const at::Tensor &grad_out,
                       const at::Tensor &out, const at::Tensor &logsumexp,
                       const attention_gradients &gradients)
{
    int64_t heads = inputs.query.size(1);
    auto [query, key, value] = at::_scaled_dot_product_flash_attention_for_cpu_backward(
        grad_out, inputs.query, repeat_heads(inputs.key, heads), repeat_heads(inputs.value, heads),
        out, logsumexp, 0, classify(inputs) == window_kind::causal, bias_of(inputs), inputs.scale);

    gradients.query.copy_(query);
    gradients.key.copy_(join_heads(key, inputs.key.size(1)));
    gradients.value.copy_(join_heads(value, inputs.value.size(1)));
}

} // namespace

at::Tensor attention_weights(const attention_inputs &inputs, int64_t batch)
{
    at::ScalarType type = accumulate_type(inputs.query.scalar_type());
    at::Tensor scores = scores_of(inputs, batch, hidden_keys(inputs), type);

    return probabilities_of(scores, scores.logsumexp(-1));
}

void attention_forward(const attention_inputs &inputs, const at::Tensor &out,
                       const at::Tensor &logsumexp, double nothing)
{
    if (flash_computes(inputs))
        forward_by_flash(inputs, out, logsumexp);
    else
        forward_by_products(inputs, out, logsumexp);
    if (logsumexp.defined() && nothing != -infinity)
        logsumexp.masked_fill_(logsumexp == -infinity, nothing);
}

void attention_backward(const attention_inputs &inputs, const at::Tensor &grad_out,
                        const at::Tensor &out, const at::Tensor &logsumexp,
                        const attention_gradients &gradients)
{
    /* The flash kernel has no gradient of the bias, and none for queries that see no key. */
    if (flash_computes(inputs) && !inputs.bias.defined())
        backward_by_flash(inputs, grad_out, out, logsumexp, gradients);
    else
        backward_by_products(inputs, grad_out, out, logsumexp, gradients);
}

} // namespace cupipe

/* SPDX-License-Identifier: MIT */
/* Attention on CPU tensors: softmax(scale query keyT + bias) value, with masks, dropout and groups
 * of queries that share a key.
 *
 * All fused forms of the card are this with different layouts, which their own files know. */
#ifndef CUPIPE_TORCH_OPERATORS_ATTENTION_MATH_H
#define CUPIPE_TORCH_OPERATORS_ATTENTION_MATH_H

#include <ATen/core/Tensor.h>
#include <functional>
#include <limits>

namespace cupipe
{

/* Query i sees key j if i + shift - before <= j <= i + shift + after. */
struct attention_window {
    static constexpr int64_t unlimited = std::numeric_limits<int64_t>::max() / 4;

    int64_t shift = 0;
    int64_t before = unlimited;
    int64_t after = unlimited;
};

struct attention_inputs {
    at::Tensor query, key, value; /* (batch, heads, length, width); a key may serve several heads */
    at::Tensor bias;              /* broadcasts to (batch, heads, queries, keys), or undefined */
    attention_window window;
    double scale = 1;
    double dropout_p = 0;
    /* Tells with `true` which elements dropout keeps: (heads, queries, keys) of one batch. */
    std::function<at::Tensor(int64_t batch)> keep;
};

/* Results have the shapes (batch, heads, queries, width) and (batch, heads, queries); `logsumexp`
 * may be undefined. A query that sees no key has the result 0 and the logarithm `nothing`. */
void attention_forward(const attention_inputs &inputs, const at::Tensor &out,
                       const at::Tensor &logsumexp, double nothing);

/* What the softmax gives for one batch, before dropout: (heads, queries, keys). */
at::Tensor attention_weights(const attention_inputs &inputs, int64_t batch);

struct attention_gradients {
    at::Tensor query, key, value;
    at::Tensor bias; /* undefined if nobody wants it */
};

void attention_backward(const attention_inputs &inputs, const at::Tensor &grad_out,
                        const at::Tensor &out, const at::Tensor &logsumexp,
                        const attention_gradients &gradients);

} // namespace cupipe

#endif

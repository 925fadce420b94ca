/* SPDX-License-Identifier: MIT */
/* The forward and backward variables of a sequence are logarithms in f64. The extended label has a
 * blank before, between and behind the symbols. */
#include "ctc.h"

#include "array.h"

#include <math.h>
#include <stdlib.h>

struct sequence {
    int64_t steps, states, symbols;
    const int *label;
    double *logs;           /* [steps][symbols]: logarithms of probabilities */
    double *before, *after; /* [steps][states] */
};

static double add_logs(double a, double b)
{
    double most = a > b ? a : b;

    return most == -INFINITY ? -INFINITY : most + log1p(exp(-fabs(a - b)));
}

static int64_t symbol_of(const struct sequence *s, int64_t state)
{
    return state % 2 ? s->label[state / 2] : 0;
}

/* A symbol may follow another without a blank if they differ. */
static bool may_skip(const struct sequence *s, int64_t state)
{
    return state >= 2 && state % 2 && s->label[state / 2] != s->label[state / 2 - 1];
}

/* Paths that end in each state at each step. */
static void go_forward(struct sequence *s)
{
    for (int64_t t = 0; t < s->steps; t++)
        for (int64_t i = 0; i < s->states; i++) {
            const double *last = s->before + (t - 1) * s->states;
            double sum = -INFINITY;

            if (t == 0) {
                sum = i < 2 ? 0 : -INFINITY;
            } else {
                sum = last[i];
                if (i > 0)
                    sum = add_logs(sum, last[i - 1]);
                if (may_skip(s, i))
                    sum = add_logs(sum, last[i - 2]);
            }
            s->before[t * s->states + i] = sum + s->logs[t * s->symbols + symbol_of(s, i)];
        }
}

/* Paths that go on from each state, without the symbol of the step itself. */
static void go_backward(struct sequence *s)
{
    for (int64_t t = s->steps - 1; t >= 0; t--)
        for (int64_t i = 0; i < s->states; i++) {
            const double *next = s->after + (t + 1) * s->states;
            const double *logs = s->logs + (t + 1) * s->symbols;
            double sum;

            if (t == s->steps - 1) {
                s->after[t * s->states + i] = i >= s->states - 2 ? 0 : -INFINITY;
                continue;
            }
            sum = next[i] + logs[symbol_of(s, i)];
            if (i + 1 < s->states)
                sum = add_logs(sum, next[i + 1] + logs[symbol_of(s, i + 1)]);
            if (i + 2 < s->states && may_skip(s, i + 2))
                sum = add_logs(sum, next[i + 2] + logs[symbol_of(s, i + 2)]);
            s->after[t * s->states + i] = sum;
        }
}

/* The logarithm of the probability of the label. */
static double total_of(const struct sequence *s)
{
    const double *last = s->before + (s->steps - 1) * s->states;

    return s->states > 1 ? add_logs(last[s->states - 1], last[s->states - 2]) : last[0];
}

static void fill_logs(const struct dnn_ctc *op, struct sequence *s, const struct dnn_array *x,
                      int64_t n)
{
    int64_t batch = op->x.dims[1];

    for (int64_t t = 0; t < s->steps; t++) {
        int64_t row = (t * batch + n) * s->symbols;
        double most = -INFINITY, sum = 0;

        for (int64_t k = 0; k < s->symbols; k++) {
            double each = dnn_number(x, row + k);
            most = each > most ? each : most; /* GCC 12 fails to compile fmax() here for aarch64 */
        }
        for (int64_t k = 0; k < s->symbols; k++)
            sum += exp(dnn_number(x, row + k) - most);
        for (int64_t k = 0; k < s->symbols; k++)
            s->logs[t * s->symbols + k] = op->softmax ? dnn_number(x, row + k) - most - log(sum)
                                                      : log(dnn_number(x, row + k));
    }
}

/* The gradient of -log(total) with respect to x. */
static void fill_gradients(const struct dnn_ctc *op, const struct sequence *s, double total,
                           struct dnn_array *gradients, int64_t n)
{
    int64_t batch = op->x.dims[1];

    for (int64_t t = 0; t < s->steps; t++) {
        int64_t row = (t * batch + n) * s->symbols;

        for (int64_t k = 0; k < s->symbols; k++) {
            double share = -INFINITY, probability = exp(s->logs[t * s->symbols + k]);

            for (int64_t i = 0; i < s->states; i++)
                if (symbol_of(s, i) == k)
                    share =
                        add_logs(share, s->before[t * s->states + i] + s->after[t * s->states + i]);
            share = total == -INFINITY ? 0 : exp(share - total);
            dnn_put(gradients, row + k,
                    total == -INFINITY ? 0
                    : op->softmax      ? probability - share
                                       : -share / probability);
        }
    }
}

static bool run_sequence(const struct dnn_ctc *op, const struct dnn_array *x,
                         struct dnn_array *gradients, int64_t n, const int *label)
{
    struct sequence s = {.steps = op->input_lengths[n],
                         .states = 2 * (int64_t)op->label_lengths[n] + 1,
                         .symbols = op->x.dims[2],
                         .label = label};
    double *memory, total;

    if (s.steps > op->x.dims[0])
        s.steps = op->x.dims[0];
    if (s.steps <= 0) {
        op->costs[n] = 0;
        return true;
    }
    memory = malloc((size_t)(s.steps * (s.symbols + 2 * s.states)) * sizeof(*memory));
    if (!memory)
        return false;
    s.logs = memory;
    s.before = s.logs + s.steps * s.symbols;
    s.after = s.before + s.steps * s.states;
    fill_logs(op, &s, x, n);
    go_forward(&s);
    total = total_of(&s);
    op->costs[n] = (float)-total;
    if (gradients->data) {
        go_backward(&s);
        fill_gradients(op, &s, total, gradients, n);
    }
    free(memory);
    return true;
}

static bool valid_labels(const struct dnn_ctc *op)
{
    const int *label = op->labels;

    for (int64_t n = 0; n < op->x.dims[1]; n++) {
        if (op->label_lengths[n] < 0)
            return false;
        for (int i = 0; i < op->label_lengths[n]; i++, label++)
            if (*label < 0 || *label >= op->x.dims[2])
                return false;
    }
    return true;
}

CUresult dnn_ctc_run(const struct dnn_ctc *op)
{
    struct dnn_array x = {0}, gradients = {0};
    const int *label = op->labels;
    int64_t count = dnn_count(&op->x);
    CUresult result = CUDA_ERROR_OUT_OF_MEMORY;

    if (!valid_labels(op))
        return CUDA_ERROR_INVALID_VALUE;
    if (!dnn_array_load(&x, &op->x, true) ||
        (op->gradients.address && !dnn_array_new(&gradients, count, true)))
        goto release;
    if (op->skips && op->gradients.address) {
        struct dnn_array old;

        if (!dnn_array_load(&old, &op->gradients, true))
            goto release;
        for (int64_t i = 0; i < count; i++)
            dnn_put(&gradients, i, dnn_number(&old, i));
        dnn_array_free(&old);
    } else {
        for (int64_t i = 0; i < count && gradients.data; i++)
            dnn_put(&gradients, i, 0);
    }
    for (int64_t n = 0; n < op->x.dims[1]; n++) {
        if (!run_sequence(op, &x, &gradients, n, label))
            goto release;
        label += op->label_lengths[n];
    }
    dnn_array_store(&op->gradients, &gradients, (struct dnn_blend){.alpha = 1});
    result = CUDA_SUCCESS;
release:
    dnn_array_free(&gradients);
    dnn_array_free(&x);
    return result;
}

/* SPDX-License-Identifier: MIT */
/* Every sequence of queries is computed by itself, in f64. Weights of projections lie as matrices
 * [vector][heads * projection], those of the result as [heads * projection][result], so that each
 * projection is one product. What the backward passes need stands in the reserve: projected
 * vectors, probabilities, the heads' results, and gradients of the projected vectors. */
#include "multihead.h"

#include "array.h"
#include "gemm.h"
#include "line.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { Q_WEIGHTS, K_WEIGHTS, V_WEIGHTS, O_WEIGHTS, Q_BIASES, K_BIASES, V_BIASES, O_BIASES, KINDS };

static int64_t count_of(const struct dnn_multihead *op, int kind)
{
    int64_t qk = op->heads * op->qk_project, v = op->heads * op->v_project, o = op->o_project;
    int64_t heads = op->heads * (op->v_project ? op->v_project : op->v_size);
    const int64_t counts[KINDS] = {
        op->q_size * qk, op->k_size * qk, op->v_size * v, heads * o, qk, qk, v, o};

    return kind >= Q_BIASES && !op->biases ? 0 : counts[kind];
}

int64_t dnn_multihead_place(const struct dnn_multihead *op, int kind)
{
    int64_t place = 0;

    for (int i = 0; i < kind; i++)
        place += count_of(op, i);
    return count_of(op, kind) ? place : -1;
}

int64_t dnn_multihead_weight_count(const struct dnn_multihead *op)
{
    int64_t total = 0;

    for (int i = 0; i < KINDS; i++)
        total += count_of(op, i);
    return total;
}

/* Arrays of one sequence. */
struct arrays {
    double *q, *k, *v, *p, *heads, *dq, *dk, *dv;
    int64_t total;
};

/* Widths of projected vectors: of all heads, or of the one vector that they share. */
static int64_t q_width(const struct dnn_multihead *op)
{
    return op->qk_project ? op->heads * op->qk_project : op->q_size;
}

static int64_t v_width(const struct dnn_multihead *op)
{
    return op->v_project ? op->heads * op->v_project : op->v_size;
}

static int64_t head_width(const struct dnn_multihead *op)
{
    return op->v_project ? op->v_project : op->v_size;
}

static struct arrays arrays_at(const struct dnn_multihead *op, double *memory)
{
    int64_t counts[] = {op->q_steps * q_width(op),
                        op->kv_steps * q_width(op),
                        op->kv_steps * v_width(op),
                        op->heads * op->q_steps * op->kv_steps,
                        op->q_steps * op->heads * head_width(op),
                        op->q_steps * q_width(op),
                        op->kv_steps * q_width(op),
                        op->kv_steps * v_width(op)};
    struct arrays found;
    double **places[] = {&found.q,     &found.k,  &found.v,  &found.p,
                         &found.heads, &found.dq, &found.dk, &found.dv};

    found.total = 0;
    for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
        *places[i] = memory ? memory + found.total : NULL;
        found.total += counts[i];
    }
    return found;
}

int64_t dnn_multihead_reserve_count(const struct dnn_multihead *op)
{
    return arrays_at(op, NULL).total * op->batch * op->beams;
}

struct multihead {
    const struct dnn_multihead *op;
    struct dnn_array weights, d_weights;
    double *vectors, *other;   /* memory for the vectors of a sequence, and for gradients of them */
    double *d_keys, *d_values; /* sums over the beams of a batch */
    CUresult result;           /* of products */
};

static void multiply(struct multihead *work, int64_t m, int64_t n, int64_t k, double alpha,
                     struct dnn_matrix a, struct dnn_matrix b, double beta, double *c, int64_t ld)
{
    CUresult result = dnn_gemm(true, m, n, k, alpha, a, b, beta, c, ld);

    work->result = work->result == CUDA_SUCCESS ? result : work->result;
}

static struct dnn_matrix rows(const double *data, int64_t ld)
{
    return (struct dnn_matrix){data, ld, false};
}

static struct dnn_matrix turned(const double *data, int64_t ld)
{
    return (struct dnn_matrix){data, ld, true};
}

static char *vector_at(const struct dnn_multihead *op, const struct dnn_sequences *sequences,
                       int64_t b, int64_t m, int64_t t)
{
    return (char *)sequences->data +
           (b * sequences->batch + m * sequences->beam + t * sequences->time) *
               (int64_t)dnn_type_bytes(op->type);
}

static void load(const struct dnn_multihead *op, const struct dnn_sequences *from, int64_t b,
                 int64_t m, int64_t steps, int64_t size, double *out)
{
    for (int64_t t = 0; t < steps; t++)
        dnn_line_load(true, out + t * size, op->type, vector_at(op, from, b, m, t), 1,
                      (size_t)size);
}

static void store(const struct dnn_multihead *op, const struct dnn_sequences *to, int64_t b,
                  int64_t m, int64_t steps, int64_t size, const double *in)
{
    for (int64_t t = 0; t < steps; t++)
        dnn_line_store(true, vector_at(op, to, b, m, t), op->type, 1, in + t * size, (size_t)size);
}

static const double *weights_of(const struct multihead *work, int kind)
{
    int64_t place = dnn_multihead_place(work->op, kind);

    return place < 0 ? NULL : (const double *)work->weights.data + place;
}

/* out[steps][width] = in[steps][size] * weights + biases; or in itself. */
static void project(struct multihead *work, int kind, const double *in, int64_t steps, int64_t size,
                    double *out, int64_t width)
{
    const double *weights = weights_of(work, kind), *biases = weights_of(work, kind + Q_BIASES);

    if (!weights) {
        memcpy(out, in, (size_t)(steps * size) * sizeof(*out));
        return;
    }
    for (int64_t t = 0; t < steps; t++)
        for (int64_t i = 0; i < width; i++)
            out[t * width + i] = biases ? biases[i] : 0;
    multiply(work, steps, width, size, 1, rows(in, size), rows(weights, width), 1, out, width);
}

static int64_t clamp(int64_t value, int64_t most)
{
    return value < 0 ? 0 : value > most ? most : value;
}

/* Scores of a row become probabilities; 0 for keys that the query does not see. */
static void softmax_row(double *row, int64_t count, int64_t low, int64_t high)
{
    double most = -INFINITY, sum = 0;

    for (int64_t j = low; j < high; j++)
        most = fmax(most, row[j]);
    for (int64_t j = 0; j < count; j++) {
        row[j] = j >= low && j < high ? exp(row[j] - most) : 0;
        sum += row[j];
    }
    for (int64_t j = low; j < high; j++)
        row[j] /= sum;
}

/* Where head h begins in vectors of all heads; heads without a projection share one. */
static int64_t head_at(int64_t h, int64_t project)
{
    return h * project;
}

static void attend(struct multihead *work, const struct arrays *a, int64_t queries, int64_t keys)
{
    const struct dnn_multihead *op = work->op;
    int64_t depth = op->qk_project ? op->qk_project : op->q_size, width = head_width(op);
    int64_t out = op->heads * width, nq = op->q_steps, nk = op->kv_steps;

    for (int64_t h = 0; h < op->heads; h++) {
        double *p = a->p + h * nq * nk;

        multiply(work, nq, nk, depth, op->scale,
                 rows(a->q + head_at(h, op->qk_project), q_width(op)),
                 turned(a->k + head_at(h, op->qk_project), q_width(op)), 0, p, nk);
        for (int64_t i = 0; i < nq; i++) {
            int64_t low = clamp(op->low[i], keys), high = clamp(op->high[i], keys);

            softmax_row(p + i * nk, nk, low, i < queries ? high : 0);
        }
        multiply(work, nq, width, nk, 1, rows(p, nk),
                 rows(a->v + head_at(h, op->v_project), v_width(op)), 0, a->heads + h * width, out);
    }
}

/* The sequence of keys that beam m of a batch uses. */
static int64_t key_beam(const struct dnn_multihead *op, int64_t m)
{
    return op->own_keys ? m : 0;
}

static void forward_sequence(struct multihead *work, const struct arrays *a, int64_t b, int64_t m)
{
    const struct dnn_multihead *op = work->op;
    int64_t size = dnn_multihead_out_size(op), kv = key_beam(op, m);
    int64_t kv_beams = op->own_keys ? op->beams : 1, begin = op->step < 0 ? 0 : op->step;
    int64_t end = op->step < 0 ? op->q_steps : op->step + 1;

    load(op, &op->queries, b, m, op->q_steps, op->q_size, work->vectors);
    project(work, Q_WEIGHTS, work->vectors, op->q_steps, op->q_size, a->q, q_width(op));
    load(op, &op->keys, b, kv, op->kv_steps, op->k_size, work->vectors);
    project(work, K_WEIGHTS, work->vectors, op->kv_steps, op->k_size, a->k, q_width(op));
    load(op, &op->values, b, kv, op->kv_steps, op->v_size, work->vectors);
    project(work, V_WEIGHTS, work->vectors, op->kv_steps, op->v_size, a->v, v_width(op));
    attend(work, a, op->q_lengths[b * op->beams + m], op->kv_lengths[b * kv_beams + kv]);
    project(work, O_WEIGHTS, a->heads, op->q_steps, op->heads * head_width(op), work->vectors,
            size);
    for (int64_t t = begin; t < end; t++) {
        if (op->residuals.data)
            dnn_line_load(true, work->other, op->type, vector_at(op, &op->residuals, b, m, t), 1,
                          (size_t)size);
        for (int64_t i = 0; i < size && op->residuals.data; i++)
            work->vectors[t * size + i] += work->other[i];
        dnn_line_store(true, vector_at(op, &op->out, b, m, t), op->type, 1,
                       work->vectors + t * size, (size_t)size);
    }
}

/* dS = P * (dP - sum of P * dP), in the place of dP. */
static void softmax_gradient(double *dp, const double *p, int64_t nq, int64_t nk)
{
    for (int64_t i = 0; i < nq; i++, dp += nk, p += nk) {
        double sum = 0;

        for (int64_t j = 0; j < nk; j++)
            sum += p[j] * dp[j];
        for (int64_t j = 0; j < nk; j++)
            dp[j] = p[j] * (dp[j] - sum);
    }
}

/* Gradients of projected vectors from those of the heads' results. dp has room for a matrix of
 * probabilities. */
static void attend_backward(struct multihead *work, const struct arrays *a, const double *d_heads,
                            double *dp)
{
    const struct dnn_multihead *op = work->op;
    int64_t depth = op->qk_project ? op->qk_project : op->q_size, width = head_width(op);
    int64_t out = op->heads * width, nq = op->q_steps, nk = op->kv_steps;

    memset(a->dq, 0, (size_t)(nq * q_width(op)) * sizeof(double));
    memset(a->dk, 0, (size_t)(nk * q_width(op)) * sizeof(double));
    memset(a->dv, 0, (size_t)(nk * v_width(op)) * sizeof(double));
    for (int64_t h = 0; h < op->heads; h++) {
        const double *p = a->p + h * nq * nk;
        int64_t qk = head_at(h, op->qk_project), v = head_at(h, op->v_project);

        multiply(work, nq, nk, width, 1, rows(d_heads + h * width, out),
                 turned(a->v + v, v_width(op)), 0, dp, nk);
        softmax_gradient(dp, p, nq, nk);
        multiply(work, nk, width, nq, 1, turned(p, nk), rows(d_heads + h * width, out), 1,
                 a->dv + v, v_width(op));
        multiply(work, nq, depth, nk, op->scale, rows(dp, nk), rows(a->k + qk, q_width(op)), 1,
                 a->dq + qk, q_width(op));
        multiply(work, nk, depth, nq, op->scale, turned(dp, nk), rows(a->q + qk, q_width(op)), 1,
                 a->dk + qk, q_width(op));
    }
}

/* dx[steps][size] = dy[steps][width] * weights^T + beta * dx; or dy itself. */
static void project_back(struct multihead *work, int kind, const double *dy, int64_t steps,
                         int64_t width, double *dx, int64_t size, double beta)
{
    const double *weights = weights_of(work, kind);

    if (weights) {
        multiply(work, steps, size, width, 1, rows(dy, width), turned(weights, width), beta, dx,
                 size);
        return;
    }
    for (int64_t i = 0; i < steps * size; i++)
        dx[i] = dy[i] + (beta != 0 ? dx[i] : 0);
}

static void backward_sequence(struct multihead *work, const struct arrays *a, int64_t b, int64_t m)
{
    const struct dnn_multihead *op = work->op;
    int64_t out = dnn_multihead_out_size(op), heads = op->heads * head_width(op);
    double *d_heads = work->other, *dp = d_heads + op->q_steps * heads;
    bool first = m == 0 || op->own_keys, last = m == op->beams - 1 || op->own_keys;

    load(op, &op->d_out, b, m, op->q_steps, out, work->vectors);
    project_back(work, O_WEIGHTS, work->vectors, op->q_steps, out, d_heads, heads, 0);
    attend_backward(work, a, d_heads, dp);
    project_back(work, Q_WEIGHTS, a->dq, op->q_steps, q_width(op), work->vectors, op->q_size, 0);
    store(op, &op->d_queries, b, m, op->q_steps, op->q_size, work->vectors);
    project_back(work, K_WEIGHTS, a->dk, op->kv_steps, q_width(op), work->d_keys, op->k_size,
                 first ? 0 : 1);
    project_back(work, V_WEIGHTS, a->dv, op->kv_steps, v_width(op), work->d_values, op->v_size,
                 first ? 0 : 1);
    if (!last)
        return;
    store(op, &op->d_keys, b, key_beam(op, m), op->kv_steps, op->k_size, work->d_keys);
    store(op, &op->d_values, b, key_beam(op, m), op->kv_steps, op->v_size, work->d_values);
}

/* Adds x^T * dy to the gradients of weights, and sums of dy to those of biases. */
static void add_gradient(struct multihead *work, int kind, const double *x, int64_t steps,
                         int64_t size, const double *dy, int64_t width)
{
    int64_t place = dnn_multihead_place(work->op, kind);
    int64_t bias = dnn_multihead_place(work->op, kind + Q_BIASES);
    double *gradients = work->d_weights.data;

    if (place >= 0)
        multiply(work, size, width, steps, 1, turned(x, size), rows(dy, width), 1,
                 gradients + place, width);
    for (int64_t t = 0; t < steps && bias >= 0; t++)
        for (int64_t i = 0; i < width; i++)
            gradients[bias + i] += dy[t * width + i];
}

static void weights_sequence(struct multihead *work, const struct arrays *a, int64_t b, int64_t m)
{
    const struct dnn_multihead *op = work->op;
    int64_t kv = key_beam(op, m), out = dnn_multihead_out_size(op);

    load(op, &op->queries, b, m, op->q_steps, op->q_size, work->vectors);
    add_gradient(work, Q_WEIGHTS, work->vectors, op->q_steps, op->q_size, a->dq, q_width(op));
    load(op, &op->keys, b, kv, op->kv_steps, op->k_size, work->vectors);
    add_gradient(work, K_WEIGHTS, work->vectors, op->kv_steps, op->k_size, a->dk, q_width(op));
    load(op, &op->values, b, kv, op->kv_steps, op->v_size, work->vectors);
    add_gradient(work, V_WEIGHTS, work->vectors, op->kv_steps, op->v_size, a->dv, v_width(op));
    load(op, &op->d_out, b, m, op->q_steps, out, work->vectors);
    add_gradient(work, O_WEIGHTS, a->heads, op->q_steps, op->heads * head_width(op), work->vectors,
                 out);
}

static void run_sequences(struct multihead *work, double *reserve, int64_t stride)
{
    const struct dnn_multihead *op = work->op;

    for (int64_t b = 0; b < op->batch; b++)
        for (int64_t m = 0; m < op->beams && work->result == CUDA_SUCCESS; m++) {
            const struct arrays a = arrays_at(op, reserve + (b * op->beams + m) * stride);

            if (op->pass == DNN_MULTIHEAD_FORWARD)
                forward_sequence(work, &a, b, m);
            else if (op->pass == DNN_MULTIHEAD_DATA)
                backward_sequence(work, &a, b, m);
            else
                weights_sequence(work, &a, b, m);
        }
}

CUresult dnn_multihead_run(const struct dnn_multihead *op)
{
    struct multihead work = {.op = op};
    int64_t steps = op->q_steps > op->kv_steps ? op->q_steps : op->kv_steps;
    int64_t widest = op->q_size + op->k_size + op->v_size + dnn_multihead_out_size(op) +
                     op->heads * head_width(op);
    int64_t total = dnn_multihead_weight_count(op), one = arrays_at(op, NULL).total;
    int64_t scratch = 4 * steps * widest + op->q_steps * op->kv_steps + (op->reserve ? 0 : one);
    struct dnn_tensor weights = dnn_packed((void *)op->weights, op->type, 1, &total);
    struct dnn_tensor gradients = dnn_packed(op->d_weights, op->type, 1, &total);
    struct dnn_array memory = {0};

    work.result = CUDA_ERROR_OUT_OF_MEMORY;
    if (dnn_array_new(&memory, scratch, true) && dnn_array_new(&work.d_weights, total, true) &&
        (!total || dnn_array_load(&work.weights, &weights, true))) {
        work.vectors = memory.data;
        work.d_keys = work.vectors + steps * widest;
        work.d_values = work.d_keys + steps * widest;
        work.other = work.d_values + steps * widest;
        memset(work.d_weights.data, 0, (size_t)total * sizeof(double));
        work.result = CUDA_SUCCESS;
        run_sequences(&work,
                      op->reserve ? op->reserve
                                  : work.other + steps * widest + op->q_steps * op->kv_steps,
                      op->reserve ? one : 0);
        if (op->pass == DNN_MULTIHEAD_WEIGHTS && work.result == CUDA_SUCCESS && total)
            dnn_array_store(&gradients, &work.d_weights,
                            (struct dnn_blend){.alpha = 1, .beta = op->sets ? 0 : 1});
    }
    dnn_array_free(&work.weights);
    dnn_array_free(&work.d_weights);
    dnn_array_free(&memory);
    return work.result;
}

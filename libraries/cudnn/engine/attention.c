/* SPDX-License-Identifier: MIT */
/* Attention, forward and backward. Head by head: scores are a product, rows of scores become
 * probabilities in place, and products with those give the results. Everything is f32. The backward
 * pass makes the probabilities anew from the statistics of the forward pass. */
#include "array.h"
#include "gemm.h"
#include "kernels.h"
#include "line.h"
#include "loop.h"
#include "philox.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct head {
    const struct dnn_attention *op;
    int64_t b, h;
    int64_t queries, keys; /* that count: lengths of the sequences */
    int64_t sq, skv, d, dv, heads;
    double scale;
    uint64_t seed, offset;
    /* Rows of one head; gradients of k and v are of all heads of a batch. */
    float *q, *k, *v, *o, *p, *stats, *d_o, *dp, *dq, *dk, *dvalue;
    bool has_stats; /* they are the forward pass' */
};

static int64_t element_of(const struct dnn_tensor *list, int64_t index)
{
    return list->type == CUDNN_DATA_INT64 ? ((const int64_t *)list->address)[index]
                                          : ((const int32_t *)list->address)[index];
}

/* Where row `s` of head h in batch b begins, in elements; -1: its page is not in the container. */
static int64_t row_at(const struct dnn_tensor *x, const struct dnn_tensor *offsets,
                      const struct dnn_tensor *table, int64_t b, int64_t h, int64_t s)
{
    int64_t base = b * x->strides[0];

    if (table->address) {
        int64_t page = x->dims[2];

        base = element_of(table, b * table->strides[0] + s / page * table->strides[2]);
        if (base < 0 || base >= x->dims[0])
            return -1;
        base *= x->strides[0];
        s %= page;
    } else if (offsets->address) {
        base = element_of(offsets, b);
    }
    return base + h * x->strides[1] + s * x->strides[2];
}

struct rows {
    const struct dnn_tensor *tensor, *offsets, *table;
    int64_t b, h;
};

/* Moves `count` rows between a tensor and an array of rows. */
static void load_rows(const struct rows *rows, float *out, int64_t count)
{
    const struct dnn_tensor *x = rows->tensor;

    for (int64_t s = 0; s < count; s++) {
        int64_t at = row_at(x, rows->offsets, rows->table, rows->b, rows->h, s);

        if (at < 0)
            memset(out + s * x->dims[3], 0, (size_t)x->dims[3] * sizeof(*out));
        else
            dnn_line_load(false, out + s * x->dims[3], x->type, dnn_at(x, at), x->strides[3],
                          (size_t)x->dims[3]);
    }
}

static void store_rows(const struct rows *rows, const float *in, int64_t count)
{
    const struct dnn_tensor *x = rows->tensor;

    for (int64_t s = 0; s < count; s++)
        dnn_line_store(false, dnn_at(x, row_at(x, rows->offsets, rows->table, rows->b, rows->h, s)),
                       x->type, x->strides[3], in + s * x->dims[3], (size_t)x->dims[3]);
}

static const struct dnn_tensor none;

/* The keys [first, last) that query i sees. */
static void visible(const struct head *head, int64_t i, int64_t *first, int64_t *last)
{
    const struct dnn_attention *op = head->op;
    int64_t place = op->bottom_right ? i + head->keys - head->queries : i;

    *first = op->has_left_bound && place - op->left_bound + 1 > 0 ? place - op->left_bound + 1 : 0;
    *last = head->keys;
    if (op->has_right_bound && place + op->right_bound + 1 < *last)
        *last = place + op->right_bound + 1;
    if (i >= head->queries || *last < *first)
        *last = *first = 0;
}

/* Adds the bias to scores of row i from key `first` on. */
static void add_bias(const struct head *head, int64_t i, int64_t first, int64_t last, float *row)
{
    const struct dnn_tensor *bias = &head->op->bias;
    const int64_t place[] = {head->b, head->h, i};
    int64_t offset = 0, stride = bias->dims[3] == 1 ? 0 : bias->strides[3];
    float numbers[DNN_LINE_MOST];

    for (int axis = 0; axis < 3; axis++)
        offset += bias->dims[axis] == 1 ? 0 : place[axis] * bias->strides[axis];
    for (int64_t j = first, count; j < last; j += count) {
        count = last - j < DNN_LINE_MOST ? last - j : DNN_LINE_MOST;
        dnn_line_load(false, numbers, bias->type, dnn_at(bias, offset + j * stride), stride,
                      (size_t)count);
        for (int64_t k = 0; k < count; k++)
            row[j + k] += numbers[k];
    }
}

/* The factor by which dropout multiplies a probability: 0, or what keeps the mean. */
static double kept(const struct head *head, int64_t i, int64_t j)
{
    const struct dnn_attention *op = head->op;
    uint64_t place = (uint64_t)(((head->b * head->heads + head->h) * head->sq + i) * head->skv + j);

    if (op->dropout_mask.address)
        return dnn_get(op->dropout_mask.type,
                       dnn_at(&op->dropout_mask, head->b * op->dropout_mask.strides[0] +
                                                     head->h * op->dropout_mask.strides[1] +
                                                     i * op->dropout_mask.strides[2] +
                                                     j * op->dropout_mask.strides[3])) /
               (1 - op->dropout);
    return dnn_philox_uniform(head->seed, head->offset, place) <= op->dropout
               ? 0
               : 1 / (1 - op->dropout);
}

static void probabilities_row(void *argument, size_t index)
{
    const struct dnn_kernels *kernels = dnn_kernels();
    struct head *head = argument;
    const struct dnn_attention *op = head->op;
    int64_t i = (int64_t)index, first, last;
    float *row = head->p + i * head->skv, most, sum;
    double slope = op->alibi ? exp2(-8.0 * (double)(head->h + 1) / (double)head->heads) : 0;
    size_t count;

    visible(head, i, &first, &last);
    count = (size_t)(last - first);
    if (op->bias.address)
        add_bias(head, i, first, last, row);
    for (int64_t j = first; j < last && op->alibi; j++)
        row[j] += (float)(slope * (double)(j - i));
    most = head->has_stats ? head->stats[i] : kernels->largest(row + first, count);
    if (most == -INFINITY) /* all scores are masked by the bias */
        count = 0;
    sum = kernels->exp_sum(row + first, row + first, most, count);
    memset(row, 0, (size_t)first * sizeof(*row));
    memset(row + first + count, 0, (size_t)(head->skv - first - (int64_t)count) * sizeof(*row));
    if (head->has_stats)
        return;
    kernels->scale(row + first, row + first, sum > 0 ? 1 / sum : 0, 0, count);
    head->stats[i] = sum > 0 ? most + logf(sum) : -INFINITY;
}

static void dropout_row(void *argument, size_t i)
{
    struct head *head = argument;
    float *row = head->p + (int64_t)i * head->skv;

    for (int64_t j = 0; j < head->skv; j++)
        row[j] *= (float)kept(head, (int64_t)i, j);
}

static CUresult probabilities(struct head *head)
{
    struct dnn_matrix q = {head->q, head->d, false}, k = {head->k, head->d, true};
    CUresult result =
        dnn_gemm(false, head->sq, head->skv, head->d, head->scale, q, k, 0, head->p, head->skv);

    if (result == CUDA_SUCCESS)
        dnn_parallel(head->sq, head->sq * head->skv * 8, probabilities_row, head);
    return result;
}

static CUresult forward_head(struct head *head)
{
    const struct dnn_attention *op = head->op;
    struct dnn_matrix p = {head->p, head->skv, false}, v = {head->v, head->dv, false};
    const struct rows out = {&op->o, &op->offsets_o, &none, head->b, head->h};
    CUresult result = probabilities(head);

    if (result != CUDA_SUCCESS)
        return result;
    if (op->dropout > 0)
        dnn_parallel(head->sq, head->sq * head->skv * 20, dropout_row, head);
    result = dnn_gemm(false, head->sq, head->dv, head->skv, 1, p, v, 0, head->o, head->dv);
    /* Behind the end of a ragged sequence lies the next one. */
    store_rows(&out, head->o, op->offsets_o.address ? head->queries : head->sq);
    for (int64_t i = 0; i < head->queries && op->stats.address; i++)
        dnn_set(op->stats.type,
                dnn_at(&op->stats, head->b * op->stats.strides[0] + head->h * op->stats.strides[1] +
                                       i * op->stats.strides[2]),
                head->stats[i]);
    return result;
}

/* dS = P * (dP - sum of dO * O), with dropout's factors on dP; and P with them, for dV. */
static void gradient_row(void *argument, size_t index)
{
    struct head *head = argument;
    int64_t i = (int64_t)index;
    float *p = head->p + i * head->skv, *dp = head->dp + i * head->skv;
    float sum =
        dnn_kernels()->dot(head->d_o + i * head->dv, head->o + i * head->dv, (size_t)head->dv);

    if (head->op->dropout <= 0) {
        dnn_kernels()->softmax_gradient(dp, p, dp, sum, (size_t)head->skv);
        return;
    }
    for (int64_t j = 0; j < head->skv; j++) {
        double factor = kept(head, i, j);

        dp[j] = p[j] * (float)(dp[j] * factor - sum);
        p[j] *= (float)factor;
    }
}

static void add_bias_gradient(const struct head *head)
{
    const struct dnn_tensor *dbias = &head->op->dbias;

    for (int64_t i = 0; i < head->queries && dbias->address; i++)
        for (int64_t j = 0; j < head->keys; j++) {
            const int64_t place[] = {head->b, head->h, i, j};
            int64_t offset = 0;
            void *address;

            for (int axis = 0; axis < 4; axis++)
                offset += dbias->dims[axis] == 1 ? 0 : place[axis] * dbias->strides[axis];
            address = dnn_at(dbias, offset);
            dnn_set(dbias->type, address,
                    dnn_get(dbias->type, address) + head->dp[i * head->skv + j]);
        }
}

static CUresult backward_head(struct head *head)
{
    const struct dnn_attention *op = head->op;
    int64_t hk = head->h / (head->heads / op->k.dims[1]),
            hv = head->h / (head->heads / op->v.dims[1]);
    struct dnn_matrix d_o = {head->d_o, head->dv, false}, v = {head->v, head->dv, true};
    struct dnn_matrix ds = {head->dp, head->skv, false}, k = {head->k, head->d, false};
    struct dnn_matrix ds_t = {head->dp, head->skv, true}, q = {head->q, head->d, false};
    struct dnn_matrix p_t = {head->p, head->skv, true};
    const struct rows o = {&op->o, &op->offsets_o, &none, head->b, head->h};
    const struct rows gradient = {&op->d_o, &op->offsets_o, &none, head->b, head->h};
    const struct rows dq = {&op->dq, &op->offsets_q, &none, head->b, head->h};
    CUresult result;

    load_rows(&o, head->o, head->queries);
    load_rows(&gradient, head->d_o, head->queries);
    result = probabilities(head);
    if (result != CUDA_SUCCESS)
        return result;
    dnn_gemm(false, head->sq, head->skv, head->dv, 1, d_o, v, 0, head->dp, head->skv);
    dnn_parallel(head->sq, head->sq * head->skv * 4, gradient_row, head);
    add_bias_gradient(head);
    dnn_gemm(false, head->sq, head->d, head->skv, head->scale, ds, k, 0, head->dq, head->d);
    dnn_gemm(false, head->skv, head->d, head->sq, head->scale, ds_t, q, 1,
             head->dk + hk * head->skv * head->d, head->d);
    dnn_gemm(false, head->skv, head->dv, head->sq, 1, p_t, d_o, 1,
             head->dvalue + hv * head->skv * head->dv, head->dv);
    store_rows(&dq, head->dq, op->offsets_q.address ? head->queries : head->sq);
    return result;
}

static int64_t length_of(const struct dnn_tensor *lengths, int64_t b, int64_t most)
{
    int64_t step = lengths->rank ? lengths->strides[0] : 1;
    int64_t length = lengths->address ? element_of(lengths, b * step) : most;

    return length < 0 ? 0 : length > most ? most : length;
}

static void load_head(struct head *head)
{
    const struct dnn_attention *op = head->op;
    int64_t group_k = head->heads / op->k.dims[1], group_v = head->heads / op->v.dims[1];
    const struct rows q = {&op->q, &op->offsets_q, &none, head->b, head->h};
    const struct rows k = {&op->k, &op->offsets_kv, &op->table_k, head->b, head->h / group_k};
    const struct rows v = {&op->v, op->offsets_v.address ? &op->offsets_v : &op->offsets_kv,
                           &op->table_v, head->b, head->h / group_v};

    memset(head->q, 0, (size_t)(head->sq * head->d) * sizeof(float));
    memset(head->k, 0, (size_t)(head->skv * head->d) * sizeof(float));
    memset(head->v, 0, (size_t)(head->skv * head->dv) * sizeof(float));
    load_rows(&q, head->q, head->queries);
    load_rows(&k, head->k, head->keys);
    load_rows(&v, head->v, head->keys);
    for (int64_t i = 0; i < head->queries && head->has_stats; i++)
        head->stats[i] =
            (float)dnn_get(op->stats.type, dnn_at(&op->stats, head->b * op->stats.strides[0] +
                                                                  head->h * op->stats.strides[1] +
                                                                  i * op->stats.strides[2]));
}

static void store_gradients(const struct head *head)
{
    const struct dnn_attention *op = head->op;

    for (int64_t h = 0; h < op->k.dims[1]; h++) {
        const struct rows dk = {&op->dk, &op->offsets_kv, &none, head->b, h};

        store_rows(&dk, head->dk + h * head->skv * head->d,
                   op->offsets_kv.address ? head->keys : head->skv);
    }
    for (int64_t h = 0; h < op->v.dims[1]; h++) {
        const struct rows dv = {&op->dv, op->offsets_v.address ? &op->offsets_v : &op->offsets_kv,
                                &none, head->b, h};

        store_rows(&dv, head->dvalue + h * head->skv * head->dv,
                   op->offsets_kv.address ? head->keys : head->skv);
    }
}

static CUresult run_heads(struct head *head)
{
    const struct dnn_attention *op = head->op;
    CUresult result = CUDA_SUCCESS;

    if (op->backward && op->dbias.address)
        dnn_fill_run(&op->dbias, 0);
    for (int64_t b = 0; b < op->q.dims[0] && result == CUDA_SUCCESS; b++) {
        head->b = b;
        head->queries = length_of(&op->sequence_q, b, head->sq);
        head->keys = length_of(&op->sequence_kv, b, head->skv);
        if (op->backward) {
            memset(head->dk, 0, (size_t)(op->k.dims[1] * head->skv * head->d) * sizeof(float));
            memset(head->dvalue, 0, (size_t)(op->v.dims[1] * head->skv * head->dv) * sizeof(float));
            memset(head->d_o, 0, (size_t)(head->sq * head->dv) * sizeof(float));
            memset(head->o, 0, (size_t)(head->sq * head->dv) * sizeof(float));
        }
        for (int64_t h = 0; h < head->heads && result == CUDA_SUCCESS; h++) {
            head->h = h;
            load_head(head);
            result = op->backward ? backward_head(head) : forward_head(head);
        }
        if (op->backward && result == CUDA_SUCCESS)
            store_gradients(head);
    }
    return result;
}

static void describe(struct head *head, const struct dnn_attention *op)
{
    head->op = op;
    head->heads = op->q.dims[1];
    head->sq = op->q.dims[2];
    head->d = op->q.dims[3];
    head->dv = op->v.dims[3];
    head->skv = op->table_k.address ? op->table_k.dims[2] * op->k.dims[2] : op->k.dims[2];
    head->scale = op->scale_memory ? *op->scale_memory : op->scale != 0 ? op->scale : 1;
    head->seed = op->seed ? *(const uint64_t *)op->seed : op->seed_value;
    head->offset = op->offset ? *(const uint64_t *)op->offset : op->offset_value;
    head->has_stats = op->backward && op->stats.address;
}

CUresult dnn_attention_run(const struct dnn_attention *op)
{
    struct head head = {0};
    struct {
        float **place;
        int64_t count;
    } buffers[11];
    int64_t total = 0;
    float *memory;
    CUresult result;

    describe(&head, op);
    buffers[0].place = &head.q, buffers[0].count = head.sq * head.d;
    buffers[1].place = &head.k, buffers[1].count = head.skv * head.d;
    buffers[2].place = &head.v, buffers[2].count = head.skv * head.dv;
    buffers[3].place = &head.o, buffers[3].count = head.sq * head.dv;
    buffers[4].place = &head.p, buffers[4].count = head.sq * head.skv;
    buffers[5].place = &head.stats, buffers[5].count = head.sq;
    buffers[6].place = &head.d_o, buffers[6].count = op->backward ? head.sq * head.dv : 0;
    buffers[7].place = &head.dp, buffers[7].count = op->backward ? head.sq * head.skv : 0;
    buffers[8].place = &head.dq, buffers[8].count = op->backward ? head.sq * head.d : 0;
    buffers[9].place = &head.dk,
    buffers[9].count = op->backward ? op->k.dims[1] * head.skv * head.d : 0;
    buffers[10].place = &head.dvalue,
    buffers[10].count = op->backward ? op->v.dims[1] * head.skv * head.dv : 0;
    for (size_t i = 0; i < 11; i++)
        total += buffers[i].count;
    memory = malloc((size_t)(total ? total : 1) * sizeof(float));
    if (!memory)
        return CUDA_ERROR_OUT_OF_MEMORY;
    total = 0;
    for (size_t i = 0; i < 11; i++) {
        *buffers[i].place = memory + total;
        total += buffers[i].count;
    }
    result = run_heads(&head);
    free(memory);
    return result;
}

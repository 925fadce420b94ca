/* SPDX-License-Identifier: MIT */
/* Attention of the older interface: what it is without projections, and its gradients. */
#include "dnn_test.h"

enum { BATCH = 2, HEADS = 2, QUERIES = 3, KEYS = 4, Q = 4, K = 5, V = 6, PROJECT = 3, OUT = 4 };

static const int q_lengths[BATCH] = {3, 2}, kv_lengths[BATCH] = {4, 2};
static const int low[QUERIES] = {0, 0, 1}, high[QUERIES] = {4, 2, 9};

struct attention {
    cudnnHandle_t handle;
    cudnnAttnDescriptor_t desc;
    cudnnSeqDataDescriptor_t q_desc, k_desc, v_desc, o_desc;
    struct array q, k, v, out, weights;
    void *q_lengths, *kv_lengths, *space, *reserve;
    size_t weight_bytes, space_bytes, reserve_bytes;
};

static cudnnSeqDataDescriptor_t sequences(int steps, int size, const int *lengths)
{
    const cudnnSeqDataAxis_t axes[4] = {CUDNN_SEQDATA_BATCH_DIM, CUDNN_SEQDATA_BEAM_DIM,
                                        CUDNN_SEQDATA_TIME_DIM, CUDNN_SEQDATA_VECT_DIM};
    const int dims[4] = {[CUDNN_SEQDATA_TIME_DIM] = steps,
                         [CUDNN_SEQDATA_BATCH_DIM] = BATCH,
                         [CUDNN_SEQDATA_BEAM_DIM] = 1,
                         [CUDNN_SEQDATA_VECT_DIM] = size};
    cudnnSeqDataDescriptor_t made;

    check_done(cudnnCreateSeqDataDescriptor(&made));
    check_done(
        cudnnSetSeqDataDescriptor(made, CUDNN_DATA_DOUBLE, 4, dims, axes, BATCH, lengths, NULL));
    return made;
}

static void *lengths_of(const int *lengths)
{
    void *memory = device_memory(BATCH * sizeof(int));

    check_success(cuMemcpyHtoD((CUdeviceptr)(uintptr_t)memory, lengths, BATCH * sizeof(int)));
    return memory;
}

static struct attention create(unsigned mode, int heads, int q, int k, int v, int project, int out)
{
    struct attention a = {.handle = handle_of()};
    int result = out ? out : heads * (project ? project : v);
    size_t inference;

    check_done(cudnnCreateAttnDescriptor(&a.desc));
    check_done(cudnnSetAttnDescriptor(a.desc, mode, heads, 0.5, CUDNN_DATA_DOUBLE,
                                      CUDNN_DATA_DOUBLE, CUDNN_DEFAULT_MATH, NULL, NULL, q, k, v,
                                      project, project, project, out, QUERIES, KEYS, BATCH, 1));
    check_done(cudnnGetMultiHeadAttnBuffers(a.handle, a.desc, &a.weight_bytes, &inference, NULL));
    check_done(cudnnGetMultiHeadAttnBuffers(a.handle, a.desc, &a.weight_bytes, &a.space_bytes,
                                            &a.reserve_bytes));
    a.space_bytes = inference > a.space_bytes ? inference : a.space_bytes;
    a.q_desc = sequences(QUERIES, q, q_lengths), a.k_desc = sequences(KEYS, k, kv_lengths);
    a.v_desc = sequences(KEYS, v, kv_lengths), a.o_desc = sequences(QUERIES, result, q_lengths);
    a.q = array_of(BATCH * QUERIES * q, 1), a.k = array_of(BATCH * KEYS * k, 2);
    a.v = array_of(BATCH * KEYS * v, 3), a.out = array_of(BATCH * QUERIES * result, 4);
    a.weights = array_of((int64_t)(a.weight_bytes / sizeof(double)) + 1, 5);
    a.q_lengths = lengths_of(q_lengths), a.kv_lengths = lengths_of(kv_lengths);
    a.space = device_memory(a.space_bytes), a.reserve = device_memory(a.reserve_bytes);
    return a;
}

static void forward(void *arguments)
{
    struct attention *a = arguments;

    check_done(cudnnMultiHeadAttnForward(a->handle, a->desc, -1, low, high, a->q_lengths,
                                         a->kv_lengths, a->q_desc, a->q.device, NULL, a->k_desc,
                                         a->k.device, a->v_desc, a->v.device, a->o_desc,
                                         a->out.device, a->weight_bytes, a->weights.device,
                                         a->space_bytes, a->space, a->reserve_bytes, a->reserve));
}

TEST(attention_without_projections_is_softmax_times_values)
{
    struct attention a;

    with_context();
    a = create(CUDNN_ATTN_QUERYMAP_ALL_TO_ONE, 1, Q, Q, V, 0, 0);
    forward(&a);
    download(&a.out);
    for (int i = 0; i < BATCH * QUERIES; i++) {
        int b = i / QUERIES, row = i % QUERIES;
        double shares[KEYS] = {0}, sum = 0, expected[V] = {0};

        for (int j = low[row]; j < kv_lengths[b] && j < high[row] && row < q_lengths[b]; j++) {
            double score = 0;

            for (int d = 0; d < Q; d++)
                score += a.q.host[i * Q + d] * a.k.host[(b * KEYS + j) * Q + d];
            shares[j] = exp(score * 0.5);
            sum += shares[j];
        }
        for (int j = 0; j < KEYS && sum > 0; j++)
            for (int d = 0; d < V; d++)
                expected[d] += shares[j] / sum * a.v.host[(b * KEYS + j) * V + d];
        for (int d = 0; d < V; d++)
            check(fabs(expected[d] - a.out.host[i * V + d]) < 1e-6);
    }
}

TEST(attention_has_its_gradients)
{
    struct array d_out, dq, dk, dv, dw;
    struct attention a;

    with_context();
    a = create(CUDNN_ATTN_ENABLE_PROJ_BIASES, HEADS, Q, K, V, PROJECT, OUT);
    d_out = array_of(a.out.count, 6), dq = array_of(a.q.count, 7), dk = array_of(a.k.count, 8);
    dv = array_of(a.v.count, 9), dw = array_of(a.weights.count, 10);
    forward(&a);
    check_done(cudnnMultiHeadAttnBackwardData(
        a.handle, a.desc, low, high, a.q_lengths, a.kv_lengths, a.o_desc, d_out.device, a.q_desc,
        dq.device, a.q.device, a.k_desc, dk.device, a.k.device, a.v_desc, dv.device, a.v.device,
        a.weight_bytes, a.weights.device, a.space_bytes, a.space, a.reserve_bytes, a.reserve));
    check_done(cudnnMultiHeadAttnBackwardWeights(
        a.handle, a.desc, CUDNN_WGRAD_MODE_SET, a.q_desc, a.q.device, a.k_desc, a.k.device,
        a.v_desc, a.v.device, a.o_desc, d_out.device, a.weight_bytes, a.weights.device, dw.device,
        a.space_bytes, a.space, a.reserve_bytes, a.reserve));
    check_gradient(forward, &a, &a.q, &a.out, &d_out, &dq);
    check_gradient(forward, &a, &a.k, &a.out, &d_out, &dk);
    check_gradient(forward, &a, &a.v, &a.out, &d_out, &dv);
    a.weights.count--; /* the last number is no weight */
    dw.count--;
    check_gradient(forward, &a, &a.weights, &a.out, &d_out, &dw);
}

/* SPDX-License-Identifier: MIT */
/* Attention of the older interface, forward and backward. Work has its own copy of the windows,
 * which lie in host memory. */
#include "attn_descriptor.h"

#include <stdlib.h>
#include <string.h>

struct work {
    struct dnn_multihead op;
    int32_t *windows; /* low, then high */
};

static void release(void *arguments)
{
    struct work *work = arguments;

    if (!work)
        return;
    free(work->windows);
    free(work);
}

static CUresult run(void *arguments)
{
    return dnn_multihead_run(&((struct work *)arguments)->op);
}

static bool fits(cudnnSeqDataDescriptor_t sequences, const struct dnn_multihead *op, int64_t steps,
                 int64_t size)
{
    return dnn_is_sequences(sequences) && sequences->type == op->type &&
           sequences->dims[CUDNN_SEQDATA_TIME_DIM] <= steps &&
           sequences->dims[CUDNN_SEQDATA_VECT_DIM] == size;
}

/* The descriptors say how many sequences of which length there are; at most what the attention was
 * made for. */
static bool describe(struct dnn_multihead *op, cudnnSeqDataDescriptor_t q,
                     cudnnSeqDataDescriptor_t k, cudnnSeqDataDescriptor_t v,
                     cudnnSeqDataDescriptor_t o)
{
    if (!fits(q, op, op->q_steps, op->q_size) || !fits(k, op, op->kv_steps, op->k_size) ||
        !fits(v, op, op->kv_steps, op->v_size) ||
        !fits(o, op, op->q_steps, dnn_multihead_out_size(op)) ||
        q->dims[CUDNN_SEQDATA_BATCH_DIM] > op->batch ||
        q->dims[CUDNN_SEQDATA_BEAM_DIM] > op->beams ||
        k->dims[CUDNN_SEQDATA_BATCH_DIM] != q->dims[CUDNN_SEQDATA_BATCH_DIM] ||
        k->dims[CUDNN_SEQDATA_BEAM_DIM] != (op->own_keys ? q->dims[CUDNN_SEQDATA_BEAM_DIM] : 1) ||
        memcmp(k->dims, v->dims, 3 * sizeof(*k->dims)) != 0 ||
        memcmp(q->dims, o->dims, 3 * sizeof(*q->dims)) != 0)
        return false;
    op->q_steps = q->dims[CUDNN_SEQDATA_TIME_DIM];
    op->kv_steps = k->dims[CUDNN_SEQDATA_TIME_DIM];
    op->batch = q->dims[CUDNN_SEQDATA_BATCH_DIM];
    op->beams = q->dims[CUDNN_SEQDATA_BEAM_DIM];
    return true;
}

static struct dnn_sequences sequences_of(cudnnSeqDataDescriptor_t descriptor, const void *data)
{
    int64_t strides[CUDNN_SEQDATA_DIM_COUNT], stride = 1;

    for (int i = CUDNN_SEQDATA_DIM_COUNT - 1; i >= 0; i--) {
        strides[descriptor->axes[i]] = stride;
        stride *= descriptor->dims[descriptor->axes[i]];
    }
    return (struct dnn_sequences){(void *)data, strides[CUDNN_SEQDATA_TIME_DIM],
                                  strides[CUDNN_SEQDATA_BATCH_DIM],
                                  strides[CUDNN_SEQDATA_BEAM_DIM]};
}

static size_t bytes_of(cudnnSeqDataDescriptor_t descriptor, const void *data)
{
    size_t bytes = data ? dnn_type_bytes(descriptor->type) : 0;

    for (int i = 0; i < CUDNN_SEQDATA_DIM_COUNT; i++)
        bytes *= (size_t)descriptor->dims[i];
    return bytes;
}

/* NULL: out of memory. */
static struct work *work_of(const struct dnn_multihead *op, const int low[], const int high[])
{
    struct work *work = calloc(1, sizeof(*work));
    size_t count = (size_t)op->q_steps;

    if (!work)
        return NULL;
    work->op = *op;
    if (!low)
        return work;
    work->windows = malloc(2 * count * sizeof(*work->windows));
    if (!work->windows) {
        free(work);
        return NULL;
    }
    memcpy(work->windows, low, count * sizeof(*work->windows));
    memcpy(work->windows + count, high, count * sizeof(*work->windows));
    work->op.low = work->windows;
    work->op.high = work->windows + count;
    return work;
}

static size_t weight_bytes(const struct dnn_multihead *op)
{
    return (size_t)dnn_multihead_weight_count(op) * dnn_type_bytes(op->type);
}

static size_t reserve_bytes(const struct dnn_multihead *op)
{
    return op->reserve ? (size_t)dnn_multihead_reserve_count(op) * sizeof(double) : 0;
}

static cudnnStatus_t submit(cudnnHandle_t handle, const char *name, const struct dnn_multihead *op,
                            const int low[], const int high[], const struct cupipe_range *ranges,
                            size_t count)
{
    struct work *work = work_of(op, low, high);

    if (!work)
        return CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED;
    return dnn_submit_owned(handle, name, UINT64_MAX, ranges, count, run, release, work);
}

/* True if what all passes are given is valid. */
static bool is_valid(cudnnHandle_t handle, cudnnAttnDescriptor_t attention, size_t weight_size,
                     const void *weights, size_t reserve_size, const void *reserve)
{
    struct dnn_multihead op;

    if (!dnn_is_handle(handle) || !dnn_is_attention(attention))
        return false;
    op = dnn_multihead_of(attention);
    op.reserve = (void *)reserve;
    return weight_size >= weight_bytes(&op) && (weights || !weight_bytes(&op)) &&
           reserve_size >= reserve_bytes(&op);
}

cudnnStatus_t cudnnMultiHeadAttnForward(cudnnHandle_t handle, const cudnnAttnDescriptor_t attnDesc,
                                        int currIdx, const int loWinIdx[], const int hiWinIdx[],
                                        const int devSeqLengthsQO[], const int devSeqLengthsKV[],
                                        const cudnnSeqDataDescriptor_t qDesc, const void *queries,
                                        const void *residuals, const cudnnSeqDataDescriptor_t kDesc,
                                        const void *keys, const cudnnSeqDataDescriptor_t vDesc,
                                        const void *values, const cudnnSeqDataDescriptor_t oDesc,
                                        void *out, size_t weightSizeInBytes, const void *weights,
                                        size_t workSpaceSizeInBytes, void *workSpace,
                                        size_t reserveSpaceSizeInBytes, void *reserveSpace)
{
    struct dnn_multihead op;

    (void)workSpaceSizeInBytes, (void)workSpace;
    if (!is_valid(handle, attnDesc, weightSizeInBytes, weights, reserveSpaceSizeInBytes,
                  reserveSpace) ||
        !loWinIdx || !hiWinIdx || !devSeqLengthsQO || !devSeqLengthsKV || !queries || !keys ||
        !values || !out)
        return DNN_BAD_PARAM();
    op = dnn_multihead_of(attnDesc);
    if (!describe(&op, qDesc, kDesc, vDesc, oDesc) || currIdx >= op.q_steps ||
        (currIdx >= 0 && reserveSpace))
        return DNN_BAD_PARAM();
    op.step = currIdx < 0 ? -1 : currIdx;
    op.queries = sequences_of(qDesc, queries);
    op.keys = sequences_of(kDesc, keys);
    op.values = sequences_of(vDesc, values);
    op.residuals = sequences_of(oDesc, residuals);
    op.out = sequences_of(oDesc, out);
    op.q_lengths = devSeqLengthsQO;
    op.kv_lengths = devSeqLengthsKV;
    op.weights = weights;
    op.reserve = reserveSpace;
    {
        const struct cupipe_range ranges[] = {
            lib_read(queries, bytes_of(qDesc, queries)),
            lib_read(keys, bytes_of(kDesc, keys)),
            lib_read(values, bytes_of(vDesc, values)),
            lib_read(residuals, bytes_of(oDesc, residuals)),
            lib_read(weights, weight_bytes(&op)),
            lib_read(devSeqLengthsQO, (size_t)(op.batch * op.beams) * sizeof(int)),
            lib_read(devSeqLengthsKV, kDesc->length_count * sizeof(int)),
            lib_partly(lib_written(out, bytes_of(oDesc, out))),
            lib_partly(lib_written(reserveSpace, reserve_bytes(&op))),
        };

        return submit(handle, __func__, &op, loWinIdx, hiWinIdx, ranges,
                      sizeof(ranges) / sizeof(*ranges));
    }
}

cudnnStatus_t cudnnMultiHeadAttnBackwardData(
    cudnnHandle_t handle, const cudnnAttnDescriptor_t attnDesc, const int loWinIdx[],
    const int hiWinIdx[], const int devSeqLengthsDQDO[], const int devSeqLengthsDKDV[],
    const cudnnSeqDataDescriptor_t doDesc, const void *dout, const cudnnSeqDataDescriptor_t dqDesc,
    void *dqueries, const void *queries, const cudnnSeqDataDescriptor_t dkDesc, void *dkeys,
    const void *keys, const cudnnSeqDataDescriptor_t dvDesc, void *dvalues, const void *values,
    size_t weightSizeInBytes, const void *weights, size_t workSpaceSizeInBytes, void *workSpace,
    size_t reserveSpaceSizeInBytes, void *reserveSpace)
{
    struct dnn_multihead op;

    (void)workSpaceSizeInBytes, (void)workSpace;
    if (!is_valid(handle, attnDesc, weightSizeInBytes, weights, reserveSpaceSizeInBytes,
                  reserveSpace) ||
        !loWinIdx || !hiWinIdx || !devSeqLengthsDQDO || !devSeqLengthsDKDV || !dout || !dqueries ||
        !queries || !dkeys || !keys || !dvalues || !values || !reserveSpace)
        return DNN_BAD_PARAM();
    op = dnn_multihead_of(attnDesc);
    if (!describe(&op, dqDesc, dkDesc, dvDesc, doDesc))
        return DNN_BAD_PARAM();
    op.pass = DNN_MULTIHEAD_DATA;
    op.d_out = sequences_of(doDesc, dout);
    op.d_queries = sequences_of(dqDesc, dqueries);
    op.d_keys = sequences_of(dkDesc, dkeys);
    op.d_values = sequences_of(dvDesc, dvalues);
    op.weights = weights;
    op.reserve = reserveSpace;
    {
        const struct cupipe_range ranges[] = {
            lib_read(dout, bytes_of(doDesc, dout)),
            lib_read(weights, weight_bytes(&op)),
            lib_written(dqueries, bytes_of(dqDesc, dqueries)),
            lib_written(dkeys, bytes_of(dkDesc, dkeys)),
            lib_written(dvalues, bytes_of(dvDesc, dvalues)),
            lib_partly(lib_written(reserveSpace, reserve_bytes(&op))),
        };

        return submit(handle, __func__, &op, NULL, NULL, ranges, sizeof(ranges) / sizeof(*ranges));
    }
}

cudnnStatus_t cudnnMultiHeadAttnBackwardWeights(
    cudnnHandle_t handle, const cudnnAttnDescriptor_t attnDesc, cudnnWgradMode_t addGrad,
    const cudnnSeqDataDescriptor_t qDesc, const void *queries, const cudnnSeqDataDescriptor_t kDesc,
    const void *keys, const cudnnSeqDataDescriptor_t vDesc, const void *values,
    const cudnnSeqDataDescriptor_t doDesc, const void *dout, size_t weightSizeInBytes,
    const void *weights, void *dweights, size_t workSpaceSizeInBytes, void *workSpace,
    size_t reserveSpaceSizeInBytes, void *reserveSpace)
{
    struct dnn_multihead op;

    (void)workSpaceSizeInBytes, (void)workSpace;
    if (!is_valid(handle, attnDesc, weightSizeInBytes, weights, reserveSpaceSizeInBytes,
                  reserveSpace) ||
        !queries || !keys || !values || !dout || !reserveSpace ||
        (unsigned)addGrad > CUDNN_WGRAD_MODE_SET)
        return DNN_BAD_PARAM();
    op = dnn_multihead_of(attnDesc);
    if (!describe(&op, qDesc, kDesc, vDesc, doDesc) || (!dweights && weight_bytes(&op)))
        return DNN_BAD_PARAM();
    op.pass = DNN_MULTIHEAD_WEIGHTS;
    op.sets = addGrad == CUDNN_WGRAD_MODE_SET;
    op.queries = sequences_of(qDesc, queries);
    op.keys = sequences_of(kDesc, keys);
    op.values = sequences_of(vDesc, values);
    op.d_out = sequences_of(doDesc, dout);
    op.weights = weights;
    op.d_weights = dweights;
    op.reserve = reserveSpace;
    {
        const struct cupipe_range ranges[] = {
            lib_read(queries, bytes_of(qDesc, queries)),
            lib_read(keys, bytes_of(kDesc, keys)),
            lib_read(values, bytes_of(vDesc, values)),
            lib_read(dout, bytes_of(doDesc, dout)),
            lib_partly(lib_read(reserveSpace, reserve_bytes(&op))),
            lib_read(dweights, op.sets ? 0 : weight_bytes(&op)),
            lib_written(dweights, weight_bytes(&op)),
        };

        return submit(handle, __func__, &op, NULL, NULL, ranges, sizeof(ranges) / sizeof(*ranges));
    }
}

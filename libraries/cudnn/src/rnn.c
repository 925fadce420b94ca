/* SPDX-License-Identifier: MIT */
/* Recurrent networks, forward and backward. Work has its own copy of the lengths of sequences and
 * of where their steps lie, since descriptors may change before it runs. */
#include "rnn_descriptor.h"

#include <stdlib.h>
#include <string.h>

struct work {
    struct dnn_rnn rnn;
    int32_t *lengths;
    int64_t *x_rows, *y_rows;
};

static void release(void *arguments)
{
    struct work *work = arguments;

    if (!work)
        return;
    free(work->lengths);
    free(work->x_rows);
    free(work->y_rows);
    free(work);
}

static CUresult run(void *arguments)
{
    return dnn_rnn_run(&((struct work *)arguments)->rnn);
}

/* Which vector in memory is step t of sequence b. */
static int64_t *rows_of(const struct cudnnRNNDataStruct *data)
{
    int64_t *rows = malloc((size_t)data->steps * (size_t)data->batch * sizeof(*rows)), packed = 0;

    for (int64_t t = 0; rows && t < data->steps; t++)
        for (int64_t b = 0; b < data->batch; b++) {
            int64_t *row = rows + t * data->batch + b;

            if (data->layout == CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED)
                *row = t < data->lengths[b] ? packed++ : -1;
            else if (data->layout == CUDNN_RNN_DATA_LAYOUT_BATCH_MAJOR_UNPACKED)
                *row = b * data->steps + t;
            else
                *row = t * data->batch + b;
        }
    return rows;
}

static bool fits(const struct cudnnRNNStruct *rnn, const struct cudnnRNNDataStruct *x,
                 const struct cudnnRNNDataStruct *y)
{
    int directions = rnn->direction == CUDNN_BIDIRECTIONAL ? 2 : 1;
    int output = rnn->projection ? rnn->projection : rnn->hidden;

    if (rnn->input_mode == CUDNN_SKIP_INPUT && rnn->input != rnn->hidden)
        return false;
    return x->type == rnn->type && y->type == rnn->type && x->width == rnn->input &&
           y->width == output * directions && x->steps == y->steps && x->batch == y->batch &&
           memcmp(x->lengths, y->lengths, (size_t)x->batch * sizeof(*x->lengths)) == 0;
}

static struct work *work_of(cudnnRNNDescriptor_t rnn, cudnnRNNDataDescriptor_t x,
                            cudnnRNNDataDescriptor_t y, enum dnn_rnn_pass pass)
{
    struct work *work = calloc(1, sizeof(*work));

    if (!work)
        return NULL;
    work->lengths = malloc((size_t)x->batch * sizeof(*work->lengths));
    work->x_rows = rows_of(x);
    work->y_rows = rows_of(y);
    if (!work->lengths || !work->x_rows || !work->y_rows) {
        release(work);
        return NULL;
    }
    memcpy(work->lengths, x->lengths, (size_t)x->batch * sizeof(*work->lengths));
    work->rnn = dnn_rnn_of(rnn);
    work->rnn.pass = pass;
    work->rnn.steps = x->steps;
    work->rnn.batch = x->batch;
    work->rnn.lengths = work->lengths;
    work->rnn.x_rows = work->x_rows;
    work->rnn.y_rows = work->y_rows;
    work->rnn.y_fill = y->fill;
    return work;
}

static size_t vectors_bytes(const struct cudnnRNNDataStruct *data)
{
    int64_t vectors = (int64_t)data->steps * data->batch;

    if (data->layout == CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED) {
        vectors = 0;
        for (int b = 0; b < data->batch; b++)
            vectors += data->lengths[b];
    }
    return (size_t)(vectors * data->width) * dnn_type_bytes(data->type);
}

static cudnnStatus_t submit(cudnnHandle_t handle, const char *name, struct work *work,
                            cudnnRNNDataDescriptor_t x, cudnnRNNDataDescriptor_t y)
{
    const struct dnn_rnn *rnn = &work->rnn;
    size_t element = dnn_type_bytes(rnn->type);
    size_t vectors = (size_t)(rnn->layers * rnn->directions * rnn->batch) * element;
    size_t states = vectors * (size_t)rnn->output, cells = vectors * (size_t)rnn->hidden;
    size_t weights = (size_t)dnn_rnn_places(rnn, 0).total * element;
    size_t reserve = (size_t)dnn_rnn_reserve_count(rnn) * (rnn->wide ? 8 : 4);
    size_t x_bytes = vectors_bytes(x), y_bytes = vectors_bytes(y);
    bool lstm = rnn->mode == CUDNN_LSTM;
    size_t generators = rnn->dropout > 0 && rnn->pass == DNN_RNN_FORWARD
                            ? (size_t)rnn->generators.threads * sizeof(struct dnn_generator)
                            : 0;
    const struct cupipe_range all[] = {
        lib_partly(lib_read(rnn->x, rnn->x ? x_bytes : 0)),
        lib_partly(lib_read(rnn->dy, rnn->dy ? y_bytes : 0)),
        lib_read(rnn->hx, rnn->hx ? states : 0),
        lib_read(rnn->cx, rnn->cx && lstm ? cells : 0),
        lib_read(rnn->dhy, rnn->dhy ? states : 0),
        lib_read(rnn->dcy, rnn->dcy && lstm ? cells : 0),
        lib_read(rnn->weights, rnn->weights ? weights : 0),
        lib_written(rnn->y_out, rnn->y_out ? y_bytes : 0),
        lib_written(rnn->dx, rnn->dx ? x_bytes : 0),
        lib_written(rnn->hy, rnn->hy ? states : 0),
        lib_written(rnn->cy, rnn->cy && lstm ? cells : 0),
        lib_written(rnn->dhx, rnn->dhx ? states : 0),
        lib_written(rnn->dcx, rnn->dcx && lstm ? cells : 0),
        lib_written(rnn->dweights, rnn->dweights ? weights : 0),
        lib_partly(lib_written(rnn->reserve, rnn->reserve ? reserve : 0)),
        lib_read(rnn->generators.memory, generators),
        lib_written(rnn->generators.memory, generators),
    };

    return dnn_submit_owned(handle, name, UINT64_MAX, all, sizeof(all) / sizeof(*all), run, release,
                            work);
}

static bool valid(cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, cudnnRNNDataDescriptor_t x,
                  cudnnRNNDataDescriptor_t y)
{
    return dnn_is_handle(handle) && dnn_is_rnn(rnn) && dnn_is_rnn_data(x) && dnn_is_rnn_data(y) &&
           fits(rnn, x, y);
}

/* True if the reserve is large enough for the network. */
static bool holds(cudnnRNNDescriptor_t rnn, cudnnRNNDataDescriptor_t x, size_t bytes)
{
    struct dnn_rnn network = dnn_rnn_of(rnn);

    network.steps = x->steps;
    network.batch = x->batch;
    return bytes >= (size_t)dnn_rnn_reserve_count(&network) * (network.wide ? 8 : 4);
}

cudnnStatus_t cudnnRNNForward(cudnnHandle_t handle, cudnnRNNDescriptor_t rnnDesc,
                              cudnnForwardMode_t fwdMode, const int32_t devSeqLengths[],
                              cudnnRNNDataDescriptor_t xDesc, const void *x,
                              cudnnRNNDataDescriptor_t yDesc, void *y,
                              cudnnTensorDescriptor_t hDesc, const void *hx, void *hy,
                              cudnnTensorDescriptor_t cDesc, const void *cx, void *cy,
                              size_t weightSpaceSize, const void *weightSpace, size_t workSpaceSize,
                              void *workSpace, size_t reserveSpaceSize, void *reserveSpace)
{
    bool training = fwdMode == CUDNN_FWD_MODE_TRAINING;
    struct work *work;

    (void)devSeqLengths, (void)hDesc, (void)cDesc, (void)weightSpaceSize;
    (void)workSpaceSize, (void)workSpace;
    if (!valid(handle, rnnDesc, xDesc, yDesc) || (unsigned)fwdMode > CUDNN_FWD_MODE_TRAINING ||
        !x || !y || !weightSpace ||
        (training && (!reserveSpace || !holds(rnnDesc, xDesc, reserveSpaceSize))))
        return DNN_BAD_PARAM();
    work = work_of(rnnDesc, xDesc, yDesc, DNN_RNN_FORWARD);
    if (!work)
        return CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED;
    work->rnn.x = x;
    work->rnn.y_out = y;
    work->rnn.hx = hx;
    work->rnn.hy = hy;
    work->rnn.cx = cx;
    work->rnn.cy = cy;
    work->rnn.weights = weightSpace;
    work->rnn.reserve = training ? reserveSpace : NULL;
    if (!training)
        work->rnn.dropout = 0;
    return submit(handle, __func__, work, xDesc, yDesc);
}

cudnnStatus_t cudnnRNNBackwardData_v8(cudnnHandle_t handle, cudnnRNNDescriptor_t rnnDesc,
                                      const int32_t devSeqLengths[], cudnnRNNDataDescriptor_t yDesc,
                                      const void *y, const void *dy, cudnnRNNDataDescriptor_t xDesc,
                                      void *dx, cudnnTensorDescriptor_t hDesc, const void *hx,
                                      const void *dhy, void *dhx, cudnnTensorDescriptor_t cDesc,
                                      const void *cx, const void *dcy, void *dcx,
                                      size_t weightSpaceSize, const void *weightSpace,
                                      size_t workSpaceSize, void *workSpace,
                                      size_t reserveSpaceSize, void *reserveSpace)
{
    struct work *work;

    (void)devSeqLengths, (void)hDesc, (void)cDesc, (void)weightSpaceSize;
    (void)workSpaceSize, (void)workSpace;
    if (!valid(handle, rnnDesc, xDesc, yDesc) || !y || !dy || !dx || !weightSpace ||
        !reserveSpace || !holds(rnnDesc, xDesc, reserveSpaceSize))
        return DNN_BAD_PARAM();
    work = work_of(rnnDesc, xDesc, yDesc, DNN_RNN_DATA);
    if (!work)
        return CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED;
    work->rnn.y = y;
    work->rnn.dy = dy;
    work->rnn.dx = dx;
    work->rnn.hx = hx;
    work->rnn.dhy = dhy;
    work->rnn.dhx = dhx;
    work->rnn.cx = cx;
    work->rnn.dcy = dcy;
    work->rnn.dcx = dcx;
    work->rnn.weights = weightSpace;
    work->rnn.reserve = reserveSpace;
    return submit(handle, __func__, work, xDesc, yDesc);
}

cudnnStatus_t cudnnRNNBackwardWeights_v8(cudnnHandle_t handle, cudnnRNNDescriptor_t rnnDesc,
                                         cudnnWgradMode_t addGrad, const int32_t devSeqLengths[],
                                         cudnnRNNDataDescriptor_t xDesc, const void *x,
                                         cudnnTensorDescriptor_t hDesc, const void *hx,
                                         cudnnRNNDataDescriptor_t yDesc, const void *y,
                                         size_t weightSpaceSize, void *dweightSpace,
                                         size_t workSpaceSize, void *workSpace,
                                         size_t reserveSpaceSize, void *reserveSpace)
{
    struct work *work;

    (void)devSeqLengths, (void)hDesc, (void)weightSpaceSize, (void)workSpaceSize, (void)workSpace;
    if (!valid(handle, rnnDesc, xDesc, yDesc) || !x || !y || !dweightSpace || !reserveSpace ||
        (unsigned)addGrad > CUDNN_WGRAD_MODE_SET || !holds(rnnDesc, xDesc, reserveSpaceSize))
        return DNN_BAD_PARAM();
    if (addGrad != CUDNN_WGRAD_MODE_ADD)
        return DNN_UNSUPPORTED();
    work = work_of(rnnDesc, xDesc, yDesc, DNN_RNN_WEIGHTS);
    if (!work)
        return CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED;
    work->rnn.hx = hx;
    work->rnn.dweights = dweightSpace;
    work->rnn.reserve = reserveSpace;
    return submit(handle, __func__, work, xDesc, yDesc);
}

/* SPDX-License-Identifier: MIT */
/* Settings of recurrent networks: the network, its sequences, and where its weights lie. */
#include "rnn_descriptor.h"

#include <stdlib.h>
#include <string.h>

static void data_finish(void *object)
{
    free(((struct cudnnRNNDataStruct *)object)->lengths);
}

const struct lib_object_type dnn_rnn_type = {.bytes = sizeof(struct cudnnRNNStruct)};
const struct lib_object_type dnn_rnn_data_type = {.bytes = sizeof(struct cudnnRNNDataStruct),
                                                  .finish = data_finish};

bool dnn_is_rnn(const void *descriptor)
{
    return lib_object_is(descriptor, &dnn_rnn_type) &&
           ((const struct cudnnRNNStruct *)descriptor)->is_set;
}

bool dnn_is_rnn_data(const void *descriptor)
{
    return lib_object_is(descriptor, &dnn_rnn_data_type) &&
           ((const struct cudnnRNNDataStruct *)descriptor)->lengths;
}

cudnnStatus_t cudnnCreateRNNDescriptor(cudnnRNNDescriptor_t *rnnDesc)
{
    if (!rnnDesc)
        return DNN_BAD_PARAM();
    *rnnDesc = lib_object_create(&dnn_rnn_type);
    return *rnnDesc ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED;
}

cudnnStatus_t cudnnDestroyRNNDescriptor(cudnnRNNDescriptor_t rnnDesc)
{
    return !rnnDesc || lib_object_destroy(rnnDesc, &dnn_rnn_type) ? CUDNN_STATUS_SUCCESS
                                                                  : DNN_BAD_PARAM();
}

cudnnStatus_t cudnnCreateRNNDataDescriptor(cudnnRNNDataDescriptor_t *rnnDataDesc)
{
    if (!rnnDataDesc)
        return DNN_BAD_PARAM();
    *rnnDataDesc = lib_object_create(&dnn_rnn_data_type);
    return *rnnDataDesc ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED;
}

cudnnStatus_t cudnnDestroyRNNDataDescriptor(cudnnRNNDataDescriptor_t rnnDataDesc)
{
    return !rnnDataDesc || lib_object_destroy(rnnDataDesc, &dnn_rnn_data_type)
               ? CUDNN_STATUS_SUCCESS
               : DNN_BAD_PARAM();
}

cudnnStatus_t cudnnSetRNNDescriptor_v8(cudnnRNNDescriptor_t rnnDesc, cudnnRNNAlgo_t algo,
                                       cudnnRNNMode_t cellMode, cudnnRNNBiasMode_t biasMode,
                                       cudnnDirectionMode_t dirMode, cudnnRNNInputMode_t inputMode,
                                       cudnnDataType_t dataType, cudnnDataType_t mathPrec,
                                       cudnnMathType_t mathType, int32_t inputSize,
                                       int32_t hiddenSize, int32_t projSize, int32_t numLayers,
                                       cudnnDropoutDescriptor_t dropoutDesc, uint32_t auxFlags)
{
    if (!lib_object_is(rnnDesc, &dnn_rnn_type) || (unsigned)algo >= CUDNN_RNN_ALGO_COUNT ||
        (unsigned)cellMode > CUDNN_GRU || (unsigned)biasMode > CUDNN_RNN_SINGLE_REC_BIAS ||
        (unsigned)dirMode > CUDNN_BIDIRECTIONAL || (unsigned)inputMode > CUDNN_SKIP_INPUT ||
        (unsigned)mathType > CUDNN_FMA_MATH || inputSize <= 0 || hiddenSize <= 0 || projSize < 0 ||
        projSize > hiddenSize || numLayers <= 0 ||
        (dropoutDesc && !lib_object_is(dropoutDesc, &dnn_dropout_type)))
        return DNN_BAD_PARAM();
    if ((projSize != 0 && projSize != hiddenSize &&
         (cellMode != CUDNN_LSTM || algo != CUDNN_RNN_ALGO_STANDARD)) ||
        (dataType != CUDNN_DATA_FLOAT && dataType != CUDNN_DATA_DOUBLE &&
         dataType != CUDNN_DATA_HALF && dataType != CUDNN_DATA_BFLOAT16))
        return DNN_UNSUPPORTED();
    rnnDesc->algo = algo;
    rnnDesc->mode = cellMode;
    rnnDesc->bias = biasMode;
    rnnDesc->direction = dirMode;
    rnnDesc->input_mode = inputMode;
    rnnDesc->type = dataType;
    rnnDesc->math_precision = mathPrec;
    rnnDesc->math = mathType;
    rnnDesc->input = inputSize;
    rnnDesc->hidden = hiddenSize;
    rnnDesc->projection = projSize;
    rnnDesc->layers = numLayers;
    rnnDesc->dropout = dropoutDesc;
    rnnDesc->flags = auxFlags;
    rnnDesc->is_set = true;
    return CUDNN_STATUS_SUCCESS;
}

/* Writes a setting of which the caller wants to know: NULL is given for the others. */
static void answer(void *out, const void *setting, size_t bytes)
{
    if (out)
        memcpy(out, setting, bytes);
}

cudnnStatus_t cudnnGetRNNDescriptor_v8(cudnnRNNDescriptor_t rnnDesc, cudnnRNNAlgo_t *algo,
                                       cudnnRNNMode_t *cellMode, cudnnRNNBiasMode_t *biasMode,
                                       cudnnDirectionMode_t *dirMode,
                                       cudnnRNNInputMode_t *inputMode, cudnnDataType_t *dataType,
                                       cudnnDataType_t *mathPrec, cudnnMathType_t *mathType,
                                       int32_t *inputSize, int32_t *hiddenSize, int32_t *projSize,
                                       int32_t *numLayers, cudnnDropoutDescriptor_t *dropoutDesc,
                                       uint32_t *auxFlags)
{
    if (!dnn_is_rnn(rnnDesc))
        return DNN_BAD_PARAM();
    answer(algo, &rnnDesc->algo, sizeof *algo);
    answer(cellMode, &rnnDesc->mode, sizeof *cellMode);
    answer(biasMode, &rnnDesc->bias, sizeof *biasMode);
    answer(dirMode, &rnnDesc->direction, sizeof *dirMode);
    answer(inputMode, &rnnDesc->input_mode, sizeof *inputMode);
    answer(dataType, &rnnDesc->type, sizeof *dataType);
    answer(mathPrec, &rnnDesc->math_precision, sizeof *mathPrec);
    answer(mathType, &rnnDesc->math, sizeof *mathType);
    answer(inputSize, &rnnDesc->input, sizeof *inputSize);
    answer(hiddenSize, &rnnDesc->hidden, sizeof *hiddenSize);
    answer(projSize, &rnnDesc->projection, sizeof *projSize);
    answer(numLayers, &rnnDesc->layers, sizeof *numLayers);
    answer(dropoutDesc, &rnnDesc->dropout, sizeof *dropoutDesc);
    answer(auxFlags, &rnnDesc->flags, sizeof *auxFlags);
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnRNNSetClip_v8(cudnnRNNDescriptor_t rnnDesc, cudnnRNNClipMode_t clipMode,
                                 cudnnNanPropagation_t clipNanOpt, double lclip, double rclip)
{
    if (!lib_object_is(rnnDesc, &dnn_rnn_type) || (unsigned)clipMode > CUDNN_RNN_CLIP_MINMAX ||
        (unsigned)clipNanOpt > CUDNN_PROPAGATE_NAN ||
        (clipMode == CUDNN_RNN_CLIP_MINMAX && !(lclip <= rclip)))
        return DNN_BAD_PARAM();
    rnnDesc->clip = clipMode;
    rnnDesc->clip_nan = clipNanOpt;
    rnnDesc->clip_low = lclip;
    rnnDesc->clip_high = rclip;
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnRNNSetClip_v9(cudnnRNNDescriptor_t rnnDesc, cudnnRNNClipMode_t clipMode,
                                 double lclip, double rclip)
{
    return cudnnRNNSetClip_v8(rnnDesc, clipMode, CUDNN_NOT_PROPAGATE_NAN, lclip, rclip);
}

cudnnStatus_t cudnnRNNGetClip_v8(cudnnRNNDescriptor_t rnnDesc, cudnnRNNClipMode_t *clipMode,
                                 cudnnNanPropagation_t *clipNanOpt, double *lclip, double *rclip)
{
    if (!lib_object_is(rnnDesc, &dnn_rnn_type))
        return DNN_BAD_PARAM();
    if (clipMode)
        *clipMode = rnnDesc->clip;
    if (clipNanOpt)
        *clipNanOpt = rnnDesc->clip_nan;
    if (lclip)
        *lclip = rnnDesc->clip_low;
    if (rclip)
        *rclip = rnnDesc->clip_high;
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnRNNGetClip_v9(cudnnRNNDescriptor_t rnnDesc, cudnnRNNClipMode_t *clipMode,
                                 double *lclip, double *rclip)
{
    return cudnnRNNGetClip_v8(rnnDesc, clipMode, NULL, lclip, rclip);
}

cudnnStatus_t cudnnBuildRNNDynamic(cudnnHandle_t handle, cudnnRNNDescriptor_t rnnDesc,
                                   int miniBatch)
{
    if (!dnn_is_handle(handle) || !dnn_is_rnn(rnnDesc) || miniBatch <= 0)
        return DNN_BAD_PARAM();
    return rnnDesc->algo == CUDNN_RNN_ALGO_PERSIST_DYNAMIC ? CUDNN_STATUS_SUCCESS : DNN_BAD_PARAM();
}

cudnnStatus_t cudnnSetRNNDataDescriptor(cudnnRNNDataDescriptor_t rnnDataDesc,
                                        cudnnDataType_t dataType, cudnnRNNDataLayout_t layout,
                                        int maxSeqLength, int batchSize, int vectorSize,
                                        const int seqLengthArray[], void *paddingFill)
{
    int32_t *lengths;

    if (!lib_object_is(rnnDataDesc, &dnn_rnn_data_type) || !dnn_type_bytes(dataType) ||
        (unsigned)layout > CUDNN_RNN_DATA_LAYOUT_BATCH_MAJOR_UNPACKED || maxSeqLength <= 0 ||
        batchSize <= 0 || vectorSize <= 0 || !seqLengthArray)
        return DNN_BAD_PARAM();
    for (int i = 0; i < batchSize; i++)
        if (seqLengthArray[i] < 0 || seqLengthArray[i] > maxSeqLength ||
            (layout == CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED && i &&
             seqLengthArray[i] > seqLengthArray[i - 1]))
            return DNN_BAD_PARAM();
    lengths = malloc((size_t)batchSize * sizeof(*lengths));
    if (!lengths)
        return CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED;
    memcpy(lengths, seqLengthArray, (size_t)batchSize * sizeof(*lengths));
    free(rnnDataDesc->lengths);
    rnnDataDesc->lengths = lengths;
    rnnDataDesc->type = dataType;
    rnnDataDesc->layout = layout;
    rnnDataDesc->steps = maxSeqLength;
    rnnDataDesc->batch = batchSize;
    rnnDataDesc->width = vectorSize;
    rnnDataDesc->fill = paddingFill ? dnn_get(dataType, paddingFill) : 0;
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetRNNDataDescriptor(cudnnRNNDataDescriptor_t rnnDataDesc,
                                        cudnnDataType_t *dataType, cudnnRNNDataLayout_t *layout,
                                        int *maxSeqLength, int *batchSize, int *vectorSize,
                                        int arrayLengthRequested, int seqLengthArray[],
                                        void *paddingFill)
{
    if (!dnn_is_rnn_data(rnnDataDesc) || !dataType || !layout || !maxSeqLength || !batchSize ||
        !vectorSize || arrayLengthRequested < 0 || (arrayLengthRequested && !seqLengthArray))
        return DNN_BAD_PARAM();
    *dataType = rnnDataDesc->type;
    *layout = rnnDataDesc->layout;
    *maxSeqLength = rnnDataDesc->steps;
    *batchSize = rnnDataDesc->batch;
    *vectorSize = rnnDataDesc->width;
    for (int i = 0; i < arrayLengthRequested && i < rnnDataDesc->batch; i++)
        seqLengthArray[i] = rnnDataDesc->lengths[i];
    if (paddingFill)
        dnn_set(rnnDataDesc->type, paddingFill, rnnDataDesc->fill);
    return CUDNN_STATUS_SUCCESS;
}

struct dnn_rnn dnn_rnn_of(cudnnRNNDescriptor_t descriptor)
{
    /* The descriptor of the dropout may be gone; without states there is none. */
    bool drops = lib_object_is(descriptor->dropout, &dnn_dropout_type) &&
                 descriptor->dropout->states && descriptor->layers > 1;

    return (struct dnn_rnn){
        .mode = descriptor->mode,
        .layers = descriptor->layers,
        .directions = descriptor->direction == CUDNN_BIDIRECTIONAL ? 2 : 1,
        .input_bias = descriptor->bias == CUDNN_RNN_SINGLE_INP_BIAS ||
                      descriptor->bias == CUDNN_RNN_DOUBLE_BIAS,
        .state_bias = descriptor->bias == CUDNN_RNN_SINGLE_REC_BIAS ||
                      descriptor->bias == CUDNN_RNN_DOUBLE_BIAS,
        .skips_input = descriptor->input_mode == CUDNN_SKIP_INPUT,
        .input = descriptor->input,
        .hidden = descriptor->hidden,
        .output = descriptor->projection ? descriptor->projection : descriptor->hidden,
        .type = descriptor->type,
        .wide = descriptor->type == CUDNN_DATA_DOUBLE,
        .clips = descriptor->clip == CUDNN_RNN_CLIP_MINMAX,
        .clip_low = descriptor->clip_low,
        .clip_high = descriptor->clip_high,
        .dropout = drops ? (double)descriptor->dropout->dropout : 0,
        .generators =
            drops ? dnn_dropout_generators(descriptor->dropout) : (struct dnn_generators){0},
    };
}

cudnnStatus_t cudnnGetRNNWeightSpaceSize(cudnnHandle_t handle, cudnnRNNDescriptor_t rnnDesc,
                                         size_t *weightSpaceSize)
{
    struct dnn_rnn rnn;

    if (!dnn_is_handle(handle) || !dnn_is_rnn(rnnDesc) || !weightSpaceSize)
        return DNN_BAD_PARAM();
    rnn = dnn_rnn_of(rnnDesc);
    *weightSpaceSize = (size_t)dnn_rnn_places(&rnn, 0).total * dnn_type_bytes(rnn.type);
    return CUDNN_STATUS_SUCCESS;
}

/* A matrix or a vector of the weights as a tensor of rank 3. An absent one has no address. */
static void describe(cudnnTensorDescriptor_t descriptor, void **address, const struct dnn_rnn *rnn,
                     const void *space, int64_t place, int64_t rows, int64_t columns)
{
    const int64_t dims[] = {1, rows, columns};

    *address =
        place < 0 || !space ? NULL : (char *)space + (size_t)place * dnn_type_bytes(rnn->type);
    descriptor->shape = (struct dnn_tensor){0};
    descriptor->type = rnn->type;
    if (place >= 0)
        descriptor->shape = dnn_packed(NULL, rnn->type, 3, dims);
}

cudnnStatus_t cudnnGetRNNWeightParams(cudnnHandle_t handle, cudnnRNNDescriptor_t rnnDesc,
                                      int32_t pseudoLayer, size_t weightSpaceSize,
                                      const void *weightSpace, int32_t linLayerID,
                                      cudnnTensorDescriptor_t mDesc, void **mAddr,
                                      cudnnTensorDescriptor_t bDesc, void **bAddr)
{
    struct dnn_rnn_places places;
    struct dnn_rnn rnn;
    int gates;
    int64_t width, bias, matrix;

    (void)weightSpaceSize;
    if (!dnn_is_handle(handle) || !dnn_is_rnn(rnnDesc) || !mAddr || !bAddr ||
        !lib_object_is(mDesc, &dnn_tensor_type) || !lib_object_is(bDesc, &dnn_tensor_type))
        return DNN_BAD_PARAM();
    rnn = dnn_rnn_of(rnnDesc);
    gates = dnn_rnn_gates(rnn.mode);
    if (pseudoLayer < 0 || pseudoLayer >= rnn.layers * rnn.directions || linLayerID < 0 ||
        linLayerID > 2 * gates)
        return DNN_BAD_PARAM();
    places = dnn_rnn_places(&rnn, pseudoLayer);
    if (linLayerID == 2 * gates) {
        describe(mDesc, mAddr, &rnn, weightSpace, places.projection, rnn.output, rnn.hidden);
        describe(bDesc, bAddr, &rnn, NULL, -1, 0, 0);
        return CUDNN_STATUS_SUCCESS;
    }
    width =
        linLayerID < gates ? dnn_rnn_input_columns(&rnn, pseudoLayer / rnn.directions) : rnn.output;
    bias = linLayerID < gates ? places.input_bias : places.state_bias;
    matrix = linLayerID < gates ? places.input : places.state;
    describe(mDesc, mAddr, &rnn, weightSpace,
             width ? matrix + linLayerID % gates * rnn.hidden * width : -1, rnn.hidden, width);
    describe(bDesc, bAddr, &rnn, weightSpace,
             bias < 0 ? -1 : bias + linLayerID % gates * rnn.hidden, rnn.hidden, 1);
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetRNNTempSpaceSizes(cudnnHandle_t handle, cudnnRNNDescriptor_t rnnDesc,
                                        cudnnForwardMode_t fwdMode, cudnnRNNDataDescriptor_t xDesc,
                                        size_t *workSpaceSize, size_t *reserveSpaceSize)
{
    struct dnn_rnn rnn;

    if (!dnn_is_handle(handle) || !dnn_is_rnn(rnnDesc) || !dnn_is_rnn_data(xDesc) ||
        (unsigned)fwdMode > CUDNN_FWD_MODE_TRAINING)
        return DNN_BAD_PARAM();
    rnn = dnn_rnn_of(rnnDesc);
    rnn.steps = xDesc->steps;
    rnn.batch = xDesc->batch;
    if (workSpaceSize)
        *workSpaceSize = 0;
    if (reserveSpaceSize)
        *reserveSpaceSize = fwdMode == CUDNN_FWD_MODE_TRAINING
                                ? (size_t)dnn_rnn_reserve_count(&rnn) * (rnn.wide ? 8 : 4)
                                : 0;
    return CUDNN_STATUS_SUCCESS;
}

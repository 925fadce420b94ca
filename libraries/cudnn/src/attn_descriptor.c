/* SPDX-License-Identifier: MIT */
/* Descriptors of sequences and of attention, and what follows from them: places of weights, sizes
 * of memory. */
#include "attn_descriptor.h"

#include <stdlib.h>
#include <string.h>

static void free_lengths(void *object)
{
    free(((struct cudnnSeqDataStruct *)object)->lengths);
}

static const struct lib_object_type sequences_type = {.bytes = sizeof(struct cudnnSeqDataStruct),
                                                      .finish = free_lengths};
static const struct lib_object_type attention_type = {.bytes = sizeof(struct cudnnAttnStruct)};

bool dnn_is_sequences(const void *descriptor)
{
    return lib_object_is(descriptor, &sequences_type) &&
           ((const struct cudnnSeqDataStruct *)descriptor)->lengths;
}

bool dnn_is_attention(const void *descriptor)
{
    return lib_object_is(descriptor, &attention_type) &&
           ((const struct cudnnAttnStruct *)descriptor)->is_set;
}

cudnnStatus_t cudnnCreateSeqDataDescriptor(cudnnSeqDataDescriptor_t *seqDataDesc)
{
    if (!seqDataDesc)
        return DNN_BAD_PARAM();
    *seqDataDesc = lib_object_create(&sequences_type);
    return *seqDataDesc ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED;
}

cudnnStatus_t cudnnDestroySeqDataDescriptor(cudnnSeqDataDescriptor_t seqDataDesc)
{
    return !seqDataDesc || lib_object_destroy(seqDataDesc, &sequences_type) ? CUDNN_STATUS_SUCCESS
                                                                            : DNN_BAD_PARAM();
}

/* Vectors come last; the other axes stand in any order. */
static bool is_order(const cudnnSeqDataAxis_t axes[])
{
    unsigned seen = 0;

    for (int i = 0; i < CUDNN_SEQDATA_DIM_COUNT; i++)
        seen |= (unsigned)axes[i] < CUDNN_SEQDATA_DIM_COUNT ? 1u << axes[i] : 0;
    return seen == (1u << CUDNN_SEQDATA_DIM_COUNT) - 1 &&
           axes[CUDNN_SEQDATA_DIM_COUNT - 1] == CUDNN_SEQDATA_VECT_DIM;
}

cudnnStatus_t cudnnSetSeqDataDescriptor(cudnnSeqDataDescriptor_t seqDataDesc,
                                        cudnnDataType_t dataType, int nbDims, const int dimA[],
                                        const cudnnSeqDataAxis_t axes[], size_t seqLengthArraySize,
                                        const int seqLengthArray[], void *paddingFill)
{
    int *lengths;

    if (!lib_object_is(seqDataDesc, &sequences_type) || nbDims != CUDNN_SEQDATA_DIM_COUNT ||
        !dimA || !axes || !seqLengthArray)
        return DNN_BAD_PARAM();
    for (int i = 0; i < nbDims; i++)
        if (dimA[i] < 1)
            return DNN_BAD_PARAM();
    if (!is_order(axes) || seqLengthArraySize != (size_t)dimA[CUDNN_SEQDATA_BATCH_DIM] *
                                                     (size_t)dimA[CUDNN_SEQDATA_BEAM_DIM])
        return DNN_BAD_PARAM();
    if (paddingFill || (dataType != CUDNN_DATA_FLOAT && dataType != CUDNN_DATA_DOUBLE &&
                        dataType != CUDNN_DATA_HALF))
        return DNN_UNSUPPORTED();
    for (size_t i = 0; i < seqLengthArraySize; i++)
        if (seqLengthArray[i] < 0 || seqLengthArray[i] > dimA[CUDNN_SEQDATA_TIME_DIM])
            return DNN_BAD_PARAM();
    lengths = malloc(seqLengthArraySize * sizeof(*lengths));
    if (!lengths)
        return CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED;
    memcpy(lengths, seqLengthArray, seqLengthArraySize * sizeof(*lengths));
    free(seqDataDesc->lengths);
    seqDataDesc->lengths = lengths;
    seqDataDesc->length_count = seqLengthArraySize;
    seqDataDesc->type = dataType;
    memcpy(seqDataDesc->dims, dimA, sizeof(seqDataDesc->dims));
    memcpy(seqDataDesc->axes, axes, sizeof(seqDataDesc->axes));
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetSeqDataDescriptor(const cudnnSeqDataDescriptor_t seqDataDesc,
                                        cudnnDataType_t *dataType, int *nbDims, int nbDimsRequested,
                                        int dimA[], cudnnSeqDataAxis_t axes[],
                                        size_t *seqLengthArraySize, size_t seqLengthSizeRequested,
                                        int seqLengthArray[], void *paddingFill)
{
    (void)paddingFill; /* there is none */
    if (!dnn_is_sequences(seqDataDesc) || nbDimsRequested < 0)
        return DNN_BAD_PARAM();
    if (dataType)
        *dataType = seqDataDesc->type;
    if (nbDims)
        *nbDims = CUDNN_SEQDATA_DIM_COUNT;
    for (int i = 0; i < nbDimsRequested && i < CUDNN_SEQDATA_DIM_COUNT; i++) {
        if (dimA)
            dimA[i] = seqDataDesc->dims[i];
        if (axes)
            axes[i] = seqDataDesc->axes[i];
    }
    if (seqLengthArraySize)
        *seqLengthArraySize = seqDataDesc->length_count;
    for (size_t i = 0; i < seqLengthSizeRequested && i < seqDataDesc->length_count; i++)
        if (seqLengthArray)
            seqLengthArray[i] = seqDataDesc->lengths[i];
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnCreateAttnDescriptor(cudnnAttnDescriptor_t *attnDesc)
{
    if (!attnDesc)
        return DNN_BAD_PARAM();
    *attnDesc = lib_object_create(&attention_type);
    return *attnDesc ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED;
}

cudnnStatus_t cudnnDestroyAttnDescriptor(cudnnAttnDescriptor_t attnDesc)
{
    return !attnDesc || lib_object_destroy(attnDesc, &attention_type) ? CUDNN_STATUS_SUCCESS
                                                                      : DNN_BAD_PARAM();
}

static bool drops(cudnnDropoutDescriptor_t dropout)
{
    return lib_object_is(dropout, &dnn_dropout_type) && dropout->dropout > 0;
}

cudnnStatus_t cudnnSetAttnDescriptor(cudnnAttnDescriptor_t attnDesc, unsigned attnMode, int nHeads,
                                     double smScaler, cudnnDataType_t dataType,
                                     cudnnDataType_t computePrec, cudnnMathType_t mathType,
                                     cudnnDropoutDescriptor_t attnDropoutDesc,
                                     cudnnDropoutDescriptor_t postDropoutDesc, int qSize, int kSize,
                                     int vSize, int qProjSize, int kProjSize, int vProjSize,
                                     int oProjSize, int qoMaxSeqLength, int kvMaxSeqLength,
                                     int maxBatchSize, int maxBeamSize)
{
    if (!lib_object_is(attnDesc, &attention_type) || nHeads < 1 || smScaler < 0 || qSize < 1 ||
        kSize < 1 || vSize < 1 || qProjSize < 0 || kProjSize < 0 || vProjSize < 0 ||
        oProjSize < 0 || qoMaxSeqLength < 1 || kvMaxSeqLength < 1 || maxBatchSize < 1 ||
        maxBeamSize < 1 || attnMode > 3 || qProjSize != kProjSize ||
        (!qProjSize && qSize != kSize) || (unsigned)mathType > CUDNN_FMA_MATH)
        return DNN_BAD_PARAM();
    if ((dataType != CUDNN_DATA_FLOAT && dataType != CUDNN_DATA_DOUBLE &&
         dataType != CUDNN_DATA_HALF) ||
        drops(attnDropoutDesc) || drops(postDropoutDesc))
        return DNN_UNSUPPORTED();
    attnDesc->mode = attnMode;
    attnDesc->type = dataType;
    attnDesc->compute = computePrec;
    attnDesc->math = mathType;
    attnDesc->attention_dropout = attnDropoutDesc;
    attnDesc->result_dropout = postDropoutDesc;
    attnDesc->scale = smScaler;
    attnDesc->heads = nHeads;
    attnDesc->q_size = qSize, attnDesc->k_size = kSize, attnDesc->v_size = vSize;
    attnDesc->q_project = qProjSize, attnDesc->k_project = kProjSize;
    attnDesc->v_project = vProjSize, attnDesc->o_project = oProjSize;
    attnDesc->q_steps = qoMaxSeqLength, attnDesc->kv_steps = kvMaxSeqLength;
    attnDesc->batch = maxBatchSize, attnDesc->beams = maxBeamSize;
    attnDesc->is_set = true;
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetAttnDescriptor(cudnnAttnDescriptor_t attnDesc, unsigned *attnMode,
                                     int *nHeads, double *smScaler, cudnnDataType_t *dataType,
                                     cudnnDataType_t *computePrec, cudnnMathType_t *mathType,
                                     cudnnDropoutDescriptor_t *attnDropoutDesc,
                                     cudnnDropoutDescriptor_t *postDropoutDesc, int *qSize,
                                     int *kSize, int *vSize, int *qProjSize, int *kProjSize,
                                     int *vProjSize, int *oProjSize, int *qoMaxSeqLength,
                                     int *kvMaxSeqLength, int *maxBatchSize, int *maxBeamSize)
{
    if (!dnn_is_attention(attnDesc))
        return DNN_BAD_PARAM();
    {
        const struct {
            int *out, value;
        } numbers[] = {{nHeads, attnDesc->heads},           {qSize, attnDesc->q_size},
                       {kSize, attnDesc->k_size},           {vSize, attnDesc->v_size},
                       {qProjSize, attnDesc->q_project},    {kProjSize, attnDesc->k_project},
                       {vProjSize, attnDesc->v_project},    {oProjSize, attnDesc->o_project},
                       {qoMaxSeqLength, attnDesc->q_steps}, {kvMaxSeqLength, attnDesc->kv_steps},
                       {maxBatchSize, attnDesc->batch},     {maxBeamSize, attnDesc->beams}};

        for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
            if (numbers[i].out)
                *numbers[i].out = numbers[i].value;
    }
    if (attnMode)
        *attnMode = attnDesc->mode;
    if (smScaler)
        *smScaler = attnDesc->scale;
    if (dataType)
        *dataType = attnDesc->type;
    if (computePrec)
        *computePrec = attnDesc->compute;
    if (mathType)
        *mathType = attnDesc->math;
    if (attnDropoutDesc)
        *attnDropoutDesc = attnDesc->attention_dropout;
    if (postDropoutDesc)
        *postDropoutDesc = attnDesc->result_dropout;
    return CUDNN_STATUS_SUCCESS;
}

struct dnn_multihead dnn_multihead_of(cudnnAttnDescriptor_t descriptor)
{
    return (struct dnn_multihead){
        .type = descriptor->type,
        .heads = descriptor->heads,
        .q_size = descriptor->q_size,
        .k_size = descriptor->k_size,
        .v_size = descriptor->v_size,
        .qk_project = descriptor->q_project,
        .v_project = descriptor->v_project,
        .o_project = descriptor->o_project,
        .biases = descriptor->mode & CUDNN_ATTN_ENABLE_PROJ_BIASES,
        .own_keys = descriptor->mode & CUDNN_ATTN_QUERYMAP_ONE_TO_ONE,
        .scale = descriptor->scale,
        .batch = descriptor->batch,
        .beams = descriptor->beams,
        .q_steps = descriptor->q_steps,
        .kv_steps = descriptor->kv_steps,
        .step = -1,
    };
}

cudnnStatus_t cudnnGetMultiHeadAttnBuffers(cudnnHandle_t handle,
                                           const cudnnAttnDescriptor_t attnDesc,
                                           size_t *weightSizeInBytes, size_t *workSpaceSizeInBytes,
                                           size_t *reserveSpaceSizeInBytes)
{
    struct dnn_multihead op;

    if (!dnn_is_handle(handle) || !dnn_is_attention(attnDesc) || !weightSizeInBytes ||
        !workSpaceSizeInBytes)
        return DNN_BAD_PARAM();
    op = dnn_multihead_of(attnDesc);
    *weightSizeInBytes = (size_t)dnn_multihead_weight_count(&op) * dnn_type_bytes(op.type);
    *workSpaceSizeInBytes = 0;
    if (reserveSpaceSizeInBytes)
        *reserveSpaceSizeInBytes = (size_t)dnn_multihead_reserve_count(&op) * sizeof(double);
    return CUDNN_STATUS_SUCCESS;
}

/* Weights are [heads][projection][vector] with the strides of how they lie. */
cudnnStatus_t cudnnGetMultiHeadAttnWeights(cudnnHandle_t handle,
                                           const cudnnAttnDescriptor_t attnDesc,
                                           cudnnMultiHeadAttnWeightKind_t wKind,
                                           size_t weightSizeInBytes, const void *weights,
                                           cudnnTensorDescriptor_t wDesc, void **wAddr)
{
    struct dnn_multihead op;
    int64_t place, vectors[4], projects[4], heads;
    int dims[3], strides[3];
    bool is_bias = wKind >= CUDNN_MH_ATTN_Q_BIASES, is_result;

    if (!dnn_is_handle(handle) || !dnn_is_attention(attnDesc) ||
        (unsigned)wKind >= CUDNN_ATTN_WKIND_COUNT || !wAddr ||
        !lib_object_is(wDesc, &dnn_tensor_type))
        return DNN_BAD_PARAM();
    op = dnn_multihead_of(attnDesc);
    if (weightSizeInBytes < (size_t)dnn_multihead_weight_count(&op) * dnn_type_bytes(op.type))
        return DNN_BAD_PARAM();
    place = dnn_multihead_place(&op, (int)wKind);
    *wAddr = NULL;
    if (place < 0) {
        wDesc->shape = (struct dnn_tensor){0};
        return CUDNN_STATUS_SUCCESS;
    }
    is_result = wKind % 4 == CUDNN_MH_ATTN_O_WEIGHTS;
    memcpy(vectors,
           (int64_t[]){op.q_size, op.k_size, op.v_size, op.v_project ? op.v_project : op.v_size},
           sizeof(vectors));
    memcpy(projects, (int64_t[]){op.qk_project, op.qk_project, op.v_project, op.o_project},
           sizeof(projects));
    heads = is_result && is_bias ? 1 : op.heads;
    dims[0] = (int)heads;
    dims[1] = (int)projects[wKind % 4];
    dims[2] = is_bias ? 1 : (int)vectors[wKind % 4];
    strides[0] = is_result && !is_bias ? dims[1] * dims[2] : dims[1];
    strides[1] = 1;
    strides[2] = is_bias ? 1 : is_result ? dims[1] : dims[0] * dims[1];
    *wAddr = (char *)weights + (size_t)place * dnn_type_bytes(op.type);
    return cudnnSetTensorNdDescriptor(wDesc, op.type, 3, dims, strides);
}

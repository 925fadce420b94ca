/* SPDX-License-Identifier: MIT */
/* The CTC loss. */
#include "ctc.h"

#include "descriptor.h"

#include <stdlib.h>
#include <string.h>

struct cudnnCTCLossStruct {
    struct lib_object base;
    cudnnDataType_t compute;
    cudnnLossNormalizationMode_t norm;
    cudnnCTCGradMode_t gradient;
    int label_most;
};

static const struct lib_object_type ctc_type = {.bytes = sizeof(struct cudnnCTCLossStruct)};

cudnnStatus_t cudnnCreateCTCLossDescriptor(cudnnCTCLossDescriptor_t *ctcLossDesc)
{
    if (!ctcLossDesc)
        return DNN_BAD_PARAM();
    *ctcLossDesc = lib_object_create(&ctc_type);
    return *ctcLossDesc ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED;
}

cudnnStatus_t cudnnDestroyCTCLossDescriptor(cudnnCTCLossDescriptor_t ctcLossDesc)
{
    return !ctcLossDesc || lib_object_destroy(ctcLossDesc, &ctc_type) ? CUDNN_STATUS_SUCCESS
                                                                      : DNN_BAD_PARAM();
}

cudnnStatus_t cudnnSetCTCLossDescriptor_v9(cudnnCTCLossDescriptor_t ctcLossDesc,
                                           cudnnDataType_t compType,
                                           cudnnLossNormalizationMode_t normMode,
                                           cudnnCTCGradMode_t ctcGradMode, int maxLabelLength)
{
    if (!lib_object_is(ctcLossDesc, &ctc_type) || compType != CUDNN_DATA_FLOAT ||
        (unsigned)normMode > CUDNN_LOSS_NORMALIZATION_SOFTMAX ||
        (unsigned)ctcGradMode > CUDNN_CTC_SKIP_OOB_GRADIENTS || maxLabelLength < 0)
        return DNN_BAD_PARAM();
    ctcLossDesc->compute = compType;
    ctcLossDesc->norm = normMode;
    ctcLossDesc->gradient = ctcGradMode;
    ctcLossDesc->label_most = maxLabelLength;
    return CUDNN_STATUS_SUCCESS;
}

/* The older functions name the treatment of gradients by NaN propagation: to propagate is to skip.
 */
cudnnStatus_t cudnnSetCTCLossDescriptor_v8(cudnnCTCLossDescriptor_t ctcLossDesc,
                                           cudnnDataType_t compType,
                                           cudnnLossNormalizationMode_t normMode,
                                           cudnnNanPropagation_t gradMode, int maxLabelLength)
{
    return cudnnSetCTCLossDescriptor_v9(ctcLossDesc, compType, normMode,
                                        (cudnnCTCGradMode_t)gradMode, maxLabelLength);
}

cudnnStatus_t cudnnSetCTCLossDescriptorEx(cudnnCTCLossDescriptor_t ctcLossDesc,
                                          cudnnDataType_t compType,
                                          cudnnLossNormalizationMode_t normMode,
                                          cudnnNanPropagation_t gradMode)
{
    return cudnnSetCTCLossDescriptor_v8(ctcLossDesc, compType, normMode, gradMode, 0);
}

cudnnStatus_t cudnnSetCTCLossDescriptor(cudnnCTCLossDescriptor_t ctcLossDesc,
                                        cudnnDataType_t compType)
{
    return cudnnSetCTCLossDescriptor_v9(ctcLossDesc, compType, CUDNN_LOSS_NORMALIZATION_NONE,
                                        CUDNN_CTC_ZERO_OOB_GRADIENTS, 0);
}

cudnnStatus_t cudnnGetCTCLossDescriptor_v9(cudnnCTCLossDescriptor_t ctcLossDesc,
                                           cudnnDataType_t *compType,
                                           cudnnLossNormalizationMode_t *normMode,
                                           cudnnCTCGradMode_t *ctcGradMode, int *maxLabelLength)
{
    if (!lib_object_is(ctcLossDesc, &ctc_type))
        return DNN_BAD_PARAM();
    if (compType)
        *compType = ctcLossDesc->compute;
    if (normMode)
        *normMode = ctcLossDesc->norm;
    if (ctcGradMode)
        *ctcGradMode = ctcLossDesc->gradient;
    if (maxLabelLength)
        *maxLabelLength = ctcLossDesc->label_most;
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetCTCLossDescriptor_v8(cudnnCTCLossDescriptor_t ctcLossDesc,
                                           cudnnDataType_t *compType,
                                           cudnnLossNormalizationMode_t *normMode,
                                           cudnnNanPropagation_t *gradMode, int *maxLabelLength)
{
    return cudnnGetCTCLossDescriptor_v9(ctcLossDesc, compType, normMode,
                                        (cudnnCTCGradMode_t *)gradMode, maxLabelLength);
}

cudnnStatus_t cudnnGetCTCLossDescriptorEx(cudnnCTCLossDescriptor_t ctcLossDesc,
                                          cudnnDataType_t *compType,
                                          cudnnLossNormalizationMode_t *normMode,
                                          cudnnNanPropagation_t *gradMode)
{
    return cudnnGetCTCLossDescriptor_v8(ctcLossDesc, compType, normMode, gradMode, NULL);
}

cudnnStatus_t cudnnGetCTCLossDescriptor(cudnnCTCLossDescriptor_t ctcLossDesc,
                                        cudnnDataType_t *compType)
{
    return cudnnGetCTCLossDescriptor_v9(ctcLossDesc, compType, NULL, NULL, NULL);
}

static bool valid(cudnnHandle_t handle, cudnnCTCLossAlgo_t algo, cudnnCTCLossDescriptor_t ctc,
                  cudnnTensorDescriptor_t probs)
{
    return dnn_is_handle(handle) && lib_object_is(ctc, &ctc_type) &&
           (unsigned)algo <= CUDNN_CTC_LOSS_ALGO_NON_DETERMINISTIC && dnn_is_tensor(probs) &&
           probs->shape.rank == 3;
}

cudnnStatus_t cudnnGetCTCLossWorkspaceSize_v8(cudnnHandle_t handle, cudnnCTCLossAlgo_t algo,
                                              cudnnCTCLossDescriptor_t ctcLossDesc,
                                              const cudnnTensorDescriptor_t probsDesc,
                                              const cudnnTensorDescriptor_t gradientsDesc,
                                              size_t *sizeInBytes)
{
    (void)gradientsDesc;
    if (!valid(handle, algo, ctcLossDesc, probsDesc) || !sizeInBytes)
        return DNN_BAD_PARAM();
    *sizeInBytes = 0;
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetCTCLossWorkspaceSize(cudnnHandle_t handle,
                                           const cudnnTensorDescriptor_t probsDesc,
                                           const cudnnTensorDescriptor_t gradientsDesc,
                                           const int *labels, const int *labelLengths,
                                           const int *inputLengths, cudnnCTCLossAlgo_t algo,
                                           cudnnCTCLossDescriptor_t ctcLossDesc,
                                           size_t *sizeInBytes)
{
    if (!labels || !labelLengths || !inputLengths)
        return DNN_BAD_PARAM();
    return cudnnGetCTCLossWorkspaceSize_v8(handle, algo, ctcLossDesc, probsDesc, gradientsDesc,
                                           sizeInBytes);
}

/* Work of the older function owns copies of the arrays of the host. */
struct work {
    struct dnn_ctc ctc;
    int copies[];
};

static CUresult run(void *arguments)
{
    return dnn_ctc_run(&((struct work *)arguments)->ctc);
}

static cudnnStatus_t submit(cudnnHandle_t handle, const char *name, struct work *work, bool device)
{
    const struct dnn_ctc *ctc = &work->ctc;
    size_t batch = (size_t)ctc->x.dims[1];
    const struct cupipe_range ranges[] = {
        dnn_read(&ctc->x),
        dnn_written(&ctc->gradients),
        lib_written(ctc->costs, batch * sizeof(float)),
        lib_read(ctc->label_lengths, device ? batch * sizeof(int) : 0),
        lib_read(ctc->input_lengths, device ? batch * sizeof(int) : 0),
    };

    return dnn_submit_owned(handle, name, UINT64_MAX, ranges, sizeof(ranges) / sizeof(*ranges), run,
                            free, work);
}

static struct work *describe(cudnnCTCLossDescriptor_t ctc, cudnnTensorDescriptor_t probs,
                             const void *data, void *costs, cudnnTensorDescriptor_t gradients,
                             void *gradient_data, size_t copies)
{
    struct work *work = calloc(1, sizeof(*work) + copies * sizeof(int));

    if (!work)
        return NULL;
    work->ctc.x = dnn_tensor_of(probs, data);
    if (gradient_data && gradients)
        work->ctc.gradients = dnn_tensor_of(gradients, gradient_data);
    work->ctc.softmax = ctc->norm == CUDNN_LOSS_NORMALIZATION_SOFTMAX;
    work->ctc.skips = ctc->gradient == CUDNN_CTC_SKIP_OOB_GRADIENTS;
    work->ctc.costs = costs;
    return work;
}

static bool valid_gradients(cudnnTensorDescriptor_t gradients, const void *data,
                            cudnnTensorDescriptor_t probs)
{
    return !data || (dnn_is_tensor(gradients) && dnn_same_dims(&gradients->shape, &probs->shape));
}

cudnnStatus_t cudnnCTCLoss_v8(cudnnHandle_t handle, cudnnCTCLossAlgo_t algo,
                              cudnnCTCLossDescriptor_t ctcLossDesc,
                              const cudnnTensorDescriptor_t probsDesc, const void *probs,
                              const int labels[], const int labelLengths[],
                              const int inputLengths[], void *costs,
                              const cudnnTensorDescriptor_t gradientsDesc, void *gradients,
                              size_t workSpaceSizeInBytes, void *workspace)
{
    struct work *work;

    (void)workSpaceSizeInBytes, (void)workspace;
    if (!valid(handle, algo, ctcLossDesc, probsDesc) || !probs || !labels || !labelLengths ||
        !inputLengths || !costs || !valid_gradients(gradientsDesc, gradients, probsDesc))
        return DNN_BAD_PARAM();
    work = describe(ctcLossDesc, probsDesc, probs, costs, gradientsDesc, gradients, 0);
    if (!work)
        return CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED;
    work->ctc.labels = labels;
    work->ctc.label_lengths = labelLengths;
    work->ctc.input_lengths = inputLengths;
    return submit(handle, __func__, work, true);
}

cudnnStatus_t cudnnCTCLoss(cudnnHandle_t handle, const cudnnTensorDescriptor_t probsDesc,
                           const void *probs, const int hostLabels[], const int hostLabelLengths[],
                           const int hostInputLengths[], void *costs,
                           const cudnnTensorDescriptor_t gradientsDesc, void *gradients,
                           cudnnCTCLossAlgo_t algo, cudnnCTCLossDescriptor_t ctcLossDesc,
                           void *workspace, size_t workSpaceSizeInBytes)
{
    size_t batch, labels = 0;
    struct work *work;

    (void)workspace, (void)workSpaceSizeInBytes;
    if (!valid(handle, algo, ctcLossDesc, probsDesc) || !probs || !hostLabels ||
        !hostLabelLengths || !hostInputLengths || !costs ||
        !valid_gradients(gradientsDesc, gradients, probsDesc))
        return DNN_BAD_PARAM();
    batch = (size_t)probsDesc->shape.dims[1];
    for (size_t i = 0; i < batch; i++) {
        if (hostLabelLengths[i] < 0)
            return DNN_BAD_PARAM();
        labels += (size_t)hostLabelLengths[i];
    }
    work = describe(ctcLossDesc, probsDesc, probs, costs, gradientsDesc, gradients,
                    labels + 2 * batch);
    if (!work)
        return CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED;
    memcpy(work->copies, hostLabelLengths, batch * sizeof(int));
    memcpy(work->copies + batch, hostInputLengths, batch * sizeof(int));
    memcpy(work->copies + 2 * batch, hostLabels, labels * sizeof(int));
    work->ctc.label_lengths = work->copies;
    work->ctc.input_lengths = work->copies + batch;
    work->ctc.labels = work->copies + 2 * batch;
    return submit(handle, __func__, work, false);
}

/* SPDX-License-Identifier: MIT */
/* Calls that encode. The call waits for the stream, since the file is the host's. */
#include "encode.h"
#include "libjpeg.h"

#include <common/driver.h>
#include <common/work.h>
#include <stdlib.h>
#include <string.h>

static void finish_encoder(void *object)
{
    struct nvjpegEncoderState *state = object;

    free(state->data);
    pthread_mutex_destroy(&state->lock);
}

static void finish_params(void *object)
{
    free(((struct nvjpegEncoderParams *)object)->metadata);
}

const struct lib_object_type jpeg_encoder_type = {sizeof(struct nvjpegEncoderState),
                                                  finish_encoder};
const struct lib_object_type jpeg_encoder_params_type = {sizeof(struct nvjpegEncoderParams),
                                                         finish_params};

nvjpegStatus_t nvjpegEncoderStateCreateWithBackend(nvjpegHandle_t handle,
                                                   nvjpegEncoderState_t *encoder_state,
                                                   nvjpegEncBackend_t backend, cudaStream_t stream)
{
    struct nvjpegEncoderState *state;

    (void)stream;
    if (!lib_object_is(handle, &jpeg_handle_type) || !encoder_state ||
        (unsigned)backend > NVJPEG_ENC_BACKEND_HARDWARE)
        return NVJPEG_STATUS_INVALID_PARAMETER;
    if (backend == NVJPEG_ENC_BACKEND_HARDWARE)
        return NVJPEG_STATUS_ARCH_MISMATCH;
    state = lib_object_create(&jpeg_encoder_type);
    if (!state)
        return NVJPEG_STATUS_ALLOCATOR_FAILURE;
    pthread_mutex_init(&state->lock, NULL);
    *encoder_state = state;
    return NVJPEG_STATUS_SUCCESS;
}

nvjpegStatus_t nvjpegEncoderStateCreate(nvjpegHandle_t handle, nvjpegEncoderState_t *encoder_state,
                                        cudaStream_t stream)
{
    return nvjpegEncoderStateCreateWithBackend(handle, encoder_state, NVJPEG_ENC_BACKEND_DEFAULT,
                                               stream);
}

nvjpegStatus_t nvjpegEncoderStateDestroy(nvjpegEncoderState_t encoder_state)
{
    return lib_object_destroy(encoder_state, &jpeg_encoder_type) ? NVJPEG_STATUS_SUCCESS
                                                                 : NVJPEG_STATUS_INVALID_PARAMETER;
}

/* Puts segments that another file had behind the start of the image. */
static bool insert_metadata(const struct nvjpegEncoderParams *params, unsigned char *data,
                            size_t bytes, unsigned char **result, size_t *result_bytes)
{
    unsigned char *whole = malloc(bytes + params->metadata_bytes);

    if (!whole)
        return false;
    memcpy(whole, data, 2);
    if (params->metadata_bytes)
        memcpy(whole + 2, params->metadata, params->metadata_bytes);
    memcpy(whole + 2 + params->metadata_bytes, data + 2, bytes - 2);
    *result = whole;
    *result_bytes = bytes + params->metadata_bytes;
    return true;
}

static void describe(const struct encode *encode, struct jpeg_encoding *encoding)
{
    const struct nvjpegEncoderParams *params = encode->params;

    *encoding = (struct jpeg_encoding){
        .width = encode->width,
        .height = encode->height,
        .components = params->subsampling == NVJPEG_CSS_GRAY ? 1 : 3,
        .quality = params->quality,
        .optimizes = params->optimized,
        .is_progressive = params->encoding == NVJPEG_ENCODING_PROGRESSIVE_DCT_HUFFMAN,
        .restart_interval = params->restart_interval,
    };
    jpeg_chroma_factors(params->subsampling, &encoding->horizontal, &encoding->vertical);
    for (unsigned i = 0; i < 2; i++) {
        encoding->quantization[i] = params->has_quantization ? &params->quantization[i] : NULL;
        for (unsigned ac = 0; ac < 2; ac++)
            encoding->huffman[i][ac] = params->has_huffman ? &params->huffman[i][ac] : NULL;
    }
}

static nvjpegStatus_t write_file(const struct encode *encode, const struct jpeg_plane planes[3])
{
    struct jpeg_encoding encoding;
    unsigned char *file = NULL, *data;
    size_t file_bytes = 0, bytes;
    nvjpegStatus_t status;

    describe(encode, &encoding);
    status = jpeg_codec()->encode(&encoding, planes, &file, &file_bytes);
    if (status == NVJPEG_STATUS_SUCCESS &&
        !insert_metadata(encode->params, file, file_bytes, &data, &bytes))
        status = NVJPEG_STATUS_ALLOCATOR_FAILURE;
    free(file);
    if (status != NVJPEG_STATUS_SUCCESS)
        return status;
    pthread_mutex_lock(&encode->state->lock);
    free(encode->state->data);
    encode->state->data = data;
    encode->state->bytes = bytes;
    pthread_mutex_unlock(&encode->state->lock);
    return NVJPEG_STATUS_SUCCESS;
}

static CUresult run_encode(void *arguments)
{
    struct encode *encode = arguments;
    struct jpeg_plane planes[3] = {0};

    encode->status = jpeg_make_planes(encode, planes) ? write_file(encode, planes)
                                                      : NVJPEG_STATUS_ALLOCATOR_FAILURE;
    for (unsigned c = 0; c < 3; c++)
        free(planes[c].samples);
    return CUDA_SUCCESS;
}

/* Names what the encode reads; false: a plane or its pitch is wrong. */
static bool list_operands(const struct encode *encode, struct cupipe_range *operands, size_t *count)
{
    unsigned across = 1, down = 1, channels = 3;

    if (encode->format == NVJPEG_INPUT_RGBI || encode->format == NVJPEG_INPUT_BGRI)
        channels = 1;
    if (encode->format == NVJPEG_INPUT_NV12)
        channels = down = 2; /* pairs of bytes, as many as luma has in a row, rounded up */
    if (encode->format == NVJPEG_INPUT_YUV) {
        jpeg_chroma_factors(encode->source_subsampling, &across, &down);
        channels = encode->source_subsampling == NVJPEG_CSS_GRAY ? 1 : 3;
    }
    *count = channels;
    for (unsigned c = 0; c < channels; c++) {
        unsigned columns = c ? across : 1, rows = c ? down : 1;
        size_t bytes = (encode->width + columns - 1) / columns;

        if (encode->format == NVJPEG_INPUT_NV12 && c)
            bytes += bytes % 2;
        if (channels == 1 && encode->format != NVJPEG_INPUT_YUV)
            bytes *= 3;
        if (!encode->source.channel[c] || encode->source.pitch[c] < bytes)
            return false;
        operands[c] = lib_read_pieces(encode->source.channel[c], bytes,
                                      (encode->height + rows - 1) / rows, encode->source.pitch[c]);
    }
    return true;
}

static nvjpegStatus_t encode_image(nvjpegHandle_t handle, struct encode *encode, const char *name,
                                   const nvjpegImage_t *source, int width, int height,
                                   cudaStream_t stream)
{
    struct cupipe_range operands[NVJPEG_MAX_COMPONENT];
    struct lib_call call = {
        .name = name, .stream = (CUstream)stream, .nanoseconds = UINT64_MAX, .operands = operands};
    CUresult result;

    if (!lib_object_is(handle, &jpeg_handle_type) ||
        !lib_object_is(encode->state, &jpeg_encoder_type) ||
        !lib_object_is(encode->params, &jpeg_encoder_params_type) || !source || width <= 0 ||
        height <= 0 || width > 65535 || height > 65535)
        return NVJPEG_STATUS_INVALID_PARAMETER;
    encode->source = *source;
    encode->width = (unsigned)width;
    encode->height = (unsigned)height;
    if (!list_operands(encode, operands, &call.operand_count))
        return NVJPEG_STATUS_INVALID_PARAMETER;
    if (!jpeg_codec())
        return NVJPEG_STATUS_IMPLEMENTATION_NOT_SUPPORTED;
    result = lib_submit_and_wait(&call, run_encode, encode);
    return result == CUDA_SUCCESS ? encode->status : jpeg_status_of(result);
}

nvjpegStatus_t nvjpegEncodeImage(nvjpegHandle_t handle, nvjpegEncoderState_t encoder_state,
                                 const nvjpegEncoderParams_t encoder_params,
                                 const nvjpegImage_t *source, nvjpegInputFormat_t input_format,
                                 int image_width, int image_height, cudaStream_t stream)
{
    struct encode encode = {
        .params = encoder_params, .state = encoder_state, .format = input_format};

    if (input_format < NVJPEG_INPUT_RGB || input_format > NVJPEG_INPUT_BGRI)
        return NVJPEG_STATUS_INVALID_PARAMETER;
    return encode_image(handle, &encode, "nvjpegEncodeImage", source, image_width, image_height,
                        stream);
}

nvjpegStatus_t nvjpegEncodeYUV(nvjpegHandle_t handle, nvjpegEncoderState_t encoder_state,
                               const nvjpegEncoderParams_t encoder_params,
                               const nvjpegImage_t *source,
                               nvjpegChromaSubsampling_t chroma_subsampling, int image_width,
                               int image_height, cudaStream_t stream)
{
    struct encode encode = {.params = encoder_params,
                            .state = encoder_state,
                            .format = NVJPEG_INPUT_YUV,
                            .source_subsampling = chroma_subsampling};
    unsigned across, down;

    if (!jpeg_chroma_factors(chroma_subsampling, &across, &down))
        return NVJPEG_STATUS_INVALID_PARAMETER;
    return encode_image(handle, &encode, "nvjpegEncodeYUV", source, image_width, image_height,
                        stream);
}

nvjpegStatus_t nvjpegEncode(nvjpegHandle_t handle, nvjpegEncoderState_t encoder_state,
                            const nvjpegEncoderParams_t encoder_params, const nvjpegImage_t *source,
                            nvjpegChromaSubsampling_t input_subsampling,
                            nvjpegInputFormat_t input_format, int image_width, int image_height,
                            cudaStream_t stream)
{
    if (input_format == NVJPEG_INPUT_YUV)
        return nvjpegEncodeYUV(handle, encoder_state, encoder_params, source, input_subsampling,
                               image_width, image_height, stream);
    if (input_format == NVJPEG_INPUT_NV12) {
        struct encode encode = {.params = encoder_params,
                                .state = encoder_state,
                                .format = NVJPEG_INPUT_NV12,
                                .source_subsampling = NVJPEG_CSS_420};

        if (input_subsampling != NVJPEG_CSS_420)
            return NVJPEG_STATUS_INVALID_PARAMETER;
        return encode_image(handle, &encode, "nvjpegEncode", source, image_width, image_height,
                            stream);
    }
    return nvjpegEncodeImage(handle, encoder_state, encoder_params, source, input_format,
                             image_width, image_height, stream);
}

nvjpegStatus_t nvjpegEncodeRetrieveBitstream(nvjpegHandle_t handle,
                                             nvjpegEncoderState_t encoder_state,
                                             unsigned char *data, size_t *length,
                                             cudaStream_t stream)
{
    nvjpegStatus_t status = NVJPEG_STATUS_SUCCESS;

    (void)stream;
    if (!lib_object_is(handle, &jpeg_handle_type) ||
        !lib_object_is(encoder_state, &jpeg_encoder_type) || !length)
        return NVJPEG_STATUS_INVALID_PARAMETER;
    pthread_mutex_lock(&encoder_state->lock);
    if (!encoder_state->data)
        status = NVJPEG_STATUS_INTERNAL_ERROR;
    else if (data && *length < encoder_state->bytes)
        status = NVJPEG_STATUS_INVALID_PARAMETER;
    else if (data)
        memcpy(data, encoder_state->data, encoder_state->bytes);
    if (status == NVJPEG_STATUS_SUCCESS)
        *length = encoder_state->bytes;
    pthread_mutex_unlock(&encoder_state->lock);
    return status;
}

struct retrieve {
    void *to;
    size_t bytes;
    unsigned char data[];
};

static CUresult run_retrieve(void *arguments)
{
    struct retrieve *retrieve = arguments;

    memcpy(retrieve->to, retrieve->data, retrieve->bytes);
    return CUDA_SUCCESS;
}

nvjpegStatus_t nvjpegEncodeRetrieveBitstreamDevice(nvjpegHandle_t handle,
                                                   nvjpegEncoderState_t encoder_state,
                                                   unsigned char *data, size_t *length,
                                                   cudaStream_t stream)
{
    struct cupipe_range operand;
    struct lib_call call = {.name = "nvjpegEncodeRetrieveBitstreamDevice",
                            .stream = (CUstream)stream,
                            .operands = &operand,
                            .operand_count = 1};
    struct retrieve *retrieve;
    size_t bytes = 0;
    nvjpegStatus_t status =
        nvjpegEncodeRetrieveBitstream(handle, encoder_state, NULL, &bytes, NULL);

    if (status != NVJPEG_STATUS_SUCCESS || !length || (data && *length < bytes))
        return status ? status : NVJPEG_STATUS_INVALID_PARAMETER;
    *length = bytes;
    if (!data)
        return NVJPEG_STATUS_SUCCESS;
    retrieve = malloc(sizeof(*retrieve) + bytes);
    if (!retrieve)
        return NVJPEG_STATUS_ALLOCATOR_FAILURE;
    retrieve->to = data;
    retrieve->bytes = bytes;
    status = nvjpegEncodeRetrieveBitstream(handle, encoder_state, retrieve->data, &bytes, NULL);
    if (status != NVJPEG_STATUS_SUCCESS) {
        free(retrieve);
        return status;
    }
    operand = lib_written(data, bytes);
    return jpeg_status_of(lib_submit_owned(&call, run_retrieve, free, retrieve));
}

/* SPDX-License-Identifier: MIT */
/* Encodes: colors become planes of luma and chroma, chroma is averaged to its size, and
 * libjpeg-turbo writes the file. The call waits for the stream, since the file is the host's. */
#include "objects.h"
#include "turbojpeg.h"

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

struct encode {
    const struct nvjpegEncoderParams *params;
    struct nvjpegEncoderState *state;
    nvjpegImage_t source;
    nvjpegInputFormat_t format;
    nvjpegChromaSubsampling_t source_subsampling; /* of YUV */
    unsigned width, height;
    nvjpegStatus_t status;
};

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

static bool turbo_sampling(nvjpegChromaSubsampling_t subsampling, int *sampling)
{
    static const int samplings[] = {
        [NVJPEG_CSS_444] = TURBO_444,  [NVJPEG_CSS_422] = TURBO_422, [NVJPEG_CSS_420] = TURBO_420,
        [NVJPEG_CSS_440] = TURBO_440,  [NVJPEG_CSS_411] = TURBO_411, [NVJPEG_CSS_410] = -1,
        [NVJPEG_CSS_GRAY] = TURBO_GRAY};

    if (subsampling < 0 || subsampling > NVJPEG_CSS_GRAY || samplings[subsampling] < 0)
        return false;
    *sampling = samplings[subsampling];
    return true;
}

static unsigned char round_sample(float value)
{
    return value <= 0 ? 0 : value >= 255 ? 255 : (unsigned char)(value + 0.5f);
}

/* A pixel of the source in luma and chroma. */
static void read_pixel(const struct encode *encode, unsigned x, unsigned y, unsigned char out[3])
{
    const nvjpegImage_t *from = &encode->source;
    bool planar = encode->format == NVJPEG_INPUT_RGB || encode->format == NVJPEG_INPUT_BGR;
    bool reversed = encode->format == NVJPEG_INPUT_BGR || encode->format == NVJPEG_INPUT_BGRI;
    float color[3];

    for (unsigned c = 0; c < 3; c++)
        color[reversed ? 2 - c : c] =
            planar ? from->channel[c][(size_t)y * from->pitch[c] + x]
                   : from->channel[0][(size_t)y * from->pitch[0] + 3 * (size_t)x + c];
    out[0] = round_sample(0.299f * color[0] + 0.587f * color[1] + 0.114f * color[2]);
    out[1] =
        round_sample(-0.168735892f * color[0] - 0.331264108f * color[1] + 0.5f * color[2] + 128.0f);
    out[2] =
        round_sample(0.5f * color[0] - 0.418687589f * color[1] - 0.081312411f * color[2] + 128.0f);
}

/* The planes of a source of colors, at full size. */
static void read_colors(const struct encode *encode, struct jpeg_plane planes[3])
{
    for (unsigned y = 0; y < encode->height; y++) {
        for (unsigned x = 0; x < encode->width; x++) {
            unsigned char samples[3];

            read_pixel(encode, x, y, samples);
            for (unsigned c = 0; c < 3; c++)
                planes[c].samples[(size_t)y * planes[c].pitch + x] = samples[c];
        }
    }
}

/* The planes of a source that has them, at full size: chroma is repeated. */
static void read_planes(const struct encode *encode, struct jpeg_plane planes[3])
{
    unsigned across = 1, down = 1;

    jpeg_chroma_factors(encode->source_subsampling, &across, &down);
    for (unsigned c = 0; c < 3; c++) {
        unsigned columns = c ? across : 1, rows = c ? down : 1;

        for (unsigned y = 0; y < encode->height; y++) {
            unsigned char *to = planes[c].samples + (size_t)y * planes[c].pitch;
            const unsigned char *from =
                encode->source.channel[c] + (size_t)(y / rows) * encode->source.pitch[c];

            if (c && encode->source_subsampling == NVJPEG_CSS_GRAY)
                memset(to, 128, encode->width);
            else
                for (unsigned x = 0; x < encode->width; x++)
                    to[x] = from[x / columns];
        }
    }
}

static unsigned char mean_of(const struct jpeg_plane *plane, unsigned x, unsigned y,
                             unsigned across, unsigned down)
{
    unsigned sum = 0;

    for (unsigned j = 0; j < down; j++) {
        for (unsigned i = 0; i < across; i++) {
            unsigned column = x * across + i, row = y * down + j;

            column = column < plane->width ? column : plane->width - 1;
            row = row < plane->height ? row : plane->height - 1;
            sum += plane->samples[(size_t)row * plane->pitch + column];
        }
    }
    return (unsigned char)((sum + across * down / 2) / (across * down));
}

/* Makes chroma smaller, in place: a sample is never behind those that it is made of. */
static void shrink(struct jpeg_plane *plane, unsigned across, unsigned down)
{
    unsigned width = (plane->width + across - 1) / across;
    unsigned height = (plane->height + down - 1) / down;

    for (unsigned y = 0; y < height; y++) {
        for (unsigned x = 0; x < width; x++)
            plane->samples[(size_t)y * plane->pitch + x] = mean_of(plane, x, y, across, down);
    }
    plane->width = width;
    plane->height = height;
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

static nvjpegStatus_t write_file(const struct encode *encode, const struct jpeg_plane planes[3])
{
    const unsigned char *samples[3] = {planes[0].samples, planes[1].samples, planes[2].samples};
    const int strides[3] = {(int)planes[0].pitch, (int)planes[1].pitch, (int)planes[2].pitch};
    int sampling = TURBO_444, flags = TURBO_ACCURATE_DCT;
    unsigned char *file = NULL, *data;
    unsigned long file_bytes = 0;
    size_t bytes;
    bool done;
    turbo_handle handle = turbo()->init_compress();

    if (!handle)
        return NVJPEG_STATUS_ALLOCATOR_FAILURE;
    if (encode->params->encoding == NVJPEG_ENCODING_PROGRESSIVE_DCT_HUFFMAN)
        flags |= TURBO_PROGRESSIVE;
    turbo_sampling(encode->params->subsampling, &sampling);
    done = turbo()->compress_planes(handle, samples, (int)encode->width, strides,
                                    (int)encode->height, sampling, &file, &file_bytes,
                                    encode->params->quality, flags) == 0 &&
           insert_metadata(encode->params, file, file_bytes, &data, &bytes);
    turbo()->free(file);
    turbo()->destroy(handle);
    if (!done)
        return NVJPEG_STATUS_EXECUTION_FAILED;
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
    unsigned across = 1, down = 1;

    encode->status = NVJPEG_STATUS_ALLOCATOR_FAILURE;
    for (unsigned c = 0; c < 3; c++) {
        planes[c] = (struct jpeg_plane){
            malloc((size_t)((encode->width + 15) & ~15u) * ((encode->height + 15) & ~15u)),
            encode->width, encode->height, (encode->width + 15) & ~15u};
        if (!planes[c].samples)
            goto free_planes;
    }
    if (encode->format == NVJPEG_INPUT_YUV)
        read_planes(encode, planes);
    else
        read_colors(encode, planes);
    jpeg_chroma_factors(encode->params->subsampling, &across, &down);
    for (unsigned c = 1; c < 3 && across * down > 1; c++)
        shrink(&planes[c], across, down);
    encode->status = write_file(encode, planes);
free_planes:
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
    if (encode->format == NVJPEG_INPUT_YUV) {
        jpeg_chroma_factors(encode->source_subsampling, &across, &down);
        channels = encode->source_subsampling == NVJPEG_CSS_GRAY ? 1 : 3;
    }
    *count = channels;
    for (unsigned c = 0; c < channels; c++) {
        unsigned columns = c ? across : 1, rows = c ? down : 1;
        size_t bytes = (encode->width + columns - 1) / columns;

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
    int sampling;
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
    if (!turbo() || !turbo_sampling(encode->params->subsampling, &sampling))
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
    if (input_format == NVJPEG_INPUT_NV12)
        return NVJPEG_STATUS_IMPLEMENTATION_NOT_SUPPORTED;
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

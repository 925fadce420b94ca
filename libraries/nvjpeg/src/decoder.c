/* SPDX-License-Identifier: MIT */
/* Calls that decode. The file is decoded to planes in the call, as NVIDIA's library does its host
 * phase; the planes become an image in the order of the stream. */
#include "objects.h"

#include <common/work.h>
#include <stdlib.h>
#include <string.h>

static void finish_state(void *object)
{
    jpeg_image_free(((struct nvjpegJpegState *)object)->image);
    free(((struct nvjpegJpegState *)object)->tables);
}

const struct lib_object_type jpeg_state_type = {sizeof(struct nvjpegJpegState), finish_state};
const struct lib_object_type jpeg_decoder_type = {sizeof(struct nvjpegJpegDecoder), NULL};

static const struct jpeg_request plain_request = {
    .roi_width = -1, .roi_height = -1, .orientation = NVJPEG_ORIENTATION_NORMAL};

static nvjpegStatus_t create_state(nvjpegHandle_t handle, nvjpegJpegState_t *result)
{
    struct nvjpegJpegState *state;

    if (!lib_object_is(handle, &jpeg_handle_type) || !result)
        return NVJPEG_STATUS_INVALID_PARAMETER;
    state = lib_object_create(&jpeg_state_type);
    if (!state)
        return NVJPEG_STATUS_ALLOCATOR_FAILURE;
    state->upsamples_smoothly = handle->flags & NVJPEG_FLAGS_UPSAMPLING_WITH_INTERPOLATION;
    *result = state;
    return NVJPEG_STATUS_SUCCESS;
}

nvjpegStatus_t nvjpegJpegStateCreate(nvjpegHandle_t handle, nvjpegJpegState_t *jpeg_handle)
{
    return create_state(handle, jpeg_handle);
}

nvjpegStatus_t nvjpegDecoderStateCreate(nvjpegHandle_t handle, nvjpegJpegDecoder_t decoder,
                                        nvjpegJpegState_t *decoder_state)
{
    nvjpegStatus_t status = lib_object_is(decoder, &jpeg_decoder_type)
                                ? create_state(handle, decoder_state)
                                : NVJPEG_STATUS_INVALID_PARAMETER;

    if (status == NVJPEG_STATUS_SUCCESS)
        (*decoder_state)->lacks_buffer = true;
    return status;
}

nvjpegStatus_t nvjpegJpegStateDestroy(nvjpegJpegState_t jpeg_handle)
{
    return lib_object_destroy(jpeg_handle, &jpeg_state_type) ? NVJPEG_STATUS_SUCCESS
                                                             : NVJPEG_STATUS_INVALID_PARAMETER;
}

nvjpegStatus_t nvjpegDecoderCreate(nvjpegHandle_t handle, nvjpegBackend_t implementation,
                                   nvjpegJpegDecoder_t *decoder_handle)
{
    struct nvjpegJpegDecoder *decoder;

    if (!lib_object_is(handle, &jpeg_handle_type) || !decoder_handle ||
        (unsigned)implementation > NVJPEG_BACKEND_LOSSLESS_JPEG)
        return NVJPEG_STATUS_INVALID_PARAMETER;
    decoder = lib_object_create(&jpeg_decoder_type);
    if (!decoder)
        return NVJPEG_STATUS_ALLOCATOR_FAILURE;
    decoder->backend = implementation;
    *decoder_handle = decoder;
    return NVJPEG_STATUS_SUCCESS;
}

nvjpegStatus_t nvjpegDecoderDestroy(nvjpegJpegDecoder_t decoder_handle)
{
    return lib_object_destroy(decoder_handle, &jpeg_decoder_type) ? NVJPEG_STATUS_SUCCESS
                                                                  : NVJPEG_STATUS_INVALID_PARAMETER;
}

nvjpegStatus_t nvjpegGetImageInfo(nvjpegHandle_t handle, const unsigned char *data, size_t length,
                                  int *nComponents, nvjpegChromaSubsampling_t *subsampling,
                                  int *widths, int *heights)
{
    struct jpeg_info info = {0};
    nvjpegStatus_t status;

    if (!lib_object_is(handle, &jpeg_handle_type) || !data || !nComponents || !subsampling ||
        !widths || !heights)
        return NVJPEG_STATUS_INVALID_PARAMETER;
    status = jpeg_parse(data, length, true, &info);
    if (status != NVJPEG_STATUS_SUCCESS)
        return status;
    *nComponents = (int)info.components;
    *subsampling = info.subsampling;
    for (unsigned i = 0; i < NVJPEG_MAX_COMPONENT; i++) {
        widths[i] = (int)info.component[i].width;
        heights[i] = (int)info.component[i].height;
    }
    return NVJPEG_STATUS_SUCCESS;
}

/* The host's phase: leaves the planes in the state. */
static nvjpegStatus_t decode_host(struct nvjpegJpegState *state, const struct jpeg_source *source,
                                  const struct jpeg_info *info, const struct jpeg_request *request)
{
    struct jpeg_image *image;
    nvjpegStatus_t status = jpeg_decode(source, info, request, &image);

    if (status != NVJPEG_STATUS_SUCCESS)
        return status;
    image->smooth = state->upsamples_smoothly;
    jpeg_image_free(state->image);
    state->image = image;
    state->request = *request;
    return NVJPEG_STATUS_SUCCESS;
}

static void release_paint(void *arguments)
{
    struct jpeg_paint *paint = arguments;

    jpeg_image_free(paint->image);
    free(paint);
}

/* The device's phase: the state's planes go to the destination. */
static nvjpegStatus_t decode_device(struct nvjpegJpegState *state, const nvjpegImage_t *destination,
                                    const char *name, cudaStream_t stream)
{
    struct cupipe_range operands[NVJPEG_MAX_COMPONENT];
    struct lib_call call = {.name = name, .stream = (CUstream)stream, .operands = operands};
    struct jpeg_paint *paint;
    nvjpegStatus_t status;

    if (!state->image)
        return NVJPEG_STATUS_INVALID_PARAMETER;
    paint = calloc(1, sizeof(*paint));
    if (!paint)
        return NVJPEG_STATUS_ALLOCATOR_FAILURE;
    paint->image = state->image;
    paint->request = state->request;
    paint->destination = *destination;
    state->image = NULL;
    status = jpeg_paint_plan(paint, operands, &call.operand_count);
    if (status != NVJPEG_STATUS_SUCCESS) {
        release_paint(paint);
        return status;
    }
    call.nanoseconds = (uint64_t)paint->width * paint->height * 4;
    return jpeg_status_of(lib_submit_owned(&call, jpeg_paint_run, release_paint, paint));
}

static nvjpegStatus_t decode(nvjpegHandle_t handle, nvjpegJpegState_t state,
                             const unsigned char *data, size_t length,
                             const struct jpeg_request *request, const nvjpegImage_t *destination,
                             const char *name, cudaStream_t stream)
{
    const struct jpeg_source source = {data, state ? state->tables : NULL, length,
                                       state ? state->table_bytes : 0};
    struct jpeg_info info = {0};
    nvjpegStatus_t status;

    if (!lib_object_is(handle, &jpeg_handle_type) || !lib_object_is(state, &jpeg_state_type) ||
        !data || !destination || (unsigned)request->format > NVJPEG_OUTPUT_FORMAT_MAX)
        return NVJPEG_STATUS_INVALID_PARAMETER;
    status = jpeg_parse(data, length, true, &info);
    if (status == NVJPEG_STATUS_SUCCESS)
        status = decode_host(state, &source, &info, request);
    return status == NVJPEG_STATUS_SUCCESS ? decode_device(state, destination, name, stream)
                                           : status;
}

nvjpegStatus_t nvjpegDecode(nvjpegHandle_t handle, nvjpegJpegState_t jpeg_handle,
                            const unsigned char *data, size_t length,
                            nvjpegOutputFormat_t output_format, nvjpegImage_t *destination,
                            cudaStream_t stream)
{
    struct jpeg_request request = plain_request;

    request.format = output_format;
    return decode(handle, jpeg_handle, data, length, &request, destination, "nvjpegDecode", stream);
}

nvjpegStatus_t nvjpegDecodeBatchedInitialize(nvjpegHandle_t handle, nvjpegJpegState_t jpeg_handle,
                                             int batch_size, int max_cpu_threads,
                                             nvjpegOutputFormat_t output_format)
{
    if (!lib_object_is(handle, &jpeg_handle_type) ||
        !lib_object_is(jpeg_handle, &jpeg_state_type) || batch_size <= 0 || max_cpu_threads <= 0 ||
        (unsigned)output_format > NVJPEG_OUTPUT_FORMAT_MAX)
        return NVJPEG_STATUS_INVALID_PARAMETER;
    jpeg_handle->batch_size = batch_size;
    jpeg_handle->batch_format = output_format;
    return NVJPEG_STATUS_SUCCESS;
}

static nvjpegStatus_t decode_batch(nvjpegHandle_t handle, nvjpegJpegState_t state,
                                   const unsigned char *const *data, const size_t *lengths,
                                   nvjpegImage_t *destinations, nvjpegDecodeParams_t *params,
                                   cudaStream_t stream)
{
    nvjpegStatus_t status = NVJPEG_STATUS_SUCCESS;

    if (!lib_object_is(handle, &jpeg_handle_type) || !lib_object_is(state, &jpeg_state_type) ||
        !state->batch_size || !data || !lengths || !destinations)
        return NVJPEG_STATUS_INVALID_PARAMETER;
    for (int i = 0; i < state->batch_size && status == NVJPEG_STATUS_SUCCESS; i++) {
        struct jpeg_request request = plain_request;

        if (params && lib_object_is(params[i], &jpeg_params_type))
            request = params[i]->request;
        request.format = state->batch_format;
        status = decode(handle, state, data[i], lengths[i], &request, &destinations[i],
                        "nvjpegDecodeBatched", stream);
    }
    return status;
}

nvjpegStatus_t nvjpegDecodeBatched(nvjpegHandle_t handle, nvjpegJpegState_t jpeg_handle,
                                   const unsigned char *const *data, const size_t *lengths,
                                   nvjpegImage_t *destinations, cudaStream_t stream)
{
    return decode_batch(handle, jpeg_handle, data, lengths, destinations, NULL, stream);
}

nvjpegStatus_t nvjpegDecodeBatchedEx(nvjpegHandle_t handle, nvjpegJpegState_t jpeg_handle,
                                     const unsigned char *const *data, const size_t *lengths,
                                     nvjpegImage_t *destinations,
                                     nvjpegDecodeParams_t *decode_params, cudaStream_t stream)
{
    return decode_batch(handle, jpeg_handle, data, lengths, destinations, decode_params, stream);
}

nvjpegStatus_t nvjpegDecodeBatchedParseJpegTables(nvjpegHandle_t handle,
                                                  nvjpegJpegState_t jpeg_handle,
                                                  const unsigned char *data, const size_t length)
{
    if (!lib_object_is(handle, &jpeg_handle_type) ||
        !lib_object_is(jpeg_handle, &jpeg_state_type) || (data && !length))
        return NVJPEG_STATUS_INVALID_PARAMETER;
    return jpeg_take_tables(data, length, &jpeg_handle->tables, &jpeg_handle->table_bytes);
}

/* Memory is allocated by each decode, so there is nothing to prepare. */
nvjpegStatus_t nvjpegDecodeBatchedPreAllocate(nvjpegHandle_t handle, nvjpegJpegState_t jpeg_handle,
                                              int batch_size, int width, int height,
                                              nvjpegChromaSubsampling_t chroma_subsampling,
                                              nvjpegOutputFormat_t output_format)
{
    unsigned horizontal, vertical;

    return lib_object_is(handle, &jpeg_handle_type) &&
                   lib_object_is(jpeg_handle, &jpeg_state_type) && batch_size > 0 && width > 0 &&
                   height > 0 && jpeg_chroma_factors(chroma_subsampling, &horizontal, &vertical) &&
                   (unsigned)output_format <= NVJPEG_OUTPUT_FORMAT_MAX
               ? NVJPEG_STATUS_SUCCESS
               : NVJPEG_STATUS_INVALID_PARAMETER;
}

nvjpegStatus_t nvjpegDecoderJpegSupported(nvjpegJpegDecoder_t decoder_handle,
                                          nvjpegJpegStream_t jpeg_stream,
                                          nvjpegDecodeParams_t decode_params, int *is_supported)
{
    const struct jpeg_info *info;

    if (!lib_object_is(decoder_handle, &jpeg_decoder_type) ||
        !lib_object_is(jpeg_stream, &jpeg_stream_type) || !jpeg_stream->parsed || !is_supported ||
        (decode_params && !lib_object_is(decode_params, &jpeg_params_type)))
        return NVJPEG_STATUS_INVALID_PARAMETER;
    info = &jpeg_stream->info;
    /* 0 says yes. */
    *is_supported = !(info->precision == 8 && info->components != 2 &&
                      info->encoding <= NVJPEG_ENCODING_PROGRESSIVE_DCT_HUFFMAN);
    return NVJPEG_STATUS_SUCCESS;
}

/* The question is whether the engines for JPEG take part in a batch; there are none, and 1 says no.
 */
nvjpegStatus_t nvjpegDecodeBatchedSupported(nvjpegHandle_t handle, nvjpegJpegStream_t jpeg_stream,
                                            int *is_supported)
{
    return nvjpegDecodeBatchedSupportedEx(handle, jpeg_stream, NULL, is_supported);
}

nvjpegStatus_t nvjpegDecodeBatchedSupportedEx(nvjpegHandle_t handle, nvjpegJpegStream_t jpeg_stream,
                                              nvjpegDecodeParams_t decode_params, int *is_supported)
{
    (void)decode_params;
    if (!lib_object_is(handle, &jpeg_handle_type) ||
        !lib_object_is(jpeg_stream, &jpeg_stream_type) || !jpeg_stream->parsed || !is_supported)
        return NVJPEG_STATUS_INVALID_PARAMETER;
    *is_supported = 1;
    return NVJPEG_STATUS_SUCCESS;
}

static bool are_decoding(nvjpegHandle_t handle, nvjpegJpegDecoder_t decoder,
                         nvjpegJpegState_t state)
{
    return lib_object_is(handle, &jpeg_handle_type) && lib_object_is(decoder, &jpeg_decoder_type) &&
           lib_object_is(state, &jpeg_state_type);
}

nvjpegStatus_t nvjpegDecodeJpegHost(nvjpegHandle_t handle, nvjpegJpegDecoder_t decoder,
                                    nvjpegJpegState_t decoder_state,
                                    nvjpegDecodeParams_t decode_params,
                                    nvjpegJpegStream_t jpeg_stream)
{
    struct jpeg_source source;

    if (!are_decoding(handle, decoder, decoder_state) ||
        !lib_object_is(decode_params, &jpeg_params_type) ||
        !lib_object_is(jpeg_stream, &jpeg_stream_type) || !jpeg_stream->parsed)
        return NVJPEG_STATUS_INVALID_PARAMETER;
    source = (struct jpeg_source){jpeg_stream->data, jpeg_stream->tables, jpeg_stream->bytes,
                                  jpeg_stream->table_bytes};
    return decode_host(decoder_state, &source, &jpeg_stream->info, &decode_params->request);
}

/* The planes are where the device's phase finds them; a buffer must be attached all the same. */
nvjpegStatus_t nvjpegDecodeJpegTransferToDevice(nvjpegHandle_t handle, nvjpegJpegDecoder_t decoder,
                                                nvjpegJpegState_t decoder_state,
                                                nvjpegJpegStream_t jpeg_stream, cudaStream_t stream)
{
    (void)stream;
    return are_decoding(handle, decoder, decoder_state) &&
                   lib_object_is(jpeg_stream, &jpeg_stream_type) && decoder_state->image &&
                   !decoder_state->lacks_buffer
               ? NVJPEG_STATUS_SUCCESS
               : NVJPEG_STATUS_INVALID_PARAMETER;
}

nvjpegStatus_t nvjpegDecodeJpegDevice(nvjpegHandle_t handle, nvjpegJpegDecoder_t decoder,
                                      nvjpegJpegState_t decoder_state, nvjpegImage_t *destination,
                                      cudaStream_t stream)
{
    return are_decoding(handle, decoder, decoder_state) && destination &&
                   !decoder_state->lacks_buffer
               ? decode_device(decoder_state, destination, "nvjpegDecodeJpegDevice", stream)
               : NVJPEG_STATUS_INVALID_PARAMETER;
}

nvjpegStatus_t nvjpegDecodeJpeg(nvjpegHandle_t handle, nvjpegJpegDecoder_t decoder,
                                nvjpegJpegState_t decoder_state, nvjpegJpegStream_t jpeg_bitstream,
                                nvjpegImage_t *destination, nvjpegDecodeParams_t decode_params,
                                cudaStream_t stream)
{
    nvjpegStatus_t status = destination ? nvjpegDecodeJpegHost(handle, decoder, decoder_state,
                                                               decode_params, jpeg_bitstream)
                                        : NVJPEG_STATUS_INVALID_PARAMETER;

    if (status == NVJPEG_STATUS_SUCCESS && decoder_state->lacks_buffer)
        return NVJPEG_STATUS_INVALID_PARAMETER;
    return status == NVJPEG_STATUS_SUCCESS
               ? decode_device(decoder_state, destination, "nvjpegDecodeJpeg", stream)
               : status;
}

nvjpegStatus_t nvjpegStateAttachPinnedBuffer(nvjpegJpegState_t decoder_state,
                                             nvjpegBufferPinned_t pinned_buffer)
{
    return lib_object_is(decoder_state, &jpeg_state_type) &&
                   lib_object_is(pinned_buffer, &jpeg_pinned_type)
               ? NVJPEG_STATUS_SUCCESS
               : NVJPEG_STATUS_INVALID_PARAMETER;
}

nvjpegStatus_t nvjpegStateAttachDeviceBuffer(nvjpegJpegState_t decoder_state,
                                             nvjpegBufferDevice_t device_buffer)
{
    if (!lib_object_is(decoder_state, &jpeg_state_type) ||
        !lib_object_is(device_buffer, &jpeg_device_type))
        return NVJPEG_STATUS_INVALID_PARAMETER;
    decoder_state->lacks_buffer = false;
    return NVJPEG_STATUS_SUCCESS;
}

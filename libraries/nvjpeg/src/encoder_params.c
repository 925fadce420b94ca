/* SPDX-License-Identifier: MIT */
/* Parameters of an encode. */
#include "objects.h"

#include <stdlib.h>
#include <string.h>

enum { DEFAULT_QUALITY = 70 };

nvjpegStatus_t nvjpegEncoderParamsCreate(nvjpegHandle_t handle,
                                         nvjpegEncoderParams_t *encoder_params, cudaStream_t stream)
{
    struct nvjpegEncoderParams *params;

    (void)stream;
    if (!lib_object_is(handle, &jpeg_handle_type) || !encoder_params)
        return NVJPEG_STATUS_INVALID_PARAMETER;
    params = lib_object_create(&jpeg_encoder_params_type);
    if (!params)
        return NVJPEG_STATUS_ALLOCATOR_FAILURE;
    params->quality = DEFAULT_QUALITY;
    params->encoding = NVJPEG_ENCODING_BASELINE_DCT;
    params->subsampling = NVJPEG_CSS_444;
    *encoder_params = params;
    return NVJPEG_STATUS_SUCCESS;
}

nvjpegStatus_t nvjpegEncoderParamsDestroy(nvjpegEncoderParams_t encoder_params)
{
    return lib_object_destroy(encoder_params, &jpeg_encoder_params_type)
               ? NVJPEG_STATUS_SUCCESS
               : NVJPEG_STATUS_INVALID_PARAMETER;
}

nvjpegStatus_t nvjpegEncoderParamsSetQuality(nvjpegEncoderParams_t encoder_params,
                                             const int quality, cudaStream_t stream)
{
    (void)stream;
    if (!lib_object_is(encoder_params, &jpeg_encoder_params_type) || quality < 1 || quality > 100)
        return NVJPEG_STATUS_INVALID_PARAMETER;
    encoder_params->quality = quality;
    return NVJPEG_STATUS_SUCCESS;
}

nvjpegStatus_t nvjpegEncoderParamsSetEncoding(nvjpegEncoderParams_t encoder_params,
                                              nvjpegJpegEncoding_t etype, cudaStream_t stream)
{
    (void)stream;
    if (!lib_object_is(encoder_params, &jpeg_encoder_params_type) ||
        (etype != NVJPEG_ENCODING_BASELINE_DCT && etype != NVJPEG_ENCODING_PROGRESSIVE_DCT_HUFFMAN))
        return NVJPEG_STATUS_INVALID_PARAMETER;
    encoder_params->encoding = etype;
    return NVJPEG_STATUS_SUCCESS;
}

/* The tables of Huffman codes change the size of a file and not its image. Files of baseline
 * encoding have the standard tables. */
nvjpegStatus_t nvjpegEncoderParamsSetOptimizedHuffman(nvjpegEncoderParams_t encoder_params,
                                                      const int optimized, cudaStream_t stream)
{
    (void)stream;
    if (!lib_object_is(encoder_params, &jpeg_encoder_params_type))
        return NVJPEG_STATUS_INVALID_PARAMETER;
    encoder_params->optimized = optimized;
    return NVJPEG_STATUS_SUCCESS;
}

nvjpegStatus_t
nvjpegEncoderParamsSetSamplingFactors(nvjpegEncoderParams_t encoder_params,
                                      const nvjpegChromaSubsampling_t chroma_subsampling,
                                      cudaStream_t stream)
{
    unsigned horizontal, vertical;

    (void)stream;
    if (!lib_object_is(encoder_params, &jpeg_encoder_params_type) ||
        !jpeg_chroma_factors(chroma_subsampling, &horizontal, &vertical))
        return NVJPEG_STATUS_INVALID_PARAMETER;
    if (chroma_subsampling == NVJPEG_CSS_410V)
        return NVJPEG_STATUS_JPEG_NOT_SUPPORTED;
    encoder_params->subsampling = chroma_subsampling;
    return NVJPEG_STATUS_SUCCESS;
}

nvjpegStatus_t nvjpegEncoderParamsSetRestartInterval(nvjpegEncoderParams_t encoder_params,
                                                     unsigned int restart_interval,
                                                     cudaStream_t stream)
{
    (void)stream;
    if (!lib_object_is(encoder_params, &jpeg_encoder_params_type))
        return NVJPEG_STATUS_INVALID_PARAMETER;
    if (restart_interval)
        return NVJPEG_STATUS_IMPLEMENTATION_NOT_SUPPORTED;
    return NVJPEG_STATUS_SUCCESS;
}

/* An upper bound: each sample in as many bytes as a coefficient can need, and room for tables. */
nvjpegStatus_t nvjpegEncodeGetBufferSize(nvjpegHandle_t handle,
                                         const nvjpegEncoderParams_t encoder_params,
                                         int image_width, int image_height,
                                         size_t *max_stream_length)
{
    size_t width, height;

    if (!lib_object_is(handle, &jpeg_handle_type) ||
        !lib_object_is(encoder_params, &jpeg_encoder_params_type) || image_width <= 0 ||
        image_height <= 0 || !max_stream_length)
        return NVJPEG_STATUS_INVALID_PARAMETER;
    width = ((size_t)image_width + 31) & ~(size_t)31;
    height = ((size_t)image_height + 31) & ~(size_t)31;
    *max_stream_length = width * height * 6 + 4096 + encoder_params->metadata_bytes;
    return NVJPEG_STATUS_SUCCESS;
}

/* Adds the segments of applications and comments of a file: all of APP1 to APP15 and COM. */
static bool copy_segments(const unsigned char *data, size_t bytes, unsigned char *out, size_t *used)
{
    size_t at = 2;

    *used = 0;
    while (at + 4 <= bytes && data[at] == 0xff && data[at + 1] != 0xda) {
        size_t length = ((size_t)data[at + 2] << 8 | data[at + 3]) + 2;

        if (at + length > bytes)
            return false;
        if ((data[at + 1] >= 0xe1 && data[at + 1] <= 0xef) || data[at + 1] == 0xfe) {
            memcpy(out + *used, data + at, length);
            *used += length;
        }
        at += length;
    }
    return true;
}

nvjpegStatus_t nvjpegEncoderParamsCopyMetadata(nvjpegEncoderState_t encoder_state,
                                               nvjpegEncoderParams_t encode_params,
                                               nvjpegJpegStream_t jpeg_stream, cudaStream_t stream)
{
    unsigned char *segments;
    size_t used;

    (void)stream;
    if (!lib_object_is(encoder_state, &jpeg_encoder_type) ||
        !lib_object_is(encode_params, &jpeg_encoder_params_type) ||
        !lib_object_is(jpeg_stream, &jpeg_stream_type) || !jpeg_stream->copy)
        return NVJPEG_STATUS_INVALID_PARAMETER;
    segments = malloc(jpeg_stream->bytes);
    if (!segments)
        return NVJPEG_STATUS_ALLOCATOR_FAILURE;
    if (!copy_segments(jpeg_stream->copy, jpeg_stream->bytes, segments, &used)) {
        free(segments);
        return NVJPEG_STATUS_BAD_JPEG;
    }
    free(encode_params->metadata);
    encode_params->metadata = segments;
    encode_params->metadata_bytes = used;
    return NVJPEG_STATUS_SUCCESS;
}

/* SPDX-License-Identifier: MIT */
/* Parameters of an encode. */
#include "objects.h"

#include <stdlib.h>
#include <string.h>

enum { DEFAULT_QUALITY = 70, RESTART_INTERVAL_MOST = 65535 };

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
    encoder_params->has_quantization = false;
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
 * encoding have the standard tables otherwise, or those of another file; progressive ones always
 * have optimized tables. */
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
    if (restart_interval > RESTART_INTERVAL_MOST)
        return NVJPEG_STATUS_INVALID_PARAMETER;
    encoder_params->restart_interval = restart_interval;
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

/* The component of a file whose tables are those of chroma; files of gray have none. */
static const struct jpeg_component *component_of(const struct jpeg_info *info, unsigned i)
{
    return &info->component[i < info->components ? i : 0];
}

/* The tables are those of the quality again when a quality is set. */
nvjpegStatus_t nvjpegEncoderParamsCopyQuantizationTables(nvjpegEncoderParams_t encode_params,
                                                         nvjpegJpegStream_t jpeg_stream,
                                                         cudaStream_t stream)
{
    const struct jpeg_quantization *tables[2];

    (void)stream;
    if (!lib_object_is(encode_params, &jpeg_encoder_params_type) ||
        !lib_object_is(jpeg_stream, &jpeg_stream_type) || !jpeg_stream->parsed)
        return NVJPEG_STATUS_INVALID_PARAMETER;
    for (unsigned i = 0; i < 2; i++) {
        tables[i] = &jpeg_stream->info.quantization[component_of(&jpeg_stream->info, i)->table];
        for (unsigned k = 0; k < 64; k++) {
            if (!tables[i]->values[k])
                return NVJPEG_STATUS_BAD_JPEG;
        }
    }
    for (unsigned i = 0; i < 2; i++)
        encode_params->quantization[i] = *tables[i];
    encode_params->has_quantization = true;
    return NVJPEG_STATUS_SUCCESS;
}

/* The codes of a progressive file are of other symbols than those of a baseline file. */
nvjpegStatus_t nvjpegEncoderParamsCopyHuffmanTables(nvjpegEncoderState_t encoder_state,
                                                    nvjpegEncoderParams_t encode_params,
                                                    nvjpegJpegStream_t jpeg_stream,
                                                    cudaStream_t stream)
{
    const struct jpeg_huffman *tables[2][2];
    const struct jpeg_info *info;

    (void)stream;
    if (!lib_object_is(encoder_state, &jpeg_encoder_type) ||
        !lib_object_is(encode_params, &jpeg_encoder_params_type) ||
        !lib_object_is(jpeg_stream, &jpeg_stream_type) || !jpeg_stream->parsed)
        return NVJPEG_STATUS_INVALID_PARAMETER;
    info = &jpeg_stream->info;
    if (info->encoding != encode_params->encoding || info->encoding != NVJPEG_ENCODING_BASELINE_DCT)
        return NVJPEG_STATUS_JPEG_NOT_SUPPORTED;
    for (unsigned i = 0; i < 2; i++) {
        for (unsigned ac = 0; ac < 2; ac++) {
            tables[i][ac] = &info->huffman[ac][component_of(info, i)->codes[ac]];
            if (!tables[i][ac]->is_defined)
                return NVJPEG_STATUS_BAD_JPEG;
        }
    }
    for (unsigned i = 0; i < 2; i++) {
        for (unsigned ac = 0; ac < 2; ac++)
            encode_params->huffman[i][ac] = *tables[i][ac];
    }
    encode_params->has_huffman = true;
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
